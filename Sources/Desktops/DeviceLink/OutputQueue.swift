// What waits to be written to one of the relay's connections (RS6, RS14, RS15). A pure value.

package struct OutputQueue: Sendable {
    private struct Entry {
        /// Empty for a snapshot that a newer one replaced.
        var bytes: [UInt8]
        var key: Intake.Key?
    }

    private var entries: [Entry] = []
    private var first = 0
    private var urgent: [[UInt8]] = []
    /// Where each waiting snapshot stands.
    private var snapshots: [Intake.Key: Int] = [:]
    /// Of everything that waits.
    package private(set) var bytes = 0
    package private(set) var replaced = 0
    private let limit: Int

    package init(limit: Int = Limits.relayQueueBytes) {
        self.limit = limit
    }

    package var isEmpty: Bool { urgent.isEmpty && first == entries.count }

    /// Puts a message at the end.
    ///
    /// - Parameter key: of a snapshot: a waiting one of the same key leaves, so that event numbers still ascend.
    /// - Returns: false when that would be more than the limit: nothing was queued, the connection must go.
    package mutating func push(_ message: [UInt8], key: Intake.Key? = nil) -> Bool {
        if let key, let place = snapshots.removeValue(forKey: key) {
            bytes -= entries[place].bytes.count
            entries[place].bytes = []
            entries[place].key = nil
            replaced += 1
        }
        guard bytes + message.count <= limit else { return false }
        if let key { snapshots[key] = entries.count }
        entries.append(Entry(bytes: message, key: key))
        bytes += message.count
        return true
    }

    /// Puts a short message before everything else.
    package mutating func pushFirst(_ message: [UInt8]) {
        urgent.append(message)
        bytes += message.count
    }

    /// Takes the next message.
    package mutating func pop() -> [UInt8]? {
        if !urgent.isEmpty {
            let message = urgent.removeFirst()
            bytes -= message.count
            return message
        }
        while first < entries.count {
            let entry = entries[first]
            entries[first].bytes = []
            first += 1
            if let key = entry.key { snapshots[key] = nil }
            compact()
            guard !entry.bytes.isEmpty else { continue }
            bytes -= entry.bytes.count
            return entry.bytes
        }
        return nil
    }

    private mutating func compact() {
        if first == entries.count {
            entries = []
            first = 0
        } else if first > 1_024, first * 2 > entries.count {
            entries.removeFirst(first)
            for (key, place) in snapshots { snapshots[key] = place - first }
            first = 0
        }
    }
}

/// How many frames a client may send: a burst, then a steady rate (section 2.1).
package struct TokenBucket: Sendable {
    private let capacity: Double
    private let perMillisecond: Double
    private var tokens: Double
    private var filledAt: Int64

    /// - Parameter rate: per second.
    package init(burst: Int, rate: Int, now: Int64) {
        capacity = Double(burst)
        perMillisecond = Double(rate) / 1_000
        tokens = Double(burst)
        filledAt = now
    }

    /// Whether one more frame is allowed now.
    package mutating func take(now: Int64) -> Bool {
        tokens = min(capacity, tokens + Double(max(0, now - filledAt)) * perMillisecond)
        filledAt = now
        guard tokens >= 1 else { return false }
        tokens -= 1
        return true
    }
}
