// Reads the text of one leaf block into a flat list of inline items (CommonMark 0.31.2 §6 and the appendix's phase 2,
// GFM extensions, math). `BlockRenderer` runs it; `Brackets`, `Emphasis`, `Autolinks` and `MathSpans` are its parts.
// Linear: every byte is passed once, and a search that failed is not repeated.

/// One piece of a leaf's text, in reading order.
struct InlineItem {
    enum Kind: UInt8 {
        /// `start..<end` as it stands.
        ///
        /// `delimiters`: `value` is an index into the parser's delimiter runs.
        case text, delimiters
        /// `value` is a Unicode scalar.
        case scalar
        case softBreak, hardBreak
        case code, html
        /// `<…>`: `value` is 1 for an e-mail address.
        ///
        /// `bareLink`: `value` is 1 where `http://` must be put in front.
        case autolink, bareLink
        /// `value` is an index into the parser's links.
        case linkStart, linkEnd, imageStart, imageEnd
        /// `value` is the node of the footnote.
        case footnote
        /// `value` is 1 for display math.
        case math
    }

    var kind: Kind
    var start: Int32
    var end: Int32
    var value: Int32 = 0
}

/// The inline phase for one text after another; its arrays are reused.
struct InlineParser: ~Copyable {
    let dialect: Dialect
    let specials: ByteTable
    var view: ByteView
    var start = 0
    var end = 0
    var position = 0
    /// The text is the end of a message that is still being written: what is not closed yet will be.
    var isGrowing = false
    /// Everything from here to `position` is plain text that is not yet an item.
    var textStart = 0

    var items: [InlineItem] = []
    var delimiters: [DelimiterRun] = []
    var lastDelimiter: Int32 = -1
    var matches: [DelimiterMatch] = []
    var brackets: [Bracket] = []
    /// Brackets below this depth may not become links: a link stands inside them.
    var inactiveBrackets = 0
    var links: [InlineLink] = []
    /// An `@` was seen: text may hold an e-mail address.
    var hasAt = false
    /// The last run of backticks of each length; filled on first need.
    var lastBackticks: [Int: Int] = [:]
    var knowsBackticks = false
    var misses = RawHTML.Misses()
    var nextMathClose = MathCursor()
    /// Bytes that links to definitions may still put into the output.
    var referenceBudget: Int

    init(dialect: Dialect, view: ByteView) {
        self.dialect = dialect
        self.view = view
        referenceBudget = max(MarkdownLimits.referenceBytes, view.count)
        specials =
            dialect.chat
            ? Self.chatSpecials : dialect.autolink || dialect.strikethrough ? Self.gfmSpecials : Self.specials
    }

    private static let specials = ByteTable(marking: "\n\\`*_[]<&".utf8)
    private static let gfmSpecials = ByteTable(marking: "\n\\`*_[]<&~:.@".utf8)
    private static let chatSpecials = ByteTable(marking: "\n\\`*_[]<&~:.@$".utf8)

    /// Reads `from..<to` of `view`; the result is in `items`.
    mutating func parse(_ view: ByteView, _ from: Int, _ to: Int, references: borrowing BlockParser) {
        self.view = view
        start = from
        end = to
        while end > start, ASCII.isWhitespace(view[end - 1]) { end -= 1 }
        if isGrowing {
            end = GrowingText.withoutTrailingMarks(view, start, end)
            while end > start, ASCII.isWhitespace(view[end - 1]) { end -= 1 }
        }
        position = start
        textStart = start
        reset()
        while true {
            position = view.firstInlineMark(in: specials, from: position, to: end)
            guard position < end else { break }
            readSpecial(references)
        }
        flushText()
        processEmphasis(above: -1)
        if isGrowing { closeOpenDelimiters() }
    }

    private mutating func reset() {
        items.removeAll(keepingCapacity: true)
        guard !delimiters.isEmpty || !brackets.isEmpty || !links.isEmpty || knowsBackticks || hasAt else {
            misses = RawHTML.Misses()
            nextMathClose = MathCursor()
            return
        }
        delimiters.removeAll(keepingCapacity: true)
        matches.removeAll(keepingCapacity: true)
        brackets.removeAll(keepingCapacity: true)
        links.removeAll(keepingCapacity: true)
        lastDelimiter = -1
        inactiveBrackets = 0
        hasAt = false
        if knowsBackticks {
            lastBackticks.removeAll(keepingCapacity: true)
            knowsBackticks = false
        }
        misses = RawHTML.Misses()
        nextMathClose = MathCursor()
    }

    /// Handles the special byte at `position`.
    ///
    /// What turns out to be plain text stays in the run of plain text.
    private mutating func readSpecial(_ references: borrowing BlockParser) {
        let byte = view[position]
        switch byte {
        case ASCII.lineFeed: readLineBreak()
        case ASCII.backslash: readBackslash()
        case UInt8(ascii: "`"): readCode()
        case UInt8(ascii: "*"), UInt8(ascii: "_"): readDelimiters(byte)
        case UInt8(ascii: "["): openBracket()
        case UInt8(ascii: "]"): closeBracket(references)
        case UInt8(ascii: "<"): readAngle()
        case UInt8(ascii: "&"): readEntity()
        case UInt8(ascii: "~"):
            if dialect.strikethrough { readDelimiters(byte) } else { position += 1 }
        case UInt8(ascii: ":"):
            if !dialect.autolink || !readBareURL() { position += 1 }
        case UInt8(ascii: "."):
            if !dialect.autolink || !readBareDomain() { position += 1 }
        case UInt8(ascii: "@"):
            hasAt = dialect.autolink
            position += 1
        case UInt8(ascii: "$"):
            if !readDollarMath() { skipDollars() }
        default: position += 1
        }
    }

    // MARK: Items

    /// Makes the plain text in front of `position` an item.
    @inline(__always)
    mutating func flushText() { flushText(to: position) }

    @inline(__always)
    mutating func flushText(to end: Int) {
        if end > textStart { items.append(InlineItem(kind: .text, start: Int32(textStart), end: Int32(end))) }
    }

    /// Adds an item for the source from `position` to `next` and goes on there.
    @inline(__always)
    mutating func add(_ kind: InlineItem.Kind, _ from: Int, _ to: Int, value: Int = 0, next: Int) {
        flushText()
        items.append(InlineItem(kind: kind, start: Int32(from), end: Int32(to), value: Int32(value)))
        position = next
        textStart = next
    }

    // MARK: Simple constructs

    /// Two spaces in front make a hard break; spaces around a break are dropped.
    private mutating func readLineBreak() {
        var before = position
        while before > textStart, ASCII.isSpaceOrTab(view[before - 1]) { before -= 1 }
        let hasTwoSpaces =
            position - before >= 2 && view[position - 1] == ASCII.space && view[position - 2] == ASCII.space
        let isHard = hasTwoSpaces || dialect.keepsLineBreaks
        if before == position, !isHard {
            position += 1
            skipLeadingSpace()
            return
        }
        flushText(to: before)
        textStart = position
        add(isHard ? .hardBreak : .softBreak, position, position + 1, next: position + 1)
        skipLeadingSpace()
    }

    private mutating func skipLeadingSpace() {
        guard position < end, ASCII.isSpaceOrTab(view[position]) else { return }
        flushText()
        while position < end, ASCII.isSpaceOrTab(view[position]) { position += 1 }
        textStart = position
    }

    private mutating func readBackslash() {
        let next = view.peek(position + 1)
        guard position + 1 < end else {
            position += 1
            return
        }
        if dialect.chat, next == UInt8(ascii: "(") || next == UInt8(ascii: "["), readBackslashMath(next) { return }
        if ASCII.isPunctuation(next) {
            flushText()
            textStart = position + 1
            position += 2
            if next == UInt8(ascii: "!") || next == UInt8(ascii: "@") { flushEscaped() }
        } else if next == ASCII.lineFeed {
            add(.hardBreak, position, position + 2, next: position + 2)
            skipLeadingSpace()
        } else {
            position += 1
        }
    }

    /// Keeps an escaped byte apart from what follows, so that `\![` is no image.
    private mutating func flushEscaped() {
        if view[position - 1] == UInt8(ascii: "@") { hasAt = dialect.autolink }
        flushText()
        textStart = position
    }

    private mutating func readEntity() {
        guard let reference = Entities.reference(view, position, end) else {
            position += 1
            return
        }
        let next = position + reference.length
        add(.scalar, position, next, value: Int(reference.first.value), next: next)
        if let second = reference.second {
            items.append(
                InlineItem(kind: .scalar, start: Int32(position), end: Int32(position), value: Int32(second.value))
            )
        }
    }

    private mutating func readAngle() {
        if let uri = Autolinks.angleURI(view, position, end) {
            add(.autolink, position + 1, uri - 1, next: uri)
        } else if let address = Autolinks.angleAddress(view, position, end) {
            add(.autolink, position + 1, address - 1, value: 1, next: address)
        } else if let tag = RawHTML.end(view, position, end, &misses) {
            add(.html, position, tag, next: tag)
        } else {
            position += 1
        }
    }

    // MARK: Code spans

    private mutating func readCode() {
        var runEnd = position
        while runEnd < end, view[runEnd] == UInt8(ascii: "`") { runEnd += 1 }
        let length = runEnd - position
        guard let close = closingBackticks(length, from: runEnd) else {
            if isGrowing, length <= 2, runEnd < end, position == start || !ASCII.isAlphanumeric(view[position - 1]) {
                add(.code, runEnd, end, next: end)
            } else {
                position = runEnd
            }
            return
        }
        var from = runEnd
        var to = close
        if to - from >= 2, isCodeSpace(view[from]), isCodeSpace(view[to - 1]) {
            var index = from
            while index < to, isCodeSpace(view[index]) { index += 1 }
            if index < to {
                from += 1
                to -= 1
            }
        }
        add(.code, from, to, next: close + length)
    }

    private func isCodeSpace(_ byte: UInt8) -> Bool { byte == ASCII.space || byte == ASCII.lineFeed }

    /// The next run of exactly `length` backticks.
    private mutating func closingBackticks(_ length: Int, from: Int) -> Int? {
        if knowsBackticks, lastBackticks[length, default: -1] < from { return nil }
        var search = from
        while let hit = view.find(UInt8(ascii: "`"), from: search, to: end) {
            var runEnd = hit
            while runEnd < end, view[runEnd] == UInt8(ascii: "`") { runEnd += 1 }
            if runEnd - hit == length { return hit }
            if !knowsBackticks { lastBackticks[runEnd - hit] = hit }
            search = runEnd
        }
        knowsBackticks = true
        return nil
    }
}
