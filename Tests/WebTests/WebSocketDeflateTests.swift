// permessage-deflate (RFC 7692): its examples, both take-over settings, windows, bounds, prepared messages, the agreement.

import Testing
import Web

@Suite("WebSocket compression")
struct WebSocketDeflateTests {
    static let text = Array(String(repeating: "The loop reads once and writes once. ", count: 40).utf8)

    @Test(
        "the examples of RFC 7692 section 7.2.3 are inflated",
        arguments: [
            "c1 87 00000000 f248cdc9c90700",  // one frame
            "41 83 00000000 f248cd 80 84 00000000 c9c90700",  // two fragments
            "c1 8b 00000000 000500faff48656c6c6f00",  // no compression
            "c1 88 00000000 f348cdc9c9070000",  // BFINAL
            "c1 8d 00000000 f24805000000ffffcac9c90700",  // two blocks
        ]
    )
    func examples(frames: String) {
        let answer = read([hex(frames)], with: server(deflate: DeflateParameters()))
        #expect(answer.events == [.text(Array("Hello".utf8))])
        #expect(answer.failure == nil)
    }

    @Test func `the second message of section 7_2_3_2 needs the memory of the first`() {
        let frames = hex("c1 87 00000000 f248cdc9c90700 c1 85 00000000 f200110000")
        let hello = WebSocketEvent.text(Array("Hello".utf8))
        #expect(read([frames], with: server(deflate: DeflateParameters())).events == [hello, hello])
        var forgetful = DeflateParameters()
        forgetful.clientNoContextTakeover = true
        #expect(read([frames], with: server(deflate: forgetful)).failure == 1007)
    }

    @Test("messages come back under every agreement", arguments: [false, true], [9, 10, 12, 15])
    func roundTrip(forgets: Bool, bits: Int) {
        var parameters = DeflateParameters()
        parameters.serverNoContextTakeover = forgets
        parameters.clientNoContextTakeover = forgets
        parameters.serverMaxWindowBits = bits
        parameters.clientMaxWindowBits = bits
        var random = SplitMix(state: UInt64(bits))
        var (fromServer, fromClient): ([UInt8], [UInt8]) = ([], [])
        var expected: [WebSocketEvent] = []
        var left = server(deflate: parameters)
        var right = client(deflate: parameters)
        for number in 0..<30 {
            // Short, repetitive, incompressible and long messages in turn.
            let message: [UInt8] =
                switch number % 4 {
                case 0: Array("short \(number)".utf8)
                case 1: WebSocketDeflateTests.text + Array("\(number)".utf8)
                case 2: (0..<5_000).map { _ in UInt8.random(in: 0...255, using: &random) }
                default: (0..<60_000).map { UInt8(truncatingIfNeeded: $0 / 7 * number) }
                }
            expected.append(.binary(message))
            left.append(binary: message, to: &fromServer)
            right.append(binary: message, to: &fromClient)
            if number == 11 {
                left.releaseDeflater()
                right.releaseDeflater()
            }
        }
        #expect(fromServer.count < 30 * 20_000)
        #expect(read([fromServer], with: client(deflate: parameters)).events == expected)
        #expect(read([fromClient], with: server(deflate: parameters)).events == expected)
    }

    @Test func `take-over makes the second of two equal messages tiny`() {
        var engine = server(deflate: DeflateParameters())
        var first: [UInt8] = []
        var second: [UInt8] = []
        var random = SplitMix(state: 3)
        let message = (0..<900).map { _ in UInt8.random(in: 0x61...0x7A, using: &random) }
        engine.append(text: message, to: &first)
        engine.append(text: message, to: &second)
        #expect(second.count < 40)
        #expect(second.count * 10 < first.count)
    }

    @Test func `short messages stay plain`() {
        var engine = server(deflate: DeflateParameters())
        var output: [UInt8] = []
        engine.append(text: [UInt8](repeating: 65, count: WebSocketLimits.deflateFrom - 1), to: &output)
        #expect(output[0] == 0x81)
        output = []
        engine.append(text: [UInt8](repeating: 65, count: WebSocketLimits.deflateFrom), to: &output)
        #expect(output[0] == 0xC1)
    }

    @Test func `a message is measured by its inflated size`() {
        let limits = WebSocketLimits(message: 100_000)
        var sender = client(deflate: DeflateParameters())
        var bytes: [UInt8] = []
        let most = [UInt8](repeating: 65, count: 100_000)
        sender.append(binary: most, to: &bytes)
        #expect(bytes.count < 2_000)
        #expect(read([bytes], with: server(limits, deflate: DeflateParameters())).events == [.binary(most)])
        bytes = []
        var other = client(deflate: DeflateParameters())
        other.append(binary: most + [65], to: &bytes)
        #expect(read([bytes], with: server(limits, deflate: DeflateParameters())).failure == 1009)
    }

    @Test func `broken compressed data and broken text inside it fail with 1007`() {
        let parameters = DeflateParameters()
        #expect(read([frame(0xC1, [0xFF, 0xFF, 0xFF])], with: server(deflate: parameters)).failure == 1007)
        var sender = client(deflate: parameters)
        var bytes: [UInt8] = []
        sender.append(text: [UInt8](repeating: 65, count: 300) + [0xFF], to: &bytes)
        #expect(read([bytes], with: server(deflate: parameters)).failure == 1007)
    }

    @Test func `of several faults the first one counts, however the bytes arrive`() {
        // Found by fuzzing: broken text, and broken compressed data behind it.
        var sender = client(deflate: DeflateParameters())
        var bytes: [UInt8] = []
        sender.append(
            text: [UInt8](repeating: 65, count: 300) + [0xFF] + [UInt8](repeating: 66, count: 300),
            to: &bytes
        )
        let broken =
            bytes.dropFirst(6).enumerated().map { $1 ^ [0x37, 0xFA, 0x21, 0x3D][$0 & 3] } + [0xFF, 0xFF, 0xFF]
        let frames = frame(0xC1, broken)
        for size in [1, 2, 7, frames.count] {
            var engine = server(deflate: DeflateParameters())
            var failure: WebSocketFailure?
            for start in stride(from: 0, to: frames.count, by: size) where failure == nil {
                let piece = Array(frames[start..<min(frames.count, start + size)])
                do throws(WebSocketFailure) {
                    var offset = 0
                    try unsafe piece.withUnsafeBufferPointer { (buffer) throws(WebSocketFailure) in
                        _ = try unsafe engine.next(in: UnsafeRawBufferPointer(buffer), from: &offset)
                    }
                } catch {
                    failure = error
                }
            }
            #expect(failure?.reason == "text is not UTF-8")
        }
    }

    @Test func `the compression bit is refused without an agreement and outside first frames`() {
        let compressed = hex("c1 87 00000000 f248cdc9c90700")
        #expect(read([compressed], with: server()).failure == 1002)
        for first in [0xC0, 0x40, 0xC9, 0xC8] as [UInt8] {
            let frames = frame(0x01, []) + frame(first, [])
            #expect(read([frames], with: server(deflate: DeflateParameters())).failure == 1002)
        }
    }

    @Test func `a prepared message is encoded once and mixes with own messages`() throws {
        let prepared = PreparedMessage(text: WebSocketDeflateTests.text)
        #expect(prepared.compressed.count * 5 < prepared.plain.count)
        let parameters = DeflateParameters()
        var engine = server(deflate: parameters)
        var bytes: [UInt8] = []
        var expected: [WebSocketEvent] = []
        for number in 0..<6 {
            let own = WebSocketDeflateTests.text + Array("\(number)".utf8)
            engine.append(text: own, to: &bytes)
            let shared = engine.frame(of: prepared)
            bytes += try #require(shared)
            expected += [.text(own), .text(prepared.text)]
        }
        #expect(read([bytes], with: client(deflate: parameters)).events == expected)
    }

    @Test func `a prepared message suits every connection`() throws {
        let prepared = PreparedMessage(text: WebSocketDeflateTests.text)
        var plain = server()
        let withoutDeflate = plain.frame(of: prepared)
        #expect(withoutDeflate == prepared.plain)
        var narrow = DeflateParameters()
        narrow.serverMaxWindowBits = 9
        var narrowEngine = server(deflate: narrow)
        let throughNarrow = narrowEngine.frame(of: prepared)
        #expect(throughNarrow == prepared.plain)
        var sender = client(deflate: DeflateParameters())
        let masked = sender.frame(of: prepared)
        #expect(
            read([try #require(masked)], with: server(deflate: DeflateParameters())).events == [.text(prepared.text)]
        )
        let short = PreparedMessage(text: [65])
        #expect(short.compressed == short.plain)
    }

    @Test(
        "the server's answer to an offer",
        arguments: [
            (nil, .contextTakeover, nil),
            ("permessage-deflate", .off, nil),
            ("permessage-deflate", .contextTakeover, "permessage-deflate"),
            (
                "permessage-deflate; client_max_window_bits", .contextTakeover,
                "permessage-deflate; client_max_window_bits=12"
            ),
            (
                "permessage-deflate; server_max_window_bits=10; client_max_window_bits=9", .contextTakeover,
                "permessage-deflate; server_max_window_bits=10; client_max_window_bits=9"
            ),
            (
                "permessage-deflate;server_max_window_bits=\"15\"", .contextTakeover,
                "permessage-deflate; server_max_window_bits=12"
            ),
            (
                "permessage-deflate", .noContextTakeover,
                "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
            ),
            (
                "permessage-deflate; server_no_context_takeover", .contextTakeover,
                "permessage-deflate; server_no_context_takeover"
            ),
            (
                "x-webkit-deflate-frame, permessage-deflate; mystery, permessage-deflate", .contextTakeover,
                "permessage-deflate"
            ),
            ("permessage-deflate; server_max_window_bits=8", .contextTakeover, nil),
            (
                "permessage-deflate; server_max_window_bits=8, permessage-deflate", .contextTakeover,
                "permessage-deflate"
            ),
            ("permessage-deflate; server_max_window_bits", .contextTakeover, nil),
            ("permessage-deflate; server_max_window_bits=08", .contextTakeover, nil),
            ("permessage-deflate; client_max_window_bits=16", .contextTakeover, nil),
            ("permessage-deflate; server_no_context_takeover; server_no_context_takeover", .contextTakeover, nil),
            ("permessage-deflate; server_no_context_takeover=1", .contextTakeover, nil),
            ("permessage-bzip2", .contextTakeover, nil), ("", .contextTakeover, nil), (" , ,", .contextTakeover, nil),
        ] as [(String?, WebSocketDeflate, String?)]
    )
    func answers(offers: String?, mode: WebSocketDeflate, expected: String?) throws {
        #expect(try WebSocketExtensions.accept(offers: offers, mode: mode)?.answer == expected)
    }

    @Test(
        "offers outside the grammar are errors",
        arguments: [
            "permessage-deflate;", "permessage-deflate; a=", "a b", "=", ";a", "a; b=\"c", "a; b=\"\"", "a; b=\"c d\"",
            "a\u{0}",
        ]
    )
    func malformed(offers: String) {
        #expect(throws: WebSocketExtensionError.malformed) {
            try WebSocketExtensions.accept(offers: offers, mode: .contextTakeover)
        }
    }

    @Test func `our own offers are accepted by our own server with the same result on both ends`() throws {
        for mode in [WebSocketDeflate.contextTakeover, .noContextTakeover] {
            for serverMode in [WebSocketDeflate.contextTakeover, .noContextTakeover] {
                let offer = try #require(WebSocketExtensions.offer(mode: mode))
                let accepted = try #require(try WebSocketExtensions.accept(offers: offer, mode: serverMode))
                #expect(try WebSocketExtensions.agreed(answer: accepted.answer, mode: mode) == accepted.parameters)
            }
        }
        #expect(WebSocketExtensions.offer(mode: .off) == nil)
        #expect(try WebSocketExtensions.agreed(answer: nil, mode: .contextTakeover) == nil)
    }

    @Test(
        "a client refuses an answer that its offer does not allow",
        arguments: [
            "", "permessage-bzip2", "permessage-deflate, permessage-deflate", "permessage-deflate; mystery",
            "permessage-deflate; client_max_window_bits", "permessage-deflate; server_max_window_bits=7",
            "permessage-deflate; server_max_window_bits=10; server_max_window_bits=10",
        ]
    )
    func refusesAnswer(answer: String) {
        #expect(throws: WebSocketExtensionError.notOffered) {
            try WebSocketExtensions.agreed(answer: answer, mode: .contextTakeover)
        }
        #expect(throws: WebSocketExtensionError.notOffered) {
            try WebSocketExtensions.agreed(answer: "permessage-deflate", mode: .off)
        }
    }
}
