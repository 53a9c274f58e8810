// The one place that every request passes: is this host ours (DNS rebinding), did this page send it (cross-site requests),
// who is it, may they. In that order (DESIGN §8). Pure; `Site` asks it before any handler runs.

package import Store
import Wire

/// What the gate looks at.
package struct GateRequest: Sendable {
    /// The host that was asked for, with its port; nil when the request named none (HTTP/1.0).
    package var host: String?
    /// Whether it can change something: an unsafe method, or a WebSocket upgrade.
    package var isUnsafe: Bool
    package var origin: String?
    package var fetchSite: String?

    package init(host: String?, isUnsafe: Bool, origin: String? = nil, fetchSite: String? = nil) {
        self.host = host
        self.isUnsafe = isUnsafe
        self.origin = origin
        self.fetchSite = fetchSite
    }
}

/// Why a request went no further.
package enum GateRefusal: Error, Sendable, Equatable {
    /// 421: nobody reaches us by this name.
    case unknownHost(String)
    /// 403: another site's page sent it.
    case foreignOrigin
    /// 401: no valid cookie or token.
    case notSignedIn
    /// 403: signed in, but with a lesser role.
    case roleTooLow(needed: Role)
    /// 429: too many wrong secrets from this address.
    case tooManyGuesses

    package var status: Int {
        switch self {
        case .unknownHost: 421
        case .foreignOrigin, .roleTooLow: 403
        case .notSignedIn: 401
        case .tooManyGuesses: 429
        }
    }
}

package struct Gate: Sendable {
    /// Names, in lower case, by which we may be asked, beside addresses in digits and `localhost`.
    package var names: Set<String>

    package init(names: some Sequence<String>) { self.names = Set(names.map { $0.lowercased() }) }

    /// Host, then origin.
    package func check(_ request: GateRequest) -> GateRefusal? {
        if let host = request.host, !isOurs(host) { return .unknownHost(host) }
        if request.isUnsafe, !isFromOurPage(request) { return .foreignOrigin }
        return nil
    }

    /// Whoever may do `needed`, may pass.
    package func check(_ role: Role?, needs needed: Role) -> GateRefusal? {
        guard let role else { return .notSignedIn }
        return role.includes(needed) ? nil : .roleTooLow(needed: needed)
    }

    /// A rebinding attack needs a name; an address in digits cannot be rebound.
    private func isOurs(_ host: String) -> Bool {
        let name = Gate.name(of: host).lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") || names.contains(name) { return true }
        let digits = name.hasPrefix("[") && name.hasSuffix("]") ? String(name.dropFirst().dropLast()) : name
        return SocketAddress(numeric: digits) != nil
    }

    /// The host without its port; brackets of an IPv6 address stay.
    static func name(of host: String) -> String {
        if host.hasPrefix("["), let end = host.firstIndex(of: "]") { return String(host[...end]) }
        return host.firstIndex(of: ":").map { String(host[..<$0]) } ?? host
    }

    /// A browser says where a request that can change something comes from; only programs say nothing.
    private func isFromOurPage(_ request: GateRequest) -> Bool {
        if let site = request.fetchSite, site != "same-origin", site != "none" { return false }
        guard let origin = request.origin else { return true }
        // A page with `no-referrer` sends "null" for its own forms too; then the browser's word on the site decides.
        if origin == "null" { return request.fetchSite == "same-origin" }
        guard let host = request.host, let mark = origin.range(of: "://") else { return false }
        let scheme = origin[..<mark.lowerBound].lowercased()
        guard scheme == "http" || scheme == "https" else { return false }
        let authority = origin[mark.upperBound...].lowercased()
        let port = scheme == "http" ? ":80" : ":443"
        func bare(_ text: String) -> String { text.hasSuffix(port) ? String(text.dropLast(port.count)) : text }
        return bare(authority) == bare(host.lowercased())
    }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].hasPrefix(text) { return start..<index(start, offsetBy: text.count) }
            start = index(after: start)
        }
        return nil
    }
}
