// Terminal output becomes what a terminal would show at the end, by classes only, and nothing that a page must not hold.

import Markup
import Testing

@Suite("Terminal output", .timeLimit(.minutes(5)))
struct TerminalTests {
    private func html(_ text: String) -> String { Terminal.html(Array(text.utf8)).text }

    @Test(
        "shows what a terminal shows",
        arguments: [
            ("plain <&>\n", "plain &lt;&amp;&gt;\n"),
            ("\u{1B}[1;31mred\u{1B}[0m x", "<span class=\"a-bold a-fg-1\">red</span> x"),
            (
                "\u{1B}[38;5;200ma\u{1B}[48;2;255;0;0mb\u{1B}[m",
                "<span class=\"a-fg-200\">a</span><span class=\"a-fg-200 a-bg-196\">b</span>"
            ),
            ("\u{1B}[38:2::10:10:10mx", "<span class=\"a-fg-232\">x</span>"),
            ("\u{1B}[91;104mx", "<span class=\"a-fg-9 a-bg-12\">x</span>"),
            (
                "\u{1B}[2;3;4;7;9mx\u{1B}[22;23;24;27;29my",
                "<span class=\"a-dim a-italic a-underline a-inverse a-strike\">x</span>y"
            ),
            ("10%\r20%\r100%\n", "100%\n"),
            ("abc\rX\n", "Xbc\n"),
            ("a\r\nb\r\n", "a\nb\n"),
            ("ab\u{8}c", "ac"),
            ("loading...\r\u{1B}[Kdone\n", "done\n"),
            ("one\ntwo\n\u{1B}[2A\u{1B}[2KONE\n", "ONE\ntwo\n"),
            ("\u{1B}[?25lx\u{1B}[?25h", "x"),
            ("\u{1B}]0;title\u{7}x", "x"),
            ("x\u{1B}[", "x"),
            ("x\u{1B}[31", "x"),
            ("x\u{1B}]8;;http://a", "x"),
            ("\u{1B}(Bx\u{1B}=y", "xy"),
            ("a\u{9}b\u{0C}\u{7}c", "a\tbc"),
            ("\u{9B}31mx", "<span class=\"a-fg-1\">x</span>"),
            ("漢字\rab\n", "ab字\n"),
            ("e\u{301}x\rf\n", "fx\n"),
        ]
    )
    func shows(output: String, expected: String) { #expect(html(output) == expected) }

    @Test func `a safe link is a link, any other only its text`() {
        #expect(
            html("\u{1B}]8;;https://a/?b&c\u{1B}\\x\u{1B}]8;;\u{1B}\\y")
                == "<a class=\"a-link\" rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"https://a/?b&amp;c\">x</a>y"
        )
        for address in ["javascript:alert(1)", "data:text/html,x", "http://a\"b", "file:///etc/passwd", " https://a"] {
            #expect(html("\u{1B}]8;;\(address)\u{7}x\u{1B}]8;;\u{7}") == "x")
        }
    }

    @Test func `binary output is a notice`() {
        #expect(
            Terminal.html([0x7F, 0x45, 0, 0, 0, 1, 2, 3, 0, 0, 0, 0]).text
                == "<span class=\"a-notice\">binary output, 12 bytes</span>"
        )
    }

    @Test func `invalid UTF-8 becomes a replacement character`() {
        #expect(Terminal.html([0x61, 0xFF, 0x62, 0xE2, 0x82]).text == "a\u{FFFD}b\u{FFFD}\u{FFFD}")
        #expect(Terminal.html([0x61, 0x0D, 0xFF, 0x0A]).text == "\u{FFFD}\n")
    }

    @Test func `only the end of very long output is shown`() {
        let output = [UInt8](String(repeating: "0123456\n", count: TerminalLimits.outputBytes / 8 + 10).utf8)
        let text = Terminal.html(output).text
        #expect(
            text.hasPrefix("<span class=\"a-notice\">80 bytes before this are not shown</span>\n")
                || text.hasPrefix("<span class=\"a-notice\">")
        )
        #expect(text.utf8.count < TerminalLimits.outputBytes + 200)
    }

    /// Whatever comes in, no control character goes out, and the elements are balanced.
    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `random output leaves no control character and no open element`(seed: UInt64) {
        let pieces = [
            "\u{1B}[", "31", "m", ";", ":", "\u{1B}]8;;", "http://a", "\u{7}", "\u{1B}\\", "\r", "\n", "\u{8}", "\t",
            "abc", "漢", "e\u{301}", "\u{1B}[A",
            "\u{1B}[2K", "\u{1B}[10C", "\u{1B}[5D", "\u{1B}[3G", "\u{1B}[J", "\u{1B}[P", "\u{1B}[4@", "\u{1B}7",
            "\u{1B}8", "\u{1B}M", "\u{9B}", "\u{85}", "\u{7F}",
            "<b>", "\"", "&", "\u{1B}P", "\u{1B}[1m", "\u{1B}[0m", "\u{1B}[38;5;", "\u{1B}[48;2;1;2;3m", "\u{1B}[999B",
            "\u{1B}[999A", "\u{1F600}",
        ]
        var dice = Dice(state: seed)
        var output: [UInt8] = []
        for _ in 0..<120 {
            output += Array(pieces[dice.next(pieces.count)].utf8)
            if dice.next(40) == 0 { output.append(UInt8(truncatingIfNeeded: 1 + dice.next(255))) }
        }
        let html = Terminal.html(output)
        for scalar in html.text.unicodeScalars {
            #expect(
                scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value) || scalar == "\n" || scalar == "\t",
                "U+\(String(scalar.value, radix: 16))"
            )
        }
        var open: [String] = []
        for tag in html.text.split(separator: "<", omittingEmptySubsequences: false).dropFirst() {
            if tag.hasPrefix("/") {
                #expect(open.popLast().map { tag.hasPrefix("/\($0)>") } == true)
            } else {
                open.append(String(tag.prefix { $0 != " " && $0 != ">" }))
            }
        }
        #expect(open.isEmpty)
    }

    @Test(arguments: [
        "\r", "a\r", "\u{1B}[A", "\u{1B}[31m", "\n\u{1B}[A", "\u{1B}]8;;http://a/\u{7}x", "\u{8}", "x\u{8}\u{8}",
        "\u{1B}[K\ra", "\u{1B}]", "\u{1B}[4096C.\r", "\u{1B}[9@",
    ])
    func `a long run of anything takes linear time`(piece: String) {
        let output = [UInt8](String(repeating: piece, count: (64 << 10) / piece.utf8.count).utf8)
        #expect(processorSeconds { _ = Terminal.html(output) } < 3)
    }
}
