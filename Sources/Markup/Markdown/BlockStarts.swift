// Recognises the marks that begin and end blocks, as pure functions of one line (CommonMark 0.31.2 §4 and §5).

/// Line scanners; `start` is the line's first non-space, `end` its line feed.
enum BlockStarts {
    /// The level of an ATX heading (§4.2): one to six `#`, then a space or the line's end.
    static func heading(_ source: ByteView, _ start: Int, _ end: Int) -> Int? {
        var position = start
        while position < end, source[position] == UInt8(ascii: "#") { position += 1 }
        let level = position - start
        guard level >= 1, level <= 6, position == end || ASCII.isSpaceOrTab(source[position]) else { return nil }
        return level
    }

    /// The length of an opening fence (§4.5): three or more backticks or tildes; no backtick follows backticks.
    static func fence(_ source: ByteView, _ start: Int, _ end: Int) -> Int? {
        let mark = source[start]
        var position = start
        while position < end, source[position] == mark { position += 1 }
        let length = position - start
        guard length >= 3 else { return nil }
        if mark == UInt8(ascii: "`"), source.find(mark, from: position, to: end) != nil { return nil }
        return length
    }

    /// Whether the line closes a fence of `length` marks.
    static func closesFence(_ source: ByteView, _ start: Int, _ end: Int, fence: UInt8, length: Int) -> Bool {
        var position = start
        while position < end, source[position] == fence { position += 1 }
        guard position - start >= length else { return false }
        while position < end, ASCII.isSpaceOrTab(source[position]) { position += 1 }
        return position == end
    }

    /// A list marker (§5.2).
    struct ListMarker {
        /// Bytes of the marker itself.
        var length: Int
        /// The bullet, or the delimiter behind the number.
        var kind: UInt8
        var isOrdered: Bool
        var number: Int
    }

    static func listMarker(_ source: ByteView, _ start: Int, _ end: Int, interruptsParagraph: Bool) -> ListMarker? {
        var position = start
        var number = 0
        var isOrdered = false
        switch source[position] {
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "*"): break
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            while position < end, ASCII.isDigit(source[position]) {
                guard position - start < MarkdownLimits.listDigits else { return nil }
                number = number * 10 + Int(source[position] - UInt8(ascii: "0"))
                position += 1
            }
            guard position < end, source[position] == UInt8(ascii: ".") || source[position] == UInt8(ascii: ")"),
                !interruptsParagraph || number == 1
            else { return nil }
            isOrdered = true
        default: return nil
        }
        let kind = source[position]
        position += 1
        guard position == end || ASCII.isSpaceOrTab(source[position]) else { return nil }
        if interruptsParagraph {
            var rest = position
            while rest < end, ASCII.isSpaceOrTab(source[rest]) { rest += 1 }
            if rest == end { return nil }
        }
        return ListMarker(length: position - start, kind: kind, isOrdered: isOrdered, number: number)
    }

    // MARK: Raw HTML (§4.6)

    /// The start condition, 1...7, that the line meets.
    static func html(_ source: ByteView, _ start: Int, _ end: Int, inParagraph: Bool) -> Int? {
        guard start + 1 < end else { return nil }
        let next = source[start + 1]
        if next == UInt8(ascii: "!") {
            if source.starts(with: "<!--", at: start, before: end) { return 2 }
            if source.starts(with: "<![CDATA[", at: start, before: end) { return 5 }
            if start + 2 < end, ASCII.isLetter(source[start + 2]) { return 4 }
            return nil
        }
        if next == UInt8(ascii: "?") { return 3 }
        let isClosing = next == UInt8(ascii: "/")
        let nameStart = isClosing ? start + 2 : start + 1
        guard nameStart < end, ASCII.isLetter(source[nameStart]) else { return nil }
        var nameEnd = nameStart
        while nameEnd < end, ASCII.isAlphanumeric(source[nameEnd]) { nameEnd += 1 }
        let after = source.peek(nameEnd)
        let isDelimited = nameEnd == end || ASCII.isSpaceOrTab(after) || after == UInt8(ascii: ">")
        if nameEnd - nameStart <= 10 {
            let name = lowerCased(source, nameStart, nameEnd)
            if !isClosing, isDelimited, verbatimNames.contains(name) { return 1 }
            let isEmptyTag = after == UInt8(ascii: "/") && source.peek(nameEnd + 1) == UInt8(ascii: ">")
            if isDelimited || isEmptyTag, blockNames.contains(name) { return 6 }
        }
        guard !inParagraph else { return nil }
        let tag = isClosing ? RawHTML.closingTag(source, start, end) : RawHTML.openTag(source, start, end)
        guard var position = tag else { return nil }
        while position < end, ASCII.isSpaceOrTab(source[position]) { position += 1 }
        return position == end ? 7 : nil
    }

    /// Whether an HTML block of the given condition ends in this line.
    static func closesHTML(_ condition: UInt8, _ source: ByteView, _ start: Int, _ end: Int) -> Bool {
        switch condition {
        case 1:
            var position = start
            while let hit = source.find(UInt8(ascii: "<"), from: position, to: end) {
                if source.startsIgnoringCase(with: "</script>", at: hit, before: end)
                    || source.startsIgnoringCase(with: "</pre>", at: hit, before: end)
                    || source.startsIgnoringCase(with: "</style>", at: hit, before: end)
                    || source.startsIgnoringCase(with: "</textarea>", at: hit, before: end)
                {
                    return true
                }
                position = hit + 1
            }
            return false
        case 2: return contains("-->", source, start, end)
        case 3: return contains("?>", source, start, end)
        case 4: return start < end && source.find(UInt8(ascii: ">"), from: start, to: end) != nil
        case 5: return contains("]]>", source, start, end)
        default: return false
        }
    }

    private static func contains(_ text: StaticString, _ source: ByteView, _ start: Int, _ end: Int) -> Bool {
        var position = start
        while position < end, let hit = source.find(UInt8(ascii: ">"), from: position, to: end) {
            if source.starts(with: text, at: hit + 1 - text.utf8CodeUnitCount, before: end),
                hit + 1 - text.utf8CodeUnitCount >= start
            {
                return true
            }
            position = hit + 1
        }
        return false
    }

    /// The name as a number: up to ten letters or digits, five to six bits each would do, a byte each is simpler.
    private static func lowerCased(_ source: ByteView, _ start: Int, _ end: Int) -> String {
        var name = ""
        for index in start..<end { name.unicodeScalars.append(Unicode.Scalar(ASCII.lower(source[index]))) }
        return name
    }

    private static let verbatimNames: Set<String> = ["pre", "script", "style", "textarea"]

    private static let blockNames: Set<String> = [
        "address", "article", "aside", "base", "basefont", "blockquote", "body", "caption", "center", "col",
        "colgroup", "dd", "details", "dialog", "dir", "div", "dl", "dt", "fieldset", "figcaption", "figure",
        "footer", "form", "frame", "frameset", "h1", "h2", "h3", "h4", "h5", "h6", "head", "header", "hr", "html",
        "iframe", "legend", "li", "link", "main", "menu", "menuitem", "nav", "noframes", "ol", "optgroup", "option",
        "p", "param", "search", "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "title", "tr",
        "track", "ul",
    ]
}
