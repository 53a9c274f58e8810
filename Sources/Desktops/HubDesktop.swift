// What the hub knows of one desktop: its link, its presence, its sessions, kept fresh by `chat.list` and by events.
import Web
import Wire

@Loop final class HubDesktop {
    private(set) var info: DesktopInfo
    let client: LinkClient
    /// Public ids by the desktop's own ids.
    private(set) var publicIDs: [String: String] = [:]

    private weak let hub: Hub?
    private var summaries: [String: SessionSummary] = [:]
    private var nativeIDs: [String: String] = [:]
    private var sorted: [SessionEntry]?
    private var isListing = false
    private var mustListAgain = false
    /// Sessions that events told of while a listing was under way: the listing may be older.
    private var touched: Set<String> = []

    init(_ known: KnownDesktop, hub: Hub) {
        self.hub = hub
        info = DesktopInfo(known, presence: .offline)
        let identity = RelayIdentity(device: hub.device, role: .phone, target: known.id)
        client = LinkClient(
            desktop: known.id,
            device: hub.device,
            name: hub.name,
            resume: hub.resume,
            isTrusted: true,
            now: hub.now,
            connect: { [relay = hub.relay] () async throws(LinkConnectError) in relay.connect(as: identity) }
        )
        client.onPresence = { [weak self] in self?.presenceChanged() }
        client.onOnline = { [weak self] in self?.cameOnline() }
        client.onGap = { [weak self] in self?.missed() }
        client.onControl = { [weak self] in self?.take($0) }
        client.onSnapshot = { [weak self] in self?.take($0) }
    }

    func start() { client.start() }
    func stop() { client.stop() }

    func rename(_ known: KnownDesktop) {
        info.name = known.name
        info.isLocal = known.isLocal
        info.lastSeen = max(info.lastSeen, known.lastSeen)
    }

    // MARK: Leases

    var leaseLimit: Int { isSingle ? 1 : Limits.multipleLeases }
    private var isSingle: Bool { !info.capabilities.contains("multiTimelineLease") }

    /// Public ids of the sessions that the desktop was told to send, the primary first.
    var wanted: [String] { client.wanted.compactMap { publicIDs[$0] } }

    func isLive(_ publicID: String) -> Bool {
        info.presence == .online && nativeIDs[publicID].map(client.wanted.contains) ?? false
    }

    /// - Returns: whether that is another set or order than before.
    func want(_ sessions: [String]) -> Bool {
        let before = client.wanted
        client.want(sessions.compactMap { nativeIDs[$0] }, isSingle: isSingle)
        return client.wanted != before
    }

    // MARK: Presence

    private func presenceChanged() {
        if info.presence == .online || client.presence == .online { info.lastSeen = Loop.wallClock }
        info.presence = client.presence
        sorted = nil
        hub?.note(desktops: true)
    }

    private func cameOnline() {
        Loop.spawn { [self] in await introduce() }
        refreshList()
    }

    private func missed() {
        hub?.missed(desktop: info.id)
        refreshList()
    }

    private func introduce() async {
        let answer: [UInt8]?
        do { answer = try await client.call("system.getInfo", Array("{}".utf8)) } catch { answer = nil }
        guard let answer, let json = try? JSON(parsing: answer) else { return }
        info.capabilities = (json["capabilities"]?.array ?? []).prefix(64).compactMap(\.string)
        info.version = json["version"]?.string
        // How many leases it holds may be different now.
        hub?.note(desktops: true, claims: true)
    }

    // MARK: Sessions

    /// Last changed first.
    var entries: [SessionEntry] {
        if let sorted { return sorted }
        let isStale = info.presence != .online
        let entries = summaries.values.compactMap { summary in
            publicIDs[summary.id].map {
                SessionEntry(id: $0, desktop: info.id, summary: summary, isStale: isStale)
            }
        }.sorted(by: Hub.precedes)
        sorted = entries
        return entries
    }

    func entry(_ publicID: String) -> SessionEntry? {
        guard let native = nativeIDs[publicID], let summary = summaries[native] else { return nil }
        return SessionEntry(id: publicID, desktop: info.id, summary: summary, isStale: info.presence != .online)
    }

    /// Fetches the whole list, once more afterwards if it was asked for meanwhile.
    private func refreshList() {
        mustListAgain = true
        guard !isListing else { return }
        isListing = true
        Loop.spawn { [self] in await list() }
    }

    private func list() async {
        while mustListAgain {
            mustListAgain = false
            touched = []
            guard let listed = await walk() else { continue }
            for id in summaries.keys where !listed.contains(id) && !touched.contains(id) { remove(id) }
        }
        isListing = false
        touched = []
    }

    /// Walks through the pages and takes each in.
    ///
    /// - Returns: every id that was listed; nil when the walk broke off.
    private func walk() async -> Set<String>? {
        var listed: Set<String> = []
        var cursor: String?
        repeat {
            var params: JSONObject = ["limit": JSON(Limits.listPage)]
            params["cursor"] = cursor.map(JSON.string)
            let answer: [UInt8]
            do {
                answer = try await client.call("chat.list", JSON.object(params).encoded())
            } catch {
                Log.write(.info, "the list of sessions broke off", [("desktop", info.id), ("error", error.sentence)])
                return nil
            }
            guard let page = try? ChatCodec.list(answer), page.next != cursor || cursor == nil else { return nil }
            for session in page.sessions {
                listed.insert(session.id)
                if !touched.contains(session.id) { put(session) }
            }
            cursor = page.next
        } while cursor != nil && listed.count < Limits.sessionsPerDesktop
        return listed
    }

    private func put(_ session: SessionSummary) {
        guard summaries[session.id] != session else { return }
        guard summaries[session.id] != nil || summaries.count < Limits.sessionsPerDesktop else { return }
        summaries[session.id] = session
        sorted = nil
        let publicID = publicIDs[session.id] ?? Hub.publicID(desktop: info.id, session: session.id)
        if publicIDs.updateValue(publicID, forKey: session.id) == nil {
            nativeIDs[publicID] = session.id
            hub?.own(publicID, desktop: info.id)
        }
        hub?.note(sessions: [publicID])
    }

    private func remove(_ id: String) {
        guard summaries.removeValue(forKey: id) != nil, let publicID = publicIDs.removeValue(forKey: id) else { return }
        nativeIDs[publicID] = nil
        sorted = nil
        hub?.disown(publicID)
        hub?.note(sessions: [publicID])
    }

    // MARK: Events

    private func take(_ snapshot: TimelineCodec.Snapshot) {
        if let publicID = publicIDs[snapshot.session] { hub?.received(snapshot, publicID: publicID) }
    }

    private func take(_ event: LinkEvent) {
        switch event.type {
        case "chat:updated":
            guard let change = try? ChatCodec.change(event.payload), let session = change.session else {
                return refreshList()
            }
            touch(session.id)
            put(session)
        case "chat:deleted":
            guard let id = (try? ChatCodec.change(event.payload))?.id else { return }
            touch(id)
            remove(id)
        case "chat:list-invalidated": refreshList()
        case "chat:run-status": takeRun(event.payload)
        default: break
        }
    }

    private func touch(_ id: String) {
        if isListing { touched.insert(id) }
    }

    private func takeRun(_ payload: [UInt8]) {
        guard let json = try? JSON(parsing: payload), let id = json["appSessionId"]?.string,
            var session = summaries[id]
        else { return }
        // A subagent's run says nothing about the session as a whole.
        guard json["threadId"]?.string ?? "main" == "main" else { return }
        session.state = ChatCodec.state(json["state"]?.string)
        session.activeRun = session.state == .running || session.state == .waitingApproval ? json["runId"]?.string : nil
        touch(id)
        put(session)
    }
}
