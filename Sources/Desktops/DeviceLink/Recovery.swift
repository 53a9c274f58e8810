// How reachable one desktop is, and how it is looked for: epochs of probes with a deadline (rules R45-R50, R54; W-5, W-6).
// A pure value with time passed in; the link sends the pings.

package struct Recovery: Sendable {
    /// How long one epoch looks for the desktop, milliseconds (W-5).
    package static let epoch: Int64 = 90_000
    /// How long a desktop is called temporarily offline before it is simply offline, milliseconds (ours).
    package static let patience: Int64 = 600_000

    package private(set) var presence = Presence.offline

    private struct Epoch {
        var deadline: Int64
        var attempt = 0
        var probeAt: Int64
        var isProbing = false
    }

    private var epoch: Epoch?
    private var awaySince: Int64?
    /// Distinguishes the answer to a probe of this epoch from that of an earlier one.
    package private(set) var epochNumber = 0

    package init() {}

    /// An epoch is under way.
    package var isLooking: Bool { epoch != nil }

    /// Something gives reason to look: one epoch at a time (R45).
    package mutating func begin(now: Int64) {
        guard epoch == nil else { return }
        open(now: now)
    }

    /// The way to the relay was replaced: the running epoch is discarded, the new one gets a whole window (R54).
    package mutating func restart(now: Int64) { open(now: now) }

    /// The link is up, or the relay says that the desktop is: probe at once, without waiting for the back-off (R47).
    package mutating func hint(now: Int64) {
        if epoch == nil { open(now: now) }
        epoch?.attempt = 0
        epoch?.probeAt = now
    }

    /// The relay says that the desktop left (R49), or no path is left to reach it by (R50).
    package mutating func lost(now: Int64) {
        epoch = nil
        if presence != .offline { leave(to: .temporarilyOffline, now: now) }
    }

    /// The desktop answered: the epoch ends.
    package mutating func answered(now: Int64) {
        epoch = nil
        awaySince = nil
        presence = .online
    }

    /// A probe of this epoch was not answered.
    ///
    /// - Parameter jitter: -1...1.
    package mutating func unanswered(epoch number: Int, now: Int64, jitter: Double) {
        guard number == epochNumber, var current = epoch else { return }
        current.isProbing = false
        current.attempt += 1
        current.probeAt = max(current.probeAt, now + Recovery.delay(attempt: current.attempt, jitter: jitter))
        epoch = current
    }

    /// Time passed.
    ///
    /// - Returns: whether to probe now; report with `answered` or `unanswered`.
    package mutating func tick(now: Int64) -> Bool {
        if let away = awaySince, presence == .temporarilyOffline, now - away >= Recovery.patience {
            presence = .offline
        }
        guard var current = epoch else { return false }
        if now >= current.deadline {
            epoch = nil
            if presence != .offline { leave(to: .temporarilyOffline, now: now) }
            return false
        }
        guard !current.isProbing, now >= current.probeAt else { return false }
        current.isProbing = true
        epoch = current
        return true
    }

    package var nextDeadline: Int64? {
        var next: Int64?
        if let away = awaySince, presence == .temporarilyOffline { next = away + Recovery.patience }
        guard let epoch else { return next }
        let own = epoch.isProbing ? epoch.deadline : min(epoch.probeAt, epoch.deadline)
        return min(own, next ?? own)
    }

    /// The wait before a probe, milliseconds: 0, 500, 1,000, 2,000, 4,000, 8,000, 8,000… with 15 % jitter (W-6).
    ///
    /// - Parameters:
    ///   - attempt: 0 for the first probe.
    ///   - jitter: -1...1.
    package static func delay(attempt: Int, jitter: Double) -> Int64 {
        guard attempt > 0 else { return 0 }
        return Int64(Double(min(500 << (min(attempt, 6) - 1), 8_000)) * (1 + 0.15 * jitter))
    }

    private mutating func open(now: Int64) {
        epochNumber += 1
        epoch = Epoch(deadline: now + Recovery.epoch, probeAt: now)
        // A desktop that was never seen stays offline until it answers.
        if presence != .offline { leave(to: .recovering, now: now) }
    }

    private mutating func leave(to presence: Presence, now: Int64) {
        if awaySince == nil { awaySince = now }
        if presence == .temporarilyOffline, self.presence != .temporarilyOffline { awaySince = now }
        self.presence = presence
    }
}
