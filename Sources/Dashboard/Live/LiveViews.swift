// All live sockets and all views that somebody shows. It listens to the hub and tells each view what changed; lists and
// presence go to every member's socket, at most twice a second.

import Desktops
import Markup
import Store
import Web
import Wire

@Loop final class LiveViews: HubObserver {
    let hub: Hub
    let shelf: SessionShelf
    let links: Links
    let build: String
    private let cache: RenderCache
    private var feeds: [ViewFeed.Key: ViewFeed] = [:]
    /// Feeds by session and thread: one for members, one for each share.
    private var feedsByView: [String: [ViewFeed]] = [:]
    private var sockets: [ObjectIdentifier: LiveSocket] = [:]
    private struct EventSocket { weak var socket: LiveSocket? }
    /// Sockets over server-sent events, by who opened them and their tab.
    private var eventSockets: [String: EventSocket] = [:]
    private var shareCounts: [String: Int] = [:]
    private var slowSockets: [ObjectIdentifier: LiveSocket] = [:]
    private var changedSessions: Set<String> = []
    private var changedDesktops = false
    private var areWatchersChanged = false
    private var presences: [String: Presence] = [:]
    private var listTimer: LoopTimer?
    private var sweepTimer: LoopTimer?
    private var slowTimer: LoopTimer?
    private var isDraining = false
    private var doneIntents: [String: (failure: (code: String, message: String)?, at: Int64)] = [:]
    /// For `/metrics`.
    private(set) var slowClosed = 0

    init(hub: Hub, shelf: SessionShelf, cache: RenderCache, links: Links, build: String) {
        self.hub = hub
        self.shelf = shelf
        self.cache = cache
        self.links = links
        self.build = build
        hub.observe(self)
    }

    var socketCount: Int { sockets.count }
    var feedCount: Int { feeds.count }
    var patchesSent: Int { feeds.values.reduce(0) { $0 + $1.patchesSent } }

    // MARK: sockets

    /// Whether one more socket is taken; a refused one is answered 503 before its upgrade.
    func hasRoom(share: String? = nil) -> Bool {
        guard !isDraining, sockets.count < DashboardLimits.liveSockets else { return false }
        return share.map { shareCounts[$0, default: 0] < DashboardLimits.shareSockets } ?? true
    }

    /// Takes a WebSocket over.
    func accept(_ socket: WebSocket, _ visitor: LiveVisitor) {
        let live = open(SocketChannel(socket), visitor)
        socket.onText = { [weak live] text in live?.received(text) }
        socket.onBinary = { [weak live] _ in live?.close(1003, "text only") }
        socket.onClose = { [weak live] _, _ in live?.closed() }
    }

    /// Makes a live socket over any channel.
    func open(_ channel: any LiveChannel, _ visitor: LiveVisitor) -> LiveSocket {
        let live = LiveSocket(channel: channel, visitor: visitor, views: self)
        sockets[ObjectIdentifier(live)] = live
        if case .share(let id, _) = visitor { shareCounts[id, default: 0] += 1 }
        live.send(Say.welcome(now: Loop.wallClock, build: build))
        return live
    }

    /// Makes a live socket over server-sent events; what the tab posts finds it by `tab`.
    func openEvents(_ channel: EventChannel, _ visitor: LiveVisitor, tab: String) -> LiveSocket {
        eventSockets[tab]?.socket?.close(1001, "opened again")
        if eventSockets.count > 1_000 { eventSockets = eventSockets.filter { $0.value.socket?.isClosed == false } }
        let live = open(channel, visitor)
        eventSockets[tab] = EventSocket(socket: live)
        return live
    }

    func eventSocket(tab: String) -> LiveSocket? {
        eventSockets[tab]?.socket.flatMap { $0.isClosed ? nil : $0 }
    }

    func forget(_ socket: LiveSocket) {
        guard sockets.removeValue(forKey: ObjectIdentifier(socket)) != nil else { return }
        slowSockets[ObjectIdentifier(socket)] = nil
        if case .share(let id, _) = socket.visitor {
            shareCounts[id, default: 1] -= 1
            if shareCounts[id] == 0 { shareCounts[id] = nil }
        }
        hub.closed(tab: socket.id)
        watchersChanged()
    }

    /// Closes every socket for which `verdict` names a code and a reason.
    func closeSockets(_ verdict: (LiveVisitor) -> (UInt16, String)?) {
        for socket in sockets.values {
            if let (code, reason) = verdict(socket.visitor) { socket.close(code, reason) }
        }
    }

    func drain() {
        isDraining = true
        let message = Say.reload(build: build, reason: "drain")
        for socket in Array(sockets.values) {
            socket.send(message)
            socket.close(1012, "the server restarts")
        }
        for timer in [listTimer, sweepTimer, slowTimer] { timer?.cancel() }
    }

    /// A socket fell behind: it is looked at every second until it has caught up.
    func slow(_ socket: LiveSocket) {
        socket.startProgress()
        slowSockets[ObjectIdentifier(socket)] = socket
        guard slowTimer == nil else { return }
        watchSlow()
    }

    private func watchSlow() {
        slowTimer = Loop.after(milliseconds: 250) { [weak self] in
            guard let self else { return }
            slowTimer = nil
            for (key, socket) in slowSockets where !socket.checkProgress() {
                slowSockets[key] = nil
                if socket.isClosed { slowClosed += 1 }
            }
            if !slowSockets.isEmpty { watchSlow() }
        }
    }

    // MARK: views

    /// The feed of a view, made on demand; nil when too many views have somebody who looks at them.
    func feed(_ view: BlockView, thread: String) -> ViewFeed? {
        let key = ViewFeed.Key(view: view, thread: thread)
        if let feed = feeds[key] { return feed }
        if feeds.count >= DashboardLimits.feeds {
            let idle = feeds.values.filter { $0.memberCount == 0 }.min { $0.emptySince < $1.emptySince }
            guard let idle else { return nil }
            remove(idle)
        }
        let feed = ViewFeed(key: key, hub: hub, cache: cache)
        feeds[key] = feed
        feedsByView[feed.name, default: []].append(feed)
        sweepLater()
        return feed
    }

    private func remove(_ feed: ViewFeed) {
        feeds[feed.key] = nil
        feedsByView[feed.name]?.removeAll { $0 === feed }
        if feedsByView[feed.name]?.isEmpty == true { feedsByView[feed.name] = nil }
    }

    /// Histories that nobody needs any more are let go.
    private func sweepLater() {
        guard sweepTimer == nil, !isDraining else { return }
        sweepTimer = Loop.after(milliseconds: DashboardLimits.feedLinger / 2) { [weak self] in
            guard let self else { return }
            sweepTimer = nil
            for feed in feeds.values
            where feed.memberCount == 0 && Loop.now - feed.emptySince > DashboardLimits.feedLinger {
                remove(feed)
            }
            doneIntents = doneIntents.filter { Loop.now - $0.value.at < 300_000 }
            if !feeds.isEmpty { sweepLater() }
        }
    }

    func timelineChanged(_ session: String, thread: String, _ change: TimelineChange) {
        for feed in feedsByView["\(session):\(thread)"] ?? [] { feed.timelineChanged(change) }
    }

    // MARK: lists and presence

    func sessionsChanged(_ ids: [String]) {
        changedSessions.formUnion(ids)
        let changed = Set(ids)
        for feed in feeds.values where changed.contains(feed.key.view.session) { feed.tryAgain() }
        for socket in sockets.values { socket.tryPending(changed) }
        listLater()
    }

    func desktopsChanged() {
        changedDesktops = true
        for feed in feeds.values { feed.tryAgain() }
        listLater()
    }

    func leasesChanged() { watchersChanged() }

    func watchersChanged() {
        areWatchersChanged = true
        listLater()
    }

    private func listLater() {
        guard listTimer == nil, !isDraining else { return }
        listTimer = Loop.after(milliseconds: DashboardLimits.listInterval) { [weak self] in
            guard let self else { return }
            listTimer = nil
            sendLists()
        }
    }

    private func sendLists() {
        let ids = changedSessions, areDesktopsNew = changedDesktops, areWatchersNew = areWatchersChanged
        changedSessions = []
        changedDesktops = false
        areWatchersChanged = false
        let members = sockets.values.filter { !$0.visitor.isShare }
        guard !members.isEmpty else { return }
        let list = ListView(links: links, now: Loop.wallClock)
        var ops: [[UInt8]] = []
        // Many changes at once are a new list, not a thousand rows.
        let isMany = ids.count > 50
        var whole: Set<String> = []
        for entry in ids.compactMap({ shelf.entry($0) }).sorted(by: { $0.summary.updatedAt < $1.summary.updatedAt }) {
            if isMany {
                whole.insert(entry.desktop)
                continue
            }
            let meta = SessionPage.meta(entry, list, parent: parent(of: entry), helpers: helpers(of: entry))
            ops.append(Op.replace(ElementID.meta(entry.id), html: meta))
            if entry.summary.parent != nil, parent(of: entry) != nil { continue }
            ops.append(
                Op.put(
                    ElementID.row(entry.id),
                    into: ElementID.sessions(desktop: entry.desktop, project: entry.summary.project),
                    html: list.row(entry)
                )
            )
            // The first session of a project needs the project's heading too.
            let isFirst = !hub.sessions(of: entry.desktop).contains {
                $0.id != entry.id && $0.summary.project == entry.summary.project
            }
            if isFirst { whole.insert(entry.desktop) }
        }
        for id in ids where shelf.entry(id) == nil { ops.append(Op.remove(ElementID.row(id))) }
        var messages: [PreparedMessage] = []
        if areDesktopsNew {
            let known = presences
            presences = Dictionary(hub.desktops.map { ($0.id, $0.presence) }, uniquingKeysWith: { $1 })
            for desktop in hub.desktops where known[desktop.id] != desktop.presence {
                messages.append(
                    Say.presence(
                        desktop: desktop.id,
                        presence: desktop.presence.rawValue,
                        text: Words.presence(desktop.presence)
                    )
                )
                if desktop.presence == .online || known[desktop.id] == nil { whole.insert(desktop.id) }
            }
        }
        for desktop in hub.desktops where whole.contains(desktop.id) {
            ops.append(
                Op.replace(
                    ElementID.desktop(desktop.id),
                    html: list.section(desktop, shelf.entries(of: desktop.id))
                )
            )
        }
        if areWatchersNew {
            let rows = watchingRows(now: Loop.wallClock)
            ops.append(Op.replace("watching-body", html: Shell.tableBody(rows, id: "watching-body")))
        }
        if !ops.isEmpty { messages.append(Say.list(ops: ops)) }
        for socket in members { for message in messages { socket.send(message) } }
    }

    /// The session that started this one as a helper.
    func parent(of entry: SessionEntry) -> SessionEntry? {
        entry.summary.parent.flatMap { shelf.entry(Hub.publicID(desktop: entry.desktop, session: $0)) }
    }

    /// The helpers' sessions that this one started.
    func helpers(of entry: SessionEntry) -> [SessionEntry] {
        shelf.entries(of: entry.desktop).filter { $0.summary.parent == entry.summary.id }
    }

    /// The page of who watches what.
    func watchingRows(now: Int64) -> [[HTML]] {
        var watchers: [Watcher] = []
        for socket in sockets.values {
            let who =
                switch socket.visitor {
                case .member(let credential): "\(credential.person.name), \(Browsers.name(credential.label))"
                case .share: "a share's reader"
                }
            for feed in socket.shown {
                watchers.append(
                    Watcher(
                        session: feed.key.view.session,
                        who: who,
                        since: socket.openedAt,
                        isVisible: socket.isVisible
                    )
                )
            }
            if watchers.count > 10_000 { break }
        }
        watchers.sort { ($0.session, $0.since) < ($1.session, $1.since) }
        return WatchingPage.rows(
            watchers: watchers,
            leases: hub.leases,
            session: { shelf.entry($0) },
            desktop: { hub.desktop($0) },
            links: links,
            now: now
        )
    }

    // MARK: intents

    /// Does what a person wants, once, and tells that tab how it went.
    func perform(_ intent: Intent, by credential: Credential, for socket: LiveSocket) {
        guard credential.person.role.includes(.operator_) else {
            socket.send(Say.result(intent: intent.id, failure: ("role_too_low", "Viewers cannot do that.")))
            return
        }
        let key = "\(credential.id)\n\(intent.id)"
        if let done = doneIntents[key] {
            socket.send(Say.result(intent: intent.id, failure: done.failure))
            return
        }
        Loop.spawn { @Loop [weak self, weak socket] in
            guard let self else { return }
            let failure = await act(intent, key: key)
            if doneIntents.count > 10_000 { doneIntents = [:] }
            doneIntents[key] = (failure, Loop.now)
            socket?.send(Say.result(intent: intent.id, failure: failure))
        }
    }

    /// Carries an intent out; what went wrong, in words, when it did not work.
    func act(_ intent: Intent, key: String) async -> (code: String, message: String)? {
        do throws(DesktopError) {
            switch intent.kind {
            case .prompt(let text, let thread):
                _ = try await hub.send(prompt: text, to: intent.session, thread: thread, key: key)
            case .answer(let block, let decision, let message):
                try await hub.answer(
                    approval: block,
                    of: intent.session,
                    decision: decision,
                    message: message,
                    key: key
                )
            case .interrupt(let run): try await hub.interrupt(run: run, of: intent.session, key: key)
            }
            return nil
        } catch {
            return (LiveViews.code(error), error.sentence)
        }
    }

    /// The error as a word for programs.
    nonisolated static func code(_ error: DesktopError) -> String {
        switch error {
        case .unknown: "unknown"
        case .offline: "offline"
        case .timedOut: "timed_out"
        case .disconnected: "disconnected"
        case .notImplemented: "not_implemented"
        case .notFound: "not_found"
        case .conflict: "conflict"
        case .refused: "refused"
        case .invalid: "invalid"
        case .badAnswer: "bad_answer"
        case .busy: "busy"
        }
    }
}
