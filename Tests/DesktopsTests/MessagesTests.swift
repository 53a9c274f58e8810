import Desktops
import Testing
import Web

@Suite("Frames of the device link")
struct MessagesTests {
    private func parsed(_ text: String) throws(LinkMessageError) -> LinkMessage {
        try LinkMessage(parsing: Array(text.utf8))
    }

    private func text(_ message: LinkMessage) throws -> String {
        String(decoding: try message.encoded(), as: UTF8.self)
    }

    @Test func `R36: the registry has 65 methods, each once, and no others`() {
        #expect(RPCMethod.all.count == 65)
        #expect(Set(RPCMethod.all.map(\.name)).count == 65)
        #expect(RPCMethod.named("x.y") == nil)
        #expect(RPCMethod.named("system.ping")?.timeout == 3_000)
        #expect(RPCMethod.named("job.list")?.timeout == 90_000)
        #expect(RPCMethod.named("chat.getTimeline")?.timeout == 30_000)
    }

    @Test func `R37: 22 methods need an idempotency key, terminal.write does not`() {
        #expect(RPCMethod.all.filter(\.isKeyed).count == 22)
        #expect(RPCMethod.named("chat.sendMessage")?.isKeyed == true)
        #expect(RPCMethod.named("terminal.write")?.isKeyed == false)
    }

    @Test(arguments: [
        #"{"a_b":1}"#, #"{"a":{"b":{"c":{"d":{"e_":1}}}}}"#, #"{"a":[1,{"_":2}]}"#, #"{"a\u005fb":1}"#,
    ])
    func `R38: a key with an underscore leaves nowhere and is let in nowhere`(params: String) throws {
        let request = RPCRequest(id: "1", method: "chat.get", params: Array(params.utf8))
        #expect(throws: SnakeCaseKeyError()) { try LinkMessage.request(request).encoded() }
        #expect(throws: LinkMessageError.invalidPayload("a key holds an underscore")) {
            try parsed(#"{"type":"rpc.request","payload":{"id":"1","method":"chat.get","params":\#(params)}}"#)
        }
    }

    @Test func `R38: an underscore in a value passes`() throws {
        let request = RPCRequest(id: "1", method: "chat.get", params: Array(#"{"a":"b_c","d":"\"e_\":1"}"#.utf8))
        let bytes = try LinkMessage.request(request).encoded()
        #expect(try LinkMessage(parsing: bytes) == .request(request))
    }

    @Test func `R41: a traceparent has the form of W3C version 00`() {
        let trace = Traceparent.random()
        #expect(Traceparent(trace.text) == trace)
        let pattern = /00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/
        #expect(trace.text.wholeMatch(of: pattern) != nil)
        let answer = trace.answering()
        #expect(answer.trace == trace.trace)
        #expect(answer.parent != trace.parent)
    }

    @Test(arguments: [
        "", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
    ])
    func `R42: anything else is no traceparent`(text: String) {
        #expect(Traceparent(text) == nil)
    }

    /// The frames of the protocol document's worked transcript.
    @Test(arguments: [
        #"{"type":"register","payload":{"deviceId":"aaaaaaaa-0000-4000-8000-000000000001","deviceName":"Wheelhouse","relayProtocolVersion":"1.6","targetDesktopDeviceId":"dddddddd-0000-4000-8000-000000000002","lastEventId":3}}"#,
        #"{"type":"registered","sessionId":"Zk3vQ8hT1mWc5XbR7nLp2sYd9fGj4aUe","resumeToken":"q1W2e3R4","expiresAt":"2026-12-01T09:00:00Z"}"#,
        #"{"type":"rpc.request","payload":{"id":"r-2","method":"session.rename","params":{"sessionId":"s-1","newName":"Parser"},"idempotencyKey":"k-77","traceparent":"00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b8-01"}}"#,
        #"{"type":"rpc.response","payload":{"clientId":"aaaaaaaa-0000-4000-8000-000000000001","id":"r-1","result":{"pong":true},"error":null,"isFinal":true,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01"}}"#,
        #"{"type":"rpc.response","payload":{"id":"r-3","result":null,"error":{"code":-32010,"message":"Desktop is offline"},"isFinal":true}}"#,
        #"{"type":"event","payload":{"eventType":"chat:timeline-interest","payload":{"appSessionId":"s-1","active":true}}}"#,
        #"{"type":"event-ack","payload":{"lastEventId":2}}"#,
        #"{"type":"heartbeat","payload":{"activeSessionId":"s-1"}}"#,
        #"{"type":"pong"}"#,
        #"{"type":"terminal.binary.bind","payload":{"sessionId":"t-1","includeSnapshot":true}}"#,
    ])
    func `a frame of the worked transcript is read and written back as it was`(frame: String) throws {
        #expect(try text(try parsed(frame)) == frame)
    }

    @Test func `a relay's event carries its number, source and time at the root`() throws {
        let event = LinkEvent(type: "x", payload: Array("{}".utf8), id: 7, source: "d", at: 1_796_029_200_090)
        #expect(
            try text(.event(event))
                == #"{"type":"event","eventId":7,"sourceDeviceId":"d","targetDeviceId":null,"timestamp":"2026-11-30T09:00:00.090Z","payload":{"eventType":"x","payload":{}}}"#
        )
        guard case .event(let read) = try LinkMessage(parsing: try LinkMessage.event(event).encoded()) else {
            Issue.record("an event")
            return
        }
        #expect(read.id == 7 && read.source == "d")
    }

    @Test(arguments: [
        ("", "invalidJson"), ("nonsense", "invalidJson"), ("[1]", "invalidPayload"), ("{}", "unknownMessageType"),
        (#"{"type":"dance"}"#, "unknownMessageType"), (#"{"type":7}"#, "invalidPayload"),
        (#"{"type":"event"}"#, "invalidPayload"), (#"{"type":"event","payload":[]}"#, "invalidPayload"),
        (#"{"type":"event","payload":{"eventType":"x"}}"#, "invalidPayload"),
        (#"{"type":"event","payload":{"eventType":"x","payload":1}}"#, "invalidPayload"),
        (#"{"type":"rpc.request","payload":{"id":"1"}}"#, "missingMethod"),
        (#"{"type":"rpc.request","payload":{"id":"1","method":"m","params":[]}}"#, "invalidRpcPayload"),
        (#"{"type":"rpc.response","payload":{}}"#, "invalidRpcPayload"),
        (#"{"type":"register","payload":{}}"#, "invalidPayload"),
        (#"{"type":"event-ack","payload":{}}"#, "invalidPayload"),
        (#"{"type":"pong"} x"#, "invalidJson"),
    ])
    func `a malformed frame is refused with the code of section 2.5`(frame: String, code: String) {
        do throws(LinkMessageError) {
            _ = try parsed(frame)
            Issue.record("accepted")
        } catch {
            #expect(error.code == code)
        }
    }

    @Test func `names above their bound are refused`() {
        let fits = String(repeating: "a", count: Limits.nameBytes)
        #expect(throws: Never.self) { try parsed(#"{"type":"rpc.request","payload":{"id":"\#(fits)","method":"m"}}"#) }
        #expect(throws: LinkMessageError.invalidRpcPayload) {
            try parsed(#"{"type":"rpc.request","payload":{"id":"\#(fits)a","method":"m"}}"#)
        }
    }

    @Test func `an error ends a call even when it says that more follows`() throws {
        let frame = #"{"type":"rpc.response","payload":{"id":"1","error":{"code":-1,"message":"m"},"isFinal":false}}"#
        guard case .response(let response) = try parsed(frame) else {
            Issue.record("a response")
            return
        }
        #expect(response.isFinal)
    }

    @Test(arguments: 0..<300) func `damaged frames are refused or read, never worse`(seed: UInt64) throws {
        var dice = Dice(seed: seed)
        var bytes = Array(
            #"{"type":"rpc.request","payload":{"id":"r","method":"m","params":{"a":[1,{"b":"c\u0041"}]},"traceparent":"t"}}"#
                .utf8
        )
        for _ in 0..<Int.random(in: 1...4, using: &dice) {
            let place = Int.random(in: 0..<bytes.count, using: &dice)
            switch Int.random(in: 0..<3, using: &dice) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &dice)
            case 1: bytes.remove(at: place)
            default: bytes.insert(contentsOf: bytes[place...].prefix(7), at: place)
            }
        }
        if let message = try? LinkMessage(parsing: bytes) {
            #expect(throws: Never.self) { try message.encoded() }
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_796_029_200_090, "2026-11-30T09:00:00.090Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (4_107_542_399_999, "2100-02-28T23:59:59.999Z"),
        ] as [(Int64, String)]
    )
    func `times are spelled as RFC 3339`(milliseconds: Int64, text: String) {
        #expect(Timestamp.text(milliseconds: milliseconds) == text)
    }
}

@Suite("Credentials of an upgrade (RS1)")
struct RelayCredentialsTests {
    private func check(_ change: [String: String?] = [:]) throws(RelayCredentialError) -> RelayCredentials {
        var fields: [String: String] = [
            "authorization": "Bearer secret", "x-device-id": IDs.phone, "x-token-binding": IDs.phone,
            "x-client-type": "mobile", "x-target-desktop-device-id": IDs.desktop,
        ]
        for (name, value) in change { fields[name] = value }
        return try RelayCredentials.check { fields[$0.lowercased()] }
    }

    @Test func `a phone names itself, its token and its desktop`() throws {
        let credentials = try check()
        #expect(credentials.token == "secret")
        #expect(credentials.identity == RelayIdentity(device: IDs.phone, role: .phone, target: IDs.desktop))
    }

    @Test func `a desktop names no target; its id may be in capitals, its binding may not`() throws {
        let credentials = try check([
            "x-client-type": "desktop", "x-target-desktop-device-id": nil, "x-device-id": IDs.phone.uppercased(),
        ])
        #expect(credentials.identity == RelayIdentity(device: IDs.phone, role: .desktop))
        #expect(throws: RelayCredentialError.bindingMismatch) {
            try check(["x-token-binding": IDs.phone.uppercased()])
        }
    }

    @Test(
        arguments: [
            (["authorization": nil], RelayCredentialError.missingToken), (["authorization": "Basic x"], .missingToken),
            (["authorization": "Bearer"], .missingToken),
            (["authorization": "Bearer " + String(repeating: "x", count: Limits.credentialBytes)], .missingToken),
            (["x-device-id": nil], .invalidDevice), (["x-device-id": "me"], .invalidDevice),
            (["x-token-binding": nil], .bindingMismatch), (["x-client-type": "toaster"], .invalidClientType),
            (["x-target-desktop-device-id": nil], .invalidTarget),
            (["x-target-desktop-device-id": "x"], .invalidTarget),
        ] as [([String: String?], RelayCredentialError)]
    )
    func `anything missing or wrong is refused`(change: [String: String?], error: RelayCredentialError) {
        #expect(throws: error) { try check(change) }
    }
}
