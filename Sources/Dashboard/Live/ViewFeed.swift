// One view (a thread of a session, for one audience) and the live sockets that show it. Each change is rendered once and
// sent to all; whoever comes or comes back gets what is newer than what it has. All that takes time runs in one flow, one
// step after the other, so nothing can overtake anything.

import Desktops
import Markup
import Web
import Wire

@Loop final class ViewFeed {
    struct Key: Hashable {
        var view: BlockView
        var thread: String
    }

    /// Who wants to see the view, from which version on; nil for a snapshot.
    private struct Joiner {
        weak var socket: LiveSocket?
        var since: Int?
    }

    let key: Key
    /// What `data-view` says.
    let name: String
    /// Changes when the history begins anew: versions of another epoch mean nothing.
    let epoch = RandomBytes.alphanumeric(8)
    private(set) var emptySince: Int64 = Loop.now

    private let hub: Hub
    private let cache: RenderCache
    private var history: ViewHistory
    private var members: [ObjectIdentifier: LiveSocket] = [:]
    private var joiners: [Joiner] = []
    /// Who wants to see a view that cannot be shown now: asked again when something changes.
    private var waiting: [Joiner] = []
    /// Changed blocks that wait for the next patch, by id.
    private var changed: [String: Block] = [:]
    private var removed: Set<String> = []
    private var needsReset = false
    private var lastPatch: Int64 = .min / 2
    private var isRunning = false
    private var timer: LoopTimer?
    /// Encoded answers to joiners at the current version: many come at once after a restart.
    private var answers: [Int?: PreparedMessage] = [:]
    private var answersVersion = -1
    /// For `/metrics`.
    private(set) var patchesSent = 0

    init(key: Key, hub: Hub, cache: RenderCache) {
        self.key = key
        self.hub = hub
        self.cache = cache
        name = "\(key.view.session):\(key.thread)"
        history = ViewHistory(hub.timeline(key.view.session, thread: key.thread)?.blocks ?? [])
    }

    private var timeline: Timeline? { hub.timeline(key.view.session, thread: key.thread) }
    var memberCount: Int { members.count + joiners.count + waiting.count }
    /// What `data-version` says.
    var version: String { "\(epoch).\(history.version)" }

    // MARK: who looks

    /// A socket shows the view from now on.
    func join(_ socket: LiveSocket, since text: String?) {
        let parts = text?.split(separator: ".") ?? []
        let since = parts.count == 2 && parts[0] == epoch ? Int(parts[1]) : nil
        forgetJoiner(socket)
        joiners.append(Joiner(socket: socket, since: since))
        run()
    }

    func leave(_ socket: LiveSocket) {
        members[ObjectIdentifier(socket)] = nil
        forgetJoiner(socket)
        if memberCount == 0 { emptySince = Loop.now }
    }

    private func forgetJoiner(_ socket: LiveSocket) {
        joiners.removeAll { $0.socket === socket || $0.socket == nil }
        waiting.removeAll { $0.socket === socket || $0.socket == nil }
    }

    /// The session or its desktop changed: what could not be shown may be there now.
    func tryAgain() {
        guard !waiting.isEmpty else { return }
        joiners += waiting
        waiting = []
        run()
    }

    // MARK: what changes

    func timelineChanged(_ change: TimelineChange) {
        switch change {
        case .reset: needsReset = true
        case .changed(let blocks, let gone):
            for block in blocks { changed[block.id] = block }
            for id in gone {
                changed[id] = nil
                removed.insert(id)
            }
            removed.subtract(blocks.lazy.map(\.id))
        }
        joiners += waiting
        waiting = []
        run()
    }

    private var hasChanges: Bool { needsReset || !changed.isEmpty || !removed.isEmpty }

    /// Works off what waits: at once when a patch is due, else when it will be.
    private func run() {
        guard !isRunning, timer == nil else { return }
        let wait = hasChanges ? lastPatch + DashboardLimits.patchInterval - Loop.now : 0
        guard wait <= 0 || !joiners.isEmpty && !hasChanges else {
            timer = Loop.after(milliseconds: wait) { [weak self] in
                self?.timer = nil
                self?.run()
            }
            return
        }
        isRunning = true
        Loop.spawn { @Loop [weak self] in
            await self?.work()
            guard let self else { return }
            isRunning = false
            if hasChanges || !joiners.isEmpty { run() }
        }
    }

    private func work() async {
        if hasChanges { await patch() }
        while !joiners.isEmpty, !hasChanges { await welcome(joiners.removeFirst()) }
    }

    /// Sends what changed since the last patch to everybody.
    private func patch() async {
        guard let timeline else { return }
        lastPatch = Loop.now
        let blocks = timeline.blocks
        let batch = changed, gone = removed, isReset = needsReset
        changed = [:]
        removed = []
        needsReset = false
        var steps: [PageStep]?
        if isReset {
            history.reset(blocks)
        } else {
            steps = history.apply(changed: Set(batch.keys), removed: gone, blocks: blocks)
        }
        guard !members.isEmpty else { return }
        let message: PreparedMessage
        if let steps {
            var all = batch
            for block in blocks where batch[block.id] != nil { all[block.id] = block }
            message = await patchMessage(steps, all)
        } else {
            message = await snapshotMessage(blocks, timeline)
        }
        patchesSent += 1
        for socket in members.values { socket.deliver(message, from: self) }
    }

    /// Brings one more socket to the newest version.
    private func welcome(_ joiner: Joiner) async {
        guard let socket = joiner.socket, !socket.isClosed else { return }
        guard let timeline else { return wait(joiner, socket, .unknown) }
        if !timeline.isLoaded {
            do throws(DesktopError) { try await timeline.loadTail() } catch { return wait(joiner, socket, error) }
        }
        if hasChanges {
            // They came while the tail was loaded: first the patch, then the welcome.
            joiners.insert(joiner, at: 0)
            return
        }
        guard !socket.isClosed, socket.shows(self) else { return }
        if answersVersion != history.version {
            answers = [:]
            answersVersion = history.version
        }
        let message: PreparedMessage
        if let known = answers[joiner.since] {
            message = known
        } else {
            let blocks = timeline.blocks, version = history.version
            if let since = joiner.since, let steps = history.steps(since: since, blocks: blocks) {
                message = await patchMessage(steps, Dictionary(blocks.map { ($0.id, $0) }, uniquingKeysWith: { $1 }))
            } else {
                message = await snapshotMessage(blocks, timeline)
            }
            if version == history.version, answers.count < 16 { answers[joiner.since] = message }
        }
        guard !socket.isClosed, socket.shows(self) else { return }
        members[ObjectIdentifier(socket)] = socket
        socket.deliver(message, from: self, isSnapshot: true)
    }

    /// Nothing can be shown now; the page keeps what it has until something changes.
    private func wait(_ joiner: Joiner, _ socket: LiveSocket, _ trouble: DesktopError) {
        guard !socket.isClosed, socket.shows(self) else { return }
        socket.send(Say.notice(level: "warning", text: trouble.sentence, id: name))
        waiting.append(joiner)
    }

    // MARK: messages

    private func patchMessage(_ steps: [PageStep], _ blocks: [String: Block]) async -> PreparedMessage {
        let version = history.version
        let shown = steps.compactMap { step -> Block? in
            switch step {
            case .append(let id, _), .before(let id, _), .replace(let id): blocks[id]
            case .remove: nil
            }
        }
        let rendered = await cache.rendered(shown, as: key.view)
        let html = Dictionary(zip(shown.map(\.id), rendered), uniquingKeysWith: { $1 })
        let ops = steps.compactMap { step -> [UInt8]? in
            switch step {
            case .append(let id, let parent):
                html[id].map { block in
                    parent.map { Op.append(to: ElementID.children($0), else: "timeline", html: block.html()) }
                        ?? Op.append(to: "timeline", else: nil, html: block.html())
                }
            case .before(let id, let sibling): html[id].map { Op.before(ElementID.block(sibling), html: $0.html()) }
            case .replace(let id): html[id].map { Op.replace(ElementID.block(id), html: $0.html()) }
            case .remove(let id): Op.remove(ElementID.block(id))
            }
        }
        return Say.patch(view: name, epoch: epoch, version: version, ops: ops)
    }

    private func snapshotMessage(_ blocks: [Block], _ timeline: Timeline) async -> PreparedMessage {
        let version = history.version
        let part = await ViewFeed.part(blocks, hasOlder: timeline.hasOlder, view: key.view, cache: cache)
        let older = SessionPage.olderNav(
            part.older,
            session: key.view.session,
            thread: key.thread,
            links: key.view.links
        )
        return Say.snapshot(view: name, epoch: epoch, version: version, html: part.html, older: older)
    }

    /// The last screenful of a timeline.
    static func part(_ blocks: [Block], hasOlder: Bool, view: BlockView, cache: RenderCache) async -> TimelinePart {
        let shown = TimelineLayout.page(of: blocks)
        let rendered = await cache.rendered(Array(shown), as: view)
        let html = Dictionary(zip(shown.map(\.id), rendered), uniquingKeysWith: { $1 })
        let isCut = hasOlder || shown.startIndex > blocks.startIndex
        return TimelinePart(
            html: TimelineLayout.html(TimelineLayout.nodes(shown)) { html[$0.id] },
            older: isCut ? shown.first?.seq : nil
        )
    }
}
