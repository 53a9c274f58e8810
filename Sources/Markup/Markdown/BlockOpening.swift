// What a line begins: quotes, headings, fences, raw HTML, rules, lists, footnotes, display math, indented code
// (CommonMark 0.31.2 §4 and §5). `BlockParser` calls it once the line's open containers are matched.

extension BlockParser {
    /// Opens the blocks that begin in the rest of the line.
    ///
    /// - Parameters:
    ///   - depth: how many open blocks the line matched.
    ///   - allMatched: whether these were all open blocks.
    /// - Returns: whether a block was opened, and whether the whole line was used up by it.
    @inline(__always)
    mutating func openBlocks(depth: Int, allMatched: Bool) -> (opened: Bool, consumed: Bool) {
        var kind = nodes[Int(open[depth - 1])].kind
        guard kind != .code, kind != .html, kind != .math, !isBlank else { return (false, false) }
        // A line of plain text: by far the most frequent case.
        if ASCII.isLetter(source[textStart]), indent < 4, kind != .table, kind != .paragraph || !dialect.table {
            return (false, false)
        }
        var opened = false
        var mayBeLazy = nodes[Int(open[open.count - 1])].kind == .paragraph
        while !isBlank {
            let isIndented = indent >= 4
            if !isIndented {
                switch openMarked(kind: kind, depth: depth, opened: opened, allMatched: allMatched) {
                case .container:
                    opened = true
                    kind = nodes[Int(open[open.count - 1])].kind
                    mayBeLazy = false
                    continue
                case .leaf: return (true, false)
                case .wholeLine: return (true, true)
                case .none: break
                }
            } else if !mayBeLazy {
                prepareToAdd(depth: depth, opened: opened)
                advance(columns: 4)
                add(BlockNode(kind: .code))
                return (true, false)
            }
            break
        }
        return (opened, false)
    }

    private enum Opening { case none, container, leaf, wholeLine }

    private mutating func openMarked(kind: BlockKind, depth: Int, opened: Bool, allMatched: Bool) -> Opening {
        let mayNest = open.count < dialect.depthLimit
        switch source[textStart] {
        case UInt8(ascii: ">"):
            guard mayNest else { return .none }
            prepareToAdd(depth: depth, opened: opened)
            skipQuoteMarker()
            add(BlockNode(kind: .quote))
            return .container
        case UInt8(ascii: "#"):
            guard let level = BlockStarts.heading(source, textStart, lineEnd) else { return .none }
            prepareToAdd(depth: depth, opened: opened)
            add(BlockNode(kind: .heading, detail: UInt8(level)))
            advance(to: textStart + level)
            return .leaf
        case UInt8(ascii: "`"), UInt8(ascii: "~"):
            guard let length = BlockStarts.fence(source, textStart, lineEnd) else { return .none }
            prepareToAdd(depth: depth, opened: opened)
            openFence(length: length)
            return .wholeLine
        case UInt8(ascii: "<"):
            guard
                let condition = BlockStarts.html(
                    source,
                    textStart,
                    lineEnd,
                    inParagraph: kind == .paragraph || (!opened && tipIsParagraph)
                )
            else { return .none }
            prepareToAdd(depth: depth, opened: opened)
            add(BlockNode(kind: .html, detail: UInt8(condition)))
            return .leaf
        case UInt8(ascii: "="): return kind == .paragraph && !opened ? openSetext() : .none
        case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "*"), UInt8(ascii: "+"):
            if source[textStart] == UInt8(ascii: "-"), kind == .paragraph, !opened {
                let setext = openSetext()
                if case .wholeLine = setext { return setext }
            }
            if !(kind == .paragraph && !opened && !allMatched), isRule() {
                prepareToAdd(depth: depth, opened: opened)
                add(BlockNode(kind: .rule))
                return .wholeLine
            }
            if mayNest, openItem(kind: kind, depth: depth, opened: opened) { return .container }
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            if mayNest, openItem(kind: kind, depth: depth, opened: opened) { return .container }
        case UInt8(ascii: "["):
            if dialect.footnotes, mayNest, openFootnote(depth: depth, opened: opened) { return .container }
        case UInt8(ascii: "$"), ASCII.backslash:
            if dialect.chat, openMath(depth: depth, opened: opened) { return .wholeLine }
        default: break
        }
        if dialect.table, kind == .paragraph, !opened, openTable() { return .wholeLine }
        return .none
    }

    /// Whether the innermost open block, matched by the line or not, is a paragraph.
    private var tipIsParagraph: Bool { nodes[Int(open[open.count - 1])].kind == .paragraph }

    private mutating func prepareToAdd(depth: Int, opened: Bool) {
        if !opened { close(downTo: depth) }
    }

    private mutating func openFence(length: Int) {
        var start = textStart + length
        var end = lineEnd
        while start < end, ASCII.isSpaceOrTab(source[start]) { start += 1 }
        while end > start, ASCII.isSpaceOrTab(source[end - 1]) { end -= 1 }
        add(
            BlockNode(
                kind: .code,
                detail: source[textStart],
                indent: UInt8(clamping: textStart - offset),
                width: Int32(length),
                extra: Int32(start),
                extraEnd: Int32(end)
            )
        )
    }

    /// A row of `=` or `-` under a paragraph makes it a heading (CommonMark §4.3).
    private mutating func openSetext() -> Opening {
        let mark = source[textStart]
        var position = textStart
        while position < lineEnd, source[position] == mark { position += 1 }
        while position < lineEnd, ASCII.isSpaceOrTab(source[position]) { position += 1 }
        guard position == lineEnd else { return .none }
        let paragraph = Int(open[open.count - 1])
        guard nodes[paragraph].kind == .paragraph else { return .none }
        takeReferences(of: paragraph)
        guard nodes[paragraph].start < nodes[paragraph].end else { return .none }
        nodes[paragraph].kind = .heading
        nodes[paragraph].detail = mark == UInt8(ascii: "=") ? 1 : 2
        return .wholeLine
    }

    /// Three or more `*`, `-` or `_`, with spaces between (CommonMark §4.1).
    private mutating func isRule() -> Bool {
        guard textStart >= ruleRefusedBefore else { return false }
        let mark = source[textStart]
        guard mark != UInt8(ascii: "+") else { return false }
        var count = 0
        var position = textStart
        while position < lineEnd {
            let byte = source[position]
            if byte == mark {
                count += 1
            } else if !ASCII.isSpaceOrTab(byte) {
                ruleRefusedBefore = position
                return false
            }
            position += 1
        }
        return count >= 3
    }

    // MARK: Lists and footnotes

    private mutating func openItem(kind: BlockKind, depth: Int, opened: Bool) -> Bool {
        let interrupts = kind == .paragraph
        guard let marker = BlockStarts.listMarker(source, textStart, lineEnd, interruptsParagraph: interrupts) else {
            return false
        }
        prepareToAdd(depth: depth, opened: opened)
        let markerIndent = indent
        let length = marker.length
        advance(to: textStart + length)
        let saved = (offset, column, isInsideTab)
        while column - saved.1 <= 5, offset < lineEnd, ASCII.isSpaceOrTab(source[offset]) { advance(columns: 1) }
        let spaces = column - saved.1
        var width = length + spaces
        if spaces >= 5 || spaces < 1 || offset >= lineEnd {
            width = length + 1
            (offset, column, isInsideTab) = saved
            if spaces > 0 { advance(columns: 1) }
        }
        findText()
        let top = Int(open[open.count - 1])
        let flags: BlockNode.Flags = marker.isOrdered ? .ordered : []
        if nodes[top].kind != .list || nodes[top].detail != marker.kind {
            add(BlockNode(kind: .list, flags: flags, detail: marker.kind, extra: Int32(marker.number)))
        }
        add(
            BlockNode(
                kind: .item,
                flags: flags,
                detail: marker.kind,
                indent: UInt8(clamping: markerIndent),
                width: Int32(width)
            )
        )
        return true
    }

    /// `[^label]:` begins a footnote's text.
    private mutating func openFootnote(depth: Int, opened: Bool) -> Bool {
        guard source.peek(textStart + 1) == UInt8(ascii: "^") else { return false }
        var position = textStart + 2
        while position < lineEnd, source[position] != UInt8(ascii: "]") {
            switch source[position] {
            case ASCII.space, ASCII.tab, UInt8(ascii: "["): return false
            default: position += 1
            }
        }
        guard position > textStart + 2, position - textStart - 2 <= MarkdownLimits.labelBytes,
            position + 1 < lineEnd, source[position + 1] == UInt8(ascii: ":")
        else { return false }
        prepareToAdd(depth: depth, opened: opened)
        let labelStart = textStart + 2
        add(BlockNode(kind: .footnote, extra: Int32(labelStart), extraEnd: Int32(position)))
        let index = nodes.count - 1
        let label = References.normalised(source, labelStart, position)
        if footnotes[label] == nil { footnotes[label] = Int32(index) }
        advance(to: position + 2)
        findText()
        advance(to: textStart)
        return true
    }

    /// A line that begins with `$$` or `\[`, when a line that ends with the counterpart follows before a blank line.
    private mutating func openMath(depth: Int, opened: Bool) -> Bool {
        let isDollar = source[textStart] == UInt8(ascii: "$")
        let second = isDollar ? UInt8(ascii: "$") : UInt8(ascii: "[")
        guard textStart + 1 < lineEnd, source[textStart + 1] == second else { return false }
        let delimiter = isDollar ? UInt8(ascii: "$") : UInt8(ascii: "]")
        let rest = textStart + 2
        guard !MathCloseCache.occurs(delimiter, in: source, from: rest, to: lineEnd),
            mathClose.follows(delimiter, in: source, from: min(lineEnd + 1, source.count), isGrowing: isGrowing)
        else { return false }
        // Without its end the line goes on with the paragraph or table above it.
        if mathClose.isAssumed, tipIsParagraph || nodes[Int(open[open.count - 1])].kind == .table, open.count > 1 {
            provisionalStart = min(provisionalStart, Int(nodes[Int(open[1])].sourceLine))
        }
        prepareToAdd(depth: depth, opened: opened)
        add(BlockNode(kind: .math, detail: delimiter))
        var start = rest
        while start < lineEnd, ASCII.isSpaceOrTab(source[start]) { start += 1 }
        if start < lineEnd {
            collect(start, lineEnd)
        }
        return true
    }
}

/// Remembers where display math ends, so that no stretch of the source is searched twice.
struct MathCloseCache {
    private var dollar = Known()
    private var bracket = Known()

    private struct Known {
        /// Up to here, searching from at or after `searchedFrom` gives `found`.
        var searchedFrom = -1
        var searchedTo = -1
        var found = false
        var isAssumed = false
    }

    /// The last answer rests on the text going on: its end is not there yet.
    private(set) var isAssumed = false

    /// Whether a line that closes display math comes before the next blank line.
    mutating func follows(_ delimiter: UInt8, in source: ByteView, from start: Int, isGrowing: Bool) -> Bool {
        let known = delimiter == UInt8(ascii: "$") ? dollar : bracket
        if start >= known.searchedFrom, start <= known.searchedTo {
            isAssumed = known.isAssumed
            return known.found
        }
        var lineStart = start
        var found = false
        while lineStart < source.count {
            let lineEnd = source.find(ASCII.lineFeed, from: lineStart, to: source.count) ?? source.count
            if Self.isBlank(source, lineStart, lineEnd) { break }
            if Self.closing(delimiter, in: source, from: lineStart, to: lineEnd) != nil {
                found = true
                break
            }
            lineStart = lineEnd + 1
        }
        // The last line may go on, too.
        let isLast = source.find(ASCII.lineFeed, from: min(lineStart, source.count), to: source.count) == nil
        isAssumed = isGrowing && (found ? isLast : lineStart >= source.count)
        found = found || isAssumed
        let result = Known(
            searchedFrom: start,
            searchedTo: min(lineStart, source.count),
            found: found,
            isAssumed: isAssumed
        )
        if delimiter == UInt8(ascii: "$") { dollar = result } else { bracket = result }
        return found
    }

    private static func isBlank(_ source: ByteView, _ start: Int, _ end: Int) -> Bool {
        var position = start
        while position < end, ASCII.isSpaceOrTab(source[position]) { position += 1 }
        return position == end
    }

    static func occurs(_ delimiter: UInt8, in source: ByteView, from start: Int, to end: Int) -> Bool {
        let first = delimiter == UInt8(ascii: "$") ? delimiter : ASCII.backslash
        var position = start
        while let hit = source.find(first, from: position, to: end) {
            if hit + 1 < end, source[hit + 1] == delimiter { return true }
            position = hit + 1
        }
        return false
    }

    /// Where in the line `$$` or `\]` stands, if at most a punctuation mark follows it; `end` is behind that mark.
    static func closing(
        _ delimiter: UInt8,
        in source: ByteView,
        from start: Int,
        to lineEnd: Int
    ) -> (start: Int, end: Int)? {
        var end = lineEnd
        while end > start, ASCII.isSpaceOrTab(source[end - 1]) { end -= 1 }
        var close = end
        if close > start {
            switch source[close - 1] {
            case UInt8(ascii: "."), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":"): close -= 1
            default: break
            }
        }
        let first = delimiter == UInt8(ascii: "$") ? delimiter : ASCII.backslash
        guard close - 2 >= start, source[close - 1] == delimiter, source[close - 2] == first else { return nil }
        return (close - 2, end)
    }
}
