// The data from which the table-driven lexer (GrammarLexer.swift) works: most languages of the C, ML, SQL and scripting
// families differ only in their words, comments, strings and a few habits of naming. One value of this per language.

/// How one kind of string begins, ends and what lives inside it.
struct StringStyle: Sendable {
    /// What code may stand inside.
    struct Holes: OptionSet, Sendable {
        let rawValue: UInt8
        /// `${ … }`.
        static let dollarBrace = Holes(rawValue: 1)
        /// `$name`.
        static let dollarName = Holes(rawValue: 2)
        /// `#{ … }`.
        static let hashBrace = Holes(rawValue: 4)
        /// `{ … }`, with `{{` for a brace.
        static let brace = Holes(rawValue: 8)
        /// `\( … )`.
        static let backslashParen = Holes(rawValue: 16)
        /// `$( … )`.
        static let dollarParen = Holes(rawValue: 32)
    }

    var open: [UInt8]
    var close: [UInt8]
    /// Words that must stand directly before the opening delimiter; empty: none may.
    var prefixes: [[UInt8]] = []
    /// The byte that takes the next one's meaning away, or 0.
    var escape: UInt8 = UInt8(ascii: "\\")
    /// Whether the closing delimiter, twice, stands for itself.
    var doubles = false
    var spansLines = false
    var holes: Holes = []
    /// Whether `#` marks around the quotes lengthen the delimiter (Swift, Rust).
    var hashes = false
    /// Whether there must be at least one such mark (`#/…/#`).
    var onlyHashed = false
    /// Whether the string counts only when it is closed on its line (character literals beside primes).
    var mustClose = false
    var kind: Highlight.Kind = .string

    init(
        _ open: StaticString,
        _ close: StaticString? = nil,
        prefixes: String = "",
        escape: UInt8 = UInt8(ascii: "\\"),
        doubles: Bool = false,
        spansLines: Bool = false,
        holes: Holes = [],
        hashes: Bool = false,
        onlyHashed: Bool = false,
        mustClose: Bool = false,
        kind: Highlight.Kind = .string
    ) {
        self.open = Array(open.description.utf8)
        self.close = Array((close ?? open).description.utf8)
        self.prefixes = prefixes.split(separator: " ").map { Array($0.utf8) }
        self.escape = escape
        self.doubles = doubles
        self.spansLines = spansLines
        self.holes = holes
        self.hashes = hashes
        self.onlyHashed = onlyHashed
        self.mustClose = mustClose
        self.kind = kind
    }
}

/// A language as data.
final class Grammar: Sendable {
    /// Habits of a language that the lexer knows how to see.
    struct Habits: OptionSet, Sendable {
        let rawValue: UInt64
        /// `Name` is a type.
        static let capitalTypes = Habits(rawValue: 1 << 0)
        /// `NAME_WITH` is a constant.
        static let capsConstants = Habits(rawValue: 1 << 1)
        /// `name(` is a function.
        static let calls = Habits(rawValue: 1 << 2)
        /// `x.name` is a property.
        static let properties = Habits(rawValue: 1 << 3)
        /// `#word` at the start of a line is a directive (C).
        static let preprocessor = Habits(rawValue: 1 << 4)
        /// `@name` is an attribute.
        static let atAttributes = Habits(rawValue: 1 << 5)
        /// `$name` is a variable.
        static let dollarVariables = Habits(rawValue: 1 << 6)
        /// `#word` is a directive anywhere (Swift).
        static let hashWords = Habits(rawValue: 1 << 7)
        /// `name!(` is a macro (Rust).
        static let bangMacros = Habits(rawValue: 1 << 8)
        /// `'name` is a lifetime or a type variable, `'x'` a character (Rust, OCaml).
        static let lifetimes = Habits(rawValue: 1 << 9)
        /// `#[ … ]` is an attribute (Rust, PHP).
        static let hashBrackets = Habits(rawValue: 1 << 10)
        /// `name_t`, and names directly before another name, are types (C).
        static let declaredTypes = Habits(rawValue: 1 << 11)
        /// Names may hold `'` after the first letter (Haskell, OCaml, F#).
        static let primes = Habits(rawValue: 1 << 12)
        /// Names may hold `-` (Clojure, CMake, HCL).
        static let dashes = Habits(rawValue: 1 << 13)
        /// Names may end in `?` or `!` (Ruby, Elixir, Clojure).
        static let marks = Habits(rawValue: 1 << 14)
        /// `:name` is a constant (Ruby, Elixir, Clojure).
        static let symbols = Habits(rawValue: 1 << 15)
        /// `name:` is a property.
        static let colonKeys = Habits(rawValue: 1 << 16)
        /// `name =` is a property.
        static let equalKeys = Habits(rawValue: 1 << 17)
        /// `$` is a letter of names (Java, JavaScript).
        static let dollarLetters = Habits(rawValue: 1 << 18)
        /// The first name after an opening parenthesis is a function (Clojure, Scheme).
        static let lispCalls = Habits(rawValue: 1 << 19)
        /// A capitalised name before `(` is a function, not a type (Go, C#, Python).
        static let capitalCalls = Habits(rawValue: 1 << 20)
        /// `'` between digits belongs to the number (C++).
        static let quotedDigits = Habits(rawValue: 1 << 21)
        /// `@name` is a variable or field (Ruby, SQL).
        static let atVariables = Habits(rawValue: 1 << 22)
        /// `@word` is a directive or builtin function (Zig, Objective-C).
        static let atWords = Habits(rawValue: 1 << 23)
        /// `func name`, and in Go `map[K]V`, `[]T`, `*T` and the last word of a field or parameter are types.
        static let goTypes = Habits(rawValue: 1 << 24)
        /// A name directly before a name or a string is a function (R has none; Lua, Ruby commands).
        static let typeArguments = Habits(rawValue: 1 << 25)
        /// A name at the start of a line that `:` follows is a label (C).
        static let labels = Habits(rawValue: 1 << 26)
        /// `[name]` at the start of a line is a section (TOML, INI).
        static let sections = Habits(rawValue: 1 << 28)
        /// `${name}` in code is a variable (CMake, Make).
        static let braceVariables = Habits(rawValue: 1 << 29)
        /// Names may hold `.` (R).
        static let dottedNames = Habits(rawValue: 1 << 30)
        /// `Name` is a variable, `name` an atom (Erlang).
        static let erlangNames = Habits(rawValue: 1 << 31)
        /// `/ … /` where an operand is awaited is a regular expression (AWK).
        static let slashPatterns = Habits(rawValue: 1 << 32)
        /// `Verb-Noun` is a command, `-Name` an option (PowerShell).
        static let commandVerbs = Habits(rawValue: 1 << 33)
        /// `R"mark( … )mark"` (C++).
        static let rawDelimiters = Habits(rawValue: 1 << 34)
        /// Backquoted names are names.
        static let backquotedNames = Habits(rawValue: 1 << 27)
    }

    /// What a byte can begin.
    enum Class: UInt8, Sendable {
        case other, space, lineFeed, word, digit, quote, comment, punctuation, operation, dot, at, hash, dollar, prime
        case colon
    }

    let words: Words
    let lineComments: [[UInt8]]
    let blockOpen: [UInt8]
    let blockClose: [UInt8]
    let nestsComments: Bool
    let strings: [StringStyle]
    let prefixed: [Int]
    let habits: Habits
    let classes: [Class]

    init(
        words: [(kind: Highlight.Kind, role: Words.Role, words: String)],
        ignoresCase: Bool = false,
        lineComments: [StaticString] = [],
        blockComment: (open: StaticString, close: StaticString)? = nil,
        nestsComments: Bool = false,
        strings: [StringStyle],
        habits: Habits,
        letters: String = ""
    ) {
        self.words = Words(words, ignoresCase: ignoresCase)
        self.lineComments = lineComments.map { Array($0.description.utf8) }
        blockOpen = blockComment.map { Array($0.open.description.utf8) } ?? []
        blockClose = blockComment.map { Array($0.close.description.utf8) } ?? []
        self.nestsComments = nestsComments
        self.strings = strings
        prefixed = strings.indices.filter { !strings[$0].prefixes.isEmpty }
        self.habits = habits

        var classes = [Class](repeating: .other, count: 256)
        for byte in UInt8.min...UInt8.max {
            if byte.isWordStart { classes[Int(byte)] = .word }
            if byte.isDigit { classes[Int(byte)] = .digit }
            if byte.isSpace { classes[Int(byte)] = .space }
        }
        for byte in "+-*/%=<>!&|^~?\\".utf8 { classes[Int(byte)] = .operation }
        for byte in "()[]{},;".utf8 { classes[Int(byte)] = .punctuation }
        classes[Int(UInt8(ascii: ":"))] = .colon
        classes[Int(UInt8(ascii: "\n"))] = .lineFeed
        classes[Int(UInt8(ascii: "."))] = .dot
        classes[Int(UInt8(ascii: "@"))] = .at
        classes[Int(UInt8(ascii: "#"))] = .hash
        classes[Int(UInt8(ascii: "$"))] = habits.contains(.dollarLetters) ? .word : .dollar
        for byte in letters.utf8 { classes[Int(byte)] = .word }
        for style in strings where style.prefixes.isEmpty && !style.onlyHashed { classes[Int(style.open[0])] = .quote }
        if habits.contains(.lifetimes) { classes[Int(UInt8(ascii: "'"))] = .prime }
        for open in self.lineComments + (blockOpen.isEmpty ? [] : [blockOpen]) { classes[Int(open[0])] = .comment }
        self.classes = classes
    }
}
