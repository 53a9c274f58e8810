// An open file, closed when nobody needs it any more.
import Glibc
package import Wire

/// A descriptor for reading, and what the file was when it was opened.
package final class OpenFile: Sendable {
    let descriptor: Int32
    /// Bytes.
    package let size: Int
    /// Nanoseconds since 1970 of the last change.
    package let modified: Int64
    package let inode: UInt64

    /// Takes over an open descriptor of a regular file.
    ///
    /// - Throws: `EISDIR` for a folder, `ENOENT` for anything else that is no file. The descriptor is closed then.
    package init(adopting descriptor: Int32) throws(Errno) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else {
            let error = Errno.current
            close(descriptor)
            throw error
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw Errno(code: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ENOENT)
        }
        self.descriptor = descriptor
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) * 1_000_000_000 + Int64(status.st_mtim.tv_nsec)
        inode = UInt64(status.st_ino)
    }

    deinit { close(descriptor) }

    /// Reads that part of the file; fewer bytes when the file has been cut since. Blocks: call it in ``offload(_:)``.
    package func read(_ range: Range<Int>) throws(Errno) -> [UInt8] {
        var failure: Errno?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            while count < range.count {
                let base = unsafe buffer.baseAddress.map { unsafe $0 + count }
                let result = unsafe pread(descriptor, base, range.count - count, range.lowerBound + count)
                if result > 0 {
                    count += result
                } else if result < 0, errno == EINTR {
                    continue
                } else {
                    if result < 0 { failure = .current }
                    return
                }
            }
        }
        if let failure { throw failure }
        return bytes
    }
}
