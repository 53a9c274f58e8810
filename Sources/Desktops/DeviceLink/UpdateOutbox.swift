// When a desktop's timeline updates leave: the first change of a thread at once, later ones at most every 100 ms, merged
// (section 4.5, RD11). A pure value with time passed in.

package struct UpdateOutbox: Sendable {
    /// Between two snapshots of one thread, milliseconds.
    package static let pace: Int64 = 100

    private struct Thread {
        var waiting: TimelineUpdate?
        /// Bytes of text that wait.
        var bytes = 0
        var mayLeaveAt: Int64
    }

    private var threads: [Intake.Key: Thread] = [:]

    package init() {}

    /// Takes an update in; `due` gives it out.
    package mutating func add(_ update: TimelineUpdate, now: Int64) {
        let key = Intake.Key(session: update.session, run: update.run, thread: update.thread)
        var thread = threads[key] ?? Thread(mayLeaveAt: now)
        thread.waiting = thread.waiting.map { UpdateOutbox.merge($0, update) } ?? update
        thread.bytes += update.blocks.reduce(0) { $0 + $1.weight }
        if thread.bytes > Limits.pendingUpdateBytes {
            // Sending the newest blocks only, and saying so, makes whoever is behind load the rest.
            thread.waiting?.since = update.revision
            thread.waiting?.blocks = update.blocks
            thread.bytes = update.blocks.reduce(0) { $0 + $1.weight }
        }
        threads[key] = thread
    }

    /// Takes out what may leave now.
    package mutating func due(now: Int64) -> [TimelineUpdate] {
        var due: [TimelineUpdate] = []
        for (key, thread) in threads where thread.mayLeaveAt <= now {
            if let update = thread.waiting {
                due.append(update)
                threads[key] = Thread(mayLeaveAt: now + UpdateOutbox.pace)
            } else {
                threads[key] = nil
            }
        }
        return due
    }

    /// When something may leave next; nil while nothing waits.
    package var nextDue: Int64? {
        threads.values.filter { $0.waiting != nil }.map(\.mayLeaveAt).min()
    }

    /// Nobody watches the session any more.
    package mutating func forget(session: String) {
        threads = threads.filter { $0.key.session != session }
    }

    package mutating func removeAll() { threads = [:] }

    /// One update that says what two in sequence said.
    package static func merge(_ earlier: TimelineUpdate, _ later: TimelineUpdate) -> TimelineUpdate {
        var merged = later
        merged.since = min(earlier.since, later.since)
        // A hole between the two must stay visible to whoever receives them as one.
        if later.since > earlier.revision { merged.since = later.since }
        let changed = Set(later.blocks.map(\.id))
        let removed = Set(later.removed)
        let kept = earlier.blocks.filter { !changed.contains($0.id) && !removed.contains($0.id) }
        merged.blocks = (kept + later.blocks).sorted { $0.seq < $1.seq }
        merged.removed = earlier.removed.filter { !changed.contains($0) && !removed.contains($0) } + later.removed
        return merged
    }
}

extension Block {
    /// About how many bytes the block holds in memory or on the wire.
    var weight: Int {
        200 + text.utf8.count + (input?.utf8.count ?? 0) + (patch?.utf8.count ?? 0) + (command?.utf8.count ?? 0)
            + (title?.utf8.count ?? 0) + items.reduce(0) { $0 + 40 + $1.text.utf8.count }
    }
}
