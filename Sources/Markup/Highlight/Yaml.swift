// YAML 1.2: keys, scalars by the core schema, block scalars by indentation (a `run:` or `script:` block is shell), flow
// collections, quotes over lines, anchors and tags.

/// The lexer of YAML.
struct YamlLexer {
    private enum Mode {
        /// count: open flow brackets.
        static let ground: UInt8 = 0
        /// flag: the quote.
        static let quoted: UInt8 = 1
        /// A block scalar; data: the indentation of its key's line plus 1; flag: guest.
        static let block: UInt8 = 2
    }

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground)) }
        var lexer = YamlLexer()
        while x.position < x.source.count {
            let top = x.top(above: base) { $0.mode == Mode.block }
            switch x.frames[top].mode {
            case Mode.quoted: lexer.quoted(&x, from: x.position)
            case Mode.block: lexer.block(&x, top)
            default: lexer.line(&x)
            }
        }
    }

    /// The indentation of the present line, and whether a value may begin here.
    private var indent = 0
    private var isShellKey = false

    private mutating func line(_ x: inout Scanner) {
        let source = x.source
        let depth = x.frames.count
        let isStart = x.position == 0 || source[x.position - 1] == UInt8(ascii: "\n")
        if isStart {
            indent = 0
            while source[x.position + indent] == UInt8(ascii: " ") { indent += 1 }
            isShellKey = false
            if x.frames[depth - 1].count == 0, source.has("---", at: x.position) || source.has("...", at: x.position),
                source[x.position + 3].isSpace || x.position + 3 >= source.count
            {
                let start = x.position
                x.position += 3
                x.emit(.meta, from: start)
            } else if source[x.position] == UInt8(ascii: "%") {
                let start = x.position
                x.position = source.lineEnd(from: start)
                x.emit(.meta, from: start)
            }
        }
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: "\n"):
                x.position += 1
                return
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): x.position += 1
            case UInt8(ascii: "#") where start == 0 || source[start - 1].isSpace:
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            case UInt8(ascii: "-") where source[start + 1].isSpace || start + 1 >= source.count,
                UInt8(ascii: "?") where source[start + 1].isSpace:
                x.position += 1
                x.emit(.punctuation, from: start)
            case UInt8(ascii: ":")
            where source[start + 1].isSpace || start + 1 >= source.count || x.frames[depth - 1].count > 0:
                x.position += 1
                x.emit(.punctuation, from: start)
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                x.position += 1
                x.emit(.punctuation, from: start)
                x.frames[depth - 1].count &+= 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                x.position += 1
                x.emit(.punctuation, from: start)
                if x.frames[depth - 1].count > 0 { x.frames[depth - 1].count -= 1 }
            case UInt8(ascii: ",") where x.frames[depth - 1].count > 0:
                x.position += 1
                x.emit(.punctuation, from: start)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                let isKey = quoteIsKey(source, start, byte)
                x.position += 1
                if isKey {
                    x.position = closing(source, start, byte)
                    x.emit(.property, from: start)
                } else if x.push(Frame(mode: Mode.quoted, flag: byte)) {
                    quoted(&x, from: start)
                    if x.frames.count != depth { return }
                }
            case UInt8(ascii: "&"), UInt8(ascii: "*"):
                x.position += 1
                while !source[x.position].isSpace, x.position < source.count, !source[x.position].isOne(of: ",[]{}") {
                    x.position += 1
                }
                x.emit(.label, from: start)
            case UInt8(ascii: "!"):
                while !source[x.position].isSpace, x.position < source.count { x.position += 1 }
                x.emit(.type, from: start)
            case UInt8(ascii: "|"), UInt8(ascii: ">"):
                if openBlock(&x, start) { return }
            default: scalar(&x, start)
            }
        }
    }

    /// A block scalar's head.
    ///
    /// True: the frame was pushed and the line is done.
    private mutating func openBlock(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        var index = start + 1
        while source[index].isDigit || source[index] == UInt8(ascii: "-") || source[index] == UInt8(ascii: "+") {
            index += 1
        }
        let head = index
        while source[index].isBlank || source[index] == UInt8(ascii: "\r") { index += 1 }
        let comment = index
        if source[index] == UInt8(ascii: "#") { index = source.lineEnd(from: index) }
        guard index >= source.count || source[index] == UInt8(ascii: "\n") else {
            scalar(&x, start)
            return false
        }
        x.emit(.operator, from: start, to: head)
        x.emit(.comment, from: comment, to: index)
        x.position = min(index + 1, source.count)
        let guest = isShellKey ? Embedded.note("bash") : 0
        return x.push(Frame(mode: Mode.block, flag: guest, data: UInt32(min(indent, 60_000)) + 1))
    }

    private func block(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let frame = x.frames[top]
        while x.position < source.count {
            let start = x.position
            var content = start
            while source[content] == UInt8(ascii: " ") { content += 1 }
            let isBlank = source[content].isLineEnd || content >= source.count
            if !isBlank, content - start < Int(frame.data) {
                Embedded.end(&x, base: top)
                return
            }
            let end = source.lineEnd(from: content)
            let next = min(end + 1, source.count)
            if frame.flag > 0 {
                Embedded.run(&x, note: frame.flag, to: next, base: top + 1)
            } else {
                x.position = next
                x.emit(.string, from: content, to: end)
            }
        }
    }

    private func closing(_ source: Bytes, _ start: Int, _ quote: UInt8) -> Int {
        var index = start + 1
        while index < source.count, source[index] != UInt8(ascii: "\n") {
            if source[index] == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index += 2
                continue
            }
            if source[index] == quote { return index + 1 }
            index += 1
        }
        return min(index, source.count)
    }

    private func quoteIsKey(_ source: Bytes, _ start: Int, _ quote: UInt8) -> Bool {
        var index = closing(source, start, quote)
        while source[index].isBlank { index += 1 }
        return source[index] == UInt8(ascii: ":") && (source[index + 1].isSpace || index + 1 >= source.count)
    }

    private mutating func quoted(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        let quote = x.frames[x.frames.count - 1].flag
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == quote {
                if quote == UInt8(ascii: "'"), source[index + 1] == quote {
                    index += 2
                    continue
                }
                x.frames.removeLast()
                x.position = index + 1
                x.emit(.string, from: start)
                return
            }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                x.emit(.string, from: start, to: index)
                start = index
                index = min(index + 2, source.count)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            index &+= 1
        }
        x.position = min(index, source.count)
        x.emit(.string, from: start)
    }

    /// A plain scalar: a key when `: ` follows on this line, else a value.
    private mutating func scalar(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        let isFlow = x.frames[x.frames.count - 1].count > 0
        var index = start
        var isKey = false
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "\n") { break }
            if byte == UInt8(ascii: ":"),
                source[index + 1].isSpace || index + 1 >= source.count
                    || (isFlow && source[index + 1] == UInt8(ascii: ","))
            {
                isKey = true
                break
            }
            if byte == UInt8(ascii: "#"), source[index - 1].isSpace, index > start { break }
            if isFlow, byte.isOne(of: ",[]{}") { break }
            index &+= 1
        }
        var end = index
        while end > start, source[end - 1].isSpace { end -= 1 }
        x.position = max(index, start + 1)
        if isKey {
            x.emit(.property, from: start, to: end)
            isShellKey = ["run", "script", "command", "before_script", "after_script", "entrypoint", "shell"].contains {
                word in
                end - start == word.utf8.count && source.has(Array(word.utf8), at: start)
            }
            return
        }
        x.emit(value(source, start, max(end, start + 1)), from: start, to: max(end, start + 1))
    }

    private func value(_ source: Bytes, _ start: Int, _ end: Int) -> Highlight.Kind {
        let first = source[start]
        if end - start <= 5, first.isLetter || first == UInt8(ascii: "~") {
            for word in ["true", "false", "null", "yes", "no", "on", "off", "~"]
            where word.utf8.count == end - start
                && (0..<(end - start)).allSatisfy({ source[start + $0].lowered == Array(word.utf8)[$0] })
            {
                return .constant
            }
        }
        guard first.isDigit || first.isOne(of: "+-.") else { return .string }
        var hasDigit = false
        for index in start..<end {
            let byte = source[index]
            if byte.isDigit { hasDigit = true }
            guard byte.isHexDigit || byte.isOne(of: "+-._:xoXTZtz ") else { return .string }
        }
        return hasDigit ? .number : .string
    }
}
