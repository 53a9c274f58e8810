import Testing
import Web

/// The request head, in pieces and whole.
@Suite("HTTP request heads", .timeLimit(.minutes(1)))
struct HTTPParsingTests {
    private func parse(_ text: String, limits: HTTPLimits = HTTPLimits()) throws(HTTPRefusal) -> RequestHeadParser? {
        var parser = RequestHeadParser()
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        return try parser.parse(bytes.span, limits: limits) ? parser : nil
    }

    @Test func `a head is complete with its last byte and not before`() throws {
        let text = "POST /a?b=1 HTTP/1.1\r\nHost: h:80\r\nX:\t y \r\nContent-Length: 7\r\nExpect: 100-continue\r\n\r\n"
        for end in 0..<text.utf8.count {
            #expect(try parse(String(decoding: text.utf8.prefix(end), as: UTF8.self)) == nil)
        }
        let parser = try #require(try parse(text + "more"))
        #expect(parser.head.length == text.utf8.count)
        #expect(parser.head.framing == .length(7))
        #expect(parser.head.expectsContinue)
        #expect(parser.head.isPersistent)
        let bytes = Array(text.utf8)
        #expect(parser.head.host.map { Array(bytes[$0]) } == Array("h:80".utf8))
    }

    // RFC 9112 §2, §3, §5.
    @Test(
        "a malformed head is refused",
        arguments: [
            ("GET  / HTTP/1.1\r\n", HTTPRefusal.malformedRequestLine), ("GET / http/1.1\r\n", .malformedRequestLine),
            ("GET /\r\n\r\n", .malformedRequestLine), ("GET / HTTP/1.10\r\nHost: a\r\n\r\n", .malformedRequestLine),
            ("GET / HTTP/2.0\r\n\r\n", .unsupportedVersion), ("G@T / HTTP/1.1\r\n", .malformedRequestLine),
            ("GET / HTTP/1.1\nHost: a\n\n", .malformedRequestLine), ("\u{16}\u{3}\u{1}", .malformedRequestLine),
            ("GET / HTTP/1.1\r\n Host: a\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nHost: a\r\n b\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nA: b\u{0}c\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nA: b\rc\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nA: b\nB: c\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nA: 12345678\u{7F}\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\n: a\r\n\r\n", .malformedField),
            ("GET / HTTP/1.1\r\nA\u{E9}: a\r\n\r\n", .malformedField), ("GET / HTTP/1.1\r\n\r\n", .missingHost),
            ("GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n", .repeatedHost),
            ("GET / HTTP/1.1\r\nHost: a b\r\n\r\n", .malformedHost),
            ("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n", .malformedHost),
            ("GET / HTTP/1.1\r\nHost: a:8x\r\n\r\n", .malformedHost),
            ("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", .malformedHost),
            ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", .malformedHost),
            ("GET / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\n\r\n", .unknownExpectation),
        ]
    )
    func malformed(text: String, refusal: HTTPRefusal) {
        #expect(throws: refusal) { try parse(text) }
    }

    // RFC 9112 §6.3: what two readers could frame differently is no request.
    @Test(
        "ambiguous framing is refused",
        arguments: [
            ("Content-Length: 1\r\nContent-Length: 1", HTTPRefusal.conflictingLength),
            ("Content-Length: 1, 1", .malformedLength),
            ("Content-Length: +1", .malformedLength), ("Content-Length: 0x1", .malformedLength),
            ("Content-Length:", .malformedLength),
            ("Content-Length: 99999999999999999999", .bodyTooLarge),
            ("Content-Length: 1\r\nTransfer-Encoding: chunked", .conflictingLength),
            ("Transfer-Encoding: gzip, chunked", .unsupportedTransferCoding),
            ("Transfer-Encoding: xchunked", .unsupportedTransferCoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .malformedTransferEncoding),
            ("Transfer-Encoding: \u{B}chunked", .malformedField),
            ("Transfer-Encoding: identity", .unsupportedTransferCoding),
        ]
    )
    func ambiguous(fields: String, refusal: HTTPRefusal) {
        #expect(throws: refusal) { try parse("POST / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n\r\n") }
    }

    @Test func `a coding in HTTP 1.0 is refused`() {
        #expect(throws: HTTPRefusal.malformedTransferEncoding) {
            try parse("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n")
        }
    }

    @Test(
        "legal oddities are served",
        arguments: [
            "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.2\r\nhOsT: [::1]:8080\r\n\r\n",
            "GET / HTTP/1.0\r\n\r\n",
            "GET / HTTP/1.1\r\nHost:\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX_!#$%&'*+.^`|~9: \u{E9}\u{FF}\tx\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\n\r\n",
        ]
    )
    func legal(text: String) throws { #expect(try parse(text) != nil) }

    @Test(
        "persistence follows version and options",
        arguments: [
            ("1.1", "", true), ("1.1", "close", false), ("1.1", "x, Close ,y", false), ("1.0", "", false),
            ("1.0", "Keep-Alive", true),
            ("1.0", "keep-alive, close", false),
        ]
    )
    func persistence(version: String, option: String, expected: Bool) throws {
        let parser = try #require(try parse("GET / HTTP/\(version)\r\nHost: a\r\nConnection: \(option)\r\n\r\n"))
        #expect(parser.head.isPersistent == expected)
    }

    @Test func `each limit holds, and its last byte is allowed`() throws {
        var limits = HTTPLimits()
        limits.targetSize = 10
        limits.fieldsSize = 40
        limits.fieldCount = 2
        #expect(try parse("GET /234567890 HTTP/1.0\r\n\r\n", limits: limits) != nil)
        #expect(throws: HTTPRefusal.targetTooLong) { try parse("GET /2345678901 HTTP/1.0\r\n\r\n", limits: limits) }
        #expect(throws: HTTPRefusal.targetTooLong) { try parse("GET /2345678901", limits: limits) }
        let line = "A: " + String(repeating: "x", count: 35) + "\r\n"
        #expect(try parse("GET / HTTP/1.0\r\n\(line)\r\n", limits: limits) != nil)
        #expect(throws: HTTPRefusal.fieldsTooLarge) {
            try parse("GET / HTTP/1.0\r\nA: x\(line.dropFirst(3))\r\n", limits: limits)
        }
        #expect(throws: HTTPRefusal.fieldsTooLarge) {
            try parse("GET / HTTP/1.0\r\nA: " + String(repeating: "x", count: 40), limits: limits)
        }
        #expect(try parse("GET / HTTP/1.0\r\nA: 1\r\nB: 2\r\n\r\n", limits: limits) != nil)
        #expect(throws: HTTPRefusal.fieldsTooLarge) {
            try parse("GET / HTTP/1.0\r\nA: 1\r\nB: 2\r\nC: 3\r\n\r\n", limits: limits)
        }
        #expect(throws: HTTPRefusal.malformedRequestLine) {
            try parse(String(repeating: "A", count: 25), limits: limits)
        }
    }

    @Test(
        "a path is decoded once and has no dots",
        arguments: [
            ("/", "/"), ("/a/b", "/a/b"), ("/a%20b+c", "/a b+c"), ("/a/./b/../c", "/a/c"), ("/a/..", "/"),
            ("/a/.", "/a/"),
            ("/%2e%2e%2fx", nil), ("/..", nil), ("/a/%2E%2E/%2e%2e/x", nil), ("/%252e", "/%2e"), ("/%", nil),
            ("/%zz", nil),
            ("/a%00b", nil), ("/a%0d%0aB:c", nil), ("/%C3%A4", "/ä"), ("/%C3", nil), ("/...", "/..."), ("//a", "//a"),
            ("http://h/x/../y?q", "/y"), ("http://h", "/"), ("http://h?q", "/"), ("http://u@h/", nil),
            ("ftp://h/", nil), ("x", nil), ("/a#b", nil),
        ] as [(String, String?)]
    )
    func paths(target: String, expected: String?) {
        #expect(HTTPRequest.made(.get, target)?.path == expected)
    }

    @Test func `only OPTIONS may ask for an asterisk`() {
        #expect(HTTPRequest.made(.options, "*") != nil)
        #expect(HTTPRequest.made(.get, "*") == nil)
    }

    @Test func `query, form and cookies give decoded first values`() throws {
        let request = try #require(
            HTTPRequest.made(
                .post,
                "/x?a=1&a=2&b=x%20y+z&c&d=%zz",
                fields: [
                    "Host": "h", "Cookie": "one=1; two=a=b;three=\"q\"",
                    "Content-Type": "application/x-www-form-urlencoded; charset=UTF-8",
                ],
                body: Array("name=J%C3%BCrgen&empty=".utf8)
            )
        )
        #expect(request.queryValue("a") == "1")
        #expect(request.queryValue("b") == "x y z")
        #expect(request.queryValue("c") == "")
        #expect(request.queryValue("d") == "%zz")
        #expect(request.queryValue("e") == nil)
        #expect(request.formValue("name") == "Jürgen")
        #expect(request.formValue("empty") == "")
        #expect(request.cookie("one") == "1")
        #expect(request.cookie("two") == "a=b")
        #expect(request.cookie("four") == nil)
        #expect(request.fields["COOKIE"] != nil)
    }
}

@Suite("Chunked bodies", .timeLimit(.minutes(1)))
struct ChunkedBodyTests {
    private func decode(_ text: String, pieces: Int = .max, limit: Int = 100) throws(HTTPRefusal) -> (
        body: String, used: Int, isDone: Bool
    ) {
        var decoder = ChunkedDecoder()
        var body: [UInt8] = []
        let bytes = Array(text.utf8)
        var used = 0
        while used < bytes.count, !decoder.isDone {
            let piece = Array(bytes[used..<min(bytes.count, used + min(pieces, bytes.count))])
            used += try decoder.decode(piece.span, into: &body, limit: limit)
        }
        return (String(decoding: body, as: UTF8.self), used, decoder.isDone)
    }

    @Test("a body reads the same in pieces of any size", arguments: [1, 2, 3, 7, 1_000])
    func pieces(size: Int) throws {
        let text = "5;ext=\"a b\"\r\nhello\r\n00A\r\n, world!!!\r\n0\r\nTrailer: x\r\nOther:\r\n\r\nGET"
        let (body, used, isDone) = try decode(text, pieces: size)
        #expect(body == "hello, world!!!")
        #expect(used == text.utf8.count - 3)
        #expect(isDone)
    }

    // RFC 9112 §7.1.
    @Test(
        "bad framing is refused",
        arguments: [
            ("x\r\n", HTTPRefusal.malformedChunk), ("\r\n", .malformedChunk), (" 5\r\n", .malformedChunk),
            ("5 \r\n", .malformedChunk),
            ("0x5\r\n", .malformedChunk), ("+5\r\n", .malformedChunk), ("5\nhello", .malformedChunk),
            ("5\rxhello", .malformedChunk),
            ("5\r\nhello!\r\n", .malformedChunk), ("5\r\nhello\n0", .malformedChunk), ("5;a\nb\r\n", .malformedChunk),
            ("00000000000000005\r\n", .malformedChunk), ("7FFFFFFFFFFFFFFF\r\n", .bodyTooLarge),
            ("0\r\nbad line\r\n", .malformedTrailer),
            ("0\r\n: x\r\n", .malformedTrailer), ("0\r\nA: \u{1}\r\n", .malformedTrailer),
            ("0\r\n\rX", .malformedTrailer),
        ]
    )
    func refused(text: String, refusal: HTTPRefusal) {
        #expect(throws: refusal) { try decode(text) }
        #expect(throws: refusal) { try decode(text, pieces: 1) }
    }

    @Test func `each limit holds, and its last byte is allowed`() throws {
        let hundred = String(repeating: "x", count: 100)
        #expect(try decode("64\r\n\(hundred)\r\n0\r\n\r\n").isDone)
        #expect(throws: HTTPRefusal.bodyTooLarge) { try decode("65\r\n") }
        #expect(throws: HTTPRefusal.bodyTooLarge) { try decode("64\r\n\(hundred)\r\n1\r\n") }
        #expect(try !decode("5;" + String(repeating: "e", count: 4_096)).isDone)
        #expect(throws: HTTPRefusal.malformedChunk) { try decode("5;" + String(repeating: "e", count: 4_097)) }
        #expect(try !decode("0\r\nA:" + String(repeating: "t", count: 8_190)).isDone)
        #expect(throws: HTTPRefusal.fieldsTooLarge) { try decode("0\r\nA:" + String(repeating: "t", count: 8_191)) }
    }
}
