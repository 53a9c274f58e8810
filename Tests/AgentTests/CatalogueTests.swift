// The list of sessions: ids, titles, parents, states, and that it is made from the ends of files. Source: agent-transcripts,
// sections 1.5 and 2.4.
import Agent
import Desktops
import Glibc
import Testing
import Web

private func catalogue(_ home: String) -> Catalogue {
    let roots = AgentRoots(home: home, environment: [:])
    var catalogue = Catalogue()
    let found = roots.scan().transcripts
    catalogue.expect(found)
    catalogue.codexNames = CatalogueReader.codexNames(roots)
    catalogue.running = RunningAgents.read(claude: roots.claude)
    catalogue.put(found.compactMap { CatalogueReader.listing($0) })
    return catalogue
}

@Suite("The list of sessions")
struct CatalogueTests {
    @Test("says the same from the ends of a file as from all of it", .enabled(if: SharedFixtures.folder != nil))
    func fixtures() throws {
        let folder = try #require(SharedFixtures.folder)
        let sessions = catalogue(folder).summaries(now: 0)
        #expect(sessions.count == 18)
        let byPath = Dictionary(uniqueKeysWithValues: sessions.map { ($0.transcript, $0) })
        for expected in FixtureTests.all {
            let session = try #require(byPath[expected.path], "\(expected.path)")
            #expect(session.project == expected.value["cwd"]?.string)
            #expect(session.model == expected.value["model"]?.string)
            #expect(session.agentVersion == expected.value["version"]?.string)
            if let title = expected.value["title"]?.string {
                #expect(session.title.hasPrefix(title), "\(expected.path)")
            }
            let native = try #require(expected.value["session"]?.string)
            let isHelper = expected.path.contains("/agent-")
            #expect(
                session.nativeID
                    == (isHelper ? expected.path.split(separator: "/").last.map { String($0.dropLast(6)) } : native)
            )
            #expect(session.isArchived == expected.path.contains("archived"))
            if isHelper { #expect(session.parent == sessions.first { $0.nativeID == native }?.id) }
            if let parent = expected.value["parent"]?.string {
                #expect(session.parent == sessions.first { $0.nativeID == parent }?.id)
            }
            if let base = expected.value["history_base"]?.string {
                #expect(session.forkedFrom == sessions.first { $0.nativeID == base }?.id)
            }
        }
    }

    @Test("links a helper's block with its session", .enabled(if: SharedFixtures.folder != nil))
    func helpers() throws {
        let folder = try #require(SharedFixtures.folder)
        let catalogue = catalogue(folder)
        for session in catalogue.summaries(now: 0) where session.title.hasPrefix("Use ") {
            let helpers = catalogue.helpers(of: session.id)
            let path = try #require(catalogue.path(session: session.id))
            let found = try #require(catalogue.listing(path: path)).found
            let transcript = Transcript(found, session: session.id)
            #expect(transcript.catchUp() == .current)
            transcript.link(helpers: helpers)
            let blocks = try transcript.page(thread: "main", before: nil, limit: 200).blocks.filter {
                $0.kind == .subagent
            }
            #expect(!blocks.isEmpty)
            for block in blocks {
                let child = try #require(block.child)
                #expect(catalogue.path(session: child) != nil)
                #expect(block.state == .complete)
            }
        }
    }

    @Test func `ids are UUIDs and stay the same`() {
        let id = SessionID.claude(session: "f5f554ed-8323-4ef5-8ba2-e1619fb9af50")
        #expect(id.utf8.count == 36)
        #expect(id == SessionID.claude(session: "f5f554ed-8323-4ef5-8ba2-e1619fb9af50"))
        #expect(id != SessionID.codex(thread: "f5f554ed-8323-4ef5-8ba2-e1619fb9af50"))
        #expect(id == id.lowercased())
    }

    @Test func `two files with one id are two sessions, whichever is found first`() {
        let scratch = Scratch()
        for slug in ["-b", "-a"] {
            scratch.write(user("in \(slug)", id: "u") + "\n", to: ".claude/projects/\(slug)/one.jsonl")
        }
        let sessions = catalogue(scratch.path).summaries(now: 0)
        #expect(Set(sessions.map(\.id)).count == 2)
        #expect(sessions.first { $0.title == "in -a" }?.id == SessionID.claude(session: "one"))
    }

    @Test func `an archived copy of a live rollout is not shown`() {
        let scratch = Scratch()
        let meta = #"{"type":"session_meta","payload":{"id":"01a162d6-b280-7ab1-8563-d10370da03e0","cwd":"/p"}}"# + "\n"
        let name = "rollout-2026-10-22T09-00-00-01a162d6-b280-7ab1-8563-d10370da03e0.jsonl"
        scratch.write(meta, to: ".codex/archived_sessions/\(name)")
        scratch.write(meta, to: ".codex/sessions/2026/10/22/\(name)")
        let sessions = catalogue(scratch.path).summaries(now: 0)
        #expect(sessions.map(\.isArchived) == [false])
    }

    @Test func `a compressed rollout is listed and says that it cannot be read`() {
        let scratch = Scratch()
        scratch.write(
            "zst",
            to: ".codex/sessions/2026/10/22/rollout-2026-10-22T09-00-00-01a162d6-b280-7ab1-8563-d10370da03e0.jsonl.zst"
        )
        let sessions = catalogue(scratch.path).summaries(now: 0)
        #expect(sessions.map(\.title) == ["Compressed, not readable here"])
        #expect(sessions.map(\.nativeID) == ["01a162d6-b280-7ab1-8563-d10370da03e0"])
    }

    @Test(
        "titles go by rank",
        arguments: [
            (["custom", "ai", "prompt", "last"], "custom"), (["ai", "prompt", "last"], "ai"),
            (["prompt", "last"], "prompt"),
            (["last"], "last"),
        ]
    )
    func titles(given: [String], title: String) {
        let scratch = Scratch()
        let lines = [
            "prompt": user("prompt", id: "u"), "custom": #"{"type":"custom-title","customTitle":"custom"}"#,
            "ai": #"{"type":"ai-title","aiTitle":"ai"}"#, "last": #"{"type":"last-prompt","lastPrompt":"last"}"#,
        ]
        let attachment = #"{"type":"attachment","uuid":"x"}"#
        scratch.write(
            ([attachment] + given.reversed().compactMap { lines[$0] }).joined(separator: "\n") + "\n",
            to: ".claude/projects/-p/s.jsonl"
        )
        #expect(catalogue(scratch.path).summaries(now: 0).map(\.title) == [title])
    }

    @Test func `a summary names the session that owns its record`() {
        let scratch = Scratch()
        scratch.write(user("own words", id: "leaf") + "\n", to: ".claude/projects/-p/a.jsonl")
        scratch.write(
            #"{"type":"summary","summary":"A better name","leafUuid":"leaf"}"# + "\n" + user("other", id: "o") + "\n",
            to: ".claude/projects/-p/b.jsonl"
        )
        #expect(Set(catalogue(scratch.path).summaries(now: 0).map(\.title)) == ["A better name", "other"])
    }

    @Test func `a file that begins as a side chain is no session`() {
        let scratch = Scratch()
        scratch.write(user("Warmup", id: "u", more: #","isSidechain":true"#) + "\n", to: ".claude/projects/-p/s.jsonl")
        #expect(catalogue(scratch.path).summaries(now: 0).isEmpty)
    }

    @Test(
        "a live process says what its session does; a dead one says nothing",
        arguments: [("busy", SessionState.running), ("idle", .idle)]
    )
    func processes(status: String, state: SessionState) {
        let scratch = Scratch()
        let now = Int64(time(nil)) * 1_000
        scratch.write(user("go", id: "u") + "\n", to: ".claude/projects/-p/alive.jsonl")
        scratch.write(
            user("go", id: "u") + "\n" + assistant(#"{"type":"text","text":"done"}"#, id: "a", parent: "u") + "\n",
            to: ".claude/projects/-p/dead.jsonl"
        )
        scratch.write(
            #"{"pid":\#(getpid()),"sessionId":"alive","status":"\#(status)"}"#,
            to: ".claude/sessions/\(getpid()).json"
        )
        scratch.write(#"{"pid":4194999,"sessionId":"dead","status":"busy"}"#, to: ".claude/sessions/4194999.json")
        let sessions = catalogue(scratch.path).summaries(now: now)
        #expect(sessions.first { $0.nativeID == "alive" }?.state == state)
        #expect(sessions.first { $0.nativeID == "dead" }?.state == .idle)
    }

    @Test func `without a process a prompt counts as work for ten minutes`() {
        let scratch = Scratch()
        scratch.write(user("go", id: "u") + "\n", to: ".claude/projects/-p/s.jsonl")
        let catalogue = catalogue(scratch.path)
        let now = Int64(time(nil)) * 1_000
        #expect(catalogue.summaries(now: now).map(\.state) == [.running])
        #expect(catalogue.summaries(now: now + TranscriptLimits.workingTime + 2_000).map(\.state) == [.idle])
    }

    @Test func `the environment moves the agents' folders, unless a home is given`() {
        let variables = ["HOME": "/h", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x,/y"]
        #expect(AgentRoots(home: nil, environment: variables) == AgentRoots(claude: "/c", codex: ["/x", "/y"]))
        #expect(
            AgentRoots(home: nil, environment: ["HOME": "/h"]) == AgentRoots(claude: "/h/.claude", codex: ["/h/.codex"])
        )
        #expect(
            AgentRoots(home: "/d", environment: variables) == AgentRoots(claude: "/d/.claude", codex: ["/d/.codex"])
        )
    }

    @Test func `secrets and links beside transcripts are left alone`() {
        let scratch = Scratch()
        scratch.write(user("go", id: "u") + "\n", to: "outside/secret.jsonl")
        scratch.write(user("go", id: "u") + "\n", to: ".claude/projects/-p/s.jsonl")
        for name in ["auth.json", ".credentials.json", "sessions/1.abc.key"] {
            scratch.write("secret", to: ".claude/\(name)")
        }
        #expect(unsafe symlink("\(scratch.path)/outside", "\(scratch.path)/.claude/projects/-link") == 0)
        #expect(
            unsafe symlink("\(scratch.path)/outside/secret.jsonl", "\(scratch.path)/.claude/projects/-p/l.jsonl") == 0
        )
        #expect(catalogue(scratch.path).summaries(now: 0).map(\.nativeID) == ["s"])
    }
}
