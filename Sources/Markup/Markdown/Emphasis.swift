// Emphasis, strong emphasis and strikethrough (CommonMark 0.31.2 §6.2 and "process emphasis" in its appendix; GFM
// §6.5).

/// A run of `*`, `_` or `~` in the stack of possible emphasis, a doubly linked list by index.
struct DelimiterRun {
    var mark: UInt8
    var canOpen: Bool
    var canClose: Bool
    var length: Int32
    /// Marks not used by a match yet: shown as text in the end.
    var remaining: Int32
    var previous: Int32
    var next: Int32 = -1
    /// Matches that this run opens, outermost first, and closes, innermost first: indexes into the list of matches.
    var firstOpened: Int32 = -1
    var firstClosed: Int32 = -1
    var lastClosed: Int32 = -1
}

/// An opening and a closing mark that belong together.
struct DelimiterMatch {
    enum Kind: UInt8 { case emphasis, strong, strikethrough }
    var kind: Kind
    /// The next match in the chains of its opening and closing run.
    var nextOpened: Int32
    var nextClosed: Int32 = -1
}

extension InlineParser {
    mutating func readDelimiters(_ mark: UInt8) {
        var runEnd = position
        while runEnd < end, view[runEnd] == mark { runEnd += 1 }
        let length = runEnd - position
        var left = position
        var right = runEnd
        if dialect.strikethrough, mark != UInt8(ascii: "~") {
            // Tildes are transparent to emphasis, as in cmark-gfm.
            while left > start, view[left - 1] == UInt8(ascii: "~") { left -= 1 }
            while right < end, view[right] == UInt8(ascii: "~") { right += 1 }
        }
        let before = left > start ? CharacterClass(before: left, in: view, from: start) : .space
        let after = right < end ? CharacterClass(at: right, in: view, to: end) : .space
        let isLeft = after != .space && (after != .punctuation || before != .other)
        let isRight = before != .space && (before != .punctuation || after != .other)
        var canOpen = isLeft
        var canClose = isRight
        if mark == UInt8(ascii: "_") {
            canOpen = isLeft && (!isRight || before == .punctuation)
            canClose = isRight && (!isLeft || after == .punctuation)
        } else if mark == UInt8(ascii: "~"), length != 2, length != 1 || dialect.chat {
            canOpen = false
            canClose = false
        }
        guard canOpen || canClose else {
            position = runEnd
            return
        }
        let index = delimiters.count
        delimiters.append(
            DelimiterRun(
                mark: mark,
                canOpen: canOpen,
                canClose: canClose,
                length: Int32(length),
                remaining: Int32(length),
                previous: lastDelimiter
            )
        )
        if lastDelimiter >= 0 { delimiters[Int(lastDelimiter)].next = Int32(index) }
        lastDelimiter = Int32(index)
        add(.delimiters, position, runEnd, value: index, next: runEnd)
    }

    /// Matches the runs above `bottom` in the stack and takes them off it.
    mutating func processEmphasis(above bottom: Int32) {
        guard lastDelimiter > bottom else { return }
        // Below these no opener can match a closer of the same kind: what makes the search linear.
        var floors = InlineArray<18, Int32>(repeating: bottom)
        var closer = bottom >= 0 ? delimiters[Int(bottom)].next : firstDelimiter
        while closer >= 0 {
            let run = delimiters[Int(closer)]
            guard run.canClose else {
                closer = run.next
                continue
            }
            let floor = Self.floorIndex(run)
            var opener = run.previous
            while opener > floors[floor], !opens(opener, run) { opener = delimiters[Int(opener)].previous }
            if opener > floors[floor] {
                closer = match(opener, closer)
            } else {
                floors[floor] = run.previous
                if !run.canOpen { remove(closer) }
                closer = run.next
            }
        }
        if isGrowing, bottom < 0 { return }
        lastDelimiter = bottom
        if bottom >= 0 { delimiters[Int(bottom)].next = -1 }
    }

    /// The first run still linked.
    ///
    /// Runs are only unlinked by matches, so it is found by walking from the last one.
    private var firstDelimiter: Int32 {
        var index = lastDelimiter
        while delimiters[Int(index)].previous >= 0 { index = delimiters[Int(index)].previous }
        return index
    }

    private static func floorIndex(_ run: DelimiterRun) -> Int {
        let length = Int(run.length % 3) + (run.canOpen ? 3 : 0)
        switch run.mark {
        case UInt8(ascii: "*"): return length
        case UInt8(ascii: "_"): return length + 6
        default: return length + 12
        }
    }

    /// Whether the run at `index` can open what `closer` closes: the "multiple of 3" rule.
    private func opens(_ index: Int32, _ closer: DelimiterRun) -> Bool {
        let run = delimiters[Int(index)]
        guard run.canOpen, run.mark == closer.mark else { return false }
        if closer.canOpen || run.canClose, closer.length % 3 != 0, (closer.length + run.length) % 3 == 0 {
            return false
        }
        return true
    }

    /// - Returns: the next possible closer.
    private mutating func match(_ opener: Int32, _ closer: Int32) -> Int32 {
        let isTilde = delimiters[Int(closer)].mark == UInt8(ascii: "~")
        // Runs between the two are out of the game.
        delimiters[Int(opener)].next = closer
        delimiters[Int(closer)].previous = opener
        if isTilde {
            if delimiters[Int(opener)].length == delimiters[Int(closer)].length {
                record(.strikethrough, opener, closer)
                delimiters[Int(opener)].remaining = 0
                delimiters[Int(closer)].remaining = 0
            }
            remove(opener)
            let next = delimiters[Int(closer)].next
            remove(closer)
            return next
        }
        let isStrong = delimiters[Int(opener)].remaining >= 2 && delimiters[Int(closer)].remaining >= 2
        record(isStrong ? .strong : .emphasis, opener, closer)
        delimiters[Int(opener)].remaining -= isStrong ? 2 : 1
        delimiters[Int(closer)].remaining -= isStrong ? 2 : 1
        if delimiters[Int(opener)].remaining == 0 { remove(opener) }
        guard delimiters[Int(closer)].remaining == 0 else { return closer }
        let next = delimiters[Int(closer)].next
        remove(closer)
        return next
    }

    mutating func record(_ kind: DelimiterMatch.Kind, _ opener: Int32, _ closer: Int32) {
        let index = Int32(matches.count)
        matches.append(DelimiterMatch(kind: kind, nextOpened: delimiters[Int(opener)].firstOpened))
        delimiters[Int(opener)].firstOpened = index
        let last = delimiters[Int(closer)].lastClosed
        if last >= 0 { matches[Int(last)].nextClosed = index } else { delimiters[Int(closer)].firstClosed = index }
        delimiters[Int(closer)].lastClosed = index
    }

    private mutating func remove(_ index: Int32) {
        let run = delimiters[Int(index)]
        if run.previous >= 0 { delimiters[Int(run.previous)].next = run.next }
        if run.next >= 0 { delimiters[Int(run.next)].previous = run.previous } else { lastDelimiter = run.previous }
    }
}

/// What a character counts as next to a delimiter run (CommonMark 0.31.2 §2.1).
enum CharacterClass {
    case space, punctuation, other

    @inline(__always)
    init(at position: Int, in view: ByteView, to end: Int) {
        let byte = view[position]
        if byte < 0x80 {
            self.init(ascii: byte)
        } else {
            self.init(UTF8Decoding.scalar(view, position, end))
        }
    }

    @inline(__always)
    init(before position: Int, in view: ByteView, from start: Int) {
        let byte = view[position - 1]
        if byte < 0x80 {
            self.init(ascii: byte)
            return
        }
        var lead = position - 1
        while lead > start, view[lead] & 0xC0 == 0x80 { lead -= 1 }
        self.init(UTF8Decoding.scalar(view, lead, position))
    }

    @inline(__always)
    private init(ascii byte: UInt8) {
        if ASCII.isWhitespace(byte) { self = .space } else { self = ASCII.isPunctuation(byte) ? .punctuation : .other }
    }

    init(_ scalar: Unicode.Scalar) {
        switch scalar.properties.generalCategory {
        case .spaceSeparator: self = .space
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation, .initialPunctuation,
            .finalPunctuation, .otherPunctuation, .mathSymbol, .currencySymbol, .modifierSymbol, .otherSymbol:
            self = .punctuation
        default: self = scalar.value < 0x80 ? CharacterClass(ascii: UInt8(scalar.value)) : .other
        }
    }
}

enum UTF8Decoding {
    /// The scalar whose first byte stands at `start`; U+FFFD where the bytes are none.
    static func scalar(_ view: ByteView, _ start: Int, _ end: Int) -> Unicode.Scalar {
        let lead = view[start]
        let length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard start + length <= end else { return "\u{FFFD}" }
        var value = UInt32(lead) & (length == 1 ? 0x7F : 0x7F >> UInt32(length))
        for offset in 1..<max(length, 1) where offset < length {
            value = value << 6 | UInt32(view[start + offset] & 0x3F)
        }
        return Unicode.Scalar(value) ?? "\u{FFFD}"
    }
}
