// Character references in text, link destinations, titles and info strings (CommonMark 0.31.2 §6.2 "Entity and numeric
// character references"), and backslash escapes (§2.4).

enum Entities {
    /// The longest name, in bytes (`CounterClockwiseContourIntegral`), with room.
    private static let longestName = 40

    /// One decoded reference.
    struct Reference {
        /// Bytes of source it takes, from `&` to `;`.
        var length: Int
        var first: Unicode.Scalar
        var second: Unicode.Scalar?
    }

    /// The reference that begins with the `&` at `start`, if it is one.
    static func reference(_ view: ByteView, _ start: Int, _ end: Int) -> Reference? {
        guard start + 2 < end else { return nil }
        if view[start + 1] == UInt8(ascii: "#") { return numeric(view, start, end) }
        var position = start + 1
        let limit = min(end, start + longestName)
        while position < limit, ASCII.isAlphanumeric(view[position]) { position += 1 }
        guard position > start + 1, position < limit, view[position] == UInt8(ascii: ";"),
            let found = index.find(view, start + 1, position)
        else { return nil }
        return Reference(length: position + 1 - start, first: found.0, second: found.1)
    }

    private static func numeric(_ view: ByteView, _ start: Int, _ end: Int) -> Reference? {
        var position = start + 2
        var value: UInt32 = 0
        let isHex = view[position] | 0x20 == UInt8(ascii: "x")
        if isHex { position += 1 }
        let first = position
        while position < end {
            let byte = view[position]
            let digit: UInt32
            if ASCII.isDigit(byte) {
                digit = UInt32(byte - UInt8(ascii: "0"))
            } else if isHex, ASCII.isHexDigit(byte) {
                digit = UInt32((byte | 0x20) - UInt8(ascii: "a")) + 10
            } else {
                break
            }
            guard position - first < (isHex ? 6 : 7) else { return nil }
            value = value * (isHex ? 16 : 10) + digit
            position += 1
        }
        guard position > first, position < end, view[position] == UInt8(ascii: ";") else { return nil }
        let scalar = value == 0 ? nil : Unicode.Scalar(value)
        return Reference(length: position + 1 - start, first: scalar ?? "\u{FFFD}")
    }

    /// `start..<end` with references decoded and backslashes before ASCII punctuation removed.
    static func unescaped(_ view: ByteView, _ start: Int, _ end: Int) -> [UInt8] {
        decoded(view, start, end, hasEscapes: true)
    }

    /// `start..<end` with references decoded, and backslash escapes too if asked.
    static func decoded(_ view: ByteView, _ start: Int, _ end: Int, hasEscapes: Bool = false) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(end - start)
        var position = start
        while position < end {
            let byte = view[position]
            if hasEscapes, byte == ASCII.backslash, position + 1 < end, ASCII.isPunctuation(view[position + 1]) {
                result.append(view[position + 1])
                position += 2
            } else if byte == UInt8(ascii: "&"), let reference = reference(view, position, end) {
                result += String(Character(reference.first)).utf8
                if let second = reference.second { result += String(Character(second)).utf8 }
                position += reference.length
            } else {
                result.append(byte)
                position += 1
            }
        }
        return result
    }

    private static let index = EntityIndex()
}

/// Finds a name in ``EntityTable`` by hash.
private struct EntityIndex: Sendable {
    /// Offset of a name in the table plus one; 0 is empty.
    ///
    /// A power of two, about half full.
    private var slots = [UInt16](repeating: 0, count: 4_096)
    private var table: ByteView {
        unsafe ByteView(EntityTable.text.utf8Start, count: EntityTable.text.utf8CodeUnitCount)
    }

    init() {
        let table = table
        var start = 0
        while start < table.count {
            let equals = table.find(UInt8(ascii: "="), from: start, to: table.count) ?? table.count
            var slot = Self.hash(table, start, equals)
            while slots[slot] != 0 { slot = (slot + 1) & 4_095 }
            slots[slot] = UInt16(start + 1)
            start = (table.find(ASCII.space, from: equals, to: table.count) ?? table.count) + 1
        }
    }

    private static func hash(_ view: ByteView, _ start: Int, _ end: Int) -> Int {
        var hash: UInt32 = 2_166_136_261
        for position in start..<end { hash = (hash ^ UInt32(view[position])) &* 16_777_619 }
        return Int((hash ^ hash >> 15) & 4_095)
    }

    func find(_ view: ByteView, _ start: Int, _ end: Int) -> (Unicode.Scalar, Unicode.Scalar?)? {
        var slot = Self.hash(view, start, end)
        while slots[slot] != 0 {
            let name = Int(slots[slot]) - 1
            if matches(name, view, start, end) { return scalars(from: name + end - start + 1) }
            slot = (slot + 1) & 4_095
        }
        return nil
    }

    private func matches(_ name: Int, _ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        for offset in 0..<end - start where table.peek(name + offset) != view[start + offset] { return false }
        return table.peek(name + end - start) == UInt8(ascii: "=")
    }

    private func scalars(from start: Int) -> (Unicode.Scalar, Unicode.Scalar?)? {
        let end = table.find(ASCII.space, from: start, to: table.count) ?? table.count
        let parts = table.string(start, end).split(separator: ",").compactMap { UInt32($0, radix: 16) }
            .compactMap(Unicode.Scalar.init)
        guard let first = parts.first else { return nil }
        return (first, parts.count > 1 ? parts[1] : nil)
    }
}
