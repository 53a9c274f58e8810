// From a line in a file to a block at the dashboard: this computer's sessions over the device link and the built-in relay, all
// in this process. Source: DESIGN.md §4, device link §7.19.
import Agent
import Desktops
import Glibc
import Testing
import Wire

@Loop private final class Watcher: HubObserver {
    var changes = 0
    func timelineChanged(_ session: String, thread: String, _ change: TimelineChange) { changes += 1 }
}

@Suite("This computer over the device link", .timeLimit(.minutes(2)))
struct LinkedDesktopTests {
    @Loop @Test func `a line written to a followed transcript is a block at the dashboard`() async throws {
        let scratch = Scratch()
        let file = ".claude/projects/-p/s.jsonl"
        scratch.write(user("hello", id: "u") + "\n", to: file)
        let relay = Relay()
        let device = RandomBytes.uuid()
        let hub = Hub(relay: relay, device: RandomBytes.uuid(), name: "dashboard")
        hub.register(desktop: KnownDesktop(id: device, name: "computer"))
        let desktop = LocalDesktop(roots: AgentRoots(home: scratch.path, environment: [:]))
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: device, name: "computer", version: "1", homeDirectory: scratch.path),
            service: desktop,
            connect: { () async throws(LinkConnectError) in
                relay.connect(as: RelayIdentity(device: device, role: .desktop))
            }
        )
        desktop.onSessions = { [weak endpoint] changed, removed in
            endpoint?.announce(changed: changed, removed: removed)
        }
        desktop.onUpdate = { [weak endpoint] update in endpoint?.publish(update) }
        desktop.start()
        endpoint.start()
        defer {
            endpoint.stop()
            desktop.stop()
            hub.stop()
        }
        let heard = Heard()
        #expect(await heard.wait { hub.sessions(of: device).count == 1 })
        let session = try #require(hub.sessions(of: device).first)
        #expect(session.summary.title == "hello")
        #expect(session.summary.nativeID == "s")

        let watcher = Watcher()
        hub.observe(watcher)
        let timeline = try #require(hub.timeline(session.id))
        try await timeline.loadTail()
        #expect(timeline.blocks.map(\.text) == ["hello"])
        hub.visible(tab: "tab", generation: 1)
        hub.claim(Claim(tab: "tab", id: "c", session: session.id, generation: 1))
        #expect(await heard.wait { hub.isLive(session.id) })

        for number in 1...3 {
            let line = assistant(
                #"{"type":"text","text":"answer \#(number)"}"#,
                id: "a\(number)",
                parent: "u",
                message: "m\(number)"
            )
            scratch.write(Array((line + "\n").utf8), to: file, append: true)
            #expect(await heard.wait { timeline.blocks.contains { $0.text == "answer \(number)" } })
        }
        #expect(timeline.blocks.map(\.kind) == [.user, .assistant, .usage, .assistant, .usage, .assistant, .usage])
        #expect(watcher.changes > 0)

        // The file is written anew: what was there is gone from the page as well.
        scratch.write(user("fresh", id: "n") + "\n", to: file)
        #expect(await heard.wait { timeline.blocks.map(\.text) == ["fresh"] })
    }
}
