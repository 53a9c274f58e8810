// Requests made by hand: so that routes can be tried without a socket. They pass the same parser as those from the wire.
package import Wire

extension HTTPRequest {
    /// The request that a client would have sent with these parts; nil when the server would have refused it.
    package static func made(
        _ method: HTTPMethod,
        _ target: String,
        fields: HTTPFields = ["Host": "localhost"],
        body: [UInt8] = [],
        peer: SocketAddress = .unix,
        isSecure: Bool = false
    ) -> HTTPRequest? {
        var text = "\(method) \(target) HTTP/1.1\r\n"
        fields.forEach { text += "\($0): \($1)\r\n" }
        let bytes = Array((text + "\r\n").utf8)
        var parser = RequestHeadParser()
        do throws(HTTPRefusal) {
            guard try parser.parse(bytes.span, limits: HTTPLimits()) else { return nil }
            let parts = try RequestTarget(bytes.span, parser.head.target, method: method)
            let head = ReceivedHead(bytes: bytes, fields: parser.fields)
            var request = HTTPRequest(
                method: method,
                head: head,
                targetRange: parser.head.target,
                parts: parts,
                ownPath: try parts.normalizedPath(bytes.span),
                baseLength: 0,
                isOutsideBase: false,
                minorVersion: parser.head.minorVersion,
                host: parser.head.host.map { head.text($0) },
                peer: peer,
                isSecure: isSecure,
                serial: 0
            )
            request.body = body
            return request
        } catch {
            return nil
        }
    }
}
