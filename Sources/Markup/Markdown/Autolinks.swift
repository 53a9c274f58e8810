// Addresses that are links by themselves: `<https://…>`, `<a@b.c>` (CommonMark 0.31.2 §6.5), and bare ones (GFM §6.9,
// as cmark-gfm reads them). E-mail addresses in text are found by `BareAddresses` when text is written.

enum Autolinks {
    /// The end of `<scheme:…>`.
    static func angleURI(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        var position = start + 1
        guard position < end, ASCII.isLetter(view[position]) else { return nil }
        while position < end, position - start <= 33 {
            let byte = view[position]
            guard
                ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: "-")
            else { break }
            position += 1
        }
        let schemeLength = position - start - 1
        guard schemeLength >= 2, schemeLength <= 32, position < end, view[position] == UInt8(ascii: ":") else {
            return nil
        }
        while position < end {
            let byte = view[position]
            if byte == UInt8(ascii: ">") { return position + 1 }
            if byte <= ASCII.space || byte == UInt8(ascii: "<") { return nil }
            position += 1
        }
        return nil
    }

    /// The end of `<name@host>` with the grammar of HTML's e-mail fields.
    static func angleAddress(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        var position = start + 1
        while position < end, isAddressByte(view[position]) { position += 1 }
        guard position > start + 1, position < end, view[position] == UInt8(ascii: "@") else { return nil }
        while true {
            position += 1
            let label = position
            while position < end, ASCII.isAlphanumeric(view[position]) || view[position] == UInt8(ascii: "-") {
                position += 1
            }
            guard position > label, position - label <= 63, position < end, view[label] != UInt8(ascii: "-"),
                view[position - 1] != UInt8(ascii: "-")
            else { return nil }
            if view[position] == UInt8(ascii: ">") { return position + 1 }
            guard view[position] == UInt8(ascii: ".") else { return nil }
        }
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        if ASCII.isAlphanumeric(byte) { return true }
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
            UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "/"),
            UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"),
            UInt8(ascii: "{"), UInt8(ascii: "|"), UInt8(ascii: "}"), UInt8(ascii: "~"), UInt8(ascii: "-"):
            return true
        default: return false
        }
    }

    /// Where the host name at `start` ends; nil when it has an underscore in its last two labels, or too few dots.
    static func domain(_ view: ByteView, _ start: Int, _ end: Int, needsDot: Bool) -> Int? {
        var dots = 0
        var underscoresBefore = 0
        var underscores = 0
        var position = start + 1
        while position < end - 1 {
            var byte = view[position]
            if byte == ASCII.backslash, position < end - 2 {
                position += 1
                byte = view[position]
            }
            if byte == UInt8(ascii: "_") {
                underscores += 1
            } else if byte == UInt8(ascii: ".") {
                underscoresBefore = underscores
                underscores = 0
                dots += 1
            } else if byte < 0x80 {
                guard
                    ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "-") || byte < 0x20 && !ASCII.isWhitespace(byte)
                else { break }
            } else if byte & 0xC0 != 0x80 {
                guard isHostScalar(view, position, end) else { break }
            }
            position += 1
        }
        // A very long name is let through, so that no text makes us read it again and again.
        if underscoresBefore > 0 || underscores > 0, dots <= 10 { return nil }
        return needsDot && dots == 0 ? nil : position
    }

    /// Whether a host name may hold the character at `position`: no space, no punctuation (symbols are allowed).
    static func isHostScalar(_ view: ByteView, _ position: Int, _ end: Int) -> Bool {
        if view[position] < 0x80 { return ASCII.isAlphanumeric(view[position]) }
        switch UTF8Decoding.scalar(view, position, end).properties.generalCategory {
        case .spaceSeparator, .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            return false
        default: return true
        }
    }

    /// Takes from the end of a bare address what more likely belongs to the sentence around it.
    static func trimmed(_ view: ByteView, _ start: Int, _ stop: Int) -> Int {
        var end = stop
        var opening = 0
        var closing = 0
        for position in start..<stop {
            switch view[position] {
            case UInt8(ascii: "("): opening += 1
            case UInt8(ascii: ")"): closing += 1
            default: break
            }
        }
        while end > start {
            switch view[end - 1] {
            case UInt8(ascii: ")"):
                guard closing > opening else { return end }
                closing -= 1
                end -= 1
            case UInt8(ascii: "?"), UInt8(ascii: "!"), UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ":"),
                UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "'"), UInt8(ascii: "\""):
                end -= 1
            case UInt8(ascii: ";"):
                var name = end - 2
                while name > start, ASCII.isLetter(view[name]) { name -= 1 }
                end = name < end - 2 && name >= start && view[name] == UInt8(ascii: "&") ? name : end - 1
            default: return end
            }
        }
        return end
    }
}

extension InlineParser {
    /// `http://…`, `https://…` or `ftp://…` around the colon at `position`.
    mutating func readBareURL() -> Bool {
        guard position + 3 < end, view[position + 1] == UInt8(ascii: "/"), view[position + 2] == UInt8(ascii: "/"),
            brackets.isEmpty || dialect.chat
        else { return false }
        var scheme = position
        while scheme > textStart, ASCII.isLetter(view[scheme - 1]) { scheme -= 1 }
        guard Autolinks.isHostScalar(view, position + 3, end),
            view.startsIgnoringCase(with: "http:", at: scheme, before: position + 1)
                || view.startsIgnoringCase(with: "https:", at: scheme, before: position + 1)
                || view.startsIgnoringCase(with: "ftp:", at: scheme, before: position + 1),
            let domainEnd = Autolinks.domain(view, position + 3, end, needsDot: false)
        else { return false }
        return addBareLink(from: scheme, domainEnd: domainEnd, value: 0)
    }

    /// `www.…` around the dot at `position`.
    mutating func readBareDomain() -> Bool {
        let name = position - 3
        guard name >= textStart, view.starts(with: "www", at: name, before: end), brackets.isEmpty || dialect.chat
        else { return false }
        if name > start {
            switch view[name - 1] {
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "("): break
            case let byte where ASCII.isWhitespace(byte): break
            default: return false
            }
        }
        guard let domainEnd = Autolinks.domain(view, name, end, needsDot: true) else { return false }
        return addBareLink(from: name, domainEnd: domainEnd, value: 1)
    }

    private mutating func addBareLink(from: Int, domainEnd: Int, value: Int) -> Bool {
        var stop = domainEnd
        // Inside brackets that may become a link, the address ends with them.
        let endsAtBracket = !brackets.isEmpty
        while stop < end, !ASCII.isWhitespace(view[stop]), view[stop] != UInt8(ascii: "<"),
            !(endsAtBracket && view[stop] == UInt8(ascii: "]"))
        {
            stop += 1
        }
        stop = Autolinks.trimmed(view, from, stop)
        guard stop > position else { return false }
        flushText(to: from)
        textStart = position
        add(.bareLink, from, stop, value: value, next: stop)
        return true
    }
}
