import Desktops
import Testing
import Web

@Suite("Blocks on the wire")
struct TimelineCodecTests {
    private func roundTrip(_ blocks: [Block]) throws -> [Block] {
        let update = TimelineUpdate(session: "s", thread: "main", revision: 3, since: 2, blocks: blocks, removed: ["x"])
        let payload = TimelineCodec.payload(of: update)
        let snapshot = try TimelineCodec.snapshot(payload)
        #expect(snapshot.session == "s" && snapshot.revision == 3 && snapshot.since == 2 && snapshot.removed == ["x"])
        #expect(!SnakeCaseKey.found(in: payload))
        return snapshot.blocks
    }

    /// A block with every member filled.
    private func full(_ kind: BlockKind, seq: Int = 4) -> Block {
        var block = Block(id: "id-\(seq)", seq: seq, kind: kind)
        block.thread = "helper"
        block.parent = "p"
        block.at = 1_796_029_200_000
        block.revision = 9
        block.state = .streaming
        block.isRewound = true
        block.title = "title \"quoted\" \u{2028}"
        block.text = "text\nwith lines, 🧭 and \u{0}"
        block.fullSize = 99
        block.name = "exec_command"
        block.input = #"{"file_path":"main.swift"}"#
        block.command = "ls -l"
        block.exitCode = -1
        block.path = "/a/b"
        block.oldPath = "/a/c"
        block.patch = "@@ -1 +1 @@\n-a\n+b\n"
        block.items = [TodoItem(text: "one", state: .done), TodoItem(text: "two", state: .active)]
        block.mediaType = "image/png"
        block.mediaID = "m"
        block.child = "c"
        block.model = "opus"
        block.usage = Usage(inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4, costMicros: 5)
        block.requestID = "request"
        block.options = ["yes", "no"]
        block.decision = "yes"
        return block
    }

    @Test(arguments: BlockKind.allCases) func `nothing of a block is lost, whatever its kind`(kind: BlockKind) throws {
        let block = full(kind)
        #expect(try roundTrip([block]) == [block])
        let bare = Block(id: "bare", seq: 0, kind: kind)
        #expect(try roundTrip([bare]) == [bare])
    }

    @Test(arguments: [
        (BlockKind.tool, "toolCall"), (.output, "commandOutput"), (.edit, "diff"), (.todo, "plan"), (.plan, "plan"),
        (.notice, "status"), (.user, "user"), (.subagent, "subagent"), (.question, "question"), (.badLine, "badLine"),
    ])
    func `kinds have the names of section 5`(kind: BlockKind, name: String) throws {
        let payload = TimelineCodec.payload(
            of: TimelineUpdate(session: "s", revision: 1, since: 0, blocks: [full(kind)])
        )
        #expect(try JSON(parsing: payload)["blocks"]?[0]?["kind"]?.string == name)
    }

    @Test func `a block of another desktop, from the worked transcript, is understood`() throws {
        let payload =
            #"{"appSessionId":"s-1","runId":"run-7","threadId":"main","revision":41,"baseSeq":12,"removedBlockIds":[],"blocks":[{"id":"b-12","seq":12,"kind":"toolCall","threadId":"main","runId":"run-7","createdAt":1796029200000,"updatedAt":1796029200050,"revision":2,"state":"streaming","toolName":"Edit","title":"Edit main.swift","inputJson":"{\"file_path\":\"main.swift\"}","status":"running","future":{"a":[1]}}],"truncatedHead":true}"#
        let snapshot = try TimelineCodec.snapshot(Array(payload.utf8))
        #expect(snapshot.since == nil && snapshot.baseSeq == 12 && snapshot.run == "run-7")
        let block = try #require(snapshot.blocks.first)
        #expect(block.kind == .tool && block.name == "Edit" && block.state == .streaming)
        #expect(block.input == #"{"file_path":"main.swift"}"#)
    }

    @Test func `a kind that nobody here knows is kept as it came`() throws {
        let wire = #"{"id":"x","seq":3,"kind":"hologram","revision":1,"text":"t","depth":{"z":3}}"#
        let payload = #"{"appSessionId":"s","revision":1,"blocks":[\#(wire)]}"#
        let block = try #require(try TimelineCodec.snapshot(Array(payload.utf8)).blocks.first)
        #expect(block.kind == .unknown && block.name == "hologram" && block.input == wire && block.text == "t")
    }

    @Test(arguments: [
        #"{"seq":1,"kind":"user","revision":1}"#, #"{"id":"","seq":1,"kind":"user"}"#, #"{"id":"a","kind":"user"}"#,
        #"{"id":"a","seq":-1,"kind":"user"}"#, #"{"id":"a","seq":1}"#, "7",
    ])
    func `a block without identity or place is passed over, the others stay`(wire: String) throws {
        let payload =
            #"{"appSessionId":"s","revision":1,"blocks":[\#(wire),{"id":"g","seq":2,"kind":"user","revision":1}]}"#
        #expect(try TimelineCodec.snapshot(Array(payload.utf8)).blocks.map(\.id) == ["g"])
    }

    @Test func `blocks come out ascending, the last of an id wins`() throws {
        let payload =
            #"{"appSessionId":"s","revision":1,"blocks":[{"id":"b","seq":5,"kind":"user","revision":1},{"id":"a","seq":2,"kind":"user","revision":1},{"id":"a","seq":3,"kind":"user","revision":2}]}"#
        #expect(try TimelineCodec.snapshot(Array(payload.utf8)).blocks.map { "\($0.id)\($0.seq)" } == ["a3", "b5"])
    }

    @Test func `bodies are cut at 32 KiB, head and tail kept, whole characters`() throws {
        var block = Block.note(1, String(repeating: "é", count: Limits.inlineBody / 2))
        #expect(try roundTrip([block]) == [block], "exactly at the limit")
        block.text += "é!"
        let cut = try #require(try roundTrip([block]).first)
        #expect(cut.fullSize == Limits.inlineBody + 3)
        #expect(cut.text.utf8.count <= Limits.inlineBody)
        #expect(cut.text.hasPrefix("éé") && cut.text.hasSuffix("éé!") && cut.text.contains("\n…\n"))
        #expect(!cut.text.unicodeScalars.contains("\u{FFFD}"))

        var edit = Block(id: "e", seq: 1, kind: .edit)
        edit.patch = String(repeating: "+a line of code\n", count: 4_000)
        let cutEdit = try #require(try roundTrip([edit]).first)
        #expect(cutEdit.fullSize == 64_000)
        #expect(cutEdit.patch?.hasSuffix("+a line of code\n") == true)

        var tool = Block(id: "t", seq: 1, kind: .tool)
        tool.input = String(repeating: "i", count: Limits.inlineInput + 1)
        #expect((try roundTrip([tool]).first?.input?.utf8.count ?? 0) <= Limits.inlineInput)
    }

    @Test func `a snapshot above 256 KiB keeps the newest blocks and makes receivers reload`() throws {
        let blocks = (0..<20).map { Block.note($0, String(repeating: "x", count: 30_000)) }
        let update = TimelineUpdate(session: "s", revision: 30, since: 10, blocks: blocks)
        let payload = TimelineCodec.payload(of: update)
        #expect(payload.count <= Limits.snapshotBytes)
        let snapshot = try TimelineCodec.snapshot(payload)
        #expect(snapshot.since == 30)
        #expect(snapshot.blocks.map(\.seq) == Array(12..<20))
        #expect(snapshot.baseSeq == 12)
    }

    @Test func `sessions travel whole`() throws {
        var session = SessionSummary.sample("s", updatedAt: 5)
        session.branch = "main"
        session.model = "opus"
        session.agentVersion = "2.1"
        session.state = .waitingApproval
        session.activeRun = "r"
        session.createdAt = 4
        session.parent = "p"
        session.forkedFrom = "f"
        session.isArchived = true
        session.transcript = "a/b.jsonl"
        session.badLines = 1
        session.unknownRecords = 2
        session.usage = Usage(inputTokens: 7)
        // A desktop's own encoder and the hub's decoder meet in the end-to-end tests; here the shapes of other desktops.
        let wire =
            #"{"chats":[{"appSessionId":"s","title":"T","projectDirectory":"/p","agentKind":"gemini","state":"queued","updatedAt":9,"lastText":"x"},{"title":"no id"}],"nextCursor":null}"#
        let list = try ChatCodec.list(Array(wire.utf8))
        #expect(list.sessions.count == 1 && list.next == nil)
        #expect(list.sessions.first?.agent == .other && list.sessions.first?.state == .running)
    }

    @Test(arguments: [
        (
            #"{"offset":0,"length":3,"nextOffset":null,"totalSize":3,"contentVersion":"v","mimeType":"a/b","dataBase64":"AAEC"}"#,
            true
        ),
        (#"{"offset":0,"length":3,"nextOffset":3,"totalSize":9,"contentVersion":"v","dataBase64":"AAEC"}"#, true),
        (#"{"offset":1,"length":3,"nextOffset":4,"totalSize":9,"dataBase64":"AAEC"}"#, false),
        (#"{"offset":0,"length":2,"nextOffset":3,"totalSize":9,"dataBase64":"AAEC"}"#, false),
        (#"{"offset":0,"length":3,"nextOffset":4,"totalSize":9,"dataBase64":"AAEC"}"#, false),
        (#"{"offset":0,"length":3,"nextOffset":null,"totalSize":9,"dataBase64":"AAEC"}"#, false),
        (#"{"offset":0,"length":3,"nextOffset":3,"totalSize":2,"dataBase64":"AAEC"}"#, false),
        (#"{"offset":0,"length":0,"nextOffset":0,"totalSize":9,"dataBase64":""}"#, false),
        (#"{"offset":0,"length":3,"nextOffset":null,"totalSize":3,"dataBase64":"A!EC"}"#, false),
        (#"{"offset":9223372036854775807,"length":3,"nextOffset":3,"totalSize":9,"dataBase64":"AAEC"}"#, false),
        ("[]", false),
    ])
    func `R103, R105, R106: a piece that does not fit what was asked for is refused`(wire: String, isGood: Bool) {
        #expect((ChatCodec.piece(Array(wire.utf8), offset: 0, length: 3) != nil) == isGood)
    }

    @Test func `a piece longer than was asked for is refused`() {
        let wire = #"{"offset":0,"length":3,"nextOffset":null,"totalSize":3,"dataBase64":"AAEC"}"#
        #expect(ChatCodec.piece(Array(wire.utf8), offset: 0, length: 2) == nil)
    }
}

@Suite("What a desktop sends, and when")
struct UpdateOutboxTests {
    private func update(_ revision: Int, _ blocks: [Block], since: Int? = nil, removed: [String] = []) -> TimelineUpdate
    {
        TimelineUpdate(session: "s", revision: revision, since: since ?? revision - 1, blocks: blocks, removed: removed)
    }

    @Test func `RD11: the first change leaves at once, later ones every 100 ms, merged`() {
        var outbox = UpdateOutbox()
        outbox.add(update(1, [.note(0)]), now: 0)
        #expect(outbox.due(now: 0).map(\.revision) == [1])
        outbox.add(update(2, [.note(1)]), now: 10)
        outbox.add(update(3, [.note(1, "more", revision: 2), .note(2)]), now: 50)
        #expect(outbox.due(now: 99).isEmpty)
        #expect(outbox.nextDue == 100)
        let merged = outbox.due(now: 100)
        #expect(merged == [update(3, [.note(1, "more", revision: 2), .note(2)], since: 1)])
        #expect(outbox.nextDue == nil)
        outbox.add(update(4, [.note(3)]), now: 300)
        #expect(outbox.due(now: 300).map(\.revision) == [4])
    }

    @Test func `threads do not wait for each other, a session that is left is forgotten`() {
        var outbox = UpdateOutbox()
        var other = update(1, [.note(0)])
        other.thread = "helper"
        outbox.add(update(1, [.note(0)]), now: 0)
        outbox.add(other, now: 0)
        #expect(outbox.due(now: 0).count == 2)
        outbox.add(other, now: 1)
        outbox.forget(session: "s")
        #expect(outbox.due(now: 1_000).isEmpty)
    }

    @Test func `a block that is removed and one that comes back are told right`() {
        let first = update(2, [.note(0), .note(1)], since: 1)
        let removing = update(3, [], removed: ["b1"])
        let merged = UpdateOutbox.merge(first, removing)
        #expect(merged.blocks.map(\.id) == ["b0"] && merged.removed == ["b1"])
        let back = UpdateOutbox.merge(merged, update(4, [.note(1, "again")]))
        #expect(back.blocks.map(\.id) == ["b0", "b1"] && back.removed.isEmpty && back.since == 1)
    }

    @Test func `a hole between two updates stays visible`() {
        let merged = UpdateOutbox.merge(update(2, [.note(0)], since: 1), update(9, [.note(1)], since: 8))
        #expect(merged.since == 8)
    }

    @Test func `at its bound it sends a gap instead of growing`() {
        var outbox = UpdateOutbox()
        _ = outbox.due(now: 0)
        outbox.add(update(1, []), now: 0)
        _ = outbox.due(now: 0)
        for revision in 2...10 {
            outbox.add(update(revision, [.note(revision, String(repeating: "x", count: 200_000))]), now: 1)
        }
        let sent = outbox.due(now: 200)
        #expect(sent.first.map { $0.blocks.reduce(0) { $0 + $1.text.utf8.count } <= Limits.pendingUpdateBytes } == true)
        #expect((sent.first?.since ?? 0) > 1, "whoever is at revision 1 must reload")
    }

    /// Whatever leaves the outbox, a receiver that applies it and reloads on a gap ends with the desktop's state.
    @Test(arguments: 0..<40) func `a receiver ends with the desktop's blocks, whatever is merged or lost`(seed: UInt64)
    {
        var dice = Dice(seed: seed)
        var outbox = UpdateOutbox()
        var truth: [String: Block] = [:]
        var revision = 1
        var held = HeldBlocks()
        func page() -> TimelinePage {
            TimelinePage(blocks: truth.values.sorted { $0.seq < $1.seq }, revision: revision, hasMore: false)
        }
        _ = held.load(page())
        func receive(now: Int64, losing: Int) {
            for update in outbox.due(now: now) where Int.random(in: 0..<100, using: &dice) >= losing {
                guard let snapshot = try? TimelineCodec.snapshot(TimelineCodec.payload(of: update)) else { continue }
                if held.apply(snapshot).hasGap { _ = held.load(page()) }
            }
        }
        for step in 0..<150 {
            let seq = Int.random(in: 0..<30, using: &dice)
            let since = revision
            revision += 1
            if Int.random(in: 0..<6, using: &dice) == 0 {
                truth["b\(seq)"] = nil
                outbox.add(update(revision, [], since: since, removed: ["b\(seq)"]), now: Int64(step * 37))
            } else {
                let block = Block.note(seq, "step \(step)", revision: step + 1)
                truth[block.id] = block
                outbox.add(update(revision, [block], since: since), now: Int64(step * 37))
            }
            receive(now: Int64(step * 37), losing: 20)
        }
        revision += 1
        outbox.add(update(revision, []), now: 100_000)
        receive(now: 100_000, losing: 0)
        #expect(held.blocks == page().blocks)
    }
}

@Suite("The blocks that are held")
struct HeldBlocksTests {
    private func loaded(_ seqs: Range<Int>, hasMore: Bool = false, revision: Int = 10) -> HeldBlocks {
        var held = HeldBlocks()
        _ = held.load(TimelinePage(blocks: seqs.map { .note($0) }, revision: revision, hasMore: hasMore))
        return held
    }

    private func snapshot(_ revision: Int, since: Int? = nil, base: Int? = nil, _ blocks: [Block])
        -> TimelineCodec.Snapshot
    {
        let json = TimelineCodec.payload(
            of: TimelineUpdate(session: "s", revision: revision, since: since ?? 0, blocks: blocks)
        )
        guard var snapshot = try? TimelineCodec.snapshot(json) else { fatalError("our own payload") }
        snapshot.since = since
        snapshot.baseSeq = base
        return snapshot
    }

    @Test func `an older or equal revision changes nothing`() {
        var held = loaded(0..<3)
        #expect(held.apply(snapshot(10, since: 9, [.note(0, "old")])) == HeldBlocks.Outcome())
        #expect(held.apply(snapshot(11, since: 10, [.note(0, "new", revision: 2)])).changed.map(\.seq) == [0])
        #expect(held.revision == 11)
    }

    @Test func `a gap is shown, what came is applied all the same`() {
        var held = loaded(0..<3)
        let outcome = held.apply(snapshot(15, since: 12, [.note(3)]))
        #expect(outcome.hasGap && outcome.changed.map(\.seq) == [3])
        #expect(held.revision == 10)
    }

    @Test func `without since, a hole below baseSeq is the gap`() {
        var held = loaded(0..<3)
        #expect(!held.apply(snapshot(1, base: 3, [.note(3)])).hasGap)
        #expect(held.apply(snapshot(1, base: 3, [.note(3, "again")])) == HeldBlocks.Outcome(), "the same revision")
        #expect(held.apply(snapshot(2, base: 9, [.note(9)])).hasGap)
    }

    @Test func `a block never goes back to an older revision`() {
        var held = loaded(0..<2)
        _ = held.apply(snapshot(11, since: 10, [.note(1, "five", revision: 5)]))
        #expect(held.apply(snapshot(12, since: 11, [.note(1, "four", revision: 4)])).changed.isEmpty)
        #expect(held.block("b1")?.text == "five")
    }

    @Test func `a change below the held tail is passed on, not held`() {
        var held = loaded(50..<60, hasMore: true)
        let outcome = held.apply(snapshot(11, since: 10, [.note(7)]))
        #expect(outcome.changed.map(\.seq) == [7])
        #expect(held.blocks.first?.seq == 50)
    }

    @Test func `a reload tells only what is different`() {
        var held = loaded(0..<5)
        var blocks = (0..<6).map { Block.note($0) }
        blocks.remove(at: 2)
        blocks[3] = .note(4, "changed", revision: 2)
        let outcome = held.load(TimelinePage(blocks: blocks, revision: 20, hasMore: false))
        #expect(outcome == HeldBlocks.Outcome(changed: [.note(4, "changed", revision: 2), .note(5)], removed: ["b2"]))
        #expect(
            held.load(TimelinePage(blocks: [.note(99)], revision: 30, hasMore: true)) == nil,
            "nothing is left of it"
        )
    }

    @Test func `pages come from what is held only when they are whole`() {
        var held = loaded(50..<60, hasMore: true)
        #expect(held.page(before: nil, limit: 10)?.blocks.map(\.seq) == Array(50..<60))
        #expect(held.page(before: 55, limit: 10) == nil)
        #expect(held.prepend(TimelinePage(blocks: (40..<50).map { .note($0) }, revision: 10, hasMore: false)) == true)
        #expect(held.page(before: 55, limit: 10)?.blocks.map(\.seq) == Array(45..<55))
        #expect(held.page(before: 45, limit: 10)?.hasMore == false)
    }

    @Test func `the tail is bounded in blocks and in bytes`() {
        var held = loaded(0..<Limits.blocksPerTimeline)
        #expect(held.blocks.count == Limits.blocksPerTimeline)
        _ = held.apply(snapshot(11, since: 10, [.note(Limits.blocksPerTimeline)]))
        #expect(held.blocks.count == Limits.blocksPerTimeline / 5 * 4)
        #expect(held.hasOlder && held.blocks.last?.seq == Limits.blocksPerTimeline)
        #expect(held.prepend(TimelinePage(blocks: (0..<1_001).map { .note($0) }, revision: 1, hasMore: false)) == false)

        var heavy = HeldBlocks()
        let text = String(repeating: "x", count: Limits.inlineBody)
        _ = heavy.load(TimelinePage(blocks: (0..<1_100).map { .note($0, text) }, revision: 1, hasMore: false))
        #expect(heavy.bytes <= Limits.bytesPerTimeline)
    }
}

@Suite("Idempotency on the desktop (RD8)")
struct AnswerCacheTests {
    private func request(_ id: String, _ key: String, params: String = "{}", client: String = "p") -> RPCRequest {
        var request = RPCRequest(id: id, method: "chat.sendMessage", params: Array(params.utf8), key: key)
        request.client = client
        return request
    }

    private func ask(_ cache: inout AnswerCache, _ request: RPCRequest, now: Int64 = 0) -> AnswerCache.Verdict {
        AnswerCache.Key(request).map { cache.asked(request, key: $0, now: now) } ?? .busy
    }

    private func finish(
        _ cache: inout AnswerCache,
        _ request: RPCRequest,
        _ outcome: Result<[UInt8], RPCError>,
        now: Int64 = 0
    ) -> [String] {
        AnswerCache.Key(request).map { cache.finished(key: $0, outcome: outcome, now: now).map(\.id) } ?? []
    }

    @Test func `a repetition gets the first answer, for 300 s`() {
        var cache = AnswerCache()
        #expect(ask(&cache, request("1", "k")) == .run)
        #expect(finish(&cache, request("1", "k"), .success([1])).isEmpty)
        #expect(ask(&cache, request("2", "k"), now: 299_999) == .known(.success([1])))
        #expect(ask(&cache, request("3", "k"), now: 300_000) == .run)
    }

    @Test func `a repetition at the same time joins the running call`() {
        var cache = AnswerCache()
        #expect(ask(&cache, request("1", "k")) == .run)
        #expect(ask(&cache, request("2", "k")) == .joined)
        #expect(finish(&cache, request("1", "k"), .success([1])) == ["2"])
    }

    @Test func `the same key with other params is a conflict, for another phone it is another key`() {
        var cache = AnswerCache()
        _ = ask(&cache, request("1", "k"))
        #expect(ask(&cache, request("2", "k", params: #"{"a":1}"#)) == .conflict)
        #expect(ask(&cache, request("3", "k", client: "q")) == .run)
    }

    @Test(arguments: [(-32603, false), (-32009, false), (-32003, true), (-32004, true), (-32602, true)])
    func `only errors that will not change are remembered`(code: Int, isRemembered: Bool) {
        var cache = AnswerCache()
        let outcome = Result<[UInt8], RPCError>.failure(RPCError(code: code, message: ""))
        _ = ask(&cache, request("1", "k"))
        _ = finish(&cache, request("1", "k"), outcome)
        #expect(ask(&cache, request("2", "k")) == (isRemembered ? .known(outcome) : .run))
    }

    @Test func `its bounds hold, in number and in bytes`() {
        var cache = AnswerCache()
        for number in 0...Limits.rememberedAnswers {
            _ = ask(&cache, request("1", "k\(number)"))
            _ = finish(&cache, request("1", "k\(number)"), .success([]))
        }
        #expect(cache.count == Limits.rememberedAnswers)
        #expect(ask(&cache, request("2", "k0")) == .run)
        var heavy = AnswerCache()
        for number in 0..<5 {
            _ = ask(&heavy, request("1", "k\(number)"))
            let answer = [UInt8](repeating: 0, count: Limits.rememberedAnswerBytes / 4)
            _ = finish(&heavy, request("1", "k\(number)"), .success(answer))
        }
        #expect(heavy.count == 4)
    }
}
