// The simulated desktop as a value: frames and time in, frames out. Rules RD5 to RD13 of the device link.

import Simulator
import Testing
import Web
import Wire

/// A relay that a test plays by hand: it knows the time and keeps what the desktop sent.
struct Bench {
    var model: DesktopModel
    var now: Int64 = 1_000
    var sent: [JSON] = []
    let wall: Int64 = 1_796_029_200_000

    init(_ index: Int = 0, seed: UInt64 = 7) {
        model = DesktopModel(Demonstration.desktops[index], seed: seed, now: 1_000, wall: wall)
        take(model.opened(now: now))
        receive(["type": "registered", "sessionId": "s", "resumeToken": "t"])
    }

    /// Checks each frame as the relay would: JSON, and no key with an underscore (R38).
    mutating func take(_ frames: [[UInt8]]) {
        for frame in frames {
            #expect(!SnakeCaseKey.found(in: frame))
            do { sent.append(try JSON(parsing: frame)) } catch { Issue.record("no JSON: \(error)") }
        }
    }

    mutating func receive(_ message: JSON) { take(model.receive(message.encoded(), now: now)) }

    /// Lets the time pass, as the timer would.
    mutating func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let wake = model.wakeAt, wake <= end {
            now = max(now + 1, wake)
            take(model.tick(now: now))
        }
        now = end
    }

    mutating func ask(_ method: String, _ params: JSON = [:], key: String? = nil, id: String = "r-1") -> JSON {
        var payload: JSONObject = [
            "id": .string(id), "method": .string(method), "params": params, "clientId": "phone",
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
        payload["idempotencyKey"] = key.map(JSON.string)
        let count = sent.count
        receive(["type": "rpc.request", "payload": .object(payload)])
        return sent[count...].first { $0["type"]?.string == "rpc.response" }?["payload"] ?? .null
    }

    mutating func watch(_ session: String, active: Bool = true, phone: String = "phone") {
        receive([
            "type": "event", "eventId": 5, "sourceDeviceId": .string(phone),
            "payload": [
                "eventType": "chat:timeline-interest",
                "payload": ["appSessionId": .string(session), "active": .bool(active)],
            ],
        ])
    }

    func events(_ type: String) -> [JSON] {
        sent.compactMap { $0["payload"]?["eventType"]?.string == type ? $0["payload"]?["payload"] : nil }
    }

    mutating func sessions() -> [JSON] { ask("chat.list")["result"]?["chats"]?.array ?? [] }

    mutating func state(of session: String) -> String? {
        sessions().first { $0["appSessionId"]?.string == session }?["state"]?.string
    }

    mutating func session(state: String) throws -> String {
        try #require(sessions().first { $0["state"]?.string == state }?["appSessionId"]?.string)
    }

    mutating func session(titled title: String) throws -> String {
        try #require(sessions().first { $0["title"]?.string?.hasPrefix(title) == true }?["appSessionId"]?.string)
    }

    mutating func blocks(_ session: String, before: Int? = nil, limit: Int = 200) -> [JSON] {
        var params: JSONObject = ["appSessionId": .string(session), "limit": JSON(limit)]
        params["beforeSeq"] = before.map { JSON($0) }
        return ask("chat.getTimeline", .object(params))["result"]?["blocks"]?.array ?? []
    }
}

@Suite("Simulated desktop")
struct DesktopModelTests {
    @Test func `registers first, then sends a heartbeat every five seconds (RD5)`() {
        var bench = Bench()
        #expect(bench.sent.first?["type"]?.string == "register")
        #expect(bench.sent.first?["payload"]?["relayProtocolVersion"]?.string == "1.6")
        #expect(bench.sent.first?["payload"]?["deviceName"]?.string == "studio-mac")
        bench.pass(20_500)
        #expect(bench.sent.count { $0["type"]?.string == "heartbeat" } == 5)
    }

    @Test func `an answer carries the question's id, client and trace, and a parent of its own (RD9)`() {
        var bench = Bench()
        let answer = bench.ask("system.ping", id: "r-77")
        #expect(answer["id"]?.string == "r-77")
        #expect(answer["clientId"]?.string == "phone")
        #expect(answer["result"]?["pong"]?.bool == true)
        #expect(answer["error"]?.isNull == true)
        let trace = answer["traceparent"]?.string ?? ""
        #expect(trace.hasPrefix("00-4bf92f3577b34da6a3ce929d0e0e4736-"))
        #expect(trace.utf8.count == 55)
        #expect(!trace.contains("00f067aa0ba902b7"))
    }

    @Test(
        "questions that cannot be answered get a code",
        arguments: [
            ("git.status", [:], nil, -32601), ("x.y", [:], nil, -32601),
            ("chat.get", ["appSessionId": "none"], nil, -32002), ("chat.getTimeline", [:], nil, -32002),
            ("chat.list", ["cursor": "999"], nil, -32602), ("files.readMediaRange", ["previewId": "none"], nil, -32002),
            ("files.readMediaRange", ["previewId": "settings-dark", "offset": -1], nil, -32602),
            ("files.readMediaRange", ["previewId": "settings-dark", "contentVersion": "v0"], nil, -32003),
            ("chat.sendMessage", ["text": "x"], nil, -32602), ("chat.sendMessage", ["text": "x"], "k", -32002),
            ("system.ping", ["a_b": 1], nil, -32602),
        ] as [(String, JSON, String?, Int)]
    )
    func refuses(method: String, params: JSON, key: String?, code: Int) {
        var bench = Bench()
        #expect(bench.ask(method, params, key: key)["error"]?["code"]?.int == code)
    }

    @Test func `frames that are no messages are passed over`() {
        var bench = Bench()
        let count = bench.sent.count
        for text in [
            "", "[]", "{", "{\"type\":7}", "{\"type\":\"rpc.request\"}", "{\"type\":\"event\",\"payload\":3}",
            "{\"type\":\"later\"}",
        ] {
            bench.take(bench.model.receive(Array(text.utf8), now: bench.now))
        }
        #expect(bench.sent.count == count)
    }

    @Test func `nothing of a timeline is sent without a lease, and nothing after it ran out (RD10, RD11)`() throws {
        var bench = Bench()
        let live = try bench.session(titled: "Outline view")
        bench.pass(30_000)
        #expect(bench.events("chat:timeline-updated").isEmpty)
        bench.watch(live)
        #expect(bench.events("chat:timeline-updated").count == 1)
        bench.pass(59_000)
        #expect(bench.events("chat:timeline-updated").count > 50)
        bench.pass(2_000)
        let count = bench.events("chat:timeline-updated").count
        bench.pass(30_000)
        #expect(bench.events("chat:timeline-updated").count == count)
        bench.watch(live)
        bench.pass(5_000)
        bench.watch(live, active: false)
        let ended = bench.events("chat:timeline-updated").count
        #expect(ended > count)
        bench.pass(5_000)
        #expect(bench.events("chat:timeline-updated").count == ended)
    }

    @Test func `snapshots of one session are at least 100 ms apart (section 4_5)`() throws {
        var bench = Bench()
        bench.watch(try bench.session(titled: "Outline view"))
        var last = bench.now
        for _ in 0..<2_000 {
            let count = bench.events("chat:timeline-updated").count
            guard let wake = bench.model.wakeAt else { break }
            bench.now = max(bench.now + 1, wake)
            bench.take(bench.model.tick(now: bench.now))
            guard bench.events("chat:timeline-updated").count > count else { continue }
            #expect(bench.now - last >= 100)
            last = bench.now
            if bench.now > 20_000 { break }
        }
    }

    @Test("whoever follows the snapshots, also with losses, has the desktop's timeline", arguments: [0, 1], [1, 2, 3])
    func follows(desktop: Int, keepOneOf: Int) throws {
        var bench = Bench(desktop)
        let live = try #require(bench.sessions().first { $0["state"]?.string == "completed" }?["appSessionId"]?.string)
        bench.watch(live)
        var mirror = Mirror()
        var taken = 0
        var reloads = 0
        for round in 0..<400 {
            bench.pass(200)
            if round % 90 == 0 { bench.watch(live) }
            let updates = bench.events("chat:timeline-updated")
            // The newest of a group replaces those that wait.
            if updates.count - taken >= keepOneOf {
                taken = updates.count
                if !mirror.apply(updates[taken - 1]) {
                    reloads += 1
                    mirror = Mirror(bench.blocks(live), revision: updates[taken - 1]["revision"]?.int ?? 0)
                }
            }
        }
        bench.pass(300)
        let last = try #require(bench.events("chat:timeline-updated").last)
        if !mirror.apply(last) { mirror = Mirror(bench.blocks(live), revision: last["revision"]?.int ?? 0) }
        #expect(mirror.blocks == bench.blocks(live))
        #expect(reloads <= 1)
        #expect(mirror.blocks.count > 20)
    }

    @Test func `the same seed plays the same`() {
        var first = Bench(1, seed: 3)
        var second = Bench(1, seed: 3)
        var other = Bench(1, seed: 4)
        first.pass(60_000)
        second.pass(60_000)
        other.pass(60_000)
        #expect(first.sent == second.sent)
        #expect(first.sent != other.sent)
    }

    @Test func `a session that never ends keeps a bounded number of blocks, each with its parent`() throws {
        var bench = Bench()
        let live = try bench.session(titled: "Outline view")
        for _ in 0..<60 { bench.pass(30_000) }
        let blocks = bench.blocks(live)
        #expect(blocks.count <= SimulatorLimits.blocks)
        #expect(blocks.first?["seq"]?.int ?? 0 > 0)
        let ids = Set(blocks.compactMap { $0["id"]?.string })
        for block in blocks {
            if let parent = block["parentBlockId"]?.string { #expect(ids.contains(parent)) }
        }
    }

    @Test func `pages join to the whole timeline`() throws {
        var bench = Bench()
        let id = try bench.session(titled: "Split the parser")
        let whole = bench.blocks(id)
        var joined: [JSON] = []
        var before: Int?
        repeat {
            let page = bench.blocks(id, before: before, limit: 7)
            joined = page + joined
            before = page.first?["seq"]?.int
        } while before ?? 0 > 0
        #expect(joined == whole)
    }

    @Test func `a long output is cut, and its pieces join to the whole`() throws {
        var bench = Bench(1)
        let id = try bench.session(titled: "Flaky")
        let block = try #require(bench.blocks(id).first { $0["bodyTruncated"]?.bool == true })
        let size = try #require(block["bodyBytes"]?.int)
        #expect(size > SimulatorLimits.inlineBody)
        #expect(block["output"]?.string?.utf8.count ?? .max <= SimulatorLimits.inlineBody)
        var body: [UInt8] = []
        var next: Int? = 0
        while let offset = next {
            let piece = bench.ask(
                "chat.getBlock",
                [
                    "appSessionId": .string(id), "blockId": block["id"] ?? "", "offset": JSON(offset), "length": 10_000,
                ]
            )["result"]
            #expect(piece?["offset"]?.int == offset)
            body += Base64.decode(piece?["dataBase64"]?.string ?? "") ?? []
            next = piece?["nextOffset"]?.int
        }
        #expect(body.count == size)
        #expect(String(decoding: body, as: UTF8.self).hasSuffix("1 FAILED TEST\u{1B}[0m\n"))
    }

    @Test func `pictures are read in ranges`() throws {
        var bench = Bench()
        var file: [UInt8] = []
        var next: Int? = 0
        while let offset = next {
            let piece = bench.ask(
                "files.readMediaRange",
                [
                    "previewId": "settings-dark", "offset": JSON(offset), "length": 20_000,
                ]
            )["result"]
            #expect(piece?["mimeType"]?.string == "image/png")
            file += Base64.decode(piece?["dataBase64"]?.string ?? "") ?? []
            next = piece?["nextOffset"]?.int
        }
        #expect(file.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        #expect(file.suffix(8).prefix(4) == Array("IEND".utf8)[...])
    }
}

/// What a dashboard does with snapshots.
struct Mirror {
    private(set) var blocks: [JSON] = []
    private var revision = 0
    private var isLoaded = false

    init() {}

    init(_ blocks: [JSON], revision: Int) {
        self.blocks = blocks
        self.revision = revision
        isLoaded = true
    }

    /// False when something between this state and the snapshot is missing.
    mutating func apply(_ snapshot: JSON) -> Bool {
        guard let newest = snapshot["revision"]?.int, let since = snapshot["since"]?.int else { return false }
        guard newest > revision else { return true }
        guard since <= revision else { return false }
        revision = newest
        for block in snapshot["blocks"]?.array ?? [] {
            if let place = blocks.firstIndex(where: { $0["id"] == block["id"] }) {
                blocks[place] = block
            } else {
                blocks.append(block)
            }
        }
        let removed = snapshot["removedBlockIds"]?.array ?? []
        blocks.removeAll { block in removed.contains { $0 == block["id"] } }
        blocks.sort { $0["seq"]?.int ?? 0 < $1["seq"]?.int ?? 0 }
        return true
    }
}
