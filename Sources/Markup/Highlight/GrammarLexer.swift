// The table-driven lexer: walks code by the data of a Grammar. One loop over bytes; each byte is looked at a bounded
// number of times. Used by every language that has no lexer of its own.

/// What stood before, as far as it decides what the next name is.
///
/// Kept in the ground frame between lines.
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
    enum Mode {
        static let ground: UInt8 = 0
        static let hole: UInt8 = 1
        static let string: UInt8 = 2
        static let comment: UInt8 = 3
        /// A raw string of C++; count and data: length and digest of its mark.
        static let raw: UInt8 = 4
    }

    let grammar: Grammar
    let habits: Grammar.Habits
    var before = Before(.start)
    /// What stood before the last name on this line: for `package.Type` the question is what stood before the package.
    var beforeName = Before.What.start
    /// Names before this position are arguments of a template, and so types.
    var templateEnd = 0
    /// Whether this line began with `typedef`.
    var typedefLine = false
    /// Where the present Go signature lists result types without names.
    var goResults = 0..<0
    /// Names before this position are inside `#[ … ]`.
    var attributeEnd = 0

    static func lex(_ scanner: inout Scanner, base: Int, grammar: Grammar) {
        if scanner.frames.count <= base { scanner.frames.append(Frame(mode: Mode.ground)) }
        var lexer = GrammarLexer(grammar: grammar)
        lexer.run(&scanner)
    }

    init(grammar: Grammar) {
        self.grammar = grammar
        habits = grammar.habits
    }

    mutating func run(_ x: inout Scanner) {
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
    mutating func code(_ x: inout Scanner, isHole: Bool) -> Bool {
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

    mutating func word(_ x: inout Scanner, _ first: UInt8) {
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
        if !grammar.prefixed.isEmpty,
            next == UInt8(ascii: "\"") || next == UInt8(ascii: "'") || next == UInt8(ascii: "#"),
            openPrefixed(&x, from: start, wordEnd: index)
        {
            return
        }
        if next == UInt8(ascii: "\""), habits.contains(.rawDelimiters), source[index - 1] == UInt8(ascii: "R"),
            index - start <= 3,
            openRaw(&x, from: start, quote: index)
        {
            return
        }
        if habits.contains(.marks), next == UInt8(ascii: "?") || next == UInt8(ascii: "!"),
            source[index + 1] != UInt8(ascii: "=")
        {
            index += 1
        }
        x.position = index

        let previous = before.what
        if previous != .dot || habits.contains(.declaredTypes),
            let meaning = grammar.words.meaning(source, from: start, to: index, hash: hash),
            !(habits.contains(.colonKeys) && isKey(source, index) && meaning.kind != .constant)
        {
            x.emit(meaning.kind, from: start)
            if habits.contains(.declaredTypes), index - start == 7, source.has("typedef", at: start) {
                typedefLine = true
            }
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
    mutating func kind(of x: borrowing Scanner, from start: Int, to end: Int, first: UInt8, previous: Before.What)
        -> Highlight.Kind
    {
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
        if habits.contains(.commandVerbs), first.isLetter, source.next(UInt8(ascii: "-"), in: start..<end) != nil {
            return .function
        }
        if habits.contains(.lispCalls), start > 0, source[start - 1] == UInt8(ascii: "(") { return .function }
        if habits.contains(.bangMacros), follower == UInt8(ascii: "!"), source[after + 1] != UInt8(ascii: "=") {
            return .function
        }
        if start < attributeEnd, !first.isUpper { return .attribute }
        if habits.contains(.calls), isCall(source, after, follower) {
            if first.isUpper, habits.contains(.capitalTypes), !habits.contains(.capitalCalls), previous != .dot {
                return .type
            }
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
            if source[letter].isUpper, source[letter + 1].isLower, habits.contains(.capitalTypes) {
                initial = source[letter]
            }
        }
        if initial.isUpper {
            if habits.contains(.capsConstants), isCaps(source, start, end) { return .constant }
            // In C++ `Py_None` and its like are macros and objects, not types.
            let isMixed = habits.contains(.declaredTypes) && source.next(UInt8(ascii: "_"), in: start + 1..<end) != nil
            if habits.contains(.capitalTypes), !isMixed { return .type }
        }
        if previous == .dot { return habits.contains(.properties) ? .property : .plain }
        if habits.contains(.colonKeys), isKey(source, end) { return .property }
        if habits.contains(.equalKeys), follower == UInt8(ascii: "="), source[after + 1] != UInt8(ascii: "=") {
            return .property
        }
        return .plain
    }

    func isCall(_ source: Bytes, _ after: Int, _ follower: UInt8) -> Bool {
        if follower == UInt8(ascii: "(") { return true }
        guard follower == UInt8(ascii: "<") || follower == UInt8(ascii: ":"), habits.contains(.typeArguments) else {
            return false
        }
        var index = after
        if follower == UInt8(ascii: ":") {
            guard source[index + 1] == UInt8(ascii: ":"), source[index + 2] == UInt8(ascii: "<") else { return false }
            index += 2
        }
        guard
            source[index + 1].isWordStart || source[index + 1] == UInt8(ascii: "[")
                || source[index + 1] == UInt8(ascii: "&")
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

    func isCaps(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        guard end - start > 1 else { return false }
        for index in start..<end where source[index].isLower || source[index] >= 0x80 { return false }
        return true
    }

    func isKey(_ source: Bytes, _ end: Int) -> Bool {
        source[end] == UInt8(ascii: ":") && source[end + 1] != UInt8(ascii: ":")
    }
}
