// Where events of one desktop wait for the model (rules R61-R66): control events in order and never behind snapshots, a
// snapshot replaced by a newer one of the same key, one snapshot at a time, the lease checked before anything is decoded.
// A pure value; the hub's link feeds and empties it.
import Web

/// Events that wait.
package struct Intake: Sendable {
    /// What a snapshot is about (R64).
    package struct Key: Sendable, Hashable {
        package var session: String
        package var run: String
        package var thread: String

        package init(session: String, run: String, thread: String) {
            self.session = session
            self.run = run
            self.thread = thread
        }

        /// Reads the key out of a payload and passes over the rest; nil without a session.
        package init?(payload: [UInt8]) {
            guard let key = try? Key.read(payload) else { return nil }
            self = key
        }

        private static func read(_ payload: [UInt8]) throws(JSONError) -> Key? {
            var key = Key(session: "", run: "main", thread: "main")
            var reader = JSONReader(payload)
            try reader.enterObject()
            while let name = try reader.nextKey() {
                switch name {
                case "appSessionId": key.session = try reader.string()
                case "runId": key.run = try reader.optionalString() ?? key.run
                case "threadId": key.thread = try reader.optionalString() ?? key.thread
                default: try reader.skip()
                }
            }
            return key.session.isEmpty ? nil : key
        }
    }

    /// What comes out.
    package enum Delivery: Sendable, Equatable {
        case control(LinkEvent)
        /// Report its end with `finished`.
        case snapshot(Key, payload: [UInt8])
    }

    package static let snapshotType = "chat:timeline-updated"

    private var controls: [LinkEvent] = []
    private var firstControl = 0
    private var controlBytes = 0
    private var snapshots: [Key: [UInt8]] = [:]
    /// Keys in the order of their first waiting snapshot.
    private var order: [Key] = []
    private var isDelivering = false
    /// Snapshots dropped because nobody watches any more, or because a newer one came.
    package private(set) var dropped = 0
    package private(set) var replaced = 0

    package init() {}

    /// Takes an event in.
    ///
    /// - Returns: false when the bound is reached: nothing was taken, the state must be fetched anew.
    package mutating func admit(_ event: LinkEvent) -> Bool {
        guard event.type == Intake.snapshotType else { return admit(control: event) }
        guard let key = Key(payload: event.payload) else { return true }
        if snapshots[key] != nil {
            replaced += 1
        } else {
            guard snapshots.count < Limits.waitingSnapshots else { return false }
            order.append(key)
        }
        snapshots[key] = event.payload
        return true
    }

    private mutating func admit(control event: LinkEvent) -> Bool {
        guard controls.count - firstControl < Limits.waitingControls,
            controlBytes + event.payload.count <= Limits.waitingControlBytes
        else { return false }
        controls.append(event)
        controlBytes += event.payload.count
        return true
    }

    /// The next event for the model; nil when there is none, or none but snapshots while one is being delivered.
    ///
    /// - Parameter isLeased: whether a session is watched now (R66).
    package mutating func next(isLeased: (String) -> Bool) -> Delivery? {
        if firstControl < controls.count {
            let event = controls[firstControl]
            firstControl += 1
            controlBytes -= event.payload.count
            if firstControl == controls.count {
                controls = []
                firstControl = 0
            } else if firstControl > 1_024, firstControl * 2 > controls.count {
                controls.removeFirst(firstControl)
                firstControl = 0
            }
            return .control(event)
        }
        guard !isDelivering else { return nil }
        while !order.isEmpty {
            let key = order.removeFirst()
            guard let payload = snapshots.removeValue(forKey: key) else { continue }
            guard isLeased(key.session) else {
                dropped += 1
                continue
            }
            isDelivering = true
            return .snapshot(key, payload: payload)
        }
        return nil
    }

    /// The snapshot that was handed out is dealt with (R65).
    package mutating func finished() { isDelivering = false }

    /// How many events wait.
    package var count: Int { controls.count - firstControl + snapshots.count }
}
