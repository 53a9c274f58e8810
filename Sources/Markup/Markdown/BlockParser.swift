// Reads Markdown line by line into a tree of blocks (CommonMark 0.31.2, appendix "A parsing strategy", phase 1).
// `Markdown` and `MarkdownStream` run it; `BlockStarts` recognises what a line begins, `References` and `Tables` the
// rest. Linear: a line looks at each open container once, their number is limited, and no look-ahead is repeated.

/// The block phase.
///
/// Feed it whole lines in order, then call ``finish()``.
struct BlockParser: ~Copyable {
    let source: ByteView
    let dialect: Dialect
    /// Index 0 is the document.
    var nodes: [BlockNode] = [BlockNode(kind: .document)]
    /// The text of leaf blocks whose lines have container markers between them in the source.
    var text: ByteBuffer
    var columns: [ColumnAlignment] = []
    var references: References
    /// Footnote definitions by normalised label.
    var footnotes: [[UInt8]: Int32] = [:]
    /// The open blocks, from the document to the innermost.
    var open: [Int32] = [0]
    /// The text is still being written: what is not closed yet may be closed later.
    var isGrowing = false

    /// Where in `open` quotes stand.
    private var quotes: [Int] = []
    /// Where in `open` the block stands that the last line left marked as ending in a blank line, or -1.
    private var blankDepth = -1

    // The line at hand, as offsets into `source`; `lineEnd` stands on its line feed or at the end of the text.
    var lineStart = 0
    var lineEnd = 0
    var offset = 0
    /// Columns count tab stops of four (CommonMark §2.2).
    var column = 0
    var isInsideTab = false
    var textStart = 0
    var textColumn = 0
    var ruleRefusedBefore = 0

    /// The open paragraph's last line may turn out to be a table's header: where it and its text begin in the source,
    /// and where the paragraph's text ended before it.
    var lastLineStart = 0
    var lastLineText = 0
    var beforeLastLine: Int32 = 0
    var mathClose = MathCloseCache()
    /// The start of a top-level block that a formula ended whose own end is not there yet: all may turn out otherwise.
    var provisionalStart = Int.max

    init(_ source: ByteView, dialect: Dialect, references: References = References()) {
        self.source = source
        self.references = references
        self.dialect = dialect
        text = ByteBuffer(capacity: source.count / 8 + 64)
        nodes.reserveCapacity(source.count / 64 + 16)
    }

    /// Whether links or footnotes are defined in it.
    var hasDefinitions: Bool { !references.isEmpty || !footnotes.isEmpty }

    var indent: Int { textColumn - column }
    var isBlank: Bool { textStart >= lineEnd }

    /// Reads the lines of `from..<to`, which must end after a line feed or at the end of the text.
    mutating func parse(from: Int = 0, to: Int? = nil) {
        let end = to ?? source.count
        var start = from
        while start < end {
            if open.count == 2 {
                start = skipFenceLines(start, end)
                guard start < end else { break }
            }
            let stop = source.find(ASCII.lineFeed, from: start, to: end) ?? end
            readLine(start, stop)
            start = stop + 1
        }
    }

    /// Takes the lines of an open top-level fence that cannot close it: nothing is taken off them.
    ///
    /// - Returns: where reading goes on.
    private mutating func skipFenceLines(_ start: Int, _ end: Int) -> Int {
        let index = Int(open[1])
        let node = nodes[index]
        guard node.kind == .code, node.detail != 0, node.indent == 0 else { return start }
        var position = start
        while position < end {
            var first = position
            while first < end, first - position < 3, source[first] == ASCII.space { first += 1 }
            if first < end, source[first] == node.detail { break }
            position = (source.find(ASCII.lineFeed, from: position, to: end) ?? end) + 1
        }
        if position > start {
            if node.start == node.end { nodes[index].start = Int32(start) }
            nodes[index].end = Int32(min(position, end))
        }
        return position
    }

    /// Closes every block.
    mutating func finish() {
        while open.count > 1 { closeLast() }
    }

    // MARK: One line

    private mutating func readLine(_ start: Int, _ end: Int) {
        lineStart = start
        lineEnd = end
        offset = start
        column = 0
        isInsideTab = false
        ruleRefusedBefore = start
        findText()

        var depth = 1
        matching: while depth < open.count {
            if isBlank, depth < open.count - 1, depth > deepestQuote, textStart == offset || !tipTakesLines {
                // Lists, items and footnotes that hold something go on in a blank line.
                depth = open.count - 1
                advance(to: textStart)
            }
            switch continuation(of: open[depth]) {
            case .matched: depth += 1
            case .failed: break matching
            case .consumed:
                close(downTo: depth)
                return
            }
        }
        let allMatched = depth == open.count
        let startsBlock = openBlocks(depth: depth, allMatched: allMatched)
        if startsBlock.consumed {
            forgetBlankLine(before: open.count)
        } else {
            addRest(depth: depth, startedBlock: startsBlock.opened)
        }
    }

    /// Whether blanks at the start of a blank line may belong to the innermost block's text.
    private var tipTakesLines: Bool {
        switch nodes[Int(open[open.count - 1])].kind {
        case .code, .html, .math: true
        default: false
        }
    }

    /// Where in `open` the innermost quote stands; -1 when there is none.
    private var deepestQuote: Int { quotes.last ?? -1 }

    private enum Continuation { case matched, failed, consumed }

    /// Whether the open block `node` goes on in this line; its marker is skipped.
    @inline(__always)
    private mutating func continuation(of index: Int32) -> Continuation {
        let kind = nodes[Int(index)].kind
        if kind == .paragraph { return isBlank ? .failed : .matched }
        switch kind {
        case .document, .list: return .matched
        case .quote:
            guard indent <= 3, source.peek(textStart) == UInt8(ascii: ">"), !isBlank else { return .failed }
            skipQuoteMarker()
            return .matched
        case .item:
            let node = nodes[Int(index)]
            if isBlank, node.firstChild < 0 { return .failed }
            if indent >= Int(node.indent) + Int(node.width) {
                advance(columns: Int(node.indent) + Int(node.width))
            } else if isBlank {
                advance(to: textStart)
            } else {
                return .failed
            }
            findText()
            return .matched
        case .footnote:
            if indent >= 4 {
                advance(columns: 4)
                findText()
                return .matched
            }
            return isBlank ? .matched : .failed
        case .code: return codeContinuation(index)
        case .html:
            let isOpenEnded = nodes[Int(index)].detail <= 5
            return isOpenEnded || !isBlank ? .matched : .failed
        case .table: return isBlank || isLoneBar ? .failed : .matched
        case .math: return mathContinuation(index)
        case .heading, .rule, .paragraph, .row: return .failed
        }
    }

    /// A line of one bar is no row.
    private var isLoneBar: Bool {
        guard source.peek(textStart) == UInt8(ascii: "|") else { return false }
        return LinkSyntax.skipSpace(source, textStart + 1, lineEnd) == lineEnd
    }

    private mutating func codeContinuation(_ index: Int32) -> Continuation {
        let node = nodes[Int(index)]
        guard node.detail != 0 else {
            if indent >= 4 {
                advance(columns: 4)
            } else if isBlank {
                advance(to: textStart)
            } else {
                return .failed
            }
            return .matched
        }
        if indent <= 3, !isBlank, source.peek(textStart) == node.detail,
            BlockStarts.closesFence(source, textStart, lineEnd, fence: node.detail, length: Int(node.width))
        {
            nodes[Int(index)].flags.insert(.closed)
            return .consumed
        }
        var remaining = Int(node.indent)
        while remaining > 0, offset < lineEnd, ASCII.isSpaceOrTab(source[offset]) {
            advance(columns: 1)
            remaining -= 1
        }
        return .matched
    }

    private mutating func mathContinuation(_ index: Int32) -> Continuation {
        let delimiter = nodes[Int(index)].detail
        if let close = MathCloseCache.closing(delimiter, in: source, from: textStart, to: lineEnd) {
            moveToArena(Int(index))
            text.append(source, textStart, close.start)
            text.append(source, close.start + 2, close.end)
            nodes[Int(index)].end = Int32(text.count)
            nodes[Int(index)].flags.insert(.closed)
            return .consumed
        }
        return .matched
    }

    // MARK: What is left of a line once its containers are known

    private mutating func addRest(depth: Int, startedBlock: Bool) {
        findText()
        let container = Int(startedBlock ? open[open.count - 1] : open[depth - 1])
        let containerDepth = startedBlock ? open.count : depth
        let kind = nodes[container].kind
        if isBlank, nodes[container].lastChild >= 0 {
            nodes[Int(nodes[container].lastChild)].flags.insert(.lastLineBlank)
        }
        var isBlankEnd = false
        if isBlank {
            switch kind {
            case .quote, .heading, .rule: break
            case .code: isBlankEnd = nodes[container].detail == 0
            case .item:
                isBlankEnd = nodes[container].firstChild >= 0 || Int(nodes[container].sourceLine) != lineStart
            default: isBlankEnd = true
            }
        }
        if isBlankEnd {
            nodes[container].flags.insert(.lastLineBlank)
        } else {
            nodes[container].flags.remove(.lastLineBlank)
        }
        forgetBlankLine(before: containerDepth - 1)
        if isBlankEnd { blankDepth = containerDepth - 1 }

        if !startedBlock, depth < open.count, !isBlank, nodes[Int(open[open.count - 1])].kind == .paragraph {
            addParagraphLine()  // lazy continuation
            return
        }
        if !startedBlock { close(downTo: depth) }
        switch kind {
        case .code, .math: addLine()
        case .html:
            addLine()
            if BlockStarts.closesHTML(nodes[container].detail, source, textStart, lineEnd) { closeLast() }
        case _ where isBlank: break
        case .paragraph: addParagraphLine()
        case .heading: addHeadingText()
        case .table: addRow()
        case .rule, .row: break
        case .document, .quote, .list, .item, .footnote:
            if kind == .item, readTaskMarker(of: container), isBlank { return }
            add(BlockNode(kind: .paragraph))
            addParagraphLine()
        }
    }

    /// A container that ended in a blank line goes on with text: only one of the open ones can be marked.
    private mutating func forgetBlankLine(before depth: Int) {
        guard blankDepth >= 0 else { return }
        if blankDepth < min(depth, open.count) { nodes[Int(open[blankDepth])].flags.remove(.lastLineBlank) }
        blankDepth = -1
    }

    /// Appends the rest of the line as it stands.
    private mutating func addLine() {
        if isInsideTab {
            let leaf = Int(open[open.count - 1])
            moveToArena(leaf)
            offset += 1
            for _ in 0..<4 - column % 4 { text.append(ASCII.space) }
            nodes[leaf].end = Int32(text.count)
        }
        collect(min(offset, lineEnd), lineEnd)
    }

    private mutating func addParagraphLine() {
        let leaf = Int(open[open.count - 1])
        lastLineText = textStart
        lastLineStart = lineStart
        beforeLastLine = nodes[leaf].end
        collect(textStart, lineEnd)
    }

    /// Adds `from..<to` of the source and a line feed to the innermost block's text.
    ///
    /// Lines that follow each other in the source stay there; else the text moves to the arena.
    mutating func collect(_ from: Int, _ to: Int) {
        let leaf = Int(open[open.count - 1])
        // A blank last line of code has no line feed of its own in the source.
        if from == to, to == source.count { moveToArena(leaf) }
        if !nodes[leaf].flags.contains(.inArena) {
            if nodes[leaf].start == nodes[leaf].end {
                nodes[leaf].start = Int32(from)
            } else if Int(nodes[leaf].end) != from {
                moveToArena(leaf)
            }
        }
        if nodes[leaf].flags.contains(.inArena) {
            text.append(source, from, to)
            text.append(ASCII.lineFeed)
            nodes[leaf].end = Int32(text.count)
        } else {
            nodes[leaf].end = Int32(min(to + 1, source.count))
        }
    }

    /// Copies the text of an open leaf to the end of the arena.
    mutating func moveToArena(_ leaf: Int) {
        let node = nodes[leaf]
        guard !node.flags.contains(.inArena) else { return }
        nodes[leaf].flags.insert(.inArena)
        nodes[leaf].start = Int32(text.count)
        text.append(source, Int(node.start), Int(node.end))
        nodes[leaf].end = Int32(text.count)
        beforeLastLine += nodes[leaf].start - node.start
    }

    /// Where a block's text lies.
    func view(of node: BlockNode) -> ByteView { node.flags.contains(.inArena) ? text.view : source }

    private mutating func addHeadingText() {
        var end = lineEnd
        while end > textStart, ASCII.isSpaceOrTab(source[end - 1]) { end -= 1 }
        var hashes = end
        while hashes > textStart, source[hashes - 1] == UInt8(ascii: "#") { hashes -= 1 }
        if hashes < end, hashes == textStart || ASCII.isSpaceOrTab(source[hashes - 1]) { end = hashes }
        let heading = Int(open[open.count - 1])
        nodes[heading].start = Int32(textStart)
        nodes[heading].end = Int32(end)
    }

    /// `[ ]` or `[x]` at the start of an item's first paragraph (GFM task list items).
    private mutating func readTaskMarker(of item: Int) -> Bool {
        guard dialect.taskList, nodes[item].firstChild < 0, Int(nodes[item].sourceLine) == lineStart,
            source.peek(textStart) == UInt8(ascii: "["), source.peek(textStart + 2) == UInt8(ascii: "]"),
            textStart + 3 < lineEnd, ASCII.isSpaceOrTab(source[textStart + 3])
        else { return false }
        switch source[textStart + 1] {
        case ASCII.space: nodes[item].flags.insert(.task)
        case UInt8(ascii: "x"), UInt8(ascii: "X"): nodes[item].flags.formUnion([.task, .done])
        default: return false
        }
        advance(to: textStart + 3)
        findText()
        return true
    }

    // MARK: The tree

    /// Whether a block of kind `parent` may hold one of kind `child`.
    private func accepts(_ parent: BlockKind, _ child: BlockKind) -> Bool {
        switch parent {
        case .document, .quote, .item, .footnote: child != .item && child != .row
        case .list: child == .item
        case .table: child == .row
        default: false
        }
    }

    /// Adds a block under the innermost open one that may hold it, closing those that may not, and opens it.
    mutating func add(_ block: BlockNode) {
        while !accepts(nodes[Int(open[open.count - 1])].kind, block.kind) { closeLast() }
        let parent = Int(open[open.count - 1])
        let index = Int32(nodes.count)
        var node = block
        node.parent = Int32(parent)
        node.sourceLine = Int32(lineStart)
        let sibling = nodes[parent].lastChild
        node.previous = sibling
        if sibling >= 0 { nodes[Int(sibling)].next = index } else { nodes[parent].firstChild = index }
        nodes[parent].lastChild = index
        nodes.append(node)
        if block.kind == .quote { quotes.append(open.count) }
        open.append(index)
    }

    /// Closes the open blocks beyond the first `depth`.
    mutating func close(downTo depth: Int) {
        while open.count > depth { closeLast() }
    }

    mutating func closeLast() {
        let index = Int(open[open.count - 1])
        open.removeLast()
        switch nodes[index].kind {
        case .paragraph:
            dropReferences(of: index)
        case .code where nodes[index].detail == 0: dropTrailingBlankLines(of: index)
        case .list: settleTightness(of: index)
        case .quote: quotes.removeLast()
        default: break
        }
    }

    // MARK: Walking along the line

    /// Finds the first byte of the line's rest that is no space or tab.
    @inline(__always)
    mutating func findText() {
        var position = offset
        var columns = column
        while position < lineEnd {
            let byte = source[position]
            if byte == ASCII.space {
                columns += 1
            } else if byte == ASCII.tab {
                columns += 4 - columns % 4
            } else {
                break
            }
            position += 1
        }
        textStart = position
        textColumn = columns
    }

    /// Goes forward to the line's text, or to a position behind it with no tab between.
    mutating func advance(to position: Int) {
        offset = position
        column = textColumn + position - textStart
        isInsideTab = false
    }

    /// Goes forward by bytes none of which is a tab.
    mutating func advance(bytes: Int) {
        offset += bytes
        column += bytes
        isInsideTab = false
    }

    /// Goes forward by columns; a tab may be used up in part.
    mutating func advance(columns wanted: Int) {
        var remaining = wanted
        while remaining > 0, offset < lineEnd {
            if source[offset] == ASCII.tab {
                let width = 4 - column % 4
                isInsideTab = width > remaining
                let step = min(width, remaining)
                column += step
                if !isInsideTab { offset += 1 }
                remaining -= step
            } else {
                isInsideTab = false
                offset += 1
                column += 1
                remaining -= 1
            }
        }
    }

    /// Skips `>` and one following space.
    mutating func skipQuoteMarker() {
        advance(to: textStart)
        advance(bytes: 1)
        if offset < lineEnd, ASCII.isSpaceOrTab(source[offset]) { advance(columns: 1) }
        findText()
    }
}
