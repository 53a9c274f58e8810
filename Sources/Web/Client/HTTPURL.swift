// URLs that a client can open: `http`, `https`, `ws`, `wss`. Taken apart once, strictly; what other readers might understand
// differently is refused.
import Wire

/// An absolute URL of a server.
package struct HTTPURL: Sendable, Equatable, CustomStringConvertible {
    package enum Scheme: String, Sendable { case http, https, ws, wss }

    package let scheme: Scheme
    /// A name or an address, without brackets, in lower case.
    package let host: String
    package let port: Int
    /// Path and query as they go into the request line.
    package let target: String

    /// Whether the connection is TLS.
    package var isSecure: Bool { scheme == .https || scheme == .wss }

    /// nil for other schemes, user information, characters that must be escaped, or no host. A fragment is left out.
    package init?(_ text: String) {
        guard let colon = text.range(of: "://"), let scheme = Scheme(rawValue: text[..<colon.lowerBound].lowercased())
        else {
            return nil
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x5C }) else { return nil }
        var rest = text[colon.upperBound...]
        if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
        let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
        let authority = rest[..<end].lowercased()
        guard !authority.isEmpty, isHost(Array(authority.utf8).span, 0..<authority.utf8.count) else { return nil }
        var host = authority[...]
        var port = scheme == .https || scheme == .wss ? 443 : 80
        let afterAddress = authority.lastIndex(of: "]") ?? authority.startIndex
        if let separator = authority[afterAddress...].firstIndex(of: ":") {
            host = authority[..<separator]
            guard let number = Int(authority[authority.index(after: separator)...]), 1...65_535 ~= number else {
                return nil
            }
            port = number
        }
        if host.hasPrefix("[") {
            host = host.dropFirst().dropLast()
            guard SocketAddress(numeric: String(host)) != nil else { return nil }
        }
        guard !host.isEmpty else { return nil }
        self.scheme = scheme
        self.host = String(host)
        self.port = port
        let path = rest[end...]
        target = path.hasPrefix("/") ? String(path) : "/" + path
    }

    /// The value of `Host`: with the port when it is not the scheme's own.
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
    }

    package var description: String { "\(scheme.rawValue)://\(authority)\(target)" }
}

extension String {
    fileprivate func range(of other: String) -> Range<String.Index>? {
        guard let start = self.utf8.indices.first(where: { self[$0...].hasPrefix(other) }) else { return nil }
        return start..<utf8.index(start, offsetBy: other.utf8.count)
    }
}
