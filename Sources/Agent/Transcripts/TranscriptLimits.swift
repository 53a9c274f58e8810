// Every bound of the transcript reader in one place. Numbers without another source come from agent-transcripts, section 0,
// and from measurements of the test fixtures.

/// How much of a transcript is read, kept and sent at once.
package enum TranscriptLimits {
    /// A longer line is one bad line, passed over without being held (bytes).
    package static let line = 32 << 20
    /// How much is read from a file at once (bytes).
    package static let readBuffer = 256 << 10
    /// A list entry is made from so many bytes at each end of a transcript.
    package static let summaryWindow = 64 << 10
    /// How far the first window grows when a session's first lines are longer than it (bytes).
    package static let firstLines = 1 << 20
    /// A body up to this size travels whole inside a timeline (bytes).
    package static let inlineBody = 32 << 10
    /// What is kept of each end of a body that is cut (bytes).
    package static let bodyEnd = 12 << 10
    /// Raw bytes shown of a bad line, an unknown or a malformed record.
    package static let rawExcerpt = 4 << 10
    /// A tool's input that is longer is cut (bytes of JSON).
    package static let toolInput = 32 << 10
    /// A title in the list of sessions or over a block (characters).
    package static let title = 200
    /// Entries of a to-do list that are kept.
    package static let todoItems = 200
    /// States of the to-do list that are remembered per transcript; older blocks show only what their record says.
    package static let todoStates = 1_000
    /// Threads (old inline sidechains) of one transcript; further ones share the last.
    package static let threads = 1_000
    /// Blocks of one page of a timeline.
    package static let pageBlocks = 200
    /// Bytes of one piece of a body or of media.
    package static let chunk = 512 << 10
    /// Text of all blocks in one page or update; further blocks come with a shorter body (bytes).
    package static let pageText = 4 << 20
    /// Transcripts that are listed at most.
    package static let transcripts = 50_000
    /// Transcripts whose index is kept in memory, the followed ones apart.
    package static let openTranscripts = 16
    /// Blocks of all indexes in memory before those not followed are given up.
    package static let openBlocks = 300_000
    /// Bytes of a transcript that one job on a worker thread reads before others have their turn.
    package static let readBudget = 16 << 20
    /// Transcripts that one job on a worker thread lists.
    package static let listBatch = 16
    /// Folders that inotify watches; the poll sees the rest.
    package static let watchedFolders = 4_096
    /// The poll behind inotify (milliseconds).
    package static let poll: Int64 = 5_000
    /// A session that nobody follows says at most so often that it changed (milliseconds).
    package static let summaryInterval: Int64 = 1_000
    /// An agent whose last word was a call or a prompt counts as at work for so long after its last write (milliseconds).
    package static let workingTime: Int64 = 10 * 60 * 1_000
    /// Decoded images kept, in number and in bytes; the newest stays whatever its size.
    package static let mediaFiles = 8
    package static let mediaBytes = 32 << 20
}
