// What a socket has not taken yet. A queue of shared byte arrays: a frame that goes to a thousand sockets exists once.
package import Wire

/// Bytes waiting for one socket. A connection has one only while something waits.
@Loop package final class OutputQueue {
    private var chunks: [[UInt8]] = []
    /// The first chunk that is not sent, and how much of it is.
    private var first = 0
    private var offset = 0
    package private(set) var count = 0

    package init() {}

    package var isEmpty: Bool { count == 0 }

    /// Queues the bytes; the array is shared, not copied.
    package func append(_ bytes: [UInt8]) {
        if bytes.isEmpty { return }
        chunks.append(bytes)
        count += bytes.count
    }

    package func append(copying bytes: UnsafeRawBufferPointer) {
        unsafe append(Array(bytes))
    }

    /// Sends what the socket takes.
    ///
    /// - Returns: `.moved` with the number of bytes when the queue is empty afterwards; otherwise what stopped it.
    package func send(to stream: SocketStream) -> SocketStream.Outcome {
        var moved = 0
        while count > 0 {
            let outcome = sendSome(to: stream)
            guard case .moved(let bytes) = outcome else { return outcome }
            drop(bytes)
            moved += bytes
        }
        return .moved(moved)
    }

    /// One system call: the first chunk, and the second with it when there is one.
    private func sendSome(to stream: SocketStream) -> SocketStream.Outcome {
        if offset == 0, first + 1 == chunks.count { return stream.send(chunks[first]) }
        return unsafe chunks[first].withUnsafeBytes { bytes in
            let head = unsafe UnsafeRawBufferPointer(rebasing: bytes[offset...])
            guard first + 1 < chunks.count else { return unsafe stream.send(head) }
            return unsafe chunks[first + 1].withUnsafeBytes { unsafe stream.send(head, $0) }
        }
    }

    private func drop(_ bytes: Int) {
        count -= bytes
        offset += bytes
        while first < chunks.count, offset >= chunks[first].count {
            offset -= chunks[first].count
            chunks[first] = []
            first += 1
        }
        if first == chunks.count {
            chunks = []
            first = 0
        } else if first > 64 {
            chunks.removeFirst(first)
            first = 0
        }
    }
}
