// One thread of one session as the dashboard holds it: a contiguous tail of blocks, loaded on demand, kept fresh by updates
// while a lease is held. Made by `Hub`, read by pages and live sockets.
package import Wire

/// What happened to a timeline, for those who show it.
package enum TimelineChange: Sendable, Equatable {
    /// Everything may be different: show `Timeline.blocks` anew.
    case reset
    /// Blocks that are new or replaced (ascending by `seq`; some may lie below the held tail), and ids of those gone.
    case changed(blocks: [Block], removed: [String])
}

/// The held part of a thread.
@Loop package final class Timeline {
    /// The session's public id.
    package let session: String
    package let thread: String
    /// A contiguous tail of the thread, ascending by `seq`. Empty until `isLoaded`.
    package private(set) var blocks: [Block] = []
    /// There are blocks below the first one.
    package private(set) var hasOlder = false
    /// The tail was loaded at least once; it may be stale while the desktop is away.
    package private(set) var isLoaded = false
    /// Why the last loading failed; nil once one succeeded.
    package private(set) var error: DesktopError?

    init(session: String, thread: String) {
        self.session = session
        self.thread = thread
    }

    /// Loads the newest blocks unless they are held and fresh. Callers at the same time share one question.
    package func loadTail() async throws(DesktopError) { fatalError() }

    /// Loads blocks below the held ones and holds them too, as far as the limits allow.
    ///
    /// - Returns: the blocks loaded, ascending; empty when there are none.
    package func loadOlder(limit: Int = 100) async throws(DesktopError) -> [Block] { fatalError() }

    /// A page below `before` (nil: the newest), from what is held if it is there, else from the desktop. Holds nothing more
    /// than before: for walking through a whole session.
    package func page(before: Int?, limit: Int) async throws(DesktopError) -> TimelinePage { fatalError() }

    /// Bytes of a cut block's whole body.
    package func body(block: String, offset: Int, length: Int) async throws(DesktopError) -> BodyChunk { fatalError() }

    /// Bytes of an image or file of this timeline.
    package func media(id: String, offset: Int, length: Int) async throws(DesktopError) -> MediaChunk { fatalError() }
}
