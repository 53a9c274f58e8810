import Dashboard
import Desktops
import Markup
import Testing
import Wire

@Suite("Blocks as HTML", .timeLimit(.minutes(1)))
struct BlockViewTests {
    let view = BlockView(links: Links(build: "D"), session: "SID", agent: .claudeCode)

    func block(_ kind: BlockKind, _ change: (inout Block) -> Void = { _ in }) -> Block {
        var block = Block(id: "x1", seq: 7, kind: kind)
        block.revision = 3
        change(&block)
        return block
    }

    func html(_ kind: BlockKind, in other: BlockView? = nil, _ change: (inout Block) -> Void = { _ in }) -> String {
        (other ?? view).rendered(block(kind, change)).html().text
    }

    @Test("every kind is one article with its id, kind, order, revision and state", arguments: BlockKind.allCases)
    func article(kind: BlockKind) {
        let html = html(kind) { block in
            block.text = "text"
            block.parent = "p"
        }
        #expect(
            html.hasPrefix(
                "<article class=\"block block-\(kind.rawValue)\" id=\"b-x1\" data-kind=\"\(kind.rawValue)\" data-seq=\"7\" data-rev=\"3\" data-state=\"complete\" data-parent=\"b-p\""
            )
        )
        #expect(html.count(of: "<div class=\"block-children\" id=\"c-x1\"></div>") == 1)
        #expect(html.count(of: "data-kind=") == 1)
        #expect(html.hasSuffix("</article>"))
        #expect(!html.contains(" style=") && !html.contains("<script"))
    }

    @Test func `children go inside`() {
        let parent = view.rendered(block(.tool)), child = view.rendered(Block(id: "y", seq: 8, kind: .output))
        #expect(parent.html(children: child.html()).text.contains("id=\"c-x1\"><article class=\"block block-output\""))
    }

    @Test func `a user's message keeps its line breaks, an assistant's is Markdown`() {
        #expect(html(.user) { $0.text = "one\ntwo" }.contains("one<br"))
        let answer = html(.assistant) { block in
            block.text = "**bold** `code`"
            block.model = "opus"
        }
        #expect(answer.contains("<strong>bold</strong>") && answer.contains(">code</code>"))
        #expect(answer.contains("<span class=\"block-kind\">Claude</span>") && answer.contains(">opus</span>"))
        #expect(answer.contains("data-source=\"/s/SID/block/eDE/download?seq=7\""))
    }

    @Test func `thinking is folded, its first line is the headline`() {
        let html = html(.thinking) { $0.text = "First <i>line</i>\nsecond" }
        #expect(html.contains("<details class=\"fold thinking\"><summary class=\"block-head\">"))
        #expect(html.contains("First &lt;i&gt;line&lt;/i&gt; second</span>"))
    }

    @Test func `long messages are folded above 48 lines or 3,200 characters, with a preview`() {
        let long = html(.assistant) { $0.text = (1...60).map { "line \($0)" }.joined(separator: "\n") }
        #expect(long.contains("<details class=\"fold long\"><summary><span class=\"fold-preview\">line 1\nline 2"))
        #expect(long.contains("Show all (60 lines, 470 bytes)"))
        #expect(!html(.assistant) { $0.text = "short" }.contains("fold long"))
        #expect(html(.user) { $0.text = String(repeating: "x", count: 3_201) }.contains("fold long"))
    }

    @Test func `a tool is a fold: open while it works, failed, or edits`() {
        func isOpen(_ change: (inout Block) -> Void) -> Bool {
            self.html(.tool, change).contains("<details class=\"fold tool\" open>")
        }
        #expect(!isOpen { $0.name = "Bash" })
        #expect(isOpen { $0.state = .streaming })
        #expect(isOpen { $0.state = .failed })
        #expect(isOpen { $0.name = "Edit" })
        let html = html(.tool) { block in
            block.name = "Bash"
            block.command = "ls -l | grep \"x\""
            block.exitCode = 2
        }
        #expect(html.contains("data-tool=\"Bash\""))
        #expect(html.contains("<code class=\"block-title\">ls -l | grep &quot;x&quot;</code>"))
        #expect(html.contains("<span class=\"block-note exit\" data-ok=\"0\">exit 2</span>"))
        #expect(html.contains("<pre class=\"command\"><code>"))
    }

    @Test func `BR-12a command output shows colours, file contents show their escapes`() {
        let terminal = html(.output) { block in
            block.command = "make"
            block.text = "\u{1B}[31mred\u{1B}[0m\r\n"
        }
        #expect(
            terminal.contains("<pre class=\"terminal\"><code>") && terminal.contains("a-fg-1")
                && !terminal.contains("\u{1B}")
        )
        let file = html(.output) { block in
            block.path = "/home/ada/colours.txt"
            block.text = "\u{1B}[31mred"
        }
        #expect(file.contains("<pre class=\"file-text\"><code>") && file.contains("␛"))
        #expect(html(.output).contains("No output."))
    }

    @Test func `BR-13a a cut output names its whole size and offers it`() {
        let html = html(.output) { block in
            block.text = "head\ntail"
            block.fullSize = 3_000_000
        }
        #expect(html.contains("<a href=\"/s/SID/block/eDE?seq=7\">Show all (3.0 MB)</a>"))
        #expect(html.contains("<a href=\"/s/SID/block/eDE/download?seq=7\" download>Download</a>"))
    }

    @Test func `BR-13a what a desktop did not cut is cut here`() {
        let text = String(repeating: String(repeating: "y", count: 99) + "\n", count: 20_000)
        let html = html(.output) { $0.text = text }
        #expect(html.utf8.count < DashboardLimits.bodyBytes + 4_000)
        #expect(html.contains("Show all (2.0 MB)"))
        let line = self.html(.assistant) { $0.text = String(repeating: "z", count: 1_000_000) }
        #expect(line.utf8.count < DashboardLimits.bodyBytes + 4_000)
    }

    @Test func `an edit is a table with its path and how much it changed`() {
        let html = html(.edit) { block in
            block.path = "/home/ada/a.swift"
            block.patch = "@@ -1,2 +1,3 @@\n let a = 1\n-let b = 2\n+let b = 3\n+let c = 4\n"
        }
        #expect(html.contains("<div class=\"diff\"><") && html.contains("/home/ada/a.swift"))
        #expect(html.contains("<ins>+2</ins> <del>−1</del>"))
        let rename = self.html(.edit) { block in
            block.oldPath = "old"
            block.path = "new"
        }
        #expect(rename.contains("old → new") && rename.contains(">Rename<"))
    }

    @Test func `to-do lists say the state in words too`() {
        let html = html(.todo) {
            $0.items = [TodoItem(text: "a <b>", state: .done), TodoItem(text: "c", state: .active)]
        }
        #expect(
            html.contains(
                "<li class=\"todo-item\" data-state=\"done\"><span class=\"todo-mark\" aria-hidden=\"true\"></span><span class=\"visually-hidden\">done: </span>a &lt;b&gt;</li>"
            )
        )
        #expect(html.contains("in work: </span>c"))
    }

    @Test func `pictures of the allowed types are shown, others are links`() {
        let picture = html(.image) { block in
            block.mediaID = "a/b"
            block.mediaType = "image/png"
            block.title = "Screen \"1\""
        }
        #expect(picture.contains("<img src=\"/s/SID/media/YS9i\" alt=\"Screen &quot;1&quot;\" loading=\"lazy\""))
        let drawing = html(.image) { block in
            block.mediaID = "m"
            block.mediaType = "image/svg+xml"
        }
        #expect(!drawing.contains("<img") && drawing.contains("download"))
        #expect(
            html(.file) { block in
                block.path = "/x/report.pdf"
                block.mediaID = "m"
            }.contains("<a class=\"file\" href=\"/s/SID/media/bQ\" download>report.pdf</a>")
        )
    }

    @Test func `a helper's card leads to its session; in a share it leads nowhere`() {
        func card(_ view: BlockView) -> String {
            html(.subagent, in: view) { block in
                block.title = "Look around"
                block.child = "CHILD"
            }
        }
        #expect(card(view).contains("<a class=\"card subagent\" href=\"/s/CHILD\">Look around</a>"))
        let shared = BlockView(links: Links(build: "D").sharing("TOKEN"), session: "SID", agent: .codex)
        #expect(card(shared).contains("<p class=\"card subagent\">Look around</p>"))
    }

    @Test func `an open request has a form, an answered one says what was decided`() {
        let open = html(.approval) { block in
            block.state = .pending
            block.command = "rm -r build"
        }
        #expect(open.contains("action=\"/s/SID/answer\"") && open.contains("name=\"block\" value=\"x1\""))
        #expect(open.contains("value=\"allow\"") && open.contains("value=\"deny\""))
        let done = html(.approval) { $0.decision = "allowed by Ana" }
        #expect(!done.contains("<form") && done.contains("<p class=\"decision\">allowed by Ana</p>"))
        let question = html(.question) { block in
            block.state = .pending
            block.options = ["Red \"one\"", "Blue"]
        }
        #expect(question.contains("value=\"Red &quot;one&quot;\">Red &quot;one&quot;</button>"))
    }

    @Test func `usage is chips`() {
        let html = html(.usage) { block in
            block.usage = Usage(inputTokens: 1_234, outputTokens: 5, cacheReadTokens: 6_000, costMicros: 12_300)
            block.model = "opus"
        }
        #expect(
            html.contains(
                "<ul class=\"chips\"><li class=\"chip\">opus</li><li class=\"chip\">1,234 in</li><li class=\"chip\">5 out</li><li class=\"chip\">6,000 from cache</li><li class=\"chip\">$0.0123</li></ul>"
            )
        )
    }

    @Test("what is not understood is shown as it is, folded", arguments: [BlockKind.badLine, .malformed, .unknown])
    func raw(kind: BlockKind) {
        let html = html(kind) { block in
            block.text = "{\"type\":\"<future>\"\u{0}"
            block.name = "future"
        }
        #expect(html.contains("<details class=\"fold \(kind.rawValue)\">"))
        #expect(
            html.contains("<pre class=\"raw-text\"><code>{&quot;type&quot;:&quot;&lt;future&gt;&quot;␀</code></pre>")
        )
    }

    @Test func `a share masks secrets and can leave tools' work out`() {
        let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"
        var shared = BlockView(links: Links(build: "D").sharing("TOKEN"), session: "SID", agent: .codex)
        let masked = html(.output, in: shared) { $0.text = secret }
        #expect(masked.contains("[masked]") && !masked.contains("ghp_"))
        #expect(html(.output) { $0.text = secret }.contains("ghp_"))
        shared.hidesOutput = true
        for kind in [BlockKind.output, .edit, .image, .file, .error, .tool, .unknown] {
            let hidden = html(kind, in: shared) { block in
                block.text = "private"
                block.command = "private"
                block.path = "private"
                block.title = "private"
                block.mediaID = "private"
                block.patch = "private"
                block.input = "private"
            }
            #expect(!hidden.contains("private"), "\(kind)")
        }
        #expect(html(.user, in: shared) { $0.text = "public" }.contains("public"))
    }

    @Test func `blocks nest by rules without circles, and not without end`() {
        var blocks: [Block] = []
        for index in 0..<20 {
            var block = Block(id: "n\(index)", seq: index, kind: .tool)
            block.parent = index > 0 ? "n\(index - 1)" : "n19"
            blocks.append(block)
        }
        let nesting = Nesting(blocks)
        #expect(nesting.parent(of: "n0") == nil, "a parent that stands behind is none")
        #expect(nesting.parent(of: "n1") == "n0")
        #expect(nesting.parent(of: "n19") == "n4", "deeper ones join the last level")
    }

    @Test @Loop func `rendered blocks are kept by content, within bounds`() async {
        let cache = RenderCache()
        var blocks = (0..<10).map { Block.message($0, "text") }
        _ = await cache.rendered(blocks, as: view)
        #expect(cache.misses == 10 && cache.hits == 0)
        _ = await cache.rendered(blocks, as: view)
        #expect(cache.misses == 10 && cache.hits == 10)
        // The same revision with another content is another block: a desktop may read its files anew.
        blocks[3].text = "other"
        let again = await cache.rendered(blocks, as: view)
        #expect(cache.misses == 11)
        #expect(again[3].html().text.contains("other"))
        let many = (0..<2 * DashboardLimits.cachedBlocks + 100).map { Block(id: "m\($0)", seq: $0, kind: .usage) }
        for start in stride(from: 0, to: many.count, by: 1_000) {
            _ = await cache.rendered(Array(many[start..<min(many.count, start + 1_000)]), as: view)
        }
        #expect(cache.count <= 2 * DashboardLimits.cachedBlocks + 1)
    }
}
