// Messages while they are written: what closed stays, the end looks like what it will be, the result is the fresh one.

import Markup
import Testing

@Suite("Markdown streams", .timeLimit(.minutes(2)))
struct MarkdownStreamTests {
    private static let message = """
        # Plan

        Some **bold** and `code`, then a list:

        1. first
           - inner `a`
        2. second

           more

        > [!TIP]
        > use *this*

        | a | b |
        |---|--:|
        | 1 | 2 |

        ````md
        ```swift
        let x = 1
        ```
        ````

        $$
        a = b
        - c
        $$

        ~~~
        open

        """

    /// The message as shown: closed blocks, then the tail.
    private func shown(_ pieces: [String]) -> [(closed: [String], tail: String)] {
        var stream = MarkdownStream()
        var closed: [String] = []
        var states: [(closed: [String], tail: String)] = []
        for piece in pieces {
            stream.append(piece)
            if let update = stream.update() {
                closed += update.closed.map(\.text)
                states.append((closed, update.tail.text))
            }
        }
        return states
    }

    @Test(arguments: 1...7)
    func `closed blocks never change and the end equals a fresh render`(size: Int) {
        let characters = Array(Self.message)
        let pieces = stride(from: 0, to: characters.count, by: size).map {
            String(characters[$0..<min(characters.count, $0 + size)])
        }
        let fresh = Markdown.html(Self.message).text
        for state in shown(pieces) {
            #expect(fresh.hasPrefix(state.closed.joined()))
        }
        var stream = MarkdownStream()
        var closed = 0
        for piece in pieces {
            stream.append(piece)
            closed += stream.update()?.closed.count ?? 0
        }
        let completion = stream.finish()
        #expect(completion.replaced.isEmpty)
        #expect(closed + completion.closed.count >= 8)
        #expect(stream.html.text == fresh)
    }

    @Test(
        "the end of a text looks like what it will be",
        arguments: [
            ("a **bo", "<p>a <strong>bo</strong></p>\n"),
            ("a **", "<p>a</p>\n"),
            ("a *it **bo", "<p>a <em>it <strong>bo</strong></em></p>\n"),
            ("see `co", "<p>see <code>co</code></p>\n"),
            ("see [the page](https://exa", "<p>see the page</p>\n"),
            ("~~go", "<p><del>go</del></p>\n"),
            ("2 * 3 *", "<p>2 * 3</p>\n"),
            ("text\n-", "<p>text</p>\n"),
            ("text\n``", "<p>text</p>\n"),
            ("- a\n- ", "<ul>\n<li>a</li>\n</ul>\n"),
            ("a_b", "<p>a_b</p>\n"),
        ]
    )
    func growing(text: String, expected: String) {
        #expect(shown([text]).last?.tail == expected)
    }

    @Test func `a table is one from its first row on`() {
        for text in ["| a | b |", "| a | b |\n", "| a | b |\n|--", "| a | b |\n|---|---|\n| 1"] {
            #expect(shown([text]).last?.tail.hasPrefix("<div class=\"md-table\"><table>") == true, "\(text)")
        }
    }

    @Test func `a fence keeps its length in every prefix`() {
        let text = "````md\n```ruby\nputs\n```\n**b**\n````\n\nafter **x**"
        for count in 8...text.count {
            let state = shown([String(text.prefix(count))]).last
            let html = (state?.closed.joined() ?? "") + (state?.tail ?? "")
            #expect(html.components(of: "<figure") == 1, "\(text.prefix(count))")
            if count < text.count - 10 { #expect(!html.contains("<strong>")) }
        }
    }

    @Test func `a definition that comes late changes what referred to it`() {
        var stream = MarkdownStream()
        stream.append("see [x] and[^1]\n\nmore\n\n")
        let first = stream.update()?.closed.first?.text
        #expect(first == "<p>see [x] and[^1]</p>\n")
        stream.append("[x]: https://a.b\n\n[^1]: note\n")
        _ = stream.update()
        let completion = stream.finish()
        #expect(completion.replaced[0]?.text.contains("<a href=\"https://a.b\"") == true)
        #expect(stream.html == Markdown.html("see [x] and[^1]\n\nmore\n\n[x]: https://a.b\n\n[^1]: note\n"))
    }

    @Test func `marks of a closed paragraph wait for nothing`() {
        var stream = MarkdownStream()
        stream.append("a **bo `co\n\n")
        #expect(stream.update()?.closed.map(\.text) == ["<p>a **bo `co</p>\n"])
    }

    @Test(arguments: ["text\n", "> quote\n", "| a |\n|---|\n| b |\n"])
    func `a formula that may not end makes nothing above it final`(above: String) {
        var stream = MarkdownStream()
        stream.append(above + "$$\nx\n")
        #expect(stream.update()?.closed.isEmpty == true)
        stream.append("y\n\nz")
        _ = stream.update()
        _ = stream.finish()
        #expect(stream.html == Markdown.html(above + "$$\nx\ny\n\nz"))
    }

    @Test func `line ends split between pieces count once`() {
        var stream = MarkdownStream()
        for piece in ["\u{FEFF}a\r", "\nb\r", "\r\nc\0"] { stream.append(piece) }
        _ = stream.finish()
        #expect(stream.html == Markdown.html("\u{FEFF}a\r\nb\r\r\nc\0"))
    }

    @Test func `nothing new, no update`() {
        var stream = MarkdownStream()
        stream.append("a")
        #expect(stream.update() != nil)
        #expect(stream.update() == nil)
    }

    @Test func `a very long open block is read again only when it has grown enough`() {
        var stream = MarkdownStream()
        stream.append("```\n" + String(repeating: "line of code\n", count: 2_000))
        #expect(stream.update() != nil)
        stream.append("one more\n")
        #expect(stream.update() == nil)
        stream.append(String(repeating: "line of code\n", count: 400))
        #expect(stream.update() != nil)
    }

    @Test(arguments: ["commonmark", "gfm", "regression", "consensus"])
    func `every published text ends as a fresh render, whatever the pieces`(set: String) {
        for (index, published) in MarkdownCase.all(set).enumerated() {
            var stream = MarkdownStream()
            var rest = Substring(published.markdown)
            var closed: [HTML] = []
            while !rest.isEmpty {
                stream.append(String(rest.prefix(1 + index % 5)))
                rest = rest.dropFirst(1 + index % 5)
                closed += stream.update()?.closed ?? []
            }
            let completion = stream.finish()
            for (number, html) in completion.replaced { closed[number] = html }
            let whole = (closed + completion.closed).map(\.text).joined()
            #expect(whole == Markdown.html(published.markdown).text, "\(published.name)")
        }
    }
}
