// One WebSocket on its socket, for servers and clients. The protocol is `WebSocketEngine`, a value; this is the shell that
// feeds it, sends what it makes, and keeps time: pings, a silent peer, a slow one, a close that is not answered.
package import Wire

/// What one end of a WebSocket connection allows itself and the other.
package struct WebSocketOptions: Sendable {
    /// Bytes of one message after inflating; more closes with 1009.
    package var maxMessage = 32 << 20
    package var deflate = WebSocketDeflate.contextTakeover
    /// Milliseconds of silence before a ping, and then again before the peer counts as gone. 0 sends none.
    package var pingInterval: Int64 = 25_000
    /// Milliseconds that a peer may take no byte while some wait for it; then the connection ends (1013).
    package var stallTimeout: Int64 = 30_000
    /// Milliseconds for the peer to answer a close.
    package var closeTimeout: Int64 = 5_000
    /// Bytes that may wait for the peer; more ends the connection. Whoever sends much watches ``WebSocket/bufferedBytes``.
    package var maxBuffered = 64 << 20

    package init() {}
}

/// An open WebSocket connection. Set the handlers in the callback that hands it over.
@Loop package final class WebSocket {
    package var onText: (@Loop ([UInt8]) -> Void)?
    package var onBinary: (@Loop ([UInt8]) -> Void)?
    /// Called once, after the last message: with the peer's code and reason, or 1006 when the connection just ended.
    package var onClose: (@Loop (UInt16, String) -> Void)?
    /// Called when everything queued has been taken, after ``bufferedBytes`` was above ``pausingBytes``.
    package var onDrain: (@Loop () -> Void)?
    package var onPong: (@Loop ([UInt8]) -> Void)?

    package let peer: SocketAddress
    /// Set by the server: forgets this socket.
    var onEnd: (@Loop (WebSocket) -> Void)?

    /// Bytes queued above which nothing more is read from the peer, so that it cannot make us buffer without end.
    package static let pausingBytes = 1 << 20
    /// Bytes of the shared buffer of frames above which its memory is given back.
    private static let keptFrames = 256 << 10

    private enum State {
        case open
        /// Our Close frame is out, or about to be; the peer's is awaited.
        case closing
        /// Nothing more is sent or understood; waits for the peer to end.
        case lingering(bytesLeft: Int)
        case closed
    }

    private let stream: SocketStream
    private var watch: Watch?
    private var engine: WebSocketEngine
    private let options: WebSocketOptions
    private var state = State.open
    /// Frames made in this turn.
    private var frames: [UInt8] = []
    /// Frames of earlier turns that the socket did not take, and shared frames.
    private var output: OutputQueue?
    private var willFlush = false
    private var isPaused = false
    private var closing: (code: UInt16, reason: String)?
    private var timer: LoopTimer?
    /// When the peer was last heard, and last took a byte, on the loop's clock.
    private var heardAt = Loop.now
    private var tookAt = Loop.now
    private var closesBy = Int64.max
    /// A ping is out, and nothing has been heard since. Counted from when it was sent: a computer that slept is not a peer
    /// that was silent.
    private var isPinged = false
    private var pingedAt = Int64.min

    init(
        stream: SocketStream,
        watch: Watch,
        output: OutputQueue?,
        engine: consuming WebSocketEngine,
        peer: SocketAddress,
        options: WebSocketOptions
    ) {
        self.stream = stream
        self.watch = watch
        self.output = output
        self.engine = engine
        self.peer = peer
        self.options = options
        watch.onReady = { [self] in ready($0) }
    }

    /// Bytes that wait for the peer.
    package var bufferedBytes: Int { frames.count + (output?.count ?? 0) }

    /// Whether messages can still be sent.
    package var isOpen: Bool { if case .open = state { true } else { false } }

    // MARK: Sending

    /// Queues a text message, which must be UTF-8. What is sent in one turn leaves in one piece. Ignored when closed.
    package func send(text: [UInt8]) {
        engine.append(text: text, to: &frames)
        flushSoon()
    }

    package func send(text: String) { send(text: Array(text.utf8)) }

    package func send(binary: [UInt8]) {
        engine.append(binary: binary, to: &frames)
        flushSoon()
    }

    /// Queues a message whose frame all sockets share.
    package func send(_ prepared: PreparedMessage) {
        guard isOpen, let frame = engine.frame(of: prepared) else { return }
        moveFramesToQueue()
        queue(frame)
        flushSoon()
    }

    package func ping(_ payload: [UInt8] = []) {
        engine.appendPing(payload, to: &frames)
        flushSoon()
    }

    /// Begins to close: nothing can be sent afterwards, and ``onClose`` comes when the peer has answered, or has not.
    package func close(_ code: UInt16 = WebSocketCloseCode.normal, _ reason: String = "") {
        guard isOpen else { return }
        engine.appendClose(code, reason, to: &frames)
        closing = (code, reason)
        state = .closing
        closesBy = Loop.now + options.closeTimeout
        setTimer()
        flushSoon()
    }

    /// Ends the connection without a word.
    package func abandon() { end(WebSocketCloseCode.abnormal, "") }

    private func flushSoon() {
        if willFlush { return }
        willFlush = true
        Loop.endOfTurn { [weak self] in
            guard let self else { return }
            willFlush = false
            flush()
        }
    }

    private func moveFramesToQueue() {
        if frames.isEmpty { return }
        queue(frames)
        frames = []
    }

    private func queue(_ bytes: [UInt8]) {
        // The peer's time to take something begins when something waits for it.
        if output == nil {
            tookAt = Loop.now
            output = OutputQueue()
        }
        output?.append(bytes)
    }

    /// Sends what was made; what the socket does not take waits in the queue.
    private func flush() {
        if case .closed = state { return }
        if output == nil, !frames.isEmpty {
            if case .moved(let count) = stream.send(frames) {
                if count == frames.count {
                    frames.removeAll(keepingCapacity: frames.capacity <= Self.keptFrames)
                    return settle()
                }
                frames.removeFirst(count)
            }
        }
        moveFramesToQueue()
        guard let queue = output else { return settle() }
        let before = queue.count
        switch queue.send(to: stream) {
        case .moved: output = nil
        case .blocked: if queue.count < before { tookAt = Loop.now }
        case .ended, .failed: return end(WebSocketCloseCode.abnormal, "")
        }
        if queue.count > options.maxBuffered { return end(WebSocketCloseCode.abnormal, "") }
        settle()
    }

    /// Decides what to watch for, and ends what has nothing left to say.
    private func settle() {
        guard let watch else { return }
        if output == nil {
            if case .closing = state, engine.hasReceivedClose { return end() }
            if case .lingering = state { return finish() }
            if isPaused {
                isPaused = false
                onDrain?()
            }
        } else if bufferedBytes > Self.pausingBytes {
            isPaused = true
        }
        var events: Readiness = isPaused && isOpen ? [] : .readable
        if output != nil {
            events.formUnion(.writable)
            setTimer()
        }
        watch.change(to: events)
        if stream.mayHoldMore, !isPaused { Loop.post { [weak self] in self?.ready(.readable) } }
    }

    // MARK: Receiving

    /// Called when the handlers are set, with what came right behind the handshake.
    func start(with early: [UInt8] = []) {
        if !early.isEmpty { unsafe early.withUnsafeBytes { unsafe receive($0) } }
        setTimer()
        flush()
    }

    /// Holds itself until the connection ends, where no server does.
    func keepAlive() {
        onEnd = { _ in _ = self }
    }

    private func ready(_ readiness: Readiness) {
        if case .closed = state { return }
        // Frames made in here leave with one call at its end, from memory that all sockets share.
        swapFrames()
        willFlush = true
        if !isPaused || !isOpen { read() } else if readiness.contains(.hangUp) { abandon() }
        willFlush = false
        flush()
        swapFrames()
    }

    private func swapFrames() {
        if frames.isEmpty { swap(&frames, &LoopBuffers.frames) }
    }

    private func read() {
        let buffer = unsafe LoopBuffers.input
        switch unsafe stream.receive(into: buffer) {
        case .moved(let count): unsafe receive(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .blocked: break
        case .ended, .failed: end(WebSocketCloseCode.abnormal, "")
        }
    }

    /// Takes bytes from the socket, or those that came with the handshake.
    func receive(_ bytes: UnsafeRawBufferPointer) {
        heardAt = Loop.now
        isPinged = false
        if case .lingering(let left) = state {
            if bytes.count >= left { return end(WebSocketCloseCode.abnormal, "") }
            state = .lingering(bytesLeft: left - bytes.count)
            return
        }
        var offset = 0
        do throws(WebSocketFailure) {
            while let event = try unsafe engine.next(in: bytes, from: &offset) { take(event) }
        } catch {
            fail(error)
        }
        flushSoon()
    }

    private func take(_ event: WebSocketEvent) {
        switch event {
        case .text(let bytes): if isOpen { onText?(bytes) }
        case .binary(let bytes): if isOpen { onBinary?(bytes) }
        case .ping(let payload): engine.appendPong(payload, to: &frames)
        case .pong(let payload): onPong?(payload)
        case .close(let code, let reason):
            closing = (code, reason)
            engine.appendClose(code, reason, to: &frames)
            state = .closing
            closesBy = min(closesBy, Loop.now + options.closeTimeout)
            setTimer()
        }
    }

    /// The peer broke the protocol: says so, and gives it time to read that.
    private func fail(_ failure: WebSocketFailure) {
        engine.appendClose(failure.code, failure.reason, to: &frames)
        closing = (failure.code, failure.reason)
        state = .lingering(bytesLeft: HTTPLimits.lingeringBytes)
        closesBy = Loop.now + options.closeTimeout
        setTimer()
        flushSoon()
    }

    // MARK: Ends

    private var hasFinished = false

    /// The last byte of a failed connection is out.
    private func finish() {
        if hasFinished { return }
        hasFinished = true
        stream.finishSending()
    }

    private func end() { end(closing?.code ?? WebSocketCloseCode.abnormal, closing?.reason ?? "") }

    private func end(_ code: UInt16, _ reason: String) {
        if case .closed = state { return }
        state = .closed
        timer?.cancel()
        watch?.cancel()
        watch = nil
        output = nil
        stream.close()
        onEnd?(self)
        onEnd = nil
        let told = closing ?? (code, reason)
        let onClose = onClose
        (self.onClose, onText, onBinary, onDrain, onPong) = (nil, nil, nil, nil, nil)
        onClose?(told.code, told.reason)
    }

    // MARK: Time

    /// One timer for everything: it looks what is due and sleeps until the next thing may be.
    private func setTimer() {
        guard watch != nil else { return }
        let due = nextDeadline
        if timer != nil, timerDeadline <= due { return }
        timer?.cancel()
        timer = nil
        if due == .max { return }
        timerDeadline = due
        timer = Loop.after(milliseconds: due - Loop.now) { [unowned self] in timeIsUp() }
    }

    private var timerDeadline = Int64.max

    private var nextDeadline: Int64 {
        var due = closesBy
        if output != nil { due = min(due, tookAt + options.stallTimeout) }
        if options.pingInterval > 0, isOpen { due = min(due, max(heardAt, pingedAt) + options.pingInterval) }
        return due
    }

    private func timeIsUp() {
        timer = nil
        let now = Loop.now
        if now >= closesBy { return end(WebSocketCloseCode.abnormal, "") }
        if output != nil, now >= tookAt + options.stallTimeout {
            closing = (WebSocketCloseCode.tryAgainLater, "too slow")
            return end()
        }
        if options.pingInterval > 0, isOpen {
            if isPinged, now >= pingedAt + options.pingInterval { return end(WebSocketCloseCode.abnormal, "") }
            if !isPinged, now >= heardAt + options.pingInterval {
                isPinged = true
                pingedAt = now
                ping()
            }
        }
        setTimer()
    }
}
