// Bash, POSIX shell, Zsh and Fish: words by position (command, argument, assignment, pattern), expansions inside strings,
// here-documents, and programs of other languages in `python -c "…"`, `jq '…'`, `awk '…'` (Bash manual, POSIX 2.3).

/// The lexer of shells.
struct ShellLexer {
    private enum Mode {
        static let ground: UInt8 = 0
        /// `$( … )`, `( … )`, `<( … )`.
        static let group: UInt8 = 1
        /// `"…"`.
        static let double: UInt8 = 2
        /// A here-document; data: digest of its delimiter, flag: guest, count: bit 0 literal, bit 1 tabs stripped.
        static let document: UInt8 = 3
        /// `${ … }`.
        static let expansion: UInt8 = 4
        /// `(( … ))`, `$(( … ))`; count: open parentheses.
        static let arithmetic: UInt8 = 5
        /// `'…'` with a guest in it.
        static let guestSingle: UInt8 = 6
        /// `"…"` with a guest in it.
        static let guestDouble: UInt8 = 7
        /// `'…'` and `$'…'` over lines; flag 1: with escapes.
        static let single: UInt8 = 8
        /// `` `…` ``.
        static let backquote: UInt8 = 9
    }

    /// What the next word is.
    ///
    /// Kept in the frame's data; its flag is the guest that this command takes, its count whether the next string is
    /// the guest's program.
    private enum Expect: UInt32 {
        case command, argument, name, pattern, loopName, functionName, value, testWord, caseWord
    }

    private struct Document { var digest: UInt32, flags: UInt16, guest: UInt8 }

    private static let posix = Words([
        (.keyword, .none, "if then elif else fi while until do done esac time coproc"),
        (.keyword, .path, "for select case in"),
        (.keyword, .function, "function"),
        (.keyword, .name, "export declare local readonly typeset unset return"),
    ])
    private static let fish = Words([
        (.keyword, .none, "if else end while begin switch case and or not break continue return"),
        (.keyword, .path, "for in"),
        (.keyword, .function, "function"),
    ])
    /// Commands whose program stands in a string: at once, or after `-c` or `-e`.
    private static let guests: [String: (language: String, afterFlag: Bool)] = [
        "python": ("python", true), "python3": ("python", true), "python2": ("python", true),
        "node": ("javascript", true),
        "deno": ("typescript", true), "bun": ("typescript", true), "ruby": ("ruby", true), "perl": ("perl", true),
        "php": ("php", true),
        "bash": ("bash", true), "sh": ("bash", true), "zsh": ("bash", true), "psql": ("sql", true),
        "mysql": ("sql", true),
        "sqlite3": ("sql", false), "duckdb": ("sql", true), "jq": ("jq", false), "yq": ("jq", false),
        "gojq": ("jq", false),
        "awk": ("awk", false), "gawk": ("awk", false), "mawk": ("awk", false), "nawk": ("awk", false),
        "sed": ("sed", false),
        "gsed": ("sed", false), "Rscript": ("r", true), "lua": ("lua", true), "pwsh": ("powershell", true),
        "julia": ("julia", true),
    ]
    /// Delimiters of here-documents that say what is in them.
    private static let documents: [String: String] = [
        "PY": "python", "PYTHON": "python", "PYEOF": "python", "JSON": "json", "SQL": "sql", "HTML": "html",
        "CSS": "css", "JS": "javascript",
        "YAML": "yaml", "YML": "yaml", "XML": "xml", "RUBY": "ruby", "PERL": "perl", "PHP": "php", "SH": "bash",
        "BASH": "bash",
        "TOML": "toml", "INI": "ini", "GO": "go", "RUST": "rust", "SWIFT": "swift", "DOCKERFILE": "dockerfile",
        "AWK": "awk",
        "MARKDOWN": "markdown", "MD": "markdown", "DIFF": "diff", "PATCH": "diff", "C": "c",
    ]

    /// The same commands, and those that another command follows.
    private static let commands = Words([
        (.function, .none, guests.keys.joined(separator: " ")),
        (.function, .none, "sudo xargs env exec command nohup builtin"),
    ])

    private let words: Words
    private let commands = ShellLexer.commands
    private let isFish: Bool
    private var expect = Expect.command
    private var guest: UInt8 = 0
    private var takesProgram = false
    private var pending: [Document] = []
    /// Where the last of them was announced, and whether they begin now.
    private var pendingFrom = 0
    private var isDue = false

    static func lex(_ x: inout Scanner, base: Int, isFish: Bool) {
        if x.frames.count <= base {
            x.frames.append(Frame(mode: Mode.ground))
            x.skipInterpreterLine()
        }
        var lexer = ShellLexer(isFish: isFish)
        lexer.run(&x, base)
    }

    private init(isFish: Bool) {
        self.isFish = isFish
        words = isFish ? Self.fish : Self.posix
    }

    private mutating func run(_ x: inout Scanner, _ base: Int) {
        while x.position < x.source.count {
            let top = x.top(above: base) { frame in
                frame.mode == Mode.guestSingle || frame.mode == Mode.guestDouble
                    || (frame.mode == Mode.document && frame.flag > 0)
            }
            let frame = x.frames[top]
            switch frame.mode {
            case Mode.double: double(&x, from: x.position)
            case Mode.single: single(&x, from: x.position)
            case Mode.document: document(&x, top)
            case Mode.expansion: expansion(&x)
            case Mode.arithmetic: arithmetic(&x)
            case Mode.guestSingle, Mode.guestDouble: program(&x, top)
            default:
                restore(frame)
                let isClosed = code(&x, frame.mode)
                save(&x, top)
                if isClosed { x.frames.removeLast() }
                openDocuments(&x)
            }
        }
    }

    private mutating func restore(_ frame: Frame) {
        expect = Expect(rawValue: frame.data) ?? .command
        guest = frame.flag
        takesProgram = frame.count == 1
    }

    private func save(_ x: inout Scanner, _ index: Int) {
        x.frames[index].data = expect.rawValue
        x.frames[index].flag = guest
        x.frames[index].count = takesProgram ? 1 : 0
    }

    /// Opens a construct above the code frame, which keeps what it was doing.
    private func push(_ x: inout Scanner, _ frame: Frame) -> Bool {
        save(&x, x.frames.count - 1)
        return x.push(frame)
    }

    private mutating func startCommand() {
        expect = .command
        guest = 0
        takesProgram = false
    }

    // MARK: Code

    /// Lexes commands until the group is closed (true).
    ///
    /// Returns whenever the stack has changed or documents are to be opened.
    private mutating func code(_ x: inout Scanner, _ mode: UInt8) -> Bool {
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"):
                x.position += 1
                if expect == .value { expect = .command }
            case UInt8(ascii: "\n"):
                x.position += 1
                if expect != .pattern && expect != .caseWord { startCommand() }
                if isDue(source, at: start) { return false }
            case UInt8(ascii: "\\"):
                x.position = min(start + 2, source.count)
                if source[start + 1] != UInt8(ascii: "\n") {
                    x.emit(.escape, from: start)
                    if expect == .command { expect = .argument }
                }
            case UInt8(ascii: "#") where start == 0 || source[start - 1].isSpace || source[start - 1].isOne(of: ";&|("):
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            case UInt8(ascii: "'"), UInt8(ascii: "\""):
                if openQuote(&x, byte, from: start) { return false }
            case UInt8(ascii: "$"):
                if dollar(&x, from: start) { return false }
                wordSeen()
            case UInt8(ascii: "`"):
                x.position += 1
                x.emit(.operator, from: start)
                if mode == Mode.backquote { return true }
                wordSeen()
                if push(&x, Frame(mode: Mode.backquote)) { return false }
            case UInt8(ascii: "("):
                if open(&x, start) { return false }
            case UInt8(ascii: ")"):
                x.position += 1
                x.emit(.punctuation, from: start)
                if mode == Mode.group, expect != .pattern { return true }
                startCommand()
            case UInt8(ascii: ";"), UInt8(ascii: "&"), UInt8(ascii: "|"): separator(&x, start)
            case UInt8(ascii: "<"), UInt8(ascii: ">"): if redirection(&x, start) { return false }
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "!"):
                bracket(&x, start, byte)
            case UInt8(ascii: "["):
                x.position += 1
                if expect == .command {
                    if source[x.position] == byte { x.position += 1 }
                    if source[x.position].isSpace { expect = .testWord }
                }
                x.emit(.punctuation, from: start)
            case UInt8(ascii: "]"):
                x.position += 1
                if source[x.position] == byte { x.position += 1 }
                x.emit(.punctuation, from: start)
            default: word(&x, start)
            }
        }
        return false
    }

    private mutating func wordSeen() {
        switch expect {
        case .command: expect = .argument
        case .caseWord, .loopName, .functionName: break
        default: break
        }
    }

    private mutating func separator(_ x: inout Scanner, _ start: Int) {
        let byte = x.source[start]
        x.position += 1
        while x.source[x.position].isOne(of: ";&|") { x.position += 1 }
        if byte == UInt8(ascii: "&"), x.source[x.position] == UInt8(ascii: ">") {
            while x.source[x.position] == UInt8(ascii: ">") { x.position += 1 }
            x.emit(.operator, from: start)
            return
        }
        x.emit(byte == UInt8(ascii: ";") ? .punctuation : .operator, from: start)
        if byte == UInt8(ascii: "|"), expect == .pattern { return }
        if expect == .testWord, x.position == start + 2, byte != UInt8(ascii: ";") { return }
        startCommand()
        if byte == UInt8(ascii: ";"), x.position > start + 1 { expect = .pattern }
    }

    private mutating func bracket(_ x: inout Scanner, _ start: Int, _ byte: UInt8) {
        x.position += 1
        let stands = x.source[x.position].isSpace || x.position >= x.source.count
        x.emit(byte == UInt8(ascii: "!") ? .operator : .punctuation, from: start)
        guard stands || byte == UInt8(ascii: "}"), expect == .command || expect == .name else { return }
        startCommand()
    }

    /// A subshell, a function's parentheses, an array, arithmetic.
    ///
    /// True: the stack changed.
    private mutating func open(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        if source[start + 1] == UInt8(ascii: "("), expect == .command || expect == .loopName {
            x.position += 2
            x.emit(.punctuation, from: start)
            expect = .argument
            return push(&x, Frame(mode: Mode.arithmetic))
        }
        x.position += 1
        x.emit(.punctuation, from: start)
        if source[x.position] == UInt8(ascii: ")") {
            x.position += 1
            x.emit(.punctuation, from: start + 1)
            startCommand()
            return false
        }
        if expect == .pattern { return false }
        let isArray = expect == .value
        if isArray { expect = .command }
        if expect == .command, !isArray { startCommand() }
        return push(
            &x,
            Frame(mode: Mode.group, data: (isArray || expect == .testWord ? Expect.argument : Expect.command).rawValue)
        )
    }

    /// True: documents wait or the stack changed.
    private mutating func redirection(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        let byte = source[start]
        if source[start + 1] == UInt8(ascii: "("), expect != .testWord {
            x.position += 2
            x.emit(.operator, from: start)
            return push(&x, Frame(mode: Mode.group))
        }
        if byte == UInt8(ascii: "<"), source[start + 1] == byte, source[start + 2] != byte, !isFish, expect != .testWord
        {
            document(&x, mark: start)
            return false
        }
        x.position += 1
        while source[x.position].isOne(of: "<>&|") { x.position += 1 }
        x.emit(.operator, from: start)
        while source[x.position].isBlank { x.position += 1 }
        // The target is a word of its own kind; the command goes on after it.
        let target = x.position
        while !source[x.position].isSpace, x.position < source.count, !source[x.position].isOne(of: ";&|<>()$\"'`") {
            x.position += 1
        }
        let digits = (target..<x.position).allSatisfy { source[$0].isDigit || source[$0] == UInt8(ascii: "-") }
        x.emit(digits ? .number : .plain, from: target)
        return false
    }

    // MARK: Words

    private mutating func word(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        var index = start
        var hash: UInt32 = 0
        while index < source.count {
            let byte = source[index]
            if byte.isSpace || byte.isOne(of: ";&|<>()$\"'`\\") { break }
            if byte == UInt8(ascii: "="), isAssignable { break }
            if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "}"), index == start { break }
            hash = Words.mix(hash, byte)
            index &+= 1
        }
        if index == start { index = start + 1 }
        x.position = index
        let follower = source[index]
        let endsWord = index >= source.count || follower.isSpace || follower.isOne(of: ";&|()<>")

        // `name=`, `name+=`, `name[i]=`
        if isAssignable, follower == UInt8(ascii: "="), isName(source, start, index) {
            let plus = source[index - 1] == UInt8(ascii: "+") ? 1 : 0
            x.emit(.variable, from: start, to: index - plus)
            x.position = index + 1
            x.emit(.operator, from: index - plus)
            if expect == .command { expect = .value }
            return
        }
        if follower == UInt8(ascii: "="), isAssignable { x.position = index + 1 }
        if endsWord, expect == .command || expect == .pattern || expect == .caseWord || expect == .loopName,
            let meaning = words.meaning(source, from: start, to: index, hash: hash),
            expect == .command
                || (source.has("esac", at: start) || source.has("in", at: start) || source.has("do", at: start))
        {
            keyword(&x, meaning, from: start)
            return
        }
        switch expect {
        case .command:
            let isDefinition = follower == UInt8(ascii: "(") && source[index + 1] == UInt8(ascii: ")")
            x.emit(
                isNumber(source, start, index) && (follower == UInt8(ascii: ">") || follower == UInt8(ascii: "<"))
                    ? .number : .function,
                from: start
            )
            if isNumber(source, start, index), follower == UInt8(ascii: ">") || follower == UInt8(ascii: "<") { return }
            expect = isDefinition ? .name : .argument
            findGuest(source, start, index)
        case .functionName:
            x.emit(.function, from: start)
            expect = .command
        case .loopName:
            x.emit(.variable, from: start)
            expect = .caseWord
        case .value:
            x.emit(isNumber(source, start, index) ? .number : .plain, from: start)
        default:
            argument(&x, start, index, follower)
        }
    }

    private var isAssignable: Bool { expect == .command || expect == .name }

    private mutating func argument(_ x: inout Scanner, _ start: Int, _ end: Int, _ follower: UInt8) {
        let source = x.source
        if source[start] == UInt8(ascii: "-"), end > start + 1 {
            x.emit(.constant, from: start)
            if guest > 0, end == start + 2,
                source[start + 1] == UInt8(ascii: "c") || source[start + 1] == UInt8(ascii: "e")
            {
                takesProgram = true
            }
            return
        }
        if isNumber(source, start, end) {
            x.emit(.number, from: start)
        } else if expect == .name, isName(source, start, end) {
            x.emit(.variable, from: start)
        }
    }

    private mutating func keyword(_ x: inout Scanner, _ meaning: Words.Meaning, from start: Int) {
        let source = x.source
        let isCase = source.has("case", at: start) && x.position == start + 4
        let isIn = source.has("in", at: start) && x.position == start + 2
        x.emit(.keyword, from: start)
        switch meaning.role {
        case .path where isCase && !isFish: expect = .pattern
        case .path where isIn:
            // `for x in words` against `case x in patterns`: the word before decided.
            expect = expect == .pattern ? .pattern : .argument
        case .path: expect = .loopName
        case .function: expect = .functionName
        case .name: expect = .name
        default: startCommand()
        }
    }

    private func isName(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        guard source[start].isWordStart else { return false }
        var index = start
        while index < end, source[index].isWord { index += 1 }
        if index < end, source[index] == UInt8(ascii: "[") {
            while index < end, source[index] != UInt8(ascii: "]") { index += 1 }
            index += 1
        }
        if index == end - 1, source[index] == UInt8(ascii: "+") { index += 1 }
        return index == end
    }

    private func isNumber(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        for index in start..<end where !source[index].isDigit { return false }
        return end > start
    }

    /// Notes the language whose program this command takes.
    private mutating func findGuest(_ source: Bytes, _ start: Int, _ end: Int) {
        guard end - start <= 60 else { return }
        var from = start
        for index in start..<end where source[index] == UInt8(ascii: "/") { from = index + 1 }
        guard commands.meaning(source, from: from, to: end) != nil else { return }
        var name = ""
        for index in from..<end { name.unicodeScalars.append(Unicode.Scalar(source[index])) }
        if let (language, afterFlag) = Self.guests[name] {
            guest = Embedded.note(language)
            takesProgram = !afterFlag && guest > 0
        } else {
            expect = .command
        }
    }

    // MARK: Strings

    /// True: the stack changed.
    private mutating func openQuote(_ x: inout Scanner, _ quote: UInt8, from start: Int) -> Bool {
        if expect == .command { expect = .argument }
        let isDouble = quote == UInt8(ascii: "\"")
        if takesProgram, guest > 0 {
            takesProgram = false
            let program = guest
            guest = 0
            x.position += 1
            x.emit(.string, from: start)
            if push(&x, Frame(mode: isDouble ? Mode.guestDouble : Mode.guestSingle, flag: program)) { return true }
        }
        x.position = start + 1
        guard push(&x, Frame(mode: isDouble ? Mode.double : Mode.single)) else {
            x.emit(.string, from: start)
            return false
        }
        let depth = x.frames.count
        if isDouble { double(&x, from: start) } else { single(&x, from: start) }
        return x.frames.count != depth - 1
    }

    private mutating func single(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        let hasEscapes = x.frames[x.frames.count - 1].flag == 1 || isFish
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "'") {
                x.frames.removeLast()
                x.position = index + 1
                x.emit(.string, from: start)
                return
            }
            if hasEscapes, byte == UInt8(ascii: "\\") {
                x.emit(.string, from: start, to: index)
                x.emit(.escape, from: index, to: min(index + 2, source.count))
                index += 2
                start = min(index, source.count)
                continue
            }
            index &+= 1
        }
        x.position = min(index, source.count)
        x.emit(.string, from: start)
    }

    private mutating func double(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == UInt8(ascii: "\"") {
                x.frames.removeLast()
                x.position = index + 1
                x.emit(.string, from: start)
                return
            }
            if byte == UInt8(ascii: "\\") {
                if source[index + 1].isOne(of: "\\\"$`\n") {
                    x.emit(.string, from: start, to: index)
                    x.emit(.escape, from: index, to: min(index + 2, source.count))
                    start = min(index + 2, source.count)
                }
                index += 2
                continue
            }
            if byte == UInt8(ascii: "$") || (byte == UInt8(ascii: "`") && !isFish) {
                x.emit(.string, from: start, to: index)
                x.position = index
                if byte == UInt8(ascii: "`") {
                    x.position += 1
                    x.emit(.operator, from: index)
                    if x.push(Frame(mode: Mode.backquote)) { return }
                } else if dollar(&x, from: index, inString: true) {
                    return
                }
                start = index
                if x.position > index + 1 || source[index] == UInt8(ascii: "`") { start = x.position }
                index = max(x.position, index + 1)
                continue
            }
            index &+= 1
        }
        x.position = min(index, source.count)
        x.emit(.string, from: start)
    }

    /// `$name`, `${…}`, `$(…)`, `$((…))`, `$'…'`.
    ///
    /// True: the stack changed. Emits nothing for a lone `$`.
    private mutating func dollar(_ x: inout Scanner, from start: Int, inString: Bool = false) -> Bool {
        let source = x.source
        let next = source[start + 1]
        func pushed(_ frame: Frame, _ length: Int, _ x: inout Scanner) -> Bool {
            if inString {
                guard x.push(frame) else { return false }
            } else {
                guard push(&x, frame) else { return false }
            }
            x.position = start + length
            x.emit(frame.mode == Mode.single ? .string : .operator, from: start)
            return true
        }
        switch next {
        case UInt8(ascii: "{"):
            if !inString, expect == .command { expect = .argument }
            if pushed(Frame(mode: Mode.expansion), 2, &x) { return true }
        case UInt8(ascii: "("):
            if !inString, expect == .command { expect = .argument }
            if source[start + 2] == UInt8(ascii: "("), pushed(Frame(mode: Mode.arithmetic), 3, &x) { return true }
            if pushed(Frame(mode: Mode.group), 2, &x) { return true }
        case UInt8(ascii: "'") where !inString:
            if pushed(Frame(mode: Mode.single, flag: 1), 2, &x) { return true }
        default:
            if next.isWordStart {
                x.position = start + 1
                while source[x.position].isWord { x.position += 1 }
                x.emit(.variable, from: start)
                return false
            }
            if next.isDigit || next.isOne(of: "@*#?$!-") {
                x.position = start + 2
                x.emit(.variable, from: start)
                return false
            }
        }
        x.position = start + 1
        return false
    }

    /// `${ … }`.
    private mutating func expansion(_ x: inout Scanner) {
        let source = x.source
        if source[x.position - 1] == UInt8(ascii: "{") {
            let start = x.position
            while source[x.position].isOne(of: "!#") { x.position += 1 }
            x.emit(.operator, from: start)
            let name = x.position
            while source[x.position].isWord { x.position += 1 }
            if x.position == name, source[name].isOne(of: "@*?$-") { x.position += 1 }
            x.emit(.variable, from: name)
        }
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: "}"):
                x.position += 1
                x.emit(.operator, from: start)
                x.frames.removeLast()
                return
            case UInt8(ascii: "$"):
                if dollar(&x, from: start, inString: true) { return }
            case UInt8(ascii: "\""):
                x.position += 1
                guard x.push(Frame(mode: Mode.double)) else { continue }
                double(&x, from: start)
                return
            case UInt8(ascii: "'"):
                x.position += 1
                guard x.push(Frame(mode: Mode.single)) else { continue }
                single(&x, from: start)
                return
            case UInt8(ascii: "\\"):
                x.position = min(start + 2, source.count)
            case UInt8(ascii: ":"), UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "="), UInt8(ascii: "?"),
                UInt8(ascii: "#"),
                UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: "^"), UInt8(ascii: ","), UInt8(ascii: "@"),
                UInt8(ascii: "["),
                UInt8(ascii: "]"), UInt8(ascii: "*"):
                x.position += 1
                x.emit(.operator, from: start)
            default: x.position += 1
            }
        }
    }

    private mutating func arithmetic(_ x: inout Scanner) {
        let source = x.source
        let top = x.frames.count - 1
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            if byte.isDigit {
                while source[x.position].isWord || source[x.position] == UInt8(ascii: "#") { x.position += 1 }
                x.emit(.number, from: start)
            } else if byte.isWordStart {
                while source[x.position].isWord { x.position += 1 }
                x.emit(.variable, from: start)
            } else if byte == UInt8(ascii: "$") {
                if dollar(&x, from: start, inString: true) { return }
            } else if byte == UInt8(ascii: "(") {
                x.position += 1
                x.frames[top].count &+= 1
                x.emit(.punctuation, from: start)
            } else if byte == UInt8(ascii: ")") {
                x.position += 1
                if x.frames[top].count == 0 {
                    if source[x.position] == byte { x.position += 1 }
                    x.emit(.punctuation, from: start)
                    x.frames.removeLast()
                    return
                }
                x.frames[top].count -= 1
                x.emit(.punctuation, from: start)
            } else if byte.isSpace {
                x.position += 1
            } else {
                x.position += 1
                x.emit(.operator, from: start)
            }
        }
    }

    // MARK: Here-documents and programs

    /// `<<[-]WORD`: notes the document that begins on the next line.
    private mutating func document(_ x: inout Scanner, mark start: Int) {
        let source = x.source
        x.position = start + 2
        var flags: UInt16 = 0
        if source[x.position] == UInt8(ascii: "-") || source[x.position] == UInt8(ascii: "~") {
            flags |= 2
            x.position += 1
        }
        x.emit(.operator, from: start)
        while source[x.position].isBlank { x.position += 1 }
        let from = x.position
        var word: [UInt8] = []
        var quote: UInt8 = 0
        while x.position < source.count {
            let byte = source[x.position]
            if quote == 0, byte.isSpace || byte.isOne(of: ";&|<>()") { break }
            if byte == UInt8(ascii: "\n") || word.count > 200 { break }
            x.position += 1
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\"") {
                flags |= 1
                quote = quote == byte ? 0 : quote == 0 ? byte : quote
                continue
            }
            if byte == UInt8(ascii: "\\") {
                flags |= 1
                continue
            }
            word.append(byte)
        }
        x.emit(.string, from: from)
        guard !word.isEmpty, pending.count < 8 else { return }
        let digest = word.borrowed { $0.digest(from: 0, to: $0.count) }
        let named = Self.documents[String(decoding: word, as: UTF8.self)].map(Embedded.note) ?? 0
        pendingFrom = x.position
        pending.append(Document(digest: digest, flags: flags, guest: named > 0 ? named : guest))
        guest = 0
        takesProgram = false
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
            _ = x.push(Frame(mode: Mode.document, flag: document.guest, count: document.flags, data: document.digest))
        }
        pending = []
    }

    /// Lines of a here-document up to its delimiter.
    private mutating func document(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let frame = x.frames[top]
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            let next = min(end + 1, source.count)
            var from = start
            if start == 0 || source[start - 1] == UInt8(ascii: "\n") {
                if frame.count & 2 != 0 { while source[from].isBlank { from += 1 } }
                var to = end
                if to > from, source[to - 1] == UInt8(ascii: "\r") { to -= 1 }
                if to - from <= 200, source.digest(from: from, to: to) == frame.data {
                    Embedded.end(&x, base: top)
                    x.position = end
                    x.emit(.string, from: from)
                    return
                }
            }
            if frame.flag > 0 {
                Embedded.run(&x, note: frame.flag, to: next, base: top + 1)
            } else if frame.count & 1 != 0 {
                x.position = next
                x.emit(.string, from: start, to: end)
            } else if documentLine(&x, from: start, to: end, next: next) {
                return
            }
        }
    }

    /// A line with expansions.
    ///
    /// True: the stack changed.
    private mutating func documentLine(_ x: inout Scanner, from opened: Int, to end: Int, next: Int) -> Bool {
        let source = x.source
        var start = opened
        var index = opened
        while index < end {
            let byte = source[index]
            if byte == UInt8(ascii: "\\") {
                index += 2
                continue
            }
            if byte == UInt8(ascii: "$") {
                x.emit(.string, from: start, to: index)
                x.position = index
                if dollar(&x, from: index, inString: true) { return true }
                start = x.position > index + 1 ? x.position : index
                index = max(x.position, index + 1)
                continue
            }
            index &+= 1
        }
        x.position = next
        x.emit(.string, from: start, to: end)
        return false
    }

    /// A guest's program in quotes.
    private mutating func program(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let frame = x.frames[top]
        var end = x.position
        if frame.mode == Mode.guestSingle {
            end = source.next(UInt8(ascii: "'"), from: end)
        } else {
            while end < source.count, source[end] != UInt8(ascii: "\"") {
                end += source[end] == UInt8(ascii: "\\") ? 2 : 1
            }
            end = min(end, source.count)
        }
        Embedded.run(&x, note: frame.flag, to: end, base: top + 1)
        guard end < source.count else { return }
        Embedded.end(&x, base: top)
        x.position = end + 1
        x.emit(.string, from: end)
    }
}
