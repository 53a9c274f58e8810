// All state on the dashboard's side: desktops and their presence, sessions, timelines, who watches what. Pages read it, live
// sockets claim through it and observe it, each desktop's link feeds it (`HubDesktop`).
import Web
package import Wire

/// Told of changes, on the loop.
///
/// All members have empty defaults.
@Loop package protocol HubObserver: AnyObject {
    /// A desktop came, left, was renamed, or changed its presence.
    ///
    /// At the end of the turn.
    func desktopsChanged()
    /// Sessions are new, changed or gone: their public ids.
    ///
    /// At the end of the turn.
    func sessionsChanged(_ ids: [String])
    /// At once.
    func timelineChanged(_ session: String, thread: String, _ change: TimelineChange)
    /// Which sessions are live changed.
    ///
    /// At the end of the turn.
    func leasesChanged()
}

extension HubObserver {
    package func desktopsChanged() {}
    package func sessionsChanged(_ ids: [String]) {}
    package func timelineChanged(_ session: String, thread: String, _ change: TimelineChange) {}
    package func leasesChanged() {}
}

/// A lease as a page shows it.
package struct LeaseInfo: Sendable, Equatable {
    package var desktop: String
    /// The session's public id.
    package var session: String
    package var isPrimary: Bool
    /// How many counted claims want it.
    package var claims: Int
}

/// A person's decision on an approval request.
package enum ApprovalDecision: String, Sendable {
    case allow, allowAlways, deny
}

/// Desktops, sessions, timelines, claims.
@Loop package final class Hub {
    private struct WeakObserver {
        weak let observer: (any HubObserver)?
    }

    /// A claimed session without a lease is fetched so often, milliseconds (W-1).
    private static let refreshEvery: Int64 = 5_000

    let device: String
    let name: String
    let relay: Relay
    let now: @Loop () -> Int64
    let resume = ResumeStore()

    private var members: [String: HubDesktop] = [:]
    /// Which desktop a public session id belongs to.
    private var owners: [String: String] = [:]
    private var timelines: [TimelineKey: Timeline] = [:]
    private var lastUse = 0
    private var claims = Claims()
    private var observers: [WeakObserver] = []
    private var sortedSessions: [SessionEntry]?

    private var changedSessions: Set<String> = []
    private var hasChangedDesktops = false
    private var hasChangedClaims = false
    private var isTurnEnding = false
    private var refreshTimer: LoopTimer?

    private struct TimelineKey: Hashable {
        var session: String
        var thread: String
    }

    /// - Parameters:
    ///   - relay: the built-in relay, through which the hub reaches every desktop.
    ///   - device: this server's own id on the link, a lower-case UUID that stays the same over restarts.
    ///   - name: this server's name, as desktops log it.
    ///   - now: monotonic milliseconds.
    package init(relay: Relay, device: String, name: String, now: @escaping @Loop () -> Int64 = { Loop.now }) {
        self.relay = relay
        self.device = device
        self.name = name
        self.now = now
    }

    // MARK: Desktops

    /// Makes a desktop known and starts to look for it.
    ///
    /// Calling it again changes its name.
    package func register(desktop: KnownDesktop) {
        if let member = members[desktop.id] {
            member.rename(desktop)
        } else if members.count < Limits.desktops {
            let member = HubDesktop(desktop, hub: self)
            members[desktop.id] = member
            member.start()
        } else {
            Log.write(.warning, "no more desktops can be known", [("desktop", desktop.id)])
            return
        }
        note(desktops: true)
    }

    /// Forgets a desktop with its sessions and timelines, and closes the connection to it.
    package func forget(desktop id: String) {
        guard let member = members.removeValue(forKey: id) else { return }
        member.stop()
        resume.book.forget(ResumeBook.key(device: device, desktop: id))
        note(sessions: Array(member.publicIDs.values), desktops: true, claims: true)
        for id in member.publicIDs.values { owners[id] = nil }
        timelines = timelines.filter { $0.value.desktop != id }
    }

    /// Closes every connection.
    package func stop() {
        for member in members.values { member.stop() }
        refreshTimer?.cancel()
        refreshTimer = nil
    }

    /// Every known desktop, by name.
    package var desktops: [DesktopInfo] {
        members.values.map(\.info).sorted { ($0.name, $0.id) < ($1.name, $1.id) }
    }

    package func desktop(_ id: String) -> DesktopInfo? { members[id]?.info }

    // MARK: Sessions

    /// The public id of a desktop's session.
    package nonisolated static func publicID(desktop: String, session: String) -> String {
        Digest.hex(Array(Digest.sha256(Array("\(desktop)\n\(session)".utf8)).prefix(16)))
    }

    /// Sessions of one desktop, or of all, last changed first.
    package func sessions(of desktop: String? = nil) -> [SessionEntry] {
        if let desktop { return members[desktop]?.entries ?? [] }
        if let sortedSessions { return sortedSessions }
        var all = members.values.flatMap(\.entries)
        if members.count > 1 { all.sort(by: Hub.precedes) }
        sortedSessions = all
        return all
    }

    static func precedes(_ left: SessionEntry, _ right: SessionEntry) -> Bool {
        left.summary.updatedAt != right.summary.updatedAt
            ? left.summary.updatedAt > right.summary.updatedAt : left.id < right.id
    }

    package func session(_ publicID: String) -> SessionEntry? {
        owners[publicID].flatMap { members[$0]?.entry(publicID) }
    }

    // MARK: Timelines

    /// The timeline of a session's thread, made on demand; nil when the session is unknown.
    ///
    /// Unclaimed ones are let go, the least recently asked for first, above the limits.
    package func timeline(_ publicID: String, thread: String = "main") -> Timeline? {
        let key = TimelineKey(session: publicID, thread: thread)
        lastUse += 1
        if let timeline = timelines[key] {
            timeline.lastUse = lastUse
            return timeline
        }
        guard let entry = session(publicID) else { return nil }
        makeRoom()
        let timeline = Timeline(
            session: publicID,
            thread: thread,
            desktop: entry.desktop,
            native: entry.summary.id,
            source: self,
            now: now
        )
        timeline.lastUse = lastUse
        timeline.live(isLive(publicID))
        timelines[key] = timeline
        return timeline
    }

    private func makeRoom() {
        var bytes = timelines.values.reduce(0) { $0 + $1.bytes }
        guard timelines.count >= Limits.timelines || bytes > Limits.timelineBytes else { return }
        for (key, timeline) in timelines.sorted(by: { $0.value.lastUse < $1.value.lastUse })
        where claims.watch(of: key.session) == nil {
            guard timelines.count >= Limits.timelines || bytes > Limits.timelineBytes else { return }
            timelines[key] = nil
            bytes -= timeline.bytes
        }
    }

    // MARK: Claims

    /// The tab is in the foreground, in this generation (1 for the first; each change from hidden to visible is a new one).
    package func visible(tab: String, generation: Int) {
        claims.visible(tab: tab, generation: generation)
        note(claims: true)
    }

    /// The tab is hidden: its claims do not count until they are made again.
    package func suspend(tab: String) {
        claims.suspend(tab: tab)
        note(claims: true)
    }

    /// The tab's socket is gone, with all its claims.
    package func closed(tab: String) {
        claims.closed(tab: tab)
        note(claims: true)
    }

    /// Makes, moves or confirms a claim.
    package func claim(_ claim: Claim) {
        claims.claim(claim)
        note(claims: true)
    }

    package func release(tab: String, claim id: String) {
        claims.release(tab: tab, claim: id)
        note(claims: true)
    }

    /// Updates of this session arrive by themselves.
    ///
    /// False for a claimed session: "live in another view".
    package func isLive(_ publicID: String) -> Bool {
        owners[publicID].flatMap { members[$0]?.isLive(publicID) } ?? false
    }

    /// Every lease that a desktop is told of now, the primary of each desktop first.
    package var leases: [LeaseInfo] {
        members.values.sorted { $0.info.name < $1.info.name }.flatMap { member in
            member.wanted.enumerated().map { place, session in
                LeaseInfo(
                    desktop: member.info.id,
                    session: session,
                    isPrimary: place == 0,
                    claims: claims.watch(of: session)?.count ?? 0
                )
            }
        }
    }

    /// Asks each desktop for what its claims say now.
    private func settleClaims() {
        let wanted = claims.leases(
            base: { [owners] id in owners[id].map { ($0, id) } },
            limit: { [members] id in members[id]?.leaseLimit ?? 1 }
        )
        var hasChanged = false
        for (id, member) in members where member.want(wanted[id] ?? []) { hasChanged = true }
        if hasChanged {
            tellTimelines()
            for observer in observers { observer.observer?.leasesChanged() }
        }
        refreshWaiting()
    }

    private func tellTimelines() {
        for timeline in timelines.values { timeline.live(isLive(timeline.session)) }
    }

    /// Fetches what is claimed and loaded but not live, every five seconds while that is so.
    private func refreshWaiting() {
        guard refreshTimer == nil, timelines.values.contains(where: isWaiting) else { return }
        refreshTimer = Loop.after(milliseconds: Hub.refreshEvery) { [weak self] in
            guard let self else { return }
            refreshTimer = nil
            for timeline in timelines.values where isWaiting(timeline) { timeline.refresh() }
            refreshWaiting()
        }
    }

    private func isWaiting(_ timeline: Timeline) -> Bool {
        !timeline.isLive && timeline.isLoaded && claims.watch(of: timeline.session) != nil
            && members[timeline.desktop]?.info.presence == .online
    }

    // MARK: Observers

    /// Observers are held weakly.
    package func observe(_ observer: any HubObserver) {
        observers.removeAll { $0.observer == nil }
        observers.append(WeakObserver(observer: observer))
    }

    /// Remembers what changed until the turn ends.
    func note(sessions: [String] = [], desktops: Bool = false, claims: Bool = false) {
        if !sessions.isEmpty { sortedSessions = nil }
        if desktops { sortedSessions = nil }
        changedSessions.formUnion(sessions)
        hasChangedDesktops = hasChangedDesktops || desktops
        hasChangedClaims = hasChangedClaims || claims
        guard !isTurnEnding else { return }
        isTurnEnding = true
        Loop.endOfTurn { [weak self] in self?.endTurn() }
    }

    private func endTurn() {
        isTurnEnding = false
        if hasChangedClaims {
            hasChangedClaims = false
            settleClaims()
        }
        if hasChangedDesktops {
            hasChangedDesktops = false
            tellTimelines()
            for observer in observers { observer.observer?.desktopsChanged() }
        }
        if !changedSessions.isEmpty {
            let ids = changedSessions.sorted()
            changedSessions = []
            for observer in observers { observer.observer?.sessionsChanged(ids) }
        }
    }

    // MARK: From the desktops

    /// A session is known now; a claim on it may have been waiting.
    func own(_ publicID: String, desktop: String) {
        guard owners.updateValue(desktop, forKey: publicID) == nil else { return }
        if claims.watch(of: publicID) != nil { note(claims: true) }
    }

    /// A session is gone.
    func disown(_ publicID: String) {
        guard owners.removeValue(forKey: publicID) != nil else { return }
        timelines = timelines.filter { $0.key.session != publicID }
        if claims.watch(of: publicID) != nil { note(claims: true) }
    }

    func received(_ snapshot: TimelineCodec.Snapshot, publicID: String) {
        timelines[TimelineKey(session: publicID, thread: snapshot.thread)]?.apply(snapshot)
    }

    /// Events of a desktop may have been missed.
    func missed(desktop: String) {
        for timeline in timelines.values where timeline.desktop == desktop { timeline.missed() }
    }

    // MARK: Intents

    /// Sends a prompt.
    ///
    /// The key makes a repetition harmless: the same key never acts twice.
    ///
    /// - Returns: the run's id.
    package func send(
        prompt: String,
        to publicID: String,
        thread: String = "main",
        key: String
    ) async throws(DesktopError) -> String {
        let params: JSONObject = ["threadId": .string(thread), "text": .string(prompt)]
        let result = try await intent("chat.sendMessage", publicID, params, key)
        guard let run = (try? JSON(parsing: result))?["runId"]?.string else { throw .badAnswer }
        return run
    }

    /// Answers an approval request or question, by `Block.requestID` or else the block's id.
    package func answer(
        approval: String,
        of publicID: String,
        decision: ApprovalDecision,
        message: String? = nil,
        key: String
    ) async throws(DesktopError) {
        var params: JSONObject = ["approvalId": .string(approval), "decision": .string(decision.rawValue)]
        if let message { params["message"] = .string(message) }
        _ = try await intent("chat.respondApproval", publicID, params, key)
    }

    /// Stops a run, by `SessionSummary.activeRun`.
    package func interrupt(run: String, of publicID: String, key: String) async throws(DesktopError) {
        _ = try await intent("chat.interrupt", publicID, ["runId": .string(run)], key)
    }

    private func intent(
        _ method: String,
        _ publicID: String,
        _ params: JSONObject,
        _ key: String
    ) async throws(DesktopError) -> [UInt8] {
        guard let entry = session(publicID), let member = members[entry.desktop] else { throw .unknown }
        var params = params
        params["appSessionId"] = .string(entry.summary.id)
        return try await member.client.call(method, JSON.object(params).encoded(), key: key)
    }
}

extension Hub: TimelineSource {
    func ask(desktop: String, _ method: String, _ params: [UInt8]) async throws(DesktopError) -> [UInt8] {
        guard let member = members[desktop] else { throw .unknown }
        return try await member.client.call(method, params)
    }

    func changed(_ timeline: Timeline, _ change: TimelineChange) {
        for observer in observers {
            observer.observer?.timelineChanged(timeline.session, thread: timeline.thread, change)
        }
    }
}
