// The readers' part of `SessionFacts`: what a record says about its session. Cheap for most records: a member is decoded only
// where its value is new. Rules: agent-transcripts, sections 1.5 and 2.4.
import Desktops

extension SessionFacts {
    // MARK: Claude Code

    mutating func note(
        _ line: Span<UInt8>,
        _ range: Range<Int>,
        claude record: ClaudeRecord,
        _ message: ClaudeMessage,
        type: Key?,
        isHelper: Bool
    ) {
        note(time: Scan.time(line, record.timestamp))
        if !hasRecord, record.uuid != nil {
            hasRecord = true
            beginsAsSidechain = record.isSidechain
        }
        if sessionID == nil { sessionID = Scan.string(line, record.session) }
        if cwd == nil { cwd = Scan.string(line, record.cwd) }
        if version == nil { version = Scan.string(line, record.version) }
        if let value = record.branch, branch.map({ !Self.equal(line, value, $0) }) ?? true {
            branch = Scan.string(line, value)
        }
        if forkedFrom == nil, let source = record.forkedFrom {
            forkedFrom = Scan.string(line, source) ?? Scan.string(line, Scan.member(line, source, Names.sessionId))
        }
        switch type {
        case Names.user: noteUser(line, record, message, isHelper)
        case Names.assistant: noteAssistant(line, record, message, isHelper)
        case Names.system:
            if Scan.key(line, record.subtype) == TranscriptIndex.apiError { activity = .failed }
        case Names.customTitleRecord: customTitle = title(line, range, Names.customTitle) ?? customTitle
        case Names.aiTitleRecord: aiTitle = title(line, range, Names.aiTitle) ?? aiTitle
        case Names.agentNameRecord: agentName = title(line, range, Names.agentName) ?? agentName
        case Names.lastPromptRecord: lastPrompt = title(line, range, Names.lastPrompt) ?? lastPrompt
        case Names.summary:
            if let title = title(line, range, Names.summary),
                let leaf = Scan.string(line, Scan.member(line, range, Names.leafUuid))
            {
                note(summary: title, leaf: leaf)
            }
        case Names.costState:
            let cost = Scan.millionths(line, Scan.member(line, range, Names.totalCostUSD))
            var totals = usage ?? Usage()
            totals.costMicros = cost
            usage = totals
        default: break
        }
    }

    private static func equal(_ line: Span<UInt8>, _ value: Range<Int>, _ text: String) -> Bool {
        guard let inner = Scan.inner(line, value), inner.count == text.utf8.count else { return false }
        var index = inner.lowerBound
        for byte in text.utf8 {
            if line[index] != byte { return false }
            index += 1
        }
        return true
    }

    private func title(_ line: Span<UInt8>, _ range: Range<Int>, _ key: Key) -> String? {
        guard let text = Scan.prefix(line, Scan.member(line, range, key), limit: 2_000) else { return nil }
        let title = Self.oneLine(text)
        return title.isEmpty ? nil : title
    }

    private mutating func noteUser(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ message: ClaudeMessage,
        _ isHelper: Bool
    ) {
        guard !record.isMeta, !record.isCompactSummary, isHelper || !record.isSidechain, let content = message.content
        else { return }
        if let uuid = record.uuid { lastRecord = Scan.text(line, uuid) }
        if message.kind == .string { noteUserText(line, content) }
        for part in message.parts {
            switch Scan.key(line, part[Names.type]) {
            case Names.text:
                if let text = part[Names.text], Scan.kind(line, text) == .string { noteUserText(line, text) }
            case Names.toolResult: activity = .working
            default: break
            }
        }
    }

    private mutating func noteUserText(_ line: Span<UInt8>, _ text: Range<Int>) {
        switch ClaudeText(line, text) {
        case .typed:
            activity = .working
            if firstPrompt == nil, let words = Scan.prefix(line, text, limit: 4_000) {
                note(prompt: ClaudeText.withoutReminder(words))
            }
        case .interrupt: activity = .interrupted
        default: break
        }
    }

    private mutating func noteAssistant(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ message: ClaudeMessage,
        _ isHelper: Bool
    ) {
        guard isHelper || !record.isSidechain, !message.fields.isBroken else { return }
        if let uuid = record.uuid { lastRecord = Scan.text(line, uuid) }
        if let value = message.fields[Names.model], let name = Scan.inner(line, value),
            !Scan.hasPrefix(line, name, "<synthetic>"), model.map({ !Self.equal(line, value, $0) }) ?? true
        {
            model = Scan.string(line, value)
        }
        let stop = message.fields[Names.stopReason]
        if record.isAPIError {
            activity = .failed
        } else if record.isAborted {
            activity = .interrupted
        } else if Scan.key(line, stop) == Names.toolUse {
            activity = .working
        } else if Scan.isNull(line, stop), let last = message.parts.last {
            // Old versions write no reason: only an answer that ends in words is over.
            activity = Scan.key(line, last[Names.type]) == Names.text ? .done : .working
        } else {
            activity = .done
        }
    }

    // MARK: Codex

    mutating func note(_ line: Span<UInt8>, codex type: Key?, fields: Scan.Fields, time: Range<Int>?) {
        note(time: Scan.time(line, time))
        switch type {
        case Names.sessionMeta: noteMeta(line, fields)
        case Names.turnContext:
            if let value = fields[Names.model], model.map({ !Self.equal(line, value, $0) }) ?? true {
                model = Scan.string(line, value)
            }
            if cwd == nil { cwd = Scan.string(line, fields[Names.cwd]) }
        case Names.eventMsg: noteEvent(line, fields)
        case Names.responseItem: noteResponse(line, fields)
        default: break
        }
    }

    private mutating func noteMeta(_ line: Span<UInt8>, _ meta: Scan.Fields) {
        // A forked file may hold its parent's line too: the first one owns.
        guard !hasRecord, !meta.isBroken else { return }
        hasRecord = true
        sessionID = Scan.string(line, meta[Names.id])
        cwd = Scan.string(line, meta[Names.cwd])
        version = Scan.string(line, meta[Names.cliVersion])
        branch = Scan.string(line, Scan.member(line, meta[Names.git], Names.branch))
        forkedFrom =
            Scan.string(line, Scan.member(line, meta[Names.historyBase], Names.threadId))
            ?? Scan.string(line, meta[Names.forkedFromId])
        guard let helper = Scan.member(line, meta[Names.source], Names.subagent) else { return }
        guard let spawn = Scan.member(line, helper, Names.threadSpawn) else {
            isInternal = true
            return
        }
        parentThread = Scan.string(line, Scan.member(line, spawn, Names.parentThread))
        spawnCall = Scan.string(line, Scan.member(line, spawn, Names.spawnCall))
        nickname = Scan.string(line, Scan.member(line, spawn, Names.nickname))
    }

    private mutating func noteEvent(_ line: Span<UInt8>, _ event: Scan.Fields) {
        switch Scan.key(line, event[Names.type]) {
        case Names.taskStarted, Names.turnStarted: activity = .working
        case Names.taskComplete, Names.turnComplete: activity = .done
        case Names.turnAborted: activity = .interrupted
        case Names.error: activity = .failed
        case Names.userMessage:
            if firstPrompt == nil, let text = Scan.prefix(line, event[Names.message], limit: 4_000) {
                note(prompt: text)
            }
        case Names.itemCompleted:
            guard firstPrompt == nil, let item = event[Names.item],
                Scan.key(line, Scan.member(line, item, Names.type)) == Names.itemUser,
                let content = Scan.member(line, item, Names.content), Scan.kind(line, content) == .array
            else { break }
            var elements = Scan.Elements(content)
            while let part = elements.next(line) {
                if let text = Scan.prefix(line, Scan.member(line, part, Names.text), limit: 4_000) {
                    note(prompt: text)
                }
            }
        case Names.tokenCount:
            guard let total = Scan.member(line, event[Names.info], Names.totalUsage) else { break }
            usage = CodexBodies.usage(line, total)
        default: break
        }
    }

    private mutating func noteResponse(_ line: Span<UInt8>, _ item: Scan.Fields) {
        guard firstPrompt == nil || activity == .none,
            Scan.key(line, item[Names.type]) == Names.message,
            Scan.key(line, item[Names.role]) == Names.user,
            let text = CodexBodies.messageText(line, content: item[Names.content], limit: 4_000),
            !CodexBodies.isInjected(text)
        else { return }
        note(prompt: text)
    }
}
