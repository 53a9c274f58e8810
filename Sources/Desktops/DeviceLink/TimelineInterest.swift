// `chat:timeline-interest`: what a phone tells a desktop about a lease (section 4.3, R72).
import Web

package struct TimelineInterest: Sendable, Equatable {
    package static let type = "chat:timeline-interest"

    package var session: String
    package var active: Bool
    /// Milliseconds; W-8 unless the phone says otherwise.
    package var timeToLive = HeldLeases.timeToLive

    package init(session: String, active: Bool) {
        self.session = session
        self.active = active
    }

    /// Reads the payload; nil without a session or flag.
    package init?(payload: [UInt8]) {
        guard let json = try? JSON(parsing: payload), let session = json["appSessionId"]?.string, !session.isEmpty,
            session.utf8.count <= Limits.nameBytes, let active = json["active"]?.bool
        else { return nil }
        self.session = session
        self.active = active
        if let life = json["ttlMs"]?.int { timeToLive = Int64(life) }
    }

    package var event: LinkEvent {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("appSessionId", session)
        writer.member("active", active)
        if active { writer.member("ttlMs", timeToLive) }
        writer.endObject()
        return LinkEvent(type: TimelineInterest.type, payload: writer.bytes)
    }
}
