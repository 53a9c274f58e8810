// Recognises tags, comments, declarations and processing instructions in text (CommonMark 0.31.2 §6.6). Nothing is
// judged: the reference rendering copies them, chat shows them as typed.

enum RawHTML {
    /// Stretches in which a closing mark was looked for in vain, so that no text is searched twice.
    struct Misses {
        var comment = Int.max
        var instruction = Int.max
        var declaration = Int.max
        var cdata = Int.max
    }

    /// The end of the tag, comment or declaration that begins with the `<` at `start`.
    static func end(_ view: ByteView, _ start: Int, _ end: Int, _ misses: inout Misses) -> Int? {
        guard start + 1 < end else { return nil }
        let next = view[start + 1]
        if ASCII.isLetter(next) { return openTag(view, start, end) }
        switch next {
        case UInt8(ascii: "/"): return closingTag(view, start, end)
        case UInt8(ascii: "?"):
            return search("?>", view, start + 2, end, &misses.instruction)
        case UInt8(ascii: "!"):
            if view.starts(with: "<!--", at: start, before: end) {
                if view.starts(with: "<!-->", at: start, before: end) { return start + 5 }
                if view.starts(with: "<!--->", at: start, before: end) { return start + 6 }
                return search("-->", view, start + 4, end, &misses.comment)
            }
            if view.starts(with: "<![CDATA[", at: start, before: end) {
                return search("]]>", view, start + 9, end, &misses.cdata)
            }
            if start + 2 < end, ASCII.isLetter(view[start + 2]) {
                return search(">", view, start + 3, end, &misses.declaration)
            }
            return nil
        default: return nil
        }
    }

    private static func search(
        _ text: StaticString,
        _ view: ByteView,
        _ start: Int,
        _ end: Int,
        _ missedFrom: inout Int
    ) -> Int? {
        guard start <= end, start < missedFrom else { return nil }
        let length = text.utf8CodeUnitCount
        var position = start
        while let hit = view.find(UInt8(ascii: ">"), from: position, to: end) {
            if hit + 1 - length >= start, view.starts(with: text, at: hit + 1 - length, before: end) { return hit + 1 }
            position = hit + 1
        }
        missedFrom = start
        return nil
    }

    /// The end of `<name attributes… />`.
    static func openTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard var position = tagName(view, start + 1, end) else { return nil }
        while true {
            let afterSpace = skipWhitespace(view, position, end)
            guard afterSpace < end else { return nil }
            switch view[afterSpace] {
            case UInt8(ascii: ">"): return afterSpace + 1
            case UInt8(ascii: "/"):
                return afterSpace + 1 < end && view[afterSpace + 1] == UInt8(ascii: ">") ? afterSpace + 2 : nil
            default: break
            }
            guard afterSpace > position, let next = attribute(view, afterSpace, end) else { return nil }
            position = next
        }
    }

    /// The end of `</name >`.
    static func closingTag(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard var position = tagName(view, start + 2, end) else { return nil }
        position = skipWhitespace(view, position, end)
        return position < end && view[position] == UInt8(ascii: ">") ? position + 1 : nil
    }

    private static func tagName(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard start < end, ASCII.isLetter(view[start]) else { return nil }
        var position = start + 1
        while position < end, ASCII.isAlphanumeric(view[position]) || view[position] == UInt8(ascii: "-") {
            position += 1
        }
        return position
    }

    private static func attribute(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let first = view[start]
        guard ASCII.isLetter(first) || first == UInt8(ascii: "_") || first == UInt8(ascii: ":") else { return nil }
        var position = start + 1
        while position < end {
            let byte = view[position]
            guard
                ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "-")
            else { break }
            position += 1
        }
        let equals = skipWhitespace(view, position, end)
        guard equals < end, view[equals] == UInt8(ascii: "=") else { return position }
        let value = skipWhitespace(view, equals + 1, end)
        guard value < end else { return nil }
        switch view[value] {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            guard let close = view.find(view[value], from: value + 1, to: end) else { return nil }
            return close + 1
        default:
            position = value
            while position < end, !ASCII.isWhitespace(view[position]) {
                switch view[position] {
                case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "="), UInt8(ascii: "<"), UInt8(ascii: ">"),
                    UInt8(ascii: "`"):
                    return position > value ? position : nil
                default: position += 1
                }
            }
            return position > value ? position : nil
        }
    }

    private static func skipWhitespace(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end, ASCII.isWhitespace(view[position]) { position += 1 }
        return position
    }
}
