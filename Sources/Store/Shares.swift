// Links that let their holder read one session (DESIGN §8). They are kept apart from the sessions, so that they can be
// listed and revoked when the chat, its desktop or both are gone. Only the token's hash is here.

/// One share link.
package struct Share: Sendable, Equatable {
    package var id: String
    /// The session's public id.
    package var session: String
    /// The session's title when the link was made.
    package var title: String
    package var createdBy: String
    package var createdAt: Int64
    package var expiresAt: Int64
    package var revokedAt: Int64?
    package var hidesOutput: Bool
    package var hasPassword: Bool
    package var views: Int = 0
    package var lastViewed: Int64?

    package init(
        id: String,
        session: String,
        title: String,
        createdBy: String,
        createdAt: Int64,
        expiresAt: Int64,
        hidesOutput: Bool
    ) {
        self.id = id
        self.session = session
        self.title = title
        self.createdBy = createdBy
        self.createdAt = createdAt
        self.expiresAt = expiresAt
        self.hidesOutput = hidesOutput
        hasPassword = false
    }

    /// Whether it may be read at `now`.
    package func isOpen(now: Int64) -> Bool { revokedAt == nil && now < expiresAt }
}

/// A share's password, salted and stretched by the caller.
package struct SharePassword: Sendable, Equatable {
    package var salt: [UInt8]
    package var hash: [UInt8]

    package init(salt: [UInt8], hash: [UInt8]) {
        self.salt = salt
        self.hash = hash
    }
}

extension Database {
    /// Keeps a new share.
    ///
    /// - Throws: ``StoreError/refused(_:)`` when ``StoreLimits/openShares`` are open.
    package func add(_ share: Share, hash: [UInt8], password: SharePassword? = nil) throws(StoreError) {
        try transaction { () throws(StoreError) in
            let open = try first(
                "SELECT count(*) FROM shares WHERE revoked_at IS NULL AND expires_at > ?",
                [.integer(share.createdAt)]
            ) { $0.integer(0) }
            guard open ?? 0 < StoreLimits.openShares else {
                throw .refused("there are \(StoreLimits.openShares) open shares already: revoke some first.")
            }
            try execute(
                """
                INSERT INTO shares (id, hash, session, title, created_by, created_at, expires_at, hides_output,
                password_salt, password_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    .text(share.id), .blob(hash), .text(share.session), .text(share.title), .text(share.createdBy),
                    .integer(share.createdAt), .integer(share.expiresAt), .flag(share.hidesOutput),
                    .optional(password?.salt), .optional(password?.hash),
                ]
            )
        }
    }

    /// The share of a token, open or not: the page says which.
    package func share(hash: [UInt8]) throws(StoreError) -> Share? {
        try first(shareColumns + "WHERE hash = ?", [.blob(hash)], shareRow)
    }

    func sharesByHash(now: Int64) throws(StoreError) -> [([UInt8], Share)] {
        try rows(
            """
            SELECT id, session, title, created_by, created_at, expires_at, revoked_at, hides_output,
            password_hash IS NOT NULL, views, last_viewed, hash
            FROM shares WHERE min(expires_at, coalesce(revoked_at, expires_at)) > ?
            """,
            [.integer(now - 30 * 86_400_000)]
        ) { ($0.blob(11), shareRow($0)) }
    }

    package func password(ofShare id: String) throws(StoreError) -> SharePassword? {
        let found = try first("SELECT password_salt, password_hash FROM shares WHERE id = ?", [.text(id)]) { row in
            row.optionalBlob(1).map { SharePassword(salt: row.blob(0), hash: $0) }
        }
        return found ?? nil
    }

    /// All shares that were made, the newest first; those that ended more than 30 days ago are left out.
    package func shares(now: Int64) throws(StoreError) -> [Share] {
        try rows(
            shareColumns + "WHERE min(expires_at, coalesce(revoked_at, expires_at)) > ? ORDER BY created_at DESC, id",
            [.integer(now - 30 * 86_400_000)],
            shareRow
        )
    }

    /// Ends a share; false when it was revoked before or never was.
    @discardableResult
    package func revokeShare(_ id: String, now: Int64) throws(StoreError) -> Bool {
        try execute(
            "UPDATE shares SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            [.integer(now), .text(id)]
        ) > 0
    }

    /// Ends every share of a session; the ids of those that were open.
    @discardableResult
    package func revokeShares(ofSession session: String, now: Int64) throws(StoreError) -> [String] {
        let open = try rows("SELECT id FROM shares WHERE session = ? AND revoked_at IS NULL", [.text(session)]) { row in
            row.text(0)
        }
        for id in open { try revokeShare(id, now: now) }
        return open
    }

    package func countView(ofShare id: String, now: Int64) throws(StoreError) {
        try execute("UPDATE shares SET views = views + 1, last_viewed = ? WHERE id = ?", [.integer(now), .text(id)])
    }
}

private let shareColumns = """
    SELECT id, session, title, created_by, created_at, expires_at, revoked_at, hides_output, password_hash IS NOT NULL,
    views, last_viewed FROM shares\u{20}
    """

private func shareRow(_ row: borrowing Statement) -> Share {
    var share = Share(
        id: row.text(0),
        session: row.text(1),
        title: row.text(2),
        createdBy: row.text(3),
        createdAt: row.integer(4),
        expiresAt: row.integer(5),
        hidesOutput: row.flag(7)
    )
    share.revokedAt = row.optionalInteger(6)
    share.hasPassword = row.flag(8)
    share.views = Int(row.integer(9))
    share.lastViewed = row.optionalInteger(10)
    return share
}
