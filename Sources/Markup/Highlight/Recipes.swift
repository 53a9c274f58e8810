// Line-shaped languages whose lines hold shell or text: Makefile, Dockerfile, LaTeX, regular expressions, sed.

/// Makefiles (GNU make manual): rules, variables, recipes in shell.
enum MakefileLexer {
    private enum Mode {
        static let ground: UInt8 = 0
        /// A recipe line in shell.
        static let recipe: UInt8 = 1
        /// A continued line; flag 1: a comment.
        static let continued: UInt8 = 2
    }

    private static let words = Words([
        (
            .keyword, .none,
            "ifeq ifneq ifdef ifndef else endif include -include sinclude define endef export unexport override private vpath undefine"
        )
    ])

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground)) }
        let source = x.source
        let shell = Embedded.note("bash")
        while x.position < source.count {
            let top = x.top(above: base) { $0.mode == Mode.recipe }
            let start = x.position
            let end = source.lineEnd(from: start)
            let next = min(end + 1, source.count)
            let isContinued = source[end - 1] == UInt8(ascii: "\\") && end > start
            switch x.frames[top].mode {
            case Mode.recipe:
                Embedded.run(&x, note: shell, to: next, base: top + 1)
                if !isContinued { Embedded.end(&x, base: top) }
            case Mode.continued:
                if x.frames[top].flag == 1 {
                    x.emit(.comment, from: start, to: end)
                } else {
                    values(&x, from: start, to: end)
                }
                x.position = next
                if !isContinued { x.frames.removeLast() }
            default:
                if source[start] == UInt8(ascii: "\t"), x.push(Frame(mode: Mode.recipe)) {
                    var from = start + 1
                    while source[from].isOne(of: "@-+") { from += 1 }
                    x.emit(.operator, from: start + 1, to: from)
                    x.position = from
                    Embedded.run(&x, note: shell, to: next, base: top + 2)
                    if !isContinued { Embedded.end(&x, base: top + 1) }
                } else {
                    let isComment = line(&x, start, end)
                    x.position = next
                    if isContinued { _ = x.push(Frame(mode: Mode.continued, flag: isComment ? 1 : 0)) }
                }
            }
        }
    }

    private static func line(_ x: inout Scanner, _ start: Int, _ end: Int) -> Bool {
        let source = x.source
        var index = start
        while source[index].isBlank { index += 1 }
        let from = index
        if source[from] == UInt8(ascii: "#") {
            x.emit(.comment, from: from, to: end)
            return true
        }
        while index < end, !source[index].isSpace, !source[index].isOne(of: ":=?+!#$(") { index += 1 }
        if words.meaning(source, from: from, to: index) != nil {
            x.emit(.keyword, from: from, to: index)
            values(&x, from: index, to: end)
            return false
        }
        // The first `=` or `:` outside of `$( … )` decides between a variable and a rule.
        var depth = 0
        var at = from
        while at < end {
            let byte = source[at]
            if byte == UInt8(ascii: "("), source[at - 1] == UInt8(ascii: "$") || depth > 0 { depth += 1 }
            if byte == UInt8(ascii: ")"), depth > 0 { depth -= 1 }
            if depth == 0, byte == UInt8(ascii: "#") { break }
            if depth == 0,
                byte == UInt8(ascii: "=") || (byte == UInt8(ascii: ":") && source[at + 1] == UInt8(ascii: "="))
            {
                var mark = at
                while mark > from, source[mark - 1].isOne(of: "?+!:") { mark -= 1 }
                var name = mark
                while name > from, source[name - 1].isBlank { name -= 1 }
                x.emit(.variable, from: from, to: name)
                let last = byte == UInt8(ascii: ":") ? at + 2 : at + 1
                x.emit(.operator, from: mark, to: last)
                values(&x, from: last, to: end)
                return false
            }
            if depth == 0, byte == UInt8(ascii: ":") {
                if source[from] == UInt8(ascii: "."), source[from + 1].isUpper {
                    x.emit(.keyword, from: from, to: at)
                } else {
                    values(&x, from: from, to: at, kind: .function)
                }
                x.emit(.operator, from: at, to: at + 1)
                values(&x, from: at + 1, to: end)
                return false
            }
            at += 1
        }
        values(&x, from: from, to: end)
        return false
    }

    /// Text with `$(…)`, `$@` and a comment at its end.
    private static func values(_ x: inout Scanner, from start: Int, to end: Int, kind: Highlight.Kind = .plain) {
        let source = x.source
        var index = start
        var plain = start
        while index < end {
            let byte = source[index]
            if byte == UInt8(ascii: "#"), source[index - 1] != UInt8(ascii: "\\") {
                x.emit(kind, from: plain, to: index)
                x.emit(.comment, from: index, to: end)
                return
            }
            guard byte == UInt8(ascii: "$"), index + 1 < end else {
                index += 1
                continue
            }
            x.emit(kind, from: plain, to: index)
            let close: UInt8? =
                source[index + 1] == UInt8(ascii: "(")
                ? UInt8(ascii: ")") : source[index + 1] == UInt8(ascii: "{") ? UInt8(ascii: "}") : nil
            var last = index + 2
            if let close {
                var name = last
                while source[name].isWord || source[name].isOne(of: "-.%") { name += 1 }
                if source[name] == UInt8(ascii: " "), name < end {
                    // A function call: its name, then its arguments by the same rules.
                    x.emit(.punctuation, from: index, to: last)
                    x.emit(.function, from: last, to: name)
                    last = name
                } else {
                    while last < end, source[last] != close, source[last] != UInt8(ascii: "$") { last += 1 }
                    if source[last] == close { last += 1 }
                    x.emit(.variable, from: index, to: last)
                }
            } else {
                x.emit(.variable, from: index, to: last)
            }
            index = max(last, index + 1)
            plain = index
        }
        x.emit(kind, from: plain, to: end)
    }
}

/// Dockerfiles: an instruction a line, `RUN` and `CMD` in shell or JSON.
enum DockerfileLexer {
    private static let ground: UInt8 = 0
    /// A continued instruction; flag: guest.
    private static let continued: UInt8 = 1

    private static let words = Words(
        [
            (
                .keyword, .none,
                "from as run cmd label maintainer expose env add copy entrypoint volume user workdir arg onbuild stopsignal healthcheck shell"
            )
        ],
        ignoresCase: true
    )

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: ground)) }
        let source = x.source
        while x.position < source.count {
            let top = x.top(above: base) { $0.mode == continued }
            let start = x.position
            let end = source.lineEnd(from: start)
            let next = min(end + 1, source.count)
            var last = end
            while last > start, source[last - 1].isSpace { last -= 1 }
            var from = start
            while source[from].isBlank { from += 1 }
            let isComment = source[from] == UInt8(ascii: "#")
            // A comment between continued lines does not end the instruction.
            let isContinued =
                source[last - 1] == UInt8(ascii: "\\") && last > start || (isComment && x.frames[top].mode == continued)
            if isComment {
                x.emit(
                    source.has("# syntax=", at: from) || source.has("# escape=", at: from) ? .meta : .comment,
                    from: from,
                    to: end
                )
                x.position = next
            } else if x.frames[top].mode == continued {
                body(&x, note: x.frames[top].flag, to: next, base: top + 1)
            } else {
                instruction(&x, from, next, top)
            }
            if !isContinued { Embedded.end(&x, base: x.frames[top].mode == continued ? top : top + 1) }
        }
    }

    private static func instruction(_ x: inout Scanner, _ start: Int, _ next: Int, _ top: Int) {
        let source = x.source
        var index = start
        while source[index].isLetter { index += 1 }
        guard words.meaning(source, from: start, to: index) != nil else {
            x.position = next
            return
        }
        x.emit(.keyword, from: start, to: index)
        if source.hasFolded("onbuild", at: start) || source.hasFolded("healthcheck", at: start) {
            while source[index].isBlank { index += 1 }
            while source.has("--", at: index) {
                let option = index
                while index < next, !source[index].isSpace { index += 1 }
                x.emit(.attribute, from: option, to: index)
                while source[index].isBlank { index += 1 }
            }
            let second = index
            while source[index].isLetter { index += 1 }
            x.emit(.keyword, from: second, to: index)
        }
        while source[index].isBlank { index += 1 }
        while source.has("--", at: index) {
            let option = index
            while index < next, !source[index].isSpace { index += 1 }
            x.emit(.attribute, from: option, to: index)
            while source[index].isBlank { index += 1 }
        }
        let isShell =
            source.hasFolded("run", at: start) || source.hasFolded("cmd", at: start)
            || source.hasFolded("entrypoint", at: start)
            || source.hasFolded("onbuild", at: start) || source.hasFolded("healthcheck", at: start)
        let guest = isShell ? Embedded.note(source[index] == UInt8(ascii: "[") ? "json" : "bash") : 0
        x.position = index
        if x.push(Frame(mode: continued, flag: guest)) {
            body(&x, note: guest, to: next, base: top + 2)
        } else {
            x.position = next
        }
    }

    private static func body(_ x: inout Scanner, note: UInt8, to next: Int, base: Int) {
        guard note == 0 else {
            Embedded.run(&x, note: note, to: next, base: base)
            return
        }
        let source = x.source
        var index = x.position
        while index < next {
            let start = index
            let byte = source[index]
            if byte == UInt8(ascii: "$") {
                index += 1
                if source[index] == UInt8(ascii: "{") {
                    while index < next, source[index] != UInt8(ascii: "}"), !source[index].isLineEnd { index += 1 }
                    if source[index] == UInt8(ascii: "}") { index += 1 }
                } else {
                    while source[index].isWord { index += 1 }
                }
                x.emit(.variable, from: start, to: index)
            } else if byte == UInt8(ascii: "\"") {
                index += 1
                while index < next, source[index] != byte, !source[index].isLineEnd {
                    index += source[index] == UInt8(ascii: "\\") ? 2 : 1
                }
                index = min(index + (source[index] == byte ? 1 : 0), next)
                x.emit(.string, from: start, to: index)
            } else if byte.isWordStart {
                while source[index].isWord || source[index] == UInt8(ascii: "-") || source[index] == UInt8(ascii: ".") {
                    index += 1
                }
                if source[index] == UInt8(ascii: "=") {
                    x.emit(.property, from: start, to: index)
                } else if index - start == 2, source.hasFolded("as", at: start) {
                    x.emit(.keyword, from: start, to: index)
                }
            } else if byte.isDigit, !source[index - 1].isWord {
                while source[index].isDigit { index += 1 }
                x.emit(
                    source[index].isSpace || source[index] == UInt8(ascii: "/") ? .number : .plain,
                    from: start,
                    to: index
                )
            } else {
                index += 1
            }
        }
        x.position = next
    }
}

/// LaTeX and TeX: commands, environments, mathematics, comments, verbatim text.
enum LatexLexer {
    private enum Mode {
        static let ground: UInt8 = 0
        /// Mathematics; flag 1: `$`, 2: `$$`, 3: `\(`, 4: `\[`.
        static let math: UInt8 = 1
        /// A verbatim environment; data: digest of its name.
        static let verbatim: UInt8 = 2
    }

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground)) }
        let source = x.source
        while x.position < source.count {
            if x.frames[x.frames.count - 1].mode == Mode.verbatim {
                verbatim(&x)
                continue
            }
            let start = x.position
            let byte = source[start]
            let isMath = x.frames[x.frames.count - 1].mode == Mode.math
            switch byte {
            case UInt8(ascii: "%"):
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            case UInt8(ascii: "\\"): command(&x, start)
            case UInt8(ascii: "$"):
                x.position += source[start + 1] == byte ? 2 : 1
                x.emit(.operator, from: start)
                if isMath {
                    x.frames.removeLast()
                } else {
                    _ = x.push(Frame(mode: Mode.math, flag: UInt8(x.position - start)))
                }
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "&"),
                UInt8(ascii: "~"):
                x.position += 1
                x.emit(.punctuation, from: start)
            case UInt8(ascii: "\n") where isMath && (start == 0 || source[start - 1] == byte):
                // An empty line ends mathematics: a forgotten `$` does not colour the rest.
                x.position += 1
                x.frames.removeLast()
            default:
                if isMath, byte.isDigit {
                    while source[x.position].isDigit { x.position += 1 }
                    x.emit(.number, from: start)
                } else if isMath, byte.isOne(of: "^_=+-*/<>|") {
                    x.position += 1
                    x.emit(.operator, from: start)
                } else if isMath, byte.isLetter {
                    while source[x.position].isLetter { x.position += 1 }
                    x.emit(.variable, from: start)
                } else {
                    x.position &+= 1
                }
            }
        }
    }

    private static func command(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        x.position = start + 1
        guard source[x.position].isLetter || source[x.position] == UInt8(ascii: "@") else {
            let mark = source[x.position]
            x.position = min(start + 2, source.count)
            x.emit(mark.isOne(of: "()[]") ? .operator : .escape, from: start)
            if mark == UInt8(ascii: "(") || mark == UInt8(ascii: "[") {
                _ = x.push(Frame(mode: Mode.math, flag: mark == UInt8(ascii: "(") ? 3 : 4))
            } else if mark == UInt8(ascii: ")") || mark == UInt8(ascii: "]"),
                x.frames[x.frames.count - 1].mode == Mode.math
            {
                x.frames.removeLast()
            }
            return
        }
        while source[x.position].isLetter || source[x.position] == UInt8(ascii: "@") { x.position += 1 }
        if source[x.position] == UInt8(ascii: "*") { x.position += 1 }
        let isBegin = source.has("\\begin", at: start) && x.position == start + 6
        let isEnd = source.has("\\end", at: start) && x.position == start + 4
        let isSection =
            source.has("\\section", at: start) || source.has("\\subsection", at: start)
            || source.has("\\chapter", at: start)
            || source.has("\\subsubsection", at: start) || source.has("\\paragraph", at: start)
            || source.has("\\part", at: start)
        let isKeyword =
            isBegin || isEnd || source.has("\\usepackage", at: start) || source.has("\\documentclass", at: start)
            || source.has("\\newcommand", at: start) || source.has("\\def", at: start)
            || source.has("\\input", at: start)
        x.emit(isKeyword || isSection ? .keyword : .function, from: start)
        guard isKeyword || isSection, source[x.position] == UInt8(ascii: "{") else { return }
        let name = x.position + 1
        var end = name
        while end < source.count, !source[end].isLineEnd, source[end] != UInt8(ascii: "}"),
            source[end] != UInt8(ascii: "\\"), end - name < 300
        { end += 1 }
        guard source[end] == UInt8(ascii: "}") else { return }
        x.emit(.punctuation, from: x.position, to: name)
        x.emit(isSection ? .heading : .type, from: name, to: end)
        x.emit(.punctuation, from: end, to: end + 1)
        x.position = end + 1
        let isVerbatim =
            source.has("verbatim", at: name) || source.has("lstlisting", at: name) || source.has("minted", at: name)
        if isBegin, isVerbatim { _ = x.push(Frame(mode: Mode.verbatim, data: source.digest(from: name, to: end))) }
    }

    private static func verbatim(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        var index = start
        while index < source.count {
            if source[index] == UInt8(ascii: "\\"), source.has("\\end{", at: index) {
                var end = index + 5
                while end - index < 60, source[end] != UInt8(ascii: "}"), !source[end].isLineEnd { end += 1 }
                if source.digest(from: index + 5, to: end) == x.frames[x.frames.count - 1].data {
                    x.frames.removeLast()
                    break
                }
            }
            index += 1
        }
        x.position = index
        x.emit(.string, from: start)
    }
}

/// Regular expressions as text of their own, and sed scripts.
enum PatternLexer {
    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: 0)) }
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            let isInSet = x.frames[x.frames.count - 1].count == 1
            x.position += 1
            switch byte {
            case UInt8(ascii: "\\"):
                x.position = min(start + 2, source.count)
                if source[start + 1].isOne(of: "pPuUxXkN"), source[start + 2] == UInt8(ascii: "{") {
                    while x.position - start < 40, x.position < source.count, source[x.position] != UInt8(ascii: "}"),
                        !source[x.position].isLineEnd
                    { x.position += 1 }
                    if source[x.position] == UInt8(ascii: "}") { x.position += 1 }
                }
                x.emit(.escape, from: start)
            case UInt8(ascii: "[") where !isInSet:
                if source[x.position] == UInt8(ascii: "^") { x.position += 1 }
                x.emit(.keyword, from: start)
                x.frames[x.frames.count - 1].count = 1
                if source[x.position] == UInt8(ascii: "]") {
                    x.position += 1
                    x.emit(.string, from: x.position - 1)
                }
            case UInt8(ascii: "]") where isInSet:
                x.emit(.keyword, from: start)
                x.frames[x.frames.count - 1].count = 0
            case _ where isInSet: x.emit(byte == UInt8(ascii: "-") ? .operator : .string, from: start)
            case UInt8(ascii: "("):
                if source[x.position] == UInt8(ascii: "?") {
                    while x.position - start < 40,
                        source[x.position].isOne(of: "?:=!<>#&|-") || source[x.position].isWord
                    { x.position += 1 }
                    if source[x.position] == UInt8(ascii: "'") { x.position += 1 }
                }
                x.emit(.type, from: start)
            case UInt8(ascii: ")"): x.emit(.type, from: start)
            case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): x.emit(.operator, from: start)
            case UInt8(ascii: "{"):
                while source[x.position].isDigit || source[x.position] == UInt8(ascii: ",") { x.position += 1 }
                if source[x.position] == UInt8(ascii: "}") { x.position += 1 }
                x.emit(.number, from: start)
            case UInt8(ascii: "|"), UInt8(ascii: "^"), UInt8(ascii: "$"), UInt8(ascii: "."):
                x.emit(.keyword, from: start)
            default: break
            }
        }
    }

    /// sed: addresses, `s///`, commands, a script a line.
    static func lexSed(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: 0)) }
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            x.position += 1
            if byte == UInt8(ascii: "#") {
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            } else if byte == UInt8(ascii: "s") || byte == UInt8(ascii: "y"), !source[x.position].isWord,
                !source[x.position].isSpace, source[x.position] != 0
            {
                x.emit(.keyword, from: start)
                part(&x, source[x.position], twice: true)
            } else if byte == UInt8(ascii: "/") {
                x.position = start
                part(&x, byte, twice: false)
            } else if byte.isDigit {
                while source[x.position].isDigit { x.position += 1 }
                x.emit(.number, from: start)
            } else if byte.isLetter || byte == UInt8(ascii: "=") {
                x.emit(.keyword, from: start)
                if byte.isOne(of: "aic") {
                    let text = x.position
                    x.position = source.lineEnd(from: text)
                    x.emit(.string, from: text)
                } else if byte.isOne(of: "btT:rwRW") {
                    let label = x.position
                    while x.position < source.count, !source[x.position].isLineEnd, !source[x.position].isOne(of: ";}")
                    { x.position += 1 }
                    x.emit(.label, from: label)
                }
            } else if !byte.isSpace {
                x.emit(.operator, from: start)
            }
        }
    }

    /// `/pattern/` or `/pattern/replacement/flags`, with the delimiter at the present position.
    private static func part(_ x: inout Scanner, _ mark: UInt8, twice: Bool) {
        let source = x.source
        let start = x.position
        var index = start + 1
        var left = twice ? 2 : 1
        var middle = 0
        while index < source.count, source[index] != UInt8(ascii: "\n") {
            if source[index] == UInt8(ascii: "\\"), source[index + 1] != UInt8(ascii: "\n") {
                index += 2
                continue
            }
            if source[index] == mark {
                left -= 1
                if left == 0 { break }
                middle = index + 1
            }
            index += 1
        }
        index = source[index] == mark ? index + 1 : min(index, source.count)
        if middle > 0 {
            x.emit(.regexp, from: start, to: middle)
            x.emit(.string, from: middle, to: index)
        } else {
            x.emit(.regexp, from: start, to: index)
        }
        x.position = index
        guard twice else { return }
        while source[x.position].isWord, !source[x.position].isSpace { x.position += 1 }
        x.emit(.keyword, from: index)
    }
}
