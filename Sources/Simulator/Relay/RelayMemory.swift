// What a relay remembers beside its connections: sessions with their tokens, and events for replay (sections 2.3 and
// 4.4).

import Web

/// Sessions by id.
struct RelaySessionBook: Sendable {
    struct Entry: Sendable {
        var token: String
        var key: String
        var endsAt: Int64
    }

    private var entries: [String: Entry] = [:]
    private var order: [String] = []

    /// A new session for whoever has this key.
    mutating func open(key: String, now: Int64, _ random: inout SeededGenerator) -> (id: String, token: String) {
        let id = RelaySessionBook.letters(32, &random)
        let token = RelaySessionBook.letters(48, &random)
        entries[id] = Entry(token: token, key: key, endsAt: now + RelayLimits.sessionLife)
        order.append(id)
        if order.count > RelayLimits.sessions { entries[order.removeFirst()] = nil }
        return (id, token)
    }

    /// Whether the token opens the session for this key.
    func accepts(_ id: String, token: String, key: String, now: Int64) -> Bool {
        guard let entry = entries[id] else { return false }
        return entry.token == token && entry.key == key && now < entry.endsAt
    }

    /// Makes a new token, the old one is void; nil for an unknown session.
    mutating func rotate(_ id: String, _ random: inout SeededGenerator) -> String? {
        guard entries[id] != nil else { return nil }
        let token = RelaySessionBook.letters(48, &random)
        entries[id]?.token = token
        return token
    }

    mutating func forget() { self = RelaySessionBook() }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8)

    private static func letters(_ count: Int, _ random: inout SeededGenerator) -> String {
        String(
            decoding: (0..<count).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] },
            as: UTF8.self
        )
    }
}

/// Numbered events towards the phones of one desktop, or towards the desktop.
struct RelayNumbers: Sendable {
    private(set) var latest = 0
    private var kept: [(id: Int, at: Int64, event: JSON)] = []
    private static let unkept: Set<String> = ["chat:timeline-updated", "job:stream-progress", "job:response-appended"]

    mutating func next() -> Int {
        latest += 1
        return latest
    }

    /// Keeps a control event for replay.
    mutating func keep(_ event: JSON, id: Int, now: Int64) {
        guard let type = event["payload"]?["eventType"]?.string, !RelayNumbers.unkept.contains(type) else { return }
        kept.append((id, now, event))
        kept.removeAll { now - $0.at > RelayLimits.replayAge }
        if kept.count > RelayLimits.replay { kept.removeFirst(kept.count - RelayLimits.replay) }
    }

    /// What follows after `last`, without the device's own events.
    ///
    /// - Returns: whether something is missing in between, and the events.
    func replay(after last: Int, except device: String) -> (hasGap: Bool, events: [JSON]) {
        if last > latest { return (true, []) }
        let oldest = kept.first?.id ?? latest + 1
        let events = kept.filter { $0.id > last && $0.event["sourceDeviceId"]?.string != device }.map(\.event)
        return (last > 0 && last + 1 < oldest && latest > last, events)
    }

    var oldest: Int { kept.first?.id ?? 0 }
}
