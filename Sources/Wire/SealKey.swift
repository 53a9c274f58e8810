// Secrets at rest: AES-256-GCM with a key that the caller keeps in a file of mode 0600 (DESIGN.md §7).
import COpenSSL

/// Bytes that were not sealed with this key, or were changed since.
package enum SealError: Error { case notOurs }

/// A 256-bit key that seals byte strings. Sealed form: version 1, nonce (12 bytes), ciphertext, tag (16 bytes).
package struct SealKey: Sendable {
    package static let size = 32
    private static let version: UInt8 = 1
    private static let nonceSize = 12
    private static let tagSize = 16

    /// The key itself, to be written to its file.
    package let bytes: [UInt8]

    /// A new key.
    package init() { bytes = RandomBytes.bytes(Self.size) }

    /// A key read from its file; nil unless it has 32 bytes.
    package init?(bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes
    }

    /// Encrypts and authenticates. Two calls give two results: the nonce is random.
    package func seal(_ plain: [UInt8]) -> [UInt8] {
        var cipher = GCM()
        let nonce = RandomBytes.bytes(Self.nonceSize)
        let (text, tag) = cipher.encrypt(plain, key: bytes, nonce: nonce)
        return [Self.version] + nonce + text + tag
    }

    /// Gives back what was sealed.
    package func open(_ sealed: [UInt8]) throws(SealError) -> [UInt8] {
        let head = 1 + Self.nonceSize
        guard sealed.count >= head + Self.tagSize, sealed[0] == Self.version else { throw .notOurs }
        var cipher = GCM()
        let plain = cipher.decrypt(
            Array(sealed[head..<(sealed.count - Self.tagSize)]),
            tag: Array(sealed.suffix(Self.tagSize)),
            key: bytes,
            nonce: Array(sealed[1..<head])
        )
        guard let plain else { throw .notOurs }
        return plain
    }
}

/// One AES-256-GCM operation of OpenSSL (NIST SP 800-38D).
@safe private struct GCM: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { fatalError("out of memory") }
        unsafe self.context = context
    }

    mutating func encrypt(_ plain: [UInt8], key: [UInt8], nonce: [UInt8]) -> (text: [UInt8], tag: [UInt8]) {
        var text = [UInt8](repeating: 0, count: plain.count)
        var tag = [UInt8](repeating: 0, count: 16)
        var length: Int32 = 0
        let begun = unsafe EVP_EncryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce)
        let done = unsafe EVP_EncryptUpdate(context, &text, &length, plain, Int32(plain.count))
        var rest = [UInt8](repeating: 0, count: 16)
        let ended = unsafe EVP_EncryptFinal_ex(context, &rest, &length)
        let tagged = unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, &tag)
        precondition(begun == 1 && done == 1 && ended == 1 && tagged == 1, "AES-256-GCM failed")
        return (text, tag)
    }

    mutating func decrypt(_ text: [UInt8], tag: [UInt8], key: [UInt8], nonce: [UInt8]) -> [UInt8]? {
        var plain = [UInt8](repeating: 0, count: text.count)
        var tag = tag
        var length: Int32 = 0
        guard unsafe EVP_DecryptInit_ex(context, EVP_aes_256_gcm(), nil, key, nonce) == 1,
            unsafe EVP_DecryptUpdate(context, &plain, &length, text, Int32(text.count)) == 1,
            unsafe EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, &tag) == 1
        else { return nil }
        var rest = [UInt8](repeating: 0, count: 16)
        return unsafe EVP_DecryptFinal_ex(context, &rest, &length) == 1 ? plain : nil
    }

    deinit { unsafe EVP_CIPHER_CTX_free(context) }
}
