// Who may come in: people with a role, the browsers and programs that act for them, and the codes that let a new one in.
// Hashes are made by the caller (SHA-256 of the token); no token ever comes here.

/// What a person may do: an owner everything, an operator may also send prompts and answers, a viewer only reads.
package enum Role: String, Sendable, CaseIterable {
    case viewer, operator_ = "operator", owner

    /// Whether this role may do what `other` may.
    package func includes(_ other: Role) -> Bool { rank >= other.rank }

    private var rank: Int {
        switch self {
        case .viewer: 0
        case .operator_: 1
        case .owner: 2
        }
    }
}

/// A person, as pages name them.
package struct Person: Sendable, Equatable {
    package var id: String
    package var name: String
    package var role: Role
}

/// A browser or a program that came in once and may come again.
package struct Credential: Sendable, Equatable {
    package enum Kind: String, Sendable { case browser, api }
    package var id: String
    package var person: Person
    package var kind: Kind
    package var label: String
    package var createdAt: Int64
    package var lastSeen: Int64
}

/// What became of a pairing code.
package enum PairingResult: Sendable, Equatable {
    case paired(Credential)
    case unknown
    case expired(at: Int64)
    case used(at: Int64)
}

extension Database {
    /// Whether anybody can come in: when not, a first pairing link is printed at the start.
    package func hasCredentials() throws(StoreError) -> Bool {
        try first("SELECT 1 FROM credentials WHERE revoked_at IS NULL LIMIT 1") { _ in true } ?? false
    }

    /// Opens a way in for one browser.
    ///
    /// - Parameters:
    ///   - hash: SHA-256 of the code.
    ///   - person: the person whom the browser will act for; nil makes a new person, or finds the first owner when the
    ///     role is owner.
    ///   - now: milliseconds since 1970.
    package func addPairingCode(
        hash: [UInt8],
        role: Role,
        person: String? = nil,
        name: String = "",
        now: Int64
    ) throws(StoreError) {
        try transaction { () throws(StoreError) in
            // A used code is kept for a day, so that opening the link again says why it does not work.
            try execute("DELETE FROM pairing_codes WHERE expires_at < ?", [.integer(now - 86_400_000)])
            try execute(
                """
                DELETE FROM pairing_codes WHERE hash IN (SELECT hash FROM pairing_codes WHERE used_at IS NULL
                ORDER BY created_at DESC LIMIT -1 OFFSET ?)
                """,
                [.integer(Int64(StoreLimits.openPairingCodes - 1))]
            )
            try execute(
                "INSERT INTO pairing_codes (hash, role, person, name, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    .blob(hash), .text(role.rawValue), .optional(person), .text(cut(name)), .integer(now),
                    .integer(now + StoreLimits.pairingLifetime),
                ]
            )
        }
    }

    /// Uses a pairing code up and lets its browser in; of two that come at once, one.
    package func redeemPairingCode(
        hash: [UInt8],
        token tokenHash: [UInt8],
        id: String,
        label: String,
        now: Int64
    ) throws(StoreError) -> PairingResult {
        try transaction { () throws(StoreError) -> PairingResult in
            struct Code {
                var role: Role?, person: String?, name: String, expiresAt: Int64, usedAt: Int64?
            }
            let code = try first(
                "SELECT role, person, name, expires_at, used_at FROM pairing_codes WHERE hash = ?",
                [.blob(hash)]
            ) { row in
                Code(
                    role: Role(rawValue: row.text(0)),
                    person: row.optionalText(1),
                    name: row.text(2),
                    expiresAt: row.integer(3),
                    usedAt: row.optionalInteger(4)
                )
            }
            guard let code, let role = code.role else { return .unknown }
            if let usedAt = code.usedAt { return .used(at: usedAt) }
            guard now < code.expiresAt else { return .expired(at: code.expiresAt) }
            let person = try personForPairing(code.person, role: role, name: code.name, id: id, now: now)
            try execute("UPDATE pairing_codes SET used_at = ? WHERE hash = ?", [.integer(now), .blob(hash)])
            let credential = Credential(
                id: id,
                person: person,
                kind: .browser,
                label: cut(label),
                createdAt: now,
                lastSeen: now
            )
            try insert(credential, hash: tokenHash)
            return .paired(credential)
        }
    }

    /// Lets a program in that acts for `person` (`Authorization: Bearer`).
    package func addAPIToken(
        hash: [UInt8],
        id: String,
        person: Person,
        label: String,
        now: Int64
    ) throws(StoreError) {
        let credential = Credential(
            id: id,
            person: person,
            kind: .api,
            label: cut(label),
            createdAt: now,
            lastSeen: now
        )
        try insert(credential, hash: hash)
    }

    /// Whom a token belongs to; nil when it is unknown or revoked.
    package func credential(hash: [UInt8]) throws(StoreError) -> Credential? {
        try first(credentialColumns + "WHERE c.hash = ? AND c.revoked_at IS NULL", [.blob(hash)], credentialRow)
    }

    /// All that may come in, the one seen last first.
    package func credentials() throws(StoreError) -> [Credential] {
        try rows(credentialColumns + "WHERE c.revoked_at IS NULL ORDER BY c.last_seen DESC, c.id", [], credentialRow)
    }

    func credentialsByHash() throws(StoreError) -> [([UInt8], Credential)] {
        try rows(
            """
            SELECT c.id, p.id, p.name, p.role, c.kind, c.label, c.created_at, c.last_seen, c.hash
            FROM credentials c JOIN people p ON p.id = c.person WHERE c.revoked_at IS NULL
            """
        ) { ($0.blob(8), credentialRow($0)) }
    }

    package func touchCredential(_ id: String, now: Int64) throws(StoreError) {
        try execute("UPDATE credentials SET last_seen = max(last_seen, ?) WHERE id = ?", [.integer(now), .text(id)])
    }

    /// Shuts a browser or program out; false when it was out already.
    @discardableResult
    package func revokeCredential(_ id: String, now: Int64) throws(StoreError) -> Bool {
        try execute(
            "UPDATE credentials SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL",
            [.integer(now), .text(id)]
        ) > 0
    }

    private func personForPairing(
        _ wanted: String?,
        role: Role,
        name: String,
        id: String,
        now: Int64
    ) throws(StoreError) -> Person {
        let known: Person?
        if let wanted {
            known = try first("SELECT id, name, role FROM people WHERE id = ?", [.text(wanted)], personRow)
        } else if role == .owner {
            let sql = "SELECT id, name, role FROM people WHERE role = 'owner' ORDER BY created_at, id LIMIT 1"
            known = try first(sql, [], personRow)
        } else {
            known = nil
        }
        if let known { return known }
        let count = try first("SELECT count(*) FROM people") { $0.integer(0) } ?? 0
        let person = Person(
            id: id,
            name: name.isEmpty ? (role == .owner ? "Owner" : "Guest \(count)") : name,
            role: role
        )
        try execute(
            "INSERT INTO people (id, name, role, created_at) VALUES (?, ?, ?, ?)",
            [.text(person.id), .text(person.name), .text(role.rawValue), .integer(now)]
        )
        return person
    }

    private func insert(_ credential: Credential, hash: [UInt8]) throws(StoreError) {
        try execute(
            """
            INSERT INTO credentials (id, person, kind, hash, label, created_at, last_seen) VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .text(credential.id), .text(credential.person.id), .text(credential.kind.rawValue), .blob(hash),
                .text(credential.label), .integer(credential.createdAt), .integer(credential.lastSeen),
            ]
        )
    }
}

private let credentialColumns = """
    SELECT c.id, p.id, p.name, p.role, c.kind, c.label, c.created_at, c.last_seen
    FROM credentials c JOIN people p ON p.id = c.person\u{20}
    """

private func credentialRow(_ row: borrowing Statement) -> Credential {
    Credential(
        id: row.text(0),
        // The table's CHECK leaves no other role; if a later version adds one, it may only read here.
        person: Person(id: row.text(1), name: row.text(2), role: Role(rawValue: row.text(3)) ?? .viewer),
        kind: Credential.Kind(rawValue: row.text(4)) ?? .browser,
        label: row.text(5),
        createdAt: row.integer(6),
        lastSeen: row.integer(7)
    )
}

private func personRow(_ row: borrowing Statement) -> Person {
    Person(id: row.text(0), name: row.text(1), role: Role(rawValue: row.text(2)) ?? .viewer)
}

/// A label from outside, cut at a character border.
func cut(_ label: String) -> String { String(label.prefix(StoreLimits.labelLength)) }
