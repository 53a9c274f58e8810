// Every bound of this module, in one place, with its unit and where it comes from.

/// Bounds on what peers and viewers can make us hold or do.
package enum Limits {
    // MARK: Claims and leases
    /// Claims of one tab; the oldest goes when another comes.
    package static let claimsPerTab = 32
    /// Tabs that can hold claims; more are not counted.
    package static let tabs = 50_000
    /// Leases on a desktop with the capability `multiTimelineLease` (decision W-1).
    package static let multipleLeases = 8
    /// Phones whose leases a desktop keeps; a further phone's interest is not heard.
    package static let phonesWithLeases = 64

    // MARK: Messages
    /// A whole message (R21), bytes.
    package static let messageBytes = 32 << 20
    /// An `Authorization` field of an upgrade, bytes.
    package static let credentialBytes = 4_096
    /// Ids, method names, event types and keys inside messages, bytes.
    package static let nameBytes = 512

    // MARK: Questions
    /// Questions under way on one link.
    package static let pendingCalls = 1_024
    /// Answers kept for repeated idempotency keys, and for how long (section 3.4).
    package static let rememberedAnswers = 4_096
    package static let rememberedAnswerMilliseconds: Int64 = 300_000
    /// Bytes of all remembered answers.
    package static let rememberedAnswerBytes = 16 << 20
    /// Questions that a desktop works on at one time; more are refused.
    package static let runningRequests = 256

    // MARK: Timeline
    /// A block's body inside a snapshot or page, bytes (section 4.5).
    package static let inlineBody = 32 << 10
    /// A tool's input inside a snapshot or page, bytes.
    package static let inlineInput = 128 << 10
    /// The payload of one snapshot, bytes (section 4.5).
    package static let snapshotBytes = 256 << 10
    /// The state that greets a new lease, bytes.
    package static let greetingBytes = 64 << 10
    /// Blocks of one page (method 50), and the bytes after which a page ends early.
    package static let pageBlocks = 200
    package static let pageBytes = 1 << 20
    /// A piece of a body or of media, bytes (section 3.6).
    package static let chunkBytes = 512 << 10
    /// Sessions of one `chat.list` answer (method 48).
    package static let listPage = 100
    /// Changed sessions that are told one by one; above this, everybody lists again.
    package static let announcedSessions = 50
    /// Timeline updates that wait for their turn on a desktop, bytes of text; above this, the thread is sent as a gap.
    package static let pendingUpdateBytes = 1 << 20

    // MARK: What the hub holds
    package static let desktops = 256
    package static let sessionsPerDesktop = 50_000
    package static let timelines = 256
    package static let timelineBytes = 256 << 20
    package static let blocksPerTimeline = 5_000
    package static let bytesPerTimeline = 32 << 20
    /// Blocks of the first page of a timeline.
    package static let tailBlocks = 100

    // MARK: Intake
    /// Control events that wait for delivery; at the bound the link is made anew.
    package static let waitingControls = 10_000
    package static let waitingControlBytes = 64 << 20
    /// A snapshot above this size is decoded off the loop, bytes.
    package static let inlineDecode = 64 << 10
    /// Keys (session, run, thread) with a waiting snapshot.
    package static let waitingSnapshots = 1_024

    // MARK: Relay
    /// Queued towards one connection, bytes; above it the connection is closed with 1013 (RS15).
    package static let relayQueueBytes = 64 << 20
    /// Handed to a socket before the relay keeps the rest in its own queue, bytes.
    package static let relayWindowBytes = 256 << 10
    /// Connections, and relay sessions kept for resuming.
    package static let relayConnections = 4_096
    package static let relaySessions = 16_384
    /// Events kept for replay per stream (section 4.4): number, age and size.
    package static let replayEvents = 500
    package static let replayMilliseconds: Int64 = 300_000
    package static let replayEventBytes = 256 << 10
    package static let replayBytes = 8 << 20
    /// Streams (user, desktop) with numbered events.
    package static let replayStreams = 1_024
    /// In-flight questions of one phone connection that the relay remembers in order to answer for a lost desktop.
    package static let relayedCalls = 1_024
}
