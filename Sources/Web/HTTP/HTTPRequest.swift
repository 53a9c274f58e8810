// A request as handlers see it. Making one costs three small allocations: text is made of the received bytes only when
// somebody asks.
package import Wire

/// One request, its body complete.
package struct HTTPRequest: Sendable {
    package let method: HTTPMethod
    /// The content, after transfer coding; at most the route's limit.
    package internal(set) var body: [UInt8] = []
    /// Who sent it: the last untrusted hop when trusted proxies stand between.
    package let peer: SocketAddress
    /// Whether the client's connection, or its connection to a trusted proxy, is TLS.
    package let isSecure: Bool
    /// The host and port that the client asked, in lower case as sent; nil when HTTP/1.0 named none.
    package let host: String?
    /// 0 for HTTP/1.0, otherwise 1.
    package let minorVersion: Int

    let head: ReceivedHead
    let targetRange: Range<Int>
    let parts: RequestTarget
    /// The path when it differs from what was sent: decoded, without dots, without the base path.
    let ownPath: [UInt8]?
    /// How many bytes of the sent path are the base path; `ownPath` has none.
    let baseLength: Int
    /// The path does not begin with the base path.
    let isOutsideBase: Bool
    private let serial: UInt64

    init(
        method: HTTPMethod,
        head: ReceivedHead,
        targetRange: Range<Int>,
        parts: RequestTarget,
        ownPath: [UInt8]?,
        baseLength: Int,
        isOutsideBase: Bool,
        minorVersion: Int,
        host: String?,
        peer: SocketAddress,
        isSecure: Bool,
        serial: UInt64
    ) {
        self.method = method
        self.head = head
        self.targetRange = targetRange
        self.parts = parts
        self.ownPath = ownPath
        self.baseLength = baseLength
        self.isOutsideBase = isOutsideBase
        self.minorVersion = minorVersion
        self.host = host
        self.peer = peer
        self.isSecure = isSecure
        self.serial = serial
    }

    package var fields: HTTPFields { HTTPFields(received: head) }

    /// The target as it was sent.
    package var target: String { head.text(targetRange) }

    /// The path below the base path: percent-decoded, without dot segments, always starting with a slash.
    package var path: String {
        if let ownPath { return String(decoding: ownPath, as: UTF8.self) }
        return head.text(parts.path.lowerBound + baseLength..<parts.path.upperBound)
    }

    /// The path as it was sent, base path and escapes included: what a redirect to another path begins with.
    package var sentPath: String { head.text(parts.path) }

    /// Runs `body` with the bytes of ``path``, without making text of them.
    func withPath<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
        if let ownPath { return try body(ownPath.span) }
        let bytes = head.bytes
        return try body(bytes.span.extracting(parts.path.lowerBound + baseLength..<parts.path.upperBound))
    }

    /// What follows the question mark, as it was sent; empty for none.
    package var query: String { parts.query.map { head.text($0) } ?? "" }

    /// The first value of that name in the query, decoded.
    package func queryValue(_ name: String) -> String? {
        parts.query.flatMap { firstFormValue(name, in: head.bytes[$0]) }
    }

    /// The first value of that name in an `application/x-www-form-urlencoded` body, decoded; nil for other bodies.
    package func formValue(_ name: String) -> String? {
        guard let type = fields["content-type"], MediaType.essence(type) == "application/x-www-form-urlencoded" else {
            return nil
        }
        return firstFormValue(name, in: body[...])
    }

    /// The value of that cookie (RFC 6265 §4.2). When several have the name, the first: the most specific path.
    package func cookie(_ name: String) -> String? {
        for value in fields.values("cookie") {
            for pair in value.utf8.split(separator: UInt8(ascii: ";"), maxSplits: HTTPLimits.pairs) {
                var pair = pair
                while let first = pair.first, first.isHTTPSpace { pair.removeFirst() }
                guard let equals = pair.firstIndex(of: UInt8(ascii: "=")), pair[..<equals].elementsEqual(name.utf8)
                else {
                    continue
                }
                var found = pair[pair.index(after: equals)...]
                while let last = found.last, last.isHTTPSpace { found.removeLast() }
                return String(found)
            }
        }
        return nil
    }

    /// Names this request in logs and error pages: unique while the process lives.
    package var id: String { RequestSerial.name(serial) }
}

/// Numbers for requests, told as text that does not repeat over restarts.
enum RequestSerial {
    private static let start = RandomBytes.alphanumeric(6)
    static func name(_ serial: UInt64) -> String { "\(start)-\(String(serial, radix: 36))" }
}
