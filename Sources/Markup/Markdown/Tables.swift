// Tables (GFM §4.10): a paragraph's last line becomes the header when a delimiter row with as many columns follows it.

extension BlockParser {
    /// Turns the open paragraph's last line into a table's header if the line at hand is its delimiter row.
    mutating func openTable() -> Bool {
        let first = source[textStart]
        guard first == UInt8(ascii: "|") || first == UInt8(ascii: "-") || first == UInt8(ascii: ":"),
            let alignments = TableRow.delimiters(source, textStart, lineEnd)
        else { return false }
        let paragraph = Int(open[open.count - 1])
        guard beforeLastLine >= nodes[paragraph].start || nodes[paragraph].start == lastLineText else { return false }
        let headerStart = lastLineText
        let headerEnd = lineStart - 1
        let header = TableRow(source, headerStart, headerEnd)
        guard header.count == alignments.count else { return false }
        if dialect.chat, alignments.count == 1,
            source.find(UInt8(ascii: "|"), from: textStart, to: lineEnd) == nil,
            source.find(UInt8(ascii: "|"), from: headerStart, to: headerEnd) == nil
        {
            return false
        }

        nodes[paragraph].end = max(beforeLastLine, nodes[paragraph].start)
        open.removeLast()
        dropReferences(of: paragraph)
        add(BlockNode(kind: .table, extra: Int32(columns.count), extraEnd: Int32(alignments.count)))
        nodes[nodes.count - 1].sourceLine = Int32(lastLineStart)
        columns += alignments
        addRow(from: headerStart, to: headerEnd)
        return true
    }

    /// Adds the line at hand to the open table.
    mutating func addRow() {
        addRow(from: textStart, to: lineEnd)
    }

    private mutating func addRow(from start: Int, to end: Int) {
        add(BlockNode(kind: .row, start: Int32(start), end: Int32(end)))
        open.removeLast()
    }
}

/// The cells of one row: a sequence of trimmed ranges.
struct TableRow {
    private let view: ByteView
    private var position: Int
    private let end: Int

    init(_ view: ByteView, _ start: Int, _ end: Int) {
        self.view = view
        var start = start
        var end = end
        while start < end, ASCII.isWhitespace(view[start]) { start += 1 }
        while end > start, ASCII.isWhitespace(view[end - 1]) { end -= 1 }
        if start < end, view[start] == UInt8(ascii: "|") { start += 1 }
        position = start
        self.end = end
    }

    /// How many cells it has.
    var count: Int {
        var copy = self
        var count = 0
        while copy.next() != nil { count += 1 }
        return count
    }

    /// The next cell's text, white space around it left out.
    ///
    /// `\|` is a bar inside a cell.
    mutating func next() -> (start: Int, end: Int, hasEscapedBar: Bool)? {
        guard position < end else { return nil }
        var hasEscapedBar = false
        var stop = position
        while let hit = view.find(UInt8(ascii: "|"), from: stop, to: end) {
            stop = hit
            if hit > position, view[hit - 1] == ASCII.backslash {
                hasEscapedBar = true
                stop += 1
                continue
            }
            return trimmed(to: stop, next: stop + 1, hasEscapedBar)
        }
        return trimmed(to: end, next: end, hasEscapedBar)
    }

    private mutating func trimmed(to stop: Int, next: Int, _ hasEscapedBar: Bool) -> (Int, Int, Bool) {
        var from = position
        var to = stop
        while from < to, ASCII.isWhitespace(view[from]) { from += 1 }
        while to > from, ASCII.isWhitespace(view[to - 1]) { to -= 1 }
        position = next
        return (from, to, hasEscapedBar)
    }

    /// The alignments that a delimiter row gives, nil when the line is none.
    static func delimiters(_ view: ByteView, _ start: Int, _ end: Int) -> [ColumnAlignment]? {
        var position = start
        var result: [ColumnAlignment] = []
        if position < end, view[position] == UInt8(ascii: "|") { position += 1 }
        while true {
            position = skip(view, position, end)
            if position == end { return result.isEmpty ? nil : result }
            var isLeft = false
            var isRight = false
            if view[position] == UInt8(ascii: ":") {
                isLeft = true
                position += 1
            }
            let dashes = position
            while position < end, view[position] == UInt8(ascii: "-") { position += 1 }
            guard position > dashes else { return nil }
            if position < end, view[position] == UInt8(ascii: ":") {
                isRight = true
                position += 1
            }
            result.append(isLeft ? (isRight ? .center : .left) : (isRight ? .right : .none))
            guard result.count <= MarkdownLimits.columns else { return nil }
            position = skip(view, position, end)
            if position == end { return result }
            guard view[position] == UInt8(ascii: "|") else { return nil }
            position += 1
        }
    }

    private static func skip(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var position = start
        while position < end, ASCII.isWhitespace(view[position]) { position += 1 }
        return position
    }
}
