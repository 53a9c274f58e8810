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
    package let isSecure: Bool
    private var tls: TLSSession?
    private var isOpen = true

    /// Bytes that fit into one TLS record: pieces up to that size travel together.
    private static let recordSize = 16_384

    /// A plain connection.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        isSecure = false
    }

    /// A TLS connection that begins with ``handshake()``; nil when there is no memory for it, or no host for a client.
    ///
    /// - Parameter host: for a client: the name or address that the server's certificate must have.
    package init?(descriptor: Int32, tls context: TLSContext, host: String? = nil) {
        guard let session = TLSSession(context, descriptor: descriptor, host: host) else { return nil }
        self.descriptor = descriptor
        isSecure = true
        tls = session
    }

    /// Goes on with the handshake of a TLS connection; `.moved` when it is done.
    package func handshake() -> Outcome { tls?.handshake() ?? .moved(0) }

    /// Whether bytes may wait inside the TLS layer, where epoll does not see them: receive again without waiting.
    package var mayHoldMore: Bool { tls?.mayHoldMore ?? false }

    /// Reads what is there into `buffer`, which must not be empty.
    package func receive(into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        if isSecure { return unsafe tls?.receive(into: buffer) ?? .ended }
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
        if isSecure { return unsafe tls?.send(bytes) ?? .ended }
        return unsafe Self.send(bytes, descriptor)
    }

    /// Writes as much of an array as the socket takes.
    package func send(_ bytes: [UInt8]) -> Outcome { Self.send(bytes, descriptor, tls) }

    /// Not on the actor: the executor of a closure that is made on one is checked at each call, which costs as much as
    /// everything else here.
    private nonisolated static func send(_ bytes: [UInt8], _ descriptor: Int32, _ tls: TLSSession?) -> Outcome {
        unsafe bytes.withUnsafeBytes { bytes in
            if let tls { return unsafe tls.send(bytes) }
            return unsafe send(bytes, descriptor)
        }
    }

    private nonisolated static func send(_ bytes: UnsafeRawBufferPointer, _ descriptor: Int32) -> Outcome {
        while true {
            let count = unsafe Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .moved(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .blocked(.writable) : .failed(.system(.current))
        }
    }

    /// Writes two pieces in one system call, or one TLS record.
    package func send(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
        if isSecure { return unsafe sendSecurely(first, second) }
        return unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            unsafe parts[0] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: first.baseAddress),
                iov_len: first.count
            )
            unsafe parts[1] = iovec(
                iov_base: UnsafeMutableRawPointer(mutating: second.baseAddress),
                iov_len: second.count
            )
            while true {
                let count = unsafe writev(descriptor, parts.baseAddress, 2)
                if count >= 0 { return .moved(count) }
                if errno == EINTR { continue }
                return errno == EAGAIN ? .blocked(.writable) : .failed(.system(.current))
            }
        }
    }

    private func sendSecurely(_ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer) -> Outcome {
        guard first.count + second.count <= Self.recordSize else { return unsafe send(first) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: Self.recordSize, alignment: 16) { record in
            unsafe record.copyMemory(from: first)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: record[first.count...])
            unsafe rest.copyMemory(from: second)
            return unsafe send(UnsafeRawBufferPointer(rebasing: record[..<(first.count + second.count)]))
        }
    }

    /// Says that no more will be sent; what was sent still arrives.
    package func finishSending() {
        tls?.sayGoodbye()
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    package func close() {
        if !isOpen { return }
        isOpen = false
        tls?.sayGoodbye()
        tls = nil
        Sockets.close(descriptor)
    }
}

/// Why a stream is of no more use.
package enum StreamError: Error, Equatable {
    case system(Errno)
    case tls(TLSError)
}
