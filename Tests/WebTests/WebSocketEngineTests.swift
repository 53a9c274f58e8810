// RFC 6455 without a socket: the RFC's own frames, every limit at the limit and one beyond, hostile frames, any split.

import Testing
import Web

/// Bytes from hexadecimal digits; spaces are ignored.
func hex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }.map { UInt8($0.hexDigitValue ?? 0) }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}

/// What an engine makes of `pieces`: its events, and the code of its failure.
func read(_ pieces: [[UInt8]], with engine: consuming WebSocketEngine) -> (events: [WebSocketEvent], failure: UInt16?) {
    var engine = engine
    var events: [WebSocketEvent] = []
    for piece in pieces {
        do throws(WebSocketFailure) {
            try unsafe piece.withUnsafeBufferPointer { (buffer) throws(WebSocketFailure) in
                var offset = 0
                while let event = try unsafe engine.next(in: UnsafeRawBufferPointer(buffer), from: &offset) {
                    events.append(event)
                }
                #expect(offset == buffer.count)
            }
        } catch {
            return (events, error.code)
        }
    }
    return (events, nil)
}

func server(_ limits: WebSocketLimits = WebSocketLimits(), deflate: DeflateParameters? = nil) -> WebSocketEngine {
    WebSocketEngine(role: .server, limits: limits, deflate: deflate)
}

func client(deflate: DeflateParameters? = nil) -> WebSocketEngine {
    WebSocketEngine(role: .client, deflate: deflate, makeMask: { 0x3D21_FA37 })
}

/// A frame as a client writes it, with any first byte.
func frame(_ first: UInt8, _ payload: [UInt8], mask: [UInt8]? = [0, 0, 0, 0]) -> [UInt8] {
    var bytes = [first]
    let bit: UInt8 = mask == nil ? 0 : 0x80
    switch payload.count {
    case 0...125: bytes.append(bit | UInt8(payload.count))
    case 126...65535: bytes += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: bytes += [bit | 127] + (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xFF) }
    }
    bytes += mask ?? []
    return bytes + payload.enumerated().map { $1 ^ (mask?[$0 & 3] ?? 0) }
}

@Suite("WebSocket engine")
struct WebSocketEngineTests {
    @Test(
        "the frames of RFC 6455 section 5.7 are read",
        arguments: [
            ("81 05 48656c6c6f", false, [.text(Array("Hello".utf8))]),
            ("81 85 37fa213d 7f9f4d5158", true, [.text(Array("Hello".utf8))]),
            ("01 03 48656c 80 02 6c6f", false, [.text(Array("Hello".utf8))]),
            ("89 05 48656c6c6f", false, [.ping(Array("Hello".utf8))]),
            ("8a 85 37fa213d 7f9f4d5158", true, [.pong(Array("Hello".utf8))]),
        ] as [(String, Bool, [WebSocketEvent])]
    )
    func readsVectors(frames: String, isFromClient: Bool, expected: [WebSocketEvent]) {
        let answer = isFromClient ? read([hex(frames)], with: server()) : read([hex(frames)], with: client())
        #expect(answer.events == expected)
        #expect(answer.failure == nil)
    }

    @Test func `the frames of RFC 6455 section 5_7 are written`() {
        var output: [UInt8] = []
        var engine = client()
        engine.append(text: Array("Hello".utf8), to: &output)
        #expect(output == hex("81 85 37fa213d 7f9f4d5158"))
        output = []
        var other = server()
        other.append(text: Array("Hello".utf8), to: &output)
        other.append(binary: [UInt8](repeating: 7, count: 256), to: &output)
        #expect(output.prefix(7) == hex("81 05 48656c6c6f")[...])
        #expect(output[7..<11] == hex("82 7E 0100")[...])
        output = []
        other.append(binary: [UInt8](repeating: 7, count: 65536), to: &output)
        #expect(output.prefix(10) == hex("82 7F 0000000000010000")[...])
    }

    @Test("every length and mask comes back", arguments: [0, 1, 7, 8, 9, 125, 126, 127, 65535, 65536, 100_003])
    func lengths(count: Int) {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for mask in [[0x12, 0x34, 0x56, 0x78], [0, 0, 0, 0], [0xFF, 0, 0xFF, 1]] as [[UInt8]] {
            #expect(read([frame(0x82, message, mask: mask)], with: server()).events == [.binary(message)])
        }
        var bytes: [UInt8] = []
        var sender = client()
        sender.append(binary: message, to: &bytes)
        #expect(read([bytes], with: server()).events == [.binary(message)])
    }

    @Test(
        "broken frames fail with 1002 after the messages that came before them",
        arguments: [
            "91 80 00000000", "a1 80 00000000", "c1 80 00000000",  // reserved bits
            "83 80 00000000", "8b 80 00000000", "8f 80 00000000",  // reserved opcodes
            "81 05 48656c6c6f",  // not masked
            "09 80 00000000", "08 80 00000000",  // fragmented control frames
            "89 fe 007e 00000000", "88 ff 0000000000000080",  // long control frames
            "80 80 00000000", "00 80 00000000",  // continuation of nothing
            "01 80 00000000 81 80 00000000", "01 80 00000000 02 80 00000000",  // message in a message
            "81 fe 007d 00000000", "81 ff 000000000000ffff", "81 ff 8000000000000000",  // lengths
            "88 81 00000000 03", "88 82 00000000 03e7", "88 82 00000000 03ed", "88 82 00000000 03ee",
            "88 82 00000000 03f7", "88 82 00000000 03f8", "88 82 00000000 07d0", "88 82 00000000 0bb7",
            "88 82 00000000 1388", "88 82 00000000 0000", "88 82 00000000 ffff",  // close codes
        ]
    )
    func refuses(frames: String) {
        let answer = read([frame(0x81, Array("before".utf8)) + hex(frames)], with: server())
        #expect(answer.events == [.text(Array("before".utf8))])
        #expect(answer.failure == 1002)
    }

    @Test func `a client refuses a masked frame`() {
        #expect(read([frame(0x81, [65])], with: client()).failure == 1002)
    }

    @Test(
        "close frames that are allowed are handed out, and what follows is ignored",
        arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
            as [UInt16]
    )
    func closes(code: UInt16) {
        let payload = [UInt8(code >> 8), UInt8(code & 0xFF)] + Array("bye é".utf8)
        let answer = read([frame(0x88, payload) + [0xFF, 0xFF, 0xFF]], with: server())
        #expect(answer.events == [.close(code: code, reason: "bye é")])
        #expect(answer.failure == nil)
    }

    @Test func `a close frame without a code and one with a broken reason`() {
        #expect(read([frame(0x88, [])], with: server()).events == [.close(code: 1005, reason: "")])
        #expect(read([frame(0x88, [0x03, 0xE8, 0xC3])], with: server()).failure == 1007)
    }

    @Test func `text that is not UTF-8 fails in the frame and at the byte that breaks it`() {
        // Autobahn 6.4: the message is never finished, so only an early check can find it.
        let bad = Array("κόσμε".utf8) + [0xF4, 0x90]
        #expect(read([frame(0x01, bad)], with: server()).failure == 1007)
        let start = frame(0x81, bad + [0x80, 0x80])
        #expect(read([Array(start.dropLast(2))], with: server()).failure == 1007)
        #expect(read([Array(start.dropLast(3))], with: server()).failure == nil)
        // A character that is cut by the end of the message.
        #expect(read([frame(0x81, [0xE2, 0x82])], with: server()).failure == 1007)
        // A character that is cut by a fragment is whole in the end.
        #expect(
            read([frame(0x01, [0xE2, 0x82]), frame(0x80, [0xAC])], with: server()).events == [.text(Array("€".utf8))]
        )
        // Binary messages are not looked at.
        #expect(read([frame(0x82, [0xFF])], with: server()).events == [.binary([0xFF])])
    }

    @Test func `control frames may come between fragments`() {
        let frames =
            frame(0x01, Array("a".utf8)) + frame(0x89, [1]) + frame(0x00, Array("b".utf8)) + frame(0x8A, [])
            + frame(0x80, Array("c".utf8))
        #expect(read([frames], with: server()).events == [.ping([1]), .pong([]), .text(Array("abc".utf8))])
    }

    @Test func `R21: a message of the limit passes, one byte more fails with 1009 before it is received`() {
        let limits = WebSocketLimits(message: 1000)
        let message = [UInt8](repeating: 65, count: 1000)
        #expect(read([frame(0x82, message)], with: server(limits)).events == [.binary(message)])
        let head = Array(frame(0x82, message + [66]).prefix(4))
        #expect(read([head], with: server(limits)).failure == 1009)
        let fragments =
            frame(0x02, Array(message.prefix(600))) + Array(frame(0x80, [UInt8](repeating: 1, count: 401)).prefix(4))
        #expect(read([fragments], with: server(limits)).failure == 1009)
        #expect(read([hex("82 ff 7fffffffffffffff")], with: server()).failure == 1009)
    }

    @Test func `a message of too many fragments fails with 1009`() {
        let limits = WebSocketLimits(message: 1000, fragments: 3)
        let three = frame(0x02, [1]) + frame(0x00, []) + frame(0x80, [2])
        #expect(read([three + three], with: server(limits)).events == [.binary([1, 2]), .binary([1, 2])])
        let four = frame(0x02, [1]) + frame(0x00, []) + frame(0x00, []) + frame(0x80, [2])
        #expect(read([four], with: server(limits)).failure == 1009)
    }

    @Test func `a message of one-byte fragments is taken in linear time`() {
        let count = 200_000
        var bytes = frame(0x02, [0])
        for _ in 0..<count { bytes += [0x00, 0x81, 0, 0, 0, 0, 7] }
        bytes += frame(0x80, [])
        let answer = read(bytes.map { [$0] }, with: server())
        #expect(answer.events == [.binary([0] + [UInt8](repeating: 7, count: count))])
    }

    @Test func `nothing is sent after a close frame`() {
        var engine = server()
        var output: [UInt8] = []
        let isClosed = engine.appendClose(1000, "done", to: &output)
        #expect(isClosed)
        #expect(output == [0x88, 6, 0x03, 0xE8] + Array("done".utf8))
        let hasSentClose = engine.hasSentClose
        #expect(hasSentClose)
        let answers = [
            engine.append(text: [65], to: &output), engine.append(binary: [65], to: &output),
            engine.appendPing(to: &output), engine.appendPong([1], to: &output), engine.appendClose(1000, to: &output),
        ]
        #expect(answers == [false, false, false, false, false])
        let prepared = engine.frame(of: PreparedMessage(text: [65]))
        #expect(prepared == nil)
        #expect(output.count == 8)
    }

    @Test func `a close reason is cut to whole characters and codes that are never sent are left out`() {
        var output: [UInt8] = []
        var engine = server()
        engine.appendClose(1011, String(repeating: "é", count: 100), to: &output)
        #expect(output.prefix(4) == [0x88, 124, 0x03, 0xF3])
        #expect(
            read([output], with: client()).events == [.close(code: 1011, reason: String(repeating: "é", count: 61))]
        )
        output = []
        var other = server()
        other.appendClose(1006, "x", to: &output)
        #expect(output == [0x88, 0])
    }

    @Test("any split of the bytes gives the same events", arguments: 1...40)
    func splits(seed: UInt64) {
        var random = SplitMix(state: seed)
        let deflate = [nil, DeflateParameters()][Int(seed % 2)]
        var sender = client(deflate: deflate)
        var bytes: [UInt8] = []
        for _ in 0..<Int.random(in: 1...12, using: &random) {
            let text = String(
                (0..<Int.random(in: 0...700, using: &random)).map { _ in
                    "aé€😀 bc"["aé€😀 bc".indices.randomElement(using: &random) ?? "".startIndex]
                }
            )
            switch Int.random(in: 0...4, using: &random) {
            case 0: sender.append(binary: Array(text.utf8), to: &bytes)
            case 1: sender.appendPing(Array(text.utf8.prefix(125)), to: &bytes)
            case 2:
                bytes +=
                    frame(0x01, Array(text.utf8)) + frame(0x89, [9])
                    + frame(0x80, Array(text.utf8), mask: [1, 2, 3, 4])
            default: sender.append(text: Array(text.utf8), to: &bytes)
            }
        }
        // One in four ends with something broken.
        switch Int.random(in: 0...7, using: &random) {
        case 0: bytes += frame(0x81, [0x41, 0xFF, 0x42])
        case 1: bytes += frame(0x83, [1])
        case 2: sender.appendClose(1000, "x", to: &bytes)
        default: break
        }
        let whole = read([bytes], with: server(deflate: deflate))
        #expect(read(bytes.map { [$0] }, with: server(deflate: deflate)) == whole)
        for _ in 0..<5 {
            var pieces: [[UInt8]] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let size = min(rest.count, Int.random(in: 0...300, using: &random))
                pieces.append(Array(rest.prefix(size)))
                rest = rest.dropFirst(size)
            }
            #expect(read(pieces, with: server(deflate: deflate)) == whole)
        }
    }

    @Test func `the key of RFC 6455 section 1_3 makes its challenge`() {
        let challenge = WebSocketHandshake.challenge(key: "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(
            String(decoding: challenge, as: UTF8.self) == "dGhlIHNhbXBsZSBub25jZQ==258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        )
        #expect(WebSocketHandshake.isKey("dGhlIHNhbXBsZSBub25jZQ=="))
        for key in [
            "", "dGhlIHNhbXBsZSBub25jZQ=", "dGhlIHNhbXBsZSBub25jZQ===", "dGhlIHNhbXBsZSBub25j ZQ==",
            "dGhlIHNhbXBsZSBub25jZQAA",
        ] {
            #expect(!WebSocketHandshake.isKey(key))
        }
    }
}

/// A generator with a seed, so that a failure can be seen again.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
