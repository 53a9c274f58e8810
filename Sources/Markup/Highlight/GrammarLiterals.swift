// Numbers, comments and strings of the table-driven lexer, with holes, raw delimiters and lines to go on from.

extension GrammarLexer {
    // MARK: Numbers

    mutating func number(_ x: inout Scanner) {
        let source = x.source
        let start = x.position
        var index = start
        let isPrefixed =
            source[index] == UInt8(ascii: "0") && !source[index + 1].isDigit && source[index + 1].isLetter
            && source[index + 1].lowered != UInt8(ascii: "e")
        var hasPoint = false
        while true {
            let byte = source[index]
            if byte.isLetter || byte.isDigit || byte == UInt8(ascii: "_") {
                let folded = byte.lowered
                let isExponent = isPrefixed ? folded == UInt8(ascii: "p") : folded == UInt8(ascii: "e")
                index += 1
                if isExponent, source[index] == UInt8(ascii: "-") || source[index] == UInt8(ascii: "+"),
                    source[index + 1].isDigit
                {
                    index += 1
                }
            } else if byte == UInt8(ascii: "."), !hasPoint, source[index + 1].isDigit {
                hasPoint = true
                index += 1
            } else if byte == UInt8(ascii: "'"), habits.contains(.quotedDigits), source[index + 1].isHexDigit {
                index += 1
            } else {
                break
            }
        }
        if !hasPoint, source[index] == UInt8(ascii: "."), source[index + 1] != UInt8(ascii: "."),
            !source[index + 1].isWordStart
        {
            index += 1
        }
        x.position = max(index, start + 1)
        x.emit(.number, from: start)
        before.what = .operand
    }

    // MARK: Comments

    mutating func openComment(_ x: inout Scanner) -> Bool {
        let start = x.position
        // Where a block comment begins like a line comment (`--[[`, `#=`), the longer one counts.
        let isBlock = !grammar.blockOpen.isEmpty && x.source.has(grammar.blockOpen, at: start)
        if !isBlock {
            for open in grammar.lineComments where x.source.has(open, at: start) {
                x.position = x.source.lineEnd(from: start)
                x.emit(.comment, from: start)
                return true
            }
            return false
        }
        x.position = start + grammar.blockOpen.count
        guard x.push(Frame(mode: Mode.comment, count: 1)) else {
            x.emit(.comment, from: start)
            return true
        }
        comment(&x, x.frames[x.frames.count - 1], from: start)
        return true
    }

    mutating func comment(_ x: inout Scanner, _ frame: Frame, from start: Int) {
        let source = x.source
        let close = grammar.blockClose
        let open = grammar.blockOpen
        let lastOfClose = close[0]
        var depth = frame.count
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == lastOfClose, source.has(close, at: index) {
                index += close.count
                depth -= 1
                if depth == 0 {
                    x.frames.removeLast()
                    x.position = index
                    x.emit(.comment, from: start)
                    return
                }
            } else if grammar.nestsComments, byte == open[0], source.has(open, at: index) {
                index += open.count
                if depth < .max { depth += 1 }
            } else {
                index &+= 1
            }
        }
        x.frames[x.frames.count - 1].count = depth
        x.position = index
        x.emit(.comment, from: start)
    }

    // MARK: Strings

    mutating func openString(_ x: inout Scanner) -> Bool {
        let start = x.position
        for (number, style) in grammar.strings.enumerated() where style.prefixes.isEmpty {
            if style.onlyHashed { continue }
            guard x.source.has(style.open, at: start) else { continue }
            if style.mustClose,
                !isCharacter(x.source, closedBy: style.close[0], escape: style.escape, from: start + style.open.count)
            {
                continue
            }
            return begin(&x, number, from: start, contentFrom: start + style.open.count, hashes: 0)
        }
        return false
    }

    mutating func openPrefixed(_ x: inout Scanner, from start: Int, wordEnd: Int) -> Bool {
        let length = wordEnd - start
        for number in grammar.prefixed {
            let style = grammar.strings[number]
            guard style.prefixes.contains(where: { $0.count == length && x.source.has($0, at: start) }) else {
                continue
            }
            var index = wordEnd
            if style.hashes { while x.source[index] == UInt8(ascii: "#") { index += 1 } }
            guard index - wordEnd <= Int(UInt16.max), x.source.has(style.open, at: index) else { continue }
            return begin(&x, number, from: start, contentFrom: index + style.open.count, hashes: index - wordEnd)
        }
        return false
    }

    /// `#"…"#`, `##"""…"""##`, `#/…/#`: the marks at the present position lengthen the delimiter.
    mutating func openHashed(_ x: inout Scanner) -> Bool {
        let start = x.position
        var index = start
        while x.source[index] == UInt8(ascii: "#"), index - start < 64 { index += 1 }
        for (number, style) in grammar.strings.enumerated() where style.hashes && x.source.has(style.open, at: index) {
            return begin(&x, number, from: start, contentFrom: index + style.open.count, hashes: index - start)
        }
        return false
    }

    /// `R"mark(`: opens a raw string of C++; `mark` has at most 16 characters.
    mutating func openRaw(_ x: inout Scanner, from start: Int, quote: Int) -> Bool {
        let source = x.source
        var index = quote + 1
        while index - quote <= 17, !source[index].isSpace, !source[index].isOne(of: "()\\\""), index < source.count {
            index += 1
        }
        guard source[index] == UInt8(ascii: "("), index - quote <= 17 else { return false }
        let frame = Frame(
            mode: Mode.raw,
            count: UInt16(index - quote - 1),
            data: source.digest(from: quote + 1, to: index)
        )
        before.what = .operand
        guard x.push(frame) else { return false }
        x.frames[x.frames.count - 2].data = before.stored
        x.position = index + 1
        raw(&x, frame, from: start)
        return true
    }

    func raw(_ x: inout Scanner, _ frame: Frame, from start: Int) {
        let source = x.source
        let length = Int(frame.count)
        var index = x.position
        while index < source.count {
            if source[index] == UInt8(ascii: ")"), source[index + 1 + length] == UInt8(ascii: "\""),
                source.digest(from: index + 1, to: index + 1 + length) == frame.data
            {
                x.frames.removeLast()
                x.position = index + length + 2
                x.emit(.string, from: start)
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(.string, from: start)
    }

    func isCharacter(_ source: Bytes, closedBy close: UInt8, escape: UInt8, from start: Int) -> Bool {
        // One character, escaped or not, possibly of four bytes, or an escape of up to ten.
        var index = start
        if escape != 0, source[index] == escape {
            index += 2
            while index - start < 12, !source[index].isLineEnd, source[index] != close { index += 1 }
            return source[index] == close
        }
        guard !source[index].isLineEnd, source[index] != close else { return false }
        index += 1
        while source[index] & 0xC0 == 0x80 { index += 1 }
        return source[index] == close
    }

    mutating func begin(
        _ x: inout Scanner,
        _ number: Int,
        from start: Int,
        contentFrom: Int,
        hashes: Int
    ) -> Bool {
        x.position = contentFrom
        before.what = .operand
        let frame = Frame(mode: Mode.string, flag: UInt8(number), count: UInt16(hashes))
        guard x.push(frame) else {
            x.emit(grammar.strings[number].kind, from: start)
            return true
        }
        // The frame below gets its memory written by `run`; the string's own text follows at once.
        let depth = x.frames.count
        x.frames[depth - 2].data = before.stored
        string(&x, frame, from: start)
        return true
    }

    mutating func string(_ x: inout Scanner, _ frame: Frame, from opened: Int? = nil) {
        let style = grammar.strings[Int(frame.flag)]
        let source = x.source
        let hashes = Int(frame.count)
        let closeFirst = style.close[0]
        var start = opened ?? x.position
        var index = x.position
        while index < source.count {
            let byte = source[index]
            if byte == closeFirst, source.has(style.close, at: index),
                hasHashes(source, index + style.close.count, hashes)
            {
                if style.doubles, source.has(style.close, at: index + style.close.count) {
                    index += style.close.count * 2
                    continue
                }
                index += style.close.count + hashes
                x.frames.removeLast()
                x.position = index
                x.emit(style.kind, from: start)
                return
            }
            if byte == style.escape, byte != 0 {
                if hashes > 0, !hasHashes(source, index + 1, hashes) {
                    index += 1
                    continue
                }
                if style.holes.contains(.backslashParen), source[index + hashes + 1] == UInt8(ascii: "(") {
                    if openHole(&x, style, at: index, length: hashes + 2, from: start) { return }
                }
                x.emit(style.kind, from: start, to: index)
                start = index
                index = escapeEnd(source, index + hashes)
                x.emit(.escape, from: start, to: index)
                start = index
                continue
            }
            if byte == UInt8(ascii: "\n"), !style.spansLines {
                x.frames.removeLast()
                x.position = index
                x.emit(style.kind, from: start)
                return
            }
            if !style.holes.isEmpty, let length = hole(source, index, byte, style) {
                if length < 0 {
                    index += -length
                    continue
                }
                if byte == UInt8(ascii: "$"), style.holes.contains(.dollarName), source[index + 1].isWordStart {
                    x.emit(style.kind, from: start, to: index)
                    start = index
                    index += 1
                    while source[index].isWord { index += 1 }
                    x.emit(.variable, from: start, to: index)
                    start = index
                    continue
                }
                if openHole(&x, style, at: index, length: length, from: start) { return }
            }
            index &+= 1
        }
        x.position = index
        x.emit(style.kind, from: start)
    }

    func hasHashes(_ source: Bytes, _ index: Int, _ count: Int) -> Bool {
        for offset in 0..<count where source[index + offset] != UInt8(ascii: "#") { return false }
        return true
    }

    /// The end of the escape that begins at `index`: one character, or the longer numeric forms.
    func escapeEnd(_ source: Bytes, _ index: Int) -> Int {
        let marked = source[index + 1]
        var end = index + 2
        switch marked {
        case UInt8(ascii: "x"), UInt8(ascii: "u"), UInt8(ascii: "U"):
            if source[end] == UInt8(ascii: "{") {
                var close = end + 1
                while close - end < 12, source[close].isHexDigit { close += 1 }
                return source[close] == UInt8(ascii: "}") ? close + 1 : end
            }
            let most = marked == UInt8(ascii: "x") ? 2 : marked == UInt8(ascii: "u") ? 4 : 8
            while end < index + 2 + most, source[end].isHexDigit { end += 1 }
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            while end < index + 4, source[end] &- 48 < 8 { end += 1 }
        case UInt8(ascii: "\n"):
            return min(index + 1, source.count)
        default:
            while source[end] & 0xC0 == 0x80, end < index + 5 { end += 1 }
        }
        return min(end, source.count)
    }

    /// The length of the opening of a hole at `index`; negative: that many bytes are literal; `nil`: none.
    @inline(__always)
    func hole(_ source: Bytes, _ index: Int, _ byte: UInt8, _ style: StringStyle) -> Int? {
        switch byte {
        case UInt8(ascii: "$"):
            let next = source[index + 1]
            if next == UInt8(ascii: "{"), style.holes.contains(.dollarBrace) { return 2 }
            if next == UInt8(ascii: "("), style.holes.contains(.dollarParen) { return 2 }
            if next.isWordStart, style.holes.contains(.dollarName) { return 1 }
        case UInt8(ascii: "#"):
            if source[index + 1] == UInt8(ascii: "{"), style.holes.contains(.hashBrace) { return 2 }
        case UInt8(ascii: "{"):
            if style.holes.contains(.brace) { return source[index + 1] == byte ? -2 : 1 }
        default: break
        }
        return nil
    }

    mutating func openHole(_ x: inout Scanner, _ style: StringStyle, at index: Int, length: Int, from start: Int)
        -> Bool
    {
        guard x.push(Frame(mode: Mode.hole, count: 0)) else { return false }
        x.emit(style.kind, from: start, to: index)
        x.position = index + length
        x.emit(.punctuation, from: index)
        return true
    }
}
