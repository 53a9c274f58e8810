// One session of a simulated desktop: its blocks, its revision, and what a snapshot of it holds. A value without a clock.

import Web

/// What a demonstration says about a session before it plays.
struct SessionScript: Sendable {
    /// A lower-case UUID.
    var id: String
    var title: String
    var project: String
    var agent: String
    var model: String
    var branch: String?
    var parent: String?
    /// When the last block of `history` was written, minutes before the start.
    var minutesAgo: Int
    var state = "completed"
    var history: [Entry]
    /// Turns that are played one after the other, for ever.
    var turns: [[Entry]] = []
}

struct SimulatedSession: Sendable {
    let id: String
    let title: String
    let project: String
    let agent: String
    let model: String
    let branch: String?
    let parent: String?
    var state: String
    var run = 1
    var createdAt: Int64 = 0
    var updatedAt: Int64 = 0
    private(set) var blocks: [SimulatedBlock] = []
    /// Grows with every change of a block.
    private(set) var revision = 0
    private var nextSeq = 0
    private var removed: [(id: String, revision: Int)] = []
    /// Removals up to this revision are forgotten.
    private var forgottenRemovals = 0

    init(_ script: SessionScript) {
        id = script.id
        title = script.title
        project = script.project
        agent = script.agent
        model = script.model
        branch = script.branch
        parent = script.parent
        state = script.state
    }

    var runID: String { "run-\(run)" }
    var isRunning: Bool { state == "running" || state == "waitingApproval" }

    // MARK: Changes

    mutating func begin(_ entry: Entry, parent: String?, at: Int64) -> String {
        let isWhole: Bool = if case .whole = entry.pace { true } else { false }
        let isOpen = !isWhole || entry.takes > 0 || entry.gate != nil
        let block = SimulatedBlock(
            id: "\(id.prefix(8))-\(nextSeq)",
            seq: nextSeq,
            kind: entry.kind,
            run: runID,
            parent: parent,
            createdAt: at,
            updatedAt: at,
            state: entry.gate != nil ? "pending" : isOpen ? "streaming" : entry.finalState,
            bodyKey: entry.bodyKey,
            body: isWhole ? entry.body : "",
            members: entry.members
        )
        nextSeq += 1
        blocks.append(block)
        touch(blocks.count - 1, at: at)
        trim()
        return block.id
    }

    mutating func grow(_ block: String, by text: String, at: Int64) {
        change(block, at: at) { $0.body += text }
    }

    mutating func finish(_ block: String, state: String, adding members: JSONObject, at: Int64) {
        change(block, at: at) { block in
            block.state = state
            for member in members { block.members[member.key] = member.value }
        }
    }

    /// Ends whatever is still open.
    mutating func cancelOpenBlocks(at: Int64) {
        for block in blocks where block.state == "streaming" || block.state == "pending" {
            let status: JSONObject = block.kind == "toolCall" ? ["status": "denied"] : [:]
            finish(block.id, state: "cancelled", adding: status, at: at)
        }
    }

    private mutating func change(_ id: String, at: Int64, _ body: (inout SimulatedBlock) -> Void) {
        // What changes is nearly always the newest.
        guard let place = blocks.lastIndex(where: { $0.id == id }) else { return }
        body(&blocks[place])
        blocks[place].revision += 1
        touch(place, at: at)
    }

    private mutating func touch(_ place: Int, at: Int64) {
        revision += 1
        updatedAt = at
        blocks[place].changedAt = revision
        blocks[place].updatedAt = at
    }

    /// A session that never ends loses its oldest blocks, never a child without its parent.
    private mutating func trim() {
        guard blocks.count > SimulatorLimits.blocks else { return }
        var count = blocks.count - SimulatorLimits.blocksKept
        while count < blocks.count, blocks[count].parent != nil { count += 1 }
        revision += 1
        removed += blocks[..<count].map { ($0.id, revision) }
        blocks.removeFirst(count)
        if removed.count > SimulatorLimits.removals {
            let excess = removed.count - SimulatorLimits.removals
            forgottenRemovals = removed[excess - 1].revision
            removed.removeFirst(excess)
        }
    }

    /// Moves the whole past, written from time 0, so that it ends at `end`.
    mutating func moveTimes(toEndAt end: Int64) {
        let shift = end - updatedAt
        updatedAt += shift
        createdAt += shift
        for place in blocks.indices {
            blocks[place].createdAt += shift
            blocks[place].updatedAt += shift
        }
    }

    // MARK: What travels

    func block(_ id: String) -> SimulatedBlock? { blocks.last { $0.id == id } }

    /// Every approval that waits for a decision.
    var pendingApprovals: [SimulatedBlock] { blocks.filter { $0.kind == "approval" && $0.state == "pending" } }

    /// The payload of `chat:timeline-updated`: every change after `since`, or the newest of them that fit into `limit` bytes;
    /// then the payload's own `since` says from where on it is complete.
    func snapshot(since wanted: Int, limit: Int) -> [UInt8] {
        var since = max(wanted, forgottenRemovals)
        var bodies: [[UInt8]] = []
        var size = 512
        var lowest: Int?
        for block in blocks.reversed() where block.changedAt > wanted {
            var writer = JSONWriter()
            block.write(into: &writer)
            size += writer.bytes.count + 1
            if size > limit {
                since = max(since, block.changedAt)
                continue
            }
            bodies.append(writer.bytes)
            lowest = block.seq
        }
        var writer = JSONWriter(capacity: min(size, limit) + 256)
        writer.beginObject()
        writer.member("appSessionId", id)
        writer.member("runId", runID)
        writer.member("threadId", "main")
        writer.member("revision", revision)
        writer.member("since", since)
        writer.member("baseSeq", ifPresent: lowest)
        writer.key("blocks")
        writer.beginArray()
        for body in bodies.reversed() { writer.raw(body) }
        writer.endArray()
        writer.key("removedBlockIds")
        writer.beginArray()
        for removal in removed where removal.revision > wanted { writer.string(removal.id) }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// The result of `chat.getTimeline`.
    func page(before: Int?, limit: Int) -> [UInt8] {
        let below = blocks.prefix { before == nil || $0.seq < before ?? 0 }
        let part = below.suffix(limit)
        var writer = JSONWriter(capacity: 4_096)
        writer.beginObject()
        writer.key("blocks")
        writer.beginArray()
        for block in part { block.write(into: &writer) }
        writer.endArray()
        writer.member("revision", revision)
        writer.member("hasMore", part.count < below.count)
        writer.member("total", blocks.count)
        writer.endObject()
        return writer.bytes
    }

    /// ChatSummary, or ChatDetail with `isDetail` (section 6.5).
    func writeSummary(isDetail: Bool = false, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("appSessionId", id)
        writer.member("title", title)
        writer.member("projectDirectory", project)
        writer.member("agentKind", agent)
        writer.member("model", model)
        writer.member("state", state)
        if isRunning { writer.member("activeRunId", runID) }
        writer.member("createdAt", createdAt)
        writer.member("updatedAt", updatedAt)
        writer.member("nativeId", id)
        writer.member("branch", ifPresent: branch)
        writer.member("parentSessionId", ifPresent: parent)
        writer.member("lastText", ifPresent: lastText)
        if isDetail {
            writer.key("threads")
            writer.value([["threadId": "main", "title": .string(title), "kind": "main"]])
            writer.key("pendingApprovals")
            writer.beginArray()
            for block in pendingApprovals { block.write(into: &writer) }
            writer.endArray()
            writer.member("revision", revision)
        }
        writer.endObject()
    }

    /// The first line of what the agent said last.
    private var lastText: String? {
        guard let block = blocks.last(where: { $0.kind == "assistant" }), !block.body.isEmpty else { return nil }
        return block.body.split(separator: "\n").first.map { String($0.prefix(160)) }
    }
}
