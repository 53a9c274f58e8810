// A formula as a tree, between `MathParser` (TeX) and `MathWriter` (MathML Core).

indirect enum MathNode {
    case row([MathNode])
    /// `<mi>`: one letter is italic unless `isUpright`.
    case identifier(String, isUpright: Bool)
    case number(String)
    case symbol(String, MathOperatorForm)
    case text(String, MathVariant)
    /// A command that is not known, as typed.
    case unknown(String)
    /// Width in `em`, as MathML takes it.
    case space(String)
    case fraction(MathNode, MathNode, MathFractionForm)
    case root(MathNode, index: MathNode?)
    case scripts(MathScripts)
    /// Something above and below a base: accents, braces, labelled arrows.
    case stack(MathNode, over: MathNode?, under: MathNode?, isAccent: Bool)
    case fenced(String, [MathNode], String)
    case table(MathTable)
    case styled(MathNode, isDisplay: Bool)
    /// A class that the style sheet knows: `tex-boxed`, `tex-cancel`.
    case marked(MathNode, StaticString)
    case phantom(MathNode)
}

struct MathScripts {
    var base: MathNode
    var sub: [MathNode]?
    var sup: [MathNode]?
    /// Scripts stand below and above in display style.
    var hasLimits: Bool
}

enum MathOperatorForm {
    case plain
    /// A bracket of fixed size.
    case fence
    case large
    /// A bracket of the given height.
    case sized(String)
    /// Stretches over what it stands above or below.
    case stretchy
    /// A named operator whose limits move in running text.
    case named
}

enum MathFractionForm { case plain, display, text, binomial, noLine }

struct MathTable {
    enum Alignment { case center, left, right }
    enum Form { case matrix, aligned, cases, small }

    var rows: [[MathNode]] = [[]]
    var form = Form.matrix
    /// By column; the last one goes on.
    var alignments: [Alignment] = [.center]
}

/// How letters are drawn.
enum MathVariant {
    case italic, upright, bold, boldItalic, doubleStruck, script, fraktur, sansSerif, monospace

    /// The letter or digit in this variant, from Unicode's mathematical alphabets.
    func mapped(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let value = scalar.value
        switch value {
        case 0x41...0x5A, 0x61...0x7A:
            let isSmall = value >= 0x61
            let offset = value - (isSmall ? 0x61 : 0x41)
            if let hole = hole(scalar) { return hole }
            guard let base = letters else { return scalar }
            return Unicode.Scalar(base + offset + (isSmall ? 26 : 0)) ?? scalar
        case 0x30...0x39:
            guard let base = digits else { return scalar }
            return Unicode.Scalar(base + value - 0x30) ?? scalar
        case 0x391...0x3A9 where self == .bold || self == .boldItalic:
            return Unicode.Scalar((self == .bold ? 0x1D6A8 : 0x1D71C) + value - 0x391) ?? scalar
        case 0x3B1...0x3C9 where self == .bold || self == .boldItalic:
            return Unicode.Scalar((self == .bold ? 0x1D6C2 : 0x1D736) + value - 0x3B1) ?? scalar
        default: return scalar
        }
    }

    private var letters: UInt32? {
        switch self {
        case .italic, .upright: nil
        case .bold: 0x1D400
        case .boldItalic: 0x1D468
        case .script: 0x1D49C
        case .fraktur: 0x1D504
        case .doubleStruck: 0x1D538
        case .sansSerif: 0x1D5A0
        case .monospace: 0x1D670
        }
    }

    private var digits: UInt32? {
        switch self {
        case .bold, .boldItalic: 0x1D7CE
        case .doubleStruck: 0x1D7D8
        case .sansSerif: 0x1D7E2
        case .monospace: 0x1D7F6
        default: nil
        }
    }

    /// Letters that Unicode had before it had the alphabets.
    private func hole(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch (self, scalar) {
        case (.script, "B"): "ℬ"
        case (.script, "E"): "ℰ"
        case (.script, "F"): "ℱ"
        case (.script, "H"): "ℋ"
        case (.script, "I"): "ℐ"
        case (.script, "L"): "ℒ"
        case (.script, "M"): "ℳ"
        case (.script, "R"): "ℛ"
        case (.script, "e"): "ℯ"
        case (.script, "g"): "ℊ"
        case (.script, "o"): "ℴ"
        case (.fraktur, "C"): "ℭ"
        case (.fraktur, "H"): "ℌ"
        case (.fraktur, "I"): "ℑ"
        case (.fraktur, "R"): "ℜ"
        case (.fraktur, "Z"): "ℨ"
        case (.doubleStruck, "C"): "ℂ"
        case (.doubleStruck, "H"): "ℍ"
        case (.doubleStruck, "N"): "ℕ"
        case (.doubleStruck, "P"): "ℙ"
        case (.doubleStruck, "Q"): "ℚ"
        case (.doubleStruck, "R"): "ℝ"
        case (.doubleStruck, "Z"): "ℤ"
        default: nil
        }
    }
}
