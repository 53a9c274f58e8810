// Every number of this module, with its unit and its reason.

package enum StoreLimits {
    /// Jobs that may wait for the database thread; one more is refused with ``StoreError/overloaded``.
    package static let waitingJobs = 1_000
    /// Milliseconds that a statement waits for another process (`pair`, `share`, `backup`) to finish its write.
    package static let busyTimeout: Int32 = 5_000
    /// Milliseconds that a pairing code is valid (DESIGN §8: ten minutes).
    package static let pairingLifetime: Int64 = 600_000
    /// Pairing codes that may be open at once; making one more drops the oldest.
    package static let openPairingCodes = 50
    /// Entries kept of the audit log; older ones are dropped.
    package static let auditEntries = 10_000
    /// Sessions kept for reading offline, per desktop; the ones touched last win.
    package static let cachedSessions = 20_000
    /// Characters kept of a label that a person or a browser sent (user agent, desktop name).
    package static let labelLength = 200
    /// Shares that may be open at once.
    package static let openShares = 10_000
}
