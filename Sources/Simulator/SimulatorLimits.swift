// Every number of the simulator, in one place. Sections are those of the device link's protocol document.

/// Bounds and times of a simulated desktop.
package enum SimulatorLimits {
    /// Between two heartbeats (RD5), milliseconds.
    static let heartbeat: Int64 = 5_000
    /// How long a lease lives without renewal (W-8), milliseconds.
    package static let lease: Int64 = 60_000
    /// Leases of one phone (W-1); the oldest gives way.
    package static let leasesPerPhone = 8
    /// Phones whose leases are kept.
    package static let phones = 64
    /// Between two snapshots of one session (section 4.5), milliseconds.
    static let snapshotEvery: Int64 = 100
    /// The payload of one snapshot (section 4.5), bytes.
    static let snapshotBytes = 256 << 10
    /// The state that greets a new lease, bytes.
    static let greetingBytes = 64 << 10
    /// A body inside a snapshot or page (section 4.5), bytes.
    package static let inlineBody = 32 << 10
    /// One piece of a body or picture (section 3.6), bytes.
    package static let chunk = 512 << 10
    /// Blocks of a page, sessions of a list.
    static let page = 200
    static let listPage = 100
    /// Blocks of a session that never ends: above the first number its oldest ones go, down to the second.
    package static let blocks = 240
    static let blocksKept = 160
    /// Removed blocks that snapshots still name.
    static let removals = 512
    /// Answers kept for repeated idempotency keys.
    package static let answers = 256
    /// Characters of a prompt that is accepted.
    package static let promptBytes = 64 << 10
    /// From the start to the first step of sessions that never end, milliseconds.
    static let firstStep: Int64 = 1_000
    /// After so long an event is acknowledged (section 2.2), milliseconds.
    static let acknowledge: Int64 = 1_000
}
