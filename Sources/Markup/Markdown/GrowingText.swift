// How the end of a message looks while it is still being written: marks that wait for their counterpart already count,
// marks that may become anything are held back, so that the page does not flicker between readings.

enum GrowingText {
    /// The longest run of marks at the end of a text that is held back.
    private static let marks = 3
    /// The longest beginning of a line that is held back because it is nothing but marks.
    private static let lineMarks = 6

    /// Where the text ends if a line of which only block marks are there is left out.
    static func withoutMarkerLine(_ view: ByteView, _ end: Int) -> Int {
        var start = end
        while start > 0, view[start - 1] != ASCII.lineFeed {
            guard end - start < lineMarks, isBlockMark(view[start - 1]) else { return end }
            start -= 1
        }
        return start
    }

    private static func isBlockMark(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "-"), UInt8(ascii: "="), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "#"),
            UInt8(ascii: ">"), UInt8(ascii: "`"), UInt8(ascii: "~"), UInt8(ascii: "_"), UInt8(ascii: "|"),
            UInt8(ascii: "$"), UInt8(ascii: "."), ASCII.space, ASCII.tab:
            true
        default: ASCII.isDigit(byte)
        }
    }

    /// Where a leaf's text ends if marks of emphasis, code or links at its end are left out.
    static func withoutTrailingMarks(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var stop = end
        while stop > start, end - stop < marks {
            switch view[stop - 1] {
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "`"), UInt8(ascii: "["),
                UInt8(ascii: "$"), ASCII.backslash:
                stop -= 1
            default: return isOpening(view, start, stop, end) ? stop : end
            }
        }
        return isOpening(view, start, stop, end) ? stop : end
    }

    /// Whether marks from `stop` on open something: white space or nothing stands in front of them.
    private static func isOpening(_ view: ByteView, _ start: Int, _ stop: Int, _ end: Int) -> Bool {
        stop < end && (stop == start || ASCII.isWhitespace(view[stop - 1]) || ASCII.isPunctuation(view[stop - 1]))
    }

    /// Whether a paragraph looks like a table whose delimiter row is not there yet: `| a | b |`, and perhaps `|--`.
    static func isTableHeader(_ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        guard start < end, view[start] == UInt8(ascii: "|") else { return false }
        let lineEnd = view.find(ASCII.lineFeed, from: start, to: end) ?? end
        guard lineEnd - start > 2, view.find(UInt8(ascii: "|"), from: start + 1, to: lineEnd) != nil else {
            return false
        }
        for position in lineEnd..<end {
            switch view[position] {
            case ASCII.lineFeed where position == lineEnd || position == end - 1: break
            case UInt8(ascii: "|"), UInt8(ascii: "-"), UInt8(ascii: ":"), ASCII.space, ASCII.tab: break
            default: return false
            }
        }
        return true
    }
}

extension InlineParser {
    /// Gives each mark that only opens its closing counterpart at the end of the text.
    mutating func closeOpenDelimiters() {
        guard lastDelimiter >= 0 else { return }
        let closer = Int32(delimiters.count)
        delimiters.append(
            DelimiterRun(mark: UInt8(ascii: "*"), canOpen: false, canClose: true, length: 0, remaining: 0, previous: -1)
        )
        var opener = lastDelimiter
        while opener >= 0 {
            let run = delimiters[Int(opener)]
            if run.canOpen, !run.canClose, run.remaining > 0, run.remaining <= 3 {
                if run.mark == UInt8(ascii: "~") {
                    record(.strikethrough, opener, closer)
                } else {
                    if run.remaining != 2 { record(.emphasis, opener, closer) }
                    if run.remaining >= 2 { record(.strong, opener, closer) }
                }
                delimiters[Int(opener)].remaining = 0
            }
            opener = run.previous
        }
        lastDelimiter = -1
        if delimiters[Int(closer)].firstClosed >= 0 {
            items.append(InlineItem(kind: .delimiters, start: Int32(end), end: Int32(end), value: closer))
        }
    }
}

extension BlockRenderer {
    /// A table of which only the header is there.
    mutating func writeGrowingTable(_ node: BlockNode) {
        let view = blocks.view(of: node)
        let lineEnd = view.find(ASCII.lineFeed, from: Int(node.start), to: Int(node.end)) ?? Int(node.end)
        var cells = TableRow(view, Int(node.start), lineEnd)
        output.freshLine()
        output.append("<div class=\"md-table\"><table>\n<thead>\n<tr>\n")
        while let cell = cells.next() {
            output.append("<th>")
            writeInline(view, cell.start, cell.end)
            output.append("</th>\n")
        }
        output.append("</tr>\n</thead>\n</table></div>\n")
    }
}
