// Credentials for taking up a relay session again (rules R32-R35). Pure values, and the one place on the loop where all links
// of one owner (the hub, a desktop's endpoint) keep them.
import Wire

/// What the relay gave us to resume with.
package struct ResumeCredentials: Sendable, Equatable {
    package var session: String
    package var token: String

    package init(session: String, token: String) {
        self.session = session
        self.token = token
    }
}

/// Credentials per pair of phone and desktop, written only by the pair's present owner.
package struct ResumeBook: Sendable {
    private struct Entry {
        var generation = 0
        var credentials: ResumeCredentials?
        var lastEvent: Int?
    }

    private var entries: [String: Entry] = [:]

    package init() {}

    /// The key of a pair (R32).
    package static func key(device: String, desktop: String) -> String { "\(device)::\(desktop)" }

    /// Makes the caller the key's owner; whoever owned it before can write no more (R33).
    package mutating func claim(_ key: String) -> Int {
        entries[key, default: Entry()].generation += 1
        return entries[key]?.generation ?? 0
    }

    package func credentials(_ key: String) -> ResumeCredentials? { entries[key]?.credentials }
    /// The number of the last event heard; nil before the first.
    package func lastEvent(_ key: String) -> Int? { entries[key]?.lastEvent }

    /// - Returns: false, and nothing is written, when the generation is not the owner's.
    @discardableResult
    package mutating func write(_ credentials: ResumeCredentials?, key: String, generation: Int) -> Bool {
        guard entries[key]?.generation == generation else { return false }
        entries[key]?.credentials = credentials
        return true
    }

    @discardableResult
    package mutating func write(lastEvent: Int?, key: String, generation: Int) -> Bool {
        guard entries[key]?.generation == generation else { return false }
        entries[key]?.lastEvent = lastEvent
        return true
    }

    package mutating func forget(_ key: String) { entries[key] = nil }
}

/// The book that several links share.
@Loop final class ResumeStore {
    var book = ResumeBook()

    init() {}
}

/// Counts refused resumes: three within a rolling 30 s end the attempts (R35).
///
/// Success clears nothing (W-3).
package struct InvalidResumeWindow: Sendable {
    package static let most = 3
    package static let milliseconds: Int64 = 30_000

    private var times: [Int64] = []

    package init() {}

    /// - Returns: true when this one was one too many.
    package mutating func refused(now: Int64) -> Bool {
        times.removeAll { now - $0 >= InvalidResumeWindow.milliseconds }
        times.append(now)
        return times.count >= InvalidResumeWindow.most
    }

    /// A person, or a hard reset, starts over.
    package mutating func reset() { times = [] }
}
