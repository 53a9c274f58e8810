// A client's connection to a relay, kept alive: connects, registers, beats, notices silence, connects again. Both roles use
// it; what the messages mean is their owners' business. `LinkMachine` decides, this obeys. The one place that installs a
// transport is also the one that sends, bound to the transport's generation (R25, R26).
import Wire

/// Why a connection to a relay could not be made.
package enum LinkConnectError: Error, Sendable, Equatable {
    /// The credentials were refused (401, 403): no further try until `start` is called again.
    case unauthorized
    /// Anything else, in words for a log line: tried again.
    case failed(String)
}

/// A connection that comes back.
@Loop final class Link {
    enum State: Equatable {
        case connecting, registering, up
        case waiting(milliseconds: Int64)
        case stopped(String)
    }

    private(set) var state = State.stopped("not started")
    /// Counts installed transports; 0 before the first.
    ///
    /// What was begun under an older one never touches a newer one.
    private(set) var generation = 0
    private var credentials: ResumeCredentials? { resume.book.credentials(resumeKey) }
    private var lastEvent: Int? { resume.book.lastEvent(resumeKey) }

    /// Set by the owner before `start`.
    var onState: (@Loop () -> Void)?
    /// Registered or resumed.
    var onUp: (@Loop (_ isResumed: Bool) -> Void)?
    /// A registered connection is gone; its generation.
    var onDown: (@Loop (_ generation: Int) -> Void)?
    /// Questions, answers, events, and complaints of the relay.
    var onMessage: (@Loop (LinkMessage) -> Void)?
    var onBinary: (@Loop ([UInt8]) -> Void)?

    private let registration: LinkRegistration
    private let resume: ResumeStore
    private let resumeKey: String
    /// Proves that the key of the resume credentials is ours to write (R33).
    private var ownership = 0
    private let heartbeat: @Loop () -> LinkHeartbeat
    private let pause: (_ attempt: Int) -> Int64
    private let pauseWhenReplaced: Int64?
    private let connect: @Loop () async throws(LinkConnectError) -> any LinkTransport
    private let isTrusted: Bool
    private let now: @Loop () -> Int64

    private var machine = LinkMachine()
    private var transport: (any LinkTransport)?
    private var timer: LoopTimer?
    private var acknowledgement: LoopTimer?
    private var acknowledged: Int?
    /// Changes with every start, stop and new try: what an older one was waiting for is void.
    private var trial = 0
    private var attempt = 0

    /// - Parameters:
    ///   - resume: where the credentials for resuming are kept, under the pair of this device and its target.
    ///   - pause: milliseconds before the try of that number, 0 for the first after an established connection.
    ///   - pauseWhenReplaced: milliseconds before the next try after a newer connection of the same device took this one's
    ///     place (4002); nil: it ends for good.
    ///   - isTrusted: the other end is in this process.
    init(
        registration: LinkRegistration,
        resume: ResumeStore,
        heartbeat: @escaping @Loop () -> LinkHeartbeat,
        pause: @escaping (_ attempt: Int) -> Int64,
        pauseWhenReplaced: Int64? = nil,
        isTrusted: Bool,
        now: @escaping @Loop () -> Int64,
        connect: @escaping @Loop () async throws(LinkConnectError) -> any LinkTransport
    ) {
        self.registration = registration
        self.resume = resume
        resumeKey = ResumeBook.key(device: registration.device, desktop: registration.target ?? registration.device)
        self.heartbeat = heartbeat
        self.pause = pause
        self.pauseWhenReplaced = pauseWhenReplaced
        self.isTrusted = isTrusted
        self.now = now
        self.connect = connect
    }

    var isUp: Bool { state == .up }

    // MARK: Start and stop

    func start() {
        guard case .stopped = state else { return }
        machine.reset()
        attempt = 0
        ownership = resume.book.claim(resumeKey)
        open()
    }

    func stop(_ code: UInt16 = 1000, reason: String = "") {
        leave(code, reason)
        enter(.stopped(reason.isEmpty ? "stopped" : reason))
    }

    /// Gives the transport of that generation up and makes another; an older generation's wish is void (R44).
    func reconnect(generation: Int, reason: String) {
        guard generation == self.generation, transport != nil else { return }
        leave(1001, reason)
        wait()
    }

    // MARK: Sending

    /// Sends on the transport of that generation, or not at all.
    ///
    /// - Parameter retries: try again for a while when the transport is full (R29); else say so.
    @discardableResult
    func send(_ message: LinkMessage, generation: Int, retries: Bool = true) throws(SnakeCaseKeyError) -> SendOutcome {
        let bytes = try message.encoded()
        return send(bytes, generation: generation, attempt: retries ? 1 : LinkMachine.sendAttempts)
    }

    private func send(_ bytes: [UInt8], generation: Int, attempt: Int) -> SendOutcome {
        guard generation == self.generation, let transport else { return .closed }
        let outcome = transport.send(text: bytes)
        guard outcome == .busy, attempt < LinkMachine.sendAttempts else { return outcome }
        Loop.after(milliseconds: LinkMachine.sendRetryDelay(attempt: attempt)) { [weak self] in
            _ = self?.send(bytes, generation: generation, attempt: attempt + 1)
        }
        return .sent
    }

    // MARK: Connecting

    private func open() {
        trial += 1
        let mine = trial
        enter(.connecting)
        Loop.spawn { [self] in await tryConnecting(mine) }
    }

    private func tryConnecting(_ mine: Int) async {
        let outcome: Result<any LinkTransport, LinkConnectError>
        do { outcome = .success(try await connect()) } catch { outcome = .failure(error) }
        guard mine == trial else {
            if case .success(let transport) = outcome { transport.close(1000, "not needed any more") }
            return
        }
        switch outcome {
        case .success(let transport): install(transport)
        case .failure(.unauthorized): enter(.stopped("the relay refused the credentials"))
        case .failure(.failed(let why)):
            Log.write(.info, "no connection to the relay", [("reason", why)])
            wait()
        }
    }

    private func install(_ transport: any LinkTransport) {
        generation += 1
        let mine = generation
        self.transport = transport
        transport.onText = { [weak self] text in
            guard let self, mine == generation else { return }
            received(text)
        }
        transport.onBinary = { [weak self] bytes in
            guard let self, mine == generation else { return }
            machine.heard(now: now())
            onBinary?(bytes)
        }
        transport.onClose = { [weak self] code, reason in
            guard let self, mine == generation, self.transport != nil else { return }
            self.closed(code, reason)
        }
        enter(.registering)
        obey(machine.opened(hasCredentials: credentials != nil, now: now()))
    }

    private func closed(_ code: UInt16, _ reason: String) {
        forget()
        switch code {
        case 4002 where pauseWhenReplaced != nil: wait(milliseconds: pauseWhenReplaced)
        case 4002: enter(.stopped("another connection of this device took its place"))
        case 4003: enter(.stopped("the relay does not know this device any more"))
        default: wait()
        }
    }

    private func wait(milliseconds fixed: Int64? = nil) {
        trial += 1
        let mine = trial
        let milliseconds = fixed ?? pause(attempt)
        attempt += 1
        enter(.waiting(milliseconds: milliseconds))
        Loop.after(milliseconds: milliseconds) { [weak self] in
            guard let self, mine == trial else { return }
            open()
        }
    }

    /// Closes the transport, if there is one.
    private func leave(_ code: UInt16, _ reason: String) {
        trial += 1
        let transport = transport
        forget()
        transport?.onText = nil
        transport?.onBinary = nil
        transport?.onClose = nil
        transport?.close(code, reason)
    }

    private func forget() {
        let wasUp = isUp
        transport = nil
        machine.closed()
        timer?.cancel()
        timer = nil
        acknowledgement?.cancel()
        acknowledgement = nil
        if wasUp {
            state = .registering
            onDown?(generation)
        }
    }

    private func enter(_ state: State) {
        guard state != self.state else { return }
        self.state = state
        onState?()
    }

    // MARK: Receiving

    private func received(_ text: [UInt8]) {
        machine.heard(now: now())
        let message: LinkMessage
        do {
            message = try LinkMessage(parsing: text, isChecked: isTrusted)
        } catch {
            Log.write(.info, "a frame of the relay was refused", [("reason", error.code)])
            return
        }
        switch message {
        case .registered(let session): registered(session, isResumed: false)
        case .resumed(let session): registered(session, isResumed: true)
        case .session(let session): keep(session)
        case .error(let failure):
            obey(machine.refused(code: failure.code, now: now()))
            onMessage?(message)
        case .event(let event):
            heard(event)
            onMessage?(message)
        case .pong: break
        default: onMessage?(message)
        }
    }

    private func registered(_ session: LinkSession, isResumed: Bool) {
        keep(session)
        obey(machine.registered(isResumed: isResumed, now: now()))
    }

    private func keep(_ session: LinkSession) {
        guard let id = session.session ?? credentials?.session, let token = session.token ?? credentials?.token else {
            return
        }
        let credentials = ResumeCredentials(session: id, token: token)
        resume.book.write(credentials, key: resumeKey, generation: ownership)
    }

    private func heard(_ event: LinkEvent) {
        if event.type == "event-replay-gap" {
            // The relay's numbers start anew, or went on without us: from here on.
            let latest = (try? JSONNumber.member("latestBufferedId", of: event.payload)) ?? nil
            resume.book.write(lastEvent: latest, key: resumeKey, generation: ownership)
            return
        }
        guard let id = event.id, id > lastEvent ?? 0 else { return }
        resume.book.write(lastEvent: id, key: resumeKey, generation: ownership)
        guard acknowledgement == nil else { return }
        let mine = generation
        acknowledgement = Loop.after(milliseconds: 1_000) { [weak self] in
            guard let self, let last = lastEvent else { return }
            acknowledgement = nil
            _ = try? send(.acknowledge(lastEvent: last), generation: mine)
        }
    }

    // MARK: Obeying the machine

    private func obey(_ actions: [LinkMachine.Action]) {
        for action in actions {
            switch action {
            case .register(let resuming): register(resuming: resuming)
            case .forgetCredentials: resume.book.write(nil, key: resumeKey, generation: ownership)
            case .heartbeat: _ = try? send(.heartbeat(heartbeat()), generation: generation)
            case .up(let isResumed):
                attempt = 0
                enter(.up)
                onUp?(isResumed)
            case .fail(let failure):
                Log.write(.info, "the relay connection is given up", [("reason", "\(failure)")])
                leave(1001, "\(failure)")
                wait()
                return
            case .stop(let code):
                leave(1000, code)
                enter(.stopped(code))
                return
            }
        }
        arm()
    }

    private func register(resuming: Bool) {
        var registration = registration
        registration.lastEvent = lastEvent
        if resuming, let credentials {
            registration.session = credentials.session
            registration.token = credentials.token
        }
        _ = try? send(.register(registration), generation: generation)
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard let deadline = machine.nextDeadline else { return }
        timer = Loop.after(milliseconds: max(1, deadline - now())) { [weak self] in
            guard let self else { return }
            timer = nil
            obey(machine.tick(now: now()))
        }
    }
}
