// Reads TeX math into a tree. Everything is shown: what is not understood appears as typed, marked; unbalanced braces
// and environments end where the formula ends. One pass; nesting is limited, so hostile input costs neither stack nor
// time.

/// Reads one formula.
struct MathParser {
    /// Why a formula is shown as its source.
    enum Failure: Error { case tooDeep }

    private let source: [UInt8]
    var byteCount: Int { source.count }
    var position = 0
    var depth = 0
    var variant = MathVariant.italic
    /// `\limits` and `\nolimits` change the scripts that follow.
    var limitsOverride: Bool?

    init(_ tex: String) { source = Array(tex.utf8) }

    /// What ends a row besides the formula's end.
    struct Stops: OptionSet {
        let rawValue: UInt8
        static let brace = Stops(rawValue: 1)
        static let bracket = Stops(rawValue: 2)
        static let right = Stops(rawValue: 4)
        static let cell = Stops(rawValue: 8)
        static let environment = Stops(rawValue: 16)
    }

    /// The whole formula.
    mutating func parse() throws(Failure) -> [MathNode] {
        var nodes = try row(until: [])
        while position < source.count {
            // A stray closing mark: shown, then on.
            nodes.append(strayMark())
            nodes += try row(until: [])
        }
        return nodes
    }

    private mutating func strayMark() -> MathNode {
        if source[position] == ASCII.backslash {
            let name = commandName()
            return .unknown("\\" + name)
        }
        position += 1
        return .symbol(String(decoding: [source[position - 1]], as: UTF8.self), .fence)
    }

    // MARK: Rows

    mutating func row(until stops: Stops) throws(Failure) -> [MathNode] {
        depth += 1
        defer { depth -= 1 }
        guard depth < MarkdownLimits.formulaDepth else { throw .tooDeep }
        let outerVariant = variant
        defer { variant = outerVariant }
        var nodes: [MathNode] = []
        var numerator: ([MathNode], MathFractionForm)?
        while true {
            skipSpace()
            guard position < source.count else { break }
            let byte = source[position]
            switch byte {
            case UInt8(ascii: "}"):
                if !stops.isDisjoint(with: [.brace, .bracket, .right, .cell, .environment]) || depth > 1 { break }
            case UInt8(ascii: "]"):
                if stops.contains(.bracket) { break }
                position += 1
                nodes.append(.symbol("]", .fence))
                continue
            case UInt8(ascii: "&"):
                if stops.contains(.cell) || depth > 1 { break }
                position += 1
                nodes.append(.symbol("&", .plain))
                continue
            case UInt8(ascii: "^"), UInt8(ascii: "_"):
                try readScript(&nodes)
                continue
            case UInt8(ascii: "'"):
                readPrimes(&nodes)
                continue
            case ASCII.backslash:
                let start = position
                let name = commandName()
                if isStop(name, stops) {
                    position = start
                    break
                }
                if let form = Self.infix(name), numerator == nil {
                    numerator = (nodes, form)
                    nodes = []
                } else if !readDeclaration(name, &nodes) {
                    try readCommand(name, &nodes)
                }
                continue
            default:
                try readCharacter(&nodes)
                continue
            }
            break
        }
        if let (above, form) = numerator { return [Self.fraction(.row(above), .row(nodes), form)] }
        return nodes
    }

    private func isStop(_ name: String, _ stops: Stops) -> Bool {
        switch name {
        case "right": depth > 1
        case "end": depth > 1
        case "\\", "cr": stops.contains(.cell) || depth > 1
        default: false
        }
    }

    private static func infix(_ name: String) -> MathFractionForm? {
        switch name {
        case "over": .plain
        case "choose": .binomial
        case "atop": .noLine
        default: nil
        }
    }

    static func fraction(_ above: MathNode, _ below: MathNode, _ form: MathFractionForm) -> MathNode {
        if case .binomial = form { return .fenced("(", [.fraction(above, below, .noLine)], ")") }
        return .fraction(above, below, form)
    }

    // MARK: Characters

    private mutating func readCharacter(_ nodes: inout [MathNode]) throws(Failure) {
        let byte = source[position]
        if byte == UInt8(ascii: "{") {
            position += 1
            nodes.append(.row(try group()))
        } else if ASCII.isDigit(byte) {
            nodes.append(.number(number()))
        } else {
            nodes.append(single())
        }
    }

    /// The rest of a group whose opening brace was read.
    private mutating func group() throws(Failure) -> [MathNode] {
        var nodes = try row(until: .brace)
        // A cell mark or row end inside braces belongs to nothing: shown.
        while position < source.count, source[position] != UInt8(ascii: "}") {
            if source[position] == ASCII.backslash {
                let start = position
                let name = commandName()
                if name == "right" || name == "end" {
                    position = start
                    return nodes
                }
            } else {
                nodes.append(.symbol(String(decoding: [source[position]], as: UTF8.self), .plain))
                position += 1
            }
            nodes += try row(until: .brace)
        }
        if position < source.count { position += 1 }
        return nodes
    }

    private mutating func number() -> String {
        var digits = ""
        while position < source.count {
            let byte = source[position]
            let next = position + 1 < source.count ? source[position + 1] : 0
            guard ASCII.isDigit(byte) || (byte == UInt8(ascii: ".") && ASCII.isDigit(next)) else { break }
            digits.unicodeScalars.append(variant.mapped(Unicode.Scalar(byte)))
            position += 1
        }
        return digits
    }

    /// One letter, sign or character of any script.
    private mutating func single() -> MathNode {
        let scalar = nextScalar()
        switch scalar {
        case "-": return .symbol("−", .plain)
        case "*": return .symbol("∗", .plain)
        case "(", ")", "[", "|", "/": return .symbol(String(Character(scalar)), .fence)
        case "~": return .space("0.333em")
        default: break
        }
        if scalar.properties.isAlphabetic { return identifier(scalar) }
        if scalar.properties.numericType != nil { return .number(String(Character(scalar))) }
        return .symbol(String(Character(scalar)), .plain)
    }

    func identifier(_ scalar: Unicode.Scalar, isUpright: Bool = false) -> MathNode {
        .identifier(String(Character(variant.mapped(scalar))), isUpright: isUpright || variant != .italic)
    }

    mutating func nextScalar() -> Unicode.Scalar {
        let lead = source[position]
        let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        let end = min(position + length, source.count)
        let text = String(decoding: source[position..<end], as: UTF8.self)
        position = end
        return text.unicodeScalars.first ?? "\u{FFFD}"
    }

    // MARK: Scripts

    private mutating func readScript(_ nodes: inout [MathNode]) throws(Failure) {
        let isSup = source[position] == UInt8(ascii: "^")
        position += 1
        let script = try argument() ?? .row([])
        attach(isSup ? nil : script, isSup ? script : nil, to: &nodes)
    }

    private mutating func readPrimes(_ nodes: inout [MathNode]) {
        var primes: [MathNode] = []
        while position < source.count, source[position] == UInt8(ascii: "'") {
            primes.append(.symbol("′", .plain))
            position += 1
        }
        attach(nil, .row(primes), to: &nodes)
    }

    private mutating func attach(_ sub: MathNode?, _ sup: MathNode?, to nodes: inout [MathNode]) {
        var base = nodes.popLast() ?? .row([])
        if case .scripts(let full) = base, max(full.sub?.count ?? 0, full.sup?.count ?? 0) >= MarkdownLimits.scripts {
            nodes.append(base)
            base = .row([])
        }
        var scripts: MathScripts
        if case .scripts(let existing) = base {
            scripts = existing
        } else {
            scripts = MathScripts(base: base, hasLimits: limitsOverride ?? Self.takesLimits(base))
        }
        limitsOverride = nil
        if let sub { scripts.sub = (scripts.sub ?? []) + [sub] }
        if let sup { scripts.sup = (scripts.sup ?? []) + [sup] }
        nodes.append(.scripts(scripts))
    }

    private static func takesLimits(_ base: MathNode) -> Bool {
        switch base {
        case .symbol(let text, .large): !"∫∬∭⨌∮∯∰".contains(text)
        case .symbol(_, .named): true
        case .stack(_, _, _, let isAccent): !isAccent
        default: false
        }
    }

    // MARK: Arguments and names

    mutating func skipSpace() {
        while position < source.count, ASCII.isWhitespace(source[position]) { position += 1 }
    }

    /// What follows as one argument; nil when nothing does.
    mutating func argument() throws(Failure) -> MathNode? {
        depth += 1
        defer { depth -= 1 }
        guard depth < MarkdownLimits.formulaDepth else { throw .tooDeep }
        skipSpace()
        guard position < source.count else { return nil }
        let byte = source[position]
        switch byte {
        case UInt8(ascii: "{"):
            position += 1
            let nodes = try group()
            return nodes.count == 1 ? nodes[0] : .row(nodes)
        case UInt8(ascii: "}"), UInt8(ascii: "&"): return nil
        case ASCII.backslash:
            let start = position
            let name = commandName()
            if name == "right" || name == "end" || name == "\\" {
                position = start
                return nil
            }
            var nodes: [MathNode] = []
            try readCommand(name, &nodes)
            return nodes.count == 1 ? nodes[0] : .row(nodes)
        default:
            if ASCII.isDigit(byte) {
                position += 1
                return .number(String(Character(variant.mapped(Unicode.Scalar(byte)))))
            }
            return single()
        }
    }

    /// `[…]` if it follows.
    mutating func optionalArgument() throws(Failure) -> MathNode? {
        skipSpace()
        guard position < source.count, source[position] == UInt8(ascii: "[") else { return nil }
        position += 1
        let nodes = try row(until: .bracket)
        if position < source.count, source[position] == UInt8(ascii: "]") { position += 1 }
        return .row(nodes)
    }

    /// The text between braces, as typed; a single character without braces.
    mutating func rawArgument() -> String {
        skipSpace()
        guard position < source.count else { return "" }
        guard source[position] == UInt8(ascii: "{") else { return String(Character(nextScalar())) }
        position += 1
        let start = position
        var level = 1
        while position < source.count {
            switch source[position] {
            case ASCII.backslash: position += 1
            case UInt8(ascii: "{"): level += 1
            case UInt8(ascii: "}"): level -= 1
            default: break
            }
            if level == 0 { break }
            position += 1
        }
        let end = min(position, source.count)
        position = min(position + 1, source.count)
        return String(decoding: source[start..<end], as: UTF8.self)
    }

    /// Reads `\name`: letters, or one other character.
    mutating func commandName() -> String {
        position += 1
        let start = position
        while position < source.count, ASCII.isLetter(source[position]) { position += 1 }
        if position > start { return String(decoding: source[start..<position], as: UTF8.self) }
        guard position < source.count else { return "" }
        return String(Character(nextScalar()))
    }

    func peek(_ byte: UInt8) -> Bool { position < source.count && source[position] == byte }

    /// Skips a `*` behind a command's name.
    mutating func skipStar() { if peek(UInt8(ascii: "*")) { position += 1 } }
}
