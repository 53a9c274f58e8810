// Bytes to and from one connected socket, plain or TLS behind one face. Neither waits: who gets `.blocked` watches for what
// it names. Connections of every protocol sit on it.
import CLinux
import Glibc

/// A connected socket. Its owner calls ``close()`` once; the watch on it is cancelled before.
@Loop package final class SocketStream {
    /// What one call moved.
    package enum Outcome: Equatable {
        case moved(Int)
        /// Nothing now. TLS may have to write before it can read, and the other way round.
        case blocked(Readiness)
        /// The other end sends no more. With TLS: it said so.
        case ended
        case failed(StreamError)
    }

    package let descriptor: Int32
    private var isOpen = true

    package init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Reads what is there into `buffer`, which must not be empty.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = unsafe recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .moved(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked(.readable) : .failed(.system(.current))
        }
    }

    /// Writes as much of `bytes` as the socket takes.
    package func send(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked(.writable) : .failed(.system(.current))
        }
    }

    /// Writes two pieces in one system call.
    package func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
        let parts = unsafe [
            iovec(iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress), iov_len: first.count),
            iovec(iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress), iov_len: second.count),
        ]
        while true {
            let count = unsafe writev(descriptor, parts, 2)
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked(.writable) : .failed(.system(.current))
        }
    }

    /// Says that no more will be sent; what was sent still arrives.
    package func finishSending() {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    package func close() {
        if !isOpen { return }
        isOpen = false
        Sockets.close(descriptor)
    }
}

/// Why a stream is of no more use.
package enum StreamError: Error, Equatable {
    case system(Errno)
}
