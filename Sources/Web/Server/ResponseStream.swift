// A body that is made while it is sent. Its producer writes, waits when the client is slow, and learns when it is gone.
package import Wire

/// The body of one answer, fed from a task on the loop or by plain calls.
@Loop package final class ResponseStream {
    /// Bytes in all, when the producer knows: then the answer has a length instead of chunks.
    package let length: Int?
    /// Called once when the client went away before the end.
    package var onAbandoned: (@Loop () -> Void)?

    private var pending: [[UInt8]] = []
    private(set) package var bufferedBytes = 0
    package private(set) var isFinished = false
    private(set) var hasFailed = false
    /// The client is gone: what is written is thrown away.
    package private(set) var isAbandoned = false
    private var waiting: [CheckedContinuation<Void, Never>] = []
    /// Set by the connection that sends it; called when there is something to send or the end has come.
    var onChange: (@Loop () -> Void)?

    package nonisolated init(length: Int? = nil) { self.length = length }

    /// Queues bytes. Does not wait: call ``room()`` between writes, or watch ``bufferedBytes``.
    package func write(_ bytes: [UInt8]) {
        if isFinished || isAbandoned || bytes.isEmpty { return }
        pending.append(bytes)
        bufferedBytes += bytes.count
        onChange?()
    }

    /// Waits until the client has taken enough for more to be written; returns at once when it has, or when it is gone.
    package func room() async {
        while !isAbandoned, bufferedBytes > HTTPLimits.streamHighWater {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    /// Nothing follows.
    package func finish() {
        if isFinished { return }
        isFinished = true
        onChange?()
    }

    /// The rest cannot be made: the connection is cut, so that the client sees that something is missing.
    package func fail() {
        if isFinished { return }
        hasFailed = true
        onChange?()
    }

    /// What was written since the last call. The bytes count as buffered until ``taken(_:)``.
    func take() -> [[UInt8]] {
        let all = pending
        pending = []
        return all
    }

    /// The socket has taken that many bytes.
    func taken(_ count: Int) {
        bufferedBytes -= count
        if bufferedBytes <= HTTPLimits.streamHighWater { wakeWriters() }
    }

    func abandon() {
        if isAbandoned { return }
        isAbandoned = true
        pending = []
        bufferedBytes = 0
        onChange = nil
        wakeWriters()
        if !isFinished { onAbandoned?() }
        onAbandoned = nil
    }

    private func wakeWriters() {
        let writers = waiting
        waiting = []
        for writer in writers { writer.resume() }
    }
}
