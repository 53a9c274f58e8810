// Numbers and replay of the events of one stream, for example from one desktop towards its phones (section 4.4, RS13). A pure
// value with time passed in.

package struct EventStream: Sendable {
    /// What a client that names its last event gets.
    package struct Replay: Sendable, Equatable {
        /// Events were missed: the client must fetch everything anew.
        ///
        /// The numbers for `event-replay-gap`.
        package var gap: (oldest: Int, latest: Int)?
        /// Whole messages, ascending.
        package var messages: [[UInt8]]

        package init(gap: (oldest: Int, latest: Int)?, messages: [[UInt8]]) {
            self.gap = gap
            self.messages = messages
        }

        package static func == (left: Replay, right: Replay) -> Bool {
            left.gap?.oldest == right.gap?.oldest && left.gap?.latest == right.gap?.latest
                && left.messages == right.messages
        }
    }

    private struct Kept {
        var id: Int
        var at: Int64
        var source: String?
        var message: [UInt8]
    }

    private var kept: [Kept] = []
    private var bytes = 0
    package private(set) var latest = 0
    /// The lowest number from which on nothing is missing.
    private var complete = 1

    package init() {}

    /// Events that are numbered but never kept: the next one says it all, or they are of no use later.
    package static func isKept(type: String) -> Bool {
        switch type {
        case "chat:timeline-updated", "chat:timeline-interest", "job:stream-progress", "job:response-appended": false
        default: true
        }
    }

    /// The number for a new event.
    package mutating func number() -> Int {
        latest += 1
        return latest
    }

    /// Keeps a numbered event for clients that come back.
    package mutating func keep(_ message: [UInt8], id: Int, source: String?, now: Int64) {
        expire(now: now)
        guard message.count <= Limits.replayEventBytes else {
            // Too large to keep: whoever missed it must learn of a gap.
            kept = []
            bytes = 0
            complete = id + 1
            return
        }
        kept.append(Kept(id: id, at: now, source: source, message: message))
        bytes += message.count
        while kept.count > Limits.replayEvents || bytes > Limits.replayBytes { dropFirst() }
    }

    /// What a client needs that heard `lastEvent`.
    ///
    /// - Parameters:
    ///   - lastEvent: nil for a client that is new: nothing is replayed.
    ///   - device: its own events never come back.
    package mutating func replay(after lastEvent: Int?, device: String, now: Int64) -> Replay {
        expire(now: now)
        guard let lastEvent, lastEvent > 0 else { return Replay(gap: nil, messages: []) }
        if lastEvent > latest {
            // It comes from before a restart of the relay.
            return Replay(gap: (kept.first?.id ?? 0, latest), messages: [])
        }
        let missed = kept.filter { $0.id > lastEvent && $0.source != device }.map(\.message)
        let hasGap = lastEvent + 1 < complete
        return Replay(gap: hasGap ? (kept.first?.id ?? 0, latest) : nil, messages: missed)
    }

    private mutating func expire(now: Int64) {
        while let first = kept.first, now - first.at > Limits.replayMilliseconds { dropFirst() }
    }

    private mutating func dropFirst() {
        let dropped = kept.removeFirst()
        bytes -= dropped.message.count
        complete = dropped.id + 1
    }
}
