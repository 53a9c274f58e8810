// Where names are types although their letters do not say so: declarations of C and C++, every place of Go's grammar that
// takes a type. Bounded looks around on the line, measured against parsers (Tests/measure/highlight_agreement.py).

extension GrammarLexer {
    /// C and C++: names that stand where a type is declared, cast to or given to a template.
    mutating func isDeclaredType(
        _ source: Bytes,
        _ start: Int,
        _ end: Int,
        _ after: Int,
        _ follower: UInt8,
        _ previous: Before.What
    ) -> Bool {
        if end - start > 2, source[end - 1] == UInt8(ascii: "t"), source[end - 2] == UInt8(ascii: "_") { return true }
        let isTemplate = habits.contains(.typeArguments)
        if isTemplate {
            if start < templateEnd, follower != UInt8(ascii: ":") { return true }
            if source[end] == UInt8(ascii: "{"), end > start + 1 || source[start].isUpper {
                return previous != .operand
            }
            if source[end] == UInt8(ascii: "<"), let close = argumentsEnd(source, end) {
                if close > templateEnd { templateEnd = close }
                return true
            }
        }
        // `typedef … name;`
        if follower == UInt8(ascii: ";"), typedefLine { return true }
        guard previous != .operand else { return false }
        if follower.isWordStart, after > end { return true }
        if follower == UInt8(ascii: ")"), source[start - 1] == UInt8(ascii: "(") {
            // `(name) x` is a cast, unless a call or a keyword's parenthesis comes before.
            var index = after + 1
            while source[index].isBlank { index += 1 }
            var lead = start - 2
            while lead > 0, start - lead < 40, source[lead].isBlank { lead -= 1 }
            return (source[index].isWord || source[index] == UInt8(ascii: "\"")) && !source[lead].isWord
        }
        guard follower == UInt8(ascii: "*") || follower == UInt8(ascii: "&") else { return false }
        var index = after
        while source[index] == follower { index += 1 }
        // `a *b` and `a* b` declare, `a * b` multiplies; `(a *)` and `<a*>` are types too.
        if source[index].isWordStart { return after > end }
        if source[index] == UInt8(ascii: " "), source[index + 1].isWordStart { return after == end }
        return source[index] == UInt8(ascii: ")") || source[index] == UInt8(ascii: ",")
            || source[index] == UInt8(ascii: ">")
            || source[index].isLineEnd || (isTemplate && source[index] == UInt8(ascii: "."))
    }

    /// The end of `<A, B<C>>` at `open`, when it can be nothing else: a bounded look on this line.
    func argumentsEnd(_ source: Bytes, _ open: Int) -> Int? {
        guard source[open + 1] != UInt8(ascii: "<"), source[open + 1] != UInt8(ascii: "=") else { return nil }
        var depth = 0
        for step in 0..<120 {
            let byte = source[open + step]
            switch byte {
            case UInt8(ascii: "<"): depth += 1
            case UInt8(ascii: ">"):
                depth -= 1
                if depth == 0 { return open + step + 1 }
            case UInt8(ascii: ";"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "\n"),
                UInt8(ascii: "+"), 0:
                return nil
            case UInt8(ascii: "&"):
                if source[open + step + 1] == byte, source[open + step + 2] == UInt8(ascii: " ") { return nil }
            default: break
            }
        }
        return nil
    }

    /// The parenthesised result types of the Go function whose `func` ends at `index`, when they are on this line.
    func goResultRange(_ source: Bytes, after index: Int) -> Range<Int> {
        var depth = 0
        var groups = 0
        var open = index
        var hasPair = false
        for at in index..<(index + 400) {
            let byte = source[at]
            switch byte {
            case UInt8(ascii: "("):
                if depth == 0 { (open, hasPair) = (at, false) }
                depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 {
                    groups += 1
                    if !hasPair, groups > 1 || source[index] == UInt8(ascii: "("), at > open + 1 {
                        return open..<at + 1
                    }
                }
            case UInt8(ascii: " "):
                if depth == 1, source[at - 1].isWord { hasPair = true }
            case UInt8(ascii: "{"), UInt8(ascii: "\n"), 0: return 0..<0
            default: break
            }
        }
        return 0..<0
    }

    /// Go.
    ///
    /// names where only a type can stand. gofmt's spacing tells `x *T` from `x * y` and `T{` from a block.
    func isGoType(
        _ source: Bytes,
        _ start: Int,
        _ end: Int,
        _ after: Int,
        _ follower: UInt8,
        _ previous: Before.What
    ) -> Bool {
        if source[end] == UInt8(ascii: "{"), previous != .operand { return true }
        if follower == UInt8(ascii: "."), after == end { return false }
        if goResults.contains(start), follower == UInt8(ascii: ",") || follower == UInt8(ascii: ")") { return true }
        var from = start
        var what = previous
        if previous == .dot {
            from = start - 1
            while from > 0, start - from < 64, source[from - 1].isWord { from -= 1 }
            what = beforeName
            if from == start - 1 { return false }
        }
        let near = source[from - 1]
        switch near {
        case UInt8(ascii: "]"): return true
        case UInt8(ascii: "*"):
            let second = source[from - 2]
            if second == UInt8(ascii: "]") || second == UInt8(ascii: "*") || source.has("chan ", at: from - 6) {
                return true
            }
            if second == UInt8(ascii: "(") {
                return source[from - 3] == UInt8(ascii: ".") || source.has("new", at: from - 5)
            }
            guard second.isBlank else { return false }
            var index = from - 2
            while index > 0, from - index < 100, source[index].isBlank { index -= 1 }
            return (source[index].isWord || source[index] == UInt8(ascii: ")")) && !source.has("return", at: index - 5)
                && !source.has("range", at: index - 4)
        case UInt8(ascii: " "), UInt8(ascii: "\t"):
            if follower == UInt8(ascii: "("), previous != .dot { return false }
            if what == .operand {
                var index = from - 1
                while index > 0, from - index < 100, source[index].isBlank { index -= 1 }
                return source[index].isWord || source[index] == UInt8(ascii: ")")
            }
            return source.has("chan", at: from - 5)
        case UInt8(ascii: "("):
            return source[from - 2] == UInt8(ascii: ".") || source.has("make", at: from - 5)
                || (source.has("new", at: from - 4) && !source[from - 5].isWord)
        case UInt8(ascii: "["): return source.has("map", at: from - 4)
        default: return false
        }
    }
}
