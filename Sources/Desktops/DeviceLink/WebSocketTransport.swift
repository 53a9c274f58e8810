// A WebSocket as a connection of the device link.
package import Web
package import Wire

/// A WebSocket's messages, either side of it.
@Loop package final class WebSocketTransport: LinkTransport {
    package var onText: (@Loop ([UInt8]) -> Void)? {
        get { socket.onText }
        set { socket.onText = newValue }
    }
    package var onBinary: (@Loop ([UInt8]) -> Void)? {
        get { socket.onBinary }
        set { socket.onBinary = newValue }
    }
    package var onClose: (@Loop (UInt16, String) -> Void)?
    package var onDrain: (@Loop () -> Void)? {
        get { socket.onDrain }
        set { socket.onDrain = newValue }
    }
    package var bufferedBytes: Int { socket.bufferedBytes }

    private let socket: WebSocket
    private var isClosed = false

    package init(_ socket: WebSocket) {
        self.socket = socket
        socket.onClose = { [weak self] code, reason in
            guard let self else { return }
            isClosed = true
            let close = onClose
            onClose = nil
            close?(code, reason)
        }
    }

    @discardableResult
    package func send(text: [UInt8]) -> SendOutcome {
        guard let outcome = refusal(text.count) else {
            socket.send(text: text)
            return .sent
        }
        return outcome
    }

    @discardableResult
    package func send(binary: [UInt8]) -> SendOutcome {
        guard let outcome = refusal(binary.count) else {
            socket.send(binary: binary)
            return .sent
        }
        return outcome
    }

    private func refusal(_ count: Int) -> SendOutcome? {
        if isClosed || !socket.isOpen { return .closed }
        return socket.bufferedBytes + count > Limits.relayQueueBytes ? .busy : nil
    }

    package func close(_ code: UInt16, _ reason: String) { socket.close(code, reason) }
}
