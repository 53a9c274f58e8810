// One connection of a simulated relay as a value: what waits to go out and to come in, both in the order of its
// arrival.

/// Something that leaves the relay.
enum RelayParcel: Sendable, Equatable {
    case text([UInt8])
    case binary([UInt8])
    case half([UInt8])
    case close(UInt16, String)
    case cut

    var size: Int {
        switch self {
        case .text(let bytes), .binary(let bytes), .half(let bytes): bytes.count
        case .close, .cut: 0
        }
    }
}

/// One connection.
struct RelayLine: Sendable {
    let id: Int
    let visitor: RelayVisitor
    var isRegistered = false
    /// The relay session that it registered or resumed.
    var session: String?
    /// Half-open until then.
    var muteUntil: Int64 = .min
    /// Reads nothing until then.
    var deafUntil: Int64 = .min
    private(set) var outgoing: [(due: Int64, parcel: RelayParcel)] = []
    private(set) var incoming: [[UInt8]] = []
    private var outgoingBytes = 0

    init(id: Int, visitor: RelayVisitor) {
        self.id = id
        self.visitor = visitor
    }

    /// Puts something behind all that waits, `delay` milliseconds from now at the earliest.
    ///
    /// - Returns: whether there was room; the connection is cut when not.
    mutating func push(_ parcel: RelayParcel, delay: Int64 = 0, now: Int64) -> Bool {
        guard outgoing.count < RelayLimits.waitingFrames, outgoingBytes + parcel.size <= RelayLimits.waitingBytes else {
            outgoing = [(now, .cut)]
            outgoingBytes = 0
            return false
        }
        outgoing.append((max(now + delay, outgoing.last?.due ?? .min), parcel))
        outgoingBytes += parcel.size
        return true
    }

    /// What is due, in order.
    mutating func due(now: Int64) -> [RelayParcel] {
        let count = outgoing.prefix { $0.due <= now }.count
        let parcels = outgoing[..<count].map(\.parcel)
        outgoing.removeFirst(count)
        outgoingBytes -= parcels.reduce(0) { $0 + $1.size }
        return parcels
    }

    /// Keeps a frame until the relay reads again.
    mutating func keep(_ text: [UInt8]) -> Bool {
        guard incoming.count < RelayLimits.waitingFrames else { return false }
        incoming.append(text)
        return true
    }

    mutating func takeKept() -> [[UInt8]] {
        let kept = incoming
        incoming = []
        return kept
    }

    /// When something happens on this connection by itself.
    var wakeAt: Int64? {
        let next = incoming.isEmpty ? nil : deafUntil
        return [outgoing.first?.due, next].compactMap { $0 }.min()
    }
}
