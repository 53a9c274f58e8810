// studio-mac: a finished refactor with a plan, a helper, edits and tests; and the helper's own session.

extension Demonstration {
    private static let folder = "/Users/mira/code/lantern"
    private static let searchID = "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901105"

    static let parserSplit = SessionScript(
        id: "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901104",
        title: "Split the parser from the renderer",
        project: folder,
        agent: "claudeCode",
        model: opus,
        branch: "parser-split",
        minutesAgo: 190,
        history: [
            .user(
                """
                `Renderer` parses and draws in one pass, so we cannot test one without the other. Split it: a parser that \
                yields a tree, and a renderer that only walks it. The output must stay byte for byte the same.
                """
            ),
            .thinking(
                """
                The contract is “same bytes”. So first record what today's renderer writes for a large set of notes, then \
                split, then compare. Who calls `Renderer.draw`? A helper can look while I read the code.
                """
            ),
            .helper(
                searchID,
                "Find every caller of Renderer.draw",
                "Five callers: preview, export, print, the share sheet, and one test."
            ),
            .read(folder + "/Sources/Lantern/Renderer.swift", lines: 612),
            .plan(
                "Split in four steps",
                """
                1. **Record**: render the 340 notes of `Fixtures/` and keep the bytes.
                2. **Tree**: `Node` as an enum with payloads, built by `Parser`.
                3. **Walk**: `Renderer` visits nodes and writes, no look-ahead left.
                4. **Compare**: the bytes of step 1, all 340 of them.

                ```mermaid
                flowchart LR
                    Text --> Parser --> Tree[(Node tree)]
                    Tree --> HTML[HTML renderer]
                    Tree --> PDF[PDF renderer]
                    Tree --> Outline
                ```
                """
            ),
            .user("Good plan, go.", after: 65_000),
            .todo(
                """
                > Record the output of all fixtures
                - Node and Parser
                - Renderer walks the tree
                - Compare, delete the old path
                """
            ),
            .shell(
                "swift run lantern-record Fixtures > Tests/recorded.txt && wc Tests/recorded.txt",
                in: folder,
                """
                Building for debugging...
                Build complete! (6.20s)
                   48213  391022 2870114 Tests/recorded.txt

                """,
                title: "Record today's output"
            ),
            .edit(
                folder + "/Sources/Lantern/Node.swift",
                """
                @@ -0,0 +1,24 @@
                +/// A block of a note. Ranges are byte offsets into the note's text.
                +indirect enum Node: Equatable, Sendable {
                +    case paragraph([Inline], range: Range<Int>)
                +    case heading(level: Int, [Inline], range: Range<Int>)
                +    case quote([Node], range: Range<Int>)
                +    case list(ListStyle, items: [[Node]], range: Range<Int>)
                +    case code(language: String?, text: String, range: Range<Int>)
                +    case rule(range: Range<Int>)
                +
                +    /// Where the block stands in the text.
                +    var range: Range<Int> {
                +        switch self {
                +        case .paragraph(_, let range), .quote(_, let range), .rule(let range): range
                +        case .heading(_, _, let range): range
                +        case .list(_, _, let range): range
                +        case .code(_, _, let range): range
                +        }
                +    }
                +}
                +
                +enum ListStyle: Equatable, Sendable {
                +    case bullet
                +    case numbered(from: Int)
                +}
                """,
                kind: "add"
            ),
            .edit(
                folder + "/Sources/Lantern/Renderer.swift",
                """
                @@ -58,18 +58,15 @@ struct Renderer {
                -    mutating func draw(_ text: String) -> String {
                -        var lines = text.split(separator: "\\n", omittingEmptySubsequences: false)[...]
                -        while let line = lines.popFirst() {
                -            if let level = headingLevel(line) {
                -                writeHeading(level, line)
                -            } else if line.hasPrefix(">") {
                -                var quoted = [line]
                -                while let next = lines.first, next.hasPrefix(">") {
                -                    quoted.append(next)
                -                    lines.removeFirst()
                -                }
                -                writeQuote(quoted)
                -            } else {
                -                writeParagraph(line, rest: &lines)
                -            }
                -        }
                -        return output
                -    }
                +    mutating func draw(_ nodes: [Node]) -> String {
                +        for node in nodes { visit(node) }
                +        return output
                +    }
                +
                +    private mutating func visit(_ node: Node) {
                +        switch node {
                +        case .heading(let level, let inlines, _): writeHeading(level, inlines)
                +        case .quote(let children, _): element("blockquote") { $0.draw(children) }
                +        case .paragraph(let inlines, _): element("p") { $0.write(inlines) }
                +        case .list(let style, let items, _): writeList(style, items)
                +        case .code(let language, let text, _): writeCode(language, text)
                +        case .rule: output += "<hr>"
                +        }
                +    }
                """
            ),
            .shell(
                "swift test --filter RecordedOutput",
                in: folder,
                """
                Build complete! (7.94s)
                ✘ Test "all fixtures render as recorded" recorded an issue: 3 of 340 differ
                  ↳ lists/loose-after-tight.md: expected "<li><p>b</p></li>", got "<li>b</li>"
                  ↳ lists/nested-loose.md
                  ↳ lists/number-gap.md
                ✘ Test run with 1 test failed after 1.204 seconds.

                """,
                exit: 1
            ),
            .thinking(
                "Three lists. The old code looked at the *next* item before closing one: a list is loose if any two of its "
                    + "items are apart. The parser decides per item. It must decide when the list ends."
            ),
            .edit(
                folder + "/Sources/Lantern/Parser+Lists.swift",
                """
                @@ -33,5 +33,6 @@ extension Parser {
                         items.append(item)
                     }
                -    let isLoose = items.last?.isFollowedByBlank == true
                +    // A list is loose when any blank line stands between two of its items, not only before the last one.
                +    let isLoose = items.dropLast().contains { $0.isFollowedByBlank }
                     return .list(style, items: items.map { $0.blocks(isLoose: isLoose) }, range: start..<position)
                 }
                """
            ),
            .shell(
                "swift test",
                in: folder,
                """
                Build complete! (4.47s)
                ✔ Suite "Parser" passed after 0.031 seconds.
                ✔ Suite "Renderer" passed after 0.018 seconds.
                ✔ Test "all fixtures render as recorded" passed after 1.187 seconds.
                ✔ Test run with 212 tests in 9 suites passed after 1.190 seconds.

                """
            ),
            .todo(
                """
                x Record the output of all fixtures
                x Node and Parser
                x Renderer walks the tree
                x Compare, delete the old path
                """
            ),
            .assistant(
                """
                The split is done, and **all 340 fixtures render the same bytes** as before.

                | file | before | after |
                |---|---:|---:|
                | `Renderer.swift` | 612 lines | 241 |
                | `Parser.swift` + lists, inlines | – | 318 |
                | `Node.swift` | – | 24 |

                What surprised me: the old code got loose lists right only because it peeked ahead. The rule is now written \
                down where it is decided, with a comment and three tests of its own.

                The five callers that the helper found changed from `draw(text)` to `draw(Parser(text).nodes)`.
                """
            ),
            .usage(1_204, 8_830, cached: 214_600, written: 18_420, micros: 391_200, model: opus),
        ]
    )

    static let parserSearch = SessionScript(
        id: searchID,
        title: "Find every caller of Renderer.draw",
        project: folder,
        agent: "claudeCode",
        model: sonnet,
        branch: "parser-split",
        parent: "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901104",
        minutesAgo: 205,
        history: [
            .user(
                "Find every caller of `Renderer.draw` in this package, with file and line, and what each does with the result."
            ),
            .search(
                #"\.draw\("#,
                in: folder,
                """
                Sources/Lantern/Preview.swift:41
                Sources/Lantern/Export.swift:77
                Sources/Lantern/Print.swift:19
                Sources/Lantern/ShareSheet.swift:30
                Tests/LanternTests/RendererTests.swift:12
                """
            ),
            .read(folder + "/Sources/Lantern/Export.swift", lines: 130),
            .assistant(
                """
                Five callers:

                1. `Preview.swift:41` shows the HTML in the web view.
                2. `Export.swift:77` writes it to a file, with a template around it.
                3. `Print.swift:19` lays it out on pages.
                4. `ShareSheet.swift:30` hands it to the system.
                5. `RendererTests.swift:12`, the only test.

                None of them looks inside the string.
                """
            ),
        ]
    )
}
