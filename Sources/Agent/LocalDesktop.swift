// This computer as a desktop: its agents' sessions, their timelines, what changes in them. Ties the catalogue, the open
// transcripts and the folder watch together and offers them to the device link. Everything here runs on the loop; every look
// at the disk is offloaded. Rules: agent-transcripts, section 0; STYLE §3.2.
package import Desktops
package import Wire

/// The sessions of the agents on this computer.
@Loop package final class LocalDesktop: DesktopService {
    /// Sessions are new or changed, or gone.
    package var onSessions: (@Loop (_ changed: [SessionSummary], _ removed: [String]) -> Void)?
    /// A followed session's timeline changed.
    package var onUpdate: (@Loop (TimelineUpdate) -> Void)?
    /// Every transcript that was there at the start is listed.
    package private(set) var isListed = false

    private let roots: AgentRoots
    private let now: @Loop () -> Int64
    private var catalogue = Catalogue()
    /// What was last said of each session.
    private var announced: [String: SessionSummary] = [:]
    private var watch: FolderWatch?
    private var poll: LoopTimer?
    private var rescan = RescanState.idle
    private var isStopped = false
    private var waitingForList: [CheckedContinuation<Void, Never>] = []

    private enum RescanState { case idle, scheduled, running, runningAndWanted }

    private var open = OpenTranscripts()
    private var followed: Set<String> = []
    private var catching: [String: Task<Transcript.Progress, Never>] = [:]
    private var refreshing: [String: Bool] = [:]
    private var summaryDue: Set<String> = []
    private var summaryAt: [String: Int64] = [:]
    private var media = MediaCache()

    /// - Parameter now: milliseconds since 1970.
    package init(roots: AgentRoots, now: @escaping @Loop () -> Int64 = { Loop.wallClock }) {
        self.roots = roots
        self.now = now
    }

    // MARK: Start and stop

    /// Begins to list and to watch.
    package func start() {
        isStopped = false
        do throws(Errno) {
            watch = try FolderWatch { [weak self] in self?.noticed($0) }
        } catch {
            Log.write(.warning, "no inotify: sessions are looked at every 5 seconds", [("error", "\(error)")])
        }
        wantRescan(afterMilliseconds: 0)
        schedulePoll()
    }

    package func stop() {
        isStopped = true
        watch?.stop()
        watch = nil
        poll?.cancel()
        poll = nil
    }

    /// Waits until every transcript that was there at the start is listed.
    package func listed() async {
        if isListed || isStopped { return }
        await withCheckedContinuation { waitingForList.append($0) }
    }

    private func schedulePoll() {
        guard !isStopped else { return }
        poll = Loop.after(milliseconds: TranscriptLimits.poll) { [weak self] in
            self?.wantRescan(afterMilliseconds: 0)
            self?.schedulePoll()
        }
    }

    // MARK: Looking

    private func noticed(_ event: FolderWatch.Event) {
        switch event {
        case .structure: wantRescan(afterMilliseconds: 20)
        case .changed(let path):
            if catalogue.listing(path: path) != nil {
                touched(path)
            } else if path.hasSuffix("/session_index.jsonl") || path.hasSuffix(".json") {
                wantRescan(afterMilliseconds: 200)
            }
        }
    }

    private func wantRescan(afterMilliseconds delay: Int64) {
        switch rescan {
        case .idle:
            rescan = .scheduled
            Loop.after(milliseconds: delay) { [weak self] in
                Loop.spawn { [weak self] in await self?.scan() }
            }
        case .running: rescan = .runningAndWanted
        case .scheduled, .runningAndWanted: break
        }
    }

    /// Looks at all folders: lists what is new, reads again what changed unnoticed, forgets what is gone.
    private func scan() async {
        guard !isStopped else { return }
        rescan = .running
        let roots = roots
        let (found, names, running) = await offload {
            (roots.scan(), CatalogueReader.codexNames(roots), RunningAgents.read(claude: roots.claude))
        }
        guard !isStopped else { return }
        // A folder that was just made is watched from now on; what came into it before is seen by one more look.
        var isMoreWanted = watch?.add(found.folders) == true && isListed
        catalogue.codexNames = names
        catalogue.running = running
        let isFirst = !isListed
        if isFirst { catalogue.expect(found.transcripts) }

        let present = Set(found.transcripts.map(\.path))
        for path in catalogue.paths where !present.contains(path) { forget(path) }
        var fresh: [FoundTranscript] = []
        for one in found.transcripts {
            guard let known = catalogue.listing(path: one.path) else {
                fresh.append(one)
                continue
            }
            if known.found.stamp != one.stamp { touched(one.path) }
        }
        await list(fresh.sorted { $0.stamp.modifiedAt > $1.stamp.modifiedAt })
        if isFirst {
            isListed = true
            for waiting in waitingForList { waiting.resume() }
            waitingForList = []
        }
        announceChanges()
        if rescan == .runningAndWanted { isMoreWanted = true }
        rescan = .idle
        if isMoreWanted { wantRescan(afterMilliseconds: 20) }
    }

    /// Reads the ends of new transcripts, a few at a time: others use the worker threads too.
    private func list(_ fresh: [FoundTranscript]) async {
        var start = 0
        while start < fresh.count, !isStopped {
            let batch = Array(fresh[start..<min(start + TranscriptLimits.listBatch, fresh.count)])
            start += batch.count
            let listings = await offload { batch.compactMap { CatalogueReader.listing($0) } }
            catalogue.put(listings)
            announce(listings.map(\.found.path))
            linkHelpers(listings.map(\.found.path))
        }
    }

    private func forget(_ path: String) {
        open.remove(path)
        catalogue.remove(path: path)
        summaryAt[path] = nil
        summaryDue.remove(path)
    }

    // MARK: Saying what changed

    /// Tells of these transcripts' sessions where something that a list shows is different.
    private func announce(_ paths: [String]) {
        let time = now()
        var changed: [SessionSummary] = []
        for path in paths {
            guard let summary = catalogue.summary(path: path, now: time), announced[summary.id] != summary else {
                continue
            }
            announced[summary.id] = summary
            changed.append(summary)
        }
        if !changed.isEmpty { onSessions?(changed, []) }
    }

    /// Tells of every difference, gone sessions included.
    ///
    /// States change by time alone, so this runs with each poll.
    private func announceChanges() {
        let all = catalogue.summaries(now: now())
        let present = Set(all.map(\.id))
        let changed = all.filter { announced[$0.id] != $0 }
        let removed = announced.keys.filter { !present.contains($0) }
        for summary in changed { announced[summary.id] = summary }
        for id in removed { announced[id] = nil }
        if !changed.isEmpty || !removed.isEmpty { onSessions?(changed, removed) }
    }

    /// New helpers are linked from the blocks of the sessions that started them.
    private func linkHelpers(_ paths: [String]) {
        for parent in Set(paths.compactMap { catalogue.parent(path: $0) }) {
            guard let path = catalogue.path(session: parent), let transcript = open.known(path) else { continue }
            transcript.link(helpers: catalogue.helpers(of: parent))
            touched(path)
        }
    }

    // MARK: Following files

    /// A transcript has new bytes, or may have.
    private func touched(_ path: String) {
        if let transcript = open.known(path), followed.contains(transcript.session) {
            refresh(transcript)
        } else {
            wantSummary(path)
        }
    }

    /// Reads what a followed transcript has got and publishes it.
    ///
    /// What comes meanwhile is read right after.
    private func refresh(_ transcript: Transcript) {
        let path = transcript.found.path
        guard refreshing[path] == nil else {
            refreshing[path] = true
            return
        }
        refreshing[path] = false
        Loop.spawn { [weak self] in await self?.refreshWhileNeeded(transcript) }
    }

    private func refreshWhileNeeded(_ transcript: Transcript) async {
        let path = transcript.found.path
        repeat {
            refreshing[path] = false
            guard await refreshOnce(transcript) else { break }
        } while refreshing[path] == true
        refreshing[path] = nil
    }

    /// - Returns: whether the transcript is still there.
    private func refreshOnce(_ transcript: Transcript) async -> Bool {
        let (progress, updates) = await offload { (transcript.catchUp(), transcript.updates()) }
        guard !isStopped, progress != .gone else {
            if progress == .gone { wantRescan(afterMilliseconds: 20) }
            return false
        }
        // The lease may have ended while the file was read.
        guard followed.contains(transcript.session) else { return true }
        for update in updates { onUpdate?(update) }
        noteFacts(transcript)
        if progress == .more { refreshing[transcript.found.path] = true }
        if progress == .busy {
            // A page is being read: what it took in is published right after.
            try? await Loop.sleep(milliseconds: 1)
            refreshing[transcript.found.path] = true
        }
        return true
    }

    /// The list says what a whole reading found.
    private func noteFacts(_ transcript: Transcript) {
        guard var listing = catalogue.listing(path: transcript.found.path) else { return }
        let facts = transcript.facts
        var merged = facts.facts
        // A rename that only the folder's own file tells of.
        merged.customTitle = merged.customTitle ?? listing.facts.customTitle
        listing.facts = merged
        listing.badLines = facts.badLines
        listing.unknown = facts.unknown
        listing.found.stamp = transcript.stamp ?? listing.found.stamp
        catalogue.put([listing])
        announce([transcript.found.path])
    }

    /// Reads the ends of a transcript again, soon: at once after a quiet time, else at most every second.
    private func wantSummary(_ path: String) {
        guard summaryDue.insert(path).inserted else { return }
        let wait = (summaryAt[path] ?? 0) + TranscriptLimits.summaryInterval - now()
        Loop.after(milliseconds: max(0, min(wait, TranscriptLimits.summaryInterval))) { [weak self] in
            Loop.spawn { [weak self] in await self?.summarize(path) }
        }
    }

    private func summarize(_ path: String) async {
        summaryDue.remove(path)
        guard !isStopped, let known = catalogue.listing(path: path) else { return }
        summaryAt[path] = now()
        guard let listing = await offload({ CatalogueReader.listing(known.found) }) else {
            wantRescan(afterMilliseconds: 20)
            return
        }
        guard catalogue.listing(path: path) != nil else { return }
        catalogue.put([listing])
        announce([path])
        linkHelpers([path])
    }

    // MARK: DesktopService

    package func sessions() async -> [SessionSummary] {
        catalogue.summaries(now: now())
    }

    package func timeline(
        session: String,
        thread: String,
        before: Int?,
        limit: Int
    ) async throws(DesktopServiceError) -> TimelinePage {
        guard (1...TranscriptLimits.pageBlocks).contains(limit) else { throw .invalid("limit must be 1 to 200") }
        let transcript = try await transcript(of: session)
        return try await offload { () throws(DesktopServiceError) in
            try transcript.page(thread: thread, before: before, limit: limit)
        }
    }

    package func block(session: String, id: String, offset: Int, length: Int) async throws(DesktopServiceError)
        -> BodyChunk
    {
        let transcript = try await transcript(of: session)
        return try await offload { () throws(DesktopServiceError) in
            try transcript.body(id: id, offset: offset, length: length)
        }
    }

    package func media(id: String, offset: Int, length: Int) async throws(DesktopServiceError) -> MediaChunk {
        guard offset >= 0, length >= 0 else { throw .invalid("offset and length must not be negative") }
        let parts = id.split(separator: "/", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw .notFound }
        let file: MediaFile
        if let cached = media.file(id) {
            file = cached
        } else {
            let transcript = try await transcript(of: parts[0])
            file = try await offload { () throws(DesktopServiceError) in try transcript.media(id: parts[1]) }
            media.keep(id, file)
        }
        guard offset <= file.bytes.count else { throw .invalid("offset is past the end") }
        let end = offset + min(length, TranscriptLimits.chunk, file.bytes.count - offset)
        return MediaChunk(
            offset: offset,
            bytes: Array(file.bytes[offset..<end]),
            totalSize: file.bytes.count,
            version: file.version,
            mediaType: file.mediaType
        )
    }

    package func follow(session: String) {
        guard followed.insert(session).inserted else { return }
        if let path = catalogue.path(session: session), let listing = catalogue.listing(path: path) {
            open.transcript(listing.found, session: session, keeping: followed).track(true)
        }
        Loop.spawn { [weak self] in await self?.beginFollowing(session) }
    }

    private func beginFollowing(_ session: String) async {
        guard let transcript = try? await transcript(of: session), followed.contains(session) else { return }
        transcript.track(true)
        refresh(transcript)
    }

    package func unfollow(session: String) {
        guard followed.remove(session) != nil, let path = catalogue.path(session: session) else { return }
        open.known(path)?.track(false)
    }

    // MARK: Open transcripts

    /// A session's transcript, read up to its end.
    private func transcript(of session: String) async throws(DesktopServiceError) -> Transcript {
        if catalogue.path(session: session) == nil { await listed() }
        guard let path = catalogue.path(session: session), let listing = catalogue.listing(path: path) else {
            throw .notFound
        }
        if listing.found.isCompressed { throw .failed("this session is compressed and cannot be read here") }
        let transcript = open.transcript(listing.found, session: session, keeping: followed)
        guard await catchUp(transcript) == .current else { throw .notFound }
        transcript.link(helpers: catalogue.helpers(of: session))
        noteFacts(transcript)
        open.forgetOldest(keeping: followed)
        // What this reading took in is news to those who watch.
        if followed.contains(session) { refresh(transcript) }
        return transcript
    }

    /// Reads a transcript to its end; several who ask at once wait for one reading.
    private func catchUp(_ transcript: Transcript) async -> Transcript.Progress {
        let path = transcript.found.path
        if let running = catching[path] { return await running.value }
        let task = Loop.spawn {
            while true {
                let progress = await offload { transcript.catchUp() }
                switch progress {
                case .current, .gone: return progress
                case .more: continue
                case .busy:
                    // `refresh` is at it: its end is near, and it leaves the same index.
                    try? await Loop.sleep(milliseconds: 1)
                }
            }
        }
        catching[path] = task
        let progress = await task.value
        catching[path] = nil
        return progress
    }
}
