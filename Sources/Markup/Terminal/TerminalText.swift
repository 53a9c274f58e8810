// Characters of terminal output: UTF-8 lengths, column widths, escaping in runs.

/// Bytes of text.
enum TerminalText {
    /// Printable ASCII that HTML takes as it is.
    private static let isPlain: [Bool] = (0..<256).map { byte in
        byte >= 0x20 && byte < 0x7F && !"&<>\"'".utf8.contains(UInt8(byte))
    }

    /// The end of the run of plain bytes at `start`.
    static func plainRun(_ source: Bytes, from start: Int) -> Int {
        var index = start
        let table = isPlain
        while index < source.count, table[Int(source[index])] { index &+= 1 }
        return index
    }

    /// Appends bytes as they are.
    static func append(_ source: Bytes, from start: Int, to end: Int, into html: inout [UInt8]) {
        source.append(from: start, to: end, into: &html)
    }

    static func appendEscaped(_ byte: UInt8, into html: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "&"): html += "&amp;".utf8
        case UInt8(ascii: "<"): html += "&lt;".utf8
        case UInt8(ascii: ">"): html += "&gt;".utf8
        case UInt8(ascii: "\""): html += "&quot;".utf8
        case UInt8(ascii: "'"): html += "&#39;".utf8
        default: html.append(byte)
        }
    }

    /// The bytes of the well-formed UTF-8 character at `index` (Unicode table 3-7), or 0.
    static func characterLength(_ source: Bytes, at index: Int) -> Int {
        let first = source[index]
        func isTail(_ offset: Int) -> Bool { source[index + offset] & 0xC0 == 0x80 }
        switch first {
        case 0x00...0x7F: return 1
        case 0xC2...0xDF: return isTail(1) ? 2 : 0
        case 0xE0...0xEF:
            guard isTail(1), isTail(2) else { return 0 }
            if first == 0xE0, source[index + 1] < 0xA0 { return 0 }
            if first == 0xED, source[index + 1] > 0x9F { return 0 }
            return 3
        case 0xF0...0xF4:
            guard isTail(1), isTail(2), isTail(3) else { return 0 }
            if first == 0xF0, source[index + 1] < 0x90 { return 0 }
            if first == 0xF4, source[index + 1] > 0x8F { return 0 }
            return 4
        default: return 0
        }
    }

    /// The code point of the well-formed character of `length` bytes at `index`.
    static func scalar(_ source: Bytes, at index: Int, length: Int) -> UInt32 {
        switch length {
        case 2: return UInt32(source[index] & 0x1F) << 6 | UInt32(source[index + 1] & 0x3F)
        case 3:
            return UInt32(source[index] & 0x0F) << 12 | UInt32(source[index + 1] & 0x3F) << 6
                | UInt32(source[index + 2] & 0x3F)
        case 4:
            return UInt32(source[index] & 0x07) << 18 | UInt32(source[index + 1] & 0x3F) << 12
                | UInt32(source[index + 2] & 0x3F) << 6 | UInt32(source[index + 3] & 0x3F)
        default: return UInt32(source[index])
        }
    }

    /// Columns a character takes: 0 for marks that combine, 2 for East Asian wide characters and emoji, else 1.
    static func width(_ scalar: UInt32) -> Int {
        switch scalar {
        case 0x0300...0x036F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x200B...0x200F, 0x20D0...0x20FF, 0xFE00...0xFE0F,
            0xFE20...0xFE2F,
            0xE0100...0xE01EF:
            return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60,
            0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}

extension Bytes {
    /// Appends a part to an array.
    @inline(__always) func append(from start: Int, to end: Int, into array: inout [UInt8]) {
        let length = end - start
        guard length > 0 else { return }
        unsafe withPart(from: start, to: end) { unsafe array.append(contentsOf: $0) }
    }
}
