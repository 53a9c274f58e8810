// One file as it is served: what it was when it was read, its content when that is small, its gzip form when that helps.
// Made on a worker thread, immutable, shared by all requests until the file changes.
import CLinux
import Glibc
import Wire

struct StaticFile: Sendable {
    enum Content: Sendable {
        case bytes([UInt8])
        /// Too large to keep: read while it is sent.
        case file(OpenFile)
    }

    let content: Content
    let gzip: [UInt8]?
    let size: Int
    let mediaType: String
    let isCompressible: Bool
    /// The entity tags of the two forms: a strong tag is never shared by two codings (RFC 9110 §8.8.3).
    let tag: String
    let gzipTag: String
    /// Seconds since 1970.
    let modified: Int64
    let modifiedText: String
    private let stamp: Stamp

    /// Tells one state of a file from another.
    struct Stamp: Equatable, Sendable {
        let modified: Int64
        let size: Int
        let inode: UInt64
    }

    /// Files up to that many bytes are kept in memory.
    static let keptSize = 1 << 20
    /// Smaller files are not worth compressing.
    private static let leastCompressed = 512

    /// Bytes that it holds.
    var cost: Int {
        switch content {
        case .bytes(let bytes): bytes.count + (gzip?.count ?? 0) + 512
        case .file: (gzip?.count ?? 0) + 512
        }
    }

    /// Opens and reads a file below a folder. Blocks: call it in ``offload(_:)``.
    ///
    /// - Parameter path: segments without dots or empty ones; none of them may be a symbolic link.
    init(_ path: [String], below root: Int32) throws(Errno) {
        let file = try Self.open(path, below: root)
        let name = path.last ?? ""
        stamp = Stamp(modified: file.modified, size: file.size, inode: file.inode)
        size = file.size
        mediaType = MediaType.ofFile(named: name)
        isCompressible = MediaType.isCompressible(mediaType)
        modified = file.modified / 1_000_000_000
        modifiedText = HTTPDate.text(modified)
        let state = "\(String(file.modified, radix: 36))-\(String(file.size, radix: 36))"
        tag = "\"\(state)\""
        gzipTag = "\"\(state)-gz\""
        guard file.size <= Self.keptSize else {
            content = .file(file)
            gzip = isCompressible ? Self.prepared(path, below: root, for: file) : nil
            return
        }
        let bytes = try file.read(0..<file.size)
        guard bytes.count == file.size else { throw Errno(code: EIO) }
        content = .bytes(bytes)
        guard isCompressible, bytes.count >= Self.leastCompressed else {
            gzip = nil
            return
        }
        gzip = Self.prepared(path, below: root, for: file) ?? Gzip.compress(bytes, level: 6)
    }

    /// Whether the file is still what was read. One system call on what the kernel holds in memory.
    func isCurrent(_ path: String, below root: Int32) -> Bool {
        var status = stat()
        guard unsafe fstatat(root, path, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
        let modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        return stamp == Stamp(modified: modified, size: Int(status.st_size), inode: UInt64(status.st_ino))
    }

    /// The content of `name.gz` beside the file, if it is not older: made when the files were built.
    private static func prepared(_ path: [String], below root: Int32, for original: OpenFile) -> [UInt8]? {
        guard let name = path.last, let file = try? open(path.dropLast() + [name + ".gz"], below: root),
            file.modified >= original.modified, file.size <= keptSize
        else { return nil }
        return try? file.read(0..<file.size)
    }

    /// Walks down segment by segment; a symbolic link on the way ends it, so nothing outside the root can be reached.
    private static func open(_ path: [String], below root: Int32) throws(Errno) -> OpenFile {
        var folder = root
        defer { if folder != root { close(folder) } }
        for (index, segment) in path.enumerated() {
            let isLast = index == path.count - 1
            // O_NONBLOCK: a FIFO must not hold the worker until somebody writes.
            let flags = O_NOFOLLOW | O_CLOEXEC | (isLast ? O_RDONLY | O_NONBLOCK : Int32(clinux_o_path) | O_DIRECTORY)
            let next = unsafe openat(folder, segment, flags)
            guard next >= 0 else { throw .current }
            if isLast { return try OpenFile(adopting: next) }
            if folder != root { close(folder) }
            folder = next
        }
        throw Errno(code: EISDIR)
    }
}
