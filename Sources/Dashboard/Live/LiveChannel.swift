// The one long connection of a tab: a WebSocket, or server-sent events where a proxy lets no WebSocket through. A live socket
// does not know which.

import Web
import Wire

@Loop protocol LiveChannel: AnyObject {
    func send(_ message: PreparedMessage)
    func close(_ code: UInt16, _ reason: String)
    /// Bytes that wait for the browser to read.
    var bufferedBytes: Int { get }
}

/// A WebSocket as a channel.
@Loop final class SocketChannel: LiveChannel {
    private let socket: WebSocket

    init(_ socket: WebSocket) { self.socket = socket }

    func send(_ message: PreparedMessage) { socket.send(message) }
    func close(_ code: UInt16, _ reason: String) { socket.close(code, reason) }
    var bufferedBytes: Int { socket.bufferedBytes }
}

/// Server-sent events as a channel; what the browser says comes by POST.
@Loop final class EventChannel: LiveChannel {
    let stream = ResponseStream()
    private var keepAlive: LoopTimer?

    init() { tick() }

    func send(_ message: PreparedMessage) {
        // JSON text has no line ends outside strings, and in strings they are escaped.
        stream.write(Array("data: ".utf8) + message.text + Array("\n\n".utf8))
    }

    func close(_ code: UInt16, _ reason: String) {
        keepAlive?.cancel()
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("code", Int(code))
        writer.member("reason", reason)
        writer.endObject()
        stream.write(Array("event: end\ndata: ".utf8) + writer.bytes + Array("\n\n".utf8))
        stream.finish()
    }

    var bufferedBytes: Int { stream.bufferedBytes }

    func ended() { keepAlive?.cancel() }

    /// A comment now and then, so that no proxy takes the connection for dead (BR-04a).
    private func tick() {
        keepAlive = Loop.after(milliseconds: 25_000) { [weak self] in
            guard let self else { return }
            stream.write(Array(": here\n\n".utf8))
            tick()
        }
    }
}
