// A relay that misbehaves on purpose, as a value: connections, frames and time in; frames and closings out. Written
// from the protocol document alone, independent of the relay and the client that it is used to test. `SimulatedRelay`
// gives it a clock and real sockets.

package import Web

/// What the shell must do.
package enum RelayAction: Sendable, Equatable {
    case send(Int, [UInt8])
    case sendBinary(Int, [UInt8])
    /// Sends the first part of a frame, then ends the connection.
    case sendHalf(Int, [UInt8])
    case close(Int, UInt16, String)
    /// Ends the connection without a close frame.
    case cut(Int)
}

/// One frame that passed, for assertions.
package struct RelayRecord: Sendable, Equatable {
    package var at: Int64
    package var connection: Int
    package var side: RelayFault.Side
    package var type: String
    package var message: JSON
}

/// The state of one simulated relay.
package struct RelayModel: Sendable {
    package var script: RelayScript
    /// Frames in the order in which they passed, the newest ``RelayLimits/history``.
    package private(set) var history: [RelayRecord] = []
    /// What clients did that the document forbids.
    package internal(set) var complaints: [String] = []

    var lines: [Int: RelayLine] = [:]
    var sessions = RelaySessionBook()
    var towardsPhones: [String: RelayNumbers] = [:]
    var towardsDesktop: [String: RelayNumbers] = [:]
    /// Requests that wait for an answer: who asked.
    var calls: [(phone: Int, desktop: String, question: JSON)] = []
    var random: SeededGenerator
    private var passed: [Int: Int] = [:]
    private var lastConnection = 0
    /// Wall clock minus monotonic clock, milliseconds.
    private var wallOffset: Int64

    /// - Parameters:
    ///   - seed: the same seed, script and frames give the same relay.
    ///   - now: monotonic milliseconds.
    ///   - wall: milliseconds since 1970.
    package init(_ script: RelayScript = RelayScript(), seed: UInt64 = 1, now: Int64, wall: Int64) {
        self.script = script
        random = SeededGenerator(state: seed)
        wallOffset = wall - now
    }

    func wall(_ now: Int64) -> Int64 { now + wallOffset }

    // MARK: Connections

    /// Decides on an upgrade.
    ///
    /// - Returns: the status of a refusal; nil lets it in.
    package mutating func refusal(of visitor: RelayVisitor?) -> Int? {
        guard visitor != nil else { return 401 }
        return script.refusals.isEmpty ? nil : script.refusals.removeFirst()
    }

    /// A connection stands.
    ///
    /// - Returns: its number.
    package mutating func opened(_ visitor: RelayVisitor) -> Int {
        lastConnection += 1
        lines[lastConnection] = RelayLine(id: lastConnection, visitor: visitor)
        return lastConnection
    }

    /// A connection is gone, whoever ended it.
    package mutating func closed(_ connection: Int, now: Int64) -> [RelayAction] {
        guard let line = lines.removeValue(forKey: connection) else { return [] }
        left(line, now: now)
        return flush(now: now)
    }

    /// Connections that live, by number.
    package var connections: [(id: Int, visitor: RelayVisitor)] {
        lines.values.map { ($0.id, $0.visitor) }.sorted { $0.0 < $1.0 }
    }

    // MARK: Frames in

    /// A text frame arrived.
    package mutating func received(_ text: [UInt8], on connection: Int, now: Int64) -> [RelayAction] {
        take(text, on: connection, now: now)
        return flush(now: now)
    }

    private mutating func take(_ text: [UInt8], on connection: Int, now: Int64) {
        guard let line = lines[connection] else { return }
        if line.muteUntil > now { return }
        if line.deafUntil > now || !line.incoming.isEmpty {
            if lines[connection]?.keep(text) == false { cut(connection, now: now) }
            return
        }
        read(text, on: connection, now: now)
    }

    private mutating func read(_ text: [UInt8], on connection: Int, now: Int64) {
        guard let line = lines[connection] else { return }
        guard let message = try? JSON(parsing: text), let type = message["type"]?.string else {
            complaints.append("a frame that is no JSON object with a type")
            answer(RelayFrame.error("invalidJson", "not JSON", wall: wall(now)), on: connection, now: now)
            return
        }
        note(message, type, on: connection, .fromClient, now: now)
        switch deed(.fromClient, message, type, line.visitor.role) {
        case .drop: return
        case .delay(let time), .stopReading(let time):
            // All that follows waits behind it.
            lines[connection]?.deafUntil = now + time
            if lines[connection]?.keep(text) == false { cut(connection, now: now) }
        case .duplicate(let count): for _ in 0...max(0, count) { obey(message, type, on: connection, now: now) }
        case .error(let code): answer(RelayFrame.error(code, code, wall: wall(now)), on: connection, now: now)
        case .invalidResume:
            if message["payload"]?["resumeToken"] == nil {
                obey(message, type, on: connection, now: now)
            } else {
                answer(
                    RelayFrame.error("invalidResume", "Session cannot be resumed", wall: wall(now)),
                    on: connection,
                    now: now
                )
            }
        case let deed?:
            if !happens(deed, to: connection, now: now) { obey(message, type, on: connection, now: now) }
        case nil: obey(message, type, on: connection, now: now)
        }
    }

    // MARK: Frames out

    /// Sends a frame through whatever the script has for it.
    mutating func answer(_ message: JSON, on connection: Int, now: Int64) {
        guard let line = lines[connection], line.muteUntil <= now else { return }
        let type = message["type"]?.string ?? ""
        let deed = deed(.toClient, message, type, line.visitor.role)
        switch deed {
        case .drop: return
        case .delay(let time): push(.text(message.encoded()), on: connection, delay: time, now: now)
        case .duplicate(let count):
            for _ in 0...max(0, count) { push(.text(message.encoded()), on: connection, now: now) }
        case .half: push(.half(message.encoded()), on: connection, now: now)
        case let deed?:
            if happens(deed, to: connection, now: now) { return }
            push(.text(RelayFrame.spoiled(message, by: deed, &random)), on: connection, now: now)
        case nil: push(.text(message.encoded()), on: connection, now: now)
        }
        note(message, type, on: connection, .toClient, now: now)
    }

    private mutating func push(_ parcel: RelayParcel, on connection: Int, delay: Int64 = 0, now: Int64) {
        _ = lines[connection]?.push(parcel, delay: delay, now: now)
    }

    mutating func close(_ connection: Int, _ code: UInt16, _ reason: String, now: Int64) {
        push(.close(code, reason), on: connection, now: now)
    }

    mutating func cut(_ connection: Int, now: Int64) { push(.cut, on: connection, now: now) }

    /// Sends a binary frame, past the script.
    package mutating func sendBinary(_ bytes: [UInt8], on connection: Int, now: Int64) -> [RelayAction] {
        push(.binary(bytes), on: connection, now: now)
        return flush(now: now)
    }

    /// Sends any text, past the script.
    package mutating func sendRaw(_ bytes: [UInt8], on connection: Int, now: Int64) -> [RelayAction] {
        push(.text(bytes), on: connection, now: now)
        return flush(now: now)
    }

    // MARK: Faults

    /// The first fault of the script that concerns this frame.
    private mutating func deed(
        _ side: RelayFault.Side,
        _ message: JSON,
        _ type: String,
        _ role: RelayVisitor.Role
    ) -> RelayFault.Deed? {
        let event = message["payload"]?["eventType"]?.string
        for (index, fault) in script.faults.enumerated() {
            guard fault.side == side, fault.role == nil || fault.role == role else { continue }
            guard fault.type == nil || fault.type == type || fault.type == event else { continue }
            let count = passed[index, default: 0]
            passed[index] = count + 1
            guard count >= fault.after, count - fault.after < fault.times else { continue }
            if fault.chance < 1, Double.random(in: 0..<1, using: &random) >= fault.chance { continue }
            return fault.deed
        }
        return nil
    }

    /// Deeds that concern a connection or the relay, not the bytes of a frame.
    ///
    /// - Returns: whether the frame is gone with it.
    private mutating func happens(_ deed: RelayFault.Deed, to connection: Int, now: Int64) -> Bool {
        switch deed {
        case .mute(let time):
            lines[connection]?.muteUntil = now.addingReportingOverflow(time).overflow ? .max : now + time
            return true
        case .close(let code, let reason): close(connection, code, reason, now: now)
        case .cut, .half: cut(connection, now: now)
        case .restart: restart(now: now)
        case .jump(let time):
            wallOffset += time
            return false
        case .stopReading(let time):
            lines[connection]?.deafUntil = now + time
            return false
        default: return false
        }
        return true
    }

    /// Cuts every connection and forgets everything, as a relay that starts again.
    package mutating func restarted(now: Int64) -> [RelayAction] {
        restart(now: now)
        return flush(now: now)
    }

    private mutating func restart(now: Int64) {
        sessions.forget()
        (towardsPhones, towardsDesktop, calls) = ([:], [:], [])
        for connection in lines.keys.sorted() {
            lines[connection]?.isRegistered = false
            cut(connection, now: now)
        }
    }

    // MARK: Time

    /// When ``tick(now:)`` wants to be called next.
    package var wakeAt: Int64? { lines.values.compactMap(\.wakeAt).min() }

    /// Does everything that is due.
    package mutating func tick(now: Int64) -> [RelayAction] {
        for connection in lines.keys.sorted() where lines[connection]?.deafUntil ?? .max <= now {
            guard var kept = lines[connection]?.takeKept(), !kept.isEmpty else { continue }
            // The first one was delayed already; it does not meet its fault again.
            let first = kept.removeFirst()
            if let message = try? JSON(parsing: first), let type = message["type"]?.string {
                obey(message, type, on: connection, now: now)
            }
            for text in kept { take(text, on: connection, now: now) }
        }
        return flush(now: now)
    }

    mutating func flush(now: Int64) -> [RelayAction] {
        var actions: [RelayAction] = []
        for connection in lines.keys.sorted() {
            guard let parcels = lines[connection]?.due(now: now) else { continue }
            for parcel in parcels {
                switch parcel {
                case .text(let bytes): actions.append(.send(connection, bytes))
                case .binary(let bytes): actions.append(.sendBinary(connection, bytes))
                case .half(let bytes): actions.append(.sendHalf(connection, bytes))
                case .close(let code, let reason): actions.append(.close(connection, code, reason))
                case .cut: actions.append(.cut(connection))
                }
                // Nothing follows an end; the peers learn of it now, not when the client has noticed.
                if case .text = parcel { continue }
                if case .binary = parcel { continue }
                if let line = lines.removeValue(forKey: connection) { left(line, now: now) }
                break
            }
        }
        return actions
    }

    private mutating func note(_ message: JSON, _ type: String, on connection: Int, _ side: RelayFault.Side, now: Int64)
    {
        history.append(RelayRecord(at: now, connection: connection, side: side, type: type, message: message))
        if history.count > RelayLimits.history { history.removeFirst(history.count - RelayLimits.history) }
    }
}
