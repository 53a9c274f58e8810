// The desktop's side of leases (RD10): which phone watches which session, until when. A pure value with time passed in;
// `DesktopEndpoint` tells its service what starts and what ends.

/// Leases that phones hold on this desktop.
package struct HeldLeases: Sendable {
    /// Sessions that nobody watched before, and those that nobody watches any more.
    package struct Change: Sendable, Equatable {
        package var started: [String] = []
        package var ended: [String] = []
        /// The phone did not hold this lease before: it is to be greeted with the present state.
        package var isNew = false

        package init(started: [String] = [], ended: [String] = [], isNew: Bool = false) {
            self.started = started
            self.ended = ended
            self.isNew = isNew
        }
    }

    /// How long a lease lives without renewal, milliseconds (W-8).
    package static let timeToLive: Int64 = 60_000

    private struct Lease {
        var session: String
        var expiresAt: Int64
    }

    /// Per phone, the newest last.
    private var phones: [String: [Lease]] = [:]
    private let perPhone: Int

    /// - Parameter perPhone: how many leases one phone may hold; the oldest gives way to the newest.
    package init(perPhone: Int = Limits.multipleLeases) {
        self.perPhone = perPhone
    }

    package func holds(_ session: String) -> Bool {
        phones.values.contains { $0.contains { $0.session == session } }
    }

    /// Every watched session, in no order.
    package var sessions: Set<String> {
        Set(phones.values.flatMap { $0.map(\.session) })
    }

    /// A phone's `chat:timeline-interest`.
    ///
    /// - Parameter timeToLive: what the phone asked for; never more than 60 s.
    package mutating func interest(
        phone: String,
        session: String,
        active: Bool,
        timeToLive: Int64 = HeldLeases.timeToLive,
        now: Int64
    ) -> Change {
        guard phones[phone] != nil || !active || phones.count < Limits.phonesWithLeases else { return Change() }
        let most = perPhone
        let isNew = active && phones[phone]?.contains { $0.session == session } != true
        var change = change { phones in
            var leases = phones[phone] ?? []
            leases.removeAll { $0.session == session }
            if active {
                let life = min(max(1, timeToLive), HeldLeases.timeToLive)
                leases.append(Lease(session: session, expiresAt: now + life))
                if leases.count > most { leases.removeFirst(leases.count - most) }
            }
            phones[phone] = leases.isEmpty ? nil : leases
        }
        change.isNew = isNew
        return change
    }

    /// A phone is gone.
    package mutating func left(phone: String) -> Change {
        change { $0[phone] = nil }
    }

    /// Ends what was not renewed in time.
    package mutating func expire(now: Int64) -> Change {
        change { phones in
            for (phone, leases) in phones {
                let live = leases.filter { $0.expiresAt > now }
                phones[phone] = live.isEmpty ? nil : live
            }
        }
    }

    /// The connection is gone, and with it every lease.
    package mutating func removeAll() -> Change {
        change { $0 = [:] }
    }

    /// When the next lease runs out.
    package var nextExpiry: Int64? {
        phones.values.flatMap { $0.map(\.expiresAt) }.min()
    }

    private mutating func change(_ body: (inout [String: [Lease]]) -> Void) -> Change {
        let before = sessions
        body(&phones)
        let after = sessions
        return Change(started: after.subtracting(before).sorted(), ended: before.subtracting(after).sorted())
    }
}
