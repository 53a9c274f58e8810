import Dashboard
import Desktops
import Store
import Testing
import Web
import Wire

@Suite("Live sockets", .timeLimit(.minutes(5)))
@Loop struct LiveTests {
    private func version(of page: String) -> String? {
        page.firstRange(of: "data-version=\"").map { String(page[$0.upperBound...].prefix { $0 != "\"" }) }
    }

    @Test func `a claim that has the page's version gets no snapshot, and then what changes`() async throws {
        let scene = try await Scene(["s1": (0..<5).map { .message($0, "text \($0)") }])
        let id = scene.id("s1")
        let page = try await scene.get("/s/\(id)").text
        let tab = try await scene.live()
        tab.show(id, since: version(of: page))
        #expect(await eventually { scene.service.followed == ["s1"] && tab.patches.count >= 1 })
        #expect(tab.all("welcome").count == 1)
        #expect(tab.patches.first?["reset"] == nil && tab.patches.first?["ops"]?.array?.isEmpty == true)
        scene.publish("s1", [.message(5, "fresh **news**")])
        #expect(await eventually { tab.html.contains("fresh <strong>news</strong>") })
        let op = tab.patches.last?["ops"]?[0]
        #expect(op?["op"]?.string == "append" && op?["to"]?.string == "timeline")
        #expect(tab.patches.last?["view"]?.string == "\(id):main")
        var changed = Block.message(5, "changed")
        changed.revision = 2
        scene.publish("s1", [changed])
        #expect(await eventually { tab.patches.last?["ops"]?[0]?["op"]?.string == "replace" })
        scene.publish("s1", [], removed: ["b5"])
        #expect(await eventually { tab.patches.last?["ops"]?[0]?["op"]?.string == "remove" })
        tab.socket.close()
        #expect(await eventually { scene.service.followed.isEmpty })
        await scene.stop()
    }

    @Test func `BR-01a five messages, a cut, two more, two reconnects: seven messages, each once, in order`()
        async throws
    {
        let scene = try await Scene(["s1": (0..<5).map { .message($0, "text \($0)") }])
        let id = scene.id("s1")
        var shown: [String] = []
        func take(_ tab: LiveTab) {
            for patch in tab.patches {
                if patch["reset"]?.bool == true { shown = [] }
                let html =
                    (patch["html"]?.string ?? "")
                    + (patch["ops"]?.array ?? []).compactMap { $0["html"]?.string }.joined()
                for piece in ids(in: html) where !shown.contains(piece) { shown.append(piece) }
            }
        }
        let first = try await scene.live()
        first.show(id)
        #expect(await eventually { first.html.contains("b-b4") })
        take(first)
        let since = "\(first.patches.last?["epoch"]?.string ?? "").\(first.patches.last?["seq"]?.int ?? 0)"
        first.socket.abandon()
        scene.publish("s1", [.message(5, "while away")])
        scene.publish("s1", [.message(6, "while away too")])
        let second = try await scene.live()
        second.show(id, since: since)
        second.socket.abandon()
        let third = try await scene.live()
        third.show(id, since: since)
        #expect(await eventually { third.html.contains("b-b6") })
        take(third)
        #expect(shown == (0..<7).map { "b-b\($0)" })
        await scene.stop()
    }

    private func ids(in html: String) -> [String] {
        var found: [String] = [], rest = html
        while let range = rest.firstRange(of: "<article class=\"block block-assistant\" id=\"") {
            rest = String(rest[range.upperBound...])
            found.append(String(rest.prefix { $0 != "\"" }))
        }
        return found
    }

    @Test func `one change is rendered once for all viewers`() async throws {
        let scene = try await Scene(["s1": [.message(0, "x")]])
        let id = scene.id("s1")
        var tabs: [LiveTab] = []
        for _ in 0..<30 { tabs.append(try await scene.live()) }
        for tab in tabs { tab.show(id) }
        #expect(await eventually { tabs.allSatisfy { $0.html.contains("b-b0") } })
        func misses() async throws -> Int {
            let text = try await scene.get("/metrics").text
            guard let start = text.firstRange(of: "\nwheelhouse_render_misses_total ") else { return -1 }
            return Int(text[start.upperBound...].prefix { $0.isNumber }) ?? -1
        }
        let before = try await misses()
        scene.publish("s1", [.message(1, "for all")])
        #expect(await eventually { tabs.allSatisfy { $0.html.contains("for all") } })
        #expect(try await misses() - before == 1)
        await scene.stop()
    }

    @Test func `a burst of changes becomes at most thirty patches a second`() async throws {
        let scene = try await Scene(["s1": [.message(0, "x")]])
        let tab = try await scene.live()
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("b-b0") })
        let start = Loop.now, before = tab.patches.count
        for seq in 1...200 {
            scene.publish("s1", [.message(seq, "m\(seq)")])
            if seq % 20 == 0 { try await Loop.sleep(milliseconds: 10) }
        }
        #expect(await eventually { tab.html.contains("b-b200") })
        let seconds = Double(Loop.now - start) / 1_000
        #expect(Double(tab.patches.count - before) <= seconds * 31 + 2)
        await scene.stop()
    }

    @Test func `what a tool says late goes into the tool, wherever the tool is`() async throws {
        var tool = Block(id: "t", seq: 0, kind: .tool)
        tool.name = "Bash"
        let scene = try await Scene(["s1": [tool]])
        let tab = try await scene.live()
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("id=\"c-t\"") })
        var output = Block(id: "o", seq: 1, kind: .output)
        output.parent = "t"
        output.text = "late"
        scene.publish("s1", [output])
        #expect(await eventually { tab.html.contains("late") })
        let op = tab.patches.last?["ops"]?[0]
        #expect(op?["to"]?.string == "c-t" && op?["else"]?.string == "timeline")
        await scene.stop()
    }

    @Test func `a rewound branch comes as a snapshot`() async throws {
        let scene = try await Scene(["s1": [.message(0, "a"), .message(1, "b")]])
        let tab = try await scene.live()
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("b-b1") })
        var rewound = Block.message(1, "b")
        rewound.isRewound = true
        rewound.revision = 2
        scene.publish("s1", [rewound])
        #expect(await eventually { tab.html.contains("<details class=\"rewound\"") })
        #expect(tab.patches.last?["reset"]?.bool == true)
        await scene.stop()
    }

    @Test func `a hidden tab's claim holds no lease, a visible one's does again`() async throws {
        let scene = try await Scene(["s1": [.message(0, "a")]])
        let tab = try await scene.live()
        tab.show(scene.id("s1"))
        #expect(await eventually { scene.service.followed == ["s1"] })
        tab.say("{\"type\":\"hidden\"}")
        #expect(await eventually { scene.service.followed.isEmpty })
        tab.say("{\"type\":\"visible\",\"generation\":2}")
        tab.show(scene.id("s1"), generation: 2)
        #expect(await eventually { scene.service.followed == ["s1"] })
        let watching = try await scene.get("/watching").text
        #expect(watching.contains("Chat s1") && watching.contains("Owner") && watching.contains("first lease"))
        await scene.stop()
    }

    @Test func `lists and presence reach every member's tab`() async throws {
        let scene = try await Scene(["s1": [], "s2": []])
        let tab = try await scene.live()
        #expect(await eventually { !tab.all("welcome").isEmpty })
        scene.service.summaries[0].title = "A new title"
        scene.service.summaries[0].updatedAt += 1_000_000
        scene.endpoint.announce(changed: [scene.service.summaries[0]])
        #expect(
            await eventually {
                tab.all("list").contains { list in
                    list["ops"]?.array?.contains {
                        $0["op"]?.string == "put" && $0["html"]?.string?.contains("A new title") == true
                    } == true
                }
            }
        )
        scene.endpoint.stop()
        #expect(
            await eventually(within: 40_000) { tab.all("presence").contains { $0["presence"]?.string != "online" } }
        )
        await scene.stop()
    }

    @Test func `a new build, a ping, and what is no message`() async throws {
        let scene = try await Scene()
        let tab = try await scene.live()
        tab.say("{\"type\":\"hello\",\"tab\":\"t\",\"build\":\"old\"}")
        tab.say("{\"type\":\"ping\"}")
        tab.say("{\"type\":\"claim\",\"claim\":\"c\",\"session\":\"nothing\",\"generation\":1}")
        tab.say("{\"type\":\"something\"}")
        tab.say("[1,2,3]")
        #expect(await eventually { !tab.all("notice").isEmpty })
        #expect(tab.all("reload").first?["reason"]?.string == "build")
        #expect(tab.all("pong").first?["now"]?.int ?? 0 > 1_700_000_000_000)
        tab.say("not json")
        #expect(await eventually { tab.closed?.code == 1007 })
        await scene.stop()
    }

    @Test func `a socket that never stops talking is cut`() async throws {
        let scene = try await Scene()
        let tab = try await scene.live()
        for _ in 0..<DashboardLimits.liveMessageRate * 20 { tab.say("{\"type\":\"ping\"}") }
        #expect(await eventually { tab.closed?.code == 1008 })
        await scene.stop()
    }

    @Test func `intents answer that tab only, viewers have none, the same id acts once`() async throws {
        let scene = try await Scene()
        let id = scene.id("s1")
        let owner = try await scene.live(), other = try await scene.live()
        let viewer = try await scene.live(cookie: try await scene.pair(.viewer))
        let intent = "{\"type\":\"intent\",\"id\":\"i1\",\"kind\":\"prompt\",\"session\":\"\(id)\",\"text\":\"hi\"}"
        owner.say(intent)
        viewer.say(intent)
        #expect(await eventually { owner.all("result").count == 1 && viewer.all("result").count == 1 })
        // The agent takes no prompts yet: a typed error, not silence.
        #expect(owner.all("result")[0]["ok"]?.bool == false)
        #expect(owner.all("result")[0]["error"]?["message"]?.string?.isEmpty == false)
        #expect(viewer.all("result")[0]["error"]?["code"]?.string == "role_too_low")
        owner.say(intent)
        #expect(await eventually { owner.all("result").count == 2 })
        #expect(owner.all("result")[0] == owner.all("result")[1])
        #expect(other.all("result").isEmpty)
        owner.say("{\"type\":\"intent\",\"id\":\"i2\",\"kind\":\"dance\",\"session\":\"\(id)\"}")
        #expect(await eventually { owner.all("result").last?["error"]?["code"]?.string == "bad_intent" })
        await scene.stop()
    }

    @Test func `draining tells every tab and closes it`() async throws {
        let scene = try await Scene()
        let tab = try await scene.live()
        #expect(await eventually { !tab.all("welcome").isEmpty })
        scene.site.drain()
        #expect(await eventually { tab.closed?.code == 1012 })
        #expect(tab.all("reload").last?["reason"]?.string == "drain")
        await #expect(throws: WebSocketConnectError.refused(status: 503)) { _ = try await scene.live() }
        await scene.stop()
    }

    @Test func `without WebSockets the same goes over server-sent events and POST`() async throws {
        let scene = try await Scene(["s1": [.message(0, "by events")]])
        let id = scene.id("s1"), port = scene.port, cookie = scene.owner
        // A page's own request: the stream stays open, so it is read as it comes.
        let events = await EventReader.open(port: port, path: "/live/events?tab=abcdefgh", cookie: cookie)
        #expect(await events.waitFor("\"type\":\"welcome\""))
        for message in [
            "{\"type\":\"visible\",\"generation\":1}",
            "{\"type\":\"claim\",\"claim\":\"c1\",\"session\":\"\(id)\",\"thread\":\"main\",\"generation\":1}",
        ] {
            let answer = try await scene.send(
                .post,
                "/live/send?tab=abcdefgh",
                [("Cookie", cookie), ("Origin", "http://127.0.0.1:\(port)"), ("Content-Type", "application/json")],
                body: Array(message.utf8)
            )
            #expect(answer.status == 204)
        }
        #expect(await events.waitFor("by events"))
        let other = try await scene.pair(.owner)
        let foreign = try await scene.send(
            .post,
            "/live/send?tab=abcdefgh",
            [("Cookie", other), ("Origin", "http://127.0.0.1:\(port)")],
            body: Array("{}".utf8)
        )
        #expect(foreign.status == 410, "another browser cannot speak for this tab")
        await events.close()
        #expect(await eventually { scene.service.followed.isEmpty })
        await scene.stop()
    }
}

@Suite("Views that come back", .timeLimit(.minutes(5)))
@Loop struct ComingBackTests {
    @Test func `a tab that is here before its session gets it when it comes`() async throws {
        let scene = try await Scene(["s1": [.message(0, "x")]])
        let tab = try await scene.live()
        let late = scene.id("s9")
        tab.show(late)
        #expect(await eventually { !tab.all("notice").isEmpty })
        scene.service.threads["s9/main"] = [.message(0, "here at last")]
        var summary = scene.service.summaries[0]
        summary.id = "s9"
        scene.service.summaries.append(summary)
        scene.endpoint.announce(changed: [summary])
        #expect(await eventually { tab.html.contains("here at last") })
        #expect(await eventually { scene.service.followed == ["s9"] })
        await scene.stop()
    }

    @Test func `a timeline that could not be read is shown when it can, and no page is emptied meanwhile`() async throws
    {
        let scene = try await Scene(["s1": [.message(0, "x")]])
        scene.service.threads["s1/main"] = nil
        let tab = try await scene.live()
        tab.show(scene.id("s1"))
        #expect(await eventually { !tab.all("notice").isEmpty })
        #expect(tab.patches.isEmpty, "a snapshot of nothing would empty the page")
        scene.service.threads["s1/main"] = [.message(0, "readable again")]
        scene.service.summaries[0].updatedAt += 1
        scene.endpoint.announce(changed: scene.service.summaries)
        #expect(await eventually { tab.html.contains("readable again") })
        await scene.stop()
    }
}
