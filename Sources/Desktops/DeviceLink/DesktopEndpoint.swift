// The desktop's end of the device link: registers at a relay, answers questions from a `DesktopService`, keeps the leases of
// those who watch, sends their updates. Used by `Agent`. Protocol document, sections 3, 4.5 and 7.19.
package import Wire

/// Who this desktop is.
package struct DesktopIdentity: Sendable, Equatable {
    /// A lower-case UUID that stays the same over restarts.
    package var id: String
    package var name: String
    /// This program's version.
    package var version: String
    /// The folder that `app.getUserHomeDirectory` names.
    package var homeDirectory: String

    package init(id: String, name: String, version: String, homeDirectory: String) {
        self.id = id
        self.name = name
        self.version = version
        self.homeDirectory = homeDirectory
    }
}

/// A desktop on the device link.
@Loop package final class DesktopEndpoint {
    package enum State: Sendable, Equatable {
        case connecting, registering, online
        /// Waiting to connect again, for so many milliseconds.
        case waiting(milliseconds: Int64)
        /// For good, until `start` is called again: the reason in words.
        case stopped(String)
    }

    /// Between two rounds of session news, milliseconds; the first of a quiet time leaves at once.
    private static let announcePace: Int64 = 500

    package var onState: (@Loop (State) -> Void)?
    package var state: State {
        switch link.state {
        case .connecting: .connecting
        case .registering: .registering
        case .up: .online
        case .waiting(let milliseconds): .waiting(milliseconds: milliseconds)
        case .stopped(let reason): .stopped(reason)
        }
    }

    let identity: DesktopIdentity
    let service: any DesktopService
    let now: @Loop () -> Int64
    /// The sessions as they were when somebody began to walk through `chat.list`.
    var listing: (at: Int64, sessions: [SessionSummary])?

    private let link: Link
    private var leases = HeldLeases()
    private var outbox = UpdateOutbox()
    private var answers = AnswerCache()
    private var runningRequests = 0
    private var changed: [String: SessionSummary] = [:]
    private var removed: Set<String> = []
    private var mayAnnounceAt: Int64 = 0
    private var timer: LoopTimer?
    private var timerAt: Int64 = 0

    /// - Parameters:
    ///   - isTrusted: the relay is in this process (`Relay.connect`).
    ///   - now: monotonic milliseconds.
    ///   - connect: makes a new connection to the relay; asked again after each loss, with growing pauses.
    package init(
        identity: DesktopIdentity,
        service: any DesktopService,
        isTrusted: Bool = false,
        now: @escaping @Loop () -> Int64 = { Loop.now },
        connect: @escaping @Loop () async throws(LinkConnectError) -> any LinkTransport
    ) {
        self.identity = identity
        self.service = service
        self.now = now
        link = Link(
            registration: LinkRegistration(device: identity.id, name: identity.name),
            resume: ResumeStore(),
            heartbeat: { LinkHeartbeat(status: "online") },
            pause: { LinkMachine.reconnectDelay(attempt: $0) },
            // Two of one device take turns, slowly; one that an impostor pushed away comes back.
            pauseWhenReplaced: LinkMachine.reconnectDelay(attempt: .max),
            isTrusted: isTrusted,
            now: now,
            connect: connect
        )
        link.onState = { [weak self] in
            guard let self else { return }
            onState?(state)
        }
        link.onUp = { [weak self] _ in self?.came() }
        link.onDown = { [weak self] _ in self?.left() }
        link.onMessage = { [weak self] in self?.received($0) }
    }

    package func start() { link.start() }

    /// Closes the connection and ends all leases.
    package func stop() {
        link.stop()
        timer?.cancel()
        timer = nil
    }

    // MARK: From the service

    /// Sessions are new or changed, or gone: everybody connected is told, bundled.
    package func announce(changed: [SessionSummary], removed: [String] = []) {
        listing = nil
        guard link.isUp else { return }
        for session in changed {
            self.changed[session.id] = session
            self.removed.remove(session.id)
        }
        for id in removed {
            self.changed[id] = nil
            self.removed.insert(id)
        }
        turn()
    }

    /// A followed session's timeline changed.
    ///
    /// Without a lease it goes nowhere. The first change leaves at once, later ones of the same thread at most every
    /// 100 ms, merged.
    package func publish(_ update: TimelineUpdate) {
        guard link.isUp, leases.holds(update.session) else { return }
        outbox.add(update, now: now())
        turn()
    }

    // MARK: The connection

    private func came() {
        mayAnnounceAt = now()
        // Whoever was connected before us knows nothing of what changed meanwhile (RD4).
        send(event: LinkEvent(type: "chat:list-invalidated", payload: Array("{}".utf8)))
    }

    private func left() {
        outbox.removeAll()
        changed = [:]
        removed = []
        tell(leases.removeAll())
    }

    private func received(_ message: LinkMessage) {
        switch message {
        case .request(let request): take(request)
        case .event(let event) where event.type == TimelineInterest.type: take(event)
        default: break
        }
    }

    private func send(event: LinkEvent) {
        do {
            try link.send(.event(event), generation: link.generation)
        } catch {
            Log.write(.error, "an event with a key that holds an underscore was kept back", [("type", event.type)])
        }
    }

    // MARK: Leases

    private func take(_ event: LinkEvent) {
        guard let interest = TimelineInterest(payload: event.payload) else { return }
        let change = leases.interest(
            phone: event.source ?? "",
            session: interest.session,
            active: interest.active,
            timeToLive: interest.timeToLive,
            now: now()
        )
        tell(change)
        if change.isNew { Loop.spawn { [self] in await greet(interest.session) } }
        turn()
    }

    private func tell(_ change: HeldLeases.Change) {
        for session in change.started { service.follow(session: session) }
        for session in change.ended {
            outbox.forget(session: session)
            service.unfollow(session: session)
        }
    }

    /// The present state once, for a new lease: the newest blocks, and the revision by which a receiver that holds an older
    /// state knows that it must reload.
    private func greet(_ session: String) async {
        let mine = link.generation
        let answer: TimelinePage?
        do {
            answer = try await service.timeline(session: session, thread: "main", before: nil, limit: 20)
        } catch {
            answer = nil
        }
        guard let page = answer, mine == link.generation, leases.holds(session) else { return }
        let revision = page.revision
        let update = TimelineUpdate(session: session, revision: revision, since: revision, blocks: page.blocks)
        let payload = TimelineCodec.payload(of: update, limit: Limits.greetingBytes)
        send(event: LinkEvent(type: Intake.snapshotType, payload: payload))
    }

    // MARK: Questions

    private func take(_ request: RPCRequest) {
        let mine = link.generation
        if let key = AnswerCache.Key(request) {
            switch answers.asked(request, key: key, now: now()) {
            case .run: break
            case .joined: return
            case .known(let outcome): return reply(to: request, outcome, generation: mine)
            case .conflict:
                let error = RPCError(code: RPCCode.conflict, message: "the key was used with other params")
                return reply(to: request, .failure(error), generation: mine)
            case .busy: return reply(to: request, .failure(DesktopEndpoint.busy), generation: mine)
            }
        }
        guard runningRequests < Limits.runningRequests else {
            return finish(request, .failure(DesktopEndpoint.busy), generation: mine)
        }
        runningRequests += 1
        Loop.spawn { [self] in await work(on: request, generation: mine) }
    }

    private static let busy = RPCError(code: RPCCode.internalError, message: "too many questions are under way")

    private func work(on request: RPCRequest, generation: Int) async {
        let outcome = await answer(request)
        runningRequests -= 1
        finish(request, outcome, generation: generation)
    }

    private func finish(_ request: RPCRequest, _ outcome: Result<[UInt8], RPCError>, generation: Int) {
        reply(to: request, outcome, generation: generation)
        guard let key = AnswerCache.Key(request) else { return }
        for joined in answers.finished(key: key, outcome: outcome, now: now()) {
            // Those that joined may have come over a newer connection than the first one.
            reply(to: joined, outcome, generation: link.generation)
        }
    }

    private func reply(to request: RPCRequest, _ outcome: Result<[UInt8], RPCError>, generation: Int) {
        var response = RPCResponse(
            id: request.id,
            client: request.client,
            outcome: outcome,
            traceparent: request.traceparent.flatMap { Traceparent($0)?.answering().text }
        )
        do {
            try link.send(.response(response), generation: generation)
        } catch {
            // A result with such a key must not leave (RD7).
            let refusal = RPCError(code: RPCCode.validation, message: "the result holds a key with an underscore")
            response.outcome = .failure(refusal)
            _ = try? link.send(.response(response), generation: generation)
        }
    }

    // MARK: Time

    /// Does what is due and sets the timer for what comes next.
    private func turn() {
        let now = now()
        tell(leases.expire(now: now))
        for update in outbox.due(now: now) where leases.holds(update.session) {
            send(event: LinkEvent(type: Intake.snapshotType, payload: TimelineCodec.payload(of: update)))
        }
        if !changed.isEmpty || !removed.isEmpty, now >= mayAnnounceAt { flushSessions(now: now) }
        arm(now: now)
    }

    private func flushSessions(now: Int64) {
        mayAnnounceAt = now + DesktopEndpoint.announcePace
        if changed.count + removed.count > Limits.announcedSessions {
            send(event: LinkEvent(type: "chat:list-invalidated", payload: Array("{}".utf8)))
        } else {
            for id in removed.sorted() {
                send(event: LinkEvent(type: "chat:deleted", payload: ChatCodec.change(id: id, session: nil)))
            }
            for (id, session) in changed.sorted(by: { $0.key < $1.key }) {
                send(event: LinkEvent(type: "chat:updated", payload: ChatCodec.change(id: id, session: session)))
            }
        }
        changed = [:]
        removed = []
    }

    private func arm(now: Int64) {
        let announcing = changed.isEmpty && removed.isEmpty ? nil : mayAnnounceAt
        guard let next = [leases.nextExpiry, outbox.nextDue, announcing].compactMap(\.self).min() else { return }
        if timer != nil, timerAt <= next { return }
        timer?.cancel()
        timerAt = next
        timer = Loop.after(milliseconds: max(1, next - now)) { [weak self] in
            guard let self else { return }
            timer = nil
            turn()
        }
    }
}
