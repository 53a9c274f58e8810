// JSON, JSON lines, and the comments, single quotes and bare keys of JSONC and JSON5 (RFC 8259, spec.json5.org).

/// The lexer of JSON.
enum JsonLexer {
    private static let ground: UInt8 = 0
    private static let comment: UInt8 = 1

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: ground)) }
        let source = x.source
        if x.frames[x.frames.count - 1].mode == comment { rest(&x, from: x.position) }
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"), UInt8(ascii: "\r"): x.position = start &+ 1
            case UInt8(ascii: "\""), UInt8(ascii: "'"): string(&x, start, byte)
            case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","),
                UInt8(ascii: ":"):
                x.position = start &+ 1
                x.emit(.punctuation, from: start)
            case UInt8(ascii: "/") where source[start + 1] == byte, UInt8(ascii: "#"):
                x.position = source.lineEnd(from: start)
                x.emit(.comment, from: start)
            case UInt8(ascii: "/") where source[start + 1] == UInt8(ascii: "*"):
                x.position = start + 2
                if x.push(Frame(mode: comment)) { rest(&x, from: start) }
            default:
                if byte.isDigit || byte.isOne(of: "-+.") {
                    while source[x.position].isWord || source[x.position].isOne(of: "+-.") { x.position += 1 }
                    x.emit(.number, from: start)
                } else if byte.isWordStart || byte == UInt8(ascii: "$") {
                    word(&x, start)
                } else {
                    x.position = start &+ 1
                }
            }
        }
    }

    private static func word(_ x: inout Scanner, _ start: Int) {
        let source = x.source
        while source[x.position].isWord || source[x.position] == UInt8(ascii: "$") { x.position &+= 1 }
        let length = x.position - start
        let isConstant =
            length == 4 && (source.has("true", at: start) || source.has("null", at: start))
            || length == 5 && source.has("false", at: start)
        if isKey(source, x.position) {
            x.emit(.property, from: start)
        } else if isConstant {
            x.emit(.constant, from: start)
        } else if source.has("NaN", at: start) || source.has("Infinity", at: start) {
            x.emit(.number, from: start)
        }
    }

    private static func isKey(_ source: Bytes, _ end: Int) -> Bool {
        var index = end
        while source[index].isBlank { index &+= 1 }
        return source[index] == UInt8(ascii: ":")
    }

    private static func string(_ x: inout Scanner, _ start: Int, _ quote: UInt8) {
        let source = x.source
        var index = start + 1
        var firstEscape = 0
        while index < source.count, source[index] != quote, source[index] != UInt8(ascii: "\n") {
            if source[index] == UInt8(ascii: "\\") {
                if firstEscape == 0 { firstEscape = index }
                index &+= source[index + 1] == UInt8(ascii: "\n") ? 1 : 2
            } else {
                index &+= 1
            }
        }
        let end = source[index] == quote ? index + 1 : min(index, source.count)
        x.position = end
        let kind: Highlight.Kind = isKey(source, end) ? .property : .string
        guard firstEscape > 0 else {
            x.emit(kind, from: start, to: end)
            return
        }
        var from = start
        index = firstEscape
        while index < end {
            guard source[index] == UInt8(ascii: "\\") else {
                index &+= 1
                continue
            }
            x.emit(kind, from: from, to: index)
            var last = index + 2
            if source[index + 1] == UInt8(ascii: "u") { while last < index + 6, source[last].isHexDigit { last += 1 } }
            last = min(last, end)
            x.emit(.escape, from: index, to: last)
            from = last
            index = last
        }
        x.emit(kind, from: from, to: end)
    }

    private static func rest(_ x: inout Scanner, from start: Int) {
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
}
