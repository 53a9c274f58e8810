// Two ends of a connection inside this process: how the hub and the local desktop reach the built-in relay through the same
// message layer as everybody else.
package import Wire

/// One end of a pair.
///
/// A message arrives at the other end on the loop's next round, in order.
@Loop package final class InProcessTransport: LinkTransport {
    package var onText: (@Loop ([UInt8]) -> Void)?
    package var onBinary: (@Loop ([UInt8]) -> Void)?
    package var onClose: (@Loop (UInt16, String) -> Void)?
    package var onDrain: (@Loop () -> Void)?
    package private(set) var bufferedBytes = 0

    private var other: InProcessTransport?
    private var isClosed = false

    private init() {}

    /// Two connected ends.
    package static func pair() -> (InProcessTransport, InProcessTransport) {
        let left = InProcessTransport()
        let right = InProcessTransport()
        left.other = right
        right.other = left
        return (left, right)
    }

    @discardableResult
    package func send(text: [UInt8]) -> SendOutcome { send(text, isText: true) }

    @discardableResult
    package func send(binary: [UInt8]) -> SendOutcome { send(binary, isText: false) }

    private func send(_ bytes: [UInt8], isText: Bool) -> SendOutcome {
        guard !isClosed, let other else { return .closed }
        guard bufferedBytes + bytes.count <= Limits.relayQueueBytes else { return .busy }
        bufferedBytes += bytes.count
        Loop.post { self.arrive(bytes, isText: isText, at: other) }
        return .sent
    }

    private func arrive(_ bytes: [UInt8], isText: Bool, at other: InProcessTransport) {
        bufferedBytes -= bytes.count
        if !other.isClosed {
            if isText { other.onText?(bytes) } else { other.onBinary?(bytes) }
        }
        if bufferedBytes == 0, !isClosed { onDrain?() }
    }

    package func close(_ code: UInt16, _ reason: String) {
        guard !isClosed, let other else { return }
        isClosed = true
        Loop.post {
            self.end(code, reason)
            other.end(code, reason)
        }
    }

    private func end(_ code: UInt16, _ reason: String) {
        guard other != nil else { return }
        isClosed = true
        other = nil
        let close = onClose
        onText = nil
        onBinary = nil
        onClose = nil
        onDrain = nil
        close?(code, reason)
    }
}
