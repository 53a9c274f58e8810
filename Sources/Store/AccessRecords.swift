// Everything that decides whether somebody may come in, read in one go: a server keeps it in memory, so that no request
// waits for the disk, and reads it again when another process (a command) changed the database.

/// Who may come in, by the hash of the secret that they show.
package struct AccessRecords: Sendable {
    package var credentials: [[UInt8]: Credential] = [:]
    package var desktopTokens: [[UInt8]: DesktopToken] = [:]
    /// Shares that were made and did not end long ago: open ones, and ended ones to say so.
    package var shares: [[UInt8]: Share] = [:]

    package init() {}
}

extension Database {
    /// - Parameter now: milliseconds since 1970; shares that ended more than 30 days before are left out.
    package func accessRecords(now: Int64) throws(StoreError) -> AccessRecords {
        var records = AccessRecords()
        for (hash, credential) in try credentialsByHash() { records.credentials[hash] = credential }
        for (hash, token) in try desktopTokensByHash() { records.desktopTokens[hash] = token }
        for (hash, share) in try sharesByHash(now: now) { records.shares[hash] = share }
        return records
    }

    /// Changes whenever another connection, in this process or another, has changed the database.
    package func changesOfOthers() throws(StoreError) -> Int64 {
        try first("PRAGMA data_version") { $0.integer(0) } ?? 0
    }
}
