// One control sequence, read whole: what it is and where it ends (ECMA-48 section 5, xterm's OSC).

/// What a sequence asks for.
enum TerminalSequence {
    /// `CSI … m`
    case style(parameters: [Int], isSub: [Bool])
    /// Another `CSI` with its final byte; private ones (`?`, `>`) come as `nothing`.
    case control(final: UInt8, first: Int, second: Int)
    /// `OSC 8`: the address, empty at a link's end.
    case link(from: Int, to: Int)
    case saveCursor, restoreCursor, reverseIndex
    /// Titles, modes, character sets, strings of any kind: nothing that text shows.
    case nothing
}

extension TerminalSequence {
    /// Reads the sequence whose `ESC` (or one-byte C1 introducer, given by its 7-bit twin in `introducer`) ends at `index`.
    ///
    /// - Returns: the sequence and the position after it. An unfinished one takes the rest of the input; one that is
    ///   broken by a control or a foreign byte ends before that byte.
    static func read(_ source: Bytes, introducer: UInt8, at index: Int) -> (TerminalSequence, end: Int) {
        switch introducer {
        case UInt8(ascii: "["): return control(source, at: index)
        case UInt8(ascii: "]"): return command(source, at: index)
        case UInt8(ascii: "P"), UInt8(ascii: "X"), UInt8(ascii: "^"), UInt8(ascii: "_"):
            return (.nothing, stringEnd(source, from: index).next)
        case UInt8(ascii: "7"): return (.saveCursor, index)
        case UInt8(ascii: "8"): return (.restoreCursor, index)
        case UInt8(ascii: "M"): return (.reverseIndex, index)
        case 0x20...0x2F:
            var end = index
            while (0x20...0x2F).contains(source[end]) { end += 1 }
            return (.nothing, (0x30...0x7E).contains(source[end]) ? end + 1 : end)
        default: return (.nothing, index)
        }
    }

    private static func control(_ source: Bytes, at start: Int) -> (TerminalSequence, end: Int) {
        var index = start
        var parameters: [Int] = []
        var isSub: [Bool] = []
        var value = 0
        var nextIsSub = false
        var isPrivate = false
        while index < source.count {
            let byte = source[index]
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = min(value * 10 + Int(byte - 48), 100_000)
            case UInt8(ascii: ";"), UInt8(ascii: ":"):
                if parameters.count < TerminalLimits.parameters {
                    parameters.append(value)
                    isSub.append(nextIsSub)
                }
                nextIsSub = byte == UInt8(ascii: ":")
                value = 0
            case UInt8(ascii: "<")...UInt8(ascii: "?"), 0x20...0x2F: isPrivate = true
            case 0x40...0x7E:
                if parameters.count < TerminalLimits.parameters {
                    parameters.append(value)
                    isSub.append(nextIsSub)
                }
                if isPrivate { return (.nothing, index + 1) }
                if byte == UInt8(ascii: "m") { return (.style(parameters: parameters, isSub: isSub), index + 1) }
                return (
                    .control(final: byte, first: parameters[0], second: parameters.count > 1 ? parameters[1] : 0),
                    index + 1
                )
            default: return (.nothing, index)
            }
            index += 1
        }
        return (.nothing, source.count)
    }

    private static func command(_ source: Bytes, at start: Int) -> (TerminalSequence, end: Int) {
        let (end, next) = stringEnd(source, from: start)
        guard source.has("8;", at: start) else { return (.nothing, next) }
        var index = start + 2
        while index < end, source[index] != UInt8(ascii: ";") { index += 1 }
        return (.link(from: min(index + 1, end), to: end), next)
    }

    /// The end of a string sequence's text (before BEL or ST) and the position after its terminator.
    ///
    /// A line feed ends it too: what follows a torn sequence is output again.
    private static func stringEnd(_ source: Bytes, from start: Int) -> (end: Int, next: Int) {
        let last = min(source.count, start + TerminalLimits.sequenceBytes)
        var index = start
        while index < last {
            switch source[index] {
            case 0x07: return (index, index + 1)
            case 0x1B: return source[index + 1] == UInt8(ascii: "\\") ? (index, index + 2) : (index, index)
            case 0x0A, 0x18, 0x1A: return (index, index)
            case 0xC2 where source[index + 1] == 0x9C: return (index, index + 2)
            default: index += 1
            }
        }
        return (last, last)
    }
}
