// Hashes, by OpenSSL. Everything here takes and gives whole byte arrays, except `SHA256`, which is fed piece by piece.
import COpenSSL

/// Hash functions of bytes.
package enum Digest {
    /// 32 bytes (FIPS 180-4).
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = SHA256()
        digest.update(bytes)
        return digest.finish()
    }

    /// 20 bytes. For the WebSocket handshake only (RFC 6455 §1.3): it protects nothing.
    package static func sha1(_ bytes: [UInt8]) -> [UInt8] {
        var digest = unsafe RunningDigest(algorithm: unsafe EVP_sha1(), length: 20)
        digest.update(bytes)
        return digest.finish()
    }

    /// 32 bytes (RFC 2104).
    package static func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
        let blockSize = 64
        var padded = key.count > blockSize ? sha256(key) : key
        padded += [UInt8](repeating: 0, count: blockSize - padded.count)
        let inner = sha256(padded.map { $0 ^ 0x36 } + message)
        return sha256(padded.map { $0 ^ 0x5C } + inner)
    }

    /// Two lower-case hexadecimal digits a byte.
    package static func hex(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return unsafe String(unsafeUninitializedCapacity: bytes.count * 2) { output in
            var index = 0
            for byte in bytes {
                unsafe output[index] = digits[Int(byte >> 4)]
                unsafe output[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    /// The bytes of an even number of hexadecimal digits of either case; nil for anything else.
    package static func bytes(hex text: String) -> [UInt8]? {
        let digits = Array(text.utf8)
        guard digits.count.isMultiple(of: 2) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x41 + 10
        case 0x61...0x66: digit - 0x61 + 10
        default: nil
        }
    }
}

/// SHA-256 of bytes that come in pieces.
package struct SHA256: ~Copyable {
    private var digest = unsafe RunningDigest(algorithm: unsafe EVP_sha256(), length: 32)

    package init() {}
    package mutating func update(_ bytes: [UInt8]) { digest.update(bytes) }
    package mutating func update(_ bytes: UnsafeRawBufferPointer) { unsafe digest.update(bytes) }
    /// 32 bytes. Call it once.
    package mutating func finish() -> [UInt8] { digest.finish() }
}

/// An OpenSSL digest under way.
@safe struct RunningDigest: ~Copyable {
    private let context: OpaquePointer
    private let length: Int

    init(algorithm: OpaquePointer?, length: Int) {
        guard let context = unsafe EVP_MD_CTX_new() else { fatalError("out of memory") }
        unsafe self.context = context
        self.length = length
        unsafe EVP_DigestInit_ex(context, algorithm, nil)
    }

    mutating func update(_ bytes: [UInt8]) { unsafe bytes.withUnsafeBytes { unsafe update($0) } }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    mutating func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
            unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            count = length
        }
    }

    deinit { unsafe EVP_MD_CTX_free(context) }
}

/// Whether two secrets are equal, in a time that tells nothing but their lengths.
package func constantTimeEqual(_ a: [UInt8], _ b: [UInt8]) -> Bool {
    guard a.count == b.count else { return false }
    var difference: UInt8 = 0
    for index in a.indices { difference |= a[index] ^ b[index] }
    return difference == 0
}
