// The HTTP/1.1 server: listeners, the connections they accepted, what all of them share, and the end of it all.
// `HTTPConnection` has the life of one connection; `Router` says who answers.
package import Wire

/// A server. Configure it, then ``listen(_:tls:)`` on as many addresses as wanted.
@Loop package final class HTTPServer {
    package let limits: HTTPLimits
    package let router: Router
    /// The prefix of every path when a reverse proxy mounts us below its root: empty, or `/p` without a slash at its end.
    package let basePath: String
    /// Proxies whose `X-Forwarded-For`, `-Proto` and `-Host` are believed.
    package let trustedProxies: [AddressBlock]
    /// Says whether a host may be asked for here; a refused one is answered 421. nil allows all.
    package var isHostAllowed: (@Loop (String?) -> Bool)?
    /// Called when draining begins, once for each open WebSocket's owner to send its farewell.
    package var onDrain: (@Loop () -> Void)?

    /// What it has done since it started.
    package var counters: HTTPCounters { tally }
    package private(set) var isDraining = false

    /// Internal, so that the optimiser sees every access: it is touched several times per request.
    var tally = HTTPCounters()
    let basePathBytes: [UInt8]
    private var listeners: [Listener] = []
    /// What new connections of the secured listeners are made with.
    private var tls: TLSContext?
    private var connections: [ObjectIdentifier: HTTPConnection] = [:]
    private var sockets: [ObjectIdentifier: WebSocket] = [:]
    private var onEmpty: [CheckedContinuation<Void, Never>] = []
    private var serial: UInt64 = 0

    package init(
        limits: HTTPLimits = HTTPLimits(),
        router: Router,
        basePath: String = "",
        trustedProxies: [AddressBlock] = []
    ) {
        self.limits = limits
        self.router = router
        let trimmed = basePath.hasSuffix("/") ? String(basePath.dropLast()) : basePath
        self.basePath = trimmed
        self.trustedProxies = trustedProxies
        basePathBytes = Array(trimmed.utf8)
    }

    /// Starts to accept on an address.
    ///
    /// - Returns: the address with its real port.
    @discardableResult
    package func listen(_ address: ListenAddress, tls: TLSContext? = nil) throws(Errno) -> ListenAddress {
        if let tls { self.tls = tls }
        let isSecure = tls != nil
        let listener = try Listener(address: address) { [unowned self] descriptor, peer in
            accept(descriptor, from: peer, tls: isSecure ? self.tls : nil)
        }
        listeners.append(listener)
        return listener.address
    }

    /// Gives new connections another certificate; open ones keep theirs. Listeners without TLS stay as they are.
    package func renew(tls: TLSContext) { self.tls = tls }

    /// Open connections of both kinds.
    package var activeConnections: Int { connections.count + sockets.count }

    /// Ends the server in order: accepts no more, lets running requests end, tells ``onDrain``, and closes what is left
    /// when the time is over.
    package func drain(within milliseconds: Int64) async {
        if !isDraining {
            isDraining = true
            for listener in listeners { listener.close() }
            listeners = []
            onDrain?()
            for connection in Array(connections.values) { connection.drain() }
        }
        if activeConnections == 0 { return }
        let deadline = Loop.after(milliseconds: milliseconds) { [self] in closeAll() }
        await withCheckedContinuation { onEmpty.append($0) }
        deadline.cancel()
    }

    private func closeAll() {
        for connection in Array(connections.values) { connection.close() }
        for socket in Array(sockets.values) { socket.abandon() }
        noticeEmpty()
    }

    // MARK: Connections

    private func accept(_ descriptor: Int32, from peer: SocketAddress, tls: TLSContext?) {
        tally.accepted += 1
        let stream: SocketStream
        if let tls {
            guard let secured = SocketStream(descriptor: descriptor, tls: tls) else {
                Sockets.close(descriptor)
                return
            }
            stream = secured
        } else {
            stream = SocketStream(descriptor: descriptor)
        }
        let connection = HTTPConnection(server: self, stream: stream, peer: peer)
        connections[ObjectIdentifier(connection)] = connection
        connection.start(isRefused: activeConnections > limits.connections)
    }

    func forget(_ connection: HTTPConnection) {
        connections[ObjectIdentifier(connection)] = nil
        noticeEmpty()
    }

    func adopt(_ socket: WebSocket) {
        sockets[ObjectIdentifier(socket)] = socket
        tally.webSockets += 1
        socket.onEnd = { [unowned self] in forget($0) }
    }

    func forget(_ socket: WebSocket) {
        sockets[ObjectIdentifier(socket)] = nil
        noticeEmpty()
    }

    private func noticeEmpty() {
        if activeConnections > 0 { return }
        let waiting = onEmpty
        onEmpty = []
        for continuation in waiting { continuation.resume() }
    }

    func nextSerial() -> UInt64 {
        serial += 1
        return serial
    }
}

/// What a server has done since it started, for `/metrics`.
package struct HTTPCounters: Sendable {
    package var accepted = 0
    package var requests = 0
    package var webSockets = 0
    package var bytesReceived = 0
    package var bytesSent = 0
    package var timeouts = 0
    /// Requests refused before a handler saw them, by status.
    package var refused: [Int: Int] = [:]
    /// Answers by class of status: index 1 for 1xx to 5 for 5xx.
    package var answers = [Int](repeating: 0, count: 6)
    package var tlsHandshakes = 0
    package var tlsFailures = 0

    package init() {}
}
