// The relay against scripted clients: every rule RS2 to RS18, and the worked transcript of the protocol document.
import Desktops
import Testing
import Web
import Wire

/// The client's end of a connection, with everything that arrived.
@Loop final class ScriptedClient {
    let transport: any LinkTransport
    private(set) var texts: [String] = []
    private(set) var binaries: [[UInt8]] = []
    private(set) var closed: (code: UInt16, reason: String)?

    init(_ transport: any LinkTransport) {
        self.transport = transport
        transport.onText = { [weak self] in self?.texts.append(String(decoding: $0, as: UTF8.self)) }
        transport.onBinary = { [weak self] in self?.binaries.append($0) }
        transport.onClose = { [weak self] in self?.closed = ($0, $1) }
    }

    func send(_ text: String) { transport.send(text: Array(text.utf8)) }

    var messages: [LinkMessage] {
        texts.compactMap { try? LinkMessage(parsing: Array($0.utf8)) }
    }

    var events: [LinkEvent] {
        messages.compactMap { if case .event(let event) = $0 { event } else { nil } }
    }

    var responses: [RPCResponse] {
        messages.compactMap { if case .response(let response) = $0 { response } else { nil } }
    }

    var requests: [RPCRequest] {
        messages.compactMap { if case .request(let request) = $0 { request } else { nil } }
    }

    var errors: [String] {
        messages.compactMap { if case .error(let failure) = $0 { failure.code } else { nil } }
    }

    var session: LinkSession? {
        messages.lazy.compactMap { message -> LinkSession? in
            switch message {
            case .registered(let session), .resumed(let session): session
            default: nil
            }
        }.first
    }

    func register(_ device: String, target: String? = nil, extra: String = "", version: String = "1.6") {
        let target = target.map { #","targetDesktopDeviceId":"\#($0)""# } ?? ""
        send(
            #"{"type":"register","payload":{"deviceId":"\#(device)","deviceName":"N","relayProtocolVersion":"\#(version)"\#(target)\#(extra)}}"#
        )
    }

    func ask(_ id: String, method: String = "system.ping", trace: String = Traceparent.random().text) {
        send(
            #"{"type":"rpc.request","payload":{"id":"\#(id)","method":"\#(method)","params":{},"traceparent":"\#(trace)"}}"#
        )
    }

    func answer(_ request: RPCRequest, _ result: String = "{}") {
        send(
            #"{"type":"rpc.response","payload":{"clientId":"\#(request.client ?? "")","id":"\#(request.id)","result":\#(result),"isFinal":true,"traceparent":"\#(request.traceparent ?? "")"}}"#
        )
    }

    func tell(_ type: String, _ payload: String = "{}") {
        send(#"{"type":"event","payload":{"eventType":"\#(type)","payload":\#(payload)}}"#)
    }
}

/// A transport whose reader takes nothing until it is told to.
@Loop final class StuckTransport: LinkTransport {
    var onText: (@Loop ([UInt8]) -> Void)?
    var onBinary: (@Loop ([UInt8]) -> Void)?
    var onClose: (@Loop (UInt16, String) -> Void)?
    var onDrain: (@Loop () -> Void)?
    var bufferedBytes = 0
    var written: [[UInt8]] = []
    var closed: UInt16?

    func send(text: [UInt8]) -> SendOutcome {
        bufferedBytes += text.count
        written.append(text)
        return .sent
    }

    func send(binary: [UInt8]) -> SendOutcome { send(text: binary) }
    func close(_ code: UInt16, _ reason: String) { closed = code }

    func drain() {
        bufferedBytes = 0
        onDrain?()
    }
}

@Suite("The built-in relay", .timeLimit(.minutes(1)))
@Loop struct RelayTests {
    let clock = HandClock()
    let relay: Relay

    init() {
        let clock = clock
        relay = Relay(queueBytes: 1 << 20, now: { clock.now })
    }

    private func open(
        _ role: RelayIdentity.Role,
        _ device: String,
        target: String? = nil,
        user: String = RelayIdentity.owner
    ) -> ScriptedClient {
        let (near, far) = InProcessTransport.pair()
        relay.accept(far, as: RelayIdentity(user: user, device: device, role: role, target: target))
        return ScriptedClient(near)
    }

    private func phone(_ device: String = IDs.phone, target: String = IDs.desktop, extra: String = "") async
        -> ScriptedClient
    {
        let client = open(.phone, device, target: target)
        client.register(device, target: target, extra: extra)
        #expect(await eventually { client.session != nil })
        return client
    }

    private func desktop(_ device: String = IDs.desktop, extra: String = "") async -> ScriptedClient {
        let client = open(.desktop, device)
        client.register(device, extra: extra)
        #expect(await eventually { client.session != nil })
        return client
    }

    // MARK: Registration

    @Test func `RS2: before register nothing is routed, and without it the connection ends after 10 s`() async {
        let desk = await desktop()
        let early = open(.phone, IDs.phone, target: IDs.desktop)
        early.ask("r1")
        early.send("{}")
        #expect(await eventually { early.errors == ["authRequired", "unknownMessageType"] })
        #expect(desk.requests.isEmpty)
        clock.now += 9_999
        relay.sweep()
        #expect(early.closed == nil)
        clock.now += 1
        relay.sweep()
        #expect(await eventually { early.closed != nil })
    }

    @Test func `RS3: a device of somebody else is refused and closed`() async {
        relay.owns = { user, device in user == "ada" ? device == IDs.desktop : false }
        let foreign = open(.phone, IDs.phone, target: IDs.desktop, user: "bob")
        foreign.register(IDs.phone, target: IDs.desktop)
        #expect(await eventually { foreign.errors == ["deviceOwnershipFailed"] && foreign.closed != nil })
        let own = open(.phone, IDs.phone, target: IDs.desktop, user: "ada")
        own.register(IDs.phone, target: IDs.desktop)
        #expect(await eventually { own.session != nil })
        let liar = open(.phone, IDs.phone, target: IDs.desktop, user: "ada")
        liar.register(IDs.server, target: IDs.desktop)
        #expect(await eventually { liar.errors == ["deviceOwnershipFailed"] })
    }

    @Test func `header and register must name the same desktop`() async {
        let client = open(.phone, IDs.phone, target: IDs.desktop)
        client.register(IDs.phone, target: IDs.other)
        #expect(await eventually { client.errors == ["targetMismatch"] && client.closed != nil })
        let asking = await phone()
        asking.send(
            #"{"type":"rpc.request","payload":{"id":"1","method":"m","targetDesktopDeviceId":"\#(IDs.other)"}}"#
        )
        #expect(await eventually { asking.errors == ["targetMismatch"] && asking.closed != nil })
    }

    @Test(arguments: [("1.6", true), ("1.0", true), ("1.99", true), ("1", true), ("2.0", false), ("10.1", false)])
    func `versions 1.x are spoken, others are refused with 1002`(version: String, isGood: Bool) async {
        let client = open(.desktop, IDs.desktop)
        client.register(IDs.desktop, version: version)
        if isGood {
            #expect(await eventually { client.session != nil })
        } else {
            #expect(await eventually { client.errors == ["unsupportedProtocolVersion"] && client.closed?.code == 1002 })
        }
    }

    @Test func `RS4: session ids have 32 and tokens 48 alphanumerics`() async throws {
        let session = try #require(await phone().session)
        #expect(session.session?.wholeMatch(of: /[A-Za-z0-9]{32}/) != nil)
        #expect(session.token?.wholeMatch(of: /[A-Za-z0-9]{48}/) != nil)
        #expect(session.expiresAt?.hasSuffix("Z") == true)
    }

    @Test func `a session is resumed with a rotated token, on the same pair only`() async throws {
        let first = try #require(await phone().session)
        let held = #","sessionId":"\#(first.session ?? "")","resumeToken":"\#(first.token ?? "")""#
        let stranger = open(.phone, IDs.phone, target: IDs.other)
        stranger.register(IDs.phone, target: IDs.other, extra: held)
        #expect(await eventually { stranger.errors == ["invalidResume"] })
        let again = await phone(extra: held)
        #expect(again.texts.first?.contains(#""type":"resumed""#) == true)
        #expect(again.session?.session == first.session)
        #expect(again.session?.token != first.token)
        #expect(relay.metrics.resumed == 1 && relay.metrics.refusedResumes == 1)
    }

    @Test func `RS5: after a bad resume the socket stays usable for a plain register`() async {
        let client = open(.phone, IDs.phone, target: IDs.desktop)
        client.register(IDs.phone, target: IDs.desktop, extra: #","sessionId":"x","resumeToken":"y""#)
        #expect(await eventually { client.errors == ["invalidResume"] })
        client.register(IDs.phone, target: IDs.desktop)
        #expect(await eventually { client.session != nil })
        #expect(client.closed == nil)
    }

    // MARK: Life

    @Test func `RS6: a heartbeat is answered before everything else that waits`() async throws {
        let stuck = StuckTransport()
        relay.accept(stuck, as: RelayIdentity(device: IDs.phone, role: .phone, target: IDs.desktop))
        stuck.onText?(Array(#"{"type":"register","payload":{"deviceId":"\#(IDs.phone)"}}"#.utf8))
        let desk = await desktop()
        let filler = #"{"x":"\#(String(repeating: "y", count: 50_000))"}"#
        for _ in 0..<20 { desk.tell("control", filler) }
        #expect(await eventually { relay.metrics.events == 20 })
        stuck.onText?(Array(#"{"type":"heartbeat","payload":{}}"#.utf8))
        let last = try #require(stuck.written.last)
        #expect(String(decoding: last, as: UTF8.self) == #"{"type":"pong"}"#)
        #expect(stuck.written.count < 12, "the rest still waits")
    }

    @Test func `RS7: who is not heard for 60 s is dropped`() async {
        let client = await phone()
        let mute = await desktop()
        clock.now += 40_000
        client.send(#"{"type":"ping"}"#)
        #expect(await eventually { client.messages.contains(.pong) })
        clock.now += 20_000
        relay.sweep()
        #expect(await eventually { mute.closed != nil })
        #expect(client.closed == nil)
        #expect(relay.metrics.silent == 1)
    }

    @Test func `RS8: a frame with an underscore in a key goes nowhere`() async {
        let desk = await desktop()
        let client = await phone()
        client.send(#"{"type":"event","payload":{"eventType":"x","payload":{"deep":[{"a_b":1}]}}}"#)
        #expect(await eventually { client.errors == ["invalidPayload"] })
        #expect(desk.events.isEmpty)
    }

    @Test func `RS9: one phone lives with two desktops; the same key replaces with 4002, and nobody is told`() async {
        let desk = await desktop()
        let first = await phone()
        let second = await phone(target: IDs.other)
        #expect(relay.metrics.phones == 2)
        let newer = await phone()
        #expect(await eventually { first.closed?.code == 4002 })
        #expect(second.closed == nil && newer.closed == nil)
        let replacement = await desktop()
        #expect(await eventually { desk.closed?.code == 4002 })
        #expect(!newer.texts.contains { $0.contains("disconnected") })
        newer.ask("r")
        #expect(await eventually { replacement.requests.count == 1 })
        #expect(relay.metrics.phones == 2 && relay.metrics.desktops == 1)
    }

    // MARK: Questions

    @Test func `RS10: questions go to the target only, answers to the asking socket only`() async {
        let desks = [await desktop(), await desktop(IDs.other)]
        let phones = [await phone(), await phone(target: IDs.other), await phone(IDs.server)]
        for client in phones { client.ask("same") }
        #expect(await eventually { desks[0].requests.count == 2 && desks[1].requests.count == 1 })
        #expect(desks[0].requests.allSatisfy { $0.user == RelayIdentity.owner && $0.target == nil })
        #expect(Set(desks[0].requests.map(\.client)) == [IDs.phone, IDs.server])
        for request in desks[0].requests { desks[0].answer(request, #"{"for":"\#(request.client ?? "")"}"#) }
        #expect(await eventually { phones[0].responses.count == 1 && phones[2].responses.count == 1 })
        #expect(phones[0].texts.last?.contains(#""for":"\#(IDs.phone)""#) == true)
        #expect(phones[0].texts.last?.contains("clientId") == false)
        #expect(phones[1].responses.isEmpty)
        // A second answer to the same question is nobody's.
        desks[0].answer(desks[0].requests[0])
        desks[0].tell("marker")
        #expect(await eventually { phones[0].events.contains { $0.type == "marker" } })
        #expect(phones[0].responses.count == 1)
    }

    @Test func `RS10: without the desktop the relay answers -32010 with id and trace`() async throws {
        let client = await phone()
        let trace = Traceparent.random()
        client.ask("r-3", trace: trace.text)
        #expect(await eventually { client.responses.count == 1 })
        let response = try #require(client.responses.first)
        #expect(response.id == "r-3")
        #expect(response.outcome == .failure(RPCError(code: -32010, message: "Desktop is offline")))
        #expect(response.traceparent.flatMap { Traceparent($0)?.trace } == trace.trace)
    }

    @Test func `RS11: a desktop that drops answers what it was asked with -32010 at once`() async {
        let desk = await desktop()
        let client = await phone()
        client.ask("a")
        client.ask("b")
        #expect(await eventually { desk.requests.count == 2 })
        desk.transport.close(1006, "cable")
        #expect(await eventually { client.responses.map(\.id) == ["a", "b"] })
        #expect(await eventually { client.events.last?.type == "device-status" })
        #expect(client.texts.last?.contains(#""status":"disconnected","reason":"ws_closed""#) == true)
        #expect(relay.metrics.offlineAnswers == 2)
    }

    @Test func `RS12: when a phone goes its leases are released and late answers dropped`() async {
        let desk = await desktop()
        let client = await phone()
        client.tell("chat:timeline-interest", #"{"appSessionId":"s-1","active":true}"#)
        client.tell("chat:timeline-interest", #"{"appSessionId":"s-2","active":true}"#)
        client.tell("chat:timeline-interest", #"{"appSessionId":"s-2","active":false}"#)
        client.ask("a")
        #expect(await eventually { desk.requests.count == 1 })
        client.transport.close(1001, "gone")
        #expect(await eventually { desk.events.count == 4 })
        let last = desk.events.last
        #expect(last?.source == IDs.phone)
        #expect(
            last.flatMap { TimelineInterest(payload: $0.payload) } == TimelineInterest(session: "s-1", active: false)
        )
        let newer = await phone()
        desk.answer(desk.requests[0])
        desk.tell("marker")
        #expect(await eventually { newer.events.contains { $0.type == "marker" } })
        #expect(newer.responses.isEmpty)
    }

    @Test func `a phone that is replaced hands its leases to its successor`() async {
        let desk = await desktop()
        let first = await phone()
        first.tell("chat:timeline-interest", #"{"appSessionId":"s-1","active":true}"#)
        #expect(await eventually { desk.events.count == 1 })
        let second = await phone()
        #expect(await eventually { first.closed != nil })
        second.tell("marker")
        #expect(await eventually { desk.events.last?.type == "marker" })
        #expect(desk.events.count == 2, "no active: false in between")
        second.transport.close(1000, "")
        #expect(await eventually { desk.events.count == 3 })
    }

    // MARK: Events

    @Test func `RS13: who comes back with its last number gets what it missed, once, without its own`() async {
        let desk = await desktop()
        let client = await phone()
        desk.tell("one")
        desk.tell("two")
        #expect(await eventually { client.events.count == 2 })
        let last = client.events.last?.id ?? 0
        client.transport.close(1006, "")
        #expect(await eventually { relay.metrics.phones == 0 })
        desk.tell("three")
        desk.tell("chat:timeline-updated", #"{"appSessionId":"s","revision":1,"blocks":[]}"#)
        desk.tell("four")
        #expect(await eventually { relay.metrics.events == 5 })
        let again = await phone(extra: #","lastEventId":\#(last)"#)
        #expect(await eventually { again.events.map(\.type) == ["three", "four"] })
        #expect(again.events.compactMap(\.id) == again.events.compactMap(\.id).sorted())
        let new = await phone(IDs.server)
        new.tell("x")
        #expect(await eventually { desk.events.last?.type == "x" })
        #expect(new.events.isEmpty, "without a number nothing is replayed")
    }

    @Test func `RS13: a number from before a restart leads to a gap`() async {
        let client = await phone(extra: #","lastEventId":77"#)
        #expect(await eventually { client.events.first?.type == "event-replay-gap" })
        #expect(client.texts.last?.contains(#""lastEventId":77,"oldestBufferedId":0,"latestBufferedId":0"#) == true)
    }

    @Test func `events of a desktop reach its own phones, events of a phone its own desktop`() async {
        let desk = await desktop()
        let otherDesk = await desktop(IDs.other)
        let phones = [await phone(), await phone(IDs.server), await phone(target: IDs.other)]
        let before = phones.map(\.events.count)
        desk.tell("news")
        phones[0].tell("up")
        #expect(await eventually { phones[0].events.last?.type == "news" && phones[1].events.last?.type == "news" })
        #expect(await eventually { desk.events.map(\.type) == ["up"] })
        #expect(phones[2].events.count == before[2])
        #expect(otherDesk.events.isEmpty)
        #expect(phones[0].events.last?.source == IDs.desktop)
    }

    @Test func `RS14, RS15: a slow reader holds one snapshot per key; too far behind, it goes with 1013`() async {
        let stuck = StuckTransport()
        relay.accept(stuck, as: RelayIdentity(device: IDs.phone, role: .phone, target: IDs.desktop))
        stuck.onText?(Array(#"{"type":"register","payload":{"deviceId":"\#(IDs.phone)"}}"#.utf8))
        stuck.bufferedBytes = Limits.relayWindowBytes
        let desk = await desktop()
        for revision in 1...50 {
            desk.tell("chat:timeline-updated", #"{"appSessionId":"s","revision":\#(revision),"blocks":[]}"#)
        }
        desk.tell("chat:timeline-updated", #"{"appSessionId":"t","revision":1,"blocks":[]}"#)
        desk.tell("control")
        #expect(await eventually { relay.metrics.events == 52 })
        #expect(relay.metrics.replacedSnapshots == 49)
        stuck.written = []
        stuck.drain()
        let texts = stuck.written.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.count == 4, "online, the newest of s, of t, the control event")
        #expect(texts.contains { $0.contains(#""revision":50"#) })

        stuck.bufferedBytes = Limits.relayWindowBytes
        let large = #"{"x":"\#(String(repeating: "y", count: 256 << 10))"}"#
        for _ in 0..<4 { desk.tell("control", large) }
        #expect(await eventually { stuck.closed == 1013 })
        #expect(relay.metrics.overflows == 1)
        #expect(relay.metrics.phones == 0)
    }

    @Test func `a flood is answered with rateLimited, not swallowed`() async {
        let client = await phone()
        for number in 0..<60 { client.ask("q\(number)") }
        #expect(await eventually { client.errors.count >= 10 && client.responses.count + client.errors.count == 60 })
        #expect(client.errors.allSatisfy { $0 == "rateLimited" })
        #expect(client.texts.last?.contains(#""requestId":"q59""#) == true)
        clock.now += 1_000
        client.ask("later")
        #expect(await eventually { client.responses.last?.id == "later" })
    }

    @Test func `RS16: signing out ends every session and closes with 4001`() async {
        let desk = await desktop()
        let client = await phone()
        let session = client.session
        relay.logOut()
        #expect(await eventually { client.closed?.code == 4001 && desk.closed?.code == 4001 })
        let again = open(.phone, IDs.phone, target: IDs.desktop)
        again.register(
            IDs.phone,
            target: IDs.desktop,
            extra: #","sessionId":"\#(session?.session ?? "")","resumeToken":"\#(session?.token ?? "")""#
        )
        #expect(await eventually { again.errors == ["invalidResume"] })
    }

    @Test func `an unlinked device is closed with 4003 and the others are told`() async {
        let desk = await desktop()
        let client = await phone()
        relay.unlink(device: IDs.desktop)
        #expect(await eventually { desk.closed?.code == 4003 })
        #expect(await eventually { client.events.last?.type == "device-unlinked" })
    }

    @Test func `RS17: a terminal's bytes reach those who bound it, other binary frames nobody`() async {
        let desk = await desktop()
        let client = await phone()
        client.send(#"{"type":"terminal.binary.bind","payload":{"sessionId":"t1","includeSnapshot":true}}"#)
        #expect(
            await eventually {
                desk.messages.contains { if case .terminal("bind", "t1", _) = $0 { true } else { false } }
            }
        )
        #expect(
            await eventually { client.texts.last == #"{"type":"terminal.binary.bound","payload":{"sessionId":"t1"}}"# }
        )
        let frame = Array("PTC1".utf8) + [0, 2] + Array("t1hello".utf8)
        desk.transport.send(binary: frame)
        desk.transport.send(binary: Array("PTC1".utf8) + [0, 2] + Array("t2hello".utf8))
        desk.transport.send(binary: Array("PTC1".utf8) + [255, 255, 1])
        desk.transport.send(binary: [1, 2, 3])
        desk.tell("marker")
        #expect(await eventually { client.events.last?.type == "marker" })
        #expect(client.binaries == [frame])
        let lonely = await phone(target: IDs.other)
        lonely.send(#"{"type":"terminal.binary.bind","payload":{"sessionId":"t1"}}"#)
        #expect(await eventually { lonely.errors == ["producerNotConnected"] })
    }

    @Test func `RS18: a job's event without its ids is dropped`() async {
        let desk = await desktop()
        let client = await phone()
        desk.tell("job:created", #"{"jobId":"j"}"#)
        desk.tell("job:created", #"{"jobId":"j","sessionId":"s"}"#)
        #expect(await eventually { client.events.filter { $0.type == "job:created" }.count == 1 })
        #expect(desk.errors == ["invalidPayload"])
    }

    @Test func `messages above 32 MiB close with 1009`() async {
        let stuck = StuckTransport()
        relay.accept(stuck, as: RelayIdentity(device: IDs.desktop, role: .desktop))
        stuck.onText?([UInt8](repeating: 0x20, count: Limits.messageBytes + 1))
        #expect(stuck.closed == 1009)
    }

    @Test func `the bound on connections holds`() {
        var transports: [StuckTransport] = []
        for _ in 0...Limits.relayConnections {
            let transport = StuckTransport()
            transports.append(transport)
            relay.accept(transport, as: RelayIdentity(device: IDs.desktop, role: .desktop))
        }
        #expect(transports.last?.closed == 1013)
        #expect(transports.dropLast().allSatisfy { $0.closed == nil })
        relay.drain()
        #expect(transports.first?.closed == 1001)
    }

    @Test func `the worked transcript plays as written`() async throws {
        let client = await phone()
        let desk = await desktop()
        client.ask("r-1", trace: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
        #expect(await eventually { desk.requests.count == 1 })
        #expect(
            desk.texts.last
                == #"{"type":"rpc.request","payload":{"id":"r-1","method":"system.ping","params":{},"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01","clientId":"\#(IDs.phone)","userId":"\#(RelayIdentity.owner)"}}"#
        )
        desk.send(
            #"{"type":"rpc.response","payload":{"clientId":"\#(IDs.phone)","id":"r-1","result":{"pong":true},"error":null,"isFinal":true,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01"}}"#
        )
        #expect(await eventually { !client.responses.isEmpty })
        #expect(
            client.texts.last
                == #"{"type":"rpc.response","payload":{"id":"r-1","result":{"pong":true},"error":null,"isFinal":true,"traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-b7ad6b7169203331-01"}}"#
        )
        client.tell("chat:timeline-interest", #"{"appSessionId":"s-1","active":true}"#)
        #expect(await eventually { desk.events.count == 1 })
        #expect(
            desk.texts.last?.hasPrefix(
                #"{"type":"event","eventId":1,"sourceDeviceId":"\#(IDs.phone)","targetDeviceId":null,"#
            ) == true
        )
        client.send(#"{"type":"heartbeat","payload":{"activeSessionId":"s-1"}}"#)
        #expect(await eventually { client.messages.last == .pong })
    }
}
