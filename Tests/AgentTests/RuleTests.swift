// The rules for every reader of JSON lines, one by one. Source: agent-transcripts, section 0 (numbers in the names' comments)
// and sections 1.3 and 1.4.
import Agent
import Desktops
import Testing

/// Reads lines as one transcript.
func read(_ agent: AgentKind = .claudeCode, isHelper: Bool = false, _ lines: String...) -> TranscriptIndex {
    read(agent, isHelper: isHelper, bytes: Array(lines.joined(separator: "\n").utf8))
}

func read(_ agent: AgentKind, isHelper: Bool = false, bytes: [UInt8]) -> TranscriptIndex {
    var index = TranscriptIndex(agent: agent, isHelper: isHelper)
    var offset = 0
    for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
        let line = Array(line)
        index.consume(line.span, offset: offset)
        offset += line.count + 1
    }
    return index
}

func user(_ text: String, id: String, parent: String? = nil, more: String = "") -> String {
    let above = parent.map { "\"\($0)\"" } ?? "null"
    return
        #"{"parentUuid":\#(above),"type":"user","message":{"role":"user","content":"\#(text)"},"uuid":"\#(id)"\#(more)}"#
}

func assistant(_ block: String, id: String, parent: String, message: String = "m", usage: Int = 1, more: String = "")
    -> String
{
    #"{"parentUuid":"\#(parent)","type":"assistant","message":{"id":"\#(message)","role":"assistant","content":[\#(block)],"usage":{"input_tokens":1,"output_tokens":\#(usage)}},"uuid":"\#(id)"\#(more)}"#
}

@Suite("Rules for every reader")
struct RuleTests {
    @Test func `U+2028 is text, only LF ends a line`() {  // 0.1
        let index = read(.claudeCode, user("one\u{2028}two\u{85}", id: "a"))
        #expect(index.counts() == [.user: 1])
        #expect(index.lines == 1)
    }

    @Test func `one wrong byte costs one line`() {  // 0.2
        var bytes = Array(user("good", id: "a").utf8) + [0x0A]
        bytes += Array(#"{"type":"user","message":{"content":""#.utf8) + [0xFF] + Array("\"}}\n".utf8)
        bytes += Array(user("also good", id: "b", parent: "a").utf8)
        let index = read(.claudeCode, bytes: bytes)
        #expect(index.counts() == [.user: 2, .badLine: 1])
        #expect(index.badLines == 1)
    }

    @Test func `a lone surrogate costs one character`() {  // 0.2
        #expect(read(.claudeCode, user(#"end \ud83d"#, id: "a")).counts() == [.user: 1])
    }

    @Test(
        "what is no record is one bad line each",
        arguments: [
            "garbage", "null", "[1,2]", "12", #"{"type":"user","message":"#, #"{"type":"mode"}{"type":"mode"}"#,
            "\0\0\0\0",
            #"{"type":"user" "message":1}"#, #"{"type":"user","a":"unterminated}"#, #"{"type":"user",}"#,
        ]
    )
    func badLines(line: String) {  // 0.3
        let index = read(.claudeCode, user("before", id: "a"), line, user("after", id: "b", parent: "a"))
        #expect(index.badLines == 1)
        #expect(index.counts() == [.user: 2, .badLine: 1])
    }

    @Test("empty lines and CR at the end cost nothing", arguments: ["", "   ", "\r", "\t\r"])
    func blanks(line: String) {  // 0.3
        let index = read(.claudeCode, user("before", id: "a") + "\r", line, user("after", id: "b", parent: "a"))
        #expect(index.badLines == 0)
        #expect(index.counts() == [.user: 2])
    }

    @Test func `glued records are one bad line and are shown all the same`() {  // 0.3
        let index = read(.claudeCode, user("one", id: "a") + user("two", id: "b", parent: "a"))
        #expect(index.badLines == 1)
        #expect(index.counts() == [.user: 2, .badLine: 1])
    }

    @Test func `a record behind a block of NUL is shown`() {  // 0.3
        let index = read(.claudeCode, "\0\0\0\0" + user("after the power cut", id: "a"))
        #expect(index.badLines == 1)
        #expect(index.counts() == [.user: 1, .badLine: 1])
    }

    @Test func `unknown records and parts are counted, never dropped`() {  // 0.4
        let index = read(
            .claudeCode,
            #"{"type":"brand-new","x":1}"#,
            #"{"no":"type"}"#,
            assistant(#"{"type":"server_tool_use","id":"s"}"#, id: "a", parent: "x")
        )
        #expect(index.unknown == 3)
        #expect(index.counts() == [.unknown: 3])
    }

    @Test(
        "wrong shapes are counted",
        arguments: [
            #"{"type":"user","message":{"content":42}}"#, #"{"type":"user","message":null}"#, #"{"type":"user"}"#,
            #"{"type":"assistant","message":{"role":"assistant"}}"#, #"{"type":"user","message":{"content":[17]}}"#,
            #"{"type":"user","message":{"content":[{"type":"tool_result"}]}}"#,
            #"{"type":"assistant","message":{"content":[{"type":"tool_use","name":"X"}]}}"#,
        ]
    )
    func shapes(line: String) {  // 0.4
        let index = read(.claudeCode, line)
        #expect(index.malformed == 1)
        #expect(index.badLines == 0)
    }

    @Test func `600 levels of brackets are no deeper than one`() {  // 0.4
        let deep = String(repeating: "[", count: 600) + String(repeating: "]", count: 600)
        let index = read(.claudeCode, #"{"type":"user","message":{"content":"deep","x":\#(deep)}}"#)
        #expect(index.counts() == [.user: 1])
    }

    @Test func `order is the file's, whatever the times say`() {  // 0.9
        let index = read(
            .claudeCode,
            user("first", id: "a", more: #","timestamp":"2026-11-20T09:00:00.000Z""#),
            user("second", id: "b", parent: "a", more: #","timestamp":"2026-11-20T08:00:00.000Z""#)
        )
        #expect(index.counts() == [.user: 2])
        #expect(index.facts.firstPrompt == "first")
        #expect(index.facts.updatedAt == 1_795_165_200_000)
    }

    @Test func `a repeated uuid is shown once`() {  // 0.10
        let prompt = user("again", id: "a")
        let answer = assistant(#"{"type":"text","text":"yes"}"#, id: "b", parent: "a")
        let index = read(.claudeCode, prompt, answer, prompt, answer, prompt)
        #expect(index.counts() == [.user: 1, .assistant: 1, .usage: 1])
    }
}

@Suite("Claude Code's records")
struct ClaudeRecordTests {
    @Test func `usage counts once per answer, behind its last block`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            [
                user("go", id: "u"),
                assistant(#"{"type":"thinking","thinking":"hm"}"#, id: "a1", parent: "u", usage: 3),
                assistant(#"{"type":"text","text":"well"}"#, id: "a2", parent: "a1", usage: 40),
                assistant(
                    #"{"type":"tool_use","id":"t","name":"Bash","input":{"command":"ls"}}"#,
                    id: "a3",
                    parent: "a2",
                    usage: 40
                ),
            ].joined(separator: "\n") + "\n",
            to: "s.jsonl"
        )
        let page = try blocks(of: path)
        #expect(page.map(\.kind) == [.user, .thinking, .assistant, .tool, .usage])
        #expect(page.map(\.seq) == [0, 1, 2, 3, 4])
        #expect(page.last?.usage?.outputTokens == 40)
    }

    @Test func `a failing command is a tool, its output and an error`() throws {
        let scratch = Scratch()
        let path = scratch.write(
            [
                assistant(
                    #"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"false"}}"#,
                    id: "a",
                    parent: "u"
                ),
                #"{"type":"user","uuid":"r","parentUuid":"a","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"Exit code 3\nnope","is_error":true}]},"toolUseResult":"Error: Exit code 3\nnope"}"#,
            ].joined(separator: "\n") + "\n",
            to: "s.jsonl"
        )
        let page = try blocks(of: path)
        #expect(page.map(\.kind) == [.tool, .usage, .output, .error])
        #expect(page[0].state == .failed)
        #expect(page[0].command == "false")
        #expect(page[2].text == "nope")
        #expect(page[2].exitCode == 3)
        #expect(page[2].parent == page[0].id)
        #expect(page[3].title == "Exit code 3")
    }

    @Test func `a tool without a result runs, until the next prompt`() throws {
        let scratch = Scratch()
        let call = assistant(
            #"{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"sleep 9"}}"#,
            id: "a",
            parent: "u"
        )
        #expect(try blocks(of: scratch.write(call + "\n", to: "a.jsonl"))[0].state == .streaming)
        let next = call + "\n" + user("stop that", id: "b", parent: "a") + "\n"
        #expect(try blocks(of: scratch.write(next, to: "b.jsonl"))[0].state == .cancelled)
    }

    @Test func `a rewound branch is marked and still counted`() throws {  // 1.4
        let scratch = Scratch()
        let path = scratch.write(
            [
                user("start", id: "u"), assistant(#"{"type":"text","text":"ok"}"#, id: "a", parent: "u", message: "1"),
                user("dead", id: "d", parent: "a"),
                assistant(#"{"type":"text","text":"dead too"}"#, id: "e", parent: "d", message: "2"),
                user("live", id: "l", parent: "a"),
                assistant(#"{"type":"text","text":"alive"}"#, id: "m", parent: "l", message: "3"),
            ].joined(separator: "\n") + "\n",
            to: "s.jsonl"
        )
        let page = try blocks(of: path)
        #expect(page.filter(\.isRewound).map(\.text) == ["dead", "dead too", ""])
        #expect(page.filter { !$0.isRewound }.map(\.text) == ["start", "ok", "", "live", "alive", ""])
    }

    @Test func `the chain of parents runs through records that show nothing`() throws {  // 1.4
        let index = read(
            .claudeCode,
            user("start", id: "u"),
            #"{"type":"attachment","uuid":"x","parentUuid":"u"}"#,
            user("dead", id: "d", parent: "x"),
            user("live", id: "l", parent: "x")
        )
        #expect(index.counts() == [.user: 3])
    }

    @Test func `a parent that was never written costs nothing`() {  // 1.4
        let index = read(.claudeCode, user("one", id: "a"), user("orphan", id: "b", parent: "phantom"))
        #expect(index.counts() == [.user: 2])
    }

    @Test func `an old inline side chain is a thread of its own`() {  // 1.4
        let side = #","isSidechain":true"#
        let index = read(
            .claudeCode,
            user("main", id: "u"),
            user("Warmup", id: "s", more: side),
            assistant(#"{"type":"text","text":"side talk"}"#, id: "t", parent: "s", more: side),
            assistant(#"{"type":"text","text":"main talk"}"#, id: "v", parent: "t", message: "n")
        )
        #expect(index.counts() == [.user: 1, .assistant: 1, .usage: 1])
        #expect(index.counts(thread: "sidechain-s") == [.user: 1, .assistant: 1, .usage: 1])
    }

    @Test func `in a helper's own file the side chain is the main thread`() {
        let index = read(.claudeCode, isHelper: true, user("count", id: "u", more: #","isSidechain":true"#))
        #expect(index.counts() == [.user: 1])
    }

    @Test(
        "what is not the person speaking is no prompt",
        arguments: [
            (#"<command-name>/model</command-name>\n<command-args>opus</command-args>"#, BlockKind.notice),
            ("<local-command-stdout>set</local-command-stdout>", .notice), ("<bash-input>ls</bash-input>", .tool),
            ("<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>", .output),
            ("[Request interrupted by user]", .notice),
            ("<task-notification><task-id>x</task-id></task-notification>", .notice),
            ("<agent-notes> I typed this", .user),
            ("Caveat: I typed this too", .user),
        ]
    )
    func injected(text: String, kind: BlockKind) {
        #expect(read(.claudeCode, user(text, id: "a")).counts() == [kind: 1])
    }

    @Test(
        "texts for the model alone are hidden",
        arguments: [
            "<system-reminder>x</system-reminder>", "<local-command-caveat>x</local-command-caveat>",
            "Caveat: The messages below were generated by the user while running local commands. x",
        ]
    )
    func hidden(text: String) { #expect(read(.claudeCode, user(text, id: "a")).counts() == [:]) }

    @Test func `two calls with one id are two tools`() {
        let call = #"{"type":"tool_use","id":"call_0","name":"Bash","input":{"command":"ls"}}"#
        let result = #"{"type":"tool_result","tool_use_id":"call_0","content":"x"}"#
        let index = read(
            .claudeCode,
            assistant(call, id: "a", parent: "u", message: "1"),
            #"{"type":"user","uuid":"b","message":{"content":[\#(result)]}}"#,
            assistant(call, id: "c", parent: "b", message: "2"),
            #"{"type":"user","uuid":"d","message":{"content":[\#(result)]}}"#
        )
        #expect(index.counts() == [.tool: 2, .output: 2, .usage: 2])
    }

    @Test func `task tools give the list as it stands`() throws {
        let scratch = Scratch()
        func task(_ id: String, _ name: String, _ input: String, _ result: String) -> String {
            assistant(
                #"{"type":"tool_use","id":"\#(id)","name":"\#(name)","input":\#(input)}"#,
                id: "a\(id)",
                parent: "u",
                message: id
            )
                + "\n"
                + #"{"type":"user","uuid":"r\#(id)","message":{"content":[{"type":"tool_result","tool_use_id":"\#(id)","content":"ok"}]},"toolUseResult":\#(result)}"#
                + "\n"
        }
        let path = scratch.write(
            task("1", "TaskCreate", #"{"subject":"Look"}"#, #"{"task":{"id":"1","subject":"Look"}}"#)
                + task("2", "TaskCreate", #"{"subject":"Ship"}"#, #"{"task":{"id":"2","subject":"Ship"}}"#)
                + task(
                    "3",
                    "TaskUpdate",
                    #"{"taskId":"1"}"#,
                    #"{"taskId":"1","statusChange":{"from":"pending","to":"completed"}}"#
                ),
            to: "s.jsonl"
        )
        let lists = try blocks(of: path).filter { $0.kind == .todo }.map(\.items)
        #expect(lists.count == 3)
        #expect(lists.last == [TodoItem(text: "Look", state: .done), TodoItem(text: "Ship", state: .pending)])
        #expect(lists.first == [TodoItem(text: "Look", state: .pending)])
    }
}

/// The newest blocks of a transcript's main thread, as a dashboard gets them.
func blocks(of path: String, agent: AgentKind = .claudeCode) throws -> [Block] {
    let transcript = try open(path, agent: agent)
    return try transcript.page(thread: "main", before: nil, limit: 200).blocks
}

/// A transcript that was read to its end.
func open(_ path: String, agent: AgentKind = .claudeCode) throws -> Transcript {
    let stamp = try #require(FileStamp.of(path))
    let found = FoundTranscript(path: path, relative: "claude/projects/x/s.jsonl", agent: agent, stamp: stamp)
    let transcript = Transcript(found, session: "session")
    var progress = transcript.catchUp()
    while progress == .more { progress = transcript.catchUp() }
    #expect(progress == .current)
    return transcript
}
