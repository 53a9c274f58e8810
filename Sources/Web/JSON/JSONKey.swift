// A member's key (or a short enumerated value) compared with literals where it stands, without making a `String`.

/// The bytes of a key, escapes decoded.
///
/// Up to 32 bytes are held in place.
///
/// `switch` works with literals: `case "appSessionId":`.
package struct JSONKey: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)
    private let count: Int
    /// The whole key, when it is longer than 32 bytes.
    private let long: [UInt8]?

    init(_ raw: JSONScanner.RawString, in text: JSONScanner) {
        if raw.hasEscapes || raw.range.count > 32 {
            let decoded = text.utf8(raw)
            count = decoded.count
            long = count > 32 ? decoded : nil
            words = unsafe decoded.withUnsafeBytes { unsafe JSONKey.pack($0, available: $0.count) }
        } else {
            count = raw.range.count
            long = nil
            words = unsafe JSONKey.pack(text.slice(raw.range), available: text.count - raw.range.lowerBound)
        }
    }

    /// The first 32 bytes as words, zeros after the end.
    ///
    /// `available` bytes may be read from the start of `bytes`.
    @inline(__always)
    private static func pack(
        _ bytes: UnsafeRawBufferPointer,
        available: Int
    ) -> (UInt64, UInt64, UInt64, UInt64) {
        guard let base = bytes.baseAddress else { return (0, 0, 0, 0) }
        let count = bytes.count
        func word(_ start: Int) -> UInt64 {
            guard count > start else { return 0 }
            if start + 8 <= available {
                let word = unsafe base.loadUnaligned(fromByteOffset: start, as: UInt64.self)
                return count - start >= 8 ? word : word & ((1 << UInt64((count - start) << 3)) &- 1)
            }
            var word: UInt64 = 0
            for offset in start..<min(count, start + 8) {
                let byte = unsafe base.load(fromByteOffset: offset, as: UInt8.self)
                word |= UInt64(byte) << UInt64((offset - start) << 3)
            }
            return word
        }
        return (word(0), word(8), word(16), word(24))
    }

    /// The key as text.
    package var string: String {
        if let long { return String(decoding: long, as: UTF8.self) }
        return unsafe withUnsafeBytes(of: words) { unsafe String(decoding: $0.prefix(count), as: UTF8.self) }
    }

    /// Whether the key is exactly `literal`.
    package func isEqual(to literal: StaticString) -> Bool {
        guard literal.utf8CodeUnitCount == count else { return false }
        let other = unsafe UnsafeRawBufferPointer(start: literal.utf8Start, count: count)
        if let long { return unsafe long.elementsEqual(other) }
        return unsafe JSONKey.pack(other, available: count) == words
    }

    /// Lets `switch` compare keys with literals.
    package static func ~= (literal: StaticString, key: JSONKey) -> Bool { key.isEqual(to: literal) }
}
