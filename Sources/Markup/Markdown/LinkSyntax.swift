// Link destinations, titles and labels (CommonMark 0.31.2 §6.3), for inline links and reference definitions alike.

enum LinkSyntax {
    /// The destination at `start`: its text without angle brackets, and where reading goes on.
    static func destination(_ view: ByteView, _ start: Int, _ end: Int) -> (from: Int, to: Int, next: Int)? {
        guard start < end else { return nil }
        if view[start] == UInt8(ascii: "<") {
            var position = start + 1
            while position < end {
                switch view[position] {
                case UInt8(ascii: ">"): return (start + 1, position, position + 1)
                case ASCII.lineFeed, UInt8(ascii: "<"): return nil
                case ASCII.backslash where position + 1 < end && view[position + 1] != ASCII.lineFeed: position += 2
                default: position += 1
                }
            }
            return nil
        }
        var position = start
        var depth = 0
        while position < end {
            let byte = view[position]
            if byte == ASCII.backslash, position + 1 < end, ASCII.isPunctuation(view[position + 1]) {
                position += 2
                continue
            }
            if byte == UInt8(ascii: "(") {
                depth += 1
                guard depth <= MarkdownLimits.destinationParentheses else { return nil }
            } else if byte == UInt8(ascii: ")") {
                if depth == 0 { break }
                depth -= 1
            } else if byte <= ASCII.space || byte == 0x7F {
                break
            }
            position += 1
        }
        guard depth == 0 else { return nil }
        return (start, position, position)
    }

    /// The end of the quoted title at `start`; the title's text is what the quotes enclose.
    static func title(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard start < end else { return nil }
        let close: UInt8
        switch view[start] {
        case UInt8(ascii: "\""): close = UInt8(ascii: "\"")
        case UInt8(ascii: "'"): close = UInt8(ascii: "'")
        case UInt8(ascii: "("): close = UInt8(ascii: ")")
        default: return nil
        }
        var position = start + 1
        while position < end {
            let byte = view[position]
            if byte == close { return position + 1 }
            if byte == ASCII.backslash, position + 1 < end {
                position += 2
            } else if byte == UInt8(ascii: "("), close == UInt8(ascii: ")") {
                return nil
            } else {
                position += 1
            }
        }
        return nil
    }

    /// The position behind the `]` of the label whose `[` stands at `start`: at most 999 bytes, no bracket unescaped.
    static func label(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard start < end, view[start] == UInt8(ascii: "[") else { return nil }
        var position = start + 1
        while position < end, position - start - 1 <= MarkdownLimits.labelBytes {
            switch view[position] {
            case UInt8(ascii: "]"): return position + 1
            case UInt8(ascii: "["): return nil
            case ASCII.backslash where position + 1 < end && ASCII.isPunctuation(view[position + 1]): position += 2
            default: position += 1
            }
        }
        return nil
    }

    /// Skips spaces, tabs and at most one line feed.
    static func skipSpaceAndOneLine(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var position = skipSpace(view, start, end)
        if position < end, view[position] == ASCII.lineFeed { position = skipSpace(view, position + 1, end) }
        return position
    }

    static func skipSpace(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end, ASCII.isSpaceOrTab(view[position]) { position += 1 }
        return position
    }
}
