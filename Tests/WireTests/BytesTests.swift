import Testing
import Wire

@Suite("Digests, base64, secrets", .timeLimit(.minutes(1)))
struct BytesTests {
    @Test(
        "SHA-256 and SHA-1 give the published digests",
        arguments: [
            (
                "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "da39a3ee5e6b4b0d3255bfef95601890afd80709"
            ),
            (
                "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "a9993e364706816aba3e25717850c26c9cd0d89d"
            ),
        ]
    )
    func digests(text: String, sha256: String, sha1: String) {
        #expect(Digest.hex(Digest.sha256(Array(text.utf8))) == sha256)
        #expect(Digest.hex(Digest.sha1(Array(text.utf8))) == sha1)
    }

    @Test func `pieces give the digest of the whole`() {
        var digest = SHA256()
        for piece in ["a", "", "bc"] { digest.update(Array(piece.utf8)) }
        #expect(digest.finish() == Digest.sha256(Array("abc".utf8)))
    }

    // RFC 4231, cases 1, 2 and 6.
    @Test(
        "HMAC-SHA-256 gives the published codes",
        arguments: [
            (
                [UInt8](repeating: 0x0B, count: 20), "Hi There",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
            ),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
            ),
            (
                [UInt8](repeating: 0xAA, count: 131), "Test Using Larger Than Block-Size Key - Hash Key First",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"
            ),
        ]
    )
    func hmac(key: [UInt8], message: String, code: String) {
        #expect(Digest.hex(Digest.hmacSHA256(key: key, message: Array(message.utf8))) == code)
    }

    // RFC 4648 §10.
    @Test(
        "base64 goes both ways",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ]
    )
    func base64(plain: String, coded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == coded)
        #expect(Base64.decode(coded) == Array(plain.utf8))
        let bare = coded.filter { $0 != "=" }
        #expect(Base64.encodeURL(Array(plain.utf8)) == bare)
        #expect(Base64.decodeURL(bare) == Array(plain.utf8))
    }

    @Test(
        "base64 refuses what it would not write",
        arguments: ["Zg", "Zg=", "Zh==", "Z===", "====", "Zm9v\n", "Zm9_", "Z g=", "Zm=v"]
    )
    func base64Refuses(text: String) { #expect(Base64.decode(text) == nil) }

    @Test func `the URL alphabet has no plus, slash or padding`() {
        #expect(Base64.encodeURL([0xFB, 0xFF]) == "-_8")
        #expect(Base64.decodeURL("-_8") == [0xFB, 0xFF])
        #expect(Base64.decodeURL("+/8") == nil)
        #expect(Base64.decodeURL("-_8=") == nil)
    }

    @Test func `hexadecimal goes both ways`() {
        #expect(Digest.bytes(hex: "00fFa0") == [0, 255, 160])
        #expect(Digest.bytes(hex: "0") == nil)
        #expect(Digest.bytes(hex: "0g") == nil)
    }

    @Test func `random texts have their length and alphabet, and differ`() {
        #expect(RandomBytes.bytes(1_000).count == 1_000)
        #expect(
            RandomBytes.alphanumeric(64).utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
            }
        )
        #expect(RandomBytes.alphanumeric(64).count == 64)
        let id = RandomBytes.uuid()
        #expect(id.count == 36 && Array(id)[14] == "4" && "89ab".contains(Array(id)[19]))
        #expect(id != RandomBytes.uuid())
    }

    @Test func `a sealed secret opens with its key only, and only unchanged`() throws {
        let key = SealKey()
        let sealed = key.seal(Array("a secret".utf8))
        #expect(try key.open(sealed) == Array("a secret".utf8))
        #expect(try key.open(key.seal([])) == [])
        #expect(throws: SealError.notOurs) { try SealKey().open(sealed) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: SealError.notOurs) { try key.open(changed) }
        }
        #expect(throws: SealError.notOurs) { try key.open([]) }
        #expect(sealed != key.seal(Array("a secret".utf8)))
    }

    @Test func `constant-time comparison compares`() {
        #expect(constantTimeEqual([1, 2], [1, 2]))
        #expect(!constantTimeEqual([1, 2], [1, 3]))
        #expect(!constantTimeEqual([1, 2], [1]))
    }
}
