import Testing
import Web
import Wire

@Suite("Dates, ranges, conditions, codings", .timeLimit(.minutes(1)))
struct HTTPFieldRulesTests {
    private static let now: Int64 = 1_700_000_000

    // RFC 9110 §5.6.7.
    @Test(
        "the three forms of a date are read",
        arguments: [
            "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
        ]
    )
    func dates(text: String) { #expect(HTTPDate.parse(text, now: Self.now) == 784_111_777) }

    @Test(
        "what is no date is nil",
        arguments: [
            "", "yesterday", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nox 1994 08:49:37 GMT",
            "Sun, 32 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT",
        ]
    )
    func noDates(text: String) { #expect(HTTPDate.parse(text, now: Self.now) == nil) }

    @Test(
        "a date is written as it is read",
        arguments: [0, 784_111_777, 951_782_400, 1_709_164_800, 4_102_444_799, 253_402_300_799] as [Int64]
    )
    func roundTrip(seconds: Int64) {
        #expect(HTTPDate.parse(HTTPDate.text(seconds), now: Self.now) == seconds)
    }

    @Test func `the written form is the fixed one`() {
        #expect(HTTPDate.text(784_111_777) == "Sun, 06 Nov 1994 08:49:37 GMT")
        #expect(HTTPDate.text(951_782_400) == "Tue, 29 Feb 2000 00:00:00 GMT")
    }

    // RFC 9110 §14.1.
    @Test(
        "ranges of 100 bytes",
        arguments: [
            ("bytes=0-4", ByteRanges.parts([0..<5])), ("bytes=-5", .parts([95..<100])),
            ("bytes=10-", .parts([10..<100])), ("Bytes=99-200", .parts([99..<100])),
            ("bytes=-200", .parts([0..<100])), ("bytes=0-0, 2-3 ,-1", .parts([0..<1, 2..<4, 99..<100])),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable),
            ("bytes=100-,0-1", .parts([0..<2])), ("bytes=5-4", .whole), ("bytes=", .whole), ("bytes=-", .whole),
            ("bytes=a-b", .whole), ("items=0-4", .whole), ("bytes 0-4", .whole),
            ("bytes=0-99999999999999999999", .parts([0..<100])), ("bytes=99999999999999999999-", .unsatisfiable),
            ("bytes=0-99,0-99", .whole), ("bytes=0--1", .whole),
        ]
    )
    func ranges(value: String, expected: ByteRanges) { #expect(ByteRanges(value, size: 100) == expected) }

    @Test func `more ranges than the limit are answered with the whole`() {
        func list(_ count: Int) -> String { "bytes=" + (0..<count).map { "\($0)-\($0)" }.joined(separator: ",") }
        #expect(ByteRanges(list(16), size: 100) != .whole)
        #expect(ByteRanges(list(17), size: 100) == .whole)
        #expect(ByteRanges(list(5_000), size: 100) == .whole)
    }

    // RFC 9110 §13.2.2.
    @Test(
        "conditions are weighed in their order",
        arguments: [
            (HTTPFields(), Preconditions.send), (["If-None-Match": "\"t\""], .notModified),
            (["If-None-Match": "W/\"t\""], .notModified), (["If-None-Match": "*"], .notModified),
            (["If-None-Match": "\"a\", \"t\""], .notModified), (["If-None-Match": "\"a\""], .send),
            (["If-Match": "\"a\""], .failed), (["If-Match": "W/\"t\""], .failed),
            (["If-Match": "*"], .send), (["If-Match": "\"t\"", "If-None-Match": "\"t\""], .notModified),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], .notModified),
            (["If-Modified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], .send),
            (["If-Modified-Since": "soon"], .send), (["If-Unmodified-Since": "Sun, 06 Nov 1994 08:49:36 GMT"], .failed),
            (["If-None-Match": "\"a\"", "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT"], .send),
            (["If-None-Match": "\"t"], .send),
        ] as [(HTTPFields, Preconditions)]
    )
    func conditions(fields: HTTPFields, expected: Preconditions) {
        #expect(Preconditions(fields, tag: "\"t\"", modified: 784_111_777, now: Self.now) == expected)
    }

    @Test(
        "If-Range must name exactly what is there",
        arguments: [
            (nil, true), ("\"t\"", true), ("\"u\"", false), ("W/\"t\"", false), ("Sun, 06 Nov 1994 08:49:37 GMT", true),
            ("Sun, 06 Nov 1994 08:49:38 GMT", false),
        ] as [(String?, Bool)]
    )
    func ifRange(value: String?, expected: Bool) {
        var fields = HTTPFields()
        fields["If-Range"] = value
        #expect(Preconditions.allowRange(fields, tag: "\"t\"", modified: 784_111_777, now: Self.now) == expected)
    }

    @Test(
        "gzip is sent to those who take it",
        arguments: [
            ("gzip", true), ("GZIP", true), ("x-gzip", true), ("deflate, gzip;q=0.5", true), ("gzip;q=0", false),
            ("gzip ; q = 0.000 , *", false), ("*", true),
            ("*;q=0", false), ("br", false), ("", false), ("gzip;q=0.001", true), ("identity, *;q=0.1", true),
        ]
    )
    func gzip(value: String, expected: Bool) { #expect(Gzip.isAccepted(by: value) == expected) }

    @Test func `fields keep order, ignore case, and cannot break their line`() {
        var fields: HTTPFields = ["A": "1", "b": "2"]
        fields.add("a", "3")
        #expect(fields["A"] == "1")
        #expect(fields.values("a") == ["1", "3"])
        fields.set("a", "x\r\nInjected: y")
        #expect(fields.all.map(\.name) == ["b", "a"])
        #expect(fields["a"] == "x  Injected: y")
        fields["b"] = nil
        #expect(fields.count == 1)
        fields.add("Connection", "keep-alive, Upgrade")
        #expect(fields.hasToken("upgrade", in: "connection"))
        #expect(!fields.hasToken("grade", in: "connection"))
    }

    @Test(
        "URLs a client opens",
        arguments: [
            ("http://h", "h", 80, "/"), ("https://H:8443/a?b#c", "h", 8_443, "/a?b"),
            ("wss://[::1]/x", "::1", 443, "/x"), ("ws://1.2.3.4:1?q", "1.2.3.4", 1, "/?q"),
        ]
    )
    func urls(text: String, host: String, port: Int, target: String) throws {
        let url = try #require(HTTPURL(text))
        #expect(url.host == host && url.port == port && url.target == target)
    }

    @Test(
        "what no client opens",
        arguments: [
            "", "h", "ftp://h", "http://", "http://u:p@h/", "http://h:0/", "http://h:99999/", "http://h/ü",
            "http://h/a b", "http://[::1/", "http:///x", "http://h\\x",
        ]
    )
    func noURLs(text: String) { #expect(HTTPURL(text) == nil) }

    @Test func `media types follow the extension`() {
        #expect(MediaType.ofFile(named: "a.JS") == "text/javascript; charset=utf-8")
        #expect(MediaType.ofFile(named: "noextension") == "application/octet-stream")
        #expect(MediaType.isCompressible("image/svg+xml"))
        #expect(!MediaType.isCompressible("image/png"))
    }
}

@Suite("Router", .timeLimit(.minutes(1)))
@Loop struct RouterTests {
    private let router: Router

    init() {
        router = Router()
        for pattern in ["/", "/s/:id", "/s/:id/raw", "/s/new", "/files/*path", "/*rest"] {
            router.on([.get, .post], pattern) { _, _ in .response(.text(pattern)) }
        }
        router.on(.delete, "/only", bodyLimit: 7) { _, _ in .response(.text("")) }
    }

    private func match(_ method: HTTPMethod, _ path: String) -> String {
        switch router.match(method, Array(path.utf8).span) {
        case .none: return "none"
        case .otherMethods(let methods): return "allow " + methods.map(\.name).joined(separator: " ")
        case .route(let route, let parameters):
            guard let request = HTTPRequest.made(method, "/"),
                case .response(let response) = route.handler(request, parameters),
                case .bytes(let bytes) = response.body
            else { return "?" }
            let found = ["id", "path", "rest"].compactMap { name in parameters[name].map { "\(name)=\($0)" } }
            return ([String(decoding: bytes, as: UTF8.self)] + found).joined(separator: " ")
        }
    }

    @Test(
        "paths find their routes",
        arguments: [
            ("/", "/"), ("/s/42", "/s/:id id=42"), ("/s/42/raw", "/s/:id/raw id=42"), ("/s/new", "/s/new"),
            ("/files/a/b.txt", "/files/*path path=a/b.txt"),
            ("/files/", "/files/*path path="), ("/files", "/files/*path path="), ("/other/x", "/*rest rest=other/x"),
            ("/s/", "/*rest rest=s/"), ("/s/42/other", "/*rest rest=s/42/other"),
        ]
    )
    func finds(path: String, expected: String) { #expect(match(.get, path) == expected) }

    @Test func `HEAD is answered by GET, other methods are named`() {
        #expect(match(.head, "/s/1") == "/s/:id id=1")
        #expect(match(.put, "/s/1") == "allow GET POST HEAD OPTIONS")
        #expect(match(.get, "/only") == "allow DELETE OPTIONS")
    }
}
