// What a simulated relay does wrong, as data. `RelayModel` obeys; tests of the relay client write it. A frame can be
// lost, late, repeated or spoiled, but two frames of one connection never change places: no network does that.

/// One thing that goes wrong: with which frames, how often, and what.
package struct RelayFault: Sendable, Equatable {
    /// Which way a frame goes.
    package enum Side: Sendable, Equatable { case toClient, fromClient }

    /// What happens to a frame, or to its connection when a frame passes.
    package enum Deed: Sendable, Equatable {
        /// The frame is lost.
        case drop
        /// The frame and all after it on this way come so many milliseconds late.
        case delay(Int64)
        /// The frame comes so many more times.
        case duplicate(Int)
        /// An answer has another trace id than its question (R42).
        case wrongTrace
        /// An answer has no trace context (R42).
        case noTrace
        /// An answer has a text that is no trace context (R42).
        case malformedTrace
        /// An answer is to a request that nobody made.
        case unknownID
        /// An answer says that more of them follow, and none does.
        case neverFinal
        /// The frame grows to so many bytes (R21).
        case oversize(Int)
        /// Other bytes come in the frame's place.
        case garbage([UInt8])
        /// The first part of the frame arrives, then the connection is dead.
        case half
        /// Half-open: for so many milliseconds nothing comes from the relay and all that is sent to it is lost (R31).
        case mute(Int64)
        /// The relay reads nothing for so many milliseconds, then takes what has waited, in order.
        case stopReading(Int64)
        /// The relay closes, with a code and a reason.
        case close(UInt16, String)
        /// The connection is dead without a word.
        case cut
        /// The relay answers a frame with an error instead of obeying.
        case error(String)
        /// A registration that resumes is answered `invalidResume`, though its token is good (R34, R35).
        case invalidResume
        /// The relay restarts: every connection is cut, every session forgotten, numbers begin at 1 again.
        case restart
        /// The relay's wall clock jumps, milliseconds.
        case jump(Int64)
    }

    package var deed: Deed
    package var side: Side
    /// A frame's type, or an event's; nil for all.
    package var type: String?
    /// Whose frames; nil for both roles.
    package var role: RelayVisitor.Role?
    /// So many frames pass first.
    package var after: Int
    /// To so many it happens; `Int.max` for all that follow.
    package var times: Int
    /// How probable it is for each of them, 0 to 1.
    package var chance: Double

    package init(
        _ deed: Deed,
        _ side: Side = .toClient,
        type: String? = nil,
        role: RelayVisitor.Role? = .phone,
        after: Int = 0,
        times: Int = 1,
        chance: Double = 1
    ) {
        self.deed = deed
        self.side = side
        self.type = type
        self.role = role
        self.after = after
        self.times = times
        self.chance = chance
    }
}

/// Everything that a simulated relay does otherwise than a good one.
package struct RelayScript: Sendable, Equatable {
    /// What becomes of two connections with the same key (section 2.4, RS9).
    package enum Twins: Sendable, Equatable {
        /// As it should be: the newer replaces the older, which is closed with 4002.
        case newerReplacesOlder
        /// Both live on; what is sent to the key reaches both.
        case bothLive
        /// The newer one is closed with 4002.
        case olderStays
    }

    package var faults: [RelayFault]
    /// Statuses that refuse the next upgrades, in order.
    package var refusals: [Int]
    package var twins = Twins.newerReplacesOlder
    /// Whether `resumed` brings a new token (section 2.3).
    package var rotatesTokens = true
    /// Whether a phone is told of its desktop's presence.
    package var tellsPresence = true
    /// Whether `heartbeat` and `ping` are answered.
    package var answersHeartbeats = true

    package init(faults: [RelayFault] = [], refusals: [Int] = []) {
        self.faults = faults
        self.refusals = refusals
    }
}

/// Who knocks: what the header fields of the upgrade say (section 2.1).
package struct RelayVisitor: Sendable, Equatable {
    package enum Role: String, Sendable { case phone = "mobile", desktop }

    package var device: String
    package var role: Role
    /// The desktop that a phone means.
    package var target: String?

    package init(device: String, role: Role, target: String? = nil) {
        self.device = device
        self.role = role
        self.target = target
    }

    /// Reads the header fields; nil when one is missing or does not fit the others (RS1).
    package init?(_ field: (String) -> String?) {
        guard let device = field("X-Device-ID"), field("X-Token-Binding") == device, device.utf8.count == 36,
            let role = field("X-Client-Type").flatMap(Role.init(rawValue:)),
            field("Authorization")?.hasPrefix("Bearer ") == true
        else { return nil }
        let target = field("X-Target-Desktop-Device-ID")
        guard (role == .phone) == (target != nil) else { return nil }
        self.init(device: device, role: role, target: target)
    }

    /// What is unique among live connections.
    var key: String { role == .phone ? "\(device)::\(target ?? "")" : device }
    /// The desktop that it is, or means.
    var desktop: String { target ?? device }
}
