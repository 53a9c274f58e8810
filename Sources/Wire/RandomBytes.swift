// Secrets, from the system's generator and nowhere else.
import Glibc

package enum RandomBytes {
    /// Bytes fit for keys and tokens.
    package static func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            var done = 0
            while done < count {
                // getentropy gives at most 256 bytes a call; it fails only when that is exceeded.
                let part = min(256, count - done)
                let result = unsafe getentropy(buffer.baseAddress.map { unsafe $0 + done }, part)
                precondition(result == 0, "the system gives no random bytes: \(Errno.current)")
                done += part
            }
            initialized = count
        }
    }

    /// A secret for URLs and cookies: `bytes` random bytes in URL base64.
    package static func urlToken(bytes count: Int) -> String { Base64.encodeURL(bytes(count)) }

    /// `count` letters and digits, each as likely as any other.
    package static func alphanumeric(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)
        var text: [UInt8] = []
        while text.count < count {
            // 248 = 4 × 62: what lies above is thrown away, or the first letters would come more often.
            for byte in bytes(count - text.count + 8) where byte < 248 && text.count < count {
                text.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// A random UUID in lower case (RFC 9562, version 4).
    package static func uuid() -> String {
        var id = bytes(16)
        id[6] = id[6] & 0x0F | 0x40
        id[8] = id[8] & 0x3F | 0x80
        var text = Array(Digest.hex(id).utf8)
        for place in [20, 16, 12, 8] { text.insert(UInt8(ascii: "-"), at: place) }
        return String(decoding: text, as: UTF8.self)
    }
}
