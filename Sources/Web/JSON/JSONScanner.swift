// The bytes of RFC 8259: white space, strings, numbers, skipping. `JSONReader`, the `JSON` value and the checker all
// stand on it. It lives only inside one `withUnsafeBytes` call of its owner.

/// A cursor over JSON text.
@safe
struct JSONScanner {
    private let bytes: UnsafeRawBufferPointer
    let count: Int
    var index: Int

    /// `bytes` must outlive the scanner.
    init(_ bytes: UnsafeRawBufferPointer, from index: Int) {
        unsafe self.bytes = bytes
        count = bytes.count
        self.index = index
    }

    @inline(__always)
    func byte(_ index: Int) -> UInt8 { unsafe bytes[index] }

    @inline(__always)
    func word(_ index: Int) -> UInt64 { unsafe bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) }

    @inline(__always)
    func slice(_ range: Range<Int>) -> UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(rebasing: bytes[range]) }

    /// The next byte that is not white space, left in place.
    @inline(__always)
    mutating func next() throws(JSONError) -> UInt8 {
        while index < count {
            let byte = byte(index)
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                throw .unexpectedByte(offset: index)
            }
            index += 1
        }
        throw .endsEarly
    }

    /// Passes `expected`, which must come next.
    @inline(__always)
    mutating func pass(_ expected: UInt8) throws(JSONError) {
        guard try next() == expected else { throw .unexpectedByte(offset: index) }
        index += 1
    }

    /// Checks that nothing but white space is left.
    mutating func finish() throws(JSONError) {
        while index < count {
            let byte = byte(index)
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else {
                throw .unexpectedByte(offset: index)
            }
            index += 1
        }
    }

    // MARK: Strings

    /// A string between its quotes, as it stands in the text.
    struct RawString {
        var range: Range<Int>
        var hasEscapes: Bool
    }

    /// Passes the string that starts at `index` and checks it: closed, no control characters, escapes, UTF-8.
    mutating func string() throws(JSONError) -> RawString {
        guard try next() == UInt8(ascii: "\"") else { throw .wrongKind(offset: index) }
        index += 1
        let start = index
        var hasEscapes = false
        var isASCII = true
        while true {
            let special = findSpecial(isASCII: &isASCII)
            guard special < count else { throw .endsEarly }
            index = special
            switch byte(special) {
            case UInt8(ascii: "\""):
                index += 1
                let range = start..<special
                if !isASCII {
                    guard unsafe UTF8Check.isValid(slice(range)) else { throw .invalidUTF8(offset: start) }
                }
                return RawString(range: range, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try passEscape()
            default:
                throw .unexpectedByte(offset: special)
            }
        }
    }

    /// The offset of the next quote, backslash or control character from `index` on; `count` when there is none.
    @inline(__always)
    private func findSpecial(isASCII: inout Bool) -> Int {
        var index = index
        var seen: UInt64 = 0
        while index + 8 <= count {
            let word = word(index)
            let found = JSONScanner.specials(word)
            if found != 0 {
                let length = found.trailingZeroBitCount >> 3
                // Only the bytes before the special one belong to this run.
                seen |= word & ((1 << UInt64(length << 3)) &- 1)
                if seen & 0x8080_8080_8080_8080 != 0 { isASCII = false }
                return index + length
            }
            seen |= word
            index += 8
        }
        if seen & 0x8080_8080_8080_8080 != 0 { isASCII = false }
        while index < count {
            let byte = byte(index)
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            if byte >= 0x80 { isASCII = false }
            index += 1
        }
        return count
    }

    /// A word whose lowest set bit stands in the first byte that is a quote, a backslash or below 0x20.
    ///
    /// Bytes after that one may be marked by mistake (a borrow runs upwards), never before it.
    @inline(__always)
    static func specials(_ word: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let quote = word ^ (ones &* 0x22)
        let slash = word ^ (ones &* 0x5C)
        let control = (word &- ones &* 0x20) & ~word
        let hit = ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | control
        return hit & 0x8080_8080_8080_8080
    }

    private mutating func passEscape() throws(JSONError) {
        guard index + 1 < count else { throw .endsEarly }
        switch byte(index + 1) {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 2
        case UInt8(ascii: "u"):
            guard index + 6 <= count else { throw .endsEarly }
            for offset in index + 2..<index + 6 {
                guard JSONScanner.hexDigit(byte(offset)) != nil else { throw .unexpectedByte(offset: offset) }
            }
            index += 6
        default:
            throw .unexpectedByte(offset: index + 1)
        }
    }

    @inline(__always)
    static func hexDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte &- 0x30)
        case 0x41...0x46: UInt32(byte &- 0x37)
        case 0x61...0x66: UInt32(byte &- 0x57)
        default: nil
        }
    }

    /// The text of a string that ``string()`` has passed.
    func text(_ raw: RawString) -> String {
        if !raw.hasEscapes { return unsafe String(decoding: slice(raw.range), as: UTF8.self) }
        // Decoding never makes text longer.
        return unsafe String(unsafeUninitializedCapacity: raw.range.count) { unsafe decode(raw.range, into: $0) }
    }

    /// The UTF-8 bytes of a string that ``string()`` has passed.
    func utf8(_ raw: RawString) -> [UInt8] {
        if !raw.hasEscapes { return unsafe Array(slice(raw.range)) }
        return unsafe Array(unsafeUninitializedCapacity: raw.range.count) { target, length in
            unsafe length = decode(raw.range, into: target)
        }
    }

    /// Writes the checked string `range` without its escapes.
    ///
    /// A lone surrogate becomes U+FFFD, which RFC 8259 section 8.2 leaves to the reader.
    private func decode(_ range: Range<Int>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        var length = 0
        var index = range.lowerBound
        while index < range.upperBound {
            let byte = byte(index)
            guard byte == UInt8(ascii: "\\") else {
                unsafe target[length] = byte
                length += 1
                index += 1
                continue
            }
            let escape = self.byte(index + 1)
            index += 2
            guard escape == UInt8(ascii: "u") else {
                unsafe target[length] = JSONScanner.unescaped(escape)
                length += 1
                continue
            }
            var scalar = hex4(index)
            index += 4
            if scalar & 0xFC00 == 0xD800, index + 6 <= range.upperBound,
                self.byte(index) == UInt8(ascii: "\\"), self.byte(index + 1) == UInt8(ascii: "u"),
                hex4(index + 2) & 0xFC00 == 0xDC00
            {
                scalar = 0x10000 + ((scalar & 0x3FF) << 10) + (hex4(index + 2) & 0x3FF)
                index += 6
            } else if scalar & 0xF800 == 0xD800 {
                scalar = 0xFFFD
            }
            length += unsafe JSONScanner.encode(scalar, into: target, at: length)
        }
        return length
    }

    /// Writes one scalar value (no surrogate) as UTF-8 and returns its length.
    private static func encode(_ scalar: UInt32, into target: UnsafeMutableBufferPointer<UInt8>, at place: Int) -> Int {
        func put(_ offset: Int, _ value: UInt32) { unsafe target[place + offset] = UInt8(truncatingIfNeeded: value) }
        func tail(_ offset: Int, _ shift: UInt32) { put(offset, 0x80 | scalar >> shift & 0x3F) }
        switch scalar {
        case 0..<0x80:
            put(0, scalar)
            return 1
        case 0x80..<0x800:
            put(0, 0xC0 | scalar >> 6)
            tail(1, 0)
            return 2
        case 0x800..<0x10000:
            put(0, 0xE0 | scalar >> 12)
            tail(1, 6)
            tail(2, 0)
            return 3
        default:
            put(0, 0xF0 | scalar >> 18)
            tail(1, 12)
            tail(2, 6)
            tail(3, 0)
            return 4
        }
    }

    private func hex4(_ index: Int) -> UInt32 {
        var value: UInt32 = 0
        for offset in index..<index + 4 { value = value << 4 | (JSONScanner.hexDigit(byte(offset)) ?? 0) }
        return value
    }

    private static func unescaped(_ byte: UInt8) -> UInt8 {
        switch byte {
        case UInt8(ascii: "b"): 0x08
        case UInt8(ascii: "f"): 0x0C
        case UInt8(ascii: "n"): 0x0A
        case UInt8(ascii: "r"): 0x0D
        case UInt8(ascii: "t"): 0x09
        default: byte
        }
    }
}
