// The client's side of the WebSocket handshake (RFC 6455 §4.1); afterwards it is a `WebSocket` like any other.
package import Wire

/// Why there is no WebSocket.
package enum WebSocketConnectError: Error, Equatable {
    case invalidURL
    case dial(DialError)
    case timedOut
    case cancelled
    /// The server answered with something else: 401, 403, 404, 503 ….
    case refused(status: Int)
    /// What came is no handshake: wrong accept key, an extension nobody offered, no HTTP.
    case malformedResponse
    case cut
}

package enum WebSocketClient {
    /// Connects and shakes hands. Set the handlers at once, without waiting in between: reading begins at the end of the
    /// loop's turn.
    ///
    /// - Parameters:
    ///   - url: `ws://` or `wss://`.
    ///   - fields: added to the request, such as `Authorization` or `Origin`.
    ///   - tls: whom to trust; nil for the system's authorities.
    ///   - deadline: milliseconds for everything up to the open socket.
    @Loop package static func connect(
        url text: String,
        fields: HTTPFields = [:],
        options: WebSocketOptions = WebSocketOptions(),
        tls: TLSContext? = nil,
        deadline milliseconds: Int64 = 15_000
    ) async throws(WebSocketConnectError) -> WebSocket {
        guard let url = HTTPURL(text), url.scheme == .ws || url.scheme == .wss else { throw .invalidURL }
        let deadline = Loop.now + milliseconds
        let dialled: DialledStream
        do throws(DialError) {
            dialled = try await Dialer.dial(url, tls: tls, deadline: deadline)
        } catch {
            switch error {
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            default: throw .dial(error)
            }
        }
        let exchange = ClientExchange(dialled, deadline: deadline)
        defer { exchange.close() }
        let key = Base64.encode(RandomBytes.bytes(16))
        let answer: (status: Int, fields: HTTPFields)
        do throws(HTTPClientError) {
            try await exchange.send(request(url, key: key, fields, options), [])
            answer = try await exchange.responseHead()
        } catch {
            switch error {
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            case .cut: throw .cut
            case .malformedResponse, .tooLarge, .dial, .invalidURL: throw .malformedResponse
            }
        }
        guard answer.status == 101 else { throw .refused(status: answer.status) }
        let deflate = try agreement(answer.fields, key: key, options)
        let socket = WebSocket(
            stream: dialled.stream,
            watch: exchange.release(),
            output: nil,
            engine: WebSocketEngine(
                role: .client,
                limits: WebSocketLimits(message: options.maxMessage),
                deflate: deflate
            ),
            peer: dialled.peer,
            options: options
        )
        // Nobody else holds a client's socket while its owner waits for messages.
        socket.keepAlive()
        let early = exchange.input
        Loop.endOfTurn { socket.start(with: early) }
        return socket
    }

    private static func request(_ url: HTTPURL, key: String, _ fields: HTTPFields, _ options: WebSocketOptions)
        -> [UInt8]
    {
        var text =
            "GET \(url.target) HTTP/1.1\r\nHost: \(url.authority)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        if let offer = WebSocketExtensions.offer(mode: options.deflate) {
            text += "Sec-WebSocket-Extensions: \(offer)\r\n"
        }
        for (name, value) in fields.all { text += "\(name): \(value)\r\n" }
        return Array((text + "\r\n").utf8)
    }

    private static func agreement(
        _ fields: HTTPFields,
        key: String,
        _ options: WebSocketOptions
    ) throws(WebSocketConnectError) -> DeflateParameters? {
        let expected = Base64.encode(Digest.sha1(WebSocketHandshake.challenge(key: key)))
        guard fields.hasToken("websocket", in: "upgrade"), fields.hasToken("upgrade", in: "connection"),
            fields["sec-websocket-accept"] == expected, fields["sec-websocket-protocol"] == nil
        else { throw .malformedResponse }
        do throws(WebSocketExtensionError) {
            return try WebSocketExtensions.agreed(
                answer: fields.joined("sec-websocket-extensions"),
                mode: options.deflate
            )
        } catch {
            throw .malformedResponse
        }
    }
}
