// The simulated relay as a value: what a good one does, and every fault of a script. Nothing waits; time is a number.

import Simulator
import Testing
import Web

/// Connections that a test plays by hand.
struct RelayBench {
    var model: RelayModel
    var now: Int64 = 1_000
    /// What each connection was sent, and how it ended.
    var heard: [Int: [JSON]] = [:]
    var raw: [Int: [[UInt8]]] = [:]
    var ends: [Int: UInt16] = [:]

    static let phone = "aaaaaaaa-0000-4000-8000-000000000001"
    static let desktop = "dddddddd-0000-4000-8000-000000000002"

    init(_ faults: RelayFault..., script: RelayScript = RelayScript()) {
        var script = script
        script.faults += faults
        model = RelayModel(script, seed: 7, now: 1_000, wall: 1_796_029_200_000)
    }

    mutating func take(_ actions: [RelayAction]) {
        for action in actions {
            switch action {
            case .send(let id, let bytes):
                raw[id, default: []].append(bytes)
                if let message = try? JSON(parsing: bytes) { heard[id, default: []].append(message) }
            case .close(let id, let code, _): ends[id] = code
            case .cut(let id), .sendHalf(let id, _): ends[id] = 1006
            case .sendBinary: break
            }
        }
    }

    mutating func open(_ role: RelayVisitor.Role, device: String? = nil, target: String = desktop) -> Int {
        let isPhone = role == .phone
        let device = device ?? (isPhone ? RelayBench.phone : target)
        return model.opened(RelayVisitor(device: device, role: role, target: isPhone ? target : nil))
    }

    mutating func send(_ id: Int, _ type: String, _ payload: JSON = [:]) {
        let message: JSON = ["type": .string(type), "payload": payload]
        take(model.received(message.encoded(), on: id, now: now))
    }

    /// - Parameters:
    ///   - resuming: the session and token of an earlier registration.
    mutating func register(_ id: Int, resuming: (String, String)? = nil, last: Int? = nil) {
        guard let visitor = model.connections.first(where: { $0.id == id })?.visitor else { return }
        var payload: JSONObject = [
            "deviceId": .string(visitor.device), "deviceName": "test", "relayProtocolVersion": "1.6",
        ]
        payload["targetDesktopDeviceId"] = visitor.target.map(JSON.string)
        payload["sessionId"] = (resuming?.0).map(JSON.string)
        payload["resumeToken"] = (resuming?.1).map(JSON.string)
        payload["lastEventId"] = last.map { JSON($0) }
        send(id, "register", .object(payload))
    }

    /// A registered connection.
    mutating func join(_ role: RelayVisitor.Role, device: String? = nil, target: String = desktop) -> Int {
        let id = open(role, device: device, target: target)
        register(id)
        return id
    }

    mutating func ask(
        _ id: Int,
        _ request: String = "r-1",
        trace: String? = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    ) {
        var payload: JSONObject = ["id": .string(request), "method": "system.ping", "params": [:]]
        payload["traceparent"] = trace.map(JSON.string)
        send(id, "rpc.request", .object(payload))
    }

    /// Answers the newest request that a desktop has.
    mutating func respond(_ desktop: Int) {
        guard let request = frames(desktop, "rpc.request").last?["payload"] else { return }
        send(
            desktop,
            "rpc.response",
            [
                "clientId": request["clientId"] ?? .null, "id": request["id"] ?? .null, "result": ["pong": true],
                "error": .null,
                "isFinal": true, "traceparent": request["traceparent"] ?? .null,
            ]
        )
    }

    mutating func pass(_ milliseconds: Int64) {
        let end = now + milliseconds
        while let wake = model.wakeAt, wake <= end {
            now = max(now, wake)
            take(model.tick(now: now))
        }
        now = end
    }

    func frames(_ id: Int, _ type: String) -> [JSON] { heard[id, default: []].filter { $0["type"]?.string == type } }

    func events(_ id: Int, _ type: String) -> [JSON] {
        heard[id, default: []].filter { $0["payload"]?["eventType"]?.string == type }
    }
}

@Suite("Simulated relay: good behaviour")
struct RelayModelTests {
    @Test func `registers with 32 and 48 letters and digits, resumes with the token, and rotates it`() throws {
        var bench = RelayBench()
        let first = bench.join(.phone)
        let answer = try #require(bench.frames(first, "registered").first)
        let session = try #require(answer["sessionId"]?.string)
        let token = try #require(answer["resumeToken"]?.string)
        #expect(session.utf8.count == 32 && token.utf8.count == 48)
        #expect(answer["expiresAt"]?.string == "2026-12-01T09:00:00.000Z")
        bench.take(bench.model.closed(first, now: bench.now))
        let second = bench.open(.phone)
        bench.register(second, resuming: (session, token))
        let resumed = try #require(bench.frames(second, "resumed").first)
        #expect(resumed["resumeToken"]?.string != token)
        let third = bench.open(.phone)
        bench.register(third, resuming: (session, token))
        #expect(bench.frames(third, "error").first?["code"]?.string == "invalidResume")
        bench.register(third)
        #expect(bench.frames(third, "registered").count == 1)
    }

    @Test func `a session of one target does not resume for another (R32)`() throws {
        var bench = RelayBench()
        let first = bench.join(.phone)
        let answer = try #require(bench.frames(first, "registered").first)
        let other = bench.open(.phone, target: "dddddddd-0000-4000-8000-000000000003")
        let held = (answer["sessionId"]?.string ?? "", answer["resumeToken"]?.string ?? "")
        bench.register(other, resuming: held)
        #expect(bench.frames(other, "error").first?["code"]?.string == "invalidResume")
    }

    @Test func `a call reaches the desktop with the asker's name and the answer comes back without it (RS10)`() {
        var bench = RelayBench()
        let desktop = bench.join(.desktop)
        let phone = bench.join(.phone)
        bench.ask(phone)
        let request = bench.frames(desktop, "rpc.request").first?["payload"]
        #expect(request?["clientId"]?.string == RelayBench.phone)
        #expect(request?["userId"] != nil)
        bench.respond(desktop)
        let response = bench.frames(phone, "rpc.response").first?["payload"]
        #expect(response?["result"]?["pong"]?.bool == true)
        #expect(response?["clientId"] == nil)
        #expect(bench.model.complaints.isEmpty)
    }

    @Test func `without a desktop, and when it goes, calls are answered -32010 with their id and trace (RS10, RS11)`() {
        var bench = RelayBench()
        let phone = bench.join(.phone)
        bench.ask(phone, "r-1")
        let desktop = bench.join(.desktop)
        bench.ask(phone, "r-2")
        bench.take(bench.model.closed(desktop, now: bench.now))
        let answers = bench.frames(phone, "rpc.response").compactMap { $0["payload"] }
        #expect(answers.map { $0["id"]?.string } == ["r-1", "r-2"])
        for answer in answers {
            #expect(answer["error"]?["code"]?.int == -32010)
            #expect(answer["traceparent"]?.string?.contains("4bf92f3577b34da6a3ce929d0e0e4736") == true)
        }
        #expect(
            bench.events(phone, "device-status").map { $0["payload"]?["payload"]?["status"]?.string } == [
                "online", "disconnected",
            ]
        )
    }

    @Test func `events go to the phones of their desktop, are numbered, and replayed after what was heard (RS13)`()
        throws
    {
        var bench = RelayBench()
        let desktop = bench.join(.desktop)
        let phone = bench.join(.phone)
        let stranger = bench.join(
            .phone,
            device: "aaaaaaaa-0000-4000-8000-000000000009",
            target: "dddddddd-0000-4000-8000-000000000003"
        )
        bench.send(desktop, "event", ["eventType": "session-updated", "payload": ["n": 1]])
        let last = try #require(bench.events(phone, "session-updated").first?["eventId"]?.int)
        bench.take(bench.model.closed(phone, now: bench.now))
        for number in 2...4 {
            bench.send(desktop, "event", ["eventType": "session-updated", "payload": ["n": JSON(number)]])
            bench.send(desktop, "event", ["eventType": "chat:timeline-updated", "payload": ["n": JSON(number)]])
        }
        let again = bench.open(.phone)
        bench.register(again, last: last)
        #expect(bench.events(again, "session-updated").map { $0["payload"]?["payload"]?["n"]?.int } == [2, 3, 4])
        #expect(bench.events(again, "chat:timeline-updated").isEmpty)
        #expect(bench.events(stranger, "session-updated").isEmpty)
        let late = bench.open(.phone)
        bench.register(late, last: 99_999)
        #expect(bench.events(late, "event-replay-gap").count == 1)
    }

    @Test func `a newer connection with the same key replaces the older with 4002 (RS9)`() {
        var bench = RelayBench()
        let phone = bench.join(.phone)
        let old = bench.join(.desktop)
        let new = bench.join(.desktop)
        #expect(bench.ends[old] == 4002)
        bench.ask(phone)
        #expect(bench.frames(new, "rpc.request").count == 1)
        #expect(
            !bench.events(phone, "device-status").contains {
                $0["payload"]?["payload"]?["status"]?.string == "disconnected"
            }
        )
    }

    @Test func `the leases of a lost phone are released in its name (RS12)`() {
        var bench = RelayBench()
        let desktop = bench.join(.desktop)
        let phone = bench.join(.phone)
        for (session, active) in [("s-1", true), ("s-2", true), ("s-2", false)] {
            bench.send(
                phone,
                "event",
                [
                    "eventType": "chat:timeline-interest",
                    "payload": ["appSessionId": .string(session), "active": .bool(active)],
                ]
            )
        }
        let count = bench.events(desktop, "chat:timeline-interest").count
        bench.take(bench.model.closed(phone, now: bench.now))
        let released = bench.events(desktop, "chat:timeline-interest").dropFirst(count)
        #expect(released.map { $0["payload"]?["payload"]?["appSessionId"]?.string } == ["s-1"])
        #expect(released.first?["sourceDeviceId"]?.string == RelayBench.phone)
    }

    @Test(
        "what a client must not do is answered and written down",
        arguments: [
            (#"{"type":"heartbeat","payload":{}}"#, "authRequired"), (#"{"type":"register"}"#, "invalidPayload"),
            ("{", "invalidJson"),
            (#"{"type":"register","payload":{"device_id":1}}"#, "invalidPayload"),
            (#"{"type":"register","payload":{"deviceId":"x","deviceName":"x"}}"#, "deviceOwnershipFailed"),
        ]
    )
    func complains(text: String, code: String) {
        var bench = RelayBench()
        let phone = bench.open(.phone)
        bench.take(bench.model.received(Array(text.utf8), on: phone, now: 1_000))
        #expect(bench.frames(phone, "error").first?["code"]?.string == code)
        #expect(bench.model.complaints.count == 1)
    }

    @Test func `a request without a trace context is written down (R41)`() {
        var bench = RelayBench()
        _ = bench.join(.desktop)
        let phone = bench.join(.phone)
        bench.ask(phone, trace: nil)
        #expect(bench.model.complaints.contains { $0.hasPrefix("R41") })
    }

    @Test func `credentials must fit each other (RS1, R24)`() {
        let good = [
            "X-Device-ID": RelayBench.phone, "X-Token-Binding": RelayBench.phone, "X-Client-Type": "mobile",
            "Authorization": "Bearer t", "X-Target-Desktop-Device-ID": RelayBench.desktop,
        ]
        #expect(RelayVisitor { good[$0] }?.target == RelayBench.desktop)
        for name in good.keys {
            var bad = good
            bad[name] = nil
            #expect(RelayVisitor { bad[$0] } == nil, "\(name)")
        }
        #expect(RelayVisitor { $0 == "X-Token-Binding" ? RelayBench.phone.uppercased() : good[$0] } == nil)
    }
}
