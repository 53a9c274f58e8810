// Whether a request is a proper WebSocket handshake, and what is agreed on (RFC 6455 §4.2). `HTTPConnection` asks.
import Wire

/// The server's side of a handshake that is in order.
struct WebSocketAgreement {
    private let accept: String
    private let extensions: String?
    private let deflate: DeflateParameters?

    /// - Throws: `notAWebSocket` for a plain request, `unsupportedWebSocketVersion`, `malformedHandshake`.
    init(_ request: HTTPRequest, _ options: WebSocketOptions) throws(HTTPRefusal) {
        let fields = request.fields
        guard request.method == .get, request.minorVersion >= 1, fields.hasToken("websocket", in: "upgrade"),
            fields.hasToken("upgrade", in: "connection")
        else { throw .notAWebSocket }
        let versions = fields.values("sec-websocket-version")
        guard versions.count == 1, versions[0] == "13" else { throw .unsupportedWebSocketVersion }
        let keys = fields.values("sec-websocket-key")
        guard keys.count == 1, WebSocketHandshake.isKey(keys[0]) else { throw .malformedHandshake }
        accept = Base64.encode(Digest.sha1(WebSocketHandshake.challenge(key: keys[0])))
        let offers = fields.values("sec-websocket-extensions")
        do throws(WebSocketExtensionError) {
            let agreed = try WebSocketExtensions.accept(
                offers: offers.isEmpty ? nil : offers.joined(separator: ","),
                mode: options.deflate
            )
            extensions = agreed?.answer
            deflate = agreed?.parameters
        } catch {
            throw .malformedHandshake
        }
    }

    /// The 101 answer, with the handler's own fields.
    func response(_ fields: HTTPFields) -> HTTPResponse {
        var response = HTTPResponse(status: 101, fields: fields)
        response.fields.add("Upgrade", "websocket")
        response.fields.add("Sec-WebSocket-Accept", accept)
        if let extensions { response.fields.add("Sec-WebSocket-Extensions", extensions) }
        return response
    }

    func engine(_ options: WebSocketOptions) -> WebSocketEngine {
        WebSocketEngine(role: .server, limits: WebSocketLimits(message: options.maxMessage), deflate: deflate)
    }
}
