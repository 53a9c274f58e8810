// Field lines where they lie (RFC 9112 §5), in requests and in answers.

/// Where one field line's name and value lie in a head.
struct FieldRange: Sendable {
    var nameStart: UInt16
    var nameEnd: UInt16
    var valueStart: UInt16
    var valueEnd: UInt16

    var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
    var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }

    /// Reads `field-name ":" OWS field-value OWS CRLF`. No space before the colon, no folding, no bare CR or LF, no control
    /// character.
    ///
    /// - Parameter position: the line's start; moved behind its end.
    /// - Returns: nil when the line is not complete.
    @inline(__always)
    static func read(_ bytes: Span<UInt8>, _ position: inout Int) throws(HTTPRefusal) -> FieldRange? {
        let nameStart = position
        while position < bytes.count, bytes[position].isHTTPToken { position += 1 }
        let nameEnd = position
        guard position < bytes.count else { return nil }
        guard bytes[position] == UInt8(ascii: ":"), nameEnd > nameStart else { throw .malformedField }
        position += 1
        while position < bytes.count, bytes[position].isHTTPSpace { position += 1 }
        let valueStart = position
        position = endOfFieldValue(bytes, from: position)
        guard position < bytes.count else { return nil }
        guard bytes[position] == 0x0D else { throw .malformedField }
        guard position + 1 < bytes.count else { return nil }
        guard bytes[position + 1] == 0x0A else { throw .malformedField }
        var valueEnd = position
        while valueEnd > valueStart, bytes[valueEnd - 1].isHTTPSpace { valueEnd -= 1 }
        position += 2
        // Beyond 64 KiB the limits have refused the head already, unless a server was given larger ones.
        guard position <= Int(UInt16.max) else { throw .fieldsTooLarge }
        return FieldRange(
            nameStart: UInt16(nameStart),
            nameEnd: UInt16(nameEnd),
            valueStart: UInt16(valueStart),
            valueEnd: UInt16(valueEnd)
        )
    }
}

/// The first byte from `start` on that a field value cannot hold: its CR, or one that is not allowed. Eight at a time.
func endOfFieldValue(_ bytes: Span<UInt8>, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    var position = start
    while position + 8 <= bytes.count {
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: position, as: UInt64.self)
        let belowSpace = (word &- ones &* 0x20) & ~word
        let delete = word ^ ones &* 0x7F
        let flagged = (belowSpace | ((delete &- ones) & ~delete)) & highs
        if flagged == 0 {
            position += 8
            continue
        }
        // Borrows run upwards only, so the lowest flag is right.
        position += flagged.trailingZeroBitCount >> 3
        if bytes[position] != 0x09 { return position }
        position += 1
    }
    while position < bytes.count {
        let byte = bytes[position]
        if byte < 0x20 && byte != 0x09 || byte == 0x7F { return position }
        position += 1
    }
    return position
}
