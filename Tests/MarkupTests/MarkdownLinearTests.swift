// Texts that made Markdown parsers quadratic: twice the text may cost about twice the time, measured in processor time
// of the thread so that a busy machine does not matter.

import Glibc
import Markup
import Testing

@Suite("Markdown is linear", .timeLimit(.minutes(3)), .serialized)
struct MarkdownLinearTests {
    private static let kinds: [(String, @Sendable (Int) -> String)] = [
        (
            "nested emphasis",
            { String(repeating: "*a **a ", count: $0) + "b" + String(repeating: " a** a*", count: $0) }
        ),
        ("openers without closers", { String(repeating: "_a ", count: 2 * $0) }),
        ("closers without openers", { String(repeating: "a_ ", count: 2 * $0) }),
        ("open brackets", { String(repeating: "[", count: 4 * $0) + "a" }),
        ("nested brackets", { String(repeating: "[", count: 2 * $0) + "a" + String(repeating: "]", count: 2 * $0) }),
        ("links in pictures", { String(repeating: "![[]()", count: $0) }),
        ("unclosed links", { String(repeating: "[a](<b", count: $0) }),
        ("link openers", { String(repeating: "[a](b \"", count: $0) }),
        ("footnote references", { String(repeating: "[^a][^", count: $0) }),
        (
            "backticks",
            { count in
                (1...Int(Double(count).squareRoot()) * 2).map { String(repeating: "`", count: $0) }.joined(
                    separator: "e"
                )
            }
        ),
        ("comments", { "</" + String(repeating: "<!-- ", count: $0) }),
        ("declarations", { String(repeating: "a <!A ", count: $0) }),
        ("tags with quotes", { String(repeating: "<a b='", count: $0) }),
        ("quotes", { String(repeating: ">", count: 4 * $0) + "a" }),
        ("list markers", { String(repeating: "- ", count: 2 * $0) + "x" }),
        ("blank lines in lists", { String(repeating: "- ", count: $0) + "x" + String(repeating: "\n", count: $0) }),
        ("rules that are none", { String(repeating: "* ", count: 2 * $0) + "a" }),
        ("definitions", { count in (0..<count / 4).map { "[a\($0)]: /u\n" }.joined() + "\n[a1]" }),
        ("definitions of one label", { String(repeating: "[a]: /u\n", count: $0) }),
        ("fences", { String(repeating: "```\n~~~\n", count: $0) }),
        ("rows", { "|a|b|\n|-|-|\n" + String(repeating: "|c|d|\n", count: $0) }),
        ("delimiter rows", { String(repeating: "a\n-|\n", count: $0) }),
        ("dollars", { String(repeating: "$a ", count: $0) }),
        ("dollar pairs", { String(repeating: "$$a\n", count: $0) }),
        ("open formulas", { String(repeating: "\\[\n", count: $0) }),
        ("open inline formulas", { String(repeating: "\\(a ", count: $0) }),
        ("addresses", { String(repeating: "a@b.c", count: $0) }),
        ("at signs", { String(repeating: "@", count: 4 * $0) }),
        ("bare domains", { String(repeating: "www._", count: $0) }),
        ("bare addresses", { String(repeating: "http://a_", count: $0) }),
        ("entities", { String(repeating: "&a", count: 2 * $0) }),
        ("tildes around emphasis", { String(repeating: "~*", count: 2 * $0) }),
        ("headings of one name", { String(repeating: "# a\n", count: $0) }),
        ("alerts", { String(repeating: "> [!NOTE]\n\n", count: $0) }),
        ("formula", { "$$" + String(repeating: "a^", count: $0) + "$$" }),
        ("fraction in fraction", { "$$" + String(repeating: "\\frac{", count: $0) + "$$" }),
    ]

    private func seconds(_ body: () -> Void) -> Double {
        var best = Double.infinity
        for _ in 0..<3 {
            var start = timespec()
            var end = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start)
            body()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end)
            best = min(best, Double(end.tv_sec - start.tv_sec) + Double(end.tv_nsec - start.tv_nsec) / 1e9)
        }
        return best
    }

    @Test(arguments: Self.kinds.indices)
    func `four times the text costs about four times as much`(kind: Int) {
        let (name, make) = Self.kinds[kind]
        let small = make(1_000)
        let large = make(4_000)
        for (dialect, render) in [
            ("chat", { (text: String) in _ = Markdown.html(text) }),
            ("spec", { (text: String) in _ = Markdown.specHTML(text, extensions: Set(Markdown.Extension.allCases)) }),
        ] {
            let first = seconds { render(small) }
            let second = seconds { render(large) }
            #expect(second < first * 10 + 0.005, "\(name), \(dialect): \(first) s, then \(second) s")
        }
    }

    @Test func `output does not outgrow input by its square`() {
        let notes = String(repeating: "[^a]", count: 2_000) + "\n\n[^a]: x"
        #expect(Markdown.html(notes).bytes.count < 400 * notes.utf8.count)
        let long = String(repeating: "x", count: 900)
        let label = "[^\(long)]: y\n\n" + String(repeating: "[^\(long)] ", count: 100)
        #expect(Markdown.html(label).bytes.count < 8 * label.utf8.count + 10_000)
        let reference =
            "[a]: https://e.x/\(String(repeating: "y", count: 20_000))\n\n" + String(repeating: "[a] ", count: 20_000)
        #expect(Markdown.html(reference).bytes.count < 8_000_000)
    }
}
