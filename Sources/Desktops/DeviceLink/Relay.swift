// The relay built into `wheelhouse serve`: the broker between desktops that dial in and phones (this server's own hub, by
// in-process transports, and other clients of the device link). Protocol document, sections 2, 4 and 7.18. This file has the
// connections' life; `Relay+Routing.swift` has what happens to their messages.
package import Web
package import Wire

/// Who is at the other end of a connection, after its credentials were checked.
package struct RelayIdentity: Sendable, Equatable {
    package enum Role: String, Sendable {
        case phone = "mobile"
        case desktop
    }

    /// The account; a self-hosted relay has one, `RelayIdentity.owner`.
    package var user: String
    /// A lower-case UUID.
    package var device: String
    package var role: Role
    /// phone: the desktop that it talks to, from `X-Target-Desktop-Device-ID`.
    package var target: String?

    /// The user id of a self-hosted relay's only account.
    package static let owner = "00000000-0000-4000-8000-000000000001"

    package init(user: String = RelayIdentity.owner, device: String, role: Role, target: String? = nil) {
        self.user = user
        self.device = device
        self.role = role
        self.target = target
    }
}

/// What the relay did since it was made; two of the figures are of the moment.
package struct RelayMetrics: Sendable, Equatable {
    package var phones = 0
    package var desktops = 0
    package var framesIn = 0
    package var framesOut = 0
    package var bytesIn = 0
    package var bytesOut = 0
    package var requests = 0
    package var events = 0
    /// Questions answered with −32010.
    package var offlineAnswers = 0
    package var refusedFrames = 0
    package var rateLimited = 0
    package var resumed = 0
    package var refusedResumes = 0
    package var replacedSnapshots = 0
    /// Connections closed with 1013.
    package var overflows = 0
    /// Connections closed with 4002.
    package var replacedConnections = 0
    /// Connections closed because nothing was heard.
    package var silent = 0
}

/// Routes messages between phones and desktops.
@Loop package final class Relay {
    /// Frames that one client may send.
    package struct Rates: Sendable {
        package var phoneBurst = 50
        package var phonePerSecond = 25
        /// A desktop with eight leases sends eighty snapshots a second, and answers besides.
        package var desktopBurst = 400
        package var desktopPerSecond = 200

        package init() {}
    }

    /// From the upgrade to `register`, milliseconds (RS2).
    package static let patience: Int64 = 10_000
    /// Without an inbound frame until a connection is dropped, milliseconds (RS7).
    package static let silence: Int64 = 60_000
    /// Between two looks at a socket that was too full for what waits, milliseconds.
    static let flushEvery: Int64 = 10
    private static let sweepEvery: Int64 = 2_000
    private static let sessionSweepEvery: Int64 = 300_000

    /// One account's device.
    struct DeviceKey: Hashable {
        var user: String
        var device: String
    }

    var desktops: [DeviceKey: RelayConnection] = [:]
    /// Phones by the desktop that they talk to, then by their own id.
    var phones: [DeviceKey: [String: RelayConnection]] = [:]
    private var connections: [ObjectIdentifier: RelayConnection] = [:]
    var sessions = RelaySessions()
    /// Numbers of events from a desktop towards its phones, and the other way.
    var towardsPhones: [DeviceKey: EventStream] = [:]
    var towardsDesktop: [DeviceKey: EventStream] = [:]
    package internal(set) var metrics = RelayMetrics()

    /// Whether a device belongs to an account: phones may only ask for a desktop that does, desktops only come as one
    /// that does.
    ///
    /// Everything belongs to a self-hosted relay's one account unless this says otherwise.
    package var owns: (@Loop (_ user: String, _ device: String) -> Bool)?
    /// Told when a desktop registers, with its device id and the name that it gave: to note when it was last seen.
    package var onDesktopRegistered: (@Loop (_ device: String, _ name: String) -> Void)?

    private let rates: Rates
    private let queueBytes: Int
    let now: @Loop () -> Int64
    private var timer: LoopTimer?
    private var sessionSweepAt: Int64 = 0

    /// - Parameters:
    ///   - queueBytes: what may wait for one connection.
    ///   - now: monotonic milliseconds.
    package init(
        rates: Rates = Rates(),
        queueBytes: Int = Limits.relayQueueBytes,
        now: @escaping @Loop () -> Int64 = { Loop.now }
    ) {
        self.rates = rates
        self.queueBytes = queueBytes
        self.now = now
    }

    // MARK: Ways in

    /// Takes over a WebSocket whose upgrade was authorised (`RelayCredentials.check`).
    package func accept(_ socket: WebSocket, as identity: RelayIdentity) {
        accept(WebSocketTransport(socket), as: identity, isTrusted: false)
    }

    /// Takes over any other connection, as one from outside.
    package func accept(_ transport: any LinkTransport, as identity: RelayIdentity) {
        accept(transport, as: identity, isTrusted: false)
    }

    /// A connection to this relay from inside the process: the client's end.
    ///
    /// Such a client is trusted: its frames are not checked again and not counted against a rate.
    package func connect(as identity: RelayIdentity) -> any LinkTransport {
        let (near, far) = InProcessTransport.pair()
        accept(far, as: identity, isTrusted: true)
        return near
    }

    private func accept(_ transport: any LinkTransport, as identity: RelayIdentity, isTrusted: Bool) {
        guard connections.count < Limits.relayConnections else {
            transport.close(1013, "too many connections")
            return
        }
        let isPhone = identity.role == .phone
        let bucket = TokenBucket(
            burst: isPhone ? rates.phoneBurst : rates.desktopBurst,
            rate: isPhone ? rates.phonePerSecond : rates.desktopPerSecond,
            now: now()
        )
        let connection = RelayConnection(
            transport,
            identity,
            bucket: isTrusted ? nil : bucket,
            output: OutputQueue(limit: queueBytes),
            now: now()
        )
        connections[ObjectIdentifier(connection)] = connection
        transport.onText = { [weak self] in self?.received($0, from: connection) }
        transport.onBinary = { [weak self] in self?.received(binary: $0, from: connection) }
        transport.onDrain = { [weak self] in self?.flush(connection) }
        transport.onClose = { [weak self] _, _ in self?.closed(connection) }
        watchOver()
    }

    // MARK: Ways out

    /// Forgets a device: closes its connections with 4003, ends its sessions and tells its account's phones.
    package func unlink(device: String, of user: String = RelayIdentity.owner) {
        sessions.remove(user: user, device: device)
        for connection in Array(connections.values)
        where connection.identity.user == user && connection.identity.device == device {
            close(connection, 4003, "device unlinked")
        }
        announce(type: "device-unlinked", [("deviceId", device)], user: user)
    }

    /// Ends every session of an account and closes its connections with 4001 (RS16).
    package func logOut(user: String = RelayIdentity.owner) {
        sessions.remove(user: user)
        for connection in Array(connections.values) where connection.identity.user == user {
            close(connection, 4001, "signed out")
        }
    }

    /// Closes every connection with 1001.
    package func drain() {
        timer?.cancel()
        timer = nil
        for connection in Array(connections.values) { close(connection, 1001, "going away") }
    }

    // MARK: A connection's end

    func close(_ connection: RelayConnection, _ code: UInt16, _ reason: String) {
        guard !connection.isClosed else { return }
        closed(connection)
        // What was said last, an error for one, must still go out.
        while let message = connection.output.pop() { write(message, to: connection) }
        connection.transport.close(code, reason)
    }

    /// The one place where a connection ends, whoever ended it.
    private func closed(_ connection: RelayConnection) {
        guard !connection.isClosed else { return }
        connection.isClosed = true
        connections[ObjectIdentifier(connection)] = nil
        connection.transport.onText = nil
        connection.transport.onBinary = nil
        connection.transport.onDrain = nil
        let identity = connection.identity
        switch identity.role {
        case .desktop:
            let key = DeviceKey(user: identity.user, device: identity.device)
            answerOffline(to: key, askedOf: connection)
            // A newer connection of the same key lives: nobody is told of the old one's end (RS9).
            guard desktops[key] === connection else { return }
            desktops[key] = nil
            metrics.desktops = desktops.count
            announce(
                type: "device-status",
                [("deviceId", identity.device), ("status", "disconnected"), ("reason", "ws_closed")],
                user: identity.user
            )
        case .phone:
            guard let target = identity.target else { return }
            let key = DeviceKey(user: identity.user, device: target)
            guard phones[key]?[identity.device] === connection else { return }
            phones[key]?[identity.device] = nil
            if phones[key]?.isEmpty == true { phones[key] = nil }
            metrics.phones -= 1
            // Its leases are released by us (RS12).
            for session in connection.interests.sorted() { release(session, of: connection) }
        }
    }

    // MARK: Time

    private func watchOver() {
        guard timer == nil else { return }
        timer = Loop.after(milliseconds: Relay.sweepEvery) { [weak self] in
            guard let self else { return }
            timer = nil
            sweep()
            if !connections.isEmpty { watchOver() }
        }
    }

    /// Drops connections that never registered or fell silent, and sessions that ran out.
    ///
    /// Called every 2 s.
    package func sweep() {
        let now = now()
        for connection in Array(connections.values) {
            if !connection.isRegistered, now - connection.openedAt >= Relay.patience {
                close(connection, 1002, "no registration")
            } else if now - connection.heardAt >= Relay.silence {
                metrics.silent += 1
                close(connection, 1001, "silent")
            }
        }
        if now >= sessionSweepAt {
            sessionSweepAt = now + Relay.sessionSweepEvery
            sessions.sweep(now: now)
        }
    }
}

/// One connection of the relay.
@Loop final class RelayConnection {
    let transport: any LinkTransport
    let identity: RelayIdentity
    let openedAt: Int64
    var heardAt: Int64
    /// Nil for a trusted connection.
    var bucket: TokenBucket?
    var output: OutputQueue
    var isRegistered = false
    var isClosed = false
    var willFlush = false
    var name = ""
    var session: String?
    /// phone: questions that were passed on and not answered yet, with their trace.
    var calls: [String: String?] = [:]
    /// phone: sessions that it asked its desktop to show.
    var interests: Set<String> = []
    /// phone: terminals whose bytes it gets.
    var terminals: Set<String> = []

    init(
        _ transport: any LinkTransport,
        _ identity: RelayIdentity,
        bucket: TokenBucket?,
        output: OutputQueue,
        now: Int64
    ) {
        self.transport = transport
        self.identity = identity
        self.bucket = bucket
        self.output = output
        openedAt = now
        heardAt = now
    }

    var isTrusted: Bool { bucket == nil }
}
