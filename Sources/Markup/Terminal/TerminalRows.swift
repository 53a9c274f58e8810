// The last lines of output as a grid of cells that later output may overwrite: carriage returns, backspaces, cursor
// movements and erasures within the last rows. Older rows are final.

/// A few editable rows.
struct TerminalRows {
    /// How many rows the cursor can reach back over: a tall terminal.
    static let most = 100

    private struct Cell {
        /// Where its bytes are in `pool`; no bytes: a blank, or the second half of a wide character.
        var start: UInt32 = 0
        var length: UInt16 = 0
        var isTail = false
        var style = TerminalStyle()
    }

    private var rows: [[Cell]] = [[]]
    private var row = 0
    private var column = 0
    private var saved = (row: 0, column: 0)
    private var pool: [UInt8] = []
    private var finished: [UInt8] = []
    private let stopsAfterLine: Bool
    private(set) var style: TerminalStyle
    private(set) var links: TerminalLinks

    init(style: TerminalStyle, links: TerminalLinks, stopsAfterLine: Bool) {
        self.style = style
        self.links = links
        self.stopsAfterLine = stopsAfterLine
    }

    /// Reads from `start`; stops after the line feed that follows `point` when only a line is edited, else at the end.
    mutating func read(_ source: Bytes, from start: Int, upTo point: Int) -> Int {
        var index = start
        while index < source.count {
            let byte = source[index]
            switch byte {
            case 0x0A:
                index += 1
                lineFeed()
                if stopsAfterLine, index > point { return index }
            case 0x0D:
                index += 1
                column = 0
            case 0x08:
                index += 1
                column = max(0, column - 1)
            case 0x09:
                index += 1
                moveTo(column: column / 8 * 8 + 8)
            case 0x1B:
                index = sequence(source, introducer: source[index + 1], after: min(index + 2, source.count))
                if stopsAfterLine, row + 1 < rows.count { row = rows.count - 1 }
            case 0..<0x20, 0x7F: index += 1
            default:
                if byte == 0xC2, (0x80...0x9F).contains(source[index + 1]) {
                    index = sequence(source, introducer: source[index + 1] & 0x7F | 0x40, after: index + 2)
                } else {
                    index = character(source, at: index)
                }
            }
        }
        return index
    }

    /// Appends the HTML of all rows; the last one has a line feed only when the output had.
    mutating func write(into html: inout [UInt8]) {
        html += finished
        for (number, cells) in rows.enumerated() {
            append(cells, to: &html)
            if number + 1 < rows.count { html.append(0x0A) }
        }
    }

    // MARK: Cells

    private mutating func character(_ source: Bytes, at index: Int) -> Int {
        let length = TerminalText.characterLength(source, at: index)
        let start = UInt32(truncatingIfNeeded: pool.count)
        var width = 1
        if length == 0 {
            pool += "\u{FFFD}".utf8
        } else {
            width = TerminalText.width(TerminalText.scalar(source, at: index, length: length))
            TerminalText.append(source, from: index, to: index + length, into: &pool)
        }
        let added = UInt16(pool.count - Int(start))
        if width == 0 {
            combine(start: start, length: added)
        } else {
            put(Cell(start: start, length: added, style: style), width: width)
        }
        return index + max(length, 1)
    }

    /// A mark joins the character before it when that was written last.
    private mutating func combine(start: UInt32, length: UInt16) {
        var before = column - 1
        while before > 0, before < rows[row].count, rows[row][before].isTail { before -= 1 }
        guard before >= 0, before < rows[row].count else { return }
        let cell = rows[row][before]
        guard cell.start + UInt32(cell.length) == start, Int(cell.length) + Int(length) <= 64 else { return }
        rows[row][before].length += length
    }

    private mutating func put(_ cell: Cell, width: Int) {
        // Beyond the last cell that is kept, text goes on at the end of the row.
        let at = min(column, TerminalLimits.lineCells)
        while rows[row].count < at { rows[row].append(Cell()) }
        if at >= TerminalLimits.lineCells {
            rows[row].append(cell)
            column = rows[row].count
            return
        }
        set(at, cell)
        if width == 2 { set(at + 1, Cell(isTail: true, style: cell.style)) }
        column = at + width
    }

    private mutating func set(_ at: Int, _ cell: Cell) {
        guard at < rows[row].count else {
            rows[row].append(cell)
            return
        }
        // Half of a wide character that loses the other half becomes a blank.
        if rows[row][at].isTail, at > 0, !cell.isTail { rows[row][at - 1] = Cell(style: rows[row][at - 1].style) }
        rows[row][at] = cell
        if at + 1 < rows[row].count, rows[row][at + 1].isTail, !cell.isTail {
            rows[row][at + 1] = Cell(style: rows[row][at + 1].style)
        }
    }

    private mutating func moveTo(column wanted: Int) { column = max(0, min(wanted, TerminalLimits.lineCells)) }

    private mutating func lineFeed() {
        column = 0
        row += 1
        guard row == rows.count else { return }
        rows.append([])
        if rows.count > Self.most {
            append(rows[0], to: &finished)
            finished.append(0x0A)
            rows.removeFirst()
            row -= 1
            saved.row = max(0, saved.row - 1)
        }
        if pool.count > TerminalLimits.poolBytes { compact() }
    }

    /// Forgets the bytes of overwritten cells.
    private mutating func compact() {
        var kept: [UInt8] = []
        for line in rows.indices {
            for cell in rows[line].indices where rows[line][cell].length > 0 {
                let from = Int(rows[line][cell].start)
                rows[line][cell].start = UInt32(kept.count)
                kept += pool[from..<from + Int(rows[line][cell].length)]
            }
        }
        pool = kept
    }

    // MARK: Sequences

    private mutating func sequence(_ source: Bytes, introducer: UInt8, after index: Int) -> Int {
        let (sequence, end) = TerminalSequence.read(source, introducer: introducer, at: index)
        switch sequence {
        case .style(let parameters, let isSub): style.apply(parameters, isSub: isSub)
        case .link(let from, let to): style.link = links.number(source, from: from, to: to)
        case .saveCursor: saved = (row, column)
        case .restoreCursor:
            row = min(saved.row, rows.count - 1)
            column = saved.column
        case .reverseIndex: row = max(0, row - 1)
        case .control(let final, let first, let second): control(final, first, second)
        case .nothing: break
        }
        return end
    }

    private mutating func control(_ final: UInt8, _ first: Int, _ second: Int) {
        let count = max(1, first)
        switch final {
        case UInt8(ascii: "A"): row = max(0, row - count)
        case UInt8(ascii: "B"): row = min(rows.count - 1, row + count)
        case UInt8(ascii: "C"): moveTo(column: column + count)
        case UInt8(ascii: "D"): moveTo(column: column - count)
        case UInt8(ascii: "E"): (row, column) = (min(rows.count - 1, row + count), 0)
        case UInt8(ascii: "F"): (row, column) = (max(0, row - count), 0)
        case UInt8(ascii: "G"), UInt8(ascii: "`"): moveTo(column: count - 1)
        case UInt8(ascii: "K"): eraseLine(first)
        case UInt8(ascii: "J") where first == 0:
            eraseLine(0)
            for line in (row + 1)..<max(rows.count, row + 1) { rows[line] = [] }
        case UInt8(ascii: "P") where column < rows[row].count:
            rows[row].removeSubrange(column..<min(rows[row].count, column + count))
        case UInt8(ascii: "X"):
            for at in column..<min(rows[row].count, column + min(count, TerminalLimits.lineCells)) {
                rows[row][at] = Cell(style: style)
            }
        case UInt8(ascii: "@") where column < rows[row].count && rows[row].count < TerminalLimits.lineCells:
            let added = min(count, TerminalLimits.lineCells - rows[row].count)
            rows[row].insert(contentsOf: repeatElement(Cell(style: style), count: added), at: column)
        case UInt8(ascii: "s"): saved = (row, column)
        case UInt8(ascii: "u"): (row, column) = (min(saved.row, rows.count - 1), saved.column)
        default: break
        }
    }

    private mutating func eraseLine(_ part: Int) {
        switch part {
        case 0: if column < rows[row].count { rows[row].removeSubrange(column...) }
        case 1: for at in 0..<min(column + 1, rows[row].count) { rows[row][at] = Cell(style: style) }
        case 2: rows[row] = []
        default: break
        }
    }

    // MARK: HTML

    private func append(_ cells: [Cell], to html: inout [UInt8]) {
        var last = cells.count
        // Blanks that were only passed over, or erased, are not shown at the end of a row.
        while last > 0, cells[last - 1].length == 0, !cells[last - 1].isTail, cells[last - 1].style.background < 0 {
            last -= 1
        }
        var index = 0
        while index < last {
            let style = cells[index].style
            links.open(style, into: &html)
            while index < last, cells[index].style == style {
                let cell = cells[index]
                if cell.length == 0 {
                    if !cell.isTail { html.append(0x20) }
                } else {
                    for byte in pool[Int(cell.start)..<Int(cell.start) + Int(cell.length)] {
                        TerminalText.appendEscaped(byte, into: &html)
                    }
                }
                index += 1
            }
            links.close(style, into: &html)
        }
    }
}
