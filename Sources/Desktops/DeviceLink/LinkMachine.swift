// One connection's life from the client's side, phone or desktop: register, resume, heartbeats, silence (rules R27-R31,
// R34, R35, RD3, RD5). A pure value with time passed in; the shell sends, closes and connects as it says.

package struct LinkMachine: Sendable {
    /// From the opened connection to `registered`, milliseconds (R28); anew for each `register` (W-4).
    package static let handshake: Int64 = 10_000
    /// Between two heartbeats, milliseconds (R30).
    package static let heartbeat: Int64 = 5_000
    /// Without any inbound frame, milliseconds (R31).
    package static let silence: Int64 = 15_000
    /// Before registering again after `invalidResume`, milliseconds (R34).
    package static let resumePause: Int64 = 200

    /// Why a connection is given up; another one is made.
    package enum Failure: Sendable, Equatable {
        case handshakeTimedOut
        case silent
        /// `authRequired`: the credentials may have run out.
        case unauthorized
    }

    /// What the shell must do.
    package enum Action: Sendable, Equatable {
        /// Send `register`, with the resume credentials or without.
        case register(resuming: Bool)
        /// Forget the resume credentials: the relay does not know them.
        case forgetCredentials
        case heartbeat
        case up(isResumed: Bool)
        /// Close the connection and make another.
        case fail(Failure)
        /// Close the connection for good: the relay's code, or `invalidResumeLoop` (R35).
        case stop(code: String)
    }

    private enum Phase {
        case down
        case registering(deadline: Int64, isResuming: Bool)
        case pausing(until: Int64)
        case up(heartbeatAt: Int64)
    }

    private var phase = Phase.down
    private var lastInbound: Int64 = 0
    private var invalidResumes = InvalidResumeWindow()

    package init() {}

    package var isUp: Bool { if case .up = phase { true } else { false } }

    /// A connection is open.
    package mutating func opened(hasCredentials: Bool, now: Int64) -> [Action] {
        lastInbound = now
        return [register(resuming: hasCredentials, now: now)]
    }

    /// The connection is gone.
    package mutating func closed() { phase = .down }

    /// A person, or a hard reset, lets it try again after `invalidResumeLoop`.
    package mutating func reset() {
        phase = .down
        invalidResumes.reset()
    }

    /// Any frame at all arrived: it feeds the watchdog.
    package mutating func heard(now: Int64) { lastInbound = now }

    /// `registered` or `resumed` arrived.
    package mutating func registered(isResumed: Bool, now: Int64) -> [Action] {
        guard case .registering = phase else { return [] }
        phase = .up(heartbeatAt: now + LinkMachine.heartbeat)
        return [.up(isResumed: isResumed)]
    }

    /// `error` arrived.
    package mutating func refused(code: String, now: Int64) -> [Action] {
        switch code {
        case "invalidResume":
            guard case .registering(_, true) = phase else { return [] }
            if invalidResumes.refused(now: now) {
                phase = .down
                return [.forgetCredentials, .stop(code: "invalidResumeLoop")]
            }
            phase = .pausing(until: now + LinkMachine.resumePause)
            return [.forgetCredentials]
        case "authRequired":
            phase = .down
            return [.fail(.unauthorized)]
        case "invalidDeviceId", "missingDeviceId", "deviceOwnershipFailed", "missingScope", "missingTargetDeviceId",
            "targetMismatch", "unsupportedProtocolVersion":
            phase = .down
            return [.stop(code: code)]
        default: return []
        }
    }

    /// Time passed.
    package mutating func tick(now: Int64) -> [Action] {
        switch phase {
        case .down: return []
        case .registering(let deadline, _):
            guard now >= deadline else { return [] }
            phase = .down
            return [.fail(.handshakeTimedOut)]
        case .pausing(let until):
            return now >= until ? [register(resuming: false, now: now)] : []
        case .up(let heartbeatAt):
            if now - lastInbound >= LinkMachine.silence {
                phase = .down
                return [.fail(.silent)]
            }
            guard now >= heartbeatAt else { return [] }
            phase = .up(heartbeatAt: now + LinkMachine.heartbeat)
            return [.heartbeat]
        }
    }

    /// When `tick` has something to do next.
    package var nextDeadline: Int64? {
        switch phase {
        case .down: nil
        case .registering(let deadline, _): deadline
        case .pausing(let until): until
        case .up(let heartbeatAt): min(heartbeatAt, lastInbound + LinkMachine.silence)
        }
    }

    private mutating func register(resuming: Bool, now: Int64) -> Action {
        phase = .registering(deadline: now + LinkMachine.handshake, isResuming: resuming)
        return .register(resuming: resuming)
    }

    /// The wait before a send that failed for a passing reason is tried again, milliseconds (R29).
    ///
    /// - Parameter attempt: 1 for the first retry.
    package static func sendRetryDelay(attempt: Int) -> Int64 { min(250 * Int64(max(1, min(attempt, 6))), 1_500) }

    /// Tries after which a send is given up; the rule itself names no number.
    package static let sendAttempts = 6

    /// The wait before a desktop connects again, milliseconds (RD2).
    ///
    /// - Parameter attempt: 0 for the first one after an established connection.
    package static func reconnectDelay(attempt: Int) -> Int64 { min(1_000 << Int64(max(0, min(attempt, 5))), 30_000) }
}
