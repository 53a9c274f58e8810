// What a computer with agents offers to dashboards: the seam between the agent's knowledge of transcripts and the device
// link. `Agent` implements it; `DeviceLink/DesktopEndpoint` calls it, decodes the questions and encodes the answers.
package import Wire

/// Sessions, timelines and media of one desktop.
///
/// Called on the loop; whatever takes more than a millisecond is offloaded by the implementation.
@Loop package protocol DesktopService: AnyObject {
    /// Every session that the desktop knows, helpers' sessions included, in any order.
    func sessions() async -> [SessionSummary]

    /// One page of a thread, ascending by `seq`: the newest `limit` blocks below `before`, or the newest of all.
    ///
    /// - Parameters:
    ///   - thread: `main` or the id of a subagent's thread inside the session.
    ///   - before: only blocks whose `seq` is lower; nil for the end of the thread.
    ///   - limit: 1...200.
    func timeline(
        session: String,
        thread: String,
        before: Int?,
        limit: Int
    ) async throws(DesktopServiceError) -> TimelinePage

    /// Bytes of a block's whole body, for a block whose `fullSize` says that it was cut.
    ///
    /// The body is what `Block.text` holds, or `Block.patch` for an edit.
    ///
    /// - Parameter length: at most 524,288 bytes.
    func block(
        session: String,
        id: String,
        offset: Int,
        length: Int
    ) async throws(DesktopServiceError) -> BodyChunk

    /// Bytes of an image or a file, by the `mediaID` of its block.
    ///
    /// - Parameter length: at most 524,288 bytes.
    func media(id: String, offset: Int, length: Int) async throws(DesktopServiceError) -> MediaChunk

    /// Somebody watches this session from now on: its changes go to `DesktopEndpoint.publish`.
    ///
    /// Called once per watched session, however many watch it.
    func follow(session: String)

    /// Nobody watches this session any more: nothing of it may be published.
    func unfollow(session: String)
}

/// Why a desktop did not answer a question.
package enum DesktopServiceError: Error, Sendable, Equatable {
    /// No such session, thread, block or media.
    case notFound
    /// The question makes no sense: offset past the end, negative length.
    case invalid(String)
    /// The file changed while it was read in pieces: start again at 0.
    case changed
    /// This desktop does not do that.
    case notImplemented
    /// Anything else, in words for a person.
    case failed(String)
}

/// A part of one thread's timeline.
package struct TimelinePage: Sendable, Equatable {
    /// Ascending by `seq`.
    package var blocks: [Block]
    /// The thread's revision when the page was made; it grows by at least 1 with every change of any of its blocks.
    package var revision: Int
    /// There are blocks below the first one.
    package var hasMore: Bool
    /// How many blocks the thread has in all, when the desktop knows.
    package var total: Int?

    package init(blocks: [Block], revision: Int, hasMore: Bool, total: Int? = nil) {
        self.blocks = blocks
        self.revision = revision
        self.hasMore = hasMore
        self.total = total
    }
}

/// What changed in one thread.
package struct TimelineUpdate: Sendable, Equatable {
    package var session: String
    package var thread: String
    /// The run of the agent that made the change; `main` where the agent does not tell runs apart.
    package var run: String = "main"
    /// The thread's revision after this change.
    package var revision: Int
    /// The update covers every change after this revision: whoever has an older state misses something and reloads.
    package var since: Int
    /// New and changed blocks, ascending by `seq`.
    package var blocks: [Block]
    /// Ids of blocks that are gone.
    package var removed: [String]

    package init(
        session: String,
        thread: String = "main",
        revision: Int,
        since: Int,
        blocks: [Block],
        removed: [String] = []
    ) {
        self.session = session
        self.thread = thread
        self.revision = revision
        self.since = since
        self.blocks = blocks
        self.removed = removed
    }
}

/// Bytes of a block's body.
package struct BodyChunk: Sendable, Equatable {
    package var offset: Int
    package var bytes: [UInt8]
    /// The whole body's size in bytes.
    package var totalSize: Int

    package init(offset: Int, bytes: [UInt8], totalSize: Int) {
        self.offset = offset
        self.bytes = bytes
        self.totalSize = totalSize
    }
}

/// Bytes of an image or a file.
package struct MediaChunk: Sendable, Equatable {
    package var offset: Int
    package var bytes: [UInt8]
    /// The whole file's size in bytes.
    package var totalSize: Int
    /// Changes whenever the content changes; opaque.
    package var version: String
    package var mediaType: String

    package init(offset: Int, bytes: [UInt8], totalSize: Int, version: String, mediaType: String) {
        self.offset = offset
        self.bytes = bytes
        self.totalSize = totalSize
        self.version = version
        self.mediaType = mediaType
    }
}
