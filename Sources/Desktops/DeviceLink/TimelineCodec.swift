// Blocks, pages and updates as the device link carries them (protocol document, sections 4.5 and 5). The one file that knows
// these shapes. Of our own making: kinds `question`, `usage`, `badLine`, `malformed`, `unknown`; members `isRewound`,
// `since`, `requestId`; and any filled member of a block that its kind has no word for travels under its own name, so that
// nothing is lost between two Wheelhouses. Tool inputs travel as JSON *text*: their keys hold underscores (R38).
package import Web

package enum TimelineCodec {
    // MARK: Kinds

    static func wireKind(of kind: BlockKind) -> String {
        switch kind {
        case .tool: "toolCall"
        case .output: "commandOutput"
        case .edit: "diff"
        case .todo, .plan: "plan"
        case .notice: "status"
        case .user, .assistant, .thinking, .image, .subagent, .approval, .question, .file, .error, .usage, .badLine,
            .malformed, .unknown:
            kind.rawValue
        }
    }

    static func kind(ofWire name: String) -> BlockKind? {
        switch name {
        case "toolCall": .tool
        case "commandOutput": .output
        case "diff": .edit
        case "status": .notice
        case "tool", "output", "edit", "todo", "notice": nil
        default: BlockKind(rawValue: name)
        }
    }

    /// What the kind calls `Block.text`.
    static func textKey(of kind: BlockKind) -> StaticString {
        switch kind {
        case .assistant, .thinking, .plan, .todo: "markdown"
        case .tool: "resultText"
        case .output: "output"
        case .error: "message"
        case .subagent: "lastText"
        default: "text"
        }
    }

    /// What the kind calls `Block.name`.
    static func nameKey(of kind: BlockKind) -> StaticString {
        switch kind {
        case .tool, .approval: "toolName"
        case .error: "code"
        case .subagent: "agentKind"
        default: "name"
        }
    }

    /// What the kind calls `Block.title`.
    static func titleKey(of kind: BlockKind) -> StaticString {
        switch kind {
        case .approval: "summary"
        case .image: "alt"
        default: "title"
        }
    }

    // MARK: Updates

    /// A desktop's `chat:timeline-updated`.
    ///
    /// - Parameter isTruncated: blocks were left out: whoever did not have all of them must reload.
    static func payload(of update: TimelineUpdate, isTruncated: Bool) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginObject()
        writer.member("appSessionId", update.session)
        writer.member("runId", update.run)
        writer.member("threadId", update.thread)
        writer.member("revision", update.revision)
        writer.member("since", update.since)
        if let first = update.blocks.first { writer.member("baseSeq", first.seq) }
        writer.key("blocks")
        writer.beginArray()
        for block in update.blocks { write(block, run: update.run, into: &writer) }
        writer.endArray()
        writer.key("removedBlockIds")
        writer.beginArray()
        for id in update.removed { writer.string(id) }
        writer.endArray()
        if isTruncated { writer.member("truncatedHead", true) }
        writer.endObject()
        return writer.bytes
    }

    /// The update's payload within a size: when it is too large only the newest blocks that fit travel, and `since` becomes
    /// the update's own revision, which makes every receiver that is behind reload.
    package static func payload(of update: TimelineUpdate, limit: Int = Limits.snapshotBytes) -> [UInt8] {
        let whole = payload(of: update, isTruncated: false)
        if whole.count <= limit { return whole }
        var part = update
        part.since = update.revision
        part.blocks = []
        var room = limit - payload(of: part, isTruncated: true).count - 64
        for block in update.blocks.reversed() {
            var writer = JSONWriter()
            write(block, run: update.run, into: &writer)
            room -= writer.bytes.count + 1
            guard room > 0 else { break }
            part.blocks.append(block)
        }
        part.blocks.reverse()
        return payload(of: part, isTruncated: true)
    }

    /// What a receiver makes of a snapshot.
    package struct Snapshot: Sendable, Equatable {
        package var session: String
        package var thread: String
        package var run: String
        package var revision: Int
        /// Ours: every change after this revision is in.
        ///
        /// Nil from desktops that send all blocks from `baseSeq` on instead.
        package var since: Int?
        package var baseSeq: Int?
        package var blocks: [Block]
        package var removed: [String]
    }

    package static func snapshot(_ payload: [UInt8]) throws(JSONError) -> Snapshot {
        var snapshot = Snapshot(session: "", thread: "main", run: "main", revision: 0, blocks: [], removed: [])
        var reader = JSONReader(payload)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "appSessionId": snapshot.session = try reader.string()
            case "threadId": snapshot.thread = try reader.optionalString() ?? "main"
            case "runId": snapshot.run = try reader.optionalString() ?? "main"
            case "revision": snapshot.revision = try reader.int()
            case "since": snapshot.since = try reader.optionalInt()
            case "baseSeq": snapshot.baseSeq = try reader.optionalInt()
            case "blocks": snapshot.blocks = try blocks(&reader)
            case "removedBlockIds": snapshot.removed = try strings(&reader)
            default: try reader.skip()
            }
        }
        return snapshot
    }

    // MARK: Pages

    static func result(of page: TimelinePage) -> [UInt8] {
        var page = page
        var bodies: [[UInt8]] = []
        var size = 0
        // The newest blocks matter most: a page that grows too large loses its oldest ones.
        for block in page.blocks.reversed() {
            var writer = JSONWriter()
            write(block, run: "main", into: &writer)
            size += writer.bytes.count + 1
            if size > Limits.pageBytes, !bodies.isEmpty {
                page.hasMore = true
                break
            }
            bodies.append(writer.bytes)
        }
        var writer = JSONWriter(capacity: size + 128)
        writer.beginObject()
        writer.key("blocks")
        writer.beginArray()
        for body in bodies.reversed() { writer.raw(body) }
        writer.endArray()
        writer.member("revision", page.revision)
        writer.member("hasMore", page.hasMore)
        writer.member("total", ifPresent: page.total)
        writer.endObject()
        return writer.bytes
    }

    package static func page(_ result: [UInt8]) throws(JSONError) -> TimelinePage {
        var page = TimelinePage(blocks: [], revision: 0, hasMore: false)
        var reader = JSONReader(result)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "blocks": page.blocks = try blocks(&reader)
            case "revision": page.revision = try reader.int()
            case "hasMore": page.hasMore = try reader.optionalBool() ?? false
            case "total": page.total = try reader.optionalInt()
            default: try reader.skip()
            }
        }
        return page
    }

    /// Blocks ascending by `seq`, each id once (the last wins).
    private static func blocks(_ reader: inout JSONReader) throws(JSONError) -> [Block] {
        var blocks: [Block] = []
        try reader.enterArray()
        while try reader.nextElement() {
            if let block = try block(&reader) { blocks.append(block) }
        }
        var isAscending = true
        for index in blocks.indices.dropFirst() where blocks[index - 1].seq >= blocks[index].seq { isAscending = false }
        guard !isAscending else { return blocks }
        var newest: [String: Block] = [:]
        for block in blocks { newest[block.id] = block }
        return newest.values.sorted { ($0.seq, $0.id) < ($1.seq, $1.id) }
    }

    static func strings(_ reader: inout JSONReader) throws(JSONError) -> [String] {
        var strings: [String] = []
        try reader.enterArray()
        while try reader.nextElement() { strings.append(try reader.string()) }
        return strings
    }
}
