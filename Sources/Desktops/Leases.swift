// Keeps one desktop informed of what is watched: which `chat:timeline-interest` leaves when (rules R67, R69, R72-R75).
// A pure value with time passed in; the desktop's link sends what it says and reports how that went.

/// The leases that one desktop is to hold.
package struct Leases: Sendable {
    /// One `chat:timeline-interest` to send now; report the outcome with `delivered`.
    package struct Interest: Sendable, Hashable {
        package var session: String
        package var active: Bool

        package init(session: String, active: Bool) {
            self.session = session
            self.active = active
        }
    }

    /// Between two renewals of a lease, milliseconds (R73).
    package static let renewal: Int64 = 20_000
    /// How often one interest is sent before it waits for its next renewal (R75).
    package static let attempts = 4

    private struct Entry {
        /// False for one that is only kept until the desktop was told.
        var isWanted: Bool
        var dueAt: Int64
        /// Failed deliveries since the last good one.
        var failures = 0
        /// Handed out by `due`, not yet reported.
        var isUnderWay = false
    }

    /// A desktop with one lease: the newest `active: true` replaces the former, nothing else needs to be said.
    package var isSingle: Bool
    private var entries: [String: Entry] = [:]
    /// Wanted sessions, the primary first.
    package private(set) var wanted: [String] = []
    private var isConnected = false

    package init(isSingle: Bool) {
        self.isSingle = isSingle
    }

    /// Sets what is wanted, the primary first, already within the desktop's limit.
    package mutating func want(_ sessions: [String], now: Int64) {
        let single = isSingle ? Array(sessions.prefix(1)) : sessions
        guard single != wanted else { return }
        let former = Set(wanted)
        wanted = single
        for session in former.subtracting(single) {
            if isSingle, !single.isEmpty {
                entries[session] = nil
            } else {
                entries[session] = Entry(isWanted: false, dueAt: now)
            }
        }
        for session in single where entries[session]?.isWanted != true {
            entries[session] = Entry(isWanted: true, dueAt: now)
        }
    }

    /// The relay registered us, or the desktop came back: everything wanted is said again at once (R74).
    package mutating func registered(now: Int64) {
        isConnected = true
        entries = entries.filter(\.value.isWanted)
        for session in entries.keys { entries[session] = Entry(isWanted: true, dueAt: now) }
    }

    /// The link is down: nothing is due until `registered`.
    package mutating func disconnected() {
        isConnected = false
        entries = entries.filter(\.value.isWanted)
        for session in entries.keys { entries[session]?.isUnderWay = false }
    }

    /// What must be sent now: endings first, then leases, the primary last, since the newest wins with a desktop that holds
    /// one per phone.
    package mutating func due(now: Int64) -> [Interest] {
        guard isConnected else { return [] }
        var due: [Interest] = []
        for (session, entry) in entries where !entry.isWanted && !entry.isUnderWay && entry.dueAt <= now {
            due.append(Interest(session: session, active: false))
        }
        due.sort { $0.session < $1.session }
        for session in wanted.reversed() {
            guard let entry = entries[session], !entry.isUnderWay, entry.dueAt <= now else { continue }
            due.append(Interest(session: session, active: true))
        }
        for interest in due { entries[interest.session]?.isUnderWay = true }
        return due
    }

    /// Reports what became of an interest.
    ///
    /// - Parameter jitter: -1...1, drawn by the caller so that a test can choose it.
    package mutating func delivered(_ interest: Interest, isGood: Bool, now: Int64, jitter: Double) {
        // An answer about a state that was changed meanwhile says nothing about the present one.
        guard var entry = entries[interest.session], entry.isUnderWay, entry.isWanted == interest.active else { return }
        entry.isUnderWay = false
        if isGood {
            guard entry.isWanted else {
                entries[interest.session] = nil
                return
            }
            entry.failures = 0
            entry.dueAt = now + Leases.renewal
        } else {
            entry.failures += 1
            if entry.failures < Leases.attempts {
                entry.dueAt = now + Leases.retryDelay(attempt: entry.failures, jitter: jitter)
            } else if entry.isWanted {
                entry.failures = 0
                entry.dueAt = now + Leases.renewal
            } else {
                // The desktop's own time to live ends it.
                entries[interest.session] = nil
                return
            }
        }
        entries[interest.session] = entry
    }

    /// When `due` has something next; nil while nothing can become due by time alone.
    package var nextDue: Int64? {
        guard isConnected else { return nil }
        return entries.values.filter { !$0.isUnderWay }.map(\.dueAt).min()
    }

    /// The wait before another attempt to deliver a lease.
    ///
    /// - Parameters:
    ///   - attempt: 1 for the first retry; at most 3, so four tries in all.
    ///   - jitter: -1...1.
    /// - Returns: milliseconds: 250, doubled each time, at most 2,000, then up to a fifth more or less (R75).
    package static func retryDelay(attempt: Int, jitter: Double) -> Int64 {
        Int64(Double(min(250 << (attempt - 1), 2_000)) * (1 + 0.2 * jitter))
    }
}
