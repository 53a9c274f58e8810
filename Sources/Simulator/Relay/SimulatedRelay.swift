// The shell around `RelayModel`: a WebSocket server on loopback, connections inside the process, the loop's clock, one
// timer.

package import Web
package import Wire

/// A relay that misbehaves as its script says.
///
/// Clients reach it at ``url``, or inside the process by ``connect(as:)``; scripted desktops by ``attach(_:seed:)``.
@Loop package final class SimulatedRelay {
    private var model: RelayModel
    private let server: HTTPServer
    private var ports: [Int: Port] = [:]
    private var timer: LoopTimer?
    /// `ws://127.0.0.1:PORT/ws/device-link` once ``listen()`` was called.
    package private(set) var url = ""

    /// Where the frames of a connection go.
    private enum Port {
        case socket(WebSocket)
        case inside(SimulatedConnection)
    }

    /// - Parameter seed: the same seed and script behave the same.
    package init(_ script: RelayScript = RelayScript(), seed: UInt64 = 1) {
        model = RelayModel(script, seed: seed, now: Loop.now, wall: Loop.wallClock)
        let router = Router()
        server = HTTPServer(router: router)
        router.on([.get], "/ws/device-link") { [weak self] request, _ in
            self?.knock(request) ?? .response(.text("gone\n", status: 503))
        }
    }

    /// Accepts connections on a free port of loopback.
    package func listen() throws(Errno) {
        let address = try server.listen(.tcp(host: "127.0.0.1", port: 0))
        if case .tcp(let host, let port) = address { url = "ws://\(host):\(port)/ws/device-link" }
    }

    /// Cuts every connection and accepts no more.
    package func stop() async {
        for id in ports.keys.sorted() { perform([.cut(id)]) }
        timer?.cancel()
        timer = nil
        await server.drain(within: 100)
    }

    // MARK: What tests look at and change

    package var history: [RelayRecord] { model.history }
    package var complaints: [String] { model.complaints }
    package var connections: [(id: Int, visitor: RelayVisitor)] { model.connections }

    /// Adds faults behind those that the script has.
    package func add(_ faults: RelayFault...) { model.script.faults += faults }

    /// Changes the script; counts of what passed stay.
    package func change(_ body: (inout RelayScript) -> Void) { body(&model.script) }

    /// Restarts: cuts every connection, forgets sessions and numbers.
    package func restart() { perform(model.restarted(now: Loop.now)) }

    /// An event in place of a desktop.
    package func emit(_ type: String, _ payload: JSON, from desktop: String) {
        perform(model.emit(type, payload, from: desktop, now: Loop.now))
    }

    /// Tells phones `online` or `disconnected`, true or not.
    package func tell(presence status: String, of desktop: String) {
        perform(model.tell(presence: status, of: desktop, now: Loop.now))
    }

    /// Any text on a connection, past the script.
    package func sendRaw(_ text: [UInt8], on connection: Int) {
        perform(model.sendRaw(text, on: connection, now: Loop.now))
    }

    package func sendBinary(_ bytes: [UInt8], on connection: Int) {
        perform(model.sendBinary(bytes, on: connection, now: Loop.now))
    }

    // MARK: Connections

    private func knock(_ request: HTTPRequest) -> HTTPAnswer {
        let visitor = RelayVisitor { request.fields[$0] }
        if let status = model.refusal(of: visitor) { return .response(.text("refused\n", status: status)) }
        guard let visitor else { return .response(.text("refused\n", status: 401)) }
        var options = WebSocketOptions()
        // Padding must keep its size on the wire.
        options.deflate = .off
        return .upgrade(options, [:]) { [weak self] socket in self?.accept(socket, visitor) }
    }

    private func accept(_ socket: WebSocket, _ visitor: RelayVisitor) {
        let id = model.opened(visitor)
        ports[id] = .socket(socket)
        socket.onText = { [weak self] text in self?.receive(text, on: id) }
        socket.onClose = { [weak self] _, _ in self?.forget(id) }
    }

    /// A connection inside the process; nil when the script refuses it.
    package func connect(as visitor: RelayVisitor) -> SimulatedConnection? {
        guard model.refusal(of: visitor) == nil else { return nil }
        let id = model.opened(visitor)
        let connection = SimulatedConnection(id: id)
        connection.onSend = { [weak self] text in self?.receive(text, on: id) }
        connection.onEnd = { [weak self] in self?.forget(id) }
        ports[id] = .inside(connection)
        return connection
    }

    /// A scripted desktop that registers at once.
    package func attach(_ script: DesktopScript, seed: UInt64 = 1) -> SimulatedDesktop? {
        guard let connection = connect(as: RelayVisitor(device: script.id, role: .desktop)) else { return nil }
        let desktop = SimulatedDesktop(script, seed: seed) { connection.send($0) }
        connection.onText = { desktop.receive($0) }
        connection.onClose = { _, _ in desktop.stop() }
        desktop.start()
        return desktop
    }

    private func receive(_ text: [UInt8], on id: Int) { perform(model.received(text, on: id, now: Loop.now)) }

    private func forget(_ id: Int) {
        ports[id] = nil
        perform(model.closed(id, now: Loop.now))
    }

    // MARK: What the model wants

    private func perform(_ actions: [RelayAction]) {
        for action in actions {
            switch action {
            case .send(let id, let text): send(text, to: id)
            case .sendBinary(let id, let bytes):
                switch ports[id] {
                case .socket(let socket): socket.send(binary: bytes)
                case .inside(let connection): connection.deliver(binary: bytes)
                case nil: break
                }
            case .sendHalf(let id, let text): sendHalf(text, to: id)
            case .close(let id, let code, let reason):
                end(id) {
                    $0.close(code, reason)
                } inside: {
                    $0.end(code, reason)
                }
            case .cut(let id):
                end(id) {
                    $0.abandon()
                } inside: {
                    $0.end(1006, "")
                }
            }
        }
        arm()
    }

    private func send(_ text: [UInt8], to id: Int) {
        switch ports[id] {
        case .socket(let socket): socket.send(text: text)
        case .inside(let connection): connection.deliver(text: text)
        case nil: break
        }
    }

    /// More than the kernel takes at once, then the end: the peer waits in vain for the rest of a frame.
    private func sendHalf(_ text: [UInt8], to id: Int) {
        switch ports[id] {
        case .socket(let socket):
            let padding = [UInt8](repeating: UInt8(ascii: " "), count: max(0, RelayLimits.halfFrame - text.count))
            socket.send(text: text + padding)
            // Behind the turn's one write.
            Loop.endOfTurn { [weak self] in self?.perform([.cut(id)]) }
        // Inside the process there are only whole messages.
        case .inside: perform([.cut(id)])
        case nil: break
        }
    }

    private func end(_ id: Int, _ socket: (WebSocket) -> Void, inside: (SimulatedConnection) -> Void) {
        switch ports.removeValue(forKey: id) {
        case .socket(let end): socket(end)
        case .inside(let end): inside(end)
        case nil: break
        }
    }

    private func arm() {
        timer?.cancel()
        timer = nil
        guard let wakeAt = model.wakeAt else { return }
        timer = Loop.after(milliseconds: max(1, wakeAt - Loop.now)) { [weak self] in
            guard let self else { return }
            perform(model.tick(now: Loop.now))
        }
    }
}

/// A client's end of a connection inside the process.
///
/// Callbacks come on turns of their own, in order.
@Loop package final class SimulatedConnection {
    package let id: Int
    package var onText: (@Loop ([UInt8]) -> Void)?
    package var onBinary: (@Loop ([UInt8]) -> Void)?
    package var onClose: (@Loop (UInt16, String) -> Void)?
    package private(set) var isOpen = true
    var onSend: (@Loop ([UInt8]) -> Void)?
    var onEnd: (@Loop () -> Void)?

    init(id: Int) { self.id = id }

    /// Sends a text frame; ignored when closed.
    package func send(_ text: [UInt8]) {
        Loop.post { [weak self] in
            guard let self, isOpen else { return }
            onSend?(text)
        }
    }

    /// Ends the connection; no callback follows.
    package func close() {
        guard isOpen else { return }
        isOpen = false
        (onText, onBinary, onClose) = (nil, nil, nil)
        Loop.post { [onEnd] in onEnd?() }
    }

    func deliver(text: [UInt8]) { Loop.post { [weak self] in self?.onText?(text) } }
    func deliver(binary: [UInt8]) { Loop.post { [weak self] in self?.onBinary?(binary) } }

    func end(_ code: UInt16, _ reason: String) {
        Loop.post { [weak self] in
            guard let self, isOpen else { return }
            isOpen = false
            let close = onClose
            (onText, onBinary, onClose) = (nil, nil, nil)
            close?(code, reason)
        }
    }
}
