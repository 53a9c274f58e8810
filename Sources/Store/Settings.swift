// Small things that the server must know again after a restart, and the log of who did what.

/// The names of the settings that exist.
package enum Setting: String, Sendable {
    /// Tells this server from others on the same host, whose cookies it sees.
    case instanceID
    /// The base URL that `serve` could be reached at last, for the links that commands print.
    case baseURL
    /// Signs addresses of media in shares; 64 hexadecimal digits.
    case mediaKey
    /// This server's own device id on the device link, a lower-case UUID.
    case deviceID
    /// The device id of the desktop that runs inside the server, a lower-case UUID.
    case localDesktopID
}

/// One line of the audit log.
package struct AuditEntry: Sendable, Equatable {
    package var at: Int64
    /// A person's name, `command line`, or `share <id>`.
    package var person: String
    /// What was done, as a short verb: `paired`, `shared`, `revoked share`.
    package var action: String
    package var detail: String

    package init(at: Int64, person: String, action: String, detail: String) {
        self.at = at
        self.person = person
        self.action = action
        self.detail = detail
    }
}

extension Database {
    package func value(of setting: Setting) throws(StoreError) -> String? {
        try first("SELECT value FROM settings WHERE key = ?", [.text(setting.rawValue)]) { $0.text(0) }
    }

    package func set(_ setting: Setting, to value: String) throws(StoreError) {
        try execute(
            "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            [.text(setting.rawValue), .text(value)]
        )
    }

    /// The setting's value; `proposal` becomes it when there is none yet.
    ///
    /// Of two processes that start at once, both get the same.
    package func value(of setting: Setting, orKeep proposal: String) throws(StoreError) -> String {
        try execute(
            "INSERT INTO settings (key, value) VALUES (?, ?) ON CONFLICT (key) DO NOTHING",
            [.text(setting.rawValue), .text(proposal)]
        )
        return try value(of: setting) ?? proposal
    }

    /// Adds a line to the audit log, which keeps the last ``StoreLimits/auditEntries``.
    package func note(_ entry: AuditEntry) throws(StoreError) {
        try execute(
            "INSERT INTO audit (at, person, action, detail) VALUES (?, ?, ?, ?)",
            [.integer(entry.at), .text(cut(entry.person)), .text(cut(entry.action)), .text(cut(entry.detail))]
        )
        try execute(
            "DELETE FROM audit WHERE id <= (SELECT max(id) FROM audit) - ?",
            [.integer(Int64(StoreLimits.auditEntries))]
        )
    }

    /// The newest lines first.
    package func auditLog(limit: Int) throws(StoreError) -> [AuditEntry] {
        try rows(
            "SELECT at, person, action, detail FROM audit ORDER BY id DESC LIMIT ?",
            [.integer(Int64(limit))]
        ) { AuditEntry(at: $0.integer(0), person: $0.text(1), action: $0.text(2), detail: $0.text(3)) }
    }
}
