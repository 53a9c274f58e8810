// The published cases of CommonMark and GFM, each its own test. `Fixtures/markdown/README.md` names the sources.

import Markup
import Testing

/// One published case.
struct MarkdownCase: Sendable, CustomTestStringConvertible {
    var name: String
    var extensions: Set<Markdown.Extension>
    var markdown: String
    var html: String

    var testDescription: String { name }

    static func all(_ set: String) -> [MarkdownCase] {
        MarkupFixture.lines("markdown/\(set).tsv").compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            guard fields.count == 4 else { return nil }
            return MarkdownCase(
                name: "\(set) \(fields[0])",
                extensions: Set(
                    fields[1].split(separator: ",").compactMap { Markdown.Extension(rawValue: String($0)) }
                ),
                markdown: unescaped(fields[2]),
                html: unescaped(fields[3])
            )
        }
    }

    private static func unescaped(_ text: String) -> String {
        var result = ""
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                isEscaped = false
                switch scalar {
                case "n": result.unicodeScalars.append("\n")
                case "t": result.unicodeScalars.append("\t")
                case "r": result.unicodeScalars.append("\r")
                case "0": result.unicodeScalars.append("\0")
                case "b": result.unicodeScalars.append("\u{FEFF}")
                default: result.unicodeScalars.append(scalar)
                }
            } else if scalar == "\\" {
                isEscaped = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}

@Suite("Markdown as published", .timeLimit(.minutes(1)))
struct MarkdownConformanceTests {
    private func check(_ published: MarkdownCase) {
        let html = String(
            decoding: Markdown.specHTML(published.markdown, extensions: published.extensions),
            as: UTF8.self
        )
        #expect(html == published.html, "\(published.markdown)")
    }

    @Test("CommonMark 0.31.2, every example", arguments: MarkdownCase.all("commonmark"))
    func commonMark(published: MarkdownCase) { check(published) }

    @Test("GFM tables, task lists, strikethrough, autolinks", arguments: MarkdownCase.all("gfm"))
    func gfm(published: MarkdownCase) { check(published) }

    @Test("faults that cmark had once", arguments: MarkdownCase.all("regression"))
    func regression(published: MarkdownCase) { check(published) }

    @Test("what pulldown-cmark and cmark-gfm agree on", arguments: MarkdownCase.all("consensus"))
    func consensus(published: MarkdownCase) { check(published) }

    @Test func `the sets are whole`() {
        #expect(MarkdownCase.all("commonmark").count == 652)
        #expect(MarkdownCase.all("gfm").count == 42)
        #expect(MarkdownCase.all("regression").count == 27)
        #expect(MarkdownCase.all("consensus").count == 192)
    }

    /// The chat dialect and the stream read the same texts: nothing may crash or let a tag through.
    @Test func `every published text is harmless in chat`() {
        for published in ["commonmark", "gfm", "regression", "consensus"].flatMap(MarkdownCase.all) {
            let html = Markdown.html(published.markdown).text
            for tag in ["<script", "<style", "<iframe", "<form", "<b>", "<title", "javascript:alert"] {
                let isShown = html.contains(tag) && !published.markdown.contains("](" + tag)
                #expect(!isShown || tag.hasPrefix("javascript"), "\(published.name): \(html)")
            }
            #expect(!html.contains("href=\"javascript"), "\(published.name)")
        }
    }
}
