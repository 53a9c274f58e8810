// Base64 in its two alphabets (RFC 4648 §4 and §5). Decoding is strict: nothing but the alphabet, canonical, right length.

package enum Base64 {
    /// Standard alphabet, padded.
    package static func encode(_ bytes: [UInt8]) -> String { encode(bytes, alphabet: standard, isPadded: true) }

    /// URL alphabet, without padding.
    package static func encodeURL(_ bytes: [UInt8]) -> String { encode(bytes, alphabet: url, isPadded: false) }

    /// Standard alphabet; padding is required. nil for anything that ``encode(_:)`` would not write.
    package static func decode(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8), padding: true, plus: 0x2B, slash: 0x2F)
    }

    /// URL alphabet; padding is refused. nil for anything that ``encodeURL(_:)`` would not write.
    package static func decodeURL(_ text: String) -> [UInt8]? {
        decode(Array(text.utf8), padding: false, plus: 0x2D, slash: 0x5F)
    }

    private static let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
    private static let standard = Array((letters + "+/").utf8)
    private static let url = Array((letters + "-_").utf8)
    private static let pad = UInt8(ascii: "=")

    private static func encode(_ bytes: [UInt8], alphabet: [UInt8], isPadded: Bool) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var index = 0
        while index + 2 < bytes.count {
            let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
            text.append(alphabet[Int(group >> 18)])
            text.append(alphabet[Int(group >> 12 & 63)])
            text.append(alphabet[Int(group >> 6 & 63)])
            text.append(alphabet[Int(group & 63)])
            index += 3
        }
        switch bytes.count - index {
        case 1:
            text.append(alphabet[Int(bytes[index] >> 2)])
            text.append(alphabet[Int(bytes[index] & 3) << 4])
            if isPadded { text += [pad, pad] }
        case 2:
            let group = UInt32(bytes[index]) << 8 | UInt32(bytes[index + 1])
            text.append(alphabet[Int(group >> 10)])
            text.append(alphabet[Int(group >> 4 & 63)])
            text.append(alphabet[Int(group & 15) << 2])
            if isPadded { text.append(pad) }
        default: break
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func decode(_ text: [UInt8], padding: Bool, plus: UInt8, slash: UInt8) -> [UInt8]? {
        var end = text.count
        if padding {
            guard end.isMultiple(of: 4) else { return nil }
            if end > 0, text[end - 1] == pad { end -= text[end - 2] == pad ? 2 : 1 }
        }
        guard end % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(end / 4 * 3 + 2)
        var group: UInt32 = 0
        var bits = 0
        for digit in text[..<end] {
            let value: UInt8
            switch digit {
            case 0x41...0x5A: value = digit - 0x41
            case 0x61...0x7A: value = digit - 0x61 + 26
            case 0x30...0x39: value = digit - 0x30 + 52
            case plus: value = 62
            case slash: value = 63
            default: return nil
            }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
            }
        }
        // Bits that belong to no byte must be zero, or two texts would mean the same bytes.
        return group & (1 << UInt32(bits) - 1) == 0 ? bytes : nil
    }
}
