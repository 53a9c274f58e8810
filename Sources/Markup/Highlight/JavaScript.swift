// JavaScript and TypeScript, with JSX: a lexer of its own for what a table cannot see: regular expressions against
// division, templates with code inside, elements inside code, types after colons (ECMA-262 clause 12, TypeScript 5).

/// The JavaScript family.
struct JavaScriptLexer {
    /// What a dialect adds.
    struct Dialect: OptionSet, Sendable {
        let rawValue: UInt8
        static let types = Dialect(rawValue: 1)
        static let elements = Dialect(rawValue: 2)
    }

    private enum Mode {
        static let ground: UInt8 = 0
        /// `${ … }`, or `{ … }` in an element; count: open braces.
        static let hole: UInt8 = 1
        static let template: UInt8 = 2
        static let comment: UInt8 = 3
        /// Inside `<name …>`; flag 1: a closing tag.
        static let tag: UInt8 = 4
        /// Between `<name>` and `</name>`.
        static let children: UInt8 = 5
        /// An attribute's string that spans lines; flag: its quote.
        static let attribute: UInt8 = 6
    }

    /// What stood before, for the next token: kept in the code frame's data.
    private enum Before: UInt32 {
        case start, operand, dot, functionWord, typeWord, word, closeBrace, typeColon, path
    }

    private static let words = Words([
        (.keyword, .function, "function"),
        (.keyword, .type, "class extends new implements interface enum"),
        (.keyword, .expression, "return throw case typeof delete void in of instanceof yield await else do"),
        (
            .keyword, .none,
            """
            async break catch const continue debugger default export finally for from get if import let
            set static switch target try var while with as
            """
        ),
        (.constant, .none, "true false null undefined NaN Infinity"),
        (.variable, .none, "this super arguments"),
    ])
    private static let typeWords = Words([
        (.keyword, .type, "interface enum implements extends type keyof is infer asserts satisfies"),
        (.keyword, .path, "namespace module"),
        (.keyword, .none, "abstract declare private protected public readonly override accessor global unique out"),
        (.type, .none, "string number boolean any void never unknown object symbol bigint"),
    ])

    let dialect: Dialect
    private let words: Words
    private let typeWords: Words
    private var before = Before.start

    static func lex(_ x: inout Scanner, base: Int, dialect: Dialect) {
        if x.frames.count <= base {
            x.frames.append(Frame(mode: Mode.ground))
            x.skipInterpreterLine()
        }
        var lexer = JavaScriptLexer(dialect)
        lexer.run(&x)
    }

    private init(_ dialect: Dialect) {
        self.dialect = dialect
        words = Self.words
        typeWords = Self.typeWords
    }

    private mutating func run(_ x: inout Scanner) {
        while x.position < x.source.count {
            let depth = x.frames.count
            let top = x.frames[depth - 1]
            switch top.mode {
            case Mode.template: template(&x, from: x.position)
            case Mode.comment: comment(&x, from: x.position)
            case Mode.tag: tag(&x)
            case Mode.children: children(&x)
            case Mode.attribute: attributeString(&x, from: x.position, quote: top.flag)
            default:
                before = Before(rawValue: top.data) ?? .start
                let isClosed = code(&x, isHole: top.mode == Mode.hole)
                x.frames[depth - 1].data = before.rawValue
                if isClosed { x.frames.removeLast() }
            }
        }
    }

    // MARK: Code

    /// True: the hole around was closed.
    private mutating func code(_ x: inout Scanner, isHole: Bool) -> Bool {
        let depth = x.frames.count
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            if byte.isSpace {
                x.position = start &+ 1
                continue
            }
            if byte.isWordStart || byte == UInt8(ascii: "$") {
                word(&x)
                continue
            }
            if byte.isDigit || (byte == UInt8(ascii: ".") && source[start + 1].isDigit) {
                number(&x)
                continue
            }
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                string(&x, byte)
            case UInt8(ascii: "`"):
                x.position += 1
                before = .operand
                guard x.push(Frame(mode: Mode.template)) else {
                    x.emit(.string, from: start)
                    continue
                }
                x.frames[depth - 1].data = before.rawValue
                template(&x, from: start)
                return false
            case UInt8(ascii: "/"):
                if slash(&x) { return false }
            case UInt8(ascii: "{"):
                x.position += 1
                x.emit(.punctuation, from: start)
                if isHole { x.frames[depth - 1].count &+= 1 }
                before = .start
            case UInt8(ascii: "}"):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = .closeBrace
                if isHole {
                    if x.frames[depth - 1].count == 0 { return true }
                    x.frames[depth - 1].count &-= 1
                }
            case UInt8(ascii: ")"), UInt8(ascii: "]"):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = .operand
            case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: ","), UInt8(ascii: ";"):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = .start
            case UInt8(ascii: "."):
                x.position += 1
                if source[x.position] == UInt8(ascii: "."), source[x.position + 1] == UInt8(ascii: ".") {
                    x.position += 2
                    x.emit(.operator, from: start)
                    before = .start
                } else {
                    x.emit(.punctuation, from: start)
                    before = .dot
                }
            case UInt8(ascii: "?") where source[start + 1] == UInt8(ascii: ".") && !source[start + 2].isDigit:
                x.position += 2
                x.emit(.operator, from: start)
                before = .dot
            case UInt8(ascii: ":"):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = .typeColon
            case UInt8(ascii: "<"):
                if dialect.contains(.elements), before != .operand, before != .dot, isElement(source, start) {
                    if openTag(&x) { return false }
                } else {
                    signs(&x)
                }
            case UInt8(ascii: "@"):
                x.position += 1
                while source[x.position].isWord || source[x.position] == UInt8(ascii: ".") { x.position += 1 }
                x.emit(.attribute, from: start)
                before = .start
            case UInt8(ascii: "#") where source[start + 1].isWordStart:
                x.position += 1
                while source[x.position].isWord || source[x.position] == UInt8(ascii: "$") { x.position += 1 }
                x.emit(source[x.position] == UInt8(ascii: "(") ? .function : .property, from: start)
                before = .operand
            default:
                signs(&x)
            }
            if x.frames.count != depth { return false }
        }
        return false
    }

    private mutating func signs(_ x: inout Scanner) {
        let start = x.position
        let source = x.source
        x.position += 1
        while source[x.position].isOne(of: "+-*=%<>!&|^~?"),
            source[x.position] != UInt8(ascii: "<") || !dialect.contains(.elements)
        {
            x.position += 1
        }
        // After `x++` an operand ends; elsewhere one is awaited.
        let isPostfix =
            before == .operand && x.position == start + 2
            && (source.has("++", at: start) || source.has("--", at: start))
        x.emit(.operator, from: start)
        if !isPostfix, source[start] != UInt8(ascii: "!") || before != .operand || x.position > start + 1 {
            before = .start
        }
    }

    private mutating func word(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        var index = start
        var hash: UInt32 = 0
        while true {
            let byte = source[index]
            guard byte.isWord || byte == UInt8(ascii: "$") else { break }
            hash = Words.mix(hash, byte)
            index &+= 1
        }
        x.position = index
        let previous = before
        var after = index
        while source[after].isBlank { after &+= 1 }
        let follower = source[after]
        before = .operand

        if previous == .typeColon, dialect.contains(.types), index - start == 4, source.has("void", at: start) {
            x.emit(.type, from: start)
            return
        }
        if previous != .dot,
            !(follower == UInt8(ascii: ":") && previous == .start && source[after + 1] != UInt8(ascii: ":"))
        {
            if let meaning = words.meaning(source, from: start, to: index, hash: hash),
                !isName(x, start, follower, meaning)
            {
                keyword(&x, meaning, from: start)
                return
            }
            if dialect.contains(.types), let meaning = typeWords.meaning(source, from: start, to: index, hash: hash),
                isTypeWord(meaning, source, after, follower, previous)
            {
                keyword(&x, meaning, from: start)
                return
            }
        }
        x.emit(kind(source, from: start, to: index, after: after, follower: follower, previous: previous), from: start)
    }

    private mutating func keyword(_ x: inout Scanner, _ meaning: Words.Meaning, from start: Int) {
        x.emit(meaning.kind, from: start)
        guard meaning.kind == .keyword else { return }
        switch meaning.role {
        case .function: before = .functionWord
        case .type: before = .typeWord
        case .path: before = .path
        case .expression: before = .start
        default: before = .word
        }
    }

    /// `get`, `set`, `of`, `from`, `async`, `static`, `as`, `target` are names too.
    private func isName(_ x: Scanner, _ start: Int, _ follower: UInt8, _ meaning: Words.Meaning) -> Bool {
        guard meaning.kind == .keyword else { return false }
        let source = x.source
        let length = x.position - start
        let isSoft =
            (source.has("get", at: start) || source.has("set", at: start)) && length == 3
            || (source.has("of", at: start) || source.has("as", at: start)) && length == 2
            || source.has("from", at: start) && length == 4 || source.has("async", at: start) && length == 5
            || source.has("target", at: start) && length == 6 || source.has("static", at: start) && length == 6
        guard isSoft else { return false }
        if source.has("target", at: start) { return true }
        if source.has("as", at: start) || source.has("from", at: start), length == 2 || length == 4 {
            return
                !(follower.isWordStart || follower == UInt8(ascii: "{") || follower == UInt8(ascii: "\"")
                || follower == UInt8(ascii: "'") || follower == UInt8(ascii: "*")) || before == .start
        }
        if source.has("async", at: start) {
            return !(follower.isWordStart || follower == UInt8(ascii: "(") || follower == UInt8(ascii: "*"))
        }
        if source.has("of", at: start) { return before == .start || before == .dot }
        return
            !(follower.isWordStart || follower == UInt8(ascii: "[") || follower == UInt8(ascii: "#")
            || follower == UInt8(ascii: "*") || follower == UInt8(ascii: "{")) || before == .dot
    }

    /// TypeScript's words are names in JavaScript and often in TypeScript too.
    private func isTypeWord(
        _ meaning: Words.Meaning,
        _ source: Bytes,
        _ after: Int,
        _ follower: UInt8,
        _ previous: Before
    ) -> Bool {
        if meaning.kind == .type {
            return previous == .typeColon
                || (previous == .start || previous == .word || previous == .typeWord)
                    && follower != UInt8(ascii: "(") && follower != UInt8(ascii: ".") && follower != UInt8(ascii: "=")
        }
        return follower.isWordStart || follower == UInt8(ascii: "{") || follower == UInt8(ascii: "[")
            || follower == UInt8(ascii: "\"")
            || follower == UInt8(ascii: "'") || follower == UInt8(ascii: "$")
    }

    private func kind(
        _ source: Bytes,
        from start: Int,
        to end: Int,
        after: Int,
        follower: UInt8,
        previous: Before
    ) -> Highlight.Kind {
        let first = source[start]
        if previous == .functionWord { return .function }
        if previous == .typeWord, follower != UInt8(ascii: "."), first.isUpper || dialect.contains(.types) {
            return .type
        }
        if previous == .typeWord, follower == UInt8(ascii: "{") { return .type }
        if follower == UInt8(ascii: "("), previous != .path {
            return first.isUpper && previous != .dot ? .type : .function
        }
        if follower == UInt8(ascii: "<"), dialect.contains(.types), isCall(source, after) { return .function }
        if follower == UInt8(ascii: "?"), source.has("?.(", at: after) { return .function }
        if previous == .dot { return givesFunction(source, after, follower) ? .function : .property }
        if first.isUpper || first == UInt8(ascii: "_") {
            if end - start > 1, isCaps(source, start, end) { return .constant }
            if first.isUpper { return .type }
        }
        if givesFunction(source, after, follower) { return .function }
        if follower == UInt8(ascii: ":"), previous == .start { return .property }
        return .plain
    }

    private func isCaps(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        for index in start..<end
        where source[index].isLower || source[index] >= 0x80 || source[index] == UInt8(ascii: "$") { return false }
        return true
    }

    /// `name = function`, `name = (…) =>`, `name = x =>`, `name: async (…) =>` on one line.
    private func givesFunction(_ source: Bytes, _ after: Int, _ follower: UInt8) -> Bool {
        guard
            follower == UInt8(ascii: "=") && source[after + 1] != UInt8(ascii: "=")
                && source[after + 1] != UInt8(ascii: ">")
                || follower == UInt8(ascii: ":")
        else { return false }
        var index = after + 1
        while source[index].isBlank { index += 1 }
        if source.has("async", at: index), !source[index + 5].isWord {
            index += 5
            while source[index].isBlank { index += 1 }
        }
        if source.has("function", at: index), !source[index + 8].isWord { return true }
        if source[index].isWordStart {
            while source[index].isWord { index += 1 }
            while source[index].isBlank { index += 1 }
            return source.has("=>", at: index)
        }
        if source[index] == UInt8(ascii: "<"), dialect.contains(.types) {
            let open = index
            while index - open < 100, source[index] != UInt8(ascii: ">"), !source[index].isLineEnd { index += 1 }
            index += 1
        }
        guard source[index] == UInt8(ascii: "(") else { return false }
        // A bounded look for the matching parenthesis on this line.
        var depth = 0
        for step in 0..<240 {
            let byte = source[index + step]
            if byte == UInt8(ascii: "(") { depth += 1 }
            if byte == UInt8(ascii: ")") {
                depth -= 1
                if depth == 0 {
                    var rest = index + step + 1
                    while source[rest].isBlank { rest += 1 }
                    return source.has("=>", at: rest) || (dialect.contains(.types) && source[rest] == UInt8(ascii: ":"))
                }
            }
            if byte.isLineEnd || byte == 0 { return false }
        }
        return false
    }

    /// `<A, B>(` directly after a name.
    private func isCall(_ source: Bytes, _ after: Int) -> Bool {
        var depth = 0
        for step in 0..<80 {
            let byte = source[after + step]
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                if source[after + step - 1] == UInt8(ascii: "=") { continue }
                depth -= 1
                if depth == 0 { return source[after + step + 1] == UInt8(ascii: "(") }
            case UInt8(ascii: "\n"), UInt8(ascii: ";"), 0: return false
            default: break
            }
        }
        return false
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
            } else if byte.isWord
                || (byte == UInt8(ascii: ".") && !isPrefixed && source[index + 1] != UInt8(ascii: "."))
            {
                index += 1
            } else {
                break
            }
        }
        x.position = max(index, start + 1)
        x.emit(.number, from: start)
        before = .operand
    }

    // MARK: Strings, templates, regular expressions, comments

    private mutating func string(_ x: inout Scanner, _ quote: UInt8) {
        let source = x.source
        var start = x.position
        var index = start + 1
        before = .operand
        while index < source.count {
            let byte = source[index]
            if byte == quote {
                index += 1
                break
            }
            // A string that goes on after a backslash at the line's end is rare, and would need a frame of its own.
            if byte == UInt8(ascii: "\n") || (byte == UInt8(ascii: "\\") && source[index + 1] == UInt8(ascii: "\n")) {
                break
            }
            if byte == UInt8(ascii: "\\") {
                x.emit(.string, from: start, to: index)
                start = index
                index = escapeEnd(source, index)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            index &+= 1
        }
        x.position = min(index, source.count)
        x.emit(.string, from: start)
    }

    private func escapeEnd(_ source: Bytes, _ index: Int) -> Int {
        var end = index + 2
        switch source[index + 1] {
        case UInt8(ascii: "x"):
            while end < index + 4, source[end].isHexDigit { end += 1 }
        case UInt8(ascii: "u"):
            if source[end] == UInt8(ascii: "{") {
                while end < index + 12, source[end] != UInt8(ascii: "}"), !source[end].isLineEnd { end += 1 }
                if source[end] == UInt8(ascii: "}") { end += 1 }
            } else {
                while end < index + 6, source[end].isHexDigit { end += 1 }
            }
        default:
            while source[end] & 0xC0 == 0x80, end < index + 5 { end += 1 }
        }
        return min(end, source.count)
    }

    private mutating func template(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "`") {
                x.frames.removeLast()
                x.position = index + 1
                x.emit(.string, from: start)
                return
            }
            if byte == UInt8(ascii: "\\") {
                x.emit(.string, from: start, to: index)
                start = index
                index = escapeEnd(source, index)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            if byte == UInt8(ascii: "$"), source[index + 1] == UInt8(ascii: "{"), x.push(Frame(mode: Mode.hole)) {
                x.emit(.string, from: start, to: index)
                x.position = index + 2
                x.emit(.punctuation, from: index)
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(.string, from: start)
    }

    /// A comment, a regular expression or a division.
    ///
    /// True: a comment was left open.
    private mutating func slash(_ x: inout Scanner) -> Bool {
        let source = x.source
        let start = x.position
        if source[start + 1] == UInt8(ascii: "/") {
            x.position = source.lineEnd(from: start)
            x.emit(.comment, from: start)
            return false
        }
        if source[start + 1] == UInt8(ascii: "*") {
            x.position += 2
            guard x.push(Frame(mode: Mode.comment)) else {
                x.emit(.comment, from: start)
                return false
            }
            let depth = x.frames.count
            x.frames[depth - 2].data = before.rawValue
            comment(&x, from: start)
            return x.frames.count == depth
        }
        guard before != .operand, before != .dot, regularExpression(&x) else {
            signs(&x)
            return false
        }
        return false
    }

    private mutating func comment(_ x: inout Scanner, from start: Int) {
        let source = x.source
        var index = x.position
        while index < source.count {
            if source[index] == UInt8(ascii: "*"), source[index + 1] == UInt8(ascii: "/") {
                x.frames.removeLast()
                x.position = index + 2
                x.emit(.comment, from: start)
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(.comment, from: start)
    }

    /// A regular expression literal when one is closed on this line.
    private mutating func regularExpression(_ x: inout Scanner) -> Bool {
        let source = x.source
        let start = x.position
        var index = start + 1
        var isInSet = false
        while true {
            let byte = source[index]
            if byte == UInt8(ascii: "\n") || index >= source.count || index - start > HighlightLimits.patternBytes {
                return false
            }
            if byte == UInt8(ascii: "\\"), source[index + 1] != UInt8(ascii: "\n") {
                index += 2
                continue
            }
            if byte == UInt8(ascii: "[") { isInSet = true }
            if byte == UInt8(ascii: "]") { isInSet = false }
            index &+= 1
            if byte == UInt8(ascii: "/"), !isInSet { break }
        }
        while source[index].isLetter { index += 1 }
        x.position = index
        x.emit(.regexp, from: start)
        before = .operand
        return true
    }

    // MARK: Elements

    private func isElement(_ source: Bytes, _ index: Int) -> Bool {
        let next = source[index + 1]
        if next == UInt8(ascii: ">") { return true }
        guard next.isLetter else { return false }
        // In TypeScript `<T>(x)`, `<T,>` and `<T extends …>` are type parameters, not elements.
        guard dialect.contains(.types) else { return true }
        var end = index + 1
        while source[end].isWord || source[end] == UInt8(ascii: ".") || source[end] == UInt8(ascii: "-") { end += 1 }
        if source[end] == UInt8(ascii: ",") || source.has(" extends ", at: end) { return false }
        return !source.has(">(", at: end)
    }

    /// Opens a tag frame for `<name`, `</name` or `<>`.
    ///
    /// False at the nesting bound.
    private mutating func openTag(_ x: inout Scanner) -> Bool {
        let source = x.source
        let start = x.position
        let isClosing = source[start + 1] == UInt8(ascii: "/")
        guard x.push(Frame(mode: Mode.tag, flag: isClosing ? 1 : 0)) else {
            x.position += 1
            return false
        }
        x.position += isClosing ? 2 : 1
        x.emit(.punctuation, from: start)
        let name = x.position
        while source[x.position].isWord || source[x.position].isOne(of: "-.:$") { x.position += 1 }
        x.emit(source[name].isUpper ? .type : .tag, from: name)
        return true
    }

    private mutating func tag(_ x: inout Scanner) {
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            if byte.isSpace {
                x.position += 1
            } else if byte == UInt8(ascii: ">") {
                x.position += 1
                x.emit(.punctuation, from: start)
                let isClosing = x.frames[x.frames.count - 1].flag == 1
                x.frames.removeLast()
                if isClosing {
                    // The children's frame ends with its closing tag.
                    if x.frames[x.frames.count - 1].mode == Mode.children { x.frames.removeLast() }
                    endElement(&x)
                } else {
                    _ = x.push(Frame(mode: Mode.children))
                }
                return
            } else if byte == UInt8(ascii: "/"), source[start + 1] == UInt8(ascii: ">") {
                x.position += 2
                x.emit(.punctuation, from: start)
                x.frames.removeLast()
                endElement(&x)
                return
            } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                x.position += 1
                guard x.push(Frame(mode: Mode.attribute, flag: byte)) else { continue }
                attributeString(&x, from: start, quote: byte)
                return
            } else if byte == UInt8(ascii: "{") {
                x.position += 1
                x.emit(.punctuation, from: start)
                if x.push(Frame(mode: Mode.hole)) { return }
            } else if byte == UInt8(ascii: "/"), source[start + 1] == UInt8(ascii: "*") {
                x.position += 2
                guard x.push(Frame(mode: Mode.comment)) else { continue }
                comment(&x, from: start)
                return
            } else if byte.isWordStart {
                while source[x.position].isWord || source[x.position].isOne(of: "-.:") { x.position += 1 }
                x.emit(.attribute, from: start)
            } else {
                x.position += 1
                x.emit(byte == UInt8(ascii: "=") ? .operator : .punctuation, from: start)
            }
        }
    }

    /// After an element the code around goes on as after an operand.
    private mutating func endElement(_ x: inout Scanner) {
        let top = x.frames.count - 1
        if x.frames[top].mode == Mode.ground || x.frames[top].mode == Mode.hole {
            x.frames[top].data = Before.operand.rawValue
        }
    }

    private mutating func attributeString(_ x: inout Scanner, from start: Int, quote: UInt8) {
        let end = x.source.next(quote, from: x.position)
        if end < x.source.count {
            x.frames.removeLast()
            x.position = end + 1
        } else {
            x.position = end
        }
        x.emit(.string, from: start)
    }

    private mutating func children(_ x: inout Scanner) {
        let source = x.source
        while x.position < source.count {
            let byte = source[x.position]
            if byte == UInt8(ascii: "{") {
                let start = x.position
                x.position += 1
                x.emit(.punctuation, from: start)
                if x.push(Frame(mode: Mode.hole)) { return }
            } else if byte == UInt8(ascii: "<"),
                source[x.position + 1].isLetter || source[x.position + 1] == UInt8(ascii: "/")
                    || source[x.position + 1] == UInt8(ascii: ">")
            {
                if openTag(&x) { return }
            } else {
                x.position += 1
            }
        }
    }
}
