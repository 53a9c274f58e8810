import Dashboard
import Desktops
import Markup
import Testing

@Suite("Times, sizes and titles", .timeLimit(.minutes(1)))
struct TextTests {
    @Test(
        "times are UTC on the Gregorian calendar",
        arguments: [
            (0, "1970-01-01T00:00:00Z", "1 Jan 1970, 00:00 UTC"),
            (951_782_399_000, "2000-02-28T23:59:59Z", "28 Feb 2000, 23:59 UTC"),
            (951_782_400_000, "2000-02-29T00:00:00Z", "29 Feb 2000, 00:00 UTC"),
            (1_709_251_199_999, "2024-02-29T23:59:59Z", "29 Feb 2024, 23:59 UTC"),
            (4_107_542_400_000, "2100-03-01T00:00:00Z", "1 Mar 2100, 00:00 UTC"),
            (-1, "1969-12-31T23:59:59Z", "31 Dec 1969, 23:59 UTC"),
        ] as [(Int64, String, String)]
    )
    func moments(milliseconds: Int64, iso: String, text: String) {
        #expect(Moment(milliseconds).iso == iso)
        #expect(Moment(milliseconds).text == text)
    }

    @Test(
        "ages: BR-39a now within a minute and for the future",
        arguments: [
            (14_400_000, "now"), (0, "now"), (-59_999, "now"), (-60_000, "1 min ago"), (-3_599_999, "59 min ago"),
            (-3_600_000, "1 h ago"), (-86_400_000, "yesterday"), (-3 * 86_400_000, "3 days ago"),
        ] as [(Int64, String)]
    )
    func ages(offset: Int64, text: String) {
        let now: Int64 = 1_800_000_000_000
        #expect(Moment(now + offset).age(at: now) == text)
    }

    @Test func `an unknown time and one beyond the calendar show nothing`() {
        #expect(Moment(0).html().isEmpty)
        #expect(Moment(.max).html().isEmpty)
        #expect(
            Moment(1_000).html().text
                == "<time class=\"age\" datetime=\"1970-01-01T00:00:01Z\">1 Jan 1970, 00:00 UTC</time>"
        )
    }

    @Test(
        "sizes",
        arguments: [
            (999, "999 bytes"), (1_000, "1 KB"), (18_400, "18 KB"), (999_999, "1000 KB"), (3_000_000, "3.0 MB"),
            (5_049_999, "5.0 MB"), (5_050_000, "5.1 MB"),
        ]
    )
    func sizes(bytes: Int, text: String) { #expect(Words.size(bytes) == text) }

    @Test("numbers", arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func numbers(value: Int, text: String) { #expect(Words.number(value) == text) }

    @Test(
        "money",
        arguments: [(0, "$0.0000"), (12_345, "$0.0123"), (1_239_999, "$1.23"), (-1_000_000, "-$1.00")]
            as [(Int64, String)]
    )
    func money(micros: Int64, text: String) { #expect(Words.money(micros) == text) }

    @Test(
        "BR-27a titles are cut between characters",
        arguments: [
            ("abc", 3, "abc"), ("abcd", 3, "abc…"), ("ab👩‍👩‍👧‍👦d", 3, "ab👩‍👩‍👧‍👦…"), ("ab🇨🇭🇩🇪", 3, "ab🇨🇭…"),
            ("e\u{301}e\u{301}", 1, "e\u{301}…"), ("  a \n\t b  ", 10, "a b"), ("", 5, ""), ("a   ", 1, "a"),
        ] as [(String, Int, String)]
    )
    func titles(text: String, limit: Int, line: String) { #expect(Words.line(text, limit: limit) == line) }

    @Test func `a message is long above 48 lines or 3,200 characters`() {
        #expect(!Words.isLong(String(repeating: "a\n", count: 48)))
        #expect(Words.isLong(String(repeating: "a\n", count: 48) + "b"))
        #expect(!Words.isLong(String(repeating: "ä", count: 3_200)))
        #expect(Words.isLong(String(repeating: "ä", count: 3_201)))
        #expect(Words.lines("") == 0)
        #expect(Words.lines("a") == 1)
        #expect(Words.lines("a\n") == 1)
        #expect(Words.lines("a\nb") == 2)
    }

    @Test func `a path is split into folder and parent`() {
        #expect(Words.split(path: "/home/x/y") == ("y", "/home/x"))
        #expect(Words.split(path: "/home/x/y/") == ("y", "/home/x"))
        #expect(Words.split(path: "C:\\a\\b") == ("b", "C:\\a"))
        #expect(Words.split(path: "/") == ("/", ""))
        #expect(Words.split(path: "") == ("", ""))
    }

    @Test func `control characters are made visible, line ends and tabs stay`() {
        #expect(VisibleControls.text("a\tb\nc\r\nd") == "a\tb\nc\nd")
        #expect(VisibleControls.text("\u{1B}[31mred\u{7F}\0") == "␛[31mred␡␀")
        #expect(VisibleControls.text("x\ry") == "x␍y")
        #expect(VisibleControls.text("c1 \u{9B}31m") == "c1 \u{FFFD}31m")
    }

    @Test func `element ids differ when the ids differ, and hold only safe characters`() {
        let ids = ["a", "a_", "a_5f", "A", "a b", "a\"b", "ä", "", "_", "__", String(repeating: "x", count: 81)]
        let safe = ids.map { ElementID.block($0) }
        #expect(Set(safe).count == ids.count)
        #expect(
            safe.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") } }
        )
        #expect(ElementID.block("toolu_01ab-9") == "b-toolu_5f01ab-9")
    }

    @Test func `BR-21a the same folder on two desktops is two groups`() {
        #expect(
            ElementID.sessions(desktop: "a", project: "/root") != ElementID.sessions(desktop: "b", project: "/root")
        )
    }

    @Test func `path segments are encoded so that nothing leaves its place`() {
        #expect(Links.encoded("a/b?c#d e%\"<") == "a%2Fb%3Fc%23d%20e%25%22%3C")
        #expect(Links.encoded("..") == "%2E%2E")
        #expect(Links.encoded("ä") == "%C3%A4")
    }

    @Test(
        "browsers have names",
        arguments: [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "Firefox on Linux"),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1",
                "Safari on iPhone"
            ),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/126.0 Safari/537.36 Edg/126.0",
                "Edge on Windows"
            ),
            ("curl/8.5.0", "curl"), ("", "Unnamed browser"), ("strange", "strange"),
        ]
    )
    func browsers(agent: String, name: String) { #expect(Browsers.name(agent) == name) }
}

@Suite("The cookie that several servers share", .timeLimit(.minutes(1)))
struct CookieTests {
    @Test func `BR-06a each server reads and replaces only its own entry`() {
        let both = CookieValue(["aaaa.tokenA~bbbb.tokenB"])
        #expect(both.token(of: "aaaa") == "tokenA")
        #expect(both.token(of: "bbbb") == "tokenB")
        #expect(both.token(of: "cccc") == nil)
        let renewed = both.setting("new", of: "bbbb")
        #expect(renewed.token(of: "aaaa") == "tokenA")
        #expect(renewed.token(of: "bbbb") == "new")
        let out = renewed.setting(nil, of: "aaaa")
        #expect(
            out.setCookie(base: "", isSecure: false).hasPrefix("wheelhouse=bbbb.new; Path=/; HttpOnly; SameSite=Lax")
        )
    }

    @Test func `the last entry out deletes the cookie`() {
        let text = CookieValue(["a.b"]).setting(nil, of: "a").setCookie(base: "/p", isSecure: true)
        #expect(text == "wheelhouse=; Path=/p; HttpOnly; SameSite=Lax; Secure; Max-Age=0")
    }

    @Test func `BR-03a the cookie stays below the base path, and values of two paths are read together`() {
        let text = CookieValue([]).setting("t", of: "i").setCookie(base: "/tools/wh", isSecure: true)
        #expect(text == "wheelhouse=i.t; Path=/tools/wh; HttpOnly; SameSite=Lax; Secure; Max-Age=34560000")
        let two = CookieValue(["a.1", "b.2~a.old"])
        #expect(two.token(of: "a") == "1")
        #expect(two.token(of: "b") == "2")
    }

    @Test func `at most eight entries are kept, the newest first`() {
        var value = CookieValue([])
        for number in 0..<10 { value = value.setting("t", of: "i\(number)") }
        #expect(value.token(of: "i9") == "t")
        #expect(value.token(of: "i2") == "t")
        #expect(value.token(of: "i1") == nil)
    }

    @Test(
        "what is no entry is passed over",
        arguments: [
            "", "~~~", "nodot", ".x", "x.", "a.b c", "a.b;c", "ä.b", "a.\"b\"",
            "a." + String(repeating: "x", count: 129),
        ]
    )
    func hostile(value: String) {
        #expect(CookieValue([value]) == CookieValue([]))
        #expect(CookieValue([value + "~good.one"]).token(of: "good") == "one")
    }
}

@Suite("Secrets in shares", .timeLimit(.minutes(1)))
struct SecretMaskTests {
    @Test(
        "are masked",
        arguments: [
            ("key sk-ant-api03-abcdefghijklmnop end", "key [masked] end"),
            ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "[masked]"),
            ("AKIAIOSFODNN7EXAMPLE", "[masked]"),
            ("Authorization: Bearer abc.def-123_456xyz", "Authorization: Bearer [masked]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "[masked]"),
            ("export API_KEY=abc123def456", "export API_KEY=[masked]"),
            ("DB_PASSWORD=hunter", "DB_PASSWORD=[masked]"),
            ("{\"password\": \"correct horse\", \"x\": 1}", "{\"password\": \"[masked]\", \"x\": 1}"),
            ("{\\\"client_secret\\\":\\\"s3cr3tvalue\\\"}", "{\\\"client_secret\\\":\\\"[masked]\\\"}"),
            ("postgres://user:p4ss@db/x", "postgres://user:[masked]@db/x"),
            ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc\n-----END RSA PRIVATE KEY-----\nb", "a\n[masked]\nb"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nunfinished", "[masked]"),
            ("xoxb-1234567890-abcdefghij, next", "[masked], next"),
        ]
    )
    func masked(text: String, expected: String) { #expect(SecretMask.masked(text) == expected) }

    @Test(
        "while ordinary text stays",
        arguments: [
            "", "The token: a small piece.", "let token: String = makeToken()", "password = getPassword()", "sk-short",
            "https://example.test:8080/a@b", "task-force and disk-usage", "max_tokens: 4096", "secret santa",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "基 Grüße 👩‍👩‍👧‍👦", "Bearer of news",
        ]
    )
    func kept(text: String) { #expect(SecretMask.masked(text) == text) }

    @Test func `hostile text takes linear time`() {
        for piece in ["token=", "a-", "://a:", "-----BEGIN ", "password=\"", "sk-", "://", "token: ("] {
            let text = String(repeating: piece, count: 60_000 / piece.utf8.count)
            let start = ContinuousClock.now
            _ = SecretMask.masked(text)
            #expect(ContinuousClock.now - start < .seconds(10), "\(piece)")
        }
    }

    @Test func `every text of a block is looked at`() {
        let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
        var block = Block(id: "a", seq: 0, kind: .tool)
        block.text = secret
        block.title = secret
        block.input = secret
        block.command = secret
        block.patch = secret
        block.decision = secret
        block.options = [secret]
        block.items = [TodoItem(text: secret, state: .done)]
        #expect(!"\(SecretMask.masked(block))".contains("ghp_"))
    }
}
