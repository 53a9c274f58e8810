// The error of a system call. `Wire` throws nothing else from sockets and files.
import Glibc

/// A system call's error number.
package struct Errno: Error, Equatable, Hashable, CustomStringConvertible {
    package let code: Int32

    package init(code: Int32) { self.code = code }

    /// What the calling thread's last failed call left behind.
    package static var current: Errno { Errno(code: errno) }

    package static let wouldBlock = Errno(code: EAGAIN)
    package static let interrupted = Errno(code: EINTR)
    package static let inProgress = Errno(code: EINPROGRESS)
    package static let tooManyFiles = Errno(code: EMFILE)
    package static let addressInUse = Errno(code: EADDRINUSE)
    package static let connectionReset = Errno(code: ECONNRESET)
    package static let brokenPipe = Errno(code: EPIPE)
    package static let timedOut = Errno(code: ETIMEDOUT)
    package static let notFound = Errno(code: ENOENT)
    package static let invalid = Errno(code: EINVAL)

    /// The system's sentence, for logs and people.
    package var description: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress else { return "error \(code)" }
            guard unsafe strerror_r(code, base, buffer.count) == 0 else { return "error \(code)" }
            return unsafe String(cString: base)
        }
    }
}
