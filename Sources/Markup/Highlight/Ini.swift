// INI and its relatives: sections, keys, values; systemd units, .properties, .env-like files. A line says by itself what it is.

/// The lexer of settings in lines.
enum IniLexer {
    private static let constants = Words([(.constant, .none, "true false yes no on off none null")], ignoresCase: true)

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: 0)) }
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            x.position = min(end + 1, source.count)
            line(&x, start, end)
        }
    }

    private static func line(_ x: inout Scanner, _ start: Int, _ end: Int) {
        let source = x.source
        var from = start
        while source[from].isBlank { from += 1 }
        var last = end
        while last > from, source[last - 1].isSpace { last -= 1 }
        switch source[from] {
        case UInt8(ascii: "#"), UInt8(ascii: ";"), UInt8(ascii: "!"): x.emit(.comment, from: from, to: last)
        case UInt8(ascii: "["): x.emit(.type, from: from, to: last)
        default:
            var mark = from
            while mark < last, source[mark] != UInt8(ascii: "="), source[mark] != UInt8(ascii: ":") { mark += 1 }
            guard mark < last else {
                // A line of its own goes on with the value above when it is indented, else it is a key without a value.
                x.emit(from > start ? .string : .property, from: from, to: last)
                return
            }
            var name = mark
            while name > from, source[name - 1].isBlank { name -= 1 }
            x.emit(.property, from: from, to: name)
            x.emit(.operator, from: mark, to: mark + 1)
            var value = mark + 1
            while source[value].isBlank { value += 1 }
            x.emit(kind(source, value, last), from: value, to: last)
        }
    }

    private static func kind(_ source: Bytes, _ start: Int, _ end: Int) -> Highlight.Kind {
        guard end > start else { return .plain }
        if constants.meaning(source, from: start, to: end) != nil { return .constant }
        for index in start..<end
        where
            !(source[index].isDigit || source[index] == UInt8(ascii: ".")
            || (index == start && source[index] == UInt8(ascii: "-")))
        {
            return .string
        }
        return .number
    }
}
