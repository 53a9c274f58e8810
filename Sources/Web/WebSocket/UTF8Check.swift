// Is it UTF-8? In one go for JSON and header text, or byte by byte as WebSocket frames arrive (RFC 6455 section 8.1).
// Follows RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.

/// Checks UTF-8 that arrives in pieces and refuses at the first byte that no valid text can contain there.
package struct UTF8Check: Sendable {
    /// Continuation bytes that the started character still needs.
    private var needed: UInt8 = 0
    /// Bounds of the next continuation byte.
    private var low: UInt8 = 0x80
    private var high: UInt8 = 0xBF

    package init() {}

    /// Whether the text may end here: no character is half received.
    package var isComplete: Bool { needed == 0 }

    /// Takes the next bytes.
    ///
    /// - Returns: false at the first byte that makes the text invalid; the value must not be used afterwards.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let base = bytes.baseAddress else { return true }
        var index = 0
        let count = bytes.count
        while index < count {
            if needed == 0 {
                // Text of agents is mostly ASCII: eight bytes at a time.
                while index + 8 <= count {
                    let word = unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    guard word & 0x8080_8080_8080_8080 == 0 else { break }
                    index += 8
                }
                guard index < count else { return true }
                let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
                index += 1
                if byte < 0x80 { continue }
                guard start(byte) else { return false }
            } else {
                let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
                index += 1
                guard byte >= low, byte <= high else { return false }
                needed -= 1
                low = 0x80
                high = 0xBF
            }
        }
        return true
    }

    /// Whether `bytes` as a whole are UTF-8.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var check = UTF8Check()
        return unsafe check.append(bytes) && check.isComplete
    }

    /// Whether `bytes` as a whole are UTF-8.
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        unsafe bytes.withUnsafeBytes { unsafe isValid($0) }
    }

    /// Notes the first byte of a character of more than one byte.
    private mutating func start(_ byte: UInt8) -> Bool {
        switch byte {
        case 0xC2...0xDF: needed = 1
        case 0xE0: (needed, low) = (2, 0xA0)
        case 0xED: (needed, high) = (2, 0x9F)
        case 0xE1...0xEF: needed = 2
        case 0xF0: (needed, low) = (3, 0x90)
        case 0xF1...0xF3: needed = 3
        case 0xF4: (needed, high) = (3, 0x8F)
        default: return false
        }
        return true
    }
}
