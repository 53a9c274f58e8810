// The phone's role towards one desktop, over a relay: asks questions, holds leases, takes events in, knows how reachable the
// desktop is. The hub has one for each desktop. Rules R25-R60 as far as they concern a server; `Link`, `Recovery`, `Leases`,
// `PendingCalls` and `Intake` decide, this obeys.
package import Wire

/// One desktop, from this side.
@Loop package final class LinkClient {
    private struct Reply: Sendable {
        var continuation: CheckedContinuation<Result<[UInt8], DesktopError>, Never>
        /// To send again when the relay says that there were too many frames.
        var request: RPCRequest
    }

    package let desktop: String
    package var presence: Presence { recovery.presence }
    /// Sessions for which the desktop sends updates now, as far as it was told.
    package var wanted: [String] { leases.wanted }

    /// Set by the owner before `start`: the presence is another one.
    package var onPresence: (@Loop () -> Void)?
    /// The desktop answered after an absence: what it told before may be out of date.
    package var onOnline: (@Loop () -> Void)?
    /// Events were missed.
    package var onGap: (@Loop () -> Void)?
    /// Control events, in order.
    package var onControl: (@Loop (LinkEvent) -> Void)?
    /// Snapshots of sessions with a lease.
    package var onSnapshot: (@Loop (TimelineCodec.Snapshot) -> Void)?

    private let link: Link
    private let now: @Loop () -> Int64
    private var calls = PendingCalls<Reply>()
    private var lastCall = 0
    private var recovery = Recovery()
    private var leases = Leases(isSingle: true)
    private var intake = Intake()
    private var isEmptying = false
    private var timer: LoopTimer?
    private var timerAt: Int64 = 0

    /// - Parameters:
    ///   - device: this server's device id.
    ///   - resume: shared by all clients of one server.
    ///   - isTrusted: the relay is in this process.
    init(
        desktop: String,
        device: String,
        name: String,
        resume: ResumeStore,
        isTrusted: Bool,
        now: @escaping @Loop () -> Int64,
        connect: @escaping @Loop () async throws(LinkConnectError) -> any LinkTransport
    ) {
        self.desktop = desktop
        self.now = now
        link = Link(
            registration: LinkRegistration(device: device, name: name, target: desktop),
            resume: resume,
            heartbeat: { LinkHeartbeat() },
            pause: { Recovery.delay(attempt: $0, jitter: Double.random(in: -1...1)) },
            isTrusted: isTrusted,
            now: now,
            connect: connect
        )
        link.onUp = { [weak self] _ in self?.came() }
        link.onDown = { [weak self] in self?.left(generation: $0) }
        link.onMessage = { [weak self] in self?.received($0) }
    }

    /// A client that shares nothing with others.
    package convenience init(
        desktop: String,
        device: String,
        name: String,
        now: @escaping @Loop () -> Int64 = { Loop.now },
        connect: @escaping @Loop () async throws(LinkConnectError) -> any LinkTransport
    ) {
        self.init(
            desktop: desktop,
            device: device,
            name: name,
            resume: ResumeStore(),
            isTrusted: false,
            now: now,
            connect: connect
        )
    }

    /// Connects, and looks for the desktop.
    package func start() {
        recovery.begin(now: now())
        link.start()
        turn()
    }

    /// Closes the connection; calls under way fail.
    package func stop() {
        link.stop()
        timer?.cancel()
        timer = nil
    }

    // MARK: Questions

    /// Asks the desktop.
    ///
    /// - Parameters:
    ///   - params: JSON text of an object.
    ///   - key: for the 22 methods that need one (R37).
    /// - Returns: the result, JSON text.
    package func call(_ name: String, _ params: [UInt8], key: String? = nil) async throws(DesktopError) -> [UInt8] {
        guard let method = RPCMethod.named(name) else { throw .invalid("unknown method \(name)") }
        guard !method.isKeyed || key?.isEmpty == false else { throw .invalid("\(name) needs an idempotency key") }
        guard link.isUp else { throw .offline }
        lastCall += 1
        let trace = Traceparent.random()
        let request = RPCRequest(id: "w\(lastCall)", method: name, params: params, key: key, traceparent: trace.text)
        let answer = await withCheckedContinuation { continuation in
            begin(Reply(continuation: continuation, request: request), trace: trace.trace, timeout: method.timeout)
        }
        return try answer.get()
    }

    private func begin(_ reply: Reply, trace: String, timeout: Int64) {
        let id = reply.request.id
        let generation = link.generation
        let token: PendingCalls<Reply>.Token
        do {
            let deadline = now() + timeout
            token = try calls.begin(id: id, generation: generation, trace: trace, deadline: deadline, reply: reply)
        } catch {
            return reply.continuation.resume(returning: .failure(.busy))
        }
        var problem: DesktopError?
        do {
            let outcome = try link.send(.request(reply.request), generation: generation)
            if outcome != .sent { problem = outcome == .closed ? .disconnected : .busy }
        } catch {
            problem = .invalid("a key of the question holds an underscore")
        }
        if let problem, let lost = calls.remove(id: id, token: token) {
            lost.continuation.resume(returning: .failure(problem))
        }
        turn()
    }

    private func answered(_ response: RPCResponse) {
        // Earlier parts of an answer in pieces: none of the questions that are asked here has them.
        guard response.isFinal else { return }
        let trace = response.traceparent.flatMap { Traceparent($0)?.trace }
        guard let reply = calls.answered(id: response.id, trace: trace, generation: link.generation) else { return }
        reply.continuation.resume(returning: response.outcome.mapError(DesktopError.init))
    }

    private func expire(now: Int64) {
        for late in calls.expired(now: now) {
            late.reply.continuation.resume(returning: .failure(.timedOut))
            // A connection that swallowed one question will swallow the next (R43); a newer one stays (R44).
            link.reconnect(generation: late.generation, reason: "a question timed out")
        }
    }

    private func complained(_ failure: LinkFailure) {
        guard let id = failure.request else { return }
        if failure.code == "rateLimited" {
            let generation = link.generation
            Loop.after(milliseconds: 1_000) { [weak self] in
                guard let self, let reply = calls.waiting(id: id) else { return }
                _ = try? link.send(.request(reply.request), generation: generation)
            }
        } else if let reply = calls.waiting(id: id), let trace = reply.request.traceparent.flatMap(Traceparent.init) {
            _ = calls.answered(id: id, trace: trace.trace, generation: link.generation)
            reply.continuation.resume(returning: .failure(.invalid(failure.message)))
        }
    }

    // MARK: The connection

    private func came() {
        leases.registered(now: now())
        recovery.hint(now: now())
        turn()
    }

    private func left(generation: Int) {
        leases.disconnected()
        for reply in calls.fail(generation: generation) {
            reply.continuation.resume(returning: .failure(.disconnected))
        }
        changePresence { $0.begin(now: now()) }
        turn()
    }

    private func received(_ message: LinkMessage) {
        switch message {
        case .response(let response): answered(response)
        case .error(let failure): complained(failure)
        case .event(let event): take(event)
        default: break
        }
    }

    private func take(_ event: LinkEvent) {
        switch event.type {
        case "device-status":
            if let (device, status) = DeviceStatus.read(event.payload), device == desktop { desktopIs(status) }
        case "event-replay-gap": onGap?()
        default:
            guard intake.admit(event) else {
                // More waits than can be held: forget it all and fetch the state anew.
                intake = Intake()
                Log.write(.warning, "too many events wait; the desktop's state is fetched anew", [("desktop", desktop)])
                onGap?()
                return
            }
            guard !isEmptying else { return }
            isEmptying = true
            Loop.endOfTurn { [weak self] in self?.empty() }
        }
    }

    private func desktopIs(_ status: String) {
        if status == "online" {
            // A desktop that came back knows no lease (R74), and answers at once (R47).
            leases.registered(now: now())
            recovery.hint(now: now())
        } else {
            changePresence { $0.lost(now: now()) }
        }
        turn()
    }

    // MARK: Events

    private func empty() {
        while let delivery = intake.next(isLeased: { leases.wanted.contains($0) }) {
            switch delivery {
            case .control(let event): onControl?(event)
            case .snapshot(_, let payload):
                if payload.count > Limits.inlineDecode {
                    Loop.spawn { [self] in await deliver(large: payload) }
                } else {
                    deliver(try? TimelineCodec.snapshot(payload))
                }
            }
        }
        isEmptying = false
    }

    private func deliver(large payload: [UInt8]) async {
        let snapshot = await offload { try? TimelineCodec.snapshot(payload) }
        deliver(snapshot)
        empty()
    }

    private func deliver(_ snapshot: TimelineCodec.Snapshot?) {
        intake.finished()
        guard let snapshot else {
            Log.write(.warning, "a snapshot could not be read", [("desktop", desktop)])
            return
        }
        guard leases.wanted.contains(snapshot.session) else { return }
        onSnapshot?(snapshot)
    }

    // MARK: Leases

    /// Sets the sessions to watch, the primary first, and whether the desktop holds only one.
    package func want(_ sessions: [String], isSingle: Bool) {
        leases.isSingle = isSingle
        leases.want(sessions, now: now())
        turn()
    }

    private func sendInterests(now: Int64) {
        for interest in leases.due(now: now) {
            let event = TimelineInterest(session: interest.session, active: interest.active).event
            let outcome = try? link.send(.event(event), generation: link.generation, retries: false)
            let jitter = Double.random(in: -1...1)
            leases.delivered(interest, isGood: outcome == .sent, now: now, jitter: jitter)
        }
    }

    // MARK: Presence

    private func changePresence(_ body: (inout Recovery) -> Void) {
        let before = recovery.presence
        body(&recovery)
        guard recovery.presence != before else { return }
        onPresence?()
        if recovery.presence == .online { onOnline?() }
    }

    private func probe() async {
        let epoch = recovery.epochNumber
        do {
            _ = try await call("system.ping", Array("{}".utf8))
            changePresence { $0.answered(now: now()) }
        } catch {
            recovery.unanswered(epoch: epoch, now: now(), jitter: Double.random(in: -1...1))
        }
        turn()
    }

    // MARK: Time

    private func turn() {
        let now = now()
        expire(now: now)
        if link.isUp { sendInterests(now: now) }
        var probes = false
        changePresence { probes = $0.tick(now: now) }
        if probes { Loop.spawn { [self] in await probe() } }
        arm(now: now)
    }

    private func arm(now: Int64) {
        let deadlines = [calls.nextDeadline, leases.nextDue, recovery.nextDeadline]
        guard let next = deadlines.compactMap(\.self).min() else { return }
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

extension DesktopError {
    /// What a desktop's or the relay's error code means here.
    init(_ error: RPCError) {
        switch error.code {
        case RPCCode.desktopOffline: self = .offline
        case RPCCode.notImplemented, RPCCode.methodNotFound: self = .notImplemented
        case RPCCode.notFound: self = .notFound
        case RPCCode.conflict: self = .conflict
        default: self = .refused(code: error.code, message: error.message)
        }
    }
}
