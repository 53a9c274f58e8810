// Who may come in, in memory: asked synchronously by the gate, kept equal to the database. Commands in other processes
// change the database too, so its change counter is looked at twice a second.

package import Store
package import Wire

@Loop package final class AccessBook {
    private let database: DatabaseThread
    private var records = AccessRecords()
    private var seenChanges: Int64 = -1
    private var timer: LoopTimer?
    private var guesses: [String: (count: Int, since: Int64)] = [:]
    /// Credentials whose `last_seen` was written lately.
    private var touched: [String: Int64] = [:]
    /// Called after somebody may have lost access: revoked or expired.
    package var onChange: (@Loop () -> Void)?

    package init(database: DatabaseThread) { self.database = database }

    /// Reads everything and begins to watch.
    package func start() async throws(StoreError) {
        try await reload()
        watch()
    }

    package func stop() {
        timer?.cancel()
        timer = nil
    }

    /// Reads everything again.
    ///
    /// Called after each change of our own, and by itself after changes of others.
    package func reload() async throws(StoreError) {
        let now = Loop.wallClock
        let (records, changes) = try await database.ask { database throws(StoreError) in
            let changes = try database.changesOfOthers()
            return (try database.accessRecords(now: now), changes)
        }
        self.records = records
        seenChanges = changes
        onChange?()
    }

    private func watch() {
        timer = Loop.after(milliseconds: 500) { [weak self] in
            guard let self else { return }
            Loop.spawn { @Loop [weak self] in
                await self?.look()
                self?.watch()
            }
        }
    }

    private func look() async {
        do throws(StoreError) {
            let changes = try await database.ask { database throws(StoreError) in try database.changesOfOthers() }
            if changes != seenChanges { try await reload() } else { onChange?() }
        } catch {
            Log.write(.error, "cannot read who may come in: \(error.sentence)")
        }
    }

    // MARK: questions

    /// The holder of a cookie or API token.
    package func credential(token: String) -> Credential? { records.credentials[Tokens.hash(token)] }
    package func credential(id: String) -> Credential? { records.credentials.values.first { $0.id == id } }
    package func desktopToken(_ secret: String) -> DesktopToken? { records.desktopTokens[Tokens.hash(secret)] }
    /// The share of a link's token, open or not.
    package func share(token: String) -> Share? { records.shares[Tokens.hash(token)] }
    package func share(id: String) -> Share? { records.shares.values.first { $0.id == id } }
    package var isAnybodyPaired: Bool { !records.credentials.isEmpty }

    /// Notes that a credential was used, in the database at most once a minute.
    package func touch(_ credential: Credential) {
        let now = Loop.wallClock
        guard now - (touched[credential.id] ?? 0) > 60_000 else { return }
        if touched.count > DashboardLimits.credentials { touched = [:] }
        touched[credential.id] = now
        let id = credential.id, database = database
        Loop.spawn { @Loop in
            // A missed note is repeated a minute later.
            try? await database.ask { database throws(StoreError) in try database.touchCredential(id, now: now) }
        }
    }

    // MARK: guesses

    /// Whether an address may try another secret.
    package func mayGuess(_ address: String) -> Bool {
        guard let entry = guesses[address], Loop.now - entry.since < 600_000 else { return true }
        return entry.count < DashboardLimits.wrongGuesses
    }

    package func countWrongGuess(_ address: String) {
        if guesses.count >= DashboardLimits.guessers {
            guesses = guesses.filter { Loop.now - $0.value.since < 600_000 }
        }
        if guesses.count >= DashboardLimits.guessers { guesses = [:] }
        var entry = guesses[address] ?? (0, Loop.now)
        if Loop.now - entry.since >= 600_000 { entry = (0, Loop.now) }
        entry.count += 1
        guesses[address] = entry
    }
}
