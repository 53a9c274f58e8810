// The character classes of HTTP's grammar (RFC 9110 §5.6) as constants in registers: a table would be a memory load and a
// bounds check per byte.

extension UInt8 {
    /// Whether the byte may stand in a token: a method, a field name (RFC 9110 §5.6.2).
    @inline(__always) var isHTTPToken: Bool {
        // ! # $ % & ' * + - . 0-9, then A-Z ^ _ ` a-z | ~
        let low: UInt64 = 0x03FF_6CFA_0000_0000
        let high: UInt64 = 0x57FF_FFFF_C7FF_FFFE
        if self < 64 { return low >> UInt64(self) & 1 != 0 }
        return self < 128 && high >> UInt64(self - 64) & 1 != 0
    }

    /// Whether the byte is a space or a tab (RFC 9110 §5.6.3).
    @inline(__always) var isHTTPSpace: Bool { self == 0x20 || self == 0x09 }

    @inline(__always) var isDigit: Bool { self &- 0x30 < 10 }

    /// The value of a hexadecimal digit of either case.
    @inline(__always) var hexValue: UInt8? {
        switch self {
        case 0x30...0x39: self - 0x30
        case 0x41...0x46: self - 0x41 + 10
        case 0x61...0x66: self - 0x61 + 10
        default: nil
        }
    }

    /// The letter in lower case; other bytes as they are.
    @inline(__always) var lowercased: UInt8 { self &- 0x41 < 26 ? self | 0x20 : self }
}

/// Whether the bytes are the name, whatever the case of their letters. `name` must be in lower case.
@inline(__always)
func equalsIgnoringCase(_ bytes: Span<UInt8>, _ range: Range<Int>, _ name: StaticString) -> Bool {
    guard range.count == name.utf8CodeUnitCount else { return false }
    for offset in 0..<range.count where unsafe bytes[range.lowerBound + offset].lowercased != name.utf8Start[offset] {
        return false
    }
    return true
}
