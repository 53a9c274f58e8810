// Python (Language reference, chapter 2): strings with prefixes and three quotes, f-strings with code inside (PEP 701),
// decorators, soft keywords. Also Cython-free notebooks' doctest prompts.

/// Python's lexer.
struct PythonLexer {
    private enum Mode {
        static let ground: UInt8 = 0
        /// `{ … }` in an f-string; count: open brackets.
        static let hole: UInt8 = 1
        /// A string; flag: quote kind and prefix bits.
        static let string: UInt8 = 2
        /// A format after `:` in a hole.
        static let format: UInt8 = 3
    }

    private struct StringFlags: OptionSet {
        let rawValue: UInt8
        static let double = StringFlags(rawValue: 1)
        static let triple = StringFlags(rawValue: 2)
        static let raw = StringFlags(rawValue: 4)
        static let formatted = StringFlags(rawValue: 8)
    }

    private enum Before: UInt32 {
        case start, operand, dot, functionWord, typeWord, path, annotation, word
    }

    private static let words = Words([
        (.keyword, .function, "def"),
        (.keyword, .type, "class"),
        (.keyword, .path, "import from"),
        (
            .keyword, .none,
            """
            and as assert async await break continue del elif else except exec finally for global if in is lambda nonlocal
            not or pass raise return try while with yield
            """
        ),
        (.keyword, .name, "match case type print"),
        (.constant, .none, "True False None NotImplemented Ellipsis __debug__"),
        (.variable, .none, "self cls"),
    ])
    private static let types = Words([
        (.type, .none, "int str float bool bytes list dict set tuple object type complex bytearray frozenset")
    ])

    private var before = Before.start
    private let words = PythonLexer.words
    private let types = PythonLexer.types

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground)) }
        var lexer = PythonLexer()
        while x.position < x.source.count {
            let depth = x.frames.count
            let top = x.frames[depth - 1]
            switch top.mode {
            case Mode.string: lexer.string(&x, from: x.position)
            case Mode.format: lexer.format(&x)
            default:
                lexer.before = Before(rawValue: top.data) ?? .start
                let isClosed = lexer.code(&x, isHole: top.mode == Mode.hole)
                x.frames[depth - 1].data = lexer.before.rawValue
                if isClosed { x.frames.removeLast() }
            }
        }
    }

    private mutating func code(_ x: inout Scanner, isHole: Bool) -> Bool {
        let depth = x.frames.count
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: "\n"):
                x.position += 1
                if x.frames[depth - 1].count == 0 { before = .start }
                continue
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), 0x0C:
                x.position += 1
                continue
            case UInt8(ascii: "#"):
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                if openString(&x, from: start, prefixEnd: start) { return false }
            case UInt8(ascii: "@") where source.isFirst(start):
                x.position += 1
                while source[x.position].isBlank { x.position += 1 }
                while source[x.position].isWord || source[x.position] == UInt8(ascii: ".") { x.position += 1 }
                x.emit(.attribute, from: start)
                before = .operand
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "{"):
                x.position += 1
                x.emit(.punctuation, from: start)
                x.frames[depth - 1].count &+= 1
                before =
                    before == .annotation || (byte == UInt8(ascii: "[") && x.frames[depth - 1].flag == 1)
                    ? .annotation : .start
            case UInt8(ascii: ")"), UInt8(ascii: "]"), UInt8(ascii: "}"):
                if isHole, x.frames[depth - 1].count == 0, byte == UInt8(ascii: "}") {
                    x.position += 1
                    x.emit(.punctuation, from: start)
                    return true
                }
                x.position += 1
                x.emit(.punctuation, from: start)
                if x.frames[depth - 1].count > 0 { x.frames[depth - 1].count -= 1 }
                before = .operand
            case UInt8(ascii: ":"):
                if isHole, x.frames[depth - 1].count == 0 {
                    x.position += 1
                    x.emit(.punctuation, from: start)
                    x.frames[depth - 1].mode = Mode.format
                    return false
                }
                x.position += 1
                if source[x.position] == UInt8(ascii: "=") {
                    x.position += 1
                    x.emit(.operator, from: start)
                    before = .start
                } else {
                    x.emit(.punctuation, from: start)
                    before = .annotation
                }
            case UInt8(ascii: "."):
                if source[start + 1].isDigit {
                    number(&x)
                } else {
                    x.position += 1
                    x.emit(.punctuation, from: start)
                    if before != .path { before = .dot }
                }
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                x.position += 1
                x.emit(.punctuation, from: start)
                if before != .path { before = .start }
            default:
                if byte.isWordStart {
                    if word(&x) { return false }
                } else if byte.isDigit {
                    number(&x)
                } else {
                    x.position += 1
                    while source[x.position].isOne(of: "+-*/%=<>!&|^~@") { x.position += 1 }
                    x.emit(.operator, from: start)
                    before = source.has("->", at: start) ? .annotation : .start
                }
            }
        }
        return false
    }

    /// True: a string was opened and the loop must look at the stack.
    private mutating func word(_ x: inout Scanner) -> Bool {
        let source = x.source
        let start = x.position
        var index = start
        var hash: UInt32 = 0
        while source[index].isWord {
            hash = Words.mix(hash, source[index])
            index &+= 1
        }
        let next = source[index]
        if next == UInt8(ascii: "\"") || next == UInt8(ascii: "'"), index - start <= 2, isPrefix(source, start, index) {
            return openString(&x, from: start, prefixEnd: index)
        }
        x.position = index
        let previous = before
        before = .operand
        var after = index
        while source[after].isBlank { after &+= 1 }
        let follower = source[after]

        if previous != .dot, let meaning = words.meaning(source, from: start, to: index, hash: hash),
            meaning.role != .name || isSoftKeyword(source, start, after)
        {
            x.emit(meaning.kind, from: start)
            switch meaning.role {
            case .function: before = .functionWord
            case .type: before = .typeWord
            case .path: before = .path
            default: if meaning.kind == .keyword { before = .word }
            }
            return false
        }
        let first = source[start]
        var kind = Highlight.Kind.plain
        if previous == .functionWord {
            kind = .function
        } else if previous == .typeWord {
            kind = .type
        } else if follower == UInt8(ascii: "("), previous != .path {
            kind = .function
        } else if first.isUpper {
            kind = isCaps(source, start, index) ? .constant : .type
            if previous == .dot { kind = kind == .type ? .property : kind }
        } else if previous == .dot {
            kind = .property
        } else if previous == .path {
            before = .path
        } else if previous == .annotation, types.meaning(source, from: start, to: index, hash: hash) != nil {
            kind = .type
        }
        x.emit(kind, from: start)
        return false
    }

    private func isCaps(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        for index in start..<end where source[index].isLower || source[index] >= 0x80 { return false }
        return true
    }

    /// `match x:`, `case _:`, `type X =` at the start of a line; `print` only as a statement of Python 2.
    private func isSoftKeyword(_ source: Bytes, _ start: Int, _ after: Int) -> Bool {
        guard source.isFirst(start) else { return false }
        let follower = source[after]
        if source.has("type", at: start) { return follower.isWordStart }
        if source.has("print", at: start) { return follower == UInt8(ascii: "\"") || follower == UInt8(ascii: "'") }
        guard follower.isWord || follower.isOne(of: "\"'([{-*"),
            source[after - 1].isBlank || follower == UInt8(ascii: "(")
        else { return false }
        var end = source.lineEnd(from: after) - 1
        while end > after, source[end].isSpace { end -= 1 }
        if source[end] == UInt8(ascii: ":") { return true }
        return source.has("case", at: start)
            && source.next(UInt8(ascii: ":"), from: after) < source.lineEnd(from: after)
    }

    private mutating func number(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        var index = start
        let isPrefixed = source[start] == UInt8(ascii: "0") && source[start + 1].isOne(of: "xXoObB")
        while true {
            let byte = source[index]
            if !isPrefixed, byte.lowered == UInt8(ascii: "e"), source[index + 1].isOne(of: "+-"),
                source[index + 2].isDigit
            {
                index += 2
            } else if byte.isWord || (byte == UInt8(ascii: ".") && !isPrefixed) {
                index += 1
            } else {
                break
            }
        }
        x.position = max(index, start + 1)
        x.emit(.number, from: start)
        before = .operand
    }

    // MARK: Strings

    private func isPrefix(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        for index in start..<end where !source[index].lowered.isOne(of: "rbfut") { return false }
        return true
    }

    private mutating func openString(_ x: inout Scanner, from start: Int, prefixEnd: Int) -> Bool {
        let source = x.source
        let quote = source[prefixEnd]
        var flags: StringFlags = quote == UInt8(ascii: "\"") ? .double : []
        for index in start..<prefixEnd {
            let letter = source[index].lowered
            if letter == UInt8(ascii: "r") { flags.insert(.raw) }
            if letter == UInt8(ascii: "f") || letter == UInt8(ascii: "t") { flags.insert(.formatted) }
        }
        x.position = prefixEnd + 1
        if source[prefixEnd + 1] == quote, source[prefixEnd + 2] == quote {
            flags.insert(.triple)
            x.position = prefixEnd + 3
        }
        before = .operand
        guard x.push(Frame(mode: Mode.string, flag: flags.rawValue)) else {
            x.emit(.string, from: start)
            return false
        }
        let depth = x.frames.count
        x.frames[depth - 2].data = before.rawValue
        string(&x, from: start)
        return x.frames.count != depth - 1
    }

    private mutating func string(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        let flags = StringFlags(rawValue: x.frames[x.frames.count - 1].flag)
        let quote = flags.contains(.double) ? UInt8(ascii: "\"") : UInt8(ascii: "'")
        let isTriple = flags.contains(.triple)
        let isFormatted = flags.contains(.formatted)
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == quote, !isTriple || (source[index + 1] == quote && source[index + 2] == quote) {
                x.frames.removeLast()
                x.position = index + (isTriple ? 3 : 1)
                x.emit(.string, from: start)
                return
            }
            if byte == UInt8(ascii: "\\") {
                if flags.contains(.raw) {
                    index += 2
                    continue
                }
                x.emit(.string, from: start, to: index)
                start = index
                index = escapeEnd(source, index)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            if byte == UInt8(ascii: "\n"), !isTriple {
                x.frames.removeLast()
                x.position = index
                x.emit(.string, from: start)
                return
            }
            if isFormatted, byte == UInt8(ascii: "{") {
                if source[index + 1] == byte {
                    index += 2
                    continue
                }
                if x.push(Frame(mode: Mode.hole)) {
                    x.emit(.string, from: start, to: index)
                    x.position = index + 1
                    x.emit(.punctuation, from: index)
                    return
                }
            }
            index &+= 1
        }
        x.position = min(index, source.count)
        x.emit(.string, from: start)
    }

    private func escapeEnd(_ source: Bytes, _ index: Int) -> Int {
        var end = index + 2
        switch source[index + 1] {
        case UInt8(ascii: "x"): while end < index + 4, source[end].isHexDigit { end += 1 }
        case UInt8(ascii: "u"): while end < index + 6, source[end].isHexDigit { end += 1 }
        case UInt8(ascii: "U"): while end < index + 10, source[end].isHexDigit { end += 1 }
        case UInt8(ascii: "N") where source[end] == UInt8(ascii: "{"):
            while end < index + 100, source[end] != UInt8(ascii: "}"), !source[end].isLineEnd { end += 1 }
            if source[end] == UInt8(ascii: "}") { end += 1 }
        case UInt8(ascii: "0")...UInt8(ascii: "7"): while end < index + 4, source[end] &- 48 < 8 { end += 1 }
        case UInt8(ascii: "\n"): end = index + 1
        default: while source[end] & 0xC0 == 0x80, end < index + 5 { end += 1 }
        }
        return min(end, source.count)
    }

    /// The format of a hole, up to its brace; it may hold further holes.
    private mutating func format(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        var index = start
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "}") {
                x.emit(.string, from: start, to: index)
                x.position = index + 1
                x.emit(.punctuation, from: index)
                x.frames.removeLast()
                return
            }
            if byte == UInt8(ascii: "{"), x.push(Frame(mode: Mode.hole)) {
                x.emit(.string, from: start, to: index)
                x.position = index + 1
                x.emit(.punctuation, from: index)
                return
            }
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                // Broken: give the hole up, the string goes on.
                x.emit(.string, from: start, to: index)
                x.position = index
                x.frames.removeLast()
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(.string, from: start)
    }
}
