// Who watches which session of a simulated desktop (RD10, W-1, W-8): a value; time is passed in.

/// Leases of phones on sessions.
package struct SimulatedLeases: Sendable {
    private struct Lease: Sendable {
        var phone: String
        var session: String
        var endsAt: Int64
    }

    /// The newest last.
    private var leases: [Lease] = []

    package init() {}

    package func holds(_ session: String) -> Bool { leases.contains { $0.session == session } }

    /// A phone's `chat:timeline-interest`.
    ///
    /// - Returns: whether this is a new lease of that phone, which is greeted with the current state.
    package mutating func interest(phone: String, session: String, active: Bool, life: Int64?, now: Int64) -> Bool {
        let known = leases.count
        leases.removeAll { $0.phone == phone && $0.session == session }
        guard active else { return false }
        let isNew = leases.count == known
        let endsAt = now + min(max(1, life ?? SimulatorLimits.lease), SimulatorLimits.lease)
        leases.append(Lease(phone: phone, session: session, endsAt: endsAt))
        if leases.count(where: { $0.phone == phone }) > SimulatorLimits.leasesPerPhone {
            leases.removeAll(where: firstOf(phone))
        }
        if Set(leases.map(\.phone)).count > SimulatorLimits.phones { leases.removeFirst() }
        return isNew
    }

    /// Matches only the oldest lease of a phone.
    private func firstOf(_ phone: String) -> (Lease) -> Bool {
        let oldest = leases.first { $0.phone == phone }
        return { $0.phone == phone && $0.session == oldest?.session }
    }

    package mutating func expire(now: Int64) { leases.removeAll { $0.endsAt <= now } }
    mutating func removeAll() { leases = [] }

    /// When the next lease ends.
    var nextEnd: Int64? { leases.map(\.endsAt).min() }
}
