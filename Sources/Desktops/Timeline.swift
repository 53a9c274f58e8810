// One thread of one session as the dashboard holds it: a contiguous tail of blocks, loaded on demand, kept fresh by updates
// while a lease is held. Made by `Hub`, read by pages and live sockets.
import Web
package import Wire

/// What happened to a timeline, for those who show it.
package enum TimelineChange: Sendable, Equatable {
    /// Everything may be different: show `Timeline.blocks` anew.
    case reset
    /// Blocks that are new or replaced (ascending by `seq`; some may lie below the held tail), and ids of those gone.
    case changed(blocks: [Block], removed: [String])
}

/// Where a timeline's blocks come from: the hub, for one desktop.
@Loop protocol TimelineSource: AnyObject {
    func ask(desktop: String, _ method: String, _ params: [UInt8]) async throws(DesktopError) -> [UInt8]
    func changed(_ timeline: Timeline, _ change: TimelineChange)
}

/// The held part of a thread.
@Loop package final class Timeline {
    /// A timeline that is not live is asked for again when it was loaded longer ago, milliseconds.
    private static let freshness: Int64 = 1_000
    /// How many pages a reload takes at most to cover what was held.
    private static let reloadPages = 3
    private static let mostWaiting = 32

    /// The session's public id.
    package let session: String
    package let thread: String
    /// A contiguous tail of the thread, ascending by `seq`.
    ///
    /// Empty until `isLoaded`.
    package var blocks: [Block] { held.blocks }
    /// There are blocks below the first one.
    package var hasOlder: Bool { held.hasOlder }
    /// The tail was loaded at least once; it may be stale while the desktop is away.
    package private(set) var isLoaded = false
    /// Why the last loading failed; nil once one succeeded.
    package private(set) var error: DesktopError?
    /// Updates arrive by themselves.
    package private(set) var isLive = false

    let desktop: String
    /// The session's id on its desktop.
    let native: String
    /// When the hub was asked for it last, as a growing number.
    var lastUse = 0

    private weak let source: (any TimelineSource)?
    private let now: @Loop () -> Int64
    private var held = HeldBlocks()
    /// Nothing was missed since the last loading.
    private var isCurrent = false
    private var loadedAt: Int64 = 0
    /// Snapshots that arrived while a page was under way.
    private var waiting: [TimelineCodec.Snapshot] = []
    private var loading: Task<Result<Void, DesktopError>, Never>?

    init(
        session: String,
        thread: String,
        desktop: String,
        native: String,
        source: any TimelineSource,
        now: @escaping @Loop () -> Int64
    ) {
        self.session = session
        self.thread = thread
        self.desktop = desktop
        self.native = native
        self.source = source
        self.now = now
    }

    var bytes: Int { held.bytes }
    private var isFresh: Bool {
        isLoaded && isCurrent && (isLive || now() - loadedAt < Timeline.freshness)
    }

    // MARK: For those who show it

    /// Loads the newest blocks unless they are held and fresh.
    ///
    /// Callers at the same time share one question. What changes thereby in blocks that were held before is told to the
    /// hub's observers.
    package func loadTail() async throws(DesktopError) {
        if isFresh { return }
        let task: Task<Result<Void, DesktopError>, Never>
        if let loading {
            task = loading
        } else {
            task = Loop.spawn { [self] in await load() }
            loading = task
        }
        try await task.value.get()
    }

    /// Loads blocks below the held ones and holds them too, as far as the limits allow.
    ///
    /// - Returns: the blocks loaded, ascending; empty when there are none.
    package func loadOlder(limit: Int = 100) async throws(DesktopError) -> [Block] {
        if !isLoaded { try await loadTail() }
        guard held.hasOlder, let first = held.blocks.first?.seq else { return [] }
        let page = try await ask(before: first, limit: min(max(1, limit), Limits.pageBlocks))
        // Somebody else may have loaded the same page meanwhile.
        if held.blocks.first?.seq == first { _ = held.prepend(page) }
        return page.blocks
    }

    /// A page below `before` (nil: the newest), from what is held if it is there, else from the desktop.
    ///
    /// Holds nothing more than before: for walking through a whole session. While the desktop is away, what is held
    /// must do.
    ///
    /// - Parameter limit: 1...200.
    package func page(before: Int?, limit: Int) async throws(DesktopError) -> TimelinePage {
        let limit = min(max(1, limit), Limits.pageBlocks)
        do {
            if before == nil { try await loadTail() }
            if isFresh, let page = held.page(before: before, limit: limit) { return page }
            return try await ask(before: before, limit: limit)
        } catch {
            guard isLoaded, let page = held.page(before: before, limit: limit) else { throw error }
            return page
        }
    }

    /// Bytes of a cut block's whole body.
    ///
    /// - Parameter length: 1...524,288.
    package func body(block: String, offset: Int, length: Int) async throws(DesktopError) -> BodyChunk {
        var params: JSONObject = ["appSessionId": .string(native), "blockId": .string(block)]
        params["offset"] = JSON(offset)
        params["length"] = JSON(length)
        let chunk = try await piece("chat.getBlock", params, offset: offset, length: length)
        return BodyChunk(offset: chunk.offset, bytes: chunk.bytes, totalSize: chunk.totalSize)
    }

    /// Bytes of an image or file of this timeline.
    ///
    /// - Parameter length: 1...524,288.
    package func media(id: String, offset: Int, length: Int) async throws(DesktopError) -> MediaChunk {
        var params: JSONObject = ["previewId": .string(id)]
        params["offset"] = JSON(offset)
        params["length"] = JSON(length)
        return try await piece("files.readMediaRange", params, offset: offset, length: length)
    }

    private func piece(
        _ method: String,
        _ params: JSONObject,
        offset: Int,
        length: Int
    ) async throws(DesktopError) -> MediaChunk {
        guard offset >= 0, length > 0, length <= Limits.chunkBytes else { throw .invalid("offset or length") }
        guard let source else { throw .unknown }
        let result = try await source.ask(desktop: desktop, method, JSON.object(params).encoded())
        let chunk = await offload { ChatCodec.piece(result, offset: offset, length: length) }
        guard let chunk else { throw .badAnswer }
        return chunk
    }

    // MARK: For the hub

    /// A snapshot arrived under a lease.
    func apply(_ snapshot: TimelineCodec.Snapshot) {
        if loading != nil {
            // The page under way may be older than this: it is applied to that page once more.
            waiting.append(snapshot)
            if waiting.count > Timeline.mostWaiting { waiting.removeFirst() }
        }
        guard isLoaded else { return }
        let outcome = held.apply(snapshot)
        if !outcome.isEmpty {
            source?.changed(self, .changed(blocks: outcome.changed, removed: outcome.removed))
        }
        if outcome.hasGap {
            isCurrent = false
            refresh()
        }
    }

    /// A lease for the session began or ended.
    ///
    /// What was missed before it began is fetched; what was loaded just now is compared with the revision that the
    /// desktop greets a new lease with.
    func live(_ isLive: Bool) {
        guard isLive != self.isLive else { return }
        self.isLive = isLive
        if isLive, isLoaded, now() - loadedAt >= Timeline.freshness { refresh() }
    }

    /// Something may have been missed.
    func missed() {
        isCurrent = false
        if isLive, isLoaded { refresh() }
    }

    /// Loads the tail in the background, whether it is fresh or not.
    func refresh() {
        isCurrent = false
        guard loading == nil else { return }
        loading = Loop.spawn { [self] in await load() }
    }

    // MARK: Loading

    private func load() async -> Result<Void, DesktopError> {
        var outcome: Result<Void, DesktopError> = .success(())
        // Something may be missing even then, when snapshots were lost on the way: once more, but not for ever.
        for _ in 0..<2 {
            isCurrent = true
            do throws(DesktopError) {
                take(try await newest())
                outcome = .success(())
            } catch {
                isCurrent = false
                self.error = error
                outcome = .failure(error)
            }
            if case .failure = outcome { break }
            if isCurrent { break }
        }
        waiting = []
        loading = nil
        return outcome
    }

    private func take(_ page: TimelinePage) {
        let wasLoaded = isLoaded
        let change = held.load(page)
        var changes: [HeldBlocks.Outcome] = []
        for snapshot in waiting {
            let outcome = held.apply(snapshot)
            if outcome.hasGap { isCurrent = false }
            changes.append(outcome)
        }
        waiting = []
        error = nil
        isLoaded = true
        loadedAt = now()
        guard wasLoaded else { return }
        guard let change else {
            source?.changed(self, .reset)
            return
        }
        for change in [change] + changes where !change.isEmpty {
            source?.changed(self, .changed(blocks: change.changed, removed: change.removed))
        }
    }

    /// The newest page, and as many below it as what is held reaches down.
    private func newest() async throws(DesktopError) -> TimelinePage {
        let lowest = held.blocks.first?.seq
        let limit = min(max(held.blocks.count, Limits.tailBlocks), Limits.pageBlocks)
        var page = try await ask(before: nil, limit: limit)
        var pages = 1
        while pages < Timeline.reloadPages, page.hasMore, let lowest, let first = page.blocks.first?.seq, first > lowest
        {
            let older = try await ask(before: first, limit: Limits.pageBlocks)
            // The lower revision is the one up to which both pages are complete.
            page.revision = min(page.revision, older.revision)
            page.hasMore = older.hasMore
            page.blocks = older.blocks.filter { $0.seq < first } + page.blocks
            pages += 1
        }
        return page
    }

    private func ask(before: Int?, limit: Int) async throws(DesktopError) -> TimelinePage {
        guard let source else { throw .unknown }
        var params: JSONObject = ["appSessionId": .string(native), "threadId": .string(thread)]
        if let before { params["beforeSeq"] = JSON(before) }
        params["limit"] = JSON(limit)
        let result = try await source.ask(desktop: desktop, "chat.getTimeline", JSON.object(params).encoded())
        let page =
            result.count > Limits.inlineDecode
            ? await offload { try? TimelineCodec.page(result) } : try? TimelineCodec.page(result)
        guard let page else { throw .badAnswer }
        return page
    }
}
