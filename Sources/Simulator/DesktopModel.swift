// A scripted device-link desktop as a value: frames and time in, frames out. `SimulatedDesktop` gives it a clock and a
// connection. Written from the protocol document (sections 2 to 5 and 7.19), independent of the module it is tested against.

import Web

/// Who a simulated desktop is, and its sessions.
package struct DesktopScript: Sendable {
    /// A lower-case UUID, the same in every run.
    package let id: String
    package let name: String
    let home: String
    let sessions: [SessionScript]
    /// PNG bytes by preview id.
    let pictures: [String: [UInt8]]
}

/// The state of one simulated desktop.
package struct DesktopModel {
    let script: DesktopScript
    package private(set) var isRegistered = false

    var sessions: [SimulatedSession] = []
    var players: [Player] = []
    /// When each session's script goes on.
    private var dueAt: [Int64?] = []
    /// The turn that a session that never ends plays next.
    private var nextTurn: [Int] = []
    private var snapshots: [SnapshotPace] = []
    private var leases = SimulatedLeases()
    private var random: SeededGenerator

    private var heartbeatAt: Int64 = .max
    private var acknowledgeAt: Int64 = .max
    private var lastEvent = 0
    /// Answers to repeated idempotency keys, the oldest first.
    private var answers: [(key: String, params: JSONObject, answer: Answer)] = []
    /// Wall clock minus monotonic clock, milliseconds.
    let wallOffset: Int64

    /// What was told about one session, so that each snapshot covers the last few as well: the relay may replace one that
    /// waits by the next.
    private struct SnapshotPace {
        var lastAt: Int64 = 0
        var told: [Int] = [0, 0, 0, 0]
    }

    /// - Parameters:
    ///   - now: monotonic milliseconds.
    ///   - wall: milliseconds since 1970.
    package init(_ script: DesktopScript, seed: UInt64, now: Int64, wall: Int64) {
        self.script = script
        wallOffset = wall - now
        random = SeededGenerator(state: seed)
        for story in script.sessions {
            var session = SimulatedSession(story)
            var player = Player(seed: random.next())
            player.append(story.history)
            _ = player.playAll(&session, from: 0)
            session.moveTimes(toEndAt: wall - Int64(story.minutesAgo) * 60_000)
            let plays = !story.turns.isEmpty
            if plays { player.append(story.turns[0]) }
            sessions.append(session)
            // The first visitor sees something move at once.
            dueAt.append(player.delay().map { now + min($0, SimulatorLimits.firstStep) })
            players.append(player)
            nextTurn.append(plays ? 1 % story.turns.count : 0)
            snapshots.append(SnapshotPace())
        }
    }

    func index(_ session: String?) -> Int? { sessions.firstIndex { $0.id == session } }

    // MARK: The link

    /// The connection stands.
    package mutating func opened(now: Int64) -> [[UInt8]] {
        isRegistered = false
        leases.removeAll()
        return [DesktopMessage.register(device: script.id, name: script.name)]
    }

    /// The connection is gone: nobody watches, the scripts go on.
    package mutating func closed() {
        isRegistered = false
        leases.removeAll()
        heartbeatAt = .max
        acknowledgeAt = .max
    }

    /// A text frame arrived.
    package mutating func receive(_ text: [UInt8], now: Int64) -> [[UInt8]] {
        guard let message = try? JSON(parsing: text), let type = message["type"]?.string else { return [] }
        let payload = message["payload"] ?? .null
        switch type {
        case "registered", "resumed":
            isRegistered = true
            heartbeatAt = now + SimulatorLimits.heartbeat
            return [beat()] + sessions.flatMap { requests(of: $0) }
        case "error" where message["code"]?.string == "invalidResume":
            return [DesktopMessage.register(device: script.id, name: script.name)]
        case "rpc.request":
            guard let question = Question(payload) else { return [] }
            // RD7: what holds such a key is refused, whatever it asks.
            let isClean = !SnakeCaseKey.found(in: text)
            let (answer, events) = isClean ? answer(question, now: now) : (.invalid("a key holds an underscore"), [])
            return [DesktopMessage.response(to: question, answer, parent: random.next())] + events
        case "event":
            if let id = message["eventId"]?.int {
                lastEvent = id
                acknowledgeAt = min(acknowledgeAt, now + SimulatorLimits.acknowledge)
            }
            guard payload["eventType"]?.string == "chat:timeline-interest" else { return [] }
            return interest(payload["payload"] ?? .null, phone: message["sourceDeviceId"]?.string ?? "", now: now)
        default: return []
        }
    }

    private mutating func interest(_ payload: JSON, phone: String, now: Int64) -> [[UInt8]] {
        guard let index = index(payload["appSessionId"]?.string), let active = payload["active"]?.bool else {
            return []
        }
        let isNew = leases.interest(
            phone: phone,
            session: sessions[index].id,
            active: active,
            life: payload["ttlMs"]?.int.map(Int64.init),
            now: now
        )
        return isNew ? [snapshot(index, since: 0, limit: SimulatorLimits.greetingBytes, now: now)] : []
    }

    private mutating func beat() -> [UInt8] {
        DesktopMessage.heartbeat(
            load: Int.random(in: 8...64, using: &random),
            memory: Int.random(in: 40...72, using: &random),
            jobs: sessions.count(where: \.isRunning)
        )
    }

    // MARK: Time

    /// When ``tick(now:)`` wants to be called next.
    package var wakeAt: Int64? {
        var times = dueAt.compactMap { $0 }
        times += [heartbeatAt, acknowledgeAt].filter { $0 != .max }
        for index in sessions.indices where isBehind(index) {
            times.append(snapshots[index].lastAt + SimulatorLimits.snapshotEvery)
        }
        if let end = leases.nextEnd { times.append(end) }
        return times.min()
    }

    /// Does everything that is due.
    package mutating func tick(now: Int64) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        leases.expire(now: now)
        for index in sessions.indices { frames += play(index, now: now) }
        guard isRegistered else { return [] }
        for index in sessions.indices
        where isBehind(index) && now - snapshots[index].lastAt >= SimulatorLimits.snapshotEvery {
            let since = snapshots[index].told[0]
            frames.append(snapshot(index, since: since, limit: SimulatorLimits.snapshotBytes, now: now))
        }
        if now >= heartbeatAt {
            heartbeatAt = now + SimulatorLimits.heartbeat
            frames.append(beat())
        }
        if now >= acknowledgeAt {
            acknowledgeAt = .max
            frames.append(DesktopMessage.acknowledge(lastEvent))
        }
        return frames
    }

    /// Somebody watches and does not have the newest state.
    private func isBehind(_ index: Int) -> Bool {
        isRegistered && leases.holds(sessions[index].id) && snapshots[index].told.last != sessions[index].revision
    }

    private mutating func snapshot(_ index: Int, since: Int, limit: Int, now: Int64) -> [UInt8] {
        snapshots[index].lastAt = now
        snapshots[index].told.append(sessions[index].revision)
        snapshots[index].told.removeFirst()
        return DesktopMessage.event("chat:timeline-updated", sessions[index].snapshot(since: since, limit: limit))
    }

    // MARK: Scripts

    /// Plays the steps that are due: a few at a time, so that a long sleep is not made up for in one burst.
    private mutating func play(_ index: Int, now: Int64) -> [[UInt8]] {
        var frames: [[UInt8]] = []
        var steps = 0
        while let due = dueAt[index], due <= now, steps < 32 {
            steps += 1
            let wasRunning = sessions[index].isRunning
            if !wasRunning {
                if sessions[index].state != "running" { sessions[index].run += 1 }
                sessions[index].state = "running"
                frames += stateChanged(index)
            }
            players[index].step(&sessions[index], at: now + wallOffset)
            if players[index].gate != nil {
                sessions[index].state = "waitingApproval"
                frames += stateChanged(index) + requests(of: sessions[index])
            }
            if players[index].isEmpty { frames += endTurn(index) }
            schedule(index, now: now)
        }
        return frames
    }

    /// The script is at its end: a session that never ends takes up its next turn.
    private mutating func endTurn(_ index: Int) -> [[UInt8]] {
        sessions[index].state = "completed"
        let turns = script.sessions[index].turns
        if !turns.isEmpty {
            players[index].append(turns[nextTurn[index]])
            nextTurn[index] = (nextTurn[index] + 1) % turns.count
        }
        return stateChanged(index)
    }

    mutating func schedule(_ index: Int, now: Int64) { dueAt[index] = players[index].delay().map { now + $0 } }

    /// `chat:run-status` and `chat:updated` (section 4.2).
    func stateChanged(_ index: Int) -> [[UInt8]] {
        let session = sessions[index]
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("appSessionId", session.id)
        writer.key("chat")
        session.writeSummary(into: &writer)
        writer.endObject()
        let status: JSON = [
            "appSessionId": .string(session.id), "runId": .string(session.runID), "threadId": "main",
            "state": .string(session.state),
        ]
        return [DesktopMessage.event("chat:run-status", status), DesktopMessage.event("chat:updated", writer.bytes)]
    }

    /// `chat:approval-requested` for everything that waits.
    private func requests(of session: SimulatedSession) -> [[UInt8]] {
        session.pendingApprovals.map { block in
            DesktopMessage.event(
                "chat:approval-requested",
                [
                    "appSessionId": .string(session.id), "approvalId": block.members["approvalId"] ?? .string(block.id),
                    "blockId": .string(block.id), "toolName": block.members["toolName"] ?? "",
                    "summary": block.members["summary"] ?? "",
                ]
            )
        }
    }

    // MARK: Repeated keys

    /// Section 3.4: a repeated key gets the first answer, with other params it is a conflict.
    mutating func remembered(_ question: Question) -> Answer? {
        guard let known = answers.first(where: { $0.key == memory(question) }) else { return nil }
        return known.params == question.params ? known.answer : .failure(-32003, "the key was used for another request")
    }

    mutating func remember(_ question: Question, _ answer: Answer) {
        answers.append((memory(question), question.params, answer))
        if answers.count > SimulatorLimits.answers { answers.removeFirst() }
    }

    private func memory(_ question: Question) -> String {
        "\(question.client ?? "")\n\(question.method)\n\(question.key ?? "")"
    }
}
