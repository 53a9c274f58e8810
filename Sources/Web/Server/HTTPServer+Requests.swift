// From a parsed head to a request and to who answers it: proxies, base path, host, route. One place, one order.
import Wire

extension HTTPServer {
    enum Routing {
        case answer(HTTPResponse)
        case route(Router.Route, Parameters)
    }

    /// Makes a request of a head. What a trusted proxy says about the client is believed.
    func request(
        _ bytes: Span<UInt8>,
        _ found: FoundHead,
        _ fields: [FieldRange],
        from sender: SocketAddress,
        isSecure: Bool
    ) throws(HTTPRefusal) -> HTTPRequest {
        guard let method = HTTPMethod.known(bytes.extracting(found.method)) else { throw .unknownMethod }
        let target = try RequestTarget(bytes, found.target, method: method)
        var ownPath = try target.normalizedPath(bytes)
        var baseLength = 0
        var isOutsideBase = false
        if !basePathBytes.isEmpty {
            let stripped: Int
            if let path = ownPath {
                stripped = Self.prefixLength(basePathBytes, of: path.span)
            } else {
                stripped = Self.prefixLength(basePathBytes, of: bytes.extracting(target.path))
            }
            isOutsideBase = stripped == 0
            if let path = ownPath { ownPath = Array(path[stripped...]) } else { baseLength = stripped }
        }
        let head = ReceivedHead(copying: bytes, fields: fields)
        var host: String?
        if let range = target.authority ?? found.host { host = head.text(range) }
        var peer = sender
        var isSecure = isSecure
        if !trustedProxies.isEmpty, trustedProxies.contains(where: { $0.contains(sender) }) {
            let fields = HTTPFields(received: head)
            peer = client(behind: sender, fields.values("x-forwarded-for"))
            if let proto = fields["x-forwarded-proto"] { isSecure = proto.equalsIgnoringCase("https") }
            if let original = fields["x-forwarded-host"], isHost(Array(original.utf8).span, 0..<original.utf8.count) {
                host = original
            }
        }
        return HTTPRequest(
            method: method,
            head: head,
            targetRange: found.target,
            parts: target,
            ownPath: ownPath,
            baseLength: baseLength,
            isOutsideBase: isOutsideBase,
            minorVersion: found.minorVersion,
            host: host,
            peer: peer,
            isSecure: isSecure,
            serial: nextSerial()
        )
    }

    /// Who answers.
    func route(_ request: HTTPRequest) throws(HTTPRefusal) -> Routing {
        if let isHostAllowed, !isHostAllowed(request.host) { throw .misdirected }
        if request.parts.isAsterisk {
            return .answer(HTTPResponse(status: 204, fields: ["Allow": "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]))
        }
        if request.isOutsideBase {
            if request.path == basePath { return .answer(.redirect(to: basePath + "/", status: 308)) }
            return .answer(.refusal(404))
        }
        switch request.withPath({ router.match(request.method, $0) }) {
        case .route(let route, let parameters): return .route(route, parameters)
        case .none: return .answer(router.notFound?(request) ?? .refusal(404))
        case .otherMethods(let methods):
            var response = request.method == .options ? HTTPResponse(status: 204) : HTTPResponse.refusal(405)
            response.fields.add("Allow", methods.map(\.name).joined(separator: ", "))
            return .answer(response)
        }
    }

    /// The last address of the chain that no trusted proxy has.
    private func client(behind proxy: SocketAddress, _ values: [String]) -> SocketAddress {
        var found = proxy
        for text in values.joined(separator: ",").split(separator: ",").reversed() {
            let text = text.split(separator: " ").joined()
            guard let address = SocketAddress(numeric: text) else { return found }
            found = address
            if !trustedProxies.contains(where: { $0.contains(address) }) { return found }
        }
        return found
    }

    /// The length of `prefix` when it is a whole number of segments of `path`; else 0.
    private static func prefixLength(_ prefix: [UInt8], of path: Span<UInt8>) -> Int {
        guard path.count > prefix.count, path[prefix.count] == UInt8(ascii: "/") else { return 0 }
        for index in prefix.indices where prefix[index] != path[index] { return 0 }
        return prefix.count
    }
}
