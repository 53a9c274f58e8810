// How chat messages are shown: literally, safely, with links that lead out only to web and mail addresses.
// Fault reports of similar products (design §12.5) are named by what went wrong there.

import Markup
import Testing

@Suite("Markdown in chat", .timeLimit(.minutes(1)))
struct MarkdownChatTests {
    private func html(_ markdown: String) -> String { Markdown.html(markdown).text }

    /// What a reader sees: tags dropped, references decoded.
    private func visible(_ markdown: String) -> String {
        var text = ""
        var isTag = false
        for character in html(markdown) {
            if character == "<" {
                isTag = true
            } else if character == ">" {
                isTag = false
            } else if !isTag {
                text.append(character)
            }
        }
        for (reference, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&amp;", "&")] {
            text = text.split(separator: reference, omittingEmptySubsequences: false).joined(separator: character)
        }
        return text
    }

    @Test(
        "words in angle brackets stay visible as typed",
        arguments: [
            "do you see <agent-notes>?", "Vec<T> and Map<K, V>", "an unfinished <exact line", "a <b onclick=x>c</b> d",
            "<div class=x>keep</div>", "<!-- a comment -->", "<details>\n<summary>*x*</summary>\n</details>",
            "<a href=\"*_x_*\">", "</pre></code>", "<?php x ?>", "<![CDATA[ y ]]>",
        ]
    )
    func literal(text: String) {
        #expect(visible(text).split(separator: "\n").joined() == text.split(separator: "\n").joined())
    }

    @Test(
        "no address but web and mail ones becomes a link",
        arguments: [
            "javascript:alert(1)", "JaVaScRiPt:alert(1)", "javascript&colon;alert(1)", "&#1;javascript:alert(1)",
            "java&Tab;script:alert(1)", "vbscript:x", "data:text/html,x", "view-source:javascript:alert(1)",
            "blob:http://app/1", "//evil.example/x", "file:///etc/passwd", "ftp://a.b/c", "http:evil.example",
        ]
    )
    func refused(address: String) {
        for markdown in [
            "[click](\(address))", "[click](<\(address)>)", "<\(address)>", "[click][a]\n\n[a]: \(address)",
        ] {
            #expect(!html(markdown).contains("<a "), "\(markdown): \(html(markdown))")
        }
        #expect(!html("![x](\(address))").contains("<img"))
    }

    @Test func `links open elsewhere and tell nobody where they came from`() {
        #expect(
            html("[x](https://a.b/?c=d&e 'T')")
                == "<p><a href=\"https://a.b/?c=d&amp;e\" rel=\"noopener noreferrer nofollow\" target=\"_blank\" "
                + "title=\"T\">x</a></p>\n"
        )
        #expect(html("see https://a.b/c.").contains("\">https://a.b/c</a>.</p>"))
        #expect(html("write to a@b.cc").contains("<a href=\"mailto:a@b.cc\""))
    }

    @Test func `a path is no link but can be found`() {
        #expect(
            html("[x](Sources/a.swift:12)")
                == "<p><span class=\"md-path\" data-path=\"Sources/a.swift:12\">x</span></p>\n"
        )
    }

    @Test func `pictures from elsewhere are links, pictures inside a message stay`() {
        #expect(html("![cat](https://a.b/c.png)").contains("<a class=\"md-picture\" href=\"https://a.b/c.png\""))
        #expect(html("![](https://a.b/c.png)").contains(">https://a.b/c.png</a>"))
        #expect(html("[![cat](https://a.b/c.png)](https://d.e)").contains("<span class=\"md-picture\">cat</span></a>"))
        #expect(
            html("![p](data:image/png;base64,AAAA)").contains(
                "<img class=\"md-picture\" src=\"data:image/png;base64,AAAA\""
            )
        )
        #expect(!html("![p](data:image/svg+xml;base64,AAAA)").contains("<img"))
    }

    @Test func `only double tildes strike`() {
        #expect(
            html("fix (~2000 lines) and delete (~5000 lines), ~/a ~/b")
                == "<p>fix (~2000 lines) and delete (~5000 lines), ~/a ~/b</p>\n"
        )
        #expect(html("~~gone~~") == "<p><del>gone</del></p>\n")
    }

    @Test func `a longer fence is not closed by a shorter one`() {
        let text = "````md\n```ruby\nputs\n```\n**bold**\n````\nafter"
        #expect(html(text).contains("**bold**"))
        #expect(html(text).hasSuffix("</code></pre></figure>\n<p>after</p>\n"))
        #expect(html(text).components(of: "<figure") == 1)
    }

    @Test func `code says its language and closes nothing`() {
        let text = html("```swift title=x\nlet a = \"</code>\"\n```")
        #expect(
            text.hasPrefix(
                "<figure class=\"code\" data-language=\"swift\"><figcaption>swift</figcaption><pre><code class=\"language-swift\">"
            )
        )
        #expect(text.components(of: "</code>") == 1)
        #expect(!html("```\"><svg onload=x>\nx\n```").contains("<svg"))
    }

    @Test func `diagrams wait in a placeholder unless they are too large`() {
        #expect(
            html("```mermaid\ngraph TD\nA-->B\n```")
                == "<figure class=\"mermaid\" data-mermaid><pre><code>graph TD\nA--&gt;B\n</code></pre></figure>\n"
        )
        let source = String(repeating: "\u{1D4B3}", count: 24_999)
        #expect(html("```mermaid\n\(source)a\n```").contains("data-mermaid"))
        #expect(html("```mermaid\n\(source)ab\n```").hasPrefix("<figure class=\"code\" data-language=\"mermaid\">"))
    }

    @Test func `headings have names that shadow nothing`() {
        let text = html("# Location\n\n## Location\n\n# `x` & *y*\n\n[go](#location)")
        #expect(text.contains("<h1 id=\"md-location\">"))
        #expect(text.contains("<h2 id=\"md-location-1\">"))
        #expect(text.contains("<a href=\"#md-location\">go</a>"))
        #expect(Markdown.html("# A", options: .init(idPrefix: "b-7-")).text.contains("id=\"b-7-a\""))
    }

    @Test(
        "alerts",
        arguments: [("NOTE", "note", "Note"), ("warning", "warning", "Warning"), ("Caution", "caution", "Caution")]
    )
    func alert(marker: String, name: String, title: String) {
        #expect(
            html("> [!\(marker)]\n> Mind *this*.")
                == "<div class=\"alert alert-\(name)\">\n<p class=\"alert-title\">\(title)</p>\n<p>Mind <em>this</em>.</p>\n</div>\n"
        )
        #expect(html("> [!\(marker)] x").hasPrefix("<blockquote>"))
    }

    @Test func `typed line breaks stay where people typed them`() {
        #expect(Markdown.html("a\nb", options: .typed).text == "<p>a<br />\nb</p>\n")
        #expect(html("a\nb") == "<p>a\nb</p>\n")
    }

    @Test func `footnotes link both ways under the prefix`() {
        let text = html("a[^x]\n\n[^x]: b")
        #expect(text.contains("<a href=\"#md-fn-x\" id=\"md-fnref-x\""))
        #expect(text.contains("<li id=\"md-fn-x\">"))
    }

    @Test func `nesting ends at its limit and keeps the text`() {
        let text = html(String(repeating: "> ", count: 500) + "deep")
        #expect(text.components(of: "<blockquote>") == 99)
        #expect(text.contains("&gt; deep"))
    }

    @Test func `short rows are padded only so far`() {
        let wide = "|" + String(repeating: "a|", count: 1_000) + "\n|" + String(repeating: "-|", count: 1_000) + "\n"
        let text = html(wide + String(repeating: "|b|\n", count: 1_000))
        #expect(text.components(of: "<td") < 70_000 + 5_000)
        #expect(text.components(of: "<tr>") == 1_001)
    }
}

extension String {
    /// How often `part` occurs.
    func components(of part: String) -> Int { split(separator: part, omittingEmptySubsequences: false).count - 1 }
}
