// Conditional requests (RFC 9110 §13): whether to send, to say "you have it", or to refuse. Pure.

package enum Preconditions: Equatable {
    case send
    /// 304.
    case notModified
    /// 412.
    case failed

    /// Evaluates in the order of RFC 9110 §13.2.2, for a safe method.
    ///
    /// - Parameters:
    ///   - tag: the entity tag of what would be sent, with its quotes; strong.
    ///   - modified: seconds since 1970 of its last change.
    ///   - now: seconds since 1970.
    package init(_ fields: HTTPFields, tag: String, modified: Int64, now: Int64) {
        if let wanted = fields.joined("if-match") {
            if !Self.list(wanted, contains: tag, isWeak: false) {
                self = .failed
                return
            }
        } else if let text = fields["if-unmodified-since"], let date = HTTPDate.parse(text, now: now), modified > date {
            self = .failed
            return
        }
        if let known = fields.joined("if-none-match") {
            self = Self.list(known, contains: tag, isWeak: true) ? .notModified : .send
        } else if let text = fields["if-modified-since"], let date = HTTPDate.parse(text, now: now), modified <= date {
            self = .notModified
        } else {
            self = .send
        }
    }

    /// Whether a `Range` counts: there is no `If-Range`, or it names exactly what would be sent (RFC 9110 §13.1.5).
    package static func allowRange(_ fields: HTTPFields, tag: String, modified: Int64, now: Int64) -> Bool {
        guard let condition = fields["if-range"] else { return true }
        if condition.hasPrefix("\"") { return condition == tag }
        return HTTPDate.parse(condition, now: now) == modified
    }

    /// Whether a list of entity tags has `tag`, or is `*`. Weak comparison passes over `W/`.
    private static func list(_ text: String, contains tag: String, isWeak: Bool) -> Bool {
        if text == "*" { return true }
        var rest = text.utf8[...]
        while let start = rest.firstIndex(of: UInt8(ascii: "\"")) {
            let before = rest[..<start]
            let isWeakTag = before.suffix(2).elementsEqual("W/".utf8)
            let after = rest.index(after: start)
            guard let end = rest[after...].firstIndex(of: UInt8(ascii: "\"")) else { return false }
            if isWeak || !isWeakTag, rest[start...end].elementsEqual(tag.utf8) { return true }
            rest = rest[rest.index(after: end)...]
        }
        return false
    }
}

extension HTTPFields {
    /// All values of a list-valued field as one list; nil when there is none.
    package func joined(_ name: String) -> String? {
        let values = values(name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }
}
