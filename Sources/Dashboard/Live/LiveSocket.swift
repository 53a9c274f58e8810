// One tab's live socket: what it shows, what it may ask, and what happens when it is slow. Members and share viewers use the
// same class; what a share viewer can say at all is decided by its decoder.

import Desktops
import Store
import Web
import Wire

/// Who is at the other end.
enum LiveVisitor {
    case member(Credential)
    /// The share's id and the one session that it shows.
    case share(id: String, view: BlockView)

    var isShare: Bool { if case .share = self { true } else { false } }
}

@Loop final class LiveSocket {
    /// Unique in this process: the tab's id for claims.
    let id = RandomBytes.alphanumeric(16)
    let visitor: LiveVisitor
    let openedAt = Loop.wallClock
    private(set) var isClosed = false
    private(set) var isVisible = false

    private let channel: any LiveChannel
    /// Keeps the views alive until it is closed.
    private let views: LiveViews
    private var claims: [String: (claim: LiveClaim, feed: ViewFeed)] = [:]
    /// Claims on sessions that are not known yet: after a restart a tab is here before its desktop is.
    private var pending: [String: LiveClaim] = [:]
    /// Views that missed patches because too much was queued: each gets one fresh snapshot when there is room.
    private var behind: Set<ObjectIdentifier> = []
    private var lastBuffered = 0
    private var progressAt = Loop.now
    private var allowance: Double
    private var allowanceAt = Loop.now

    init(channel: any LiveChannel, visitor: LiveVisitor, views: LiveViews) {
        self.channel = channel
        self.visitor = visitor
        self.views = views
        allowance = Double(DashboardLimits.liveMessageRate * 10)
    }

    /// The views that it shows now.
    var shown: [ViewFeed] { claims.values.map(\.feed) }
    func shows(_ feed: ViewFeed) -> Bool { claims.values.contains { $0.feed === feed } }

    // MARK: up

    /// A text message of the browser.
    func received(_ text: [UInt8]) {
        guard !isClosed else { return }
        allowance = min(
            Double(DashboardLimits.liveMessageRate * 10),
            allowance + Double(Loop.now - allowanceAt) * Double(DashboardLimits.liveMessageRate) / 1_000
        )
        allowanceAt = Loop.now
        allowance -= 1
        guard allowance >= 0 else {
            close(1008, "too many messages")
            return
        }
        guard let json = try? JSON(parsing: text, depthLimit: 8) else {
            close(1007, "not JSON")
            return
        }
        switch visitor {
        case .share:
            // Nothing but watching is ever decoded here.
            if let message = WatchMessage(json) { watch(message) }
        case .member(let credential):
            switch MemberMessage(json) {
            case .watch(let message): watch(message)
            case .intent(let intent): views.perform(intent, by: credential, for: self)
            case .badIntent(let id):
                send(
                    Say.result(intent: id, failure: ("bad_intent", "This page asked for something unknown. Reload it."))
                )
            case nil: break
            }
        }
    }

    private func watch(_ message: WatchMessage) {
        switch message {
        case .hello(_, let build):
            if !build.isEmpty, build != views.build { send(Say.reload(build: views.build, reason: "build")) }
        case .visible(let generation):
            isVisible = true
            views.hub.visible(tab: id, generation: generation)
            views.watchersChanged()
        case .hidden:
            isVisible = false
            views.hub.suspend(tab: id)
            views.watchersChanged()
        case .claim(let claim): self.claim(claim)
        case .release(let id): release(id)
        case .ack: break
        case .ping: send(Say.pong(now: Loop.wallClock))
        }
    }

    private func claim(_ claim: LiveClaim) {
        let view: BlockView
        switch visitor {
        case .share(_, let shared):
            guard claim.session == shared.session else { return }
            view = shared
        case .member:
            guard let entry = views.shelf.entry(claim.session) else {
                if pending.count < DashboardLimits.claimsPerSocket { pending[claim.id] = claim }
                send(Say.notice(level: "warning", text: DesktopError.unknown.sentence, id: claim.session))
                return
            }
            pending[claim.id] = nil
            view = BlockView(links: views.links, session: entry.id, agent: entry.summary.agent)
        }
        guard claims[claim.id] != nil || claims.count < DashboardLimits.claimsPerSocket else { return }
        guard let feed = views.feed(view, thread: claim.thread) else {
            send(
                Say.notice(
                    level: "warning",
                    text: "Too many sessions are watched; this one is not live.",
                    id: claim.session
                )
            )
            return
        }
        if let old = claims[claim.id]?.feed, old !== feed {
            claims[claim.id] = nil
            if !shows(old) { old.leave(self) }
        }
        claims[claim.id] = (claim, feed)
        views.hub.claim(
            Claim(
                tab: id,
                id: claim.id,
                session: claim.session,
                thread: claim.thread,
                generation: claim.generation,
                isShare: visitor.isShare
            )
        )
        behind.remove(ObjectIdentifier(feed))
        feed.join(self, since: claim.since)
        views.watchersChanged()
    }

    /// Sessions changed: claims that waited for one of them are made now.
    func tryPending(_ ids: Set<String>) {
        for claim in Array(pending.values) where ids.contains(claim.session) && views.shelf.entry(claim.session) != nil
        {
            self.claim(claim)
        }
    }

    private func release(_ claim: String) {
        pending[claim] = nil
        views.hub.release(tab: id, claim: claim)
        guard let feed = claims.removeValue(forKey: claim)?.feed else { return }
        if !shows(feed) { feed.leave(self) }
        views.watchersChanged()
    }

    // MARK: down

    func send(_ message: PreparedMessage) {
        if !isClosed { channel.send(message) }
    }

    /// A message of a view.
    ///
    /// When too much waits already it is not sent: the view gets one snapshot later (DESIGN §6).
    func deliver(_ message: PreparedMessage, from feed: ViewFeed, isSnapshot: Bool = false) {
        guard !isClosed else { return }
        let key = ObjectIdentifier(feed)
        if channel.bufferedBytes > DashboardLimits.queuedBytes || behind.contains(key) && !isSnapshot {
            if behind.insert(key).inserted { views.slow(self) }
            return
        }
        behind.remove(key)
        channel.send(message)
    }

    /// Looks whether a slow browser has read something: then its views are brought up to date; when it read nothing for
    /// too long, it is cut.
    ///
    /// Called once a second while it is behind.
    ///
    /// - Returns: whether it must be looked at again.
    func checkProgress() -> Bool {
        guard !isClosed else { return false }
        let buffered = channel.bufferedBytes
        if buffered < lastBuffered || buffered == 0 { progressAt = Loop.now }
        lastBuffered = buffered
        if Loop.now - progressAt >= DashboardLimits.stalled {
            close(1013, "too slow")
            return false
        }
        guard buffered < DashboardLimits.queuedBytes / 4 else { return true }
        for feed in shown where behind.contains(ObjectIdentifier(feed)) { feed.join(self, since: nil) }
        behind = []
        return false
    }

    /// It fell behind just now.
    func startProgress() {
        progressAt = Loop.now
        lastBuffered = channel.bufferedBytes
    }

    func close(_ code: UInt16, _ reason: String) {
        guard !isClosed else { return }
        channel.close(code, reason)
        closed()
    }

    /// The connection is gone; its claims go with it.
    func closed() {
        guard !isClosed else { return }
        isClosed = true
        let feeds = shown
        claims = [:]
        pending = [:]
        for feed in feeds { feed.leave(self) }
        views.forget(self)
    }
}
