// Reading of files that belong to others: never for writing, never through a symbolic link at the end of a path, always by
// offset, so that nothing depends on a position that somebody else moved. Rules: agent-transcripts, section 0, 6 to 8 and 11.
import Glibc
import Wire

/// Which file it is and how large it was when it was looked at.
package struct FileStamp: Sendable, Equatable {
    package var device: UInt64
    package var inode: UInt64
    package var size: Int
    /// Milliseconds since 1970.
    package var modifiedAt: Int64

    init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modifiedAt = Int64(status.st_mtim.tv_sec) * 1_000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
    }

    /// The stamp of a regular file; nil for anything else, symbolic links included.
    package static func of(_ path: String) -> FileStamp? {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return FileStamp(status)
    }
}

/// An open file, for reading.
struct ReadHandle: ~Copyable {
    private let descriptor: Int32

    /// - Throws: `ELOOP` for a symbolic link, `EISDIR` for what is no regular file.
    init(_ path: String) throws(Errno) {
        let opened = unsafe open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard opened >= 0 else { throw Errno.current }
        var status = stat()
        guard unsafe fstat(opened, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(opened)
            throw Errno(code: EISDIR)
        }
        descriptor = opened
    }

    deinit { close(descriptor) }

    func stamp() -> FileStamp? {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return nil }
        return FileStamp(status)
    }

    /// Reads at `offset` into `buffer` from `start` on.
    ///
    /// - Returns: how many bytes came; 0 at the end of the file.
    func read(at offset: Int, into buffer: inout [UInt8], from start: Int, count: Int) throws(Errno) -> Int {
        while true {
            let wanted = min(count, buffer.count - start)
            let got = unsafe buffer.withUnsafeMutableBytes { bytes in
                unsafe pread(descriptor, bytes.baseAddress.map { unsafe $0 + start }, wanted, off_t(offset))
            }
            if got >= 0 { return got }
            if errno != EINTR { throw Errno.current }
        }
    }

    /// The bytes of a range, fewer at the end of the file.
    func bytes(at offset: Int, count: Int) throws(Errno) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: max(0, count))
        var filled = 0
        while filled < count {
            let got = try read(at: offset + filled, into: &buffer, from: filled, count: count - filled)
            if got == 0 { break }
            filled += got
        }
        buffer.removeLast(buffer.count - filled)
        return buffer
    }
}

/// Small files read as a whole: `sessions/<pid>.json`, `….meta.json`, `session_index.jsonl`.
enum SmallFile {
    static func read(_ path: String, limit: Int = 1 << 20) -> [UInt8]? {
        guard let handle = try? ReadHandle(path), let stamp = handle.stamp(), stamp.size <= limit else { return nil }
        return try? handle.bytes(at: 0, count: stamp.size)
    }

    /// The last bytes of a file, from the first whole line on.
    static func tail(_ path: String, limit: Int) -> [UInt8]? {
        guard let handle = try? ReadHandle(path), let stamp = handle.stamp() else { return nil }
        let start = max(0, stamp.size - limit)
        guard let bytes = try? handle.bytes(at: start, count: stamp.size - start) else { return nil }
        guard start > 0 else { return bytes }
        guard let feed = bytes.firstIndex(of: 0x0A) else { return [] }
        return Array(bytes[(feed + 1)...])
    }
}
