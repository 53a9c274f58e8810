// The pen that writes terminal output. Text, colours and links go straight to HTML; when the output moves back (carriage
// return, backspace, cursor up), the lines at hand are read again into cells (TerminalRows.swift), where they can be
// overwritten. So plain output costs a copy, and a progress bar shows its last state.

/// Reads output and makes HTML.
struct TerminalScreen {
    /// Where a line began: in the input, in the HTML, and with which style.
    private struct LineStart {
        var input: Int
        var html: Int
        var style: TerminalStyle
    }

    private var html: [UInt8] = []
    private var style = TerminalStyle()
    private var links = TerminalLinks()
    /// The starts of the last lines, oldest first: as far back as the cursor can go.
    private var starts: [LineStart] = []
    private var isOpen = false

    /// Renders all of `source`.
    mutating func read(_ source: Bytes) {
        html.reserveCapacity(source.count + source.count / 4 + 64)
        var index = 0
        starts.append(LineStart(input: 0, html: 0, style: style))
        while index < source.count {
            let byte = source[index]
            if byte >= 0x20, byte != 0x7F {
                index = text(source, from: index)
                continue
            }
            switch byte {
            case 0x0A:
                close()
                html.append(byte)
                index += 1
                note(index)
            case 0x09:
                open()
                html.append(byte)
                index += 1
            case 0x0D where source[index + 1] == 0x0A: index += 1
            case 0x0D where source[index + 1] == 0x0D: index += 1
            case 0x0D where index + 1 == source.count: index += 1
            case 0x0D, 0x08: index = edit(source, linesUp: 0, at: index)
            case 0x1B:
                index = sequence(source, introducer: source[index + 1], at: index, after: min(index + 2, source.count))
            default: index += 1
            }
        }
        close()
    }

    consuming func finish() -> [UInt8] { html }

    private mutating func note(_ input: Int) {
        if starts.count == TerminalRows.most * 2 { starts.removeFirst(TerminalRows.most) }
        starts.append(LineStart(input: input, html: html.count, style: style))
    }

    /// A run of printable characters: copied, escaped, invalid UTF-8 replaced, C1 controls taken as what they are.
    private mutating func text(_ source: Bytes, from start: Int) -> Int {
        var index = start
        if source[index] == 0xC2, (0x80...0x9F).contains(source[index + 1]) {
            return sequence(source, introducer: source[index + 1] & 0x7F | 0x40, at: index, after: index + 2)
        }
        open()
        while index < source.count {
            let plain = TerminalText.plainRun(source, from: index)
            if plain > index {
                TerminalText.append(source, from: index, to: plain, into: &html)
                index = plain
                continue
            }
            let byte = source[index]
            if byte < 0x20 || byte == 0x7F { break }
            if byte < 0x80 {
                TerminalText.appendEscaped(byte, into: &html)
                index += 1
                continue
            }
            let length = TerminalText.characterLength(source, at: index)
            if length == 0 {
                html += "\u{FFFD}".utf8
                index += 1
            } else if byte == 0xC2, source[index + 1] < 0xA0 {
                break
            } else {
                TerminalText.append(source, from: index, to: index + length, into: &html)
                index += length
            }
        }
        return index
    }

    private mutating func sequence(_ source: Bytes, introducer: UInt8, at start: Int, after index: Int) -> Int {
        let (sequence, end) = TerminalSequence.read(source, introducer: introducer, at: index)
        switch sequence {
        case .style(let parameters, let isSub):
            var changed = style
            changed.apply(parameters, isSub: isSub)
            if changed != style {
                close()
                style = changed
            }
        case .link(let from, let to):
            close()
            style.link = links.number(source, from: from, to: to)
        case .control(let final, let first, _):
            switch final {
            case UInt8(ascii: "A"), UInt8(ascii: "F"): return edit(source, linesUp: max(1, first), at: start)
            case UInt8(ascii: "C"), UInt8(ascii: "D"), UInt8(ascii: "G"), UInt8(ascii: "P"), UInt8(ascii: "X"),
                UInt8(ascii: "@"),
                UInt8(ascii: "`"):
                return edit(source, linesUp: 0, at: start)
            case UInt8(ascii: "K") where first != 0: return edit(source, linesUp: 0, at: start)
            default: break
            }
        case .reverseIndex: return edit(source, linesUp: 1, at: start)
        case .restoreCursor: return edit(source, linesUp: TerminalRows.most, at: start)
        case .saveCursor, .nothing: break
        }
        return end
    }

    /// Reads the last lines again as cells and goes on so: to the end of this line, or of everything when the cursor went up.
    private mutating func edit(_ source: Bytes, linesUp: Int, at index: Int) -> Int {
        close()
        // A cursor that goes up once will do so again, and from where it then stands: keep all rows that can be kept.
        let wanted = linesUp == 0 ? 1 : TerminalRows.most
        let from = starts[max(0, starts.count - wanted)]
        html.removeLast(html.count - from.html)
        var rows = TerminalRows(style: from.style, links: links, stopsAfterLine: linesUp == 0)
        let end = rows.read(source, from: from.input, upTo: index)
        style = rows.style
        links = rows.links
        rows.write(into: &html)
        if linesUp == 0 { note(end) }
        return end
    }

    private mutating func open() {
        guard !isOpen else { return }
        isOpen = true
        links.open(style, into: &html)
    }

    private mutating func close() {
        guard isOpen else { return }
        isOpen = false
        links.close(style, into: &html)
    }
}

/// The addresses of OSC 8 links, and the elements around styled text.
struct TerminalLinks {
    private var addresses: [HTML] = []
    private var numbers: [String: UInt32] = [:]

    /// The number of the link whose address stands at `from..<to`; 0 when there is none or it is not safe.
    mutating func number(_ source: Bytes, from: Int, to: Int) -> UInt32 {
        guard to > from, to - from <= TerminalLimits.linkBytes else { return 0 }
        var bytes: [UInt8] = []
        source.append(from: from, to: to, into: &bytes)
        // A blank, a quote or a control in an address: somebody tries something, or the sequence was torn.
        let isTorn = bytes.contains { $0 <= 0x20 || $0 == 0x7F || $0.isOne(of: "\"<>") }
        guard !isTorn, let address = SafeURL(String(decoding: bytes, as: UTF8.self))?.text else { return 0 }
        if let known = numbers[address] { return known }
        guard addresses.count < TerminalLimits.links else { return 0 }
        addresses.append(HTML(text: address))
        numbers[address] = UInt32(addresses.count)
        return UInt32(addresses.count)
    }

    func open(_ style: TerminalStyle, into html: inout [UInt8]) {
        if style.link > 0 {
            html += "<a class=\"a-link\" rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"".utf8
            html += addresses[Int(style.link) - 1].bytes
            html += "\">".utf8
        }
        guard !style.isPlain else { return }
        html += "<span class=\"".utf8
        style.appendClasses(to: &html)
        html += "\">".utf8
    }

    func close(_ style: TerminalStyle, into html: inout [UInt8]) {
        if !style.isPlain { html += "</span>".utf8 }
        if style.link > 0 { html += "</a>".utf8 }
    }
}
