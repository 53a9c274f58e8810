// A made-up desktop, its endpoint, the relay and the hub, all in this process.
import Desktops
import Testing
import Wire

@Loop private final class Recorder: HubObserver {
    var changes: [(session: String, change: TimelineChange)] = []
    var sessionIDs: Set<String> = []
    var arrivedAt: [String: Int64] = [:]

    func timelineChanged(_ session: String, thread: String, _ change: TimelineChange) {
        changes.append((session, change))
        if case .changed(let blocks, _) = change {
            for block in blocks { arrivedAt["\(block.id)@\(block.revision)"] = microseconds() }
        }
    }

    func sessionsChanged(_ ids: [String]) { sessionIDs.formUnion(ids) }

    func blocks(of session: String) -> [Block] {
        changes.flatMap { change -> [Block] in
            guard change.session == session, case .changed(let blocks, _) = change.change else { return [] }
            return blocks
        }
    }
}

/// One desktop with its endpoint.
@Loop private final class MadeUpDesktop {
    let service = FakeService()
    let endpoint: DesktopEndpoint
    var transport: (any LinkTransport)?
    let id: String

    init(_ id: String, relay: Relay, sessions: [String], blocks: Int = 5) {
        self.id = id
        final class Box { weak var owner: MadeUpDesktop? }
        let box = Box()
        endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: id, name: "Desk \(id.suffix(1))", version: "1.0", homeDirectory: "/home/ada"),
            service: service,
            isTrusted: true
        ) {
            let transport = relay.connect(as: RelayIdentity(device: id, role: .desktop))
            box.owner?.transport = transport
            return transport
        }
        box.owner = self
        for (index, session) in sessions.enumerated() {
            service.summaries.append(.sample(session, updatedAt: Int64(index + 1)))
            service.threads["\(session)/main"] = (0..<blocks).map { Block.note($0) }
        }
    }
}

@Suite("Desktop, relay and hub together", .timeLimit(.minutes(1)))
@Loop struct EndToEndTests {
    private func scene(_ desktops: [String: [String]]) async -> (Relay, Hub, [String: MadeUpDesktop], Recorder) {
        let relay = Relay()
        let hub = Hub(relay: relay, device: IDs.server, name: "Test")
        let recorder = Recorder()
        hub.observe(recorder)
        var made: [String: MadeUpDesktop] = [:]
        for (id, sessions) in desktops {
            let desktop = MadeUpDesktop(id, relay: relay, sessions: sessions)
            made[id] = desktop
            hub.register(desktop: KnownDesktop(id: id, name: "Desk"))
            desktop.endpoint.start()
        }
        let expected = desktops.values.map(\.count).reduce(0, +)
        #expect(
            await eventually {
                hub.sessions().count == expected
                    && hub.desktops.allSatisfy { $0.presence == .online && $0.version != nil }
            }
        )
        return (relay, hub, made, recorder)
    }

    private func watch(_ hub: Hub, _ session: String, tab: String = "t1") {
        hub.visible(tab: tab, generation: 1)
        hub.claim(Claim(tab: tab, id: "v-\(session)", session: session, generation: 1))
    }

    @Test func `sessions are listed, a claim starts the flow, an update arrives within milliseconds`() async throws {
        let (_, hub, made, recorder) = await scene([IDs.desktop: ["s1", "s2"]])
        let desktop = try #require(made[IDs.desktop])
        #expect(hub.sessions().map(\.summary.id) == ["s2", "s1"])
        let id = Hub.publicID(desktop: IDs.desktop, session: "s1")
        let timeline = try #require(hub.timeline(id))
        // R67: without a claim nothing flows.
        desktop.endpoint.publish(desktop.service.change("s1", .note(5, "unseen")))
        #expect(desktop.service.followed.isEmpty)

        watch(hub, id)
        #expect(await eventually { desktop.service.followed == ["s1"] })
        #expect(hub.isLive(id))
        try await timeline.loadTail()
        #expect(timeline.blocks.map(\.text).last == "unseen")

        var slowest: Int64 = 0
        for seq in 6..<26 {
            let start = microseconds()
            desktop.endpoint.publish(desktop.service.change("s1", .note(seq, "live \(seq)")))
            #expect(await eventually { timeline.blocks.last?.seq == seq })
            slowest = max(slowest, (recorder.arrivedAt["b\(seq)@1"] ?? .max) - start)
            try await Loop.sleep(milliseconds: UpdateOutbox.pace)
        }
        // Without load it is well under a millisecond; the bound leaves room for a busy machine.
        #expect(slowest < 50_000, "\(slowest) µs")
        #expect(recorder.blocks(of: id).map(\.seq) == Array(6..<26))

        hub.closed(tab: "t1")
        #expect(await eventually { desktop.service.followed.isEmpty })
        #expect(!hub.isLive(id))
    }

    @Test func `two desktops with the same session id are two sessions, each with its own lease`() async throws {
        let (_, hub, made, recorder) = await scene([IDs.desktop: ["s1"], IDs.other: ["s1"]])
        let first = Hub.publicID(desktop: IDs.desktop, session: "s1")
        let second = Hub.publicID(desktop: IDs.other, session: "s1")
        #expect(first != second)
        watch(hub, first)
        watch(hub, second, tab: "t2")
        let left = try #require(made[IDs.desktop])
        let right = try #require(made[IDs.other])
        #expect(await eventually { left.service.followed == ["s1"] && right.service.followed == ["s1"] })
        let timeline = try #require(hub.timeline(second))
        try await timeline.loadTail()
        right.endpoint.publish(right.service.change("s1", .note(9, "right")))
        #expect(await eventually { timeline.blocks.last?.text == "right" })
        #expect(recorder.blocks(of: first).isEmpty)
    }

    @Test func `a desktop with many leases serves several sessions at once (W-1)`() async throws {
        let names = (0..<10).map { "s\($0)" }
        let (_, hub, made, _) = await scene([IDs.desktop: names])
        for name in names { watch(hub, Hub.publicID(desktop: IDs.desktop, session: name), tab: name) }
        let desktop = try #require(made[IDs.desktop])
        // Eight leases, the newest claims.
        #expect(await eventually { desktop.service.followed == Set(names.suffix(8)) })
        #expect(hub.leases.count == 8)
        #expect(hub.leases.first?.session == Hub.publicID(desktop: IDs.desktop, session: "s9"))
        #expect(!hub.isLive(Hub.publicID(desktop: IDs.desktop, session: "s0")))
    }

    @Test func `a desktop dropped in the middle comes back and what was missed is there`() async throws {
        let (_, hub, made, recorder) = await scene([IDs.desktop: ["s1"]])
        let desktop = try #require(made[IDs.desktop])
        let id = Hub.publicID(desktop: IDs.desktop, session: "s1")
        watch(hub, id)
        let timeline = try #require(hub.timeline(id))
        try await timeline.loadTail()
        #expect(await eventually { desktop.service.followed == ["s1"] })
        desktop.endpoint.publish(desktop.service.change("s1", .note(5, "half of the ans")))
        #expect(await eventually { timeline.blocks.last?.seq == 5 })

        desktop.transport?.close(1006, "cable")
        #expect(await eventually { hub.desktop(IDs.desktop)?.presence == .temporarilyOffline })
        #expect(hub.sessions().first?.isStale == true)
        #expect(!hub.isLive(id))
        // The agent goes on meanwhile.
        desktop.endpoint.publish(desktop.service.change("s1", .note(5, "half of the answer", revision: 2)))
        desktop.endpoint.publish(desktop.service.change("s1", .note(6, "and more")))
        await #expect(throws: DesktopError.offline) {
            _ = try await timeline.media(id: "m", offset: 0, length: 10)
        }

        #expect(await eventually { timeline.blocks.map(\.text).suffix(2) == ["half of the answer", "and more"] })
        #expect(hub.desktop(IDs.desktop)?.presence == .online)
        #expect(desktop.service.followed == ["s1"])
        #expect(recorder.blocks(of: id).map { "\($0.seq).\($0.revision)" } == ["5.1", "5.2", "6.1"])
        // And it flows again.
        desktop.endpoint.publish(desktop.service.change("s1", .note(7, "live")))
        #expect(await eventually { timeline.blocks.last?.text == "live" })
        #expect(timeline.blocks.map(\.seq) == Array(0...7))
    }

    @Test func `an update that overtakes the page under way is not lost`() async throws {
        let (_, hub, made, _) = await scene([IDs.desktop: ["s1"]])
        let desktop = try #require(made[IDs.desktop])
        let id = Hub.publicID(desktop: IDs.desktop, session: "s1")
        watch(hub, id)
        #expect(await eventually { desktop.service.followed == ["s1"] })
        let timeline = try #require(hub.timeline(id))
        desktop.service.isHeld = true
        let before = desktop.service.timelineQuestions
        let loading = Loop.spawn { () async -> Bool in
            do { try await timeline.loadTail() } catch { return false }
            return true
        }
        #expect(await eventually { desktop.service.timelineQuestions > before })
        desktop.endpoint.publish(desktop.service.change("s1", .note(5, "overtakes")))
        try await Loop.sleep(milliseconds: 20)
        desktop.service.isHeld = false
        #expect(await loading.value)
        #expect(await eventually { timeline.blocks.last?.text == "overtakes" })
    }

    @Test func `older pages, whole bodies and media come on demand`() async throws {
        let (_, hub, made, _) = await scene([IDs.desktop: ["s1"]])
        let desktop = try #require(made[IDs.desktop])
        desktop.service.threads["s1/main"] = (0..<450).map { Block.note($0, "n\($0)") }
        let long = String(repeating: "€", count: 30_000)
        desktop.service.threads["s1/main"]?[449].text = long
        desktop.service.files["m1"] = (0..<700_000).map { UInt8(truncatingIfNeeded: $0) }
        let timeline = try #require(hub.timeline(Hub.publicID(desktop: IDs.desktop, session: "s1")))
        try await timeline.loadTail()
        #expect(timeline.blocks.map(\.seq) == Array(350..<450))
        #expect(timeline.hasOlder)
        #expect(timeline.blocks.last?.fullSize == 90_000)
        #expect((timeline.blocks.last?.text.utf8.count ?? 0) <= Limits.inlineBody)
        let body = try await timeline.body(block: "b449", offset: 0, length: 90_000)
        #expect(String(decoding: body.bytes, as: UTF8.self) == long)

        #expect(try await timeline.loadOlder(limit: 150).map(\.seq) == Array(200..<350))
        #expect(timeline.blocks.first?.seq == 200)
        var walked: [Int] = []
        var before: Int?
        repeat {
            let page = try await timeline.page(before: before, limit: 120)
            walked = page.blocks.map(\.seq) + walked
            before = page.hasMore ? page.blocks.first?.seq : nil
        } while before != nil
        #expect(walked == Array(0..<450))

        let piece = try await timeline.media(id: "m1", offset: 524_288, length: 524_288)
        #expect(piece.bytes.count == 700_000 - 524_288)
        #expect(piece.mediaType == "image/png")
        await #expect(throws: DesktopError.notFound) { _ = try await timeline.media(id: "no", offset: 0, length: 1) }
    }

    @Test func `sessions that appear, change and go are told`() async throws {
        let (_, hub, made, recorder) = await scene([IDs.desktop: ["s1"]])
        let desktop = try #require(made[IDs.desktop])
        var new = SessionSummary.sample("s2", updatedAt: 50)
        new.usage = Usage(inputTokens: 3, outputTokens: 4, costMicros: 5)
        desktop.service.summaries.append(new)
        desktop.endpoint.announce(changed: [new])
        #expect(await eventually { hub.sessions().first?.summary == new })
        new.title = "Renamed"
        desktop.endpoint.announce(changed: [new])
        #expect(await eventually { hub.sessions().first?.summary.title == "Renamed" })
        desktop.service.summaries.removeLast()
        desktop.endpoint.announce(changed: [], removed: ["s2"])
        #expect(await eventually { hub.sessions().count == 1 })
        #expect(recorder.sessionIDs.contains(Hub.publicID(desktop: IDs.desktop, session: "s2")))

        // Too many at once: everybody lists again.
        let many = (0..<300).map { SessionSummary.sample("m\($0)", updatedAt: Int64(100 + $0)) }
        desktop.service.summaries += many
        desktop.endpoint.announce(changed: many)
        #expect(await eventually { hub.sessions().count == 301 })
    }

    @Test func `what a desktop does not do is a typed error`() async throws {
        let (_, hub, made, _) = await scene([IDs.desktop: ["s1"]])
        defer { withExtendedLifetime(made) {} }
        let id = Hub.publicID(desktop: IDs.desktop, session: "s1")
        await #expect(throws: DesktopError.notImplemented) {
            _ = try await hub.send(prompt: "go", to: id, key: "k1")
        }
        await #expect(throws: DesktopError.notImplemented) {
            try await hub.answer(approval: "a", of: id, decision: .allow, key: "k2")
        }
        await #expect(throws: DesktopError.notImplemented) { try await hub.interrupt(run: "r", of: id, key: "k3") }
        await #expect(throws: DesktopError.unknown) { _ = try await hub.send(prompt: "go", to: "nobody", key: "k") }
        // R37: without a key nothing is sent.
        await #expect(throws: DesktopError.invalid("chat.sendMessage needs an idempotency key")) {
            _ = try await hub.send(prompt: "go", to: id, key: "")
        }
    }

    @Test func `a forgotten desktop takes its sessions along`() async throws {
        let (relay, hub, made, _) = await scene([IDs.desktop: ["s1"], IDs.other: ["s2"]])
        defer { withExtendedLifetime(made) {} }
        hub.forget(desktop: IDs.desktop)
        #expect(hub.sessions().map(\.summary.id) == ["s2"])
        #expect(hub.desktop(IDs.desktop) == nil)
        #expect(await eventually { relay.metrics.phones == 1 })
    }
}
