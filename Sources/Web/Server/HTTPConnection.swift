// The life of one HTTP/1.1 connection on the server: read, parse, route, answer, and again. Plain calls from the epoll
// callback. Every way in (an event, a timer, a late answer, a stream's bytes) acts and then ends in `settle()`, which sends
// what was gathered and decides what to watch for. How answers are written stands in `HTTPConnection+Answers.swift`.
import Wire

@Loop final class HTTPConnection {
    enum State {
        case handshake
        /// Between requests, or inside a head.
        case head
        /// A head asked for a body and has been allowed one.
        case body(IncomingBody)
        /// A handler works, or a body is made while it is sent.
        case answering(Exchange)
        /// The last answer is on its way out; nothing more is read.
        case ending
        /// Everything is sent. What the client still sends is thrown away so that it can read the answer.
        case lingering(bytesLeft: Int)
        /// The socket belongs to a WebSocket now.
        case upgraded(WebSocket)
        case closed
    }

    let server: HTTPServer
    let stream: SocketStream
    let peer: SocketAddress
    var state: State
    /// What the socket has not taken; nil when it has taken everything.
    private(set) var output: OutputQueue?
    /// Whether the client may still be sending when the last answer is out.
    var mayHaveUnread = false
    /// The client sends no more.
    private(set) var peerIsDone = false
    private var watch: Watch?
    /// Received but not used: part of a head, or requests behind the one that is being answered.
    private var input: [UInt8] = []
    /// `input` could be used now if only the answer before it were out.
    private var isHeldBack = false
    private var isInsideHead = false
    /// When patience ends, on the loop's clock. The timer looks again when it comes too early, so that moving a deadline
    /// back, as every request does, costs one store.
    private var deadline = Int64.max
    private var timerDeadline = Int64.max
    private var timer: LoopTimer?

    init(server: HTTPServer, stream: SocketStream, peer: SocketAddress) {
        self.server = server
        self.stream = stream
        self.peer = peer
        state = stream.isSecure ? .handshake : .head
    }

    // MARK: Start, events, end

    /// - Parameter isRefused: the server has as many connections as it may: say so and close.
    func start(isRefused: Bool) {
        do throws(Errno) {
            watch = try Loop.watch(descriptor: stream.descriptor, for: .readable) { [self] in ready($0) }
        } catch {
            return close()
        }
        wait(stream.isSecure ? server.limits.handshakeTimeout : server.limits.headTimeout)
        guard isRefused else { return }
        if stream.isSecure { return close() }
        refuse(.overloaded)
        settle()
    }

    private func ready(_ readiness: Readiness) {
        if output != nil { sendQueue() }
        if case .handshake = state {
            shakeHands()
        } else if wantsInput {
            read()
        } else if readiness.contains(.hangUp) {
            close()
        }
        settle()
    }

    private func shakeHands() {
        // Each costs half a millisecond: the others ask again in the next turn.
        guard LoopBuffers.mayShakeHands() else { return }
        switch stream.handshake() {
        case .moved:
            server.tally.tlsHandshakes += 1
            state = .head
            watch?.change(to: .readable)
            wait(server.limits.headTimeout)
            read()
        case .blocked(let readiness): watch?.change(to: readiness)
        case .ended, .failed:
            server.tally.tlsFailures += 1
            close()
        }
    }

    /// Ends the connection now, whatever it is doing.
    func close() {
        if case .closed = state { return }
        if case .answering(let exchange) = state { exchange.abandon() }
        state = .closed
        timer?.cancel()
        watch?.cancel()
        watch = nil
        output = nil
        input = []
        stream.close()
        server.forget(self)
    }

    /// The server wants to end: an idle connection closes, a busy one after its answer.
    func drain() {
        switch state {
        case .handshake: close()
        case .head where input.isEmpty && output == nil: close()
        default: break
        }
    }

    /// Sends what was gathered, goes on with what was held back, and watches for what can happen next.
    func settle() {
        flush()
        while isHeldBack, case .head = state, !isCongested {
            consumeInput()
            flush()
        }
        if output == nil {
            switch state {
            case .ending: finishEnding()
            case .head where peerIsDone: close()
            default: break
            }
        }
        guard let watch else { return }
        if case .handshake = state { return }
        var events: Readiness = wantsInput ? .readable : []
        if output != nil { events.formUnion(.writable) }
        watch.change(to: events)
        // What the TLS layer holds is no event for epoll.
        if stream.mayHoldMore, wantsInput { Loop.post { [weak self] in self?.ready(.readable) } }
    }

    /// False once the connection has ended or become a WebSocket: any call that sends may bring that about.
    var hasSocket: Bool { watch != nil }

    private var wantsInput: Bool {
        if peerIsDone { return false }
        switch state {
        case .head, .body: return !isHeldBack
        case .answering: return input.count < HTTPLimits.readSize
        case .lingering, .handshake: return true
        case .ending, .upgraded, .closed: return false
        }
    }

    /// The last answer is out. A client that may still be sending gets time to read it, because closing a socket with
    /// unread bytes resets the connection and may destroy the answer (RFC 9112 §9.6).
    private func finishEnding() {
        guard mayHaveUnread || !input.isEmpty, !peerIsDone else { return close() }
        stream.finishSending()
        state = .lingering(bytesLeft: HTTPLimits.lingeringBytes)
        input = []
        wait(HTTPLimits.lingeringTime)
    }

    // MARK: Reading

    private func read() {
        let buffer = unsafe LoopBuffers.input
        switch unsafe stream.receive(into: buffer) {
        case .moved(let count):
            server.tally.bytesReceived += count
            unsafe take(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .blocked: return
        case .ended: peerEnded()
        case .failed: close()
        }
    }

    private func take(_ bytes: UnsafeRawBufferPointer) {
        switch state {
        case .head, .body:
            if input.isEmpty {
                let used = consume(unsafe Span(_unsafeBytes: bytes))
                if used < bytes.count { keep(unsafe Array(UnsafeRawBufferPointer(rebasing: bytes[used...]))) }
            } else {
                unsafe input.append(contentsOf: bytes)
                // A head that got no line end cannot have become whole: a client that drips costs no parsing.
                let mayBeWhole = unsafe bytes.contains(0x0A) || input.count > server.limits.fieldsSize
                if isInsideHead, !mayBeWhole { return }
                consumeInput()
            }
        case .answering:
            unsafe input.append(contentsOf: bytes)
            isHeldBack = true
        case .lingering(let left):
            if bytes.count >= left { return close() }
            state = .lingering(bytesLeft: left - bytes.count)
        case .handshake, .ending, .upgraded, .closed: break
        }
    }

    /// The client takes its answers more slowly than it asks.
    private var isCongested: Bool { (output?.count ?? 0) > HTTPLimits.pausingOutput }

    /// Goes on with what was received before.
    private func consumeInput() {
        isHeldBack = false
        let pending = input
        input = []
        let used = consume(pending.span)
        if used < pending.count { keep(used == 0 ? pending : Array(pending[used...])) }
    }

    /// Keeps, or hands on, what could not be used yet.
    private func keep(_ rest: [UInt8]) {
        switch state {
        case .head:
            input = rest
            if isHeldBack { return }
            // A head that has begun must end in time, however often bytes of it come.
            if !isInsideHead { wait(server.limits.headTimeout) }
            isInsideHead = true
        case .answering:
            input = rest
            isHeldBack = true
        case .ending: mayHaveUnread = true
        case .upgraded(let socket): unsafe rest.withUnsafeBytes { unsafe socket.receive($0) }
        case .body, .handshake, .lingering, .closed: break
        }
    }

    /// Understands as much of `bytes` as it can. Returns how many it used.
    private func consume(_ bytes: Span<UInt8>) -> Int {
        var used = 0
        while used < bytes.count {
            let rest = bytes.extracting(used..<bytes.count)
            do throws(HTTPRefusal) {
                switch state {
                case .head:
                    if isCongested {
                        isHeldBack = true
                        return used
                    }
                    guard try LoopBuffers.parser.parse(rest, limits: server.limits) else { return used }
                    let found = LoopBuffers.parser.head
                    used += found.length
                    isInsideHead = false
                    try begin(rest.extracting(0..<found.length), found)
                    if LoopBuffers.output.count > HTTPLimits.gatheredOutput { flush() }
                case .body(let body):
                    used += try body.take(rest)
                    if body.isDone { finish(body) } else { wait(until: body.deadline(server.limits)) }
                default: return used
                }
            } catch {
                refuse(error)
                return bytes.count
            }
        }
        return used
    }

    private func peerEnded() {
        peerIsDone = true
        switch state {
        // It may have said all it had to say, and wait for the answer.
        case .head where input.isEmpty || isHeldBack: break
        case .answering(let exchange) where exchange.stream == nil: break
        case .ending: break
        default: close()
        }
    }

    // MARK: Requests

    /// A whole head has come: finds who answers, and whether a body may follow.
    private func begin(_ bytes: Span<UInt8>, _ found: FoundHead) throws(HTTPRefusal) {
        server.tally.requests += 1
        let framing = found.framing
        let isPersistent = found.isPersistent && !server.isDraining
        let fields = LoopBuffers.parser.fields
        let request = try server.request(bytes, found, fields, from: peer, isSecure: stream.isSecure)
        // Whoever answers without having read the body cannot find the next request behind it.
        var terms = Terms(request, isPersistent: isPersistent && framing == .none)
        if framing != .none { mayHaveUnread = true }
        switch try server.route(request) {
        case .answer(let response): write(response, terms)
        case .route(let route, let parameters):
            if framing == .none { return answer(route.handler(request, parameters), to: request, terms) }
            let limit = min(route.bodyLimit, server.limits.bodySize)
            if limit == 0 { throw .bodyTooLarge }
            if case .length(let length) = framing, length > limit { throw .bodyTooLarge }
            terms.isPersistent = isPersistent
            mayHaveUnread = false
            if found.expectsContinue { LoopBuffers.output.append(literal: "HTTP/1.1 100 Continue\r\n\r\n") }
            let body = IncomingBody(request, route, parameters, terms, framing: framing, limit: limit)
            state = .body(body)
            wait(until: body.deadline(server.limits))
        }
    }

    /// The body is whole.
    private func finish(_ body: IncomingBody) {
        state = .head
        var request = body.request
        request.body = body.content
        answer(body.route.handler(request, body.parameters), to: request, body.terms)
    }

    private func answer(_ answer: HTTPAnswer, to request: HTTPRequest, _ terms: Terms) {
        switch answer {
        case .response(let response): write(response, terms)
        case .later(let flow):
            let exchange = Exchange(terms)
            state = .answering(exchange)
            wait(server.limits.handlerTimeout)
            exchange.task = Loop.spawn { @Loop [weak self] in
                let response = await flow()
                self?.finish(exchange, response)
            }
        case .upgrade(let options, let fields, let onOpen):
            do throws(HTTPRefusal) {
                upgrade(try WebSocketAgreement(request, options), options, fields, onOpen)
            } catch {
                refuse(error)
            }
        }
    }

    /// A handler that took its time has its answer.
    private func finish(_ exchange: Exchange, _ response: HTTPResponse) {
        guard case .answering(let current) = state, current === exchange else { return }
        state = .head
        write(response, exchange.terms)
        settle()
    }

    private func upgrade(
        _ agreement: WebSocketAgreement,
        _ options: WebSocketOptions,
        _ fields: HTTPFields,
        _ onOpen: @Loop (WebSocket) -> Void
    ) {
        ResponseHead.write(agreement.response(fields), framing: .none, persistence: .upgrade, to: LoopBuffers.output)
        server.tally.answers[1] += 1
        flush()
        guard let watch, case .head = state else { return }
        timer?.cancel()
        self.watch = nil
        let socket = WebSocket(
            stream: stream,
            watch: watch,
            output: output,
            engine: agreement.engine(options),
            peer: peer,
            options: options
        )
        state = .upgraded(socket)
        server.adopt(socket)
        server.forget(self)
        onOpen(socket)
        socket.start()
    }

    // MARK: What waits

    func enqueue(_ bytes: [UInt8]) {
        let queue = output ?? OutputQueue()
        queue.append(bytes)
        output = queue
    }

    /// Sends on what the socket did not take before. Each byte it takes renews the client's time.
    func sendQueue() {
        guard let queue = output else { return }
        let before = queue.count
        let outcome = queue.send(to: stream)
        server.tally.bytesSent += before - queue.count
        switch outcome {
        case .moved:
            output = nil
            queueIsSent()
        case .blocked: wait(server.limits.writeTimeout)
        case .ended, .failed: close()
        }
    }

    // MARK: Time

    /// Allows that many milliseconds from now until something must have happened.
    func wait(_ milliseconds: Int64) { wait(until: Loop.now + milliseconds) }

    func wait(until time: Int64) {
        guard hasSocket else { return }
        deadline = time
        if timer != nil, timerDeadline <= time { return }
        timer?.cancel()
        timer = nil
        if time < .max { setTimer() }
    }

    private func setTimer() {
        timerDeadline = deadline
        // One call, which keeps this object alive until it returns, whatever it closes.
        timer = Loop.after(milliseconds: deadline - Loop.now) { [unowned self] in timerFired() }
    }

    private func timerFired() {
        timer = nil
        if deadline == .max { return }
        if Loop.now < deadline { return setTimer() }
        timeIsUp()
        settle()
    }

    private func timeIsUp() {
        server.tally.timeouts += 1
        guard output == nil else { return close() }
        switch state {
        case .head where isInsideHead: refuse(.timedOut)
        case .body: refuse(.timedOut)
        case .answering(let exchange) where exchange.stream == nil:
            exchange.abandon()
            refuse(.overloaded)
        default: close()
        }
    }
}
