// Finds e-mail addresses in plain text (GFM §6.9, as cmark-gfm reads them): `name@host.tld`, also after `mailto:` and
// `xmpp:`.

/// A cursor over one run of text.
struct BareAddresses {
    struct Address {
        var start: Int
        var end: Int
        /// `mailto:` or `xmpp:` is part of the text.
        var hasScheme: Bool
    }

    private var offset = 0

    mutating func next(_ view: ByteView) -> Address? {
        let end = view.count
        var lowest = offset
        var search = offset
        while let at = view.find(UInt8(ascii: "@"), from: search, to: end) {
            search = at + 1
            guard let (start, scheme) = localPart(view, at, lowest) else { continue }
            var position = at + 1
            var dots = 0
            var hitAt = false
            while position < end {
                let byte = view[position]
                if byte == UInt8(ascii: "@") {
                    hitAt = true
                    break
                }
                if byte == UInt8(ascii: "."), position + 1 < end, ASCII.isAlphanumeric(view[position + 1]) {
                    dots += 1
                } else if byte == UInt8(ascii: "/"), scheme == .xmpp {
                    // a resource
                } else if !ASCII.isAlphanumeric(byte), byte != UInt8(ascii: "-"), byte != UInt8(ascii: "_") {
                    break
                }
                position += 1
            }
            if hitAt {
                lowest = at + 1
                continue
            }
            let last = view[position - 1]
            guard position - at >= 2, dots > 0, ASCII.isLetter(last) || last == UInt8(ascii: ".") else {
                search = max(search, position)
                lowest = search
                continue
            }
            let stop = Autolinks.trimmed(view, at, position)
            guard stop > at else { continue }
            offset = stop
            return Address(start: start, end: stop, hasScheme: scheme != .none)
        }
        offset = end
        return nil
    }

    private enum Scheme { case none, mailto, xmpp }

    private func localPart(_ view: ByteView, _ at: Int, _ lowest: Int) -> (Int, Scheme)? {
        var start = at
        var scheme = Scheme.none
        while start > lowest {
            let byte = view[start - 1]
            if ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            {
                start -= 1
                continue
            }
            if byte == UInt8(ascii: ":") {
                if endsWithScheme("mailto:", view, start, lowest) {
                    scheme = .mailto
                    start -= 1
                    continue
                }
                if endsWithScheme("xmpp:", view, start, lowest) {
                    scheme = .xmpp
                    start -= 1
                    continue
                }
            }
            break
        }
        return start < at ? (start, scheme) : nil
    }

    private func endsWithScheme(_ scheme: StaticString, _ view: ByteView, _ end: Int, _ lowest: Int) -> Bool {
        let start = end - scheme.utf8CodeUnitCount
        guard start >= lowest, view.starts(with: scheme, at: start, before: end) else { return false }
        return start == lowest || !ASCII.isAlphanumeric(view[start - 1])
    }
}
