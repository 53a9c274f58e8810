// Markdown as source text (an agent's fence marked `markdown`, a README in a diff): headings, emphasis, code, links, lists,
// quotes, front matter; fences in their own languages. Not the renderer, only its colours.

/// The lexer of Markdown source.
struct MarkdownLexer {
    private enum Mode {
        /// data: 1 at the very beginning (front matter may follow).
        static let ground: UInt8 = 0
        /// A fence; count: its length; flag: guest; data: its byte.
        static let fence: UInt8 = 1
        /// YAML between `---` lines; flag: guest.
        static let frontMatter: UInt8 = 2
        static let comment: UInt8 = 3
    }

    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground, data: 1)) }
        while x.position < x.source.count {
            let top = x.top(above: base) { $0.mode == Mode.fence || $0.mode == Mode.frontMatter }
            switch x.frames[top].mode {
            case Mode.fence: fence(&x, top)
            case Mode.frontMatter: frontMatter(&x, top)
            case Mode.comment: comment(&x, from: x.position)
            default: line(&x, top)
            }
        }
    }

    private static func line(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let start = x.position
        let end = source.lineEnd(from: start)
        let next = min(end + 1, source.count)
        let isFirst = x.frames[top].data == 1
        x.frames[top].data = 0
        if isFirst, source.has("---", at: start), end == start + 3 {
            x.position = next
            x.emit(.meta, from: start, to: end)
            _ = x.push(Frame(mode: Mode.frontMatter, flag: Embedded.note("yaml")))
            return
        }
        var index = start
        // Block marks: quotes and list items, then what stands in them.
        while index < end {
            while source[index].isBlank { index += 1 }
            let mark = index
            if source[index] == UInt8(ascii: ">") {
                index += 1
                x.emit(.punctuation, from: mark, to: index)
            } else if source[index].isOne(of: "-*+"), source[index + 1].isBlank {
                index += 1
                x.emit(.keyword, from: mark, to: index)
                while source[index].isBlank { index += 1 }
                if source[index] == UInt8(ascii: "["), source[index + 2] == UInt8(ascii: "]"), source[index + 3].isBlank
                {
                    x.emit(.keyword, from: index, to: index + 3)
                    index += 3
                }
            } else if source[index].isDigit {
                while source[index].isDigit, index - mark < 9 { index += 1 }
                guard source[index] == UInt8(ascii: ".") || source[index] == UInt8(ascii: ")"),
                    source[index + 1].isSpace
                else {
                    index = mark
                    break
                }
                index += 1
                x.emit(.keyword, from: mark, to: index)
            } else {
                break
            }
        }
        let first = source[index]
        if first == UInt8(ascii: "`") || first == UInt8(ascii: "~"), openFence(&x, index, end, next) { return }
        if first == UInt8(ascii: "#") {
            var level = index
            while source[level] == UInt8(ascii: "#") { level += 1 }
            if level - index <= 6, source[level].isSpace || level >= end {
                x.position = next
                x.emit(.heading, from: index, to: end)
                return
            }
        }
        if isRule(source, index, end) {
            x.position = next
            x.emit(first == UInt8(ascii: "=") ? .heading : .keyword, from: index, to: end)
            return
        }
        x.position = index
        inline(&x, to: end)
        if x.frames.count - 1 == top, x.position < next { x.position = next }
    }

    private static func isRule(_ source: Bytes, _ start: Int, _ end: Int) -> Bool {
        let mark = source[start]
        guard mark.isOne(of: "-*_=") else { return false }
        var count = 0
        for index in start..<end {
            if source[index] == mark { count += 1 } else if !source[index].isSpace { return false }
        }
        return count >= 3
    }

    private static func openFence(_ x: inout Scanner, _ start: Int, _ end: Int, _ next: Int) -> Bool {
        let source = x.source
        let mark = source[start]
        var index = start
        while source[index] == mark { index += 1 }
        let length = index - start
        guard length >= 3, length < 60_000 else { return false }
        if mark == UInt8(ascii: "`"), source.next(mark, from: index) < end { return false }
        x.emit(.punctuation, from: start, to: index)
        while source[index].isBlank || source[index] == UInt8(ascii: "{") || source[index] == UInt8(ascii: ".") {
            index += 1
        }
        var word = index
        var name = ""
        while word < end, word - index < 40, !source[word].isSpace, !source[word].isOne(of: "{,:}"), source[word] < 0x80
        {
            name.unicodeScalars.append(Unicode.Scalar(source[word]))
            word += 1
        }
        x.emit(.meta, from: index, to: end)
        x.position = next
        return x.push(Frame(mode: Mode.fence, flag: Embedded.note(name), count: UInt16(length), data: UInt32(mark)))
    }

    private static func fence(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let frame = x.frames[top]
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            let next = min(end + 1, source.count)
            var mark = start
            while source[mark].isBlank || source[mark] == UInt8(ascii: ">") { mark += 1 }
            var index = mark
            while index < end, UInt32(source[index]) == frame.data { index += 1 }
            if index - mark >= Int(frame.count) {
                var rest = index
                while source[rest].isBlank || source[rest] == UInt8(ascii: "\r") { rest += 1 }
                if rest >= end {
                    Embedded.end(&x, base: top)
                    x.position = next
                    x.emit(.punctuation, from: mark, to: index)
                    return
                }
            }
            if frame.flag > 0 {
                Embedded.run(&x, note: frame.flag, to: next, base: top + 1)
            } else {
                x.position = next
                x.emit(.string, from: start, to: end)
            }
        }
    }

    private static func frontMatter(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let guest = x.frames[top].flag
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            let next = min(end + 1, source.count)
            if end == start + 3, source.has("---", at: start) || source.has("...", at: start) {
                Embedded.end(&x, base: top)
                x.position = next
                x.emit(.meta, from: start, to: end)
                return
            }
            Embedded.run(&x, note: guest, to: next, base: top + 1)
        }
    }

    private static func comment(_ x: inout Scanner, from start: Int) {
        let source = x.source
        var index = x.position
        while index < source.count, !source.has("-->", at: index) { index &+= 1 }
        if index < source.count {
            x.frames.removeLast()
            index += 3
        }
        x.position = index
        x.emit(.comment, from: start)
    }

    // MARK: Inline

    private static func inline(_ x: inout Scanner, to end: Int) {
        let source = x.source
        // How far a search for a closing mark found none: none is looked for twice on one line.
        var noCode = 0
        var noMark: [UInt8: Int] = [:]
        while x.position < end {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: "\\") where start + 1 < end:
                x.position += 2
                x.emit(.escape, from: start)
            case UInt8(ascii: "`"):
                var run = start
                while source[run] == byte { run += 1 }
                let length = run - start
                var close = noCode == length ? end : run
                var found = 0
                while close < end {
                    if source[close] == byte {
                        found += 1
                    } else {
                        if found == length { break }
                        found = 0
                    }
                    close += 1
                }
                if found == length, close <= end, close > run {
                    x.position = close
                    x.emit(.string, from: start)
                } else {
                    noCode = length
                    x.position = run
                }
            case UInt8(ascii: "*"), UInt8(ascii: "_"), UInt8(ascii: "~"): emphasis(&x, start, end, byte, &noMark)
            case UInt8(ascii: "["), UInt8(ascii: "!"): link(&x, start, end, &noMark)
            case UInt8(ascii: "<"):
                if source.has("<!--", at: start), x.push(Frame(mode: Mode.comment)) {
                    x.position += 4
                    let depth = x.frames.count
                    comment(&x, from: start)
                    if x.frames.count == depth || x.position > end { return }
                    continue
                }
                element(&x, start, end)
            case UInt8(ascii: "h") where source.has("https://", at: start) || source.has("http://", at: start):
                while x.position < end, !source[x.position].isSpace, !source[x.position].isOne(of: "<>\"'`)") {
                    x.position += 1
                }
                x.emit(.link, from: start)
            case UInt8(ascii: "|"):
                x.position += 1
                x.emit(.punctuation, from: start)
            default: x.position &+= 1
            }
        }
    }

    private static func emphasis(
        _ x: inout Scanner,
        _ start: Int,
        _ end: Int,
        _ mark: UInt8,
        _ none: inout [UInt8: Int]
    ) {
        let source = x.source
        var run = start
        while source[run] == mark { run += 1 }
        let length = min(run - start, 3)
        x.position = run
        // `snake_case` and `2 * 3` are not emphasis.
        guard !source[run].isSpace, run < end, mark != UInt8(ascii: "_") || start == 0 || !source[start - 1].isWord,
            run - start <= 3, mark != UInt8(ascii: "~") || length == 2, none[mark] != length
        else { return }
        var close = run
        while close < end {
            if source[close] == mark, !source[close - 1].isSpace, source[close - 1] != UInt8(ascii: "\\") {
                var last = close
                while source[last] == mark { last += 1 }
                if last - close >= length {
                    x.position = close + length
                    x.emit(length == 1 ? .emphasis : .strong, from: start)
                    return
                }
                close = last
            } else {
                close += 1
            }
        }
        none[mark] = length
    }

    private static func link(_ x: inout Scanner, _ start: Int, _ end: Int, _ none: inout [UInt8: Int]) {
        let source = x.source
        let open = source[start] == UInt8(ascii: "!") ? start + 1 : start
        x.position = start + 1
        guard source[open] == UInt8(ascii: "["), none[UInt8(ascii: "[")] == nil else { return }
        var close = open + 1
        while close < end, source[close] != UInt8(ascii: "]"), close - open < 200 { close += 1 }
        guard close < end, source[close] == UInt8(ascii: "]") else {
            if close >= end { none[UInt8(ascii: "[")] = 1 }
            return
        }
        if source[close + 1] == UInt8(ascii: "(") {
            var target = close + 2
            while target < end, source[target] != UInt8(ascii: ")"), target - close < 500 { target += 1 }
            guard source[target] == UInt8(ascii: ")"), target < end else { return }
            x.emit(.string, from: start, to: close + 1)
            x.emit(.link, from: close + 1, to: target + 1)
            x.position = target + 1
        } else if source[close + 1] == UInt8(ascii: ":") || source[close + 1] == UInt8(ascii: "[") {
            x.emit(.link, from: start, to: close + 1)
            x.position = close + 1
        }
    }

    private static func element(_ x: inout Scanner, _ start: Int, _ end: Int) {
        let source = x.source
        x.position = start + 1
        var index = start + 1
        if source[index] == UInt8(ascii: "/") { index += 1 }
        guard source[index].isLetter else { return }
        let name = index
        while index < end, source[index] != UInt8(ascii: ">"), index - start < 300 { index += 1 }
        guard source[index] == UInt8(ascii: ">"), index < end else { return }
        let isLink = source.has("http", at: name) || source.has("mailto:", at: name)
        x.position = index + 1
        x.emit(isLink ? .link : .tag, from: start)
    }
}
