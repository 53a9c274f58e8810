// What begins with a sign: brackets, sigils, attributes, directives, operators, and what habits make of them.

extension GrammarLexer {
    /// A byte that begins no word, number, string or comment.
    ///
    /// True: the hole was closed, stop.
    mutating func symbol(_ x: inout Scanner, _ byte: UInt8, isHole: Bool) -> Bool {
        let source = x.source
        let start = x.position
        switch byte {
        case UInt8(ascii: "[") where habits.contains(.sections) && source.isFirst(start) && section(&x, start): break
        case UInt8(ascii: "$") where source[start + 1] == UInt8(ascii: "{") && habits.contains(.braceVariables):
            while x.position < source.count, source[x.position] != UInt8(ascii: "}"), !source[x.position].isLineEnd {
                x.position += 1
            }
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

    /// `[name]` alone on its line.
    mutating func section(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        var end = start
        while end < source.count, !source[end].isLineEnd, source[end] != UInt8(ascii: "#"),
            source[end] != UInt8(ascii: ",")
        { end += 1 }
        while end > start, source[end - 1].isBlank { end -= 1 }
        guard source[end - 1] == UInt8(ascii: "]"), !source[start + 1].isSpace else { return false }
        x.position = end
        x.emit(.type, from: start)
        before.what = .start
        return true
    }

    mutating func colon(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        if source[start + 1] == UInt8(ascii: ":") {
            x.position += 2
            x.emit(.punctuation, from: start)
            if before.what != .pathWord {
                before.what = habits.contains(.symbols) && !grammar.words.ignoresCase ? .dot : .start
            }
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

    mutating func at(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        x.position += 1
        while source[x.position] == UInt8(ascii: "@") { x.position += 1 }
        guard source[x.position].isWordStart else {
            x.emit(.operator, from: start)
            before.what = .start
            return
        }
        while source[x.position].isWord
            || (habits.contains(.atAttributes) && source[x.position] == UInt8(ascii: ".")
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

    mutating func hash(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        if habits.contains(.preprocessor), source.isFirst(start) {
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
    mutating func directive(_ x: inout Scanner, _ start: Int) {
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
        while x.position < source.count, !source[x.position].isLineEnd, source[x.position] != UInt8(ascii: ">") {
            x.position += 1
        }
        if source[x.position] == UInt8(ascii: ">") { x.position += 1 }
        x.emit(.string, from: path)
    }

    /// The name that `#define` gives, a function when parameters follow.
    mutating func name(_ x: inout Scanner) {
        while x.source[x.position].isBlank { x.position += 1 }
        let from = x.position
        while x.source[x.position].isWord { x.position += 1 }
        x.emit(x.source[x.position] == UInt8(ascii: "(") ? .function : .constant, from: from)
    }

    /// `#[ … ]`: its names on this line are attributes, its strings strings.
    mutating func attribute(_ x: inout Scanner, _ start: Int, _ bracket: Int) {
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
    mutating func prime(_ x: inout Scanner, _ start: Int) {
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
    mutating func pattern(_ x: inout Scanner, _ start: Int) -> Bool {
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

    mutating func operation(_ x: inout Scanner, _ start: Int, _ byte: UInt8) {
        let source = x.source
        x.position += 1
        if byte == UInt8(ascii: "/"), habits.contains(.slashPatterns), before.what != .operand, pattern(&x, start) {
            return
        }
        if byte == UInt8(ascii: "-"), habits.contains(.commandVerbs), source[start + 1].isLetter,
            !source[start - 1].isWord
        {
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
