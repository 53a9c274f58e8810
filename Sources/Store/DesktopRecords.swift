// What is remembered of desktops: the tokens that let them dial in, when they were last here, resume tokens of the device
// link, and the last list of sessions each one sent.

/// A token that lets one desktop dial in.
package struct DesktopToken: Sendable, Equatable {
    package var id: String
    package var name: String
    package var createdAt: Int64
    package var lastUsed: Int64?
    /// The desktop that came in with it last.
    package var desktop: String?
}

/// A desktop that was here at some time.
package struct RememberedDesktop: Sendable, Equatable {
    package var id: String
    package var name: String
    package var kind: String
    package var lastSeen: Int64

    package init(id: String, name: String, kind: String, lastSeen: Int64) {
        self.id = id
        self.name = name
        self.kind = kind
        self.lastSeen = lastSeen
    }
}

/// One session of the last list.
///
/// `summary` is opaque here.
package struct CachedSession: Sendable, Equatable {
    /// The public id: what stands in URLs.
    package var id: String
    package var desktop: String
    package var nativeID: String
    package var title: String
    package var updatedAt: Int64
    package var summary: [UInt8]

    package init(id: String, desktop: String, nativeID: String, title: String, updatedAt: Int64, summary: [UInt8]) {
        self.id = id
        self.desktop = desktop
        self.nativeID = nativeID
        self.title = title
        self.updatedAt = updatedAt
        self.summary = summary
    }
}

/// What continues a device-link registration after a cut.
package struct ResumeToken: Sendable, Equatable {
    package var token: String
    /// The ownership generation it was given in.
    package var generation: Int64
    package var expiresAt: Int64

    package init(token: String, generation: Int64, expiresAt: Int64) {
        self.token = token
        self.generation = generation
        self.expiresAt = expiresAt
    }
}

extension Database {
    package func addDesktopToken(hash: [UInt8], id: String, name: String, now: Int64) throws(StoreError) {
        try execute(
            "INSERT INTO desktop_tokens (id, hash, name, created_at) VALUES (?, ?, ?, ?)",
            [.text(id), .blob(hash), .text(cut(name)), .integer(now)]
        )
    }

    /// The token of that hash, unless it was revoked.
    package func desktopToken(hash: [UInt8]) throws(StoreError) -> DesktopToken? {
        try first(tokenColumns + "WHERE hash = ? AND revoked_at IS NULL", [.blob(hash)], tokenRow)
    }

    package func desktopTokens() throws(StoreError) -> [DesktopToken] {
        try rows(tokenColumns + "WHERE revoked_at IS NULL ORDER BY created_at DESC, id", [], tokenRow)
    }

    func desktopTokensByHash() throws(StoreError) -> [([UInt8], DesktopToken)] {
        try rows(
            "SELECT id, name, created_at, last_used, desktop, hash FROM desktop_tokens WHERE revoked_at IS NULL"
        ) { ($0.blob(5), tokenRow($0)) }
    }

    package func useDesktopToken(_ id: String, desktop: String?, now: Int64) throws(StoreError) {
        try execute(
            "UPDATE desktop_tokens SET last_used = ?, desktop = coalesce(?, desktop) WHERE id = ?",
            [.integer(now), .optional(desktop), .text(id)]
        )
    }

    /// Shuts a desktop out; false when it was out already.
    @discardableResult
    package func revokeDesktopToken(_ id: String, now: Int64) throws(StoreError) -> Bool {
        try execute(
            "UPDATE desktop_tokens SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            [.integer(now), .text(id)]
        ) > 0
    }

    package func remember(_ desktop: RememberedDesktop) throws(StoreError) {
        try execute(
            """
            INSERT INTO desktops (id, name, kind, last_seen) VALUES (?, ?, ?, ?)
            ON CONFLICT (id) DO UPDATE SET name = excluded.name, kind = excluded.kind,
            last_seen = max(last_seen, excluded.last_seen)
            """,
            [.text(desktop.id), .text(cut(desktop.name)), .text(desktop.kind), .integer(desktop.lastSeen)]
        )
    }

    package func rememberedDesktops() throws(StoreError) -> [RememberedDesktop] {
        try rows("SELECT id, name, kind, last_seen FROM desktops ORDER BY name, id") { row in
            RememberedDesktop(id: row.text(0), name: row.text(1), kind: row.text(2), lastSeen: row.integer(3))
        }
    }

    /// Forgets a desktop and its list; its shares are revoked, because a share dies with its session.
    package func forgetDesktop(_ id: String, now: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try execute(
                """
                UPDATE shares SET revoked_at = ? WHERE revoked_at IS NULL
                AND session IN (SELECT id FROM sessions WHERE desktop = ?)
                """,
                [.integer(now), .text(id)]
            )
            try execute("DELETE FROM sessions WHERE desktop = ?", [.text(id)])
            try execute("DELETE FROM desktops WHERE id = ?", [.text(id)])
        }
    }

    package func resumeToken(device: String, desktop: String, now: Int64) throws(StoreError) -> ResumeToken? {
        try first(
            "SELECT token, generation, expires_at FROM resume_tokens WHERE device = ? AND desktop = ? AND expires_at > ?",
            [.text(device), .text(desktop), .integer(now)]
        ) { ResumeToken(token: $0.text(0), generation: $0.integer(1), expiresAt: $0.integer(2)) }
    }

    /// Keeps a token; one of an older generation never replaces a newer one.
    package func keep(_ token: ResumeToken, device: String, desktop: String) throws(StoreError) {
        try execute(
            """
            INSERT INTO resume_tokens (device, desktop, token, generation, expires_at) VALUES (?, ?, ?, ?, ?)
            ON CONFLICT (device, desktop) DO UPDATE SET token = excluded.token, generation = excluded.generation,
            expires_at = excluded.expires_at WHERE excluded.generation >= generation
            """,
            [
                .text(device), .text(desktop), .text(token.token), .integer(token.generation),
                .integer(token.expiresAt),
            ]
        )
    }

    /// Writes what changed in a desktop's list.
    ///
    /// Sessions that the desktop removed take their shares with them.
    ///
    /// - Returns: the ids of the shares that were revoked.
    @discardableResult
    package func cache(
        changed: [CachedSession],
        removed: [String],
        desktop: String,
        now: Int64
    ) throws(StoreError) -> [String] {
        try transaction { () throws(StoreError) -> [String] in
            for session in changed {
                try execute(
                    """
                    INSERT INTO sessions (id, desktop, native_id, title, updated_at, summary) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (id) DO UPDATE SET desktop = excluded.desktop, native_id = excluded.native_id,
                    title = excluded.title, updated_at = excluded.updated_at, summary = excluded.summary
                    """,
                    [
                        .text(session.id), .text(session.desktop), .text(session.nativeID), .text(session.title),
                        .integer(session.updatedAt), .blob(session.summary),
                    ]
                )
            }
            var revoked: [String] = []
            for id in removed {
                revoked += try revokeShares(ofSession: id, now: now)
                try execute("DELETE FROM sessions WHERE id = ? AND desktop = ?", [.text(id), .text(desktop)])
            }
            try execute(
                """
                DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE desktop = ?
                ORDER BY updated_at DESC LIMIT -1 OFFSET ?)
                """,
                [.text(desktop), .integer(Int64(StoreLimits.cachedSessions))]
            )
            return revoked
        }
    }

    /// A desktop's last list, newest first.
    package func cachedSessions(desktop: String) throws(StoreError) -> [CachedSession] {
        try rows(sessionColumns + "WHERE desktop = ? ORDER BY updated_at DESC, id", [.text(desktop)], sessionRow)
    }

    /// Sessions that a person may mean by `text`: a public id, an agent's own id, or the start of either (8 characters
    /// at least).
    ///
    /// At most two are returned: more than one is ambiguous.
    package func cachedSessions(named text: String) throws(StoreError) -> [CachedSession] {
        let exact = try rows(
            sessionColumns + "WHERE id = ?1 OR native_id = ?1 LIMIT 2",
            [.text(text)],
            sessionRow
        )
        guard exact.isEmpty, text.utf8.count >= 8 else { return exact }
        let start = Value.integer(Int64(text.unicodeScalars.count))
        return try rows(
            sessionColumns + "WHERE substr(id, 1, ?2) = ?1 OR substr(native_id, 1, ?2) = ?1 LIMIT 2",
            [.text(text), start],
            sessionRow
        )
    }
}

private let tokenColumns = "SELECT id, name, created_at, last_used, desktop FROM desktop_tokens "
private let sessionColumns = "SELECT id, desktop, native_id, title, updated_at, summary FROM sessions "

private func tokenRow(_ row: borrowing Statement) -> DesktopToken {
    DesktopToken(
        id: row.text(0),
        name: row.text(1),
        createdAt: row.integer(2),
        lastUsed: row.optionalInteger(3),
        desktop: row.optionalText(4)
    )
}

private func sessionRow(_ row: borrowing Statement) -> CachedSession {
    CachedSession(
        id: row.text(0),
        desktop: row.text(1),
        nativeID: row.text(2),
        title: row.text(3),
        updatedAt: row.integer(4),
        summary: row.blob(5)
    )
}
