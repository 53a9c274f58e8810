// CSS, SCSS, Sass-like nesting and Less (CSS Syntax Level 3): selectors against declarations is the one question that
// needs a look ahead, and it is answered within a line.

/// The lexer of style sheets.
struct StyleSheetLexer {
    private enum Mode {
        /// count: open braces; data: the part of a rule.
        static let ground: UInt8 = 0
        static let comment: UInt8 = 3
        /// flag: the quote.
        static let string: UInt8 = 4
        /// `#{ … }`; count: open braces.
        static let hole: UInt8 = 5
    }

    private enum Part: UInt32 {
        /// Where a selector, a declaration or an at-rule may begin.
        case start, selector, property, value, prelude
    }

    private let isScript: Bool
    private var part = Part.start

    /// - Parameter isScript: SCSS and Less: `//` comments, variables, nesting.
    static func lex(_ x: inout Scanner, base: Int, isScript: Bool, startsInBlock: Bool = false) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground, count: startsInBlock ? 1 : 0)) }
        var lexer = StyleSheetLexer(isScript: isScript)
        while x.position < x.source.count {
            let depth = x.frames.count
            switch x.frames[depth - 1].mode {
            case Mode.comment: lexer.comment(&x, from: x.position)
            case Mode.string: lexer.string(&x, from: x.position)
            default:
                lexer.part = Part(rawValue: x.frames[depth - 1].data) ?? .start
                let isClosed = lexer.code(&x)
                x.frames[depth - 1].data = lexer.part.rawValue
                if isClosed { x.frames.removeLast() }
            }
        }
    }

    private init(isScript: Bool) { self.isScript = isScript }

    private mutating func code(_ x: inout Scanner) -> Bool {
        let source = x.source
        let top = x.frames.count - 1
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            if byte.isSpace {
                x.position = start &+ 1
                continue
            }
            if part == .start, byte != UInt8(ascii: "}"), byte != UInt8(ascii: "/"), byte != UInt8(ascii: "@") {
                part =
                    x.frames[top].count > 0 && isDeclaration(source, start) || byte == UInt8(ascii: "$")
                    ? .property : .selector
            }
            switch byte {
            case UInt8(ascii: "/") where source[start + 1] == UInt8(ascii: "*"):
                x.position += 2
                guard x.push(Frame(mode: Mode.comment)) else { continue }
                x.frames[top].data = part.rawValue
                comment(&x, from: start)
                if x.frames.count - 1 != top { return false }
            case UInt8(ascii: "/") where isScript && source[start + 1] == byte:
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                x.position += 1
                guard x.push(Frame(mode: Mode.string, flag: byte)) else { continue }
                x.frames[top].data = part.rawValue
                string(&x, from: start)
                if x.frames.count - 1 != top { return false }
            case UInt8(ascii: "{"):
                x.position += 1
                x.emit(.punctuation, from: start)
                x.frames[top].count &+= 1
                part = .start
            case UInt8(ascii: "}"):
                x.position += 1
                x.emit(.punctuation, from: start)
                part = .start
                if x.frames[top].mode == Mode.hole, x.frames[top].count == 0 { return true }
                if x.frames[top].count > 0 { x.frames[top].count -= 1 }
            case UInt8(ascii: ";"):
                x.position += 1
                x.emit(.punctuation, from: start)
                part = .start
            case UInt8(ascii: "@"): atWord(&x, start)
            case UInt8(ascii: "#") where source[start + 1] == UInt8(ascii: "{") && isScript:
                x.position += 2
                x.emit(.punctuation, from: start)
                guard x.push(Frame(mode: Mode.hole, data: Part.value.rawValue)) else { continue }
                x.frames[top].data = part.rawValue
                return false
            case UInt8(ascii: ":") where part == .property:
                x.position += 1
                x.emit(.punctuation, from: start)
                part = .value
            default:
                if part == .selector { selector(&x, start, byte) } else { value(&x, start, byte) }
            }
        }
        return false
    }

    /// Whether `name: …` at `start` is a declaration: a `;`, `}` or the line's end comes before a `{`.
    private func isDeclaration(_ source: Bytes, _ start: Int) -> Bool {
        var index = start
        while isNamePart(source[index]) || source[index] == UInt8(ascii: "$") { index += 1 }
        if index == start { return false }
        while source[index].isBlank { index += 1 }
        guard source[index] == UInt8(ascii: ":") else { return false }
        for step in 0..<300 {
            switch source[index + step] {
            case UInt8(ascii: "{"): if source[index + step - 1] != UInt8(ascii: "#") { return false }
            case UInt8(ascii: ";"), UInt8(ascii: "}"), 0: return true
            case UInt8(ascii: "\n"): return source[index + step - 1] != UInt8(ascii: ",")
            default: break
            }
        }
        return true
    }

    private func isNamePart(_ byte: UInt8) -> Bool { byte.isWord || byte == UInt8(ascii: "-") }

    private func nameEnd(_ source: Bytes, _ start: Int) -> Int {
        var index = start
        while true {
            if isNamePart(source[index]) {
                index += 1
            } else if source[index] == UInt8(ascii: "\\"), !source[index + 1].isLineEnd, index + 1 < source.count {
                index += 2
            } else {
                return index
            }
        }
    }

    private mutating func atWord(_ x: inout Scanner, _ start: Int) {
        x.position = nameEnd(x.source, start + 1)
        // In Less `@name:` is a variable, and so is `@name` in a value.
        if isScript, part == .value || x.source[x.position] == UInt8(ascii: ":") {
            x.emit(.variable, from: start)
            if part != .value { part = .property }
            return
        }
        x.emit(.keyword, from: start)
        if part != .value { part = .prelude }
    }

    private mutating func selector(_ x: inout Scanner, _ start: Int, _ byte: UInt8) {
        let source = x.source
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "#"), UInt8(ascii: "%"):
            x.emit(.punctuation, from: start, to: start + 1)
            x.position = nameEnd(source, start + 1)
            x.emit(.property, from: start + 1)
        case UInt8(ascii: ":"):
            x.position += source[start + 1] == byte ? 2 : 1
            x.emit(.punctuation, from: start)
            let name = x.position
            x.position = nameEnd(source, name)
            x.emit(.attribute, from: name)
        case UInt8(ascii: "["):
            x.position += 1
            x.emit(.punctuation, from: start)
            let name = x.position
            x.position = nameEnd(source, name)
            x.emit(.attribute, from: name)
        case UInt8(ascii: "&"):
            x.position += 1
            x.emit(.tag, from: start)
        case UInt8(ascii: "*"):
            x.position += 1
            x.emit(source[x.position] == UInt8(ascii: "=") ? .operator : .tag, from: start)
        case UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: ")"), UInt8(ascii: "]"):
            x.position += 1
            x.emit(.punctuation, from: start)
        default:
            let end = nameEnd(source, start)
            if end > start {
                x.position = end
                let isValue = source[start - 1] == UInt8(ascii: "=")
                x.emit(byte.isDigit ? .number : isValue ? .string : .tag, from: start)
            } else {
                x.position += 1
                x.emit(.operator, from: start)
            }
        }
    }

    private mutating func value(_ x: inout Scanner, _ start: Int, _ byte: UInt8) {
        let source = x.source
        if byte.isDigit
            || ((byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "."))
                && (source[start + 1].isDigit || (source[start + 1] == UInt8(ascii: ".") && source[start + 2].isDigit)))
        {
            x.position += 1
            while source[x.position].isDigit
                || (source[x.position] == UInt8(ascii: ".") && source[x.position + 1].isDigit)
            { x.position += 1 }
            if source[x.position] == UInt8(ascii: "%") {
                x.position += 1
            } else {
                while source[x.position].isLetter || source[x.position].isDigit { x.position += 1 }
            }
            x.emit(.number, from: start)
            return
        }
        if byte == UInt8(ascii: "#"), source[start + 1].isHexDigit {
            x.position += 1
            while source[x.position].isHexDigit { x.position += 1 }
            x.emit(.number, from: start)
            return
        }
        if byte == UInt8(ascii: "!") {
            x.position = nameEnd(source, start + 1)
            x.emit(.keyword, from: start)
            return
        }
        if byte == UInt8(ascii: "$"), isNamePart(source[start + 1]) {
            x.position = nameEnd(source, start + 1)
            x.emit(.variable, from: start)
            return
        }
        let end = nameEnd(source, start)
        if end > start {
            x.position = end
            name(&x, start, end)
            return
        }
        x.position += 1
        x.emit(byte.isOne(of: "(),[]") ? .punctuation : .operator, from: start)
        if byte == UInt8(ascii: ":"), part == .prelude { return }
    }

    private mutating func name(_ x: inout Scanner, _ start: Int, _ end: Int) {
        let source = x.source
        if part == .property {
            x.emit(source.has("--", at: start) ? .variable : .property, from: start)
            return
        }
        if source[end] == UInt8(ascii: "(") {
            let isAddress = source.hasFolded("url", at: start) && end == start + 3
            x.emit(.function, from: start)
            var index = end + 1
            while source[index].isBlank { index += 1 }
            if isAddress, source[index] != UInt8(ascii: "\""), source[index] != UInt8(ascii: "'") {
                x.emit(.punctuation, from: end, to: end + 1)
                while index < source.count, source[index] != UInt8(ascii: ")"), !source[index].isLineEnd { index += 1 }
                x.position = index
                x.emit(.string, from: end + 1)
            }
            return
        }
        if source.has("--", at: start) {
            x.emit(.variable, from: start)
        } else if part == .prelude {
            let isWord = ["and", "or", "not", "only", "from", "to", "in", "through", "if", "else", "each"].contains {
                word in
                end - start == word.utf8.count && source.has(Array(word.utf8), at: start)
            }
            // In `(min-width: 3em)` the name before the colon is a feature.
            let isFeature = source[end] == UInt8(ascii: ":")
            x.emit(isWord ? .keyword : isFeature ? .property : .plain, from: start)
        }
    }

    private mutating func comment(_ x: inout Scanner, from start: Int) {
        let source = x.source
        var index = x.position
        while index < source.count, !(source[index] == UInt8(ascii: "*") && source[index + 1] == UInt8(ascii: "/")) {
            index &+= 1
        }
        if index < source.count {
            x.frames.removeLast()
            index += 2
        }
        x.position = index
        x.emit(.comment, from: start)
    }

    private mutating func string(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        let quote = x.frames[x.frames.count - 1].flag
        var start = opened
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == quote || byte == UInt8(ascii: "\n") {
                x.frames.removeLast()
                x.position = byte == quote ? index + 1 : index
                x.emit(.string, from: start)
                return
            }
            if byte == UInt8(ascii: "\\") {
                x.emit(.string, from: start, to: index)
                start = index
                index = min(index + 2, source.count)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            index &+= 1
        }
        x.position = index
        x.emit(.string, from: start)
    }
}
