// The phone's role and the desktop's role against a scripted relay: what leaves, what is believed, what survives a new socket.
import Desktops
import Testing
import Web
import Wire

/// A relay's end of each connection that a client makes, in the order in which it makes them.
@Loop final class ScriptedRelay {
    private(set) var connections: [ScriptedClient] = []
    var refuses = false

    func connect() throws(LinkConnectError) -> any LinkTransport {
        guard !refuses else { throw .failed("scripted") }
        let (near, far) = InProcessTransport.pair()
        connections.append(ScriptedClient(far))
        return near
    }

    var last: ScriptedClient? { connections.last }

    /// Waits for connection `number` (from 1) and answers its `register`.
    func admit(_ number: Int = 1, session: String = "S", token: String = "T") async -> ScriptedClient? {
        guard await eventually({ connections.count >= number && !connections[number - 1].texts.isEmpty }) else {
            return nil
        }
        let connection = connections[number - 1]
        connection.send(#"{"type":"registered","sessionId":"\#(session)","resumeToken":"\#(token)"}"#)
        return connection
    }
}

@Suite("The phone's end of a link", .timeLimit(.minutes(1)))
@Loop struct LinkClientTests {
    private func client(_ relay: ScriptedRelay) -> LinkClient {
        let client = LinkClient(
            desktop: IDs.desktop,
            device: IDs.server,
            name: "Wheelhouse",
            connect: { () async throws(LinkConnectError) in try relay.connect() }
        )
        client.start()
        return client
    }

    private func pong(_ connection: ScriptedClient) async {
        guard await eventually({ connection.requests.contains { $0.method == "system.ping" } }),
            let ping = connection.requests.last(where: { $0.method == "system.ping" })
        else { return }
        connection.answer(ping, #"{"pong":true}"#)
    }

    private func registrations(_ connection: ScriptedClient) -> [LinkRegistration] {
        connection.messages.compactMap { if case .register(let registration) = $0 { registration } else { nil } }
    }

    @Test func `R27: the first frame is register with everything that it needs`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        _ = try #require(await relay.admit())
        let registration = try #require(registrations(relay.connections[0]).first)
        #expect(registration == LinkRegistration(device: IDs.server, name: "Wheelhouse", target: IDs.desktop))
        client.stop()
    }

    @Test func `R36, R37, R38: what must not be asked leaves no frame`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        let connection = try #require(await relay.admit())
        await pong(connection)
        #expect(await eventually { client.presence == .online })
        let before = connection.requests.count
        await #expect(throws: DesktopError.invalid("unknown method x.y")) {
            _ = try await client.call("x.y", Array("{}".utf8))
        }
        for method in RPCMethod.all where method.isKeyed {
            await #expect(throws: DesktopError.invalid("\(method.name) needs an idempotency key")) {
                _ = try await client.call(method.name, Array("{}".utf8))
            }
        }
        await #expect(throws: DesktopError.self) { _ = try await client.call("chat.get", Array(#"{"a_b":1}"#.utf8)) }
        try await Loop.sleep(milliseconds: 20)
        #expect(connection.requests.count == before)
        client.stop()
    }

    @Test func `R41, R42: every question has a trace, and only an answer with the same one is believed`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        let connection = try #require(await relay.admit())
        await pong(connection)
        #expect(await eventually { client.presence == .online })
        let asking = Loop.spawn { () async -> String in
            do {
                return String(
                    decoding: try await client.call("app.getActiveSessionId", Array("{}".utf8)),
                    as: UTF8.self
                )
            } catch { return "\(error)" }
        }
        #expect(await eventually { connection.requests.last?.method == "app.getActiveSessionId" })
        #expect(connection.requests.allSatisfy { $0.traceparent.flatMap(Traceparent.init) != nil })
        let request = try #require(connection.requests.last)
        var forged = request
        forged.traceparent = Traceparent.random().text
        connection.answer(forged, #"{"forged":1}"#)
        connection.send(#"{"type":"rpc.response","payload":{"id":"\#(request.id)","result":{"forged":2}}}"#)
        connection.answer(request, #"{"good":true}"#)
        #expect(await asking.value == #"{"good":true}"#)
        client.stop()
    }

    @Test func `R25, R26, R43, R44: a question that times out makes its own socket anew and fails what waits on it`()
        async throws
    {
        let relay = ScriptedRelay()
        let client = client(relay)
        let first = try #require(await relay.admit())
        // The first ping (3 s) is never answered; another question waits on the same socket.
        #expect(await eventually { first.requests.count == 1 })
        let waiting = Loop.spawn { () async -> DesktopError? in
            do throws(DesktopError) { _ = try await client.call("chat.list", Array("{}".utf8)) } catch { return error }
            return nil
        }
        #expect(await waiting.value == .disconnected)
        let second = try #require(await relay.admit(2))
        #expect(first.closed != nil)
        #expect(registrations(second).first?.session == "S", "it resumes")
        await pong(second)
        #expect(await eventually { client.presence == .online })
        // A late answer of the former socket's question changes nothing.
        second.answer(first.requests[0])
        try await Loop.sleep(milliseconds: 20)
        #expect(relay.connections.count == 2)
        client.stop()
    }

    @Test func `R34: an unknown session is registered anew without its token, on the same socket`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        let first = try #require(await relay.admit())
        first.transport.close(1012, "restart")
        #expect(await eventually { relay.connections.count == 2 && !relay.connections[1].texts.isEmpty })
        let second = relay.connections[1]
        #expect(registrations(second).first?.token == "T")
        let refusedAt = Loop.now
        second.send(#"{"type":"error","code":"invalidResume","message":"no"}"#)
        #expect(await eventually { registrations(second).count == 2 })
        #expect(Loop.now - refusedAt >= 195)
        #expect(registrations(second).last?.token == nil)
        #expect(relay.connections.count == 2)
        client.stop()
    }

    @Test func `R47, R49, R74: the relay's word of the desktop moves presence, and leases are issued again`()
        async throws
    {
        let relay = ScriptedRelay()
        let client = client(relay)
        let connection = try #require(await relay.admit())
        await pong(connection)
        #expect(await eventually { client.presence == .online })
        client.want(["s-1"], isSingle: true)
        func interests() -> [TimelineInterest] {
            connection.events.compactMap { TimelineInterest(payload: $0.payload) }
        }
        #expect(await eventually { interests().count == 1 })
        connection.tell("device-status", #"{"deviceId":"\#(IDs.other)","status":"disconnected"}"#)
        connection.tell(
            "device-status",
            #"{"deviceId":"\#(IDs.desktop)","status":"disconnected","reason":"ws_closed"}"#
        )
        #expect(await eventually { client.presence == .temporarilyOffline })
        let pings = connection.requests.count
        connection.tell("device-status", #"{"deviceId":"\#(IDs.desktop)","status":"online"}"#)
        #expect(await eventually { connection.requests.count == pings + 1 })
        #expect(interests() == [.init(session: "s-1", active: true), .init(session: "s-1", active: true)])
        #expect(client.presence == .recovering)
        connection.answer(try #require(connection.requests.last))
        #expect(await eventually { client.presence == .online })
        client.stop()
    }

    @Test func `a question that the relay found one too many is asked again after a second`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        let connection = try #require(await relay.admit())
        #expect(await eventually { connection.requests.count == 1 })
        let ping = connection.requests[0]
        connection.send(#"{"type":"error","code":"rateLimited","message":"m","requestId":"\#(ping.id)"}"#)
        #expect(await eventually { connection.requests.count == 2 })
        #expect(connection.requests[1] == ping)
        client.stop()
    }

    @Test func `R66: a snapshot without a lease is not even decoded, one with a lease is delivered`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        let connection = try #require(await relay.admit())
        var seen: [Int] = []
        client.onSnapshot = { seen.append($0.revision) }
        var controls: [String] = []
        client.onControl = { controls.append($0.type) }
        connection.tell("chat:timeline-updated", #"{"appSessionId":"s","revision":"no number"}"#)
        connection.tell("first")
        #expect(await eventually { controls == ["first"] })
        client.want(["s"], isSingle: true)
        connection.tell("chat:timeline-updated", #"{"appSessionId":"s","revision":3,"blocks":[]}"#)
        connection.tell("chat:timeline-updated", #"{"appSessionId":"t","revision":4,"blocks":[]}"#)
        connection.tell("second")
        #expect(await eventually { controls.count == 2 && !seen.isEmpty })
        #expect(seen == [3])
        client.stop()
    }

    @Test func `another connection of the same device ends this one for good`() async throws {
        let relay = ScriptedRelay()
        let client = client(relay)
        let connection = try #require(await relay.admit())
        connection.transport.close(4002, "replaced")
        try await Loop.sleep(milliseconds: 300)
        #expect(relay.connections.count == 1)
        client.stop()
    }
}

@Suite("The desktop's end of a link", .timeLimit(.minutes(1)))
@Loop struct DesktopEndpointTests {
    private func endpoint(_ relay: ScriptedRelay, _ service: FakeService) -> DesktopEndpoint {
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: IDs.desktop, name: "Desk", version: "1.2", homeDirectory: "/home/ada"),
            service: service,
            connect: { () async throws(LinkConnectError) in try relay.connect() }
        )
        endpoint.start()
        return endpoint
    }

    @Test func `pushed away by another connection of its id, it waits as long as it ever does and comes back`()
        async throws
    {
        let relay = ScriptedRelay()
        let endpoint = endpoint(relay, FakeService())
        let connection = try #require(await relay.admit())
        connection.transport.close(4002, "replaced")
        #expect(await eventually { endpoint.state == .waiting(milliseconds: 30_000) })
        endpoint.stop()
    }

    private func ask(
        _ connection: ScriptedClient,
        _ id: String,
        _ method: String,
        _ params: String = "{}",
        key: String? = nil,
        trace: Traceparent = .random()
    ) {
        let key = key.map { #","idempotencyKey":"\#($0)""# } ?? ""
        connection.send(
            #"{"type":"rpc.request","payload":{"id":"\#(id)","method":"\#(method)","params":\#(params)\#(key),"traceparent":"\#(trace.text)","clientId":"\#(IDs.phone)","userId":"u"}}"#
        )
    }

    private func answer(_ connection: ScriptedClient, _ id: String) async -> Result<[UInt8], RPCError>? {
        guard await eventually({ connection.responses.contains { $0.id == id } }) else { return nil }
        return connection.responses.last { $0.id == id }?.outcome
    }

    private func interest(_ connection: ScriptedClient, _ session: String, _ active: Bool, extra: String = "") {
        connection.send(
            #"{"type":"event","eventId":1,"sourceDeviceId":"\#(IDs.phone)","payload":{"eventType":"chat:timeline-interest","payload":{"appSessionId":"\#(session)","active":\#(active)\#(extra)}}}"#
        )
    }

    private func snapshots(_ connection: ScriptedClient) -> [TimelineCodec.Snapshot] {
        connection.events.filter { $0.type == Intake.snapshotType }.compactMap {
            try? TimelineCodec.snapshot($0.payload)
        }
    }

    @Test func `it registers as a desktop and answers what it serves, with the trace of the question (RD9)`()
        async throws
    {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.summaries = [.sample("s1", updatedAt: 5)]
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        #expect(await eventually { endpoint.state == .online })
        let trace = Traceparent.random()
        ask(connection, "1", "system.ping", trace: trace)
        #expect(try await answer(connection, "1")?.get().isEmpty == false)
        #expect(connection.responses.first?.traceparent.flatMap { Traceparent($0)?.trace } == trace.trace)
        #expect(connection.responses.first?.client == IDs.phone)
        ask(connection, "2", "system.getInfo")
        let info = try JSON(parsing: #require(await answer(connection, "2")).get())
        #expect(info["version"]?.string == "1.2")
        #expect(info["capabilities"]?.array?.contains("multiTimelineLease") == true)
        ask(connection, "3", "app.getUserHomeDirectory")
        #expect(try await answer(connection, "3")?.get() == Array(#"{"homeDirectory":"/home/ada"}"#.utf8))
        ask(connection, "4", "workspace.list")
        let projects = try JSON(parsing: #require(await answer(connection, "4")).get())
        #expect(projects["projects"]?[0]?["name"]?.string == "project")
        ask(connection, "5", "chat.get", #"{"appSessionId":"s1"}"#)
        let chat = try JSON(parsing: #require(await answer(connection, "5")).get())
        #expect(chat["chat"]?["nativeId"]?.string == "native-s1")
        endpoint.stop()
        #expect(await eventually { connection.closed?.code == 1000 })
    }

    @Test(arguments: [
        ("git.status", "{}", -32009), ("no.such", "{}", -32601), ("chat.get", "{}", -32602),
        ("chat.get", #"{"appSessionId":"x"}"#, -32002), ("chat.getTimeline", #"{"appSessionId":"x"}"#, -32002),
        ("chat.getTimeline", #"{"appSessionId":"s1","limit":201}"#, -32602),
        ("chat.list", #"{"cursor":"rubbish"}"#, -32602), ("chat.sendMessage", "{}", -32602),
        ("files.readMediaRange", #"{"previewId":"m","offset":0,"length":524289}"#, -32602),
        ("files.readMediaRange", #"{"previewId":"m","offset":0}"#, -32602),
        ("files.readMediaRange", #"{"previewId":"m","offset":0,"length":5,"contentVersion":"v0"}"#, -32003),
    ])
    func `what it cannot answer has the code of section 3.2`(method: String, params: String, code: Int) async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.summaries = [.sample("s1")]
        service.files["m"] = [1, 2, 3]
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        ask(connection, "1", method, params)
        guard case .failure(let error) = await answer(connection, "1") else {
            Issue.record("no error")
            return
        }
        #expect(error.code == code)
        endpoint.stop()
    }

    @Test func `chat.list walks through all sessions by its cursor, each once`() async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.summaries = (0..<250).map { .sample("s\($0)", updatedAt: Int64($0 / 3)) }
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        var seen: [String] = []
        var cursor: String?
        var page = 0
        repeat {
            page += 1
            ask(
                connection,
                "p\(page)",
                "chat.list",
                cursor.map { #"{"cursor":"\#($0)","limit":40}"# } ?? #"{"limit":40}"#
            )
            let list = try ChatCodec.list(#require(await answer(connection, "p\(page)")).get())
            seen += list.sessions.map(\.id)
            cursor = list.next
            // A session that moves meanwhile neither doubles nor hides another one.
            service.summaries[0].updatedAt += 1_000
        } while cursor != nil
        #expect(seen.count == 250 && Set(seen).count == 250 && page == 7)
        endpoint.stop()
    }

    @Test func `RD6: a slow question does not hold up a fast one`() async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.threads["s1/main"] = [.note(0)]
        service.isHeld = true
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        ask(connection, "slow", "chat.getTimeline", #"{"appSessionId":"s1"}"#)
        ask(connection, "fast", "system.ping")
        #expect(await answer(connection, "fast") != nil)
        #expect(connection.responses.count == 1)
        service.isHeld = false
        #expect(await answer(connection, "slow") != nil)
        endpoint.stop()
    }

    @Test func `RD8: a repeated key is answered with the new id`() async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        ask(connection, "1", "system.ping", key: "k")
        let first = try #require(await answer(connection, "1")).get()
        try await Loop.sleep(milliseconds: 5)
        ask(connection, "2", "system.ping", key: "k")
        #expect(try await answer(connection, "2")?.get() == first, "the same time in it")
        ask(connection, "3", "system.ping", #"{"x":1}"#, key: "k")
        guard case .failure(let error) = await answer(connection, "3") else {
            Issue.record("no conflict")
            return
        }
        #expect(error.code == -32003)
        endpoint.stop()
    }

    @Test func `RD10, RD11: nothing leaves without a lease; with one the state comes at once, then changes`()
        async throws
    {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.threads["s1/main"] = (0..<30).map { .note($0) }
        service.revisions["s1"] = 7
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        #expect(await eventually { endpoint.state == .online })
        endpoint.publish(service.change("s1", .note(30)))
        interest(connection, "s1", true)
        #expect(await eventually { snapshots(connection).count == 1 })
        let greeting = snapshots(connection)[0]
        #expect(greeting.revision == 8 && greeting.since == 8 && greeting.blocks.map(\.seq) == Array(11...30))
        #expect(service.followed == ["s1"])
        for seq in 31..<36 { endpoint.publish(service.change("s1", .note(seq))) }
        #expect(await eventually { snapshots(connection).last?.revision == 13 })
        #expect(snapshots(connection).count == 3, "the first at once, the others merged after 100 ms")
        #expect(snapshots(connection)[2].since == 9)
        // A renewal is no new lease.
        interest(connection, "s1", true)
        interest(connection, "s1", false)
        #expect(await eventually { service.followed.isEmpty })
        endpoint.publish(service.change("s1", .note(40)))
        ask(connection, "marker", "system.ping")
        #expect(await answer(connection, "marker") != nil)
        #expect(snapshots(connection).count == 3)
        endpoint.stop()
    }

    @Test func `RD10: a lease that is not renewed runs out`() async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        service.threads["s1/main"] = []
        let endpoint = endpoint(relay, service)
        let connection = try #require(await relay.admit())
        interest(connection, "s1", true, extra: #","ttlMs":50"#)
        #expect(await eventually { service.followed == ["s1"] })
        #expect(await eventually { service.followed.isEmpty })
        endpoint.stop()
    }

    @Test func `RD2, RD3: it comes back by itself, resumes, and all leases end in between`() async throws {
        let relay = ScriptedRelay()
        let service = FakeService()
        let endpoint = endpoint(relay, service)
        let first = try #require(await relay.admit())
        service.threads["s1/main"] = []
        interest(first, "s1", true)
        #expect(await eventually { service.followed == ["s1"] })
        first.transport.close(1006, "cable")
        #expect(await eventually { service.followed.isEmpty && endpoint.state == .waiting(milliseconds: 1_000) })
        #expect(await eventually { relay.connections.count == 2 && !relay.connections[1].texts.isEmpty })
        #expect(relay.connections[1].texts[0].contains(#""sessionId":"S","resumeToken":"T","lastEventId":1"#))
        relay.connections[1].send(#"{"type":"error","code":"invalidResume","message":"no"}"#)
        #expect(await eventually { relay.connections[1].texts.count == 2 })
        #expect(relay.connections[1].texts[1].contains("resumeToken") == false)
        #expect(relay.connections[1].texts[1].contains(#""lastEventId":1"#), "RD3 keeps the number")
        endpoint.stop()
    }

    @Test func `refused credentials stop it until it is started again`() async throws {
        var refusals = 0
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: IDs.desktop, name: "Desk", version: "1", homeDirectory: "/"),
            service: FakeService(),
            connect: { () async throws(LinkConnectError) in
                refusals += 1
                throw .unauthorized
            }
        )
        endpoint.start()
        #expect(await eventually { if case .stopped = endpoint.state { refusals == 1 } else { false } })
        endpoint.start()
        #expect(await eventually { refusals == 2 })
    }
}
