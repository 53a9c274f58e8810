// Finds formulas inside chat text: `$…$`, `$$…$$`, `\(…\)`, `\[…\]`. Money, shell variables and escaped brackets stay
// text: a formula must look like one. `Math` turns what is found here into MathML.

/// Where `\)` and `\]` come next, so that no stretch is searched twice.
struct MathCursor {
    var parenthesis = -1
    var bracket = -1
}

extension InlineParser {
    /// A formula that begins with the dollar sign at `position`.
    mutating func readDollarMath() -> Bool {
        var runEnd = position
        while runEnd < end, view[runEnd] == UInt8(ascii: "$") { runEnd += 1 }
        switch runEnd - position {
        case 1: return readSingleDollar()
        case 2: return readDoubleDollar()
        default: return false
        }
    }

    /// Leaves a run of dollar signs as text.
    mutating func skipDollars() {
        while position < end, view[position] == UInt8(ascii: "$") { position += 1 }
    }

    /// `$x$`: no white space inside its ends, no letter, digit or bracket that would make it a variable outside them.
    private mutating func readSingleDollar() -> Bool {
        let from = position + 1
        if position > start, ASCII.isAlphanumeric(view[position - 1]) { return false }
        guard from < end, !ASCII.isWhitespace(view[from]), let close = nextDollar(from), close > from,
            close - from <= MarkdownLimits.formulaBytes, !ASCII.isWhitespace(view[close - 1])
        else { return false }
        if close + 1 < end {
            let after = view[close + 1]
            if ASCII.isAlphanumeric(after) { return false }
            switch after {
            case UInt8(ascii: "$"), UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "_"): return false
            default: break
            }
        }
        guard !MathText.isMoney(view, from, close), view.find(UInt8(ascii: "`"), from: from, to: close) == nil else {
            return false
        }
        add(.math, from, close, next: close + 1)
        return true
    }

    private mutating func readDoubleDollar() -> Bool {
        let from = position + 2
        var search = from
        while let close = nextDollar(search) {
            if close + 1 < end, view[close + 1] == UInt8(ascii: "$") {
                guard close - from <= MarkdownLimits.formulaBytes, MathText.isFormula(view, from, close) else {
                    return false
                }
                add(.math, from, close, value: 1, next: close + 2)
                return true
            }
            // A single dollar sign inside: `$$` is no opening then.
            search = end
        }
        return false
    }

    /// The next dollar sign without a backslash in front.
    private func nextDollar(_ from: Int) -> Int? {
        var search = from
        while let hit = view.find(UInt8(ascii: "$"), from: search, to: end) {
            if hit == from || view[hit - 1] != ASCII.backslash { return hit }
            search = hit + 1
        }
        return nil
    }

    /// `\(…\)` or `\[…\]` at `position`.
    mutating func readBackslashMath(_ bracket: UInt8) -> Bool {
        let isDisplay = bracket == UInt8(ascii: "[")
        let from = position + 2
        let closing = isDisplay ? UInt8(ascii: "]") : UInt8(ascii: ")")
        var known = isDisplay ? nextMathClose.bracket : nextMathClose.parenthesis
        if known < from { known = search(closing, from) }
        if isDisplay { nextMathClose.bracket = known } else { nextMathClose.parenthesis = known }
        guard known < end, known - from <= MarkdownLimits.formulaBytes, MathText.isFormula(view, from, known) else {
            return false
        }
        add(.math, from, known, value: isDisplay ? 1 : 0, next: known + 2)
        return true
    }

    /// The position of the next backslash that is followed by `closing`, or `end`.
    private func search(_ closing: UInt8, _ from: Int) -> Int {
        var position = from
        while let hit = view.find(ASCII.backslash, from: position, to: end) {
            if hit + 1 < end, view[hit + 1] == closing { return hit }
            position = min(hit + 2, end)
        }
        return end
    }
}

/// Tells formulas from prose.
enum MathText {
    /// How far a text is looked into.
    private static let window = 64

    /// Whether text behind a dollar sign goes on like a price: a number, then a word.
    static func isMoney(_ view: ByteView, _ from: Int, _ to: Int) -> Bool {
        var position = from
        let limit = min(to, from + window)
        while position < limit,
            ASCII.isDigit(view[position]) || view[position] == UInt8(ascii: ",")
                || view[position] == UInt8(ascii: ".")
        {
            position += 1
        }
        guard position > from else { return false }
        if position < limit, ASCII.isLetter(view[position]), position + 1 < limit, !ASCII.isLetter(view[position + 1]) {
            // 5k, 3M: a multiplier only if prose follows.
            var next = position + 1
            while next < limit, ASCII.isWhitespace(view[next]) { next += 1 }
            if next > position + 1, isWord(view, next, limit) { return true }
            return false
        }
        let mark = position < limit ? view[position] : 0
        guard
            ASCII.isWhitespace(mark) || mark == UInt8(ascii: "/") || mark == UInt8(ascii: "-")
                || mark == UInt8(ascii: "(")
        else { return false }
        while position < limit, !ASCII.isAlphanumeric(view[position]), view[position] != ASCII.backslash {
            position += 1
        }
        return isWord(view, position, limit)
    }

    /// Whether at least two letters stand at `position`.
    private static func isWord(_ view: ByteView, _ position: Int, _ limit: Int) -> Bool {
        position + 1 < limit && ASCII.isLetter(view[position]) && ASCII.isLetter(view[position + 1])
    }

    /// Whether text between explicit delimiters looks like a formula: an operator or command, or only short names.
    static func isFormula(_ view: ByteView, _ from: Int, _ to: Int) -> Bool {
        var letters = 0
        var longest = 0
        var hasContent = false
        for position in from..<to {
            let byte = view[position]
            if !ASCII.isWhitespace(byte) { hasContent = true }
            if ASCII.isLetter(byte) {
                letters += 1
                longest = max(longest, letters)
                continue
            }
            letters = 0
            switch byte {
            case ASCII.backslash, UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "="), UInt8(ascii: "+"),
                UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "|"), UInt8(ascii: "{"):
                return true
            default: break
            }
        }
        return hasContent && longest < 3
    }
}
