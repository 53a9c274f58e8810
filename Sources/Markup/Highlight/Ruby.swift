// Ruby (and Crystal) and Perl: quoting with any delimiter, here-documents, regular expressions against division,
// interpolation, documentation blocks (Ruby's lexer documentation; perlop, perldata).

/// The lexer of Ruby and Perl.
struct RubyLexer {
    private enum Mode {
        static let ground: UInt8 = 0
        /// `#{ … }`; count: open braces.
        static let hole: UInt8 = 1
        /// A delimited string; count: nesting of its brackets; data: Quote.
        static let string: UInt8 = 2
        /// A here-document; data: digest; flag: bit 0 literal, bit 1 indented delimiter.
        static let document: UInt8 = 3
        /// `=begin … =end`, POD.
        static let block: UInt8 = 4
        /// After `__END__`.
        static let end: UInt8 = 5
    }

    /// What a string frame needs to know, packed in its data.
    private struct Quote {
        var open: UInt8
        var close: UInt8
        var hasHoles = false
        var isPattern = false
        /// Parts still to come after this one: `s/a/b/`.
        var more: UInt8 = 0

        init(open: UInt8, close: UInt8, hasHoles: Bool, isPattern: Bool = false, more: UInt8 = 0) {
            self.open = open
            self.close = close
            self.hasHoles = hasHoles
            self.isPattern = isPattern
            self.more = more
        }

        init(packed: UInt32) {
            open = UInt8(truncatingIfNeeded: packed)
            close = UInt8(truncatingIfNeeded: packed >> 8)
            hasHoles = packed & 0x1_0000 != 0
            isPattern = packed & 0x2_0000 != 0
            more = UInt8(truncatingIfNeeded: packed >> 24)
        }

        var packed: UInt32 {
            UInt32(open) | UInt32(close) << 8 | (hasHoles ? 0x1_0000 : 0) | (isPattern ? 0x2_0000 : 0) | UInt32(more)
                << 24
        }
    }

    private struct Document { var digest: UInt32, flag: UInt8 }

    private enum Before: UInt32 { case start, operand, name, dot, functionWord, typeWord, word }

    private static let rubyWords = Words([
        (.keyword, .function, "def undef alias"),
        (.keyword, .type, "class module"),
        (.keyword, .expression, "if unless while until and or not return when in case elsif then do yield puts raise"),
        (
            .keyword, .none,
            """
            BEGIN END begin break defined? else end ensure for next redo rescue retry super require require_relative include extend
            prepend attr_reader attr_writer attr_accessor private protected public module_function lambda proc loop catch throw
            """
        ),
        (.constant, .none, "true false nil __FILE__ __LINE__ __dir__ __method__"),
        (.variable, .none, "self"),
    ])
    private static let perlWords = Words([
        (.keyword, .function, "sub"),
        (.keyword, .type, "package"),
        (
            .keyword, .expression,
            "if unless while until and or not return when foreach for elsif split grep map join push x lt gt le ge eq ne cmp"
        ),
        (
            .keyword, .none,
            """
            BEGIN END else do last next redo goto my our local state use no require given default continue eval die warn print printf
            say given xor class field method try catch finally defer async await
            """
        ),
        (
            .function, .none,
            """
            abs bless chdir chomp chop chr close defined delete each exists exit hex index int keys lc length lcfirst open oct ord pack pop
            pos quotemeta read ref reverse rindex scalar seek shift sort splice sprintf sqrt substr time uc ucfirst undef unlink unpack
            unshift values wantarray
            """
        ),
        (.constant, .none, "__PACKAGE__ __FILE__ __LINE__ __SUB__"),
    ])

    private let isPerl: Bool
    private let words: Words
    private var before = Before.start
    private var pending: [Document] = []
    /// Where the last of them was announced, and whether they begin now.
    private var pendingFrom = 0
    private var isDue = false

    static func lex(_ x: inout Scanner, base: Int, isPerl: Bool) {
        if x.frames.count <= base {
            x.frames.append(Frame(mode: Mode.ground))
            x.skipInterpreterLine()
        }
        var lexer = RubyLexer(isPerl: isPerl)
        while x.position < x.source.count {
            let depth = x.frames.count
            let top = x.frames[depth - 1]
            switch top.mode {
            case Mode.string: lexer.string(&x, from: x.position)
            case Mode.document: lexer.document(&x)
            case Mode.block: lexer.block(&x)
            case Mode.end:
                let start = x.position
                x.position = x.source.count
                x.emit(.comment, from: start)
            default:
                lexer.before = Before(rawValue: top.data) ?? .start
                let isClosed = lexer.code(&x, isHole: top.mode == Mode.hole)
                x.frames[depth - 1].data = lexer.before.rawValue
                if isClosed { x.frames.removeLast() }
                lexer.openDocuments(&x)
            }
        }
    }

    private init(isPerl: Bool) {
        self.isPerl = isPerl
        words = isPerl ? Self.perlWords : Self.rubyWords
    }

    private mutating func code(_ x: inout Scanner, isHole: Bool) -> Bool {
        let source = x.source
        let depth = x.frames.count
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            if start == 0 || source[start - 1] == UInt8(ascii: "\n"), lineStart(&x, start, byte) { return false }
            switch byte {
            case UInt8(ascii: "\n"):
                x.position += 1
                if before != .dot { before = .start }
                if isDue(source, at: start) { return false }
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"): x.position += 1
            case UInt8(ascii: "#"):
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            case UInt8(ascii: "\""), UInt8(ascii: "'"), UInt8(ascii: "`"):
                x.position += 1
                open(&x, Quote(open: byte, close: byte, hasHoles: byte != UInt8(ascii: "'")), from: start)
            case UInt8(ascii: "/"):
                let isDivision =
                    before == .operand || (before == .name && (source[start + 1].isSpace || !source[start - 1].isSpace))
                if isDivision || source[start + 1] == byte && isPerl {
                    sign(&x, start)
                } else {
                    x.position += 1
                    open(&x, Quote(open: byte, close: byte, hasHoles: true, isPattern: true), from: start)
                }
            case UInt8(ascii: "%"): percent(&x, start)
            case UInt8(ascii: "$"), UInt8(ascii: "@"): sigil(&x, start, byte)
            case UInt8(ascii: ":"): colon(&x, start)
            case UInt8(ascii: "<") where source[start + 1] == byte && document(&x, mark: start): break
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                x.position += 1
                x.emit(.punctuation, from: start)
                if isHole, byte == UInt8(ascii: "{") { x.frames[depth - 1].count &+= 1 }
                before = .start
                if isPerl, byte == UInt8(ascii: "{") { bareKey(&x) }
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = .operand
                if isHole, byte == UInt8(ascii: "}") {
                    if x.frames[depth - 1].count == 0 { return true }
                    x.frames[depth - 1].count &-= 1
                }
            case UInt8(ascii: ","), UInt8(ascii: ";"):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = .start
            case UInt8(ascii: "."):
                x.position += 1
                x.emit(.punctuation, from: start)
                before = isPerl || source[x.position] == byte ? .start : .dot
            default:
                if byte.isWordStart {
                    word(&x, start)
                } else if byte.isDigit {
                    number(&x, start)
                } else {
                    sign(&x, start)
                }
            }
            if x.frames.count != depth { return false }
        }
        return false
    }

    /// `=begin`, POD, `__END__` at the start of a line.
    ///
    /// True: a frame was pushed.
    private func lineStart(_ x: inout Scanner, _ start: Int, _ byte: UInt8) -> Bool {
        let source = x.source
        if byte == UInt8(ascii: "="), isPerl ? source[start + 1].isLetter : source.has("=begin", at: start) {
            guard x.push(Frame(mode: Mode.block)) else { return false }
            return true
        }
        if source.has("__END__", at: start) || (isPerl && source.has("__DATA__", at: start)) {
            let end = source.lineEnd(from: start)
            x.emit(.keyword, from: start, to: end)
            x.position = end
            return x.push(Frame(mode: Mode.end))
        }
        return false
    }

    private func block(_ x: inout Scanner) {
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            x.position = min(end + 1, source.count)
            x.emit(.comment, from: start, to: end)
            if isPerl ? source.has("=cut", at: start) : source.has("=end", at: start) {
                x.frames.removeLast()
                return
            }
        }
    }

    // MARK: Names and signs

    private mutating func sign(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        x.position += 1
        while source[x.position].isOne(of: "+-*=<>!&|^~?."),
            !(source[x.position] == UInt8(ascii: "<") && source[x.position + 1] == UInt8(ascii: "<"))
        {
            x.position += 1
        }
        x.emit(.operator, from: start)
        before =
            isPerl && source.has("->", at: start) && x.position == start + 2 || source.has("&.", at: start)
            ? .dot : .start
    }

    private mutating func number(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        while source[x.position].isWord || (source[x.position] == UInt8(ascii: ".") && source[x.position + 1].isDigit)
            || (source[x.position].isOne(of: "+-") && source[x.position - 1].lowered == UInt8(ascii: "e")
                && !source.has("0x", at: start))
        {
            x.position += 1
        }
        x.emit(.number, from: start)
        before = .operand
    }

    private mutating func word(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        var index = start
        while source[index].isWord
            || (isPerl && source[index] == UInt8(ascii: ":") && source[index + 1] == UInt8(ascii: ":")
                && source[index + 2].isWordStart)
        {
            index += source[index] == UInt8(ascii: ":") ? 2 : 1
        }
        if !isPerl, source[index].isOne(of: "?!"),
            source[index + 1] != UInt8(ascii: "=") || source[index + 2] == UInt8(ascii: "=")
        {
            index += 1
        }
        x.position = index
        let previous = before
        var after = index
        while source[after].isBlank { after += 1 }
        let follower = source[after]
        before = .name

        if isPerl, previous != .dot, quoteOperator(&x, start, index) { return }
        // `key: value` and `key => value`
        if !isPerl, source[index] == UInt8(ascii: ":"), source[index + 1] != UInt8(ascii: ":"), previous != .operand {
            x.position += 1
            x.emit(.constant, from: start)
            before = .start
            return
        }
        if isPerl, source.has("=>", at: after) {
            x.emit(.string, from: start)
            before = .operand
            return
        }
        if previous != .dot, previous != .functionWord, let meaning = words.meaning(source, from: start, to: index) {
            x.emit(meaning.kind, from: start)
            switch meaning.role {
            case .function: before = .functionWord
            case .type: before = .typeWord
            case .expression: before = .start
            default: before = meaning.kind == .keyword ? .word : meaning.kind == .function ? .start : .operand
            }
            return
        }
        if previous == .functionWord {
            if follower == UInt8(ascii: "."), !isPerl {
                x.emit(.variable, from: start)
                before = .functionWord
                x.position = after + 1
                return
            }
            x.emit(.function, from: start)
            before = .operand
        } else if previous == .typeWord || (source[start].isUpper && !isPerl) {
            x.emit(isCaps(source, start, index) && previous != .typeWord ? .constant : .type, from: start)
            before = .operand
        } else if follower == UInt8(ascii: "("), after == index {
            x.emit(.function, from: start)
        } else if previous == .dot {
            x.emit(.function, from: start)
        }
    }

    private func isCaps(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        for index in start..<end where source[index].isLower { return false }
        return end - start > 1
    }

    /// Perl's `{name}` subscripts are strings without quotes.
    private mutating func bareKey(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        guard source[start - 2].isWord || source[start - 2] == UInt8(ascii: ">") || source[start - 2].isOne(of: "}]")
        else { return }
        var index = start
        while source[index].isWord { index += 1 }
        guard index > start, source[index] == UInt8(ascii: "}") else { return }
        x.position = index
        x.emit(.string, from: start)
        before = .operand
    }

    private mutating func sigil(_ x: inout Scanner, _ start: Int, _ byte: UInt8) {
        let source = x.source
        x.position += 1
        if byte == UInt8(ascii: "@"), source[x.position] == byte { x.position += 1 }
        if isPerl, source[x.position] == UInt8(ascii: "#"),
            source[x.position + 1].isWordStart || source[x.position + 1].isOne(of: "{$")
        {
            x.position += 1
        }
        while isPerl, source[x.position] == UInt8(ascii: "$"),
            source[x.position + 1].isWordStart || source[x.position + 1] == UInt8(ascii: "{")
        { x.position += 1 }
        if source[x.position].isWord || (isPerl && source.has("::", at: x.position)) {
            while source[x.position].isWord
                || (isPerl && source.has("::", at: x.position) && source[x.position + 2].isWordStart)
            {
                x.position += source[x.position] == UInt8(ascii: ":") ? 2 : 1
            }
        } else if byte == UInt8(ascii: "$"), !source[x.position].isSpace, source[x.position] != UInt8(ascii: "{"),
            x.position < source.count
        {
            x.position += 1
        }
        x.emit(.variable, from: start)
        before = .operand
    }

    private mutating func colon(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        let next = source[start + 1]
        if next == UInt8(ascii: ":") {
            x.position += 2
            x.emit(.punctuation, from: start)
            before = .start
        } else if !isPerl, next.isWordStart, !source[start - 1].isWord {
            x.position += 1
            while source[x.position].isWord { x.position += 1 }
            if source[x.position].isOne(of: "?!="), source[x.position + 1] != UInt8(ascii: ">"),
                source[x.position + 1] != UInt8(ascii: "=")
            {
                x.position += 1
            }
            x.emit(.constant, from: start)
            before = .operand
        } else if !isPerl, next == UInt8(ascii: "\"") {
            x.position += 2
            open(&x, Quote(open: next, close: next, hasHoles: true), from: start)
        } else {
            x.position += 1
            x.emit(.operator, from: start)
            before = .start
        }
    }

    // MARK: Quoting

    private static func closing(_ open: UInt8) -> UInt8 {
        switch open {
        case UInt8(ascii: "("): UInt8(ascii: ")")
        case UInt8(ascii: "["): UInt8(ascii: "]")
        case UInt8(ascii: "{"): UInt8(ascii: "}")
        case UInt8(ascii: "<"): UInt8(ascii: ">")
        default: open
        }
    }

    /// Ruby's `%w[…]`, `%q(…)`, `%r{…}`; Perl's hashes `%name`.
    private mutating func percent(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        if isPerl {
            if before != .operand,
                source[start + 1].isWordStart || source[start + 1] == UInt8(ascii: "$")
                    || source[start + 1] == UInt8(ascii: "{")
            {
                sigil(&x, start, UInt8(ascii: "%"))
            } else {
                sign(&x, start)
            }
            return
        }
        var index = start + 1
        let kind = source[index]
        if kind.isOne(of: "qQwWiIrsx") { index += 1 }
        let open = source[index]
        let mayQuote = index > start + 1 ? !open.isWord && !open.isSpace : open.isOne(of: "([{<|!")
        guard mayQuote, index < source.count, before != .operand || (before == .name && index > start + 1) else {
            sign(&x, start)
            return
        }
        x.position = index + 1
        let isLiteral = kind.isOne(of: "qwis") && index > start + 1
        self.open(
            &x,
            Quote(
                open: open,
                close: Self.closing(open),
                hasHoles: !isLiteral,
                isPattern: kind == UInt8(ascii: "r") && index > start + 1
            ),
            from: start
        )
    }

    /// Perl's `q qq qw qr m s tr y` with their delimiters.
    private mutating func quoteOperator(_ x: inout Scanner, _ start: Int, _ end: Int) -> Bool {
        let source = x.source
        guard end - start <= 2 else { return false }
        let isOne = end - start == 1
        let first = source[start]
        let isKnown =
            isOne
            ? first.isOne(of: "qmsy")
            : source.has("qq", at: start) || source.has("qw", at: start) || source.has("qr", at: start)
                || source.has("qx", at: start) || source.has("tr", at: start)
        guard isKnown else { return false }
        var index = end
        while source[index].isBlank { index += 1 }
        let open = source[index]
        guard !open.isWord, !open.isSpace, index < source.count, !open.isOne(of: ",;)"), !source.has("=>", at: index),
            open != UInt8(ascii: "=") || index == end, open != UInt8(ascii: "#") || index == end
        else { return false }
        let isTwice = first == UInt8(ascii: "s") || first == UInt8(ascii: "y") || source.has("tr", at: start)
        let isPattern = isTwice || first == UInt8(ascii: "m") || source.has("qr", at: start)
        x.position = index + 1
        self.open(
            &x,
            Quote(
                open: open,
                close: Self.closing(open),
                hasHoles: !(isOne && first == UInt8(ascii: "q")) && !source.has("qw", at: start),
                isPattern: isPattern,
                more: isTwice ? 1 : 0
            ),
            from: start
        )
        return true
    }

    private mutating func open(_ x: inout Scanner, _ quote: Quote, from start: Int) {
        before = .operand
        guard x.push(Frame(mode: Mode.string, data: quote.packed)) else {
            x.emit(.string, from: start)
            return
        }
        x.frames[x.frames.count - 2].data = before.rawValue
        string(&x, from: start)
    }

    private mutating func string(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        let top = x.frames.count - 1
        let quote = Quote(packed: x.frames[top].data)
        let kind: Highlight.Kind = quote.isPattern ? .regexp : .string
        let nests = quote.open != quote.close
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "\\") {
                if quote.hasHoles {
                    x.emit(kind, from: start, to: index)
                    let end = min(index + 2, source.count)
                    x.emit(.escape, from: index, to: end)
                    start = end
                }
                index = min(index + 2, source.count)
                continue
            }
            if byte == quote.close {
                if nests, x.frames[top].count > 0 {
                    x.frames[top].count -= 1
                    index += 1
                    continue
                }
                index += 1
                if quote.more > 0 {
                    if nests {
                        while source[index].isBlank { index += 1 }
                        if source[index] == quote.open { index += 1 }
                    }
                    x.frames[top].data =
                        Quote(open: quote.open, close: quote.close, hasHoles: quote.hasHoles, isPattern: true).packed
                    x.position = index
                    x.emit(kind, from: start)
                    return
                }
                if quote.isPattern { while source[index].isLetter { index += 1 } }
                x.frames.removeLast()
                x.position = index
                x.emit(kind, from: start)
                return
            }
            if nests, byte == quote.open, x.frames[top].count < .max { x.frames[top].count += 1 }
            if quote.hasHoles {
                if !isPerl, byte == UInt8(ascii: "#"), source[index + 1] == UInt8(ascii: "{"),
                    x.push(Frame(mode: Mode.hole))
                {
                    x.emit(kind, from: start, to: index)
                    x.position = index + 2
                    x.emit(.punctuation, from: index)
                    return
                }
                if isPerl, byte == UInt8(ascii: "$") || byte == UInt8(ascii: "@"),
                    source[index + 1].isWordStart || source[index + 1] == UInt8(ascii: "{")
                {
                    x.emit(kind, from: start, to: index)
                    start = index
                    index += source[index + 1] == UInt8(ascii: "{") ? 2 : 1
                    while source[index].isWord { index += 1 }
                    if source[index] == UInt8(ascii: "}"), quote.close != source[index] { index += 1 }
                    x.emit(.variable, from: start, to: index)
                    start = index
                    continue
                }
            }
            // A pattern that is not closed on its line was a division after all.
            if byte == UInt8(ascii: "\n"), quote.isPattern, quote.open == UInt8(ascii: "/"), quote.more == 0 {
                x.frames.removeLast()
                x.position = index
                x.emit(kind, from: start)
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(kind, from: start)
    }

    // MARK: Here-documents

    /// `<<~NAME`, `<<"NAME"`.
    ///
    /// False: it is a shift.
    private mutating func document(_ x: inout Scanner, mark start: Int) -> Bool {
        let source = x.source
        var index = start + 2
        var flag: UInt8 = 0
        if source[index] == UInt8(ascii: "~") || source[index] == UInt8(ascii: "-") {
            flag |= 2
            index += 1
        }
        let quote = source[index]
        let isQuoted = quote == UInt8(ascii: "'") || quote == UInt8(ascii: "\"")
        if isQuoted { index += 1 }
        let from = index
        guard
            source[index].isUpper || source[index] == UInt8(ascii: "_") || (isQuoted && source[index].isWord)
                || (flag > 0 && source[index].isWordStart)
        else { return false }
        while source[index].isWord, index - from < 200 { index += 1 }
        if isQuoted {
            guard source[index] == quote else { return false }
            if quote == UInt8(ascii: "'") { flag |= 1 }
        }
        guard pending.count < 8 else { return false }
        pendingFrom = x.position
        pending.append(Document(digest: source.digest(from: from, to: index), flag: flag))
        x.position = isQuoted ? index + 1 : index
        x.emit(.string, from: start)
        before = .operand
        return true
    }

    /// Whether the documents of the line that ends at `feed` begin now; those of an earlier line, which ended inside of
    /// a string, are forgotten, because a line that is lexed alone does not know them.
    private mutating func isDue(_ source: Bytes, at feed: Int) -> Bool {
        guard !pending.isEmpty else { return false }
        isDue = source.lineEnd(from: pendingFrom) == feed
        if !isDue { pending = [] }
        return isDue
    }

    private mutating func openDocuments(_ x: inout Scanner) {
        guard isDue else { return }
        isDue = false
        for document in pending.reversed() {
            _ = x.push(Frame(mode: Mode.document, flag: document.flag, data: document.digest))
        }
        pending = []
    }

    private func document(_ x: inout Scanner) {
        let source = x.source
        let top = x.frames.count - 1
        let frame = x.frames[top]
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            if start == 0 || source[start - 1] == UInt8(ascii: "\n") {
                var from = start
                if frame.flag & 2 != 0 { while source[from].isBlank { from += 1 } }
                var to = end
                if source[to - 1] == UInt8(ascii: "\r") { to -= 1 }
                if to > from, to - from <= 200, source.digest(from: from, to: to) == frame.data {
                    x.frames.removeLast()
                    x.position = end
                    x.emit(.string, from: from)
                    return
                }
            }
            if frame.flag & 1 == 0, !isPerl, let hole = hole(source, start, end), x.push(Frame(mode: Mode.hole)) {
                x.emit(.string, from: start, to: hole)
                x.position = hole + 2
                x.emit(.punctuation, from: hole)
                return
            }
            x.position = min(end + 1, source.count)
            x.emit(.string, from: start, to: end)
        }
    }

    private func hole(_ source: Bytes, _ start: Int, _ end: Int) -> Int? {
        for index in start..<end where source[index] == UInt8(ascii: "#") && source[index + 1] == UInt8(ascii: "{") {
            return index
        }
        return nil
    }
}
