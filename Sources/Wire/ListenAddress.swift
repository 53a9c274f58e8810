// Where a server listens: what `--listen` takes, and what `listening on URL` says.

/// A TCP address or the path of a unix socket.
package enum ListenAddress: Sendable, Equatable, CustomStringConvertible {
    /// `host` is an address or a name; port 0 lets the system choose.
    case tcp(host: String, port: Int)
    case unix(path: String)

    /// Reads `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`.
    package init?(parsing text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }),
            let port = Int(digits), port <= 65_535
        else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") {
            guard host.hasSuffix("]") else { return nil }
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, !host.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    /// What ``init(parsing:)`` reads.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
