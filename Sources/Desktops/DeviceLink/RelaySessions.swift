// Sessions that clients of the relay may resume (section 2.3; RS4, RS5, RS16). A pure value with time passed in; tokens come
// from the system's random source.
import Wire

package struct RelaySessions: Sendable {
    /// How long a session lives without a sign of life, milliseconds.
    package static let life: Int64 = 24 * 3_600_000
    /// How long the former token stays good after a rotation, milliseconds.
    package static let overlap: Int64 = 60_000

    /// What a session belongs to: resuming as somebody else, or towards another desktop, is refused.
    package struct Owner: Sendable, Hashable {
        package var user: String
        package var device: String
        package var target: String?

        package init(user: String, device: String, target: String?) {
            self.user = user
            self.device = device
            self.target = target
        }
    }

    private struct Session {
        var owner: Owner
        var token: [UInt8]
        var formerToken: [UInt8]?
        var formerUntil: Int64 = 0
        var expiresAt: Int64
    }

    private var sessions: [String: Session] = [:]
    private var byOwner: [Owner: String] = [:]

    package init() {}

    package var count: Int { sessions.count }

    /// A new session; the owner's former one ends.
    package mutating func create(owner: Owner, now: Int64) -> ResumeCredentials {
        if let former = byOwner[owner] { sessions[former] = nil }
        if sessions.count >= Limits.relaySessions { sweep(now: now) }
        if sessions.count >= Limits.relaySessions,
            let oldest = sessions.min(by: { $0.value.expiresAt < $1.value.expiresAt })?.key
        {
            remove(oldest)
        }
        let credentials = ResumeCredentials(session: RandomBytes.alphanumeric(32), token: RandomBytes.alphanumeric(48))
        sessions[credentials.session] = Session(
            owner: owner,
            token: Array(credentials.token.utf8),
            expiresAt: now + RelaySessions.life
        )
        byOwner[owner] = credentials.session
        return credentials
    }

    /// Takes a session up again.
    ///
    /// - Returns: the credentials with a new token; nil for anything but a live session of this owner and its token.
    package mutating func resume(_ credentials: ResumeCredentials, owner: Owner, now: Int64) -> ResumeCredentials? {
        guard var session = sessions[credentials.session], session.owner == owner, now < session.expiresAt else {
            return nil
        }
        let offered = Array(credentials.token.utf8)
        let isCurrent = constantTimeEqual(offered, session.token)
        let isFormer =
            session.formerToken.map { constantTimeEqual(offered, $0) && now < session.formerUntil } ?? false
        guard isCurrent || isFormer else { return nil }
        let token = RandomBytes.alphanumeric(48)
        session.formerToken = offered
        session.formerUntil = now + RelaySessions.overlap
        session.token = Array(token.utf8)
        session.expiresAt = now + RelaySessions.life
        sessions[credentials.session] = session
        return ResumeCredentials(session: credentials.session, token: token)
    }

    /// A sign of life: the session's time starts anew, and a former token is good no more, as the client has the new one.
    package mutating func touch(_ id: String, now: Int64) {
        guard sessions[id] != nil else { return }
        sessions[id]?.expiresAt = now + RelaySessions.life
        sessions[id]?.formerToken = nil
    }

    /// Ends every session of a device, or of a whole account.
    package mutating func remove(user: String, device: String? = nil) {
        for (id, session) in sessions where session.owner.user == user {
            if device == nil || device == session.owner.device { remove(id) }
        }
    }

    package mutating func sweep(now: Int64) {
        for (id, session) in sessions where session.expiresAt <= now { remove(id) }
    }

    private mutating func remove(_ id: String) {
        guard let session = sessions.removeValue(forKey: id) else { return }
        if byOwner[session.owner] == id { byOwner[session.owner] = nil }
    }
}
