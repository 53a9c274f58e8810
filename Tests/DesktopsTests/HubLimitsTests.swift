// The bounds of what the hub holds, each reached.
import Desktops
import Testing
import Wire

@Suite("What the hub holds at most", .timeLimit(.minutes(1)))
@Loop struct HubLimitsTests {
    private func scene(sessions: Int) async -> (Hub, FakeService, DesktopEndpoint) {
        let relay = Relay()
        let hub = Hub(relay: relay, device: IDs.server, name: "Test")
        let service = FakeService()
        service.summaries = (0..<sessions).map { .sample("s\($0)", updatedAt: Int64($0)) }
        for session in service.summaries { service.threads["\(session.id)/main"] = [.note(0)] }
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: IDs.desktop, name: "Desk", version: "1", homeDirectory: "/"),
            service: service,
            isTrusted: true
        ) { relay.connect(as: RelayIdentity(device: IDs.desktop, role: .desktop)) }
        endpoint.start()
        hub.register(desktop: KnownDesktop(id: IDs.desktop, name: "Desk"))
        #expect(await eventually { hub.sessions().count == sessions })
        return (hub, service, endpoint)
    }

    @Test func `unclaimed timelines go when there are too many, the one asked for longest ago first`() async throws {
        let (hub, _, endpoint) = await scene(sessions: Limits.timelines + 2)
        defer { endpoint.stop() }
        let ids = hub.sessions().map(\.id)
        hub.visible(tab: "t", generation: 1)
        hub.claim(Claim(tab: "t", id: "v", session: ids[0], generation: 1))
        let claimed = try #require(hub.timeline(ids[0]))
        let first = try #require(hub.timeline(ids[1]))
        let second = try #require(hub.timeline(ids[2]))
        for id in ids[3..<Limits.timelines] { #expect(hub.timeline(id) != nil) }
        #expect(hub.timeline(ids[1]) === first, "asked for again just now")
        #expect(hub.timeline(ids[Limits.timelines]) != nil)
        #expect(hub.timeline(ids[0]) === claimed)
        #expect(hub.timeline(ids[1]) === first)
        #expect(hub.timeline(ids[2]) !== second)
    }

    @Test func `an unknown session has no timeline`() async {
        let (hub, _, endpoint) = await scene(sessions: 1)
        defer { endpoint.stop() }
        #expect(hub.timeline("nobody") == nil)
        #expect(hub.session("nobody") == nil)
        #expect(!hub.isLive("nobody"))
    }

    @Test func `no more desktops are known than the limit says`() {
        let hub = Hub(relay: Relay(), device: IDs.server, name: "Test")
        for number in 0...Limits.desktops {
            let digits = String(number, radix: 16)
            let id = "dddddddd-0000-4000-8000-" + String(repeating: "0", count: 12 - digits.count) + digits
            hub.register(desktop: KnownDesktop(id: id, name: "D\(number)"))
        }
        #expect(hub.desktops.count == Limits.desktops)
        hub.stop()
    }

    @Test func `a claim on a session that is not known yet counts once it is`() async {
        let (hub, service, endpoint) = await scene(sessions: 1)
        defer { endpoint.stop() }
        hub.visible(tab: "t", generation: 1)
        let id = Hub.publicID(desktop: IDs.desktop, session: "new")
        hub.claim(Claim(tab: "t", id: "v", session: id, generation: 1))
        service.summaries.append(.sample("new", updatedAt: 99))
        service.threads["new/main"] = [.note(0)]
        endpoint.announce(changed: [service.summaries[1]])
        #expect(await eventually { service.followed == ["new"] })
        #expect(hub.isLive(id))
        // And no more once it is gone.
        endpoint.announce(changed: [], removed: ["new"])
        #expect(await eventually { service.followed.isEmpty })
        #expect(hub.leases.isEmpty)
    }

    @Test func `a desktop works on so many questions at a time and refuses more`() async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.threads["s/main"] = []
        service.isHeld = true
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: IDs.desktop, name: "Desk", version: "1", homeDirectory: "/"),
            service: service,
            connect: { () async throws(LinkConnectError) in try relay.connect() }
        )
        endpoint.start()
        let connection = try #require(await relay.admit())
        for number in 0...Limits.runningRequests {
            connection.send(
                #"{"type":"rpc.request","payload":{"id":"\#(number)","method":"chat.getTimeline","params":{"appSessionId":"s"},"clientId":"p"}}"#
            )
        }
        #expect(await eventually { connection.responses.count == 1 })
        #expect(connection.responses.first?.id == "\(Limits.runningRequests)")
        service.isHeld = false
        #expect(await eventually { connection.responses.count == Limits.runningRequests + 1 })
        endpoint.stop()
    }
}
