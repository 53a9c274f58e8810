// From a record of Codex to entries of the index. Every visible thing is written twice in a rollout; which of the two is taken
// depends on the dialect. `CodexBodies` makes the blocks themselves. Rules: agent-transcripts, sections 2.2 and 2.3.

import Desktops

/// What has to be remembered between the records of one rollout.
struct CodexState {
    /// The new dialect: what the person saw stands in `item_completed`.
    var isPaginated = false
    /// Where the words of a classic rollout are taken from.
    enum Source {
        /// Events, until an answer comes without any event of its prompt.
        case automatic
        case events
        /// The file has no `user_message` events: messages are taken from what the model saw.
        case responses
    }
    var source = Source.automatic
    /// The reader took the wrong source: the file has to be read again with this one.
    var restart: Source?
    var userEvents = 0
    var sawPrompt = false
    var webSearches = 0
}

extension TranscriptIndex {
    mutating func readCodex(_ line: Span<UInt8>, _ range: Range<Int>, _ place: Place) -> Reading {
        var typeValue: Range<Int>?
        var payload: Range<Int>?
        var time: Range<Int>?
        var members = Scan.Members(range)
        while let member = members.next(line) {
            switch Key(line, member.name) {
            case Names.type: typeValue = member.value
            case Names.payload: payload = member.value
            case Names.timestamp: time = member.value
            default: break
            }
        }
        guard !members.isBroken else { return .broken }
        guard members.endIndex == range.upperBound else { return .glued }
        var type = Scan.key(line, typeValue)
        if let known = type, Names.codexSilent.contains(known) {
            facts.note(line, codex: nil, fields: Scan.Fields(), time: time)
            return .done
        }
        guard Scan.isUTF8(line, range) else { return .broken }
        if payload == nil {
            // The oldest rollouts have no envelope: a first line with the session, then bare items.
            if type == nil, lines == 1, Scan.member(line, range, Names.id) != nil {
                (type, payload) = (Names.sessionMeta, range)
            } else if let bare = type, Self.isResponse(bare) {
                (type, payload) = (Names.responseItem, range)
            }
        }
        let fields = Scan.Fields(line, payload)
        facts.note(line, codex: type, fields: fields, time: time)
        switch type {
        case Names.sessionMeta, Names.turnContext, Names.responseItem, Names.eventMsg:
            guard let payload, Scan.kind(line, payload) == .object else {
                add(.malformed, line, place, id: .record(nil))
                return .done
            }
            switch type {
            case Names.sessionMeta:
                if Scan.key(line, fields[Names.historyMode]) == Self.paginated { codex.isPaginated = true }
            case Names.responseItem: readResponse(line, payload, fields, place)
            case Names.eventMsg: readEvent(line, fields, place)
            default: break
            }
        case Names.compacted: add(.notice, line, place, id: .record(nil))
        default: add(.unknown, line, place, id: .record(nil))
        }
        return .done
    }

    private static func isResponse(_ type: Key) -> Bool {
        switch type {
        case Names.message, Names.functionCall, Names.functionOutput, Names.customCall, Names.customOutput,
            Names.localShellCall, Names.webSearchCall, Names.imageCall, Names.toolSearchCall, Names.toolSearchOutput:
            true
        default: Names.responseSilent.contains(type)
        }
    }

    private static let paginated = Key("paginated")

    // MARK: What the model saw

    private mutating func readResponse(_ line: Span<UInt8>, _ whole: Range<Int>, _ item: Scan.Fields, _ place: Place) {
        guard let type = Scan.key(line, item[Names.type]) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        switch type {
        case Names.message: readMessage(line, item, place)
        case Self.reasoning where codex.source == .responses:
            if CodexBodies.reasoningText(line, whole) != nil { add(.thinking, line, place, id: .record(nil)) }
        case Names.functionCall, Names.customCall, Names.localShellCall, Names.toolSearchCall:
            readCall(line, item, type, place)
        case Names.functionOutput, Names.customOutput, Names.toolSearchOutput: readOutput(line, item, place)
        case Names.webSearchCall:
            // The event says the same; without an id the two cannot be told apart.
            if let id = Scan.inner(line, item[Names.id]), !id.isEmpty {
                if find(line, call: id, "") == nil { add(.tool, line, place, id: .call(id, "")) }
            } else if codex.webSearches == 0 {
                add(.tool, line, place, id: .record(nil))
            }
        case Names.imageCall: readGeneratedImage(line, item, place)
        default:
            if !Self.isResponse(type) { add(.unknown, line, place, id: .record(nil)) }
        }
    }

    private static let reasoning = Key("reasoning"), assistantRole = Key("assistant")

    /// Messages are only a second copy, unless the file has no events at all (very old or foreign files).
    private mutating func readMessage(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        let role = Scan.key(line, item[Names.role])
        guard codex.source == .responses || (codex.source == .automatic && codex.userEvents == 0 && !codex.isPaginated)
        else { return }
        guard role == Names.user || role == Self.assistantRole,
            let text = CodexBodies.messageText(line, content: item[Names.content], limit: 256), !text.isEmpty
        else { return }
        if role == Names.user {
            guard !CodexBodies.isInjected(text) else { return }
            codex.sawPrompt = true
            if codex.source == .responses { add(.user, line, place, id: .record(nil)) }
        } else if codex.source == .responses {
            add(.assistant, line, place, id: .record(nil))
        } else if codex.sawPrompt {
            // An answer, and still no event of its prompt.
            codex.restart = .responses
        }
    }

    private mutating func readCall(_ line: Span<UInt8>, _ item: Scan.Fields, _ type: Key, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        // An item that came first has already shown the tool.
        guard find(line, call: call, "") == nil else { return }
        let name = Scan.key(line, item[Names.name])
        let role: ToolRole = type == Names.localShellCall ? .command : name.flatMap { Self.codexRoles[$0] } ?? .other
        guard let tool = add(.tool, line, place, id: .call(call, ""), state: .streaming, role: role) else { return }
        openCall(Scan.hash(line, call), tool)
        if role == .plan { add(.todo, line, place, id: .call(call, ".todo"), parent: tool) }
        if role == .subagent { add(.subagent, line, place, id: .call(call, ".sub"), parent: tool, state: .streaming) }
    }

    private static let codexRoles: [Key: ToolRole] = [
        Key("exec_command"): .command, Key("shell"): .command, Key("shell_command"): .command,
        Key("container.exec"): .command,
        Key("local_shell"): .command, Key("apply_patch"): .edit, Key("update_plan"): .plan,
        Key("spawn_agent"): .subagent,
    ]

    private func callID(_ line: Span<UInt8>, _ item: Scan.Fields) -> Range<Int>? {
        let call = Scan.inner(line, item[Names.callId]) ?? Scan.inner(line, item[Names.id])
        return call.flatMap { $0.isEmpty ? nil : $0 }
    }

    private mutating func readOutput(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let hash = Scan.hash(line, call)
        let tool = calls[hash]
        let value = item[Names.output]
        let exit = CodexBodies.exitCode(line, value)
        let isFailed = exit.map { $0 != 0 } ?? Scan.isFalse(line, Scan.member(line, value, Names.success))
        if let inner = CodexBodies.outputParts(line, value) {
            var elements = Scan.Elements(inner)
            var sub = 0
            while let part = elements.next(line) {
                sub += 1
                guard Scan.member(line, part, Names.imageURL) != nil, find(line, call: call, ".img\(sub)") == nil else {
                    continue
                }
                add(.image, line, place, id: .call(call, ".img", sub), sub: sub, parent: tool)
            }
        }
        // The item says more than what the model was told.
        guard find(line, call: call, ".out") == nil else { return }
        let before = threads[0].entries.count
        add(.output, line, place, id: .call(call, ".out"), parent: tool, state: isFailed ? .failed : .complete)
        if isFailed { fail(line, call, place, tool) }
        closeCall(hash, isFailed ? .failed : .complete)
        guard let tool, before < threads[0].entries.count else { return }
        let made = entry(tool)
        if made.role == .edit, !isFailed, find(line, call: call, ".edit0") == nil {
            // No event told of the files: the patch itself does.
            let source = Place(offset: made.offset, length: Int(made.length), line: place.line)
            add(.edit, line, source, id: .call(call, ".edit", 0), sub: 1, parent: tool)
        }
        if made.role == .subagent, let sub = find(line, call: call, ".sub") {
            setState(sub, isFailed ? .failed : .complete)
            if let text = Scan.string(line, value), let thread = CodexBodies.spawnedThread(text) {
                setChild(sub, SessionID.codex(thread: thread))
            }
        }
    }

    private mutating func fail(_ line: Span<UInt8>, _ call: Range<Int>, _ place: Place, _ tool: EntryRef?) {
        guard find(line, call: call, ".err") == nil else { return }
        add(.error, line, place, id: .call(call, ".err"), parent: tool, state: .failed)
    }

    // MARK: What the person saw

    private mutating func readEvent(_ line: Span<UInt8>, _ event: Scan.Fields, _ place: Place) {
        guard let type = Scan.key(line, event[Names.type]) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        switch type {
        case Names.userMessage:
            guard !codex.isPaginated else { return }
            codex.userEvents += 1
            guard codex.source != .responses else {
                codex.restart = .events
                return
            }
            cancelOpenCalls(thread: 0)
            if let text = Scan.inner(line, event[Names.message]), !text.isEmpty {
                add(.user, line, place, id: .record(nil))
            }
            let images = Scan.count(line, event[Names.images])
            let local = Scan.count(line, event[Names.localImages])
            for number in 0..<min(images + local, 100) { add(.image, line, place, id: .record(nil), sub: number + 1) }
        case Names.agentMessage where !codex.isPaginated && codex.source != .responses:
            add(.assistant, line, place, id: .record(nil))
        case Names.agentReasoning where !codex.isPaginated && codex.source != .responses:
            add(.thinking, line, place, id: .record(nil))
        case Names.agentMessage, Names.agentReasoning, Names.taskStarted, Names.turnStarted: break
        case Names.taskComplete, Names.turnComplete: cancelOpenCalls(thread: 0)
        case Names.turnAborted:
            cancelOpenCalls(thread: 0)
            add(.notice, line, place, id: .record(nil))
        case Names.tokenCount:
            if Scan.kind(line, event[Names.info]) == .object { add(.usage, line, place, id: .record(nil)) }
        case Names.error, Names.streamError: add(.error, line, place, id: .record(nil), state: .failed)
        case Names.warning, Names.enteredReview, Names.exitedReview: add(.notice, line, place, id: .record(nil))
        case Names.rolledBack:
            rollBack(turns: Scan.int(line, event[Names.numTurns]) ?? 1)
            add(.notice, line, place, id: .record(nil))
        case Names.execEnd: readCommand(line, event, place)
        case Names.patchApplyEnd: readChanges(line, event, place)
        case Names.mcpEnd: readRemoteCall(line, event, place)
        case Names.webSearchEnd: readSearch(line, event, place)
        case Names.imageEnd: readGeneratedImage(line, event, place)
        case Names.itemCompleted: readItem(line, event, place)
        default:
            if !Names.eventSilent.contains(type) { add(.unknown, line, place, id: .record(nil)) }
        }
    }

    private mutating func readItem(_ line: Span<UInt8>, _ event: Scan.Fields, _ place: Place) {
        let item = Scan.Fields(line, event[Names.item])
        guard !item.isBroken, let type = Scan.key(line, item[Names.type]) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let name = Scan.inner(line, item[Names.id])
        let id = name.map { ID.named($0, "") } ?? .record(nil)
        switch type {
        case Names.itemUser:
            if !codex.isPaginated, codex.userEvents == 0 { codex.isPaginated = true }
            guard codex.isPaginated else { return }
            cancelOpenCalls(thread: 0)
            readUserItem(line, item, place, name)
        case Names.itemAgent:
            if codex.isPaginated { add(.assistant, line, place, id: id) }
        case Names.itemReasoning:
            if codex.isPaginated, CodexBodies.reasoningText(line, event[Names.item] ?? 0..<0) != nil {
                add(.thinking, line, place, id: id)
            }
        case Names.itemPlan: add(.plan, line, place, id: id)
        case Names.itemHook, Names.itemReviewStart, Names.itemReviewEnd: add(.notice, line, place, id: id)
        case Names.itemCommand: readCommand(line, item, place)
        case Names.itemFileChange: readChanges(line, item, place)
        case Names.itemMcp, Names.itemDynamic: readRemoteCall(line, item, place)
        case Names.itemWebSearch: readSearch(line, item, place)
        case Names.itemImageGeneration: readGeneratedImage(line, item, place)
        case Names.itemCollab: readCollaboration(line, item, place)
        default:
            if !Names.itemSilent.contains(type) { add(.unknown, line, place, id: .record(nil)) }
        }
    }

    private mutating func readUserItem(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place, _ name: Range<Int>?) {
        guard let content = item[Names.content], Scan.kind(line, content) == .array else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        var elements = Scan.Elements(content)
        var part = 0
        var hasText = false
        while let element = elements.next(line) {
            part += 1
            if Scan.kind(line, Scan.member(line, element, Names.text)) == .string {
                if !hasText { add(.user, line, place, id: name.map { .named($0, "") } ?? .record(nil)) }
                hasText = true
            } else if Scan.member(line, element, Names.imageURL) != nil
                || Scan.member(line, element, Names.path) != nil,
                CodexBodies.isImage(line, element)
            {
                add(.image, line, place, id: name.map { .call($0, ".img", part) } ?? .record(nil), sub: part)
            }
        }
    }

    // MARK: Tools

    /// The tool block of a call, made from this record when the call itself is not in the file.
    private mutating func tool(_ line: Span<UInt8>, _ call: Range<Int>, _ place: Place, _ role: ToolRole) -> (
        EntryRef?, Bool
    ) {
        if let known = calls[Scan.hash(line, call)] { return (known, false) }
        let made = add(.tool, line, place, id: .call(call, ""), role: role)
        if let made { openCall(Scan.hash(line, call), made) }
        return (made, true)
    }

    private mutating func readCommand(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let (tool, _) = tool(line, call, place, .command)
        let isFailed = CodexBodies.hasFailed(line, item)
        if let known = find(line, call: call, ".out") {
            replace(known, place, part: 0)
            setState(known, isFailed ? .failed : .complete)
        } else {
            add(.output, line, place, id: .call(call, ".out"), parent: tool, state: isFailed ? .failed : .complete)
        }
        if isFailed { fail(line, call, place, tool) }
        closeCall(Scan.hash(line, call), isFailed ? .failed : .complete)
    }

    private mutating func readChanges(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let (tool, isNew) = tool(line, call, place, .edit)
        let isFailed = CodexBodies.hasFailed(line, item)
        let count = CodexBodies.changeCount(line, item)
        if !isFailed {
            for number in 0..<min(count, 1_000) {
                if let known = find(line, call: call, ".edit\(number)") {
                    replace(known, place, part: number)
                } else {
                    add(.edit, line, place, id: .call(call, ".edit", number), part: number, parent: tool)
                }
            }
        }
        if isNew {
            add(.output, line, place, id: .call(call, ".out"), parent: tool, state: isFailed ? .failed : .complete)
        }
        if isFailed { fail(line, call, place, tool) }
        closeCall(Scan.hash(line, call), isFailed ? .failed : .complete)
    }

    private mutating func readRemoteCall(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let (tool, _) = tool(line, call, place, .other)
        let isFailed = CodexBodies.hasFailed(line, item)
        if let known = find(line, call: call, ".out") {
            replace(known, place, part: 0)
        } else {
            add(.output, line, place, id: .call(call, ".out"), parent: tool, state: isFailed ? .failed : .complete)
        }
        if isFailed { fail(line, call, place, tool) }
        closeCall(Scan.hash(line, call), isFailed ? .failed : .complete)
    }

    private mutating func readSearch(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        codex.webSearches += 1
        guard let call = callID(line, item) else {
            add(.tool, line, place, id: .record(nil))
            return
        }
        if let known = find(line, call: call, "") {
            replace(known, place, part: 0)
        } else {
            add(.tool, line, place, id: .call(call, ""))
        }
    }

    private mutating func readGeneratedImage(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let (tool, _) = tool(line, call, place, .other)
        guard find(line, call: call, ".img0") == nil, let data = Scan.inner(line, item[Names.result]),
            !data.isEmpty
        else { return }
        add(.image, line, place, id: .call(call, ".img", 0), parent: tool)
        closeCall(Scan.hash(line, call), .complete)
    }

    private mutating func readCollaboration(_ line: Span<UInt8>, _ item: Scan.Fields, _ place: Place) {
        guard let call = callID(line, item) else {
            add(.malformed, line, place, id: .record(nil))
            return
        }
        let (tool, _) = tool(line, call, place, .other)
        guard Scan.key(line, item[Names.tool]) == Self.spawnAgent else { return }
        let isFailed = CodexBodies.hasFailed(line, item)
        guard
            let sub = find(line, call: call, ".sub")
                ?? add(.subagent, line, place, id: .call(call, ".sub"), parent: tool, state: .complete)
        else { return }
        setState(sub, isFailed ? .failed : .complete)
        if let receivers = item[Names.receivers], Scan.kind(line, receivers) == .array {
            var elements = Scan.Elements(receivers)
            if let first = elements.next(line), let thread = Scan.string(line, first) {
                setChild(sub, SessionID.codex(thread: thread))
            }
        }
    }

    private static let spawnAgent = Key("spawnAgent")

    /// The last turns were taken back: everything since their prompts is folded.
    private mutating func rollBack(turns: Int) {
        var left = max(0, turns)
        var position = threads[0].entries.count
        var first = position
        while position > 0, left > 0 {
            position -= 1
            let entry = threads[0].entries[position]
            if entry.kind == .user, !entry.isRewound {
                left -= 1
                first = position
            }
        }
        for position in first..<threads[0].entries.count where !threads[0].entries[position].isRewound {
            threads[0].entries[position].isRewound = true
            touch(EntryRef(thread: 0, entry: position))
        }
    }
}
