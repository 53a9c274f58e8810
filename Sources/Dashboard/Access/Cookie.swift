// The cookie `wheelhouse`. A browser sends the cookies of a host to all of its ports, so one value holds the tokens of
// several servers: `INSTANCE.TOKEN~INSTANCE.TOKEN`. Each server reads and replaces its own entry only (BR-06a).

/// A value of the cookie, read or to be set.
package struct CookieValue: Sendable, Equatable {
    package static let name = "wheelhouse"

    private var entries: [(instance: String, token: String)]

    /// Reads every cookie of the name that a request carries: two may come when their paths differ.
    package init(_ values: [String]) {
        entries = []
        for value in values {
            for part in value.split(separator: "~") {
                let pair = part.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
                guard pair.count == 2, CookieValue.isToken(pair[0]), CookieValue.isToken(pair[1]) else { continue }
                guard !entries.contains(where: { $0.instance == pair[0] }) else { continue }
                entries.append((String(pair[0]), String(pair[1])))
            }
        }
        entries = Array(entries.prefix(DashboardLimits.cookieEntries))
    }

    /// This server's token.
    package func token(of instance: String) -> String? { entries.first { $0.instance == instance }?.token }

    /// The value with this server's entry replaced (nil: taken out).
    ///
    /// The oldest of too many goes.
    package func setting(_ token: String?, of instance: String) -> CookieValue {
        var copy = self
        copy.entries.removeAll { $0.instance == instance }
        if let token { copy.entries.insert((instance, token), at: 0) }
        copy.entries = Array(copy.entries.prefix(DashboardLimits.cookieEntries))
        return copy
    }

    /// The header field that sets it.
    ///
    /// - Parameter base: the base path, which the cookie stays below (BR-03a); empty at the root of a host.
    package func setCookie(base: String, isSecure: Bool) -> String {
        let value = entries.map { "\($0.instance).\($0.token)" }.joined(separator: "~")
        let attributes = "; Path=\(base.isEmpty ? "/" : base); HttpOnly; SameSite=Lax" + (isSecure ? "; Secure" : "")
        return entries.isEmpty
            ? "\(CookieValue.name)=\(attributes); Max-Age=0"
            : "\(CookieValue.name)=\(value)\(attributes); Max-Age=34560000"
    }

    package static func == (left: CookieValue, right: CookieValue) -> Bool {
        left.entries.elementsEqual(right.entries) { $0 == $1 }
    }

    private static func isToken(_ text: Substring) -> Bool {
        (1...128).contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
