// From a record of Claude Code to entries of the index: which blocks it has, whose they are, what they change.
// `ClaudeBodies` makes the blocks themselves. Rules: agent-transcripts, sections 1.2 to 1.4.

import Desktops

/// What has to be remembered between the records of one file.
struct ClaudeState {
    /// Records by the hash of their uuid.
    var nodes: [UInt64: Int32] = [:]
    /// For each record: its parent's number or -1, and its thread.
    var parents: [Int32] = []
    var threads: [UInt16] = []
    /// The last typed prompt below a record, by the hash of that record's uuid.
    var typedChild: [UInt64: Int32] = [:]
    /// The usage block of each answer, and the largest number of output tokens seen for it.
    var answers: [UInt64: (ref: EntryRef, output: Int)] = [:]
    /// The subagent blocks that wait for their helper, by agent id.
    var helpers: [String: EntryRef] = [:]
    var lastShell: EntryRef?
    /// Hashes of the last folder, branch, model and version, so that equal ones are not decoded again.
    var lastBranch: UInt64 = 0
    var lastModel: UInt64 = 0
}

extension TranscriptIndex {
    mutating func readClaude(_ line: Span<UInt8>, _ range: Range<Int>, _ place: Place) -> Reading {
        guard let record = ClaudeRecord(line, range) else { return .broken }
        guard record.endIndex == range.upperBound else { return .glued }
        let type = Scan.key(line, record.type)
        let isTalk = type == Names.user || type == Names.assistant || type == Names.system
        let isSilent = !isTalk && type.map(Names.claudeSilent.contains) ?? false
        guard isSilent || Scan.isUTF8(line, range) else { return .broken }
        let message = ClaudeMessage(line, record)
        facts.note(line, range, claude: record, message, type: type, isHelper: isHelper)

        let node = enter(line, record)
        if isSilent { return .done }
        switch type {
        case Names.user: readUser(line, record, message, place, node)
        case Names.assistant: readAssistant(line, record, message, place, node)
        case Names.system: readSystem(line, record, place, node)
        case let type? where Names.claudeTitles.contains(type): break
        default:
            add(.unknown, line, place, id: .record(record.uuid), thread: thread(of: node), node: node)
        }
        return .done
    }

    // MARK: The tree of records

    /// Puts the record into the tree.
    private mutating func enter(_ line: Span<UInt8>, _ record: ClaudeRecord) -> Int32 {
        guard let uuid = record.uuid, !uuid.isEmpty else { return -1 }
        let hash = Scan.hash(line, uuid)
        if let known = claude.nodes[hash] {
            isRepeat = true
            return known
        }
        let parent = record.parent.flatMap { claude.nodes[Scan.hash(line, $0)] } ?? -1
        var thread = 0
        if record.isSidechain, !isHelper {
            let above = parent >= 0 ? Int(claude.threads[Int(parent)]) : 0
            thread = above > 0 ? above : self.thread(named: "sidechain-\(Scan.text(line, uuid))")
        }
        let node = Int32(clamping: claude.parents.count)
        claude.nodes[hash] = node
        claude.parents.append(parent)
        claude.threads.append(UInt16(clamping: thread))
        return node
    }

    private func thread(of node: Int32) -> Int {
        node >= 0 ? Int(claude.threads[Int(node)]) : 0
    }

    /// A typed prompt beside an earlier one: the earlier one's branch was rewound.
    private mutating func noteTyped(_ line: Span<UInt8>, _ record: ClaudeRecord, _ node: Int32) {
        guard node >= 0, !isRepeat else { return }
        cancelOpenCalls(thread: thread(of: node))
        guard let parent = record.parent else { return }
        let above = Scan.hash(line, parent)
        defer { claude.typedChild[above] = node }
        guard let sibling = claude.typedChild[above] else { return }
        var isInBranch = [Bool](repeating: false, count: claude.parents.count - Int(sibling))
        isInBranch[0] = true
        for child in Int(sibling) + 1..<claude.parents.count {
            let parent = Int(claude.parents[child]) - Int(sibling)
            if parent >= 0, isInBranch[parent] { isInBranch[child - Int(sibling)] = true }
        }
        for (thread, index) in threads.enumerated() {
            for (position, entry) in index.entries.enumerated() where !entry.isRewound && entry.node >= sibling {
                guard isInBranch[Int(entry.node - sibling)] else { continue }
                threads[thread].entries[position].isRewound = true
                touch(EntryRef(thread: thread, entry: position))
            }
        }
    }

    // MARK: User

    private mutating func readUser(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ message: ClaudeMessage,
        _ place: Place,
        _ node: Int32
    ) {
        let thread = thread(of: node)
        switch message.kind {
        case .string:
            guard let content = message.content else { return }
            if record.isCompactSummary {
                add(.notice, line, place, id: .record(record.uuid), thread: thread, node: node)
            } else if !record.isMeta {
                readUserText(line, record, place, node, thread, content, part: 0)
            }
        case .array: readUserParts(line, record, message.parts, place, node, thread)
        default:
            add(.malformed, line, place, id: .record(record.uuid), thread: thread, node: node)
        }
    }

    private mutating func readUserText(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ place: Place,
        _ node: Int32,
        _ thread: Int,
        _ text: Range<Int>,
        part: Int
    ) {
        let id = ID.record(record.uuid)
        switch ClaudeText(line, text) {
        case .typed:
            noteTyped(line, record, node)
            add(.user, line, place, id: id, part: part, thread: thread, node: node)
        case .command, .commandOutput:
            add(.notice, line, place, id: id, part: part, thread: thread, node: node)
        case .interrupt:
            if !isRepeat { cancelOpenCalls(thread: thread) }
            add(.notice, line, place, id: id, part: part, thread: thread, node: node)
        case .notification:
            if !isRepeat { finishHelper(line, text) }
            add(.notice, line, place, id: id, part: part, thread: thread, node: node)
        case .shellInput:
            let ref = add(.tool, line, place, id: id, part: part, thread: thread, role: .command, node: node)
            if !isRepeat { claude.lastShell = ref }
        case .shellOutput:
            add(.output, line, place, id: id, part: part, thread: thread, parent: claude.lastShell, node: node)
        case .hidden: break
        }
    }

    private mutating func readUserParts(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ parts: [Scan.Fields],
        _ place: Place,
        _ node: Int32,
        _ thread: Int
    ) {
        let id = ID.record(record.uuid)
        var results = 0
        for block in parts where Scan.key(line, block[Names.type]) == Names.toolResult { results += 1 }
        var hasTyped = false
        for (part, block) in parts.enumerated() {
            guard let type = Scan.key(line, block[Names.type]) else {
                add(.malformed, line, place, id: id, part: part, thread: thread, node: node)
                continue
            }
            switch type {
            case Names.text:
                guard let text = block[Names.text], Scan.kind(line, text) == .string else {
                    add(.malformed, line, place, id: id, part: part, thread: thread, node: node)
                    continue
                }
                if record.isCompactSummary {
                    add(.notice, line, place, id: id, part: part, thread: thread, node: node)
                } else if record.isMeta {
                    continue
                } else if case .typed = ClaudeText(line, text) {
                    // All typed parts of a record are one prompt: its block stands where the first one is.
                    if !hasTyped { readUserText(line, record, place, node, thread, text, part: part) }
                    hasTyped = true
                } else {
                    readUserText(line, record, place, node, thread, text, part: part)
                }
            case Names.image:
                if !record.isMeta { add(.image, line, place, id: id, part: part, thread: thread, node: node) }
            case Names.document:
                if !record.isMeta { add(.file, line, place, id: id, part: part, thread: thread, node: node) }
            case Names.toolResult:
                readResult(line, record, place, node, thread, block, part: part, isOnly: results == 1)
            default:
                add(.unknown, line, place, id: id, part: part, thread: thread, node: node)
            }
        }
    }

    private mutating func readResult(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ place: Place,
        _ node: Int32,
        _ thread: Int,
        _ block: Scan.Fields,
        part: Int,
        isOnly: Bool
    ) {
        let content = block[Names.content]
        let isError = Scan.isTrue(line, block[Names.isError])
        guard let call = Scan.inner(line, block[Names.toolUseId]) else {
            add(.malformed, line, place, id: .record(record.uuid), part: part, thread: thread, node: node)
            return
        }
        let hash = Scan.hash(line, call)
        let tool = calls[hash]
        let role = tool.map { entry($0).role } ?? .other
        let rich = isOnly ? Scan.Fields(line, record.result) : Scan.Fields()
        if !isRepeat { closeCall(hash, isError ? .failed : .complete) }

        add(
            .output,
            line,
            place,
            id: .call(call, ".out"),
            part: part,
            thread: thread,
            parent: tool,
            state: isError ? .failed : .complete,
            role: role,
            node: node
        )
        var images = 0
        if Scan.kind(line, content) == .array, let content {
            var elements = Scan.Elements(content)
            var sub = 0
            while let inner = elements.next(line) {
                sub += 1
                guard Scan.key(line, Scan.member(line, inner, Names.type)) == Names.image else { continue }
                images += 1
                add(
                    .image,
                    line,
                    place,
                    id: .call(call, ".img", sub),
                    part: part,
                    sub: sub,
                    thread: thread,
                    parent: tool,
                    node: node
                )
            }
        }
        if images == 0, let file = rich[Names.file], Scan.member(line, file, Names.base64) != nil {
            // Read of an image whose bytes stand only beside the message: no inner block has the number 0.
            add(.image, line, place, id: .call(call, ".img", 0), part: part, thread: thread, parent: tool, node: node)
        }
        if !isError {
            if Scan.kind(line, rich[Names.structuredPatch]) == .array {
                add(.edit, line, place, id: .call(call, ".edit"), part: part, thread: thread, parent: tool, node: node)
            } else if role == .edit, let tool {
                // Nothing beside the message (files of helpers): what the tool was asked to do is all there is.
                let asked = entry(tool)
                let source = Place(offset: asked.offset, length: Int(asked.length), line: place.line)
                add(
                    .edit,
                    line,
                    source,
                    id: .call(call, ".edit"),
                    part: Int(asked.part),
                    sub: 1,
                    thread: thread,
                    parent: tool,
                    node: node
                )
            }
            if role == .task, let tool { mergeTask(line, call, place, tool, rich, part: part, node: node) }
            if role == .plan, let tool, Scan.kind(line, rich[Names.plan]) == .string,
                find(line, call: call, ".plan") == nil
            {
                add(
                    .plan,
                    line,
                    place,
                    id: .call(call, ".plan"),
                    part: part,
                    sub: 1,
                    thread: thread,
                    parent: tool,
                    node: node
                )
            }
        } else {
            add(
                .error,
                line,
                place,
                id: .call(call, ".err"),
                part: part,
                thread: thread,
                parent: tool,
                state: .failed,
                node: node
            )
        }
        if role == .subagent, !isRepeat { linkHelper(line, call, rich, isError) }
    }

    // MARK: Helpers

    /// The result of a helper's tool names the helper, which may run on in the background.
    private mutating func linkHelper(_ line: Span<UInt8>, _ call: Range<Int>, _ rich: Scan.Fields, _ isError: Bool) {
        guard let ref = find(line, call: call, ".sub") else { return }
        let isBackground = Scan.isTrue(line, rich[Names.isAsync])
        setState(ref, isError ? .failed : isBackground ? .streaming : .complete)
        guard let agent = Scan.string(line, rich[Names.agentId]), !agent.isEmpty else { return }
        claude.helpers[agent] = ref
        if let session = facts.sessionID { setChild(ref, SessionID.claudeHelper(agent: agent, session: session)) }
    }

    /// `<task-notification>`: a background helper is done.
    private mutating func finishHelper(_ line: Span<UInt8>, _ text: Range<Int>) {
        guard let note = Scan.prefix(line, text, limit: 2_000), let task = Tags.content("task-id", in: note),
            let ref = claude.helpers[task]
        else { return }
        let status = Tags.content("status", in: note) ?? "completed"
        setState(ref, status == "completed" ? .complete : status == "failed" ? .failed : .cancelled)
    }

    // MARK: Assistant

    private mutating func readAssistant(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ message: ClaudeMessage,
        _ place: Place,
        _ node: Int32
    ) {
        let thread = thread(of: node)
        let id = ID.record(record.uuid)
        let messageID = Scan.inner(line, message.fields[Names.id])
        let usage = message.fields[Names.usage]
        let model = Scan.inner(line, message.fields[Names.model])
        let answer = (messageID ?? record.uuid).map { Scan.hash(line, $0) }
        // The answer's usage stands behind its last block: taken out here, put back below.
        var held: Entry?
        if !isRepeat, let answer, let known = claude.answers[answer], known.ref.thread == thread {
            held = takeLast(known.ref)
        }
        let before = threads[thread].entries.count
        switch message.kind {
        case .string:
            add(record.isAPIError ? .error : .assistant, line, place, id: id, thread: thread, node: node)
        case .array:
            for (part, block) in message.parts.enumerated() {
                readAnswerPart(line, record, place, node, thread, block, part: part)
            }
        default:
            add(.malformed, line, place, id: id, thread: thread, node: node)
        }
        var shown = false
        for position in before..<max(before, threads[thread].entries.count) {
            let kind = threads[thread].entries[position].kind
            if kind != .unknown, kind != .malformed { shown = true }
        }
        if let held, let answer {
            let ref = putBack(held, thread: thread, isMoved: threads[thread].entries.count > before)
            claude.answers[answer]?.ref = ref
        }
        guard shown, !isRepeat, !record.isAPIError, Scan.kind(line, usage) == .object, let answer,
            let name = messageID ?? record.uuid, !(model.map { Scan.hasPrefix(line, $0, "<synthetic>") } ?? false)
        else { return }
        let output = Scan.int(line, Scan.member(line, usage, Names.outputTokens)) ?? 0
        if let known = claude.answers[answer] {
            if output > known.output {
                claude.answers[answer]?.output = output
                replace(known.ref, place, part: 0)
            }
        } else if let ref = add(.usage, line, place, id: .named(name, ".usage"), thread: thread, node: node) {
            claude.answers[answer] = (ref, output)
        }
    }

    private mutating func readAnswerPart(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ place: Place,
        _ node: Int32,
        _ thread: Int,
        _ block: Scan.Fields,
        part: Int
    ) {
        let id = ID.record(record.uuid)
        guard let type = Scan.key(line, block[Names.type]) else {
            add(.malformed, line, place, id: id, part: part, thread: thread, node: node)
            return
        }
        switch type {
        case Names.text:
            let kind: BlockKind = record.isAPIError ? .error : .assistant
            add(
                kind,
                line,
                place,
                id: id,
                part: part,
                thread: thread,
                state: record.isAborted ? .cancelled : .complete,
                node: node
            )
        case Names.thinking:
            add(.thinking, line, place, id: id, part: part, thread: thread, node: node)
        case Names.image:
            add(.image, line, place, id: id, part: part, thread: thread, node: node)
        case Names.toolUse:
            readCall(line, record, place, node, thread, block, part: part)
        default:
            add(.unknown, line, place, id: id, part: part, thread: thread, node: node)
        }
    }

    private mutating func readCall(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ place: Place,
        _ node: Int32,
        _ thread: Int,
        _ block: Scan.Fields,
        part: Int
    ) {
        guard let call = Scan.inner(line, block[Names.id]), !call.isEmpty else {
            add(.malformed, line, place, id: .record(record.uuid), part: part, thread: thread, node: node)
            return
        }
        let role = Self.claudeRole(Scan.key(line, block[Names.name]))
        guard
            let ref = add(
                .tool,
                line,
                place,
                id: .call(call, ""),
                part: part,
                thread: thread,
                state: record.isAborted ? .cancelled : .streaming,
                role: role,
                node: node
            )
        else { return }
        if !isRepeat { openCall(Scan.hash(line, call), ref) }
        let input = block[Names.input]
        switch role {
        case .todoWrite:
            guard Scan.kind(line, Scan.member(line, input, Names.todos)) == .array else { return }
            add(.todo, line, place, id: .call(call, ".todo"), part: part, thread: thread, parent: ref, node: node)
        case .subagent:
            add(
                .subagent,
                line,
                place,
                id: .call(call, ".sub"),
                part: part,
                thread: thread,
                parent: ref,
                state: .streaming,
                node: node
            )
        case .plan:
            guard Scan.kind(line, Scan.member(line, input, Names.plan)) == .string else { return }
            add(.plan, line, place, id: .call(call, ".plan"), part: part, thread: thread, parent: ref, node: node)
        case .other, .command, .edit, .task: break
        }
    }

    private static let claudeRoles: [Key: ToolRole] = [
        Key("Bash"): .command, Key("Edit"): .edit, Key("MultiEdit"): .edit, Key("Write"): .edit,
        Key("NotebookEdit"): .edit,
        Key("TodoWrite"): .todoWrite, Key("TaskCreate"): .task, Key("TaskUpdate"): .task, Key("TaskList"): .task,
        Key("Task"): .subagent, Key("Agent"): .subagent, Key("ExitPlanMode"): .plan,
    ]

    private static func claudeRole(_ name: Key?) -> ToolRole {
        name.flatMap { claudeRoles[$0] } ?? .other
    }

    // MARK: System

    private mutating func readSystem(_ line: Span<UInt8>, _ record: ClaudeRecord, _ place: Place, _ node: Int32) {
        let thread = thread(of: node)
        let id = ID.record(record.uuid)
        switch Scan.key(line, record.subtype) {
        case Self.apiError: add(.error, line, place, id: id, thread: thread, state: .failed, node: node)
        case Self.compactBoundary: add(.notice, line, place, id: id, thread: thread, node: node)
        case Self.turnDuration, Self.stopHooks, Self.microcompact, Self.bridge: break
        default:
            // Only what has words for a person.
            guard let content = record.content, Scan.kind(line, content) == .string else { return }
            switch ClaudeText(line, content) {
            case .hidden: break
            default: add(.notice, line, place, id: id, thread: thread, node: node)
            }
        }
    }

    static let apiError = Key("api_error"), compactBoundary = Key("compact_boundary")
    private static let turnDuration = Key("turn_duration"), stopHooks = Key("stop_hook_summary")
    private static let microcompact = Key("microcompact_boundary"), bridge = Key("bridge_status")
}
