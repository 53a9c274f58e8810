// What a good relay does with a frame: register and resume, calls and answers, events with numbers and replay
// (sections 2.3, 2.4 and 4.4). The script spoils it before and after.

package import Web

extension RelayModel {
    /// Obeys one frame as the document says.
    mutating func obey(_ message: JSON, _ type: String, on connection: Int, now: Int64) {
        guard let line = lines[connection] else { return }
        guard let payload = message["payload"], payload.object != nil else {
            return fault("invalidPayload", "\(type) without a payload", on: connection, now: now)
        }
        if SnakeCaseKey.found(in: message.encoded()) {
            return fault("invalidPayload", "\(type) with a key that holds an underscore", on: connection, now: now)
        }
        if type == "register" { return register(payload, line, now: now) }
        guard line.isRegistered else {
            return fault("authRequired", "\(type) before register", on: connection, now: now)
        }
        switch type {
        case "heartbeat", "ping": if script.answersHeartbeats { answer(["type": "pong"], on: connection, now: now) }
        case "rpc.request": ask(payload, line, now: now)
        case "rpc.response": respond(payload, line, now: now)
        case "event": event(payload, line, now: now)
        case "event-ack": break
        default: fault("unknownMessageType", type, on: connection, now: now)
        }
    }

    private mutating func fault(_ code: String, _ complaint: String, on connection: Int, now: Int64) {
        complaints.append(complaint)
        answer(RelayFrame.error(code, complaint, wall: wall(now)), on: connection, now: now)
    }

    // MARK: Registration

    private mutating func register(_ payload: JSON, _ line: RelayLine, now: Int64) {
        let visitor = line.visitor
        guard payload["deviceId"]?.string == visitor.device, payload["deviceName"]?.string?.isEmpty == false else {
            return fault(
                "deviceOwnershipFailed",
                "register for another device, or without a name",
                on: line.id,
                now: now
            )
        }
        guard payload["relayProtocolVersion"]?.string?.hasPrefix("1.") != false else {
            fault("unsupportedProtocolVersion", "register with an unknown version", on: line.id, now: now)
            return close(line.id, 1002, "version", now: now)
        }
        guard payload["targetDesktopDeviceId"]?.string == visitor.target else {
            fault("targetMismatch", "register for another desktop than the header names", on: line.id, now: now)
            return close(line.id, 1002, "target", now: now)
        }
        let ends = JSON.string(RelayFrame.time(wall(now) + RelayLimits.sessionLife))
        if let session = payload["sessionId"]?.string, let token = payload["resumeToken"]?.string {
            guard sessions.accepts(session, token: token, key: visitor.key, now: now) else {
                let refusal = RelayFrame.error("invalidResume", "Session cannot be resumed", wall: wall(now))
                return answer(refusal, on: line.id, now: now)
            }
            guard claimKey(of: line, now: now) else { return }
            lines[line.id]?.session = session
            var answer: JSONObject = ["type": "resumed", "sessionId": .string(session), "expiresAt": ends]
            if script.rotatesTokens { answer["resumeToken"] = sessions.rotate(session, &random).map(JSON.string) }
            self.answer(.object(answer), on: line.id, now: now)
        } else {
            guard claimKey(of: line, now: now) else { return }
            let (session, token) = sessions.open(key: visitor.key, now: now, &random)
            lines[line.id]?.session = session
            let answer: JSON = [
                "type": "registered", "sessionId": .string(session), "resumeToken": .string(token), "expiresAt": ends,
            ]
            self.answer(answer, on: line.id, now: now)
        }
        lines[line.id]?.isRegistered = true
        if let last = payload["lastEventId"]?.int { replay(after: last, to: line, now: now) }
        if visitor.role == .desktop { presence(visitor.device, "online", now: now) }
    }

    /// Two connections with one key (RS9).
    ///
    /// - Returns: whether this one may go on.
    private mutating func claimKey(of line: RelayLine, now: Int64) -> Bool {
        let twins = lines.values.filter { $0.id != line.id && $0.isRegistered && $0.visitor.key == line.visitor.key }
        if !twins.isEmpty { complaints.append("two connections for \(line.visitor.key)") }
        switch script.twins {
        case .bothLive: return true
        case .olderStays:
            guard twins.isEmpty else {
                close(line.id, 4002, "replaced", now: now)
                return false
            }
            return true
        case .newerReplacesOlder:
            for twin in twins {
                lines[twin.id]?.isRegistered = false
                close(twin.id, 4002, "replaced", now: now)
            }
            return true
        }
    }

    private mutating func replay(after last: Int, to line: RelayLine, now: Int64) {
        let isPhone = line.visitor.role == .phone
        let numbers = (isPhone ? towardsPhones : towardsDesktop)[line.visitor.desktop] ?? RelayNumbers()
        let (hasGap, events) = numbers.replay(after: last, except: line.visitor.device)
        if hasGap {
            let gap: JSON = [
                "lastEventId": JSON(last), "oldestBufferedId": JSON(numbers.oldest),
                "latestBufferedId": JSON(numbers.latest),
            ]
            number("event-replay-gap", gap, source: nil, towards: line.visitor, only: line.id, now: now)
        }
        for event in events { answer(event, on: line.id, now: now) }
    }

    // MARK: Calls

    private mutating func ask(_ payload: JSON, _ line: RelayLine, now: Int64) {
        guard line.visitor.role == .phone, let question = payload.object, question["id"]?.string != nil,
            question["method"]?.string?.isEmpty == false
        else { return fault("invalidRpcPayload", "a request without id or method", on: line.id, now: now) }
        if question["traceparent"]?.string.flatMap(RelayFrame.traceID) == nil {
            complaints.append("R41: \(question["method"]?.string ?? "") without a trace context")
        }
        guard let target = line.visitor.target, let desktop = registered(target).first else {
            return answer(RelayFrame.offline(payload, parent: random.next()), on: line.id, now: now)
        }
        var forwarded = question
        forwarded["clientId"] = .string(line.visitor.device)
        forwarded["userId"] = "eeeeeeee-0000-4000-8000-000000000003"
        calls.append((line.id, target, payload))
        if calls.count > RelayLimits.waitingFrames { calls.removeFirst() }
        answer(["type": "rpc.request", "payload": .object(forwarded)], on: desktop.id, now: now)
    }

    private mutating func respond(_ payload: JSON, _ line: RelayLine, now: Int64) {
        guard line.visitor.role == .desktop, var answer = payload.object, let client = answer["clientId"]?.string else {
            return fault("missingClientId", "an answer to nobody", on: line.id, now: now)
        }
        answer["clientId"] = nil
        if payload["isFinal"]?.bool != false {
            let phones = Set(registered(client, target: line.visitor.device).map(\.id))
            calls.removeAll { phones.contains($0.phone) && $0.question["id"] == payload["id"] }
        }
        for phone in registered(client, target: line.visitor.device) {
            self.answer(["type": "rpc.response", "payload": .object(answer)], on: phone.id, now: now)
        }
    }

    // MARK: Events

    private mutating func event(_ payload: JSON, _ line: RelayLine, now: Int64) {
        guard let type = payload["eventType"]?.string, !type.isEmpty else {
            return fault("invalidPayload", "an event without a type", on: line.id, now: now)
        }
        let content = payload["payload"] ?? [:]
        // A phone's event goes to its desktop, a desktop's to all its phones.
        let other: RelayVisitor =
            line.visitor.role == .phone
            ? RelayVisitor(device: line.visitor.desktop, role: .desktop)
            : RelayVisitor(device: "", role: .phone, target: line.visitor.device)
        number(type, content, source: line.visitor.device, towards: other, now: now)
    }

    /// Gives an event its number and sends it to everybody it is for, or to one connection.
    mutating func number(
        _ type: String,
        _ payload: JSON,
        source: String?,
        towards: RelayVisitor,
        only connection: Int? = nil,
        now: Int64
    ) {
        let isForPhones = towards.role == .phone
        var numbers = (isForPhones ? towardsPhones : towardsDesktop)[towards.desktop] ?? RelayNumbers()
        let id = numbers.next()
        let event = RelayFrame.event(type, payload, id: id, source: source, wall: wall(now))
        if connection == nil { numbers.keep(event, id: id, now: now) }
        if isForPhones { towardsPhones[towards.desktop] = numbers } else { towardsDesktop[towards.desktop] = numbers }
        for line in lines.values.sorted(by: { $0.id < $1.id })
        where line.isRegistered && line.visitor.role == towards.role && line.visitor.desktop == towards.desktop
            && line.visitor.device != source && (connection ?? line.id) == line.id
        {
            answer(event, on: line.id, now: now)
        }
    }

    /// A desktop's event, made by the test in place of a desktop.
    package mutating func emit(_ type: String, _ payload: JSON, from desktop: String, now: Int64) -> [RelayAction] {
        number(
            type,
            payload,
            source: desktop,
            towards: RelayVisitor(device: "", role: .phone, target: desktop),
            now: now
        )
        return flush(now: now)
    }

    /// A desktop's presence as the phones are told it, true or not: `online` or `disconnected`.
    package mutating func tell(presence status: String, of desktop: String, now: Int64) -> [RelayAction] {
        presence(desktop, status, now: now)
        return flush(now: now)
    }

    private mutating func presence(_ desktop: String, _ status: String, now: Int64) {
        guard script.tellsPresence else { return }
        var payload: JSONObject = ["deviceId": .string(desktop), "status": .string(status)]
        if status != "online" { payload["reason"] = "ws_closed" }
        // User-wide: it takes a number towards the phones of every desktop.
        let targets = Set(lines.values.compactMap { $0.isRegistered ? $0.visitor.target : nil }).union([desktop])
        for target in targets.sorted() {
            let phones = RelayVisitor(device: "", role: .phone, target: target)
            number("device-status", .object(payload), source: desktop, towards: phones, now: now)
        }
    }

    // MARK: Ends

    /// A connection has gone: calls that wait for it are answered, leases are released, phones are told.
    mutating func left(_ line: RelayLine, now: Int64) {
        guard line.isRegistered else { return }
        if line.visitor.role == .phone {
            calls.removeAll { $0.phone == line.id }
            release(of: line, now: now)
            return
        }
        guard registered(line.visitor.device).isEmpty else { return }
        let waiting = calls.filter { $0.desktop == line.visitor.device }
        calls.removeAll { $0.desktop == line.visitor.device }
        for call in waiting {
            answer(RelayFrame.offline(call.question, parent: random.next()), on: call.phone, now: now)
        }
        presence(line.visitor.device, "disconnected", now: now)
    }

    /// RS12: the leases that a lost phone held end by the relay's own word.
    private mutating func release(of line: RelayLine, now: Int64) {
        let sent = history.filter {
            $0.connection == line.id && $0.side == .fromClient
                && $0.message["payload"]?["eventType"]?.string == "chat:timeline-interest"
        }
        var held: [String: Bool] = [:]
        for record in sent {
            let interest = record.message["payload"]?["payload"]
            if let session = interest?["appSessionId"]?.string { held[session] = interest?["active"]?.bool ?? false }
        }
        for session in held.keys.sorted() where held[session] == true {
            let desktop = RelayVisitor(device: line.visitor.desktop, role: .desktop)
            let payload: JSON = ["appSessionId": .string(session), "active": false]
            number("chat:timeline-interest", payload, source: line.visitor.device, towards: desktop, now: now)
        }
    }

    /// Registered connections of a device, the newest first.
    func registered(_ device: String, target: String? = nil) -> [RelayLine] {
        lines.values
            .filter { $0.isRegistered && $0.visitor.device == device && $0.visitor.target == target }
            .sorted { $0.id > $1.id }
    }
}
