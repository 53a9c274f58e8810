// The commands of TeX math that `MathParser` knows besides plain symbols: fractions, roots, accents, delimiters, fonts,
// text, spaces, environments.

extension MathParser {
    /// Commands that change what follows in the group and show nothing themselves.
    ///
    /// - Returns: whether `name` is one.
    mutating func readDeclaration(_ name: String, _ nodes: inout [MathNode]) -> Bool {
        switch name {
        case "limits": setLimits(true, &nodes)
        case "nolimits": setLimits(false, &nodes)
        case "bf", "bfseries": variant = .bold
        case "rm", "rmfamily": variant = .upright
        case "it", "mit", "itshape": variant = .italic
        case "cal": variant = .script
        case "sf": variant = .sansSerif
        case "tt": variant = .monospace
        case "displaystyle", "textstyle", "scriptstyle", "scriptscriptstyle", "nonumber", "notag", "hline",
            "allowbreak",
            "nobreak", "relax", "small", "normalsize", "large", "centering", "strut", "mathstrut":
            break
        default: return false
        }
        return true
    }

    private mutating func setLimits(_ value: Bool, _ nodes: inout [MathNode]) {
        guard case .scripts(var scripts) = nodes.last else {
            limitsOverride = value
            return
        }
        scripts.hasLimits = value
        nodes[nodes.count - 1] = .scripts(scripts)
    }

    /// Reads the arguments of a command and adds what it shows.
    mutating func readCommand(_ name: String, _ nodes: inout [MathNode]) throws(Failure) {
        if let symbol = MathSymbol.named(name) { return nodes.append(node(symbol)) }
        if let width = Self.spaces[name] { return nodes.append(.space(width)) }
        if let accent = Self.accents[name] {
            let base = try argument() ?? .row([])
            return nodes.append(
                .stack(base, over: .symbol(accent.mark, accent.isWide ? .stretchy : .fence), under: nil, isAccent: true)
            )
        }
        if let font = Self.fonts[name] { return nodes.append(try inVariant(font)) }
        if let size = Self.sizes[name] { return nodes.append(.symbol(delimiter(), .sized(size))) }
        if try readFraction(name, &nodes) { return }
        if try readStack(name, &nodes) { return }
        if readText(name, &nodes) { return }
        switch name {
        case "left": nodes.append(try fenced())
        case "middle": nodes.append(.symbol(delimiter(), .stretchy))
        case "begin": nodes.append(try environment())
        case "{", "}", "|": nodes.append(.symbol(name == "|" ? "‖" : name, .fence))
        case "\\": nodes.append(.space("1em"))
        case "%", "$", "#", "&", "_": nodes.append(.symbol(name, .plain))
        case "sqrt":
            let index = try optionalArgument()
            nodes.append(.root(try argument() ?? .row([]), index: index))
        case "not": try readNegation(&nodes)
        case "pmod":
            nodes += [.space("1em"), .symbol("(", .fence), .identifier("mod", isUpright: true), .space("0.333em")]
            nodes.append(try argument() ?? .row([]))
            nodes.append(.symbol(")", .fence))
        case "bmod", "mod": nodes += [.space("0.333em"), .identifier("mod", isUpright: true), .space("0.333em")]
        case "boxed", "fbox": nodes.append(.marked(try argument() ?? .row([]), "tex-boxed"))
        case "cancel", "bcancel", "xcancel", "sout": nodes.append(.marked(try argument() ?? .row([]), "tex-cancel"))
        case "phantom", "hphantom", "vphantom": nodes.append(.phantom(try argument() ?? .row([])))
        case "mathop", "mathrel", "mathbin", "mathord", "mathopen", "mathclose", "mathpunct", "mathinner", "smash",
            "mathclap", "ensuremath":
            nodes.append(try argument() ?? .row([]))
        case "textcolor", "color":
            _ = rawArgument()
            if name == "textcolor" { nodes.append(try argument() ?? .row([])) }
        case "label", "tag":
            skipStar()
            let text = rawArgument()
            if name == "tag" { nodes += [.space("2em"), .text("(" + text + ")", .upright)] }
        case "hspace", "mspace", "kern", "hskip", "mskip":
            skipStar()
            _ = rawArgument()
            nodes.append(.space("0.5em"))
        case "substack":
            skipSpace()
            if peek(UInt8(ascii: "{")) { position += 1 }
            var table = MathTable()
            table.form = .small
            try readRows(&table)
            if peek(UInt8(ascii: "}")) { position += 1 }
            nodes.append(.table(table))
        default: nodes.append(.unknown("\\" + name))
        }
    }

    private func node(_ symbol: MathSymbol) -> MathNode {
        switch symbol.kind {
        case .italic: return identifier(symbol.text.unicodeScalars.first ?? "?")
        case .upright: return identifier(symbol.text.unicodeScalars.first ?? "?", isUpright: true)
        case .symbol: return .symbol(symbol.text, .plain)
        case .fence: return .symbol(symbol.text, .fence)
        case .large, .integral: return .symbol(symbol.text, .large)
        case .function: return .identifier(symbol.text, isUpright: true)
        case .limit: return .symbol(symbol.text, .named)
        }
    }

    // MARK: Fractions and stacks

    private mutating func readFraction(_ name: String, _ nodes: inout [MathNode]) throws(Failure) -> Bool {
        let form: MathFractionForm
        switch name {
        case "frac": form = .plain
        case "dfrac", "cfrac": form = .display
        case "tfrac", "sfrac", "nicefrac": form = .text
        case "binom", "dbinom", "tbinom": form = .binomial
        default: return false
        }
        let above = try argument() ?? .row([])
        let below = try argument() ?? .row([])
        nodes.append(Self.fraction(above, below, form))
        return true
    }

    private mutating func readStack(_ name: String, _ nodes: inout [MathNode]) throws(Failure) -> Bool {
        switch name {
        case "overset", "stackrel":
            let over = try argument()
            nodes.append(.stack(try argument() ?? .row([]), over: over, under: nil, isAccent: false))
        case "underset":
            let under = try argument()
            nodes.append(.stack(try argument() ?? .row([]), over: nil, under: under, isAccent: false))
        case "underline", "underbrace", "underbar", "underrightarrow", "underleftarrow":
            let mark =
                name == "underbrace" ? "⏟" : name == "underrightarrow" ? "→" : name == "underleftarrow" ? "←" : "_"
            let base = try argument() ?? .row([])
            nodes.append(.stack(base, over: nil, under: .symbol(mark, .stretchy), isAccent: name != "underbrace"))
        case "overbrace":
            nodes.append(
                .stack(try argument() ?? .row([]), over: .symbol("⏞", .stretchy), under: nil, isAccent: false)
            )
        case "xrightarrow", "xleftarrow", "xRightarrow", "xLeftarrow", "xleftrightarrow", "xmapsto":
            let arrows = [
                "xrightarrow": "→", "xleftarrow": "←", "xRightarrow": "⇒", "xLeftarrow": "⇐", "xleftrightarrow": "↔",
                "xmapsto": "↦",
            ]
            let under = try optionalArgument()
            let over = try argument()
            nodes.append(.stack(.symbol(arrows[name] ?? "→", .stretchy), over: over, under: under, isAccent: false))
        default: return false
        }
        return true
    }

    // MARK: Letters and text

    private mutating func inVariant(_ font: MathVariant) throws(Failure) -> MathNode {
        let outer = variant
        variant = font
        defer { variant = outer }
        skipSpace()
        // `\mathrm{max}` is one name, not a product of letters.
        if font == .upright || font == .bold || font == .sansSerif || font == .monospace, peek(UInt8(ascii: "{")) {
            let start = position
            let raw = rawArgument()
            if raw.utf8.count > 1, raw.utf8.allSatisfy({ ASCII.isLetter($0) }) {
                var name = ""
                for scalar in raw.unicodeScalars { name.unicodeScalars.append(font.mapped(scalar)) }
                return .identifier(name, isUpright: true)
            }
            position = start
        }
        return try argument() ?? .row([])
    }

    private mutating func readText(_ name: String, _ nodes: inout [MathNode]) -> Bool {
        switch name {
        case "text", "textrm", "textnormal", "mbox", "hbox", "textup", "textsf":
            nodes.append(.text(rawText(), .upright))
        case "textbf": nodes.append(.text(rawText(), .bold))
        case "textit", "emph": nodes.append(.text(rawText(), .italic))
        case "texttt", "verb": nodes.append(.text(rawText(), .monospace))
        case "operatorname":
            let isStarred = peek(UInt8(ascii: "*"))
            skipStar()
            let text = rawText()
            nodes.append(isStarred ? .symbol(text, .named) : .identifier(text, isUpright: true))
        default: return false
        }
        return true
    }

    /// A text argument with its escapes resolved: `\_`, `\ `, `~`, dollar signs dropped.
    private mutating func rawText() -> String {
        var result = ""
        var isEscaped = false
        for character in rawArgument() {
            if isEscaped {
                if !"{}_%$#& ,;".contains(character) { result.append("\\") }
                result.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "~" {
                result.append("\u{A0}")
            } else if character != "$", character != "{", character != "}" {
                result.append(character)
            }
        }
        return result
    }

    private mutating func readNegation(_ nodes: inout [MathNode]) throws(Failure) {
        var following: [MathNode] = []
        if let next = try argument() { following.append(next) }
        if case .symbol(let text, let form) = following.first {
            let negated = ["=": "≠", "∈": "∉", "⊂": "⊄", "⊆": "⊈", "≡": "≢", "<": "≮", ">": "≯", "≤": "≰", "≥": "≱"]
            nodes.append(.symbol(negated[text] ?? text + "\u{338}", form))
        } else {
            nodes += following.isEmpty ? [.unknown("\\not")] : following
        }
    }

    // MARK: Delimiters

    /// A delimiter behind `\left`, `\right`, `\big` and the like; empty for a full stop.
    mutating func delimiter() -> String {
        skipSpace()
        guard position < byteCount else { return "" }
        if peek(ASCII.backslash) {
            let name = commandName()
            if name == "|" { return "‖" }
            if name == "{" || name == "}" { return name }
            return MathSymbol.named(name)?.text ?? "\\" + name
        }
        let mark = String(Character(nextScalar()))
        switch mark {
        case ".": return ""
        case "<": return "⟨"
        case ">": return "⟩"
        default: return mark
        }
    }

    private mutating func fenced() throws(Failure) -> MathNode {
        let opening = delimiter()
        let content = try row(until: .right)
        var closing = ""
        let start = position
        if peek(ASCII.backslash), commandName() == "right" { closing = delimiter() } else { position = start }
        return .fenced(opening, content, closing)
    }

    // MARK: Environments

    private mutating func environment() throws(Failure) -> MathNode {
        let name = rawArgument()
        let base = name.hasSuffix("*") ? String(name.dropLast()) : name
        var table = MathTable()
        var fences = ("", "")
        switch base {
        case "matrix": break
        case "pmatrix": fences = ("(", ")")
        case "bmatrix": fences = ("[", "]")
        case "Bmatrix": fences = ("{", "}")
        case "vmatrix": fences = ("|", "|")
        case "Vmatrix": fences = ("‖", "‖")
        case "smallmatrix": table.form = .small
        case "cases", "dcases":
            table.form = .cases
            table.alignments = [.left]
            fences = ("{", "")
        case "rcases":
            table.form = .cases
            table.alignments = [.left]
            fences = ("", "}")
        case "aligned", "align", "split", "alignat", "alignedat", "eqnarray", "flalign":
            table.form = .aligned
            table.alignments = base == "eqnarray" ? [.right, .center, .left] : [.right, .left]
            if base.hasPrefix("aligned") || base == "alignat" { if base != "aligned" { _ = rawArgument() } }
        case "gather", "gathered", "multline", "equation", "displaymath", "math": table.form = .aligned
        case "array", "tabular", "darray":
            table.alignments = rawArgument().compactMap { character -> MathTable.Alignment? in
                switch character {
                case "l": .left
                case "c": .center
                case "r": .right
                default: nil
                }
            }
            if table.alignments.isEmpty { table.alignments = [.center] }
        default: return .row([.unknown("\\begin{" + name + "}")])
        }
        if base.hasPrefix("aligned") || base == "gathered" || base == "array" { _ = try optionalArgument() }
        try readRows(&table)
        let start = position
        if peek(ASCII.backslash), commandName() == "end" { _ = rawArgument() } else { position = start }
        if fences == ("", "") { return .table(table) }
        return .fenced(fences.0, [.table(table)], fences.1)
    }

    /// Cells up to the end of the environment.
    private mutating func readRows(_ table: inout MathTable) throws(Failure) {
        while true {
            let cell = try row(until: [.cell, .environment])
            table.rows[table.rows.count - 1].append(.row(cell))
            guard position < byteCount else { break }
            if peek(UInt8(ascii: "&")) {
                position += 1
                continue
            }
            let start = position
            guard peek(ASCII.backslash) else { break }
            let name = commandName()
            guard name == "\\" || name == "cr" else {
                position = start
                break
            }
            skipStar()
            if peek(UInt8(ascii: "[")) { _ = try optionalArgument() }
            table.rows.append([])
        }
        // `\\` behind the last row begins no other.
        if table.rows.count > 1, let last = table.rows.last, last.count == 1, case .row(let nodes) = last[0],
            nodes.isEmpty
        {
            table.rows.removeLast()
        }
    }

    // MARK: Tables

    private static let spaces: [String: String] = [
        ",": "0.167em", "thinspace": "0.167em", ":": "0.222em", ">": "0.222em", "medspace": "0.222em", ";": "0.278em",
        "thickspace": "0.278em", " ": "0.333em", "\n": "0.333em", "space": "0.333em", "nobreakspace": "0.333em",
        "enspace": "0.5em", "quad": "1em", "qquad": "2em", "!": "-0.167em", "negthinspace": "-0.167em",
    ]

    private static let sizes: [String: String] = [
        "big": "1.2em", "bigl": "1.2em", "bigr": "1.2em", "bigm": "1.2em", "Big": "1.8em", "Bigl": "1.8em",
        "Bigr": "1.8em", "Bigm": "1.8em", "bigg": "2.4em", "biggl": "2.4em", "biggr": "2.4em", "biggm": "2.4em",
        "Bigg": "3em", "Biggl": "3em", "Biggr": "3em", "Biggm": "3em",
    ]

    private static let accents: [String: (mark: String, isWide: Bool)] = [
        "hat": ("^", false), "widehat": ("^", true), "tilde": ("~", false), "widetilde": ("~", true),
        "bar": ("¯", false),
        "overline": ("¯", true), "vec": ("→", false), "dot": ("˙", false), "ddot": ("¨", false), "dddot": ("⃛", false),
        "acute": ("´", false), "grave": ("`", false), "check": ("ˇ", false), "breve": ("˘", false),
        "mathring": ("˚", false), "overrightarrow": ("→", true), "overleftarrow": ("←", true),
        "overleftrightarrow": ("↔", true),
    ]

    private static let fonts: [String: MathVariant] = [
        "mathrm": .upright, "mathup": .upright, "mathbf": .bold, "boldsymbol": .boldItalic, "bm": .boldItalic,
        "pmb": .boldItalic, "mathit": .italic, "mathnormal": .italic, "mathbb": .doubleStruck, "Bbb": .doubleStruck,
        "mathcal": .script, "mathscr": .script, "mathfrak": .fraktur, "mathsf": .sansSerif, "mathtt": .monospace,
    ]
}
