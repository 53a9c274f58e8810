// The table-driven lexer: walks code by the data of a Grammar. One loop over bytes; each byte is looked at a bounded
// number of times. Used by every language that has no lexer of its own.

/// What stood before, as far as it decides what the next name is. Kept in the ground frame between lines.
struct Before: Equatable {
    enum What: UInt8 {
        /// An operator, a comma, an opening bracket, or nothing.
        case start
        case dot
        /// A name, a literal or a closing bracket: an operand.
        case operand
        case keyword
        case functionWord
        case typeWord
        case pathWord
        case nameWord
        /// A keyword that an expression follows.
        case expressionWord
    }
    var what: What = .start
    init(_ what: What) { self.what = what }
    init(stored: UInt32) { what = What(rawValue: UInt8(truncatingIfNeeded: stored)) ?? .start }
    var stored: UInt32 { UInt32(what.rawValue) }
}

/// One run of the table-driven lexer over a part of the code.
struct GrammarLexer {
    private enum Mode {
        static let ground: UInt8 = 0
        static let hole: UInt8 = 1
        static let string: UInt8 = 2
        static let comment: UInt8 = 3
        /// A raw string of C++; count and data: length and digest of its mark.
        static let raw: UInt8 = 4
    }

    let grammar: Grammar
    let habits: Grammar.Habits
    private var before = Before(.start)
    /// What stood before the last name on this line: for `package.Type` the question is what stood before the package.
    private var beforeName = Before.What.start
    /// Names before this position are arguments of a template, and so types.
    private var templateEnd = 0
    /// Whether this line began with `typedef`.
    private var typedefLine = false
    /// Where the present Go signature lists result types without names.
    private var goResults = 0..<0
    /// Names before this position are inside `#[ … ]`.
    private var attributeEnd = 0

    static func lex(_ scanner: inout Scanner, base: Int, grammar: Grammar) {
        if scanner.frames.count <= base { scanner.frames.append(Frame(mode: Mode.ground)) }
        var lexer = GrammarLexer(grammar: grammar)
        lexer.run(&scanner)
    }

    private init(grammar: Grammar) {
        self.grammar = grammar
        habits = grammar.habits
    }

    private mutating func run(_ x: inout Scanner) {
        while x.position < x.source.count {
            let top = x.frames[x.frames.count - 1]
            switch top.mode {
            case Mode.string: string(&x, top)
            case Mode.comment: comment(&x, top, from: x.position)
            case Mode.raw: raw(&x, top, from: x.position)
            default:
                before = Before(stored: top.data)
                let depth = x.frames.count
                let isClosed = code(&x, isHole: top.mode == Mode.hole)
                x.frames[depth - 1].data = before.stored
                if isClosed { x.frames.removeLast() }
            }
        }
    }

    /// Lexes code until the part ends, a construct is opened that spans lines, or the hole is closed (true).
    private mutating func code(_ x: inout Scanner, isHole: Bool) -> Bool {
        let depth = x.frames.count
        let source = x.source
        var index = x.position
        while index < source.count {
            let byte = source[index]
            switch grammar.classes[Int(byte)] {
            case .space:
                index &+= 1
            case .lineFeed:
                typedefLine = false
                beforeName = .start
                index &+= 1
            case .word:
                x.position = index
                word(&x, byte)
                index = x.position
            case .digit:
                x.position = index
                number(&x)
                index = x.position
            case .comment:
                x.position = index
                if openComment(&x) {
                    if x.frames.count != depth { return false }
                } else if openString(&x) {
                    if x.frames.count != depth { return false }
                } else if symbol(&x, byte, isHole: isHole) {
                    return true
                }
                index = x.position
            case .quote:
                x.position = index
                if openString(&x) {
                    if x.frames.count != depth { return false }
                } else if symbol(&x, byte, isHole: isHole) {
                    return true
                }
                index = x.position
            default:
                x.position = index
                if symbol(&x, byte, isHole: isHole) { return true }
                index = x.position
                if x.frames.count != depth { return false }
            }
        }
        x.position = index
        return false
    }

    // MARK: Names

    private mutating func word(_ x: inout Scanner, _ first: UInt8) {
        let source = x.source
        let start = x.position
        var index = start
        var hash: UInt32 = 0
        let folds = grammar.words.ignoresCase
        while true {
            let byte = source[index]
            let kind = grammar.classes[Int(byte)]
            if kind == .word || kind == .digit {
                hash = Words.mix(hash, folds ? byte.lowered : byte)
            } else if byte == UInt8(ascii: "-"), habits.contains(.dashes), source[index + 1].isWord {
                hash = Words.mix(hash, byte)
            } else if byte == UInt8(ascii: "."), habits.contains(.dottedNames), source[index + 1].isWordStart {
                hash = Words.mix(hash, byte)
            } else if byte == UInt8(ascii: "'"), habits.contains(.primes) {
                hash = Words.mix(hash, byte)
            } else {
                break
            }
            index &+= 1
        }
        if index == start { index = start + 1 }
        let next = source[index]
        if !grammar.prefixed.isEmpty, next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") || next == UInt8(ascii: "#"),
            openPrefixed(&x, from: start, wordEnd: index)
        {
            return
        }
        if next == UInt8(ascii: "\""), habits.contains(.rawDelimiters), source[index - 1] == UInt8(ascii: "R"), index - start <= 3,
            openRaw(&x, from: start, quote: index)
        {
            return
        }
        if habits.contains(.marks), next == UInt8(ascii: "?") || next == UInt8(ascii: "!"), source[index + 1] != UInt8(ascii: "=") {
            index += 1
        }
        x.position = index

        let previous = before.what
        if previous != .dot || habits.contains(.declaredTypes),
            let meaning = grammar.words.meaning(source, from: start, to: index, hash: hash),
            !(habits.contains(.colonKeys) && isKey(source, index) && meaning.kind != .constant)
        {
            x.emit(meaning.kind, from: start)
            if habits.contains(.declaredTypes), index - start == 7, source.has("typedef", at: start) { typedefLine = true }
            switch meaning.role {
            case .none: before.what = meaning.kind == .keyword ? .keyword : .operand
            case .function:
                before.what = .functionWord
                if habits.contains(.goTypes) { goResults = goResultRange(source, after: index) }
            case .type: before.what = .typeWord
            case .path: before.what = .pathWord
            case .name: before.what = .nameWord
            case .expression: before.what = .expressionWord
            }
            return
        }
        before.what = .operand
        let kind = kind(of: x, from: start, to: index, first: first, previous: previous)
        if kind == .function, habits.contains(.bangMacros), source[index] == UInt8(ascii: "!") { x.position += 1 }
        x.emit(kind, from: start)
        if previous != .dot { beforeName = previous }
    }

    /// Decides what an identifier is from its letters and its neighbours on the line.
    private mutating func kind(of x: borrowing Scanner, from start: Int, to end: Int, first: UInt8, previous: Before.What) -> Highlight.Kind {
        let source = x.source
        var after = end
        while source[after].isBlank { after &+= 1 }
        let follower = source[after]

        switch previous {
        case .functionWord where follower != UInt8(ascii: "."): return .function
        case .typeWord where follower != UInt8(ascii: ".") && !source.has("::", at: after): return .type
        case .pathWord: return .plain
        default: break
        }
        if habits.contains(.goTypes), isGoType(source, start, end, after, follower, previous) { return .type }
        if habits.contains(.erlangNames), first.isUpper || first == UInt8(ascii: "_") { return .variable }
        if habits.contains(.commandVerbs), first.isLetter, source.next(UInt8(ascii: "-"), in: start..<end) != nil { return .function }
        if habits.contains(.lispCalls), start > 0, source[start - 1] == UInt8(ascii: "(") { return .function }
        if habits.contains(.bangMacros), follower == UInt8(ascii: "!"), source[after + 1] != UInt8(ascii: "=") { return .function }
        if start < attributeEnd, !first.isUpper { return .attribute }
        if habits.contains(.calls), isCall(source, after, follower) {
            if first.isUpper, habits.contains(.capitalTypes), !habits.contains(.capitalCalls), previous != .dot { return .type }
            return .function
        }
        if habits.contains(.declaredTypes), previous != .dot || source[start - 1] == UInt8(ascii: ":"),
            isDeclaredType(source, start, end, after, follower, previous)
        {
            return .type
        }
        var initial = first
        if first == UInt8(ascii: "_"), habits.contains(.declaredTypes) {
            // `_Tp` is a type like `Tp`, `__name` is not.
            let letter = source[start + 1] == UInt8(ascii: "_") ? start + 2 : start + 1
            if source[letter].isUpper, source[letter + 1].isLower, habits.contains(.capitalTypes) { initial = source[letter] }
        }
        if initial.isUpper {
            if habits.contains(.capsConstants), isCaps(source, start, end) { return .constant }
            if habits.contains(.capitalTypes) { return .type }
        }
        if previous == .dot { return habits.contains(.properties) ? .property : .plain }
        if habits.contains(.colonKeys), isKey(source, end) { return .property }
        if habits.contains(.equalKeys), follower == UInt8(ascii: "="), source[after + 1] != UInt8(ascii: "=") { return .property }
        return .plain
    }

    private func isCall(_ source: Bytes, _ after: Int, _ follower: UInt8) -> Bool {
        if follower == UInt8(ascii: "(") { return true }
        guard follower == UInt8(ascii: "<") || follower == UInt8(ascii: ":"), habits.contains(.typeArguments) else { return false }
        var index = after
        if follower == UInt8(ascii: ":") {
            guard source[index + 1] == UInt8(ascii: ":"), source[index + 2] == UInt8(ascii: "<") else { return false }
            index += 2
        }
        guard source[index + 1].isWordStart || source[index + 1] == UInt8(ascii: "[") || source[index + 1] == UInt8(ascii: "&")
        else { return false }
        // A bounded look for `<A, B<C>>(`: longer argument lists are rare and then only lose a colour.
        var depth = 0
        for step in 0..<64 {
            let byte = source[index + step]
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                depth -= 1
                if depth == 0 { return source[index + step + 1] == UInt8(ascii: "(") }
            case UInt8(ascii: ","), UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: ":"), UInt8(ascii: "["),
                UInt8(ascii: "]"), UInt8(ascii: "'"), UInt8(ascii: "&"), UInt8(ascii: "?"), UInt8(ascii: "*"):
                break
            default: if !byte.isWord { return false }
            }
        }
        return false
    }

    private func isCaps(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        guard end - start > 1 else { return false }
        for index in start..<end where source[index].isLower || source[index] >= 0x80 { return false }
        return true
    }

    private func isKey(_ source: Bytes, _ end: Int) -> Bool {
        source[end] == UInt8(ascii: ":") && source[end + 1] != UInt8(ascii: ":")
    }

    /// C and C++: names that stand where a type is declared, cast to or given to a template.
    private mutating func isDeclaredType(
        _ source: Bytes, _ start: Int, _ end: Int, _ after: Int, _ follower: UInt8, _ previous: Before.What
    ) -> Bool {
        if end - start > 2, source[end - 1] == UInt8(ascii: "t"), source[end - 2] == UInt8(ascii: "_") { return true }
        let isTemplate = habits.contains(.typeArguments)
        if isTemplate {
            if start < templateEnd, follower != UInt8(ascii: ":") { return true }
            if source[end] == UInt8(ascii: "{"), end > start + 1 || source[start].isUpper { return previous != .operand }
            if source[end] == UInt8(ascii: "<"), let close = argumentsEnd(source, end) {
                if close > templateEnd { templateEnd = close }
                return true
            }
        }
        // `typedef … name;`
        if follower == UInt8(ascii: ";"), typedefLine { return true }
        guard previous != .operand else { return false }
        if follower.isWordStart, after > end { return true }
        if follower == UInt8(ascii: ")"), source[start - 1] == UInt8(ascii: "(") {
            // `(name) x` is a cast, unless a call or a keyword's parenthesis comes before.
            var index = after + 1
            while source[index].isBlank { index += 1 }
            var lead = start - 2
            while lead > 0, start - lead < 40, source[lead].isBlank { lead -= 1 }
            return (source[index].isWord || source[index] == UInt8(ascii: "\"")) && !source[lead].isWord
        }
        guard follower == UInt8(ascii: "*") || follower == UInt8(ascii: "&") else { return false }
        var index = after
        while source[index] == follower { index += 1 }
        // `a *b` and `a* b` declare, `a * b` multiplies; `(a *)` and `<a*>` are types too.
        if source[index].isWordStart { return after > end }
        if source[index] == UInt8(ascii: " "), source[index + 1].isWordStart { return after == end }
        return source[index] == UInt8(ascii: ")") || source[index] == UInt8(ascii: ",") || source[index] == UInt8(ascii: ">")
            || source[index].isLineEnd || (isTemplate && source[index] == UInt8(ascii: "."))
    }

    /// The end of `<A, B<C>>` at `open`, when it can be nothing else: a bounded look on this line.
    private func argumentsEnd(_ source: Bytes, _ open: Int) -> Int? {
        guard source[open + 1] != UInt8(ascii: "<"), source[open + 1] != UInt8(ascii: "=") else { return nil }
        var depth = 0
        for step in 0..<120 {
            let byte = source[open + step]
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                depth -= 1
                if depth == 0 { return open + step + 1 }
            case UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "\n"), UInt8(ascii: "+"), 0: return nil
            case UInt8(ascii: "&"): if source[open + step + 1] == byte, source[open + step + 2] == UInt8(ascii: " ") { return nil }
            default: break
            }
        }
        return nil
    }

    /// The parenthesised result types of the Go function whose `func` ends at `index`, when they are on this line.
    private func goResultRange(_ source: Bytes, after index: Int) -> Range<Int> {
        var depth = 0
        var groups = 0
        var open = index
        var hasPair = false
        for at in index..<(index + 400) {
            let byte = source[at]
            switch byte {
            case UInt8(ascii: "("):
                if depth == 0 { (open, hasPair) = (at, false) }
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 {
                    groups += 1
                    if !hasPair, groups > 1 || source[index] == UInt8(ascii: "("), at > open + 1 { return open..<at + 1 }
                }
            case UInt8(ascii: " "):
                if depth == 1, source[at - 1].isWord { hasPair = true }
            case UInt8(ascii: "{"), UInt8(ascii: "\n"), 0: return 0..<0
            default: break
            }
        }
        return 0..<0
    }

    /// Go: names where only a type can stand. gofmt's spacing tells `x *T` from `x * y` and `T{` from a block.
    private func isGoType(
        _ source: Bytes, _ start: Int, _ end: Int, _ after: Int, _ follower: UInt8, _ previous: Before.What
    ) -> Bool {
        if source[end] == UInt8(ascii: "{"), previous != .operand { return true }
        if follower == UInt8(ascii: "."), after == end { return false }
        if goResults.contains(start), follower == UInt8(ascii: ",") || follower == UInt8(ascii: ")") { return true }
        var from = start
        var what = previous
        if previous == .dot {
            from = start - 1
            while from > 0, start - from < 64, source[from - 1].isWord { from -= 1 }
            what = beforeName
            if from == start - 1 { return false }
        }
        let near = source[from - 1]
        switch near {
        case UInt8(ascii: "]"): return true
        case UInt8(ascii: "*"):
            let second = source[from - 2]
            if second == UInt8(ascii: "]") || second == UInt8(ascii: "*") || source.has("chan ", at: from - 6) { return true }
            if second == UInt8(ascii: "(") { return source[from - 3] == UInt8(ascii: ".") || source.has("new", at: from - 5) }
            guard second.isBlank else { return false }
            var index = from - 2
            while index > 0, from - index < 100, source[index].isBlank { index -= 1 }
            return (source[index].isWord || source[index] == UInt8(ascii: ")")) && !source.has("return", at: index - 5) && !source.has("range", at: index - 4)
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            if follower == UInt8(ascii: "("), previous != .dot { return false }
            if what == .operand {
                var index = from - 1
                while index > 0, from - index < 100, source[index].isBlank { index -= 1 }
                return source[index].isWord || source[index] == UInt8(ascii: ")")
            }
            return source.has("chan", at: from - 5)
        case UInt8(ascii: "("):
            return source[from - 2] == UInt8(ascii: ".") || source.has("make", at: from - 5) || (source.has("new", at: from - 4) && !source[from - 5].isWord)
        case UInt8(ascii: "["): return source.has("map", at: from - 4)
        default: return false
        }
    }

    // MARK: Numbers

    private mutating func number(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        var index = start
        let isPrefixed = source[index] == UInt8(ascii: "0") && !source[index + 1].isDigit && source[index + 1].isLetter
            && source[index + 1].lowered != UInt8(ascii: "e")
        var hasPoint = false
        while true {
            let byte = source[index]
            if byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") {
                let folded = byte.lowered
                let isExponent = isPrefixed ? folded == UInt8(ascii: "p") : folded == UInt8(ascii: "e")
                index += 1
                if isExponent, source[index] == UInt8(ascii: "-") || source[index] == UInt8(ascii: "+"), source[index + 1].isDigit {
                    index += 1
                }
            } else if byte == UInt8(ascii: "."), !hasPoint, source[index + 1].isDigit {
                hasPoint = true
                index += 1
            } else if byte == UInt8(ascii: "'"), habits.contains(.quotedDigits), source[index + 1].isHexDigit {
                index += 1
            } else {
                break
            }
        }
        if !hasPoint, source[index] == UInt8(ascii: "."), source[index + 1] != UInt8(ascii: "."), !source[index + 1].isWordStart {
            index += 1
        }
        x.position = max(index, start + 1)
        x.emit(.number, from: start)
        before.what = .operand
    }

    // MARK: Comments

    private mutating func openComment(_ x: inout Scanner) -> Bool {
        let start = x.position
        // Where a block comment begins like a line comment (`--[[`, `#=`), the longer one counts.
        let isBlock = !grammar.blockOpen.isEmpty && x.source.has(grammar.blockOpen, at: start)
        if !isBlock {
            for open in grammar.lineComments where x.source.has(open, at: start) {
                x.position = x.source.lineEnd(from: start)
                x.emit(.comment, from: start)
                return true
            }
            return false
        }
        x.position = start + grammar.blockOpen.count
        guard x.push(Frame(mode: Mode.comment, count: 1)) else {
            x.emit(.comment, from: start)
            return true
        }
        comment(&x, x.frames[x.frames.count - 1], from: start)
        return true
    }

    private mutating func comment(_ x: inout Scanner, _ frame: Frame, from start: Int) {
        let source = x.source
        let close = grammar.blockClose
        let open = grammar.blockOpen
        let lastOfClose = close[0]
        var depth = frame.count
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == lastOfClose, source.has(close, at: index) {
                index += close.count
                depth -= 1
                if depth == 0 {
                    x.frames.removeLast()
                    x.position = index
                    x.emit(.comment, from: start)
                    return
                }
            } else if grammar.nestsComments, byte == open[0], source.has(open, at: index) {
                index += open.count
                if depth < .max { depth += 1 }
            } else {
                index &+= 1
            }
        }
        x.frames[x.frames.count - 1].count = depth
        x.position = index
        x.emit(.comment, from: start)
    }

    // MARK: Strings

    private mutating func openString(_ x: inout Scanner) -> Bool {
        let start = x.position
        for (number, style) in grammar.strings.enumerated() where style.prefixes.isEmpty {
            if style.onlyHashed { continue }
            guard x.source.has(style.open, at: start) else { continue }
            if style.mustClose,
                !isCharacter(x.source, closedBy: style.close[0], escape: style.escape, from: start + style.open.count)
            { continue }
            return begin(&x, number, from: start, contentFrom: start + style.open.count, hashes: 0)
        }
        return false
    }

    private mutating func openPrefixed(_ x: inout Scanner, from start: Int, wordEnd: Int) -> Bool {
        let length = wordEnd - start
        for number in grammar.prefixed {
            let style = grammar.strings[number]
            guard style.prefixes.contains(where: { $0.count == length && x.source.has($0, at: start) }) else { continue }
            var index = wordEnd
            if style.hashes { while x.source[index] == UInt8(ascii: "#") { index += 1 } }
            guard index - wordEnd <= Int(UInt16.max), x.source.has(style.open, at: index) else { continue }
            return begin(&x, number, from: start, contentFrom: index + style.open.count, hashes: index - wordEnd)
        }
        return false
    }

    /// `#"…"#`, `##"""…"""##`, `#/…/#`: the marks at the present position lengthen the delimiter.
    private mutating func openHashed(_ x: inout Scanner) -> Bool {
        let start = x.position
        var index = start
        while x.source[index] == UInt8(ascii: "#"), index - start < 64 { index += 1 }
        for (number, style) in grammar.strings.enumerated() where style.hashes && x.source.has(style.open, at: index) {
            return begin(&x, number, from: start, contentFrom: index + style.open.count, hashes: index - start)
        }
        return false
    }

    /// `R"mark(`: opens a raw string of C++; `mark` has at most 16 characters.
    private mutating func openRaw(_ x: inout Scanner, from start: Int, quote: Int) -> Bool {
        let source = x.source
        var index = quote + 1
        while index - quote <= 17, !source[index].isSpace, !source[index].isOne(of: "()\\\""), index < source.count { index += 1 }
        guard source[index] == UInt8(ascii: "("), index - quote <= 17 else { return false }
        let frame = Frame(mode: Mode.raw, count: UInt16(index - quote - 1), data: source.digest(from: quote + 1, to: index))
        before.what = .operand
        guard x.push(frame) else { return false }
        x.frames[x.frames.count - 2].data = before.stored
        x.position = index + 1
        raw(&x, frame, from: start)
        return true
    }

    private func raw(_ x: inout Scanner, _ frame: Frame, from start: Int) {
        let source = x.source
        let length = Int(frame.count)
        var index = x.position
        while index < source.count {
            if source[index] == UInt8(ascii: ")"), source[index + 1 + length] == UInt8(ascii: "\""),
                source.digest(from: index + 1, to: index + 1 + length) == frame.data
            {
                x.frames.removeLast()
                x.position = index + length + 2
                x.emit(.string, from: start)
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(.string, from: start)
    }

    private func isCharacter(_ source: Bytes, closedBy close: UInt8, escape: UInt8, from start: Int) -> Bool {
        // One character, escaped or not, possibly of four bytes, or an escape of up to ten.
        var index = start
        if escape != 0, source[index] == escape {
            index += 2
            while index - start < 12, !source[index].isLineEnd, source[index] != close { index += 1 }
            return source[index] == close
        }
        guard !source[index].isLineEnd, source[index] != close else { return false }
        index += 1
        while source[index] & 0xC0 == 0x80 { index += 1 }
        return source[index] == close
    }

    private mutating func begin(
        _ x: inout Scanner, _ number: Int, from start: Int, contentFrom: Int, hashes: Int
    ) -> Bool {
        x.position = contentFrom
        before.what = .operand
        let frame = Frame(mode: Mode.string, flag: UInt8(number), count: UInt16(hashes))
        guard x.push(frame) else {
            x.emit(grammar.strings[number].kind, from: start)
            return true
        }
        // The frame below gets its memory written by `run`; the string's own text follows at once.
        let depth = x.frames.count
        x.frames[depth - 2].data = before.stored
        string(&x, frame, from: start)
        return true
    }

    private mutating func string(_ x: inout Scanner, _ frame: Frame, from opened: Int? = nil) {
        let style = grammar.strings[Int(frame.flag)]
        let source = x.source
        let hashes = Int(frame.count)
        let closeFirst = style.close[0]
        var start = opened ?? x.position
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == closeFirst, source.has(style.close, at: index), hasHashes(source, index + style.close.count, hashes) {
                if style.doubles, source.has(style.close, at: index + style.close.count) {
                    index += style.close.count * 2
                    continue
                }
                index += style.close.count + hashes
                x.frames.removeLast()
                x.position = index
                x.emit(style.kind, from: start)
                return
            }
            if byte == style.escape, byte != 0 {
                if hashes > 0, !hasHashes(source, index + 1, hashes) {
                    index += 1
                    continue
                }
                if style.holes.contains(.backslashParen), source[index + hashes + 1] == UInt8(ascii: "(") {
                    if openHole(&x, style, at: index, length: hashes + 2, from: start) { return }
                }
                x.emit(style.kind, from: start, to: index)
                start = index
                index = escapeEnd(source, index + hashes)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            if byte == UInt8(ascii: "\n"), !style.spansLines {
                x.frames.removeLast()
                x.position = index
                x.emit(style.kind, from: start)
                return
            }
            if !style.holes.isEmpty, let length = hole(source, index, byte, style) {
                if length < 0 {
                    index += -length
                    continue
                }
                if byte == UInt8(ascii: "$"), style.holes.contains(.dollarName), source[index + 1].isWordStart {
                    x.emit(style.kind, from: start, to: index)
                    start = index
                    index += 1
                    while source[index].isWord { index += 1 }
                    x.emit(.variable, from: start, to: index)
                    start = index
                    continue
                }
                if openHole(&x, style, at: index, length: length, from: start) { return }
            }
            index &+= 1
        }
        x.position = index
        x.emit(style.kind, from: start)
    }

    private func hasHashes(_ source: Bytes, _ index: Int, _ count: Int) -> Bool {
        for offset in 0..<count where source[index + offset] != UInt8(ascii: "#") { return false }
        return true
    }

    /// The end of the escape that begins at `index`: one character, or the longer numeric forms.
    private func escapeEnd(_ source: Bytes, _ index: Int) -> Int {
        let marked = source[index + 1]
        var end = index + 2
        switch marked {
        case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"):
            if source[end] == UInt8(ascii: "{") {
                var close = end + 1
                while close - end < 12, source[close].isHexDigit { close += 1 }
                return source[close] == UInt8(ascii: "}") ? close + 1 : end
            }
            let most = marked == UInt8(ascii: "x") ? 2 : marked == UInt8(ascii: "u") ? 4 : 8
            while end < index + 2 + most, source[end].isHexDigit { end += 1 }
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            while end < index + 4, source[end] &- 48 < 8 { end += 1 }
        case UInt8(ascii: "\n"):
            return min(index + 1, source.count)
        default:
            while source[end] & 0xC0 == 0x80, end < index + 5 { end += 1 }
        }
        return min(end, source.count)
    }

    /// The length of the opening of a hole at `index`; negative: that many bytes are literal; `nil`: none.
    @inline(__always)
    private func hole(_ source: Bytes, _ index: Int, _ byte: UInt8, _ style: StringStyle) -> Int? {
        switch byte {
        case UInt8(ascii: "$"):
            let next = source[index + 1]
            if next == UInt8(ascii: "{"), style.holes.contains(.dollarBrace) { return 2 }
            if next == UInt8(ascii: "("), style.holes.contains(.dollarParen) { return 2 }
            if next.isWordStart, style.holes.contains(.dollarName) { return 1 }
        case UInt8(ascii: "#"):
            if source[index + 1] == UInt8(ascii: "{"), style.holes.contains(.hashBrace) { return 2 }
        case UInt8(ascii: "{"):
            if style.holes.contains(.brace) { return source[index + 1] == byte ? -2 : 1 }
        default: break
        }
        return nil
    }

    private mutating func openHole(_ x: inout Scanner, _ style: StringStyle, at index: Int, length: Int, from start: Int) -> Bool {
        guard x.push(Frame(mode: Mode.hole, count: 0)) else { return false }
        x.emit(style.kind, from: start, to: index)
        x.position = index + length
        x.emit(.punctuation, from: index)
        return true
    }

    // MARK: Everything else

    /// A byte that begins no word, number, string or comment. True: the hole was closed, stop.
    private mutating func symbol(_ x: inout Scanner, _ byte: UInt8, isHole: Bool) -> Bool {
        let source = x.source
        let start = x.position
        switch byte {
        case UInt8(ascii: "[") where habits.contains(.sections) && isFirst(source, start) && section(&x, start): break
        case UInt8(ascii: "$") where source[start + 1] == UInt8(ascii: "{") && habits.contains(.braceVariables):
            while x.position < source.count, source[x.position] != UInt8(ascii: "}"), !source[x.position].isLineEnd { x.position += 1 }
            if source[x.position] == UInt8(ascii: "}") { x.position += 1 }
            x.emit(.variable, from: start)
            before.what = .operand
        case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
            x.position += 1
            if isHole { x.frames[x.frames.count - 1].count &+= 1 }
            x.emit(.punctuation, from: start)
            before.what = .start
        case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
            x.position += 1
            x.emit(.punctuation, from: start)
            before.what = byte == UInt8(ascii: "}") ? .start : .operand
            if isHole {
                let top = x.frames.count - 1
                if x.frames[top].count == 0 { return true }
                x.frames[top].count &-= 1
            }
        case UInt8(ascii: ","), UInt8(ascii: ";"):
            x.position += 1
            x.emit(.punctuation, from: start)
            before.what = .start
        case UInt8(ascii: "."):
            if source[start + 1].isDigit, before.what != .operand {
                number(&x)
                return false
            }
            x.position += 1
            if source[start + 1] == byte {
                while source[x.position] == byte { x.position += 1 }
                x.emit(.operator, from: start)
                before.what = .start
            } else {
                x.emit(.punctuation, from: start)
                before.what = .dot
            }
        case UInt8(ascii: ":"): colon(&x, start)
        case UInt8(ascii: "@"): at(&x, start)
        case UInt8(ascii: "#"): hash(&x, start)
        case UInt8(ascii: "$"):
            x.position += 1
            if habits.contains(.dollarVariables), source[x.position].isWord {
                while source[x.position].isWord { x.position += 1 }
                x.emit(.variable, from: start)
                before.what = .operand
            } else {
                x.emit(.operator, from: start)
                before.what = .start
            }
        case UInt8(ascii: "'"): prime(&x, start)
        default: operation(&x, start, byte)
        }
        return false
    }

    /// Whether only blanks stand before `start` on its line.
    private func isFirst(_ source: Bytes, _ start: Int) -> Bool {
        var index = start
        while index > 0, start - index < 200, source[index - 1].isBlank { index -= 1 }
        return index == 0 || source[index - 1] == UInt8(ascii: "\n")
    }

    /// `[name]` alone on its line.
    private mutating func section(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        var end = start
        while end < source.count, !source[end].isLineEnd, source[end] != UInt8(ascii: "#"), source[end] != UInt8(ascii: ",") { end += 1 }
        while end > start, source[end - 1].isBlank { end -= 1 }
        guard source[end - 1] == UInt8(ascii: "]"), !source[start + 1].isSpace else { return false }
        x.position = end
        x.emit(.type, from: start)
        before.what = .start
        return true
    }

    private mutating func colon(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        if source[start + 1] == UInt8(ascii: ":") {
            x.position += 2
            x.emit(.punctuation, from: start)
            if before.what != .pathWord { before.what = habits.contains(.symbols) && !grammar.words.ignoresCase ? .dot : .start }
        } else if habits.contains(.symbols), source[start + 1].isWordStart, !source[start - 1].isWord {
            x.position += 1
            while source[x.position].isWord { x.position += 1 }
            if source[x.position] == UInt8(ascii: "?") || source[x.position] == UInt8(ascii: "!") { x.position += 1 }
            x.emit(.constant, from: start)
            before.what = .operand
        } else {
            x.position += 1
            x.emit(.punctuation, from: start)
            before.what = .start
        }
    }

    private mutating func at(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        x.position += 1
        while source[x.position] == UInt8(ascii: "@") { x.position += 1 }
        guard source[x.position].isWordStart else {
            x.emit(.operator, from: start)
            before.what = .start
            return
        }
        while source[x.position].isWord || (habits.contains(.atAttributes) && source[x.position] == UInt8(ascii: ".")
            && source[x.position + 1].isWordStart)
        {
            x.position += 1
        }
        if habits.contains(.atVariables) {
            x.emit(.variable, from: start)
            before.what = .operand
        } else if habits.contains(.atWords) {
            let meaning = grammar.words.meaning(source, from: start, to: x.position)
            x.emit(meaning?.kind ?? .function, from: start)
            before.what = meaning?.role == .type ? .typeWord : .start
        } else if source.has("@interface", at: start), x.position == start + 10 {
            x.emit(.keyword, from: start)
            before.what = .typeWord
        } else {
            x.emit(.attribute, from: start)
            before.what = .start
        }
    }

    private mutating func hash(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        if habits.contains(.preprocessor), isFirst(source, start) {
            directive(&x, start)
            return
        }
        if habits.contains(.hashBrackets) {
            var index = start + 1
            if source[index] == UInt8(ascii: "!") { index += 1 }
            if source[index] == UInt8(ascii: "[") {
                attribute(&x, start, index)
                return
            }
        }
        if habits.contains(.hashWords), openHashed(&x) { return }
        x.position += 1
        if habits.contains(.hashWords), source[x.position].isWordStart {
            while source[x.position].isWord { x.position += 1 }
            x.emit(.meta, from: start)
        } else {
            x.emit(.operator, from: start)
        }
        before.what = .start
    }

    /// `#include <x>`, `#define NAME`, `#if`: the word is a directive, the rest of the line is lexed as code.
    private mutating func directive(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        x.position += 1
        while source[x.position].isBlank { x.position += 1 }
        let word = x.position
        while source[x.position].isWord { x.position += 1 }
        x.emit(.meta, from: start)
        before.what = .keyword
        guard source.has("include", at: word) || source.has("import", at: word) else {
            if source.has("define", at: word) || source.has("undef", at: word) { name(&x) }
            if source.has("error", at: word) || source.has("warning", at: word) || source.has("pragma", at: word) {
                let from = x.position
                x.position = source.lineEnd(from: from)
                x.emit(.meta, from: from)
            }
            return
        }
        while source[x.position].isBlank { x.position += 1 }
        guard source[x.position] == UInt8(ascii: "<") else { return }
        let path = x.position
        while x.position < source.count, !source[x.position].isLineEnd, source[x.position] != UInt8(ascii: ">") { x.position += 1 }
        if source[x.position] == UInt8(ascii: ">") { x.position += 1 }
        x.emit(.string, from: path)
    }

    /// The name that `#define` gives, a function when parameters follow.
    private mutating func name(_ x: inout Scanner) {
        while x.source[x.position].isBlank { x.position += 1 }
        let from = x.position
        while x.source[x.position].isWord { x.position += 1 }
        x.emit(x.source[x.position] == UInt8(ascii: "(") ? .function : .constant, from: from)
    }

    /// `#[ … ]`: its names on this line are attributes, its strings strings.
    private mutating func attribute(_ x: inout Scanner, _ start: Int, _ bracket: Int) {
        let source = x.source
        var depth = 0
        var index = bracket
        while index < source.count, index - bracket < 400, source[index] != UInt8(ascii: "\n") {
            if source[index] == UInt8(ascii: "[") { depth += 1 }
            if source[index] == UInt8(ascii: "]") {
                depth -= 1
                if depth == 0 { break }
            }
            index += 1
        }
        attributeEnd = index
        x.emit(.attribute, from: start, to: bracket)
        x.position = bracket + 1
        x.emit(.punctuation, from: bracket)
        before.what = .start
    }

    /// `'a'` or `'name`.
    private mutating func prime(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        if isCharacter(source, closedBy: UInt8(ascii: "'"), escape: UInt8(ascii: "\\"), from: start + 1) {
            var index = start + 1
            if source[index] == UInt8(ascii: "\\") { index += 2 } else { index += 1 }
            while index < source.count, source[index] != UInt8(ascii: "'") { index += 1 }
            x.position = min(index + 1, source.count)
            x.emit(.string, from: start)
            before.what = .operand
            return
        }
        x.position += 1
        guard source[x.position].isWordStart else {
            x.emit(.operator, from: start)
            return
        }
        while source[x.position].isWord { x.position += 1 }
        x.emit(.label, from: start)
        before.what = .start
    }

    /// `/ … /` closed on this line.
    private mutating func pattern(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        guard !source[start + 1].isSpace || !habits.contains(.hashWords) else { return false }
        var index = start + 1
        while index - start < HighlightLimits.patternBytes, index < source.count, !source[index].isLineEnd {
            if source[index] == UInt8(ascii: "\\"), !source[index + 1].isLineEnd {
                index += 2
                continue
            }
            if source[index] == UInt8(ascii: "/") {
                x.position = index + 1
                x.emit(.regexp, from: start)
                before.what = .operand
                return true
            }
            index += 1
        }
        return false
    }

    private mutating func operation(_ x: inout Scanner, _ start: Int, _ byte: UInt8) {
        let source = x.source
        x.position += 1
        if byte == UInt8(ascii: "/"), habits.contains(.slashPatterns), before.what != .operand, pattern(&x, start) { return }
        if byte == UInt8(ascii: "-"), habits.contains(.commandVerbs), source[start + 1].isLetter, !source[start - 1].isWord {
            while source[x.position].isWord { x.position += 1 }
            x.emit(.attribute, from: start)
            before.what = .start
            return
        }
        guard grammar.classes[Int(byte)] == .operation || grammar.classes[Int(byte)] == .comment else {
            before.what = .start
            return
        }
        let isArrow = byte == UInt8(ascii: "-") && source[start + 1] == UInt8(ascii: ">")
        while grammar.classes[Int(source[x.position])] == .operation { x.position += 1 }
        x.emit(.operator, from: start)
        before.what = isArrow && habits.contains(.declaredTypes) && x.position == start + 2 ? .dot : .start
    }
}
