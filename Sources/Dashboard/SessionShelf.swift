// Sessions as pages list them: what the hub knows, and for desktops that were not heard since the start, the last list that
// they sent. Keeps the database's copy up to date; a session that its desktop removed takes its shares with it (BR-32a).

package import Desktops
package import Store
import Web
package import Wire

@Loop package final class SessionShelf: HubObserver {
    private let hub: Hub
    private let database: DatabaseThread
    /// By public id; only what was read from the database.
    private var cached: [String: SessionEntry] = [:]
    /// Ids that the hub has had, with their desktops.
    private var heard: [String: String] = [:]
    private var changed: Set<String> = []
    private var timer: LoopTimer?
    private var timerAt: Int64 = .max
    /// Called with the ids of shares that ended with their sessions.
    package var onSharesEnded: (@Loop ([String]) -> Void)?

    package init(hub: Hub, database: DatabaseThread) {
        self.hub = hub
        self.database = database
        hub.observe(self)
    }

    /// Reads the last lists of all known desktops and makes the desktops known to the hub.
    package func start() async throws(StoreError) {
        let (desktops, sessions) = try await database.ask { database throws(StoreError) in
            let desktops = try database.rememberedDesktops()
            var sessions: [CachedSession] = []
            for desktop in desktops { sessions += try database.cachedSessions(desktop: desktop.id) }
            return (desktops, sessions)
        }
        for desktop in desktops where desktop.kind == DesktopKind.deviceLink.rawValue {
            var known = KnownDesktop(id: desktop.id, name: desktop.name)
            known.lastSeen = desktop.lastSeen
            if hub.desktop(desktop.id) == nil { hub.register(desktop: known) }
        }
        for session in sessions {
            guard let summary = SessionCodec.summary(session.summary) else { continue }
            cached[session.id] = SessionEntry(id: session.id, desktop: session.desktop, summary: summary, isStale: true)
        }
        sessionsChanged(hub.sessions().map(\.id))
    }

    /// Sessions of a desktop, or of all, last changed first.
    package func entries(of desktop: String? = nil) -> [SessionEntry] {
        if let desktop {
            let live = hub.sessions(of: desktop)
            return live.isEmpty ? newestFirst(cached.values.filter { $0.desktop == desktop }) : live
        }
        let live = hub.sessions()
        let desktops = Set(live.map(\.desktop))
        let old = cached.values.filter { !desktops.contains($0.desktop) }
        return old.isEmpty ? live : newestFirst(live + old)
    }

    package func entry(_ id: String) -> SessionEntry? {
        if let entry = hub.session(id) { return entry }
        guard let entry = cached[id], hub.sessions(of: entry.desktop).isEmpty else { return nil }
        return entry
    }

    private func newestFirst(_ entries: some Sequence<SessionEntry>) -> [SessionEntry] {
        entries.sorted { ($0.summary.updatedAt, $0.id) > ($1.summary.updatedAt, $1.id) }
    }

    // MARK: keeping

    /// A new session is kept at once, because a command may ask for it; what changes in known ones, once a second.
    package func sessionsChanged(_ ids: [String]) {
        changed.formUnion(ids)
        guard !changed.isEmpty else { return }
        let due = Loop.now + (ids.allSatisfy { heard[$0] != nil } ? 1_000 : 20)
        guard due < timerAt else { return }
        timer?.cancel()
        timerAt = due
        timer = Loop.after(milliseconds: due - Loop.now) { [weak self] in
            guard let self else { return }
            timer = nil
            timerAt = .max
            Loop.spawn { @Loop [weak self] in await self?.write() }
        }
    }

    /// Writes what changed since the last time.
    package func write() async {
        let ids = changed
        changed = []
        var kept: [String: [CachedSession]] = [:], removed: [String: [String]] = [:]
        for id in ids {
            if let entry = hub.session(id) {
                heard[id] = entry.desktop
                let summary = entry.summary
                kept[entry.desktop, default: []].append(
                    CachedSession(
                        id: id,
                        desktop: entry.desktop,
                        nativeID: summary.nativeID,
                        title: summary.title,
                        updatedAt: summary.updatedAt,
                        summary: SessionCodec.bytes(summary)
                    )
                )
            } else if let desktop = heard.removeValue(forKey: id), hub.desktop(desktop) != nil {
                removed[desktop, default: []].append(id)
                cached[id] = nil
            }
        }
        let now = Loop.wallClock
        for desktop in Set(kept.keys).union(removed.keys) {
            let changed = kept[desktop] ?? [], gone = removed[desktop] ?? []
            do throws(StoreError) {
                let ended = try await database.ask { database throws(StoreError) in
                    try database.cache(changed: changed, removed: gone, desktop: desktop, now: now)
                }
                if !ended.isEmpty { onSharesEnded?(ended) }
            } catch {
                Log.write(.warning, "the list of sessions was not kept: \(error.sentence)")
            }
        }
    }
}

/// How a session's summary lies in the database: the members of the device link's `chat.list`, so that its reader serves.
enum SessionCodec {
    static func bytes(_ summary: SessionSummary) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("appSessionId", summary.id)
        writer.member("title", summary.title)
        writer.member("projectDirectory", summary.project)
        writer.member("agentKind", summary.agent.rawValue)
        writer.member("model", ifPresent: summary.model)
        writer.member("state", summary.state.rawValue)
        writer.member("updatedAt", summary.updatedAt)
        writer.member("createdAt", summary.createdAt)
        writer.member("nativeId", summary.nativeID)
        writer.member("branch", ifPresent: summary.branch)
        writer.member("agentVersion", ifPresent: summary.agentVersion)
        writer.member("parentSessionId", ifPresent: summary.parent)
        writer.member("forkedFrom", ifPresent: summary.forkedFrom)
        writer.member("transcript", summary.transcript)
        writer.member("badLines", ifPresent: summary.badLines)
        writer.member("unknownRecords", ifPresent: summary.unknownRecords)
        writer.endObject()
        return writer.bytes
    }

    static func summary(_ bytes: [UInt8]) -> SessionSummary? {
        var reader = JSONReader(bytes)
        return try? ChatCodec.session(&reader)
    }
}
