// Text out of JSON strings: escapes undone, whole or only as much as is needed, and the check that a record is UTF-8.

extension Scan {
    /// A string value as text; nil when the value is no string.
    ///
    /// Lone surrogates become U+FFFD.
    static func string(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> String? {
        guard let range = inner(bytes, value) else { return nil }
        if !hasEscape(bytes, range) { return text(bytes, range) }
        var decoded: [UInt8] = []
        append(bytes, range, to: &decoded)
        return String(decoding: decoded, as: UTF8.self)
    }

    /// A string value's first bytes as text, for titles and for looking at how it begins.
    static func prefix(_ bytes: Span<UInt8>, _ value: Range<Int>?, limit: Int) -> String? {
        guard let range = inner(bytes, value) else { return nil }
        // Six raw bytes per decoded one at most (`\u0041`); a piece cut inside an escape ends before it.
        let cut = range.lowerBound..<min(range.upperBound, range.lowerBound + limit * 6)
        var decoded: [UInt8] = []
        append(bytes, cut, to: &decoded, limit: limit)
        while let last = decoded.last, last & 0xC0 == 0x80, decoded.count > limit - 4 { decoded.removeLast() }
        return String(decoding: decoded, as: UTF8.self)
    }

    static func hasEscape(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        for index in range where bytes[index] == UInt8(ascii: "\\") { return true }
        return false
    }

    /// Appends the decoded content of a string (`range` without the quotes), at most until `output` holds `limit` bytes.
    static func append(_ bytes: Span<UInt8>, _ range: Range<Int>, to output: inout [UInt8], limit: Int = .max) {
        var index = range.lowerBound
        while index < range.upperBound, output.count < limit {
            var plain = index
            while plain < range.upperBound, bytes[plain] != UInt8(ascii: "\\") { plain += 1 }
            if plain > index {
                let stop = index + min(plain - index, limit - output.count)
                unsafe bytes.extracting(index..<stop).withUnsafeBufferPointer { unsafe output.append(contentsOf: $0) }
                index = plain
                continue
            }
            guard index + 1 < range.upperBound else { return }
            index += 2
            switch bytes[index - 1] {
            case UInt8(ascii: "n"): output.append(0x0A)
            case UInt8(ascii: "t"): output.append(0x09)
            case UInt8(ascii: "r"): output.append(0x0D)
            case UInt8(ascii: "b"): output.append(0x08)
            case UInt8(ascii: "f"): output.append(0x0C)
            case UInt8(ascii: "u"):
                guard let unit = hexUnit(bytes, index, range.upperBound) else { continue }
                index += 4
                var scalar = UInt32(unit)
                if unit >= 0xD800, unit < 0xDC00, index + 6 <= range.upperBound, bytes[index] == UInt8(ascii: "\\"),
                    bytes[index + 1] == UInt8(ascii: "u"), let low = hexUnit(bytes, index + 2, range.upperBound),
                    low >= 0xDC00, low < 0xE000
                {
                    scalar = 0x10000 + (UInt32(unit - 0xD800) << 10) + UInt32(low - 0xDC00)
                    index += 6
                }
                output.append(contentsOf: String(Unicode.Scalar(scalar).map(Character.init) ?? "\u{FFFD}").utf8)
            default: output.append(bytes[index - 1])
            }
        }
    }

    private static func hexUnit(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt16? {
        guard start + 4 <= end else { return nil }
        var unit: UInt16 = 0
        for index in start..<start + 4 {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39: unit = unit << 4 | UInt16(byte - 0x30)
            case 0x41...0x46: unit = unit << 4 | UInt16(byte - 0x37)
            case 0x61...0x66: unit = unit << 4 | UInt16(byte - 0x57)
            default: return nil
            }
        }
        return unit
    }

    /// Whether the bytes are UTF-8 (RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF).
    static func isUTF8(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
        var index = range.lowerBound
        let end = range.upperBound
        let raw = unsafe bytes.bytes
        while index < end {
            while index + 32 <= end {
                let chunk = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD4<UInt64>.self)
                let high = (chunk[0] | chunk[1] | chunk[2] | chunk[3]) & 0x8080_8080_8080_8080
                guard high == 0 else { break }
                index += 32
            }
            if index + 8 <= end {
                let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)
                if word & 0x8080_8080_8080_8080 == 0 {
                    index += 8
                    continue
                }
            }
            guard index < end else { break }
            let lead = bytes[index]
            if lead < 0x80 {
                index += 1
                continue
            }
            let length: Int
            var lowest: UInt8 = 0x80
            var highest: UInt8 = 0xBF
            switch lead {
            case 0xC2...0xDF: length = 2
            case 0xE0: (length, lowest) = (3, 0xA0)
            case 0xED: (length, highest) = (3, 0x9F)
            case 0xE1...0xEF: length = 3
            case 0xF0: (length, lowest) = (4, 0x90)
            case 0xF1...0xF3: length = 4
            case 0xF4: (length, highest) = (4, 0x8F)
            default: return false
            }
            guard index + length <= end, bytes[index + 1] >= lowest, bytes[index + 1] <= highest else { return false }
            for offset in 2..<max(length, 2) where bytes[index + offset] & 0xC0 != 0x80 { return false }
            index += length
        }
        return true
    }

    /// Milliseconds since 1970 of an RFC 3339 time in UTC (`2026-11-20T08:00:00.123Z`); 0 for anything else.
    static func time(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Int64 {
        guard let range = inner(bytes, value), range.count >= 19 else { return 0 }
        let start = range.lowerBound
        func digits(_ offset: Int, _ count: Int) -> Int? {
            var total = 0
            for index in start + offset..<start + offset + count {
                let digit = bytes[index] &- 0x30
                guard digit < 10 else { return nil }
                total = total * 10 + Int(digit)
            }
            return total
        }
        guard let year = digits(0, 4), let month = digits(5, 2), let day = digits(8, 2), let hour = digits(11, 2),
            let minute = digits(14, 2), let second = digits(17, 2), (1...12).contains(month)
        else { return 0 }
        // Days since 1970 in the civil calendar: years begin in March, so the leap day comes last.
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let days = era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
        var milliseconds = 0
        if range.count >= 21, bytes[start + 19] == UInt8(ascii: ".") {
            var scale = 100
            for index in start + 20..<range.upperBound {
                let digit = bytes[index] &- 0x30
                guard digit < 10, scale > 0 else { break }
                milliseconds += Int(digit) * scale
                scale /= 10
            }
        }
        return Int64(((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + Int64(milliseconds)
    }
}
