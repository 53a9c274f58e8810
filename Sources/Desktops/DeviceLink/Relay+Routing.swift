// What the relay does with messages: registration and resuming, questions and answers, events, terminals' bytes
// (protocol document, sections 2.3, 2.4, 4.4; RS2-RS18).
import Web
import Wire

extension Relay {
    // MARK: In

    func received(_ text: [UInt8], from connection: RelayConnection) {
        metrics.framesIn += 1
        metrics.bytesIn += text.count
        connection.heardAt = now()
        guard text.count <= Limits.messageBytes else { return close(connection, 1009, "message too big") }
        let message: LinkMessage
        do {
            message = try LinkMessage(parsing: text, isChecked: connection.isTrusted)
        } catch {
            metrics.refusedFrames += 1
            return refuse(connection, error.code, "\(error)")
        }
        if connection.bucket?.take(now: now()) == false {
            metrics.rateLimited += 1
            var request: String?
            if case .request(let asked) = message { request = asked.id }
            return refuse(connection, "rateLimited", "too many frames", request: request)
        }
        guard connection.isRegistered else {
            guard case .register(let registration) = message else {
                return refuse(connection, "authRequired", "the first frame must be register")
            }
            return register(connection, registration)
        }
        switch message {
        case .heartbeat, .ping:
            touch(connection)
            pong(connection)
        case .request(let request):
            touch(connection)
            route(request, from: connection)
        case .response(let response): route(response, from: connection)
        case .event(let event): route(event, from: connection)
        case .acknowledge: break
        case .terminal(let verb, let session, let payload):
            route(terminal: session, verb: verb, payload: payload, from: connection)
        case .register: refuse(connection, "invalidPayload", "registered already")
        case .registered, .resumed, .session, .error, .pong:
            refuse(connection, "unknownMessageType", "a relay sends that")
        }
    }

    private func touch(_ connection: RelayConnection) {
        if let session = connection.session { sessions.touch(session, now: now()) }
    }

    // MARK: Out

    /// Queues a message, the newest snapshot only, and writes what the transport takes.
    func send(_ message: [UInt8], to connection: RelayConnection, key: Intake.Key? = nil) {
        guard !connection.isClosed else { return }
        let replaced = connection.output.replaced
        guard connection.output.push(message, key: key) else {
            metrics.overflows += 1
            // What waits is not worth sending any more, and the memory must come back (RS15).
            connection.output = OutputQueue()
            return close(connection, 1013, "too slow")
        }
        metrics.replacedSnapshots += connection.output.replaced - replaced
        flush(connection)
    }

    private func send(_ message: LinkMessage, to connection: RelayConnection) {
        // Every part was checked when it came in, or is ours.
        if let bytes = try? message.encoded(isChecked: true) { send(bytes, to: connection) }
    }

    func flush(_ connection: RelayConnection) {
        while connection.transport.bufferedBytes < Limits.relayWindowBytes, let message = connection.output.pop() {
            write(message, to: connection)
        }
        guard !connection.output.isEmpty, !connection.willFlush else { return }
        // A socket says that it drained only after it was really full; below that, time has to do.
        connection.willFlush = true
        Loop.after(milliseconds: Relay.flushEvery) { [weak self, weak connection] in
            guard let self, let connection, !connection.isClosed else { return }
            connection.willFlush = false
            flush(connection)
        }
    }

    func write(_ message: [UInt8], to connection: RelayConnection) {
        metrics.framesOut += 1
        metrics.bytesOut += message.count
        connection.transport.send(text: message)
    }

    private func pong(_ connection: RelayConnection) {
        guard let bytes = try? LinkMessage.pong.encoded() else { return }
        // Before everything else that waits, or a loaded link would look dead (RS6).
        connection.output.pushFirst(bytes)
        if let next = connection.output.pop() { write(next, to: connection) }
    }

    private func refuse(_ connection: RelayConnection, _ code: String, _ message: String, request: String? = nil) {
        send(
            .error(LinkFailure(code: code, message: message, request: request, at: Loop.wallClock)),
            to: connection
        )
    }

    // MARK: Registration

    private func register(_ connection: RelayConnection, _ registration: LinkRegistration) {
        let identity = connection.identity
        if let version = registration.version, version != "1", !version.hasPrefix("1.") {
            refuse(connection, "unsupportedProtocolVersion", "this relay speaks version 1")
            return close(connection, 1002, "unsupported protocol version")
        }
        guard let device = DeviceID.normalized(registration.device) else {
            return refuse(connection, "invalidDeviceId", "not a UUID")
        }
        guard device == identity.device, owns?(identity.user, identity.target ?? device) ?? true else {
            refuse(connection, "deviceOwnershipFailed", "the device belongs to somebody else")
            return close(connection, 1008, "device ownership failed")
        }
        if let target = registration.target, DeviceID.normalized(target) != identity.target {
            refuse(connection, "targetMismatch", "header and register name different desktops")
            return close(connection, 1008, "target mismatch")
        }
        let owner = RelaySessions.Owner(user: identity.user, device: device, target: identity.target)
        var reply: LinkMessage
        if let session = registration.session, let token = registration.token {
            let offered = ResumeCredentials(session: session, token: token)
            guard let credentials = sessions.resume(offered, owner: owner, now: now()) else {
                metrics.refusedResumes += 1
                return refuse(connection, "invalidResume", "Session cannot be resumed")
            }
            metrics.resumed += 1
            reply = .resumed(linkSession(credentials))
            connection.session = credentials.session
        } else {
            let credentials = sessions.create(owner: owner, now: now())
            reply = .registered(linkSession(credentials))
            connection.session = credentials.session
        }
        connection.isRegistered = true
        connection.name = String(registration.name.prefix(200))
        install(connection)
        send(reply, to: connection)
        replay(after: registration.lastEvent, to: connection)
        if identity.role == .desktop {
            onDesktopRegistered?(device, connection.name)
            announce(type: "device-status", [("deviceId", device), ("status", "online")], user: identity.user)
        }
    }

    private func linkSession(_ credentials: ResumeCredentials) -> LinkSession {
        LinkSession(
            session: credentials.session,
            token: credentials.token,
            expiresAt: Timestamp.text(milliseconds: Loop.wallClock + RelaySessions.life)
        )
    }

    /// Puts a registered connection in its place; an older one of the same key goes with 4002 (RS9).
    private func install(_ connection: RelayConnection) {
        let identity = connection.identity
        var older: RelayConnection?
        switch identity.role {
        case .desktop:
            let key = DeviceKey(user: identity.user, device: identity.device)
            older = desktops.updateValue(connection, forKey: key)
            metrics.desktops = desktops.count
        case .phone:
            guard let target = identity.target else { return }
            let key = DeviceKey(user: identity.user, device: target)
            older = phones[key, default: [:]].updateValue(connection, forKey: identity.device)
            if let older { connection.interests = older.interests } else { metrics.phones += 1 }
        }
        guard let older else { return }
        metrics.replacedConnections += 1
        close(older, 4002, "replaced")
    }

    private func replay(after lastEvent: Int?, to connection: RelayConnection) {
        let identity = connection.identity
        let key = DeviceKey(user: identity.user, device: identity.target ?? identity.device)
        let isPhone = identity.role == .phone
        var stream = (isPhone ? towardsPhones[key] : towardsDesktop[key]) ?? EventStream()
        let replay = stream.replay(after: lastEvent, device: identity.device, now: now())
        if isPhone { towardsPhones[key] = stream } else { towardsDesktop[key] = stream }
        if let gap = replay.gap {
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("lastEventId", lastEvent ?? 0)
            writer.member("oldestBufferedId", gap.oldest)
            writer.member("latestBufferedId", gap.latest)
            writer.endObject()
            // Not numbered: it concerns one client, and tells it where the numbers stand.
            send(
                .event(LinkEvent(type: "event-replay-gap", payload: writer.bytes, at: Loop.wallClock)),
                to: connection
            )
        }
        for message in replay.messages { send(message, to: connection) }
    }

    // MARK: Questions and answers

    private func route(_ request: RPCRequest, from phone: RelayConnection) {
        let identity = phone.identity
        guard identity.role == .phone, let target = identity.target else {
            return refuse(phone, "invalidPayload", "a desktop asks nothing", request: request.id)
        }
        if let named = request.target, DeviceID.normalized(named) != target {
            refuse(phone, "targetMismatch", "the question names another desktop", request: request.id)
            return close(phone, 1008, "target mismatch")
        }
        metrics.requests += 1
        var request = request
        if request.id.isEmpty { request.id = RandomBytes.uuid() }
        guard let desktop = desktops[DeviceKey(user: identity.user, device: target)] else {
            return answerOffline(id: request.id, trace: request.traceparent, to: phone)
        }
        guard phone.calls.count < Limits.relayedCalls else {
            return refuse(phone, "rateLimited", "too many questions are under way", request: request.id)
        }
        phone.calls[request.id] = request.traceparent
        request.target = nil
        request.client = identity.device
        request.user = identity.user
        send(.request(request), to: desktop)
    }

    private func route(_ response: RPCResponse, from desktop: RelayConnection) {
        let identity = desktop.identity
        guard identity.role == .desktop else { return refuse(desktop, "invalidPayload", "a phone answers nothing") }
        guard let client = response.client else { return refuse(desktop, "missingClientId", "clientId is missing") }
        let key = DeviceKey(user: identity.user, device: identity.device)
        // Only the connection that asked gets the answer; a late one of a phone that left is dropped (RS10, RS12).
        guard let phone = phones[key]?[client], phone.calls[response.id] != nil else { return }
        if response.isFinal { phone.calls[response.id] = nil }
        var response = response
        response.client = nil
        send(.response(response), to: phone)
    }

    private func answerOffline(id: String, trace: String?, to phone: RelayConnection) {
        metrics.offlineAnswers += 1
        let error = RPCError(code: RPCCode.desktopOffline, message: "Desktop is offline")
        let echo = trace.map { Traceparent($0)?.answering().text ?? $0 }
        send(.response(RPCResponse(id: id, client: nil, outcome: .failure(error), traceparent: echo)), to: phone)
    }

    /// A desktop's connection ended: whoever waits for an answer from it learns so at once (RS11).
    func answerOffline(to key: DeviceKey, askedOf desktop: RelayConnection) {
        guard desktop.isRegistered, let asking = phones[key] else { return }
        for phone in asking.values {
            let calls = phone.calls
            phone.calls = [:]
            for (id, trace) in calls.sorted(by: { $0.key < $1.key }) { answerOffline(id: id, trace: trace, to: phone) }
        }
    }

    // MARK: Events

    private func route(_ event: LinkEvent, from connection: RelayConnection) {
        let identity = connection.identity
        if event.type.hasPrefix("job:"), !namesJob(event.payload) {
            return refuse(connection, "invalidPayload", "a job's event needs jobId and sessionId")
        }
        metrics.events += 1
        makeRoomForStreams()
        switch identity.role {
        case .desktop:
            let key = DeviceKey(user: identity.user, device: identity.device)
            let snapshot = event.type == Intake.snapshotType ? Intake.Key(payload: event.payload) : nil
            guard let message = number(event, from: identity.device, in: &towardsPhones[key]) else { return }
            for phone in phones[key].map({ Array($0.values) }) ?? [] { send(message, to: phone, key: snapshot) }
        case .phone:
            guard let target = identity.target else { return }
            let key = DeviceKey(user: identity.user, device: target)
            if event.type == "chat:timeline-interest" { note(interest: event.payload, of: connection) }
            guard let message = number(event, from: identity.device, in: &towardsDesktop[key]) else { return }
            if let desktop = desktops[key] { send(message, to: desktop) }
        }
    }

    /// Gives the event its number in a stream and keeps it there.
    private func number(_ event: LinkEvent, from device: String?, in stream: inout EventStream?) -> [UInt8]? {
        var open = stream ?? EventStream()
        let id = open.number()
        let numbered = LinkEvent(
            type: event.type,
            payload: event.payload,
            id: id,
            source: device,
            at: Loop.wallClock
        )
        let message = try? LinkMessage.event(numbered).encoded(isChecked: true)
        if let message, EventStream.isKept(type: event.type) {
            open.keep(message, id: id, source: device, now: now())
        }
        stream = open
        return message
    }

    /// Streams without anybody at either end; who comes back with a number of one of them is told of a gap.
    private func makeRoomForStreams() {
        guard towardsPhones.count + towardsDesktop.count >= Limits.replayStreams else { return }
        towardsPhones = towardsPhones.filter { desktops[$0.key] != nil || phones[$0.key] != nil }
        towardsDesktop = towardsDesktop.filter { desktops[$0.key] != nil || phones[$0.key] != nil }
    }

    /// An event of the relay's own, for every phone of an account: one number in each desktop's stream.
    func announce(type: String, _ members: [(StaticString, String)], user: String) {
        var writer = JSONWriter()
        writer.beginObject()
        for (name, value) in members { writer.member(name, value) }
        writer.endObject()
        let event = LinkEvent(type: type, payload: writer.bytes)
        makeRoomForStreams()
        for (key, audience) in phones where key.user == user {
            guard let message = number(event, from: nil, in: &towardsPhones[key]) else { continue }
            for phone in audience.values { send(message, to: phone) }
        }
    }

    private func note(interest payload: [UInt8], of phone: RelayConnection) {
        guard let interest = TimelineInterest(payload: payload) else { return }
        if !interest.active {
            phone.interests.remove(interest.session)
        } else if phone.interests.count < Limits.relayedCalls {
            phone.interests.insert(interest.session)
        }
    }

    /// Tells a desktop that a phone which left watches no more.
    func release(_ session: String, of phone: RelayConnection) {
        guard let target = phone.identity.target else { return }
        let key = DeviceKey(user: phone.identity.user, device: target)
        guard let desktop = desktops[key] else { return }
        let event = TimelineInterest(session: session, active: false).event
        makeRoomForStreams()
        if let message = number(event, from: phone.identity.device, in: &towardsDesktop[key]) {
            send(message, to: desktop)
        }
    }

    private func namesJob(_ payload: [UInt8]) -> Bool {
        guard let json = try? JSON(parsing: payload) else { return false }
        return json["jobId"]?.string?.isEmpty == false && json["sessionId"]?.string?.isEmpty == false
    }

    // MARK: Terminals

    private func route(terminal session: String, verb: String, payload: [UInt8], from phone: RelayConnection) {
        let identity = phone.identity
        guard identity.role == .phone, let target = identity.target, verb != "bound" else {
            return refuse(phone, "unknownMessageType", "a relay sends that")
        }
        guard let desktop = desktops[DeviceKey(user: identity.user, device: target)] else {
            return refuse(phone, "producerNotConnected", "the desktop is offline")
        }
        send(.terminal(verb: verb, session: session, payload: payload), to: desktop)
        if verb == "unbind" {
            phone.terminals.remove(session)
        } else if phone.terminals.count < Limits.relayedCalls {
            phone.terminals.insert(session)
            var writer = JSONWriter()
            writer.beginObject()
            writer.member("sessionId", session)
            writer.endObject()
            send(.terminal(verb: "bound", session: session, payload: writer.bytes), to: phone)
        }
    }

    /// Passes a terminal's bytes to those who bound it; anything else in a binary frame is dropped (RS17).
    func received(binary: [UInt8], from desktop: RelayConnection) {
        desktop.heardAt = now()
        let identity = desktop.identity
        guard desktop.isRegistered, identity.role == .desktop, let session = Relay.terminal(of: binary) else {
            metrics.refusedFrames += 1
            return
        }
        let audience = phones[DeviceKey(user: identity.user, device: identity.device)] ?? [:]
        for phone in audience.values where phone.terminals.contains(session) {
            guard phone.transport.bufferedBytes + binary.count <= Limits.relayQueueBytes else {
                metrics.overflows += 1
                close(phone, 1013, "too slow")
                continue
            }
            metrics.framesOut += 1
            metrics.bytesOut += binary.count
            phone.transport.send(binary: binary)
        }
    }

    /// `PTC1`, two bytes of length, the terminal's id.
    private static func terminal(of frame: [UInt8]) -> String? {
        guard frame.count >= 6, frame.starts(with: Array("PTC1".utf8)) else { return nil }
        let end = 6 + Int(frame[4]) << 8 + Int(frame[5])
        guard end <= frame.count else { return nil }
        return String(decoding: frame[6..<end], as: UTF8.self)
    }
}
