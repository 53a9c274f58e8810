// Transcripts that grow, shrink, are written anew and vanish while they are read. Source: agent-transcripts, section 0.1, 0.6.
import Agent
import Desktops
import Glibc
import Testing

@Suite("Growing transcripts")
struct GrowthTests {
    @Test func `a half-written line is no line yet`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("one", id: "a") + "\n" + #"{"type":"user","mess"#, to: "s.jsonl")
        let transcript = try open(path)
        #expect(try transcript.page(thread: "main", before: nil, limit: 10).blocks.map(\.kind) == [.user])
        scratch.write(Array(#"age":{"content":"two"},"uuid":"b"}"#.utf8), to: "s.jsonl", append: true)
        #expect(transcript.catchUp() == .current)
        #expect(try transcript.page(thread: "main", before: nil, limit: 10).blocks.count == 1)
        scratch.write([0x0A], to: "s.jsonl", append: true)
        #expect(transcript.catchUp() == .current)
        #expect(try transcript.page(thread: "main", before: nil, limit: 10).blocks.map(\.text) == ["one", "two"])
    }

    @Test(
        "growth in odd pieces ends in the same blocks at any prefix",
        .enabled(if: SharedFixtures.folder != nil),
        arguments: FixtureTests.all.filter {
            !$0.path.contains("huge") && !$0.path.contains("2026/11/26") && !$0.path.contains("long")
        }
    )
    func pieces(expected: FixtureTests.Expected) throws {
        let folder = try #require(SharedFixtures.folder)
        let agent: AgentKind = expected.path.hasPrefix("claude/") ? .claudeCode : .codex
        let bytes = SharedFixtures.bytes("\(folder)/\(expected.path)")
        let scratch = Scratch()
        let path = scratch.write([], to: "s.jsonl")
        let transcript = try open(path, agent: agent)
        var written = 0
        let pieces = [1, 7, 100, 1_000, 4_096, 700]
        var turn = 0
        while written < bytes.count {
            let end = min(bytes.count, written + pieces[turn % pieces.count])
            scratch.write(Array(bytes[written..<end]), to: "s.jsonl", append: true)
            written = end
            turn += 1
            #expect(transcript.catchUp() == .current)
            // Reading the whole file for each prefix would take a minute: every ninth, and the last.
            guard turn % 9 == 0 || written == bytes.count else { continue }
            let grown = try transcript.page(thread: "main", before: nil, limit: 30).blocks
            let whole = try open(path, agent: agent).page(thread: "main", before: nil, limit: 30).blocks
            #expect(grown.map(\.id) == whole.map(\.id))
            #expect(grown.map(\.text) == whole.map(\.text))
            #expect(grown.map(\.state) == whole.map(\.state))
            #expect(grown.map(\.seq) == whole.map(\.seq))
        }
    }

    @Test func `a shorter file is read from its beginning`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("one", id: "a") + "\n" + user("two", id: "b", parent: "a") + "\n", to: "s.jsonl")
        let transcript = try open(path)
        let before = try transcript.page(thread: "main", before: nil, limit: 10)
        scratch.write(user("new", id: "c") + "\n", to: "s.jsonl")
        #expect(transcript.catchUp() == .current)
        let after = try transcript.page(thread: "main", before: nil, limit: 10)
        #expect(after.blocks.map(\.text) == ["new"])
        #expect(after.revision > before.revision)
    }

    @Test func `a file with another beginning is another file`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("one", id: "a") + "\n", to: "s.jsonl")
        let transcript = try open(path)
        transcript.track(true)
        scratch.write(
            user("other and longer", id: "a") + "\n" + user("more", id: "b", parent: "a") + "\n",
            to: "s.jsonl"
        )
        #expect(transcript.catchUp() == .current)
        #expect(
            try transcript.page(thread: "main", before: nil, limit: 10).blocks.map(\.text) == [
                "other and longer", "more",
            ]
        )
        // Whoever watches has an older state and is told to load again.
        let update = try #require(transcript.updates().first)
        #expect(update.since == update.revision)
    }

    @Test func `a replaced file is another file`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("one", id: "a") + "\n", to: "s.jsonl")
        let transcript = try open(path)
        scratch.write(user("one", id: "a") + "\n" + user("two", id: "b", parent: "a") + "\n", to: "t.jsonl")
        #expect(unsafe rename("\(scratch.path)/t.jsonl", path) == 0)
        #expect(transcript.catchUp() == .current)
        #expect(try transcript.page(thread: "main", before: nil, limit: 10).blocks.map(\.text) == ["one", "two"])
    }

    @Test func `a deleted file is gone`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("one", id: "a") + "\n", to: "s.jsonl")
        let transcript = try open(path)
        #expect(unsafe unlink(path) == 0)
        #expect(transcript.catchUp() == .gone)
    }

    @Test func `an update covers what changed since the one before`() throws {
        let scratch = Scratch()
        let call = assistant(
            #"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}"#,
            id: "a",
            parent: "u"
        )
        let path = scratch.write(user("go", id: "u") + "\n", to: "s.jsonl")
        let transcript = try open(path)
        transcript.track(true)
        let start = try transcript.page(thread: "main", before: nil, limit: 10).revision
        #expect(transcript.updates().isEmpty)
        scratch.write(Array((call + "\n").utf8), to: "s.jsonl", append: true)
        #expect(transcript.catchUp() == .current)
        let first = try #require(transcript.updates().first)
        #expect(first.since == start)
        #expect(first.blocks.map(\.kind) == [.tool, .usage])
        #expect(first.blocks[0].state == .streaming)
        let result =
            #"{"type":"user","uuid":"r","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#
        scratch.write(Array((result + "\n").utf8), to: "s.jsonl", append: true)
        #expect(transcript.catchUp() == .current)
        let second = try #require(transcript.updates().first)
        #expect(second.since == first.revision)
        #expect(second.blocks.map(\.kind) == [.tool, .output])
        #expect(second.blocks[0].state == .complete)
        #expect(second.blocks[0].revision > first.blocks[0].revision)
    }

    @Test func `pages are ascending, from the end backwards`() throws {
        let scratch = Scratch()
        let lines = (0..<450).map { user("p\($0)", id: "u\($0)", parent: $0 > 0 ? "u\($0 - 1)" : nil) }
        let transcript = try open(scratch.write(lines.joined(separator: "\n") + "\n", to: "s.jsonl"))
        var texts: [String] = []
        var before: Int?
        var hasMore = true
        while hasMore {
            let page = try transcript.page(thread: "main", before: before, limit: 200)
            texts = page.blocks.map(\.text) + texts
            before = page.blocks.first?.seq
            hasMore = page.hasMore
        }
        #expect(texts == (0..<450).map { "p\($0)" })
    }

    @Test func `a line longer than the limit is one bad line and is never held`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("one", id: "a") + "\n", to: "s.jsonl")
        var long = Array(#"{"type":"user","message":{"content":""#.utf8)
        long += [UInt8](repeating: UInt8(ascii: "x"), count: TranscriptLimits.line + 10)
        scratch.write(
            long + Array("\"}}\n".utf8) + Array((user("two", id: "b", parent: "a") + "\n").utf8),
            to: "s.jsonl",
            append: true
        )
        let page = try blocks(of: path)
        #expect(page.map(\.kind) == [.user, .badLine, .user])
        #expect(page[2].text == "two")
    }

    @Test func `a long body is cut in the middle and fetched in pieces`() throws {
        let scratch = Scratch()
        let text = (0..<20_000).map { "line \($0) ä" }.joined(separator: "\\n")
        let path = scratch.write(user(text, id: "a") + "\n", to: "s.jsonl")
        let transcript = try open(path)
        let block = try #require(try transcript.page(thread: "main", before: nil, limit: 1).blocks.first)
        let whole = (0..<20_000).map { "line \($0) ä" }.joined(separator: "\n")
        #expect(block.fullSize == whole.utf8.count)
        #expect(block.text.utf8.count < TranscriptLimits.inlineBody)
        #expect(block.text.hasPrefix("line 0 ä\n"))
        #expect(block.text.hasSuffix("line 19999 ä"))
        var fetched: [UInt8] = []
        while fetched.count < whole.utf8.count {
            let chunk = try transcript.body(id: block.id, offset: fetched.count, length: 100_000)
            #expect(chunk.totalSize == whole.utf8.count)
            fetched += chunk.bytes
        }
        #expect(String(decoding: fetched, as: UTF8.self) == whole)
        #expect(throws: DesktopServiceError.self) {
            try transcript.body(id: block.id, offset: fetched.count + 1, length: 1)
        }
    }

    @Test func `a symbolic link is not read`() throws {
        let scratch = Scratch()
        let path = scratch.write(user("secret", id: "a") + "\n", to: "real.jsonl")
        #expect(unsafe symlink(path, "\(scratch.path)/link.jsonl") == 0)
        #expect(FileStamp.of("\(scratch.path)/link.jsonl") == nil)
        #expect(TranscriptIndex.reading("\(scratch.path)/link.jsonl", agent: .claudeCode) == nil)
    }
}
