// From an entry and its record to the block that a timeline shows (Claude Code). Called for the blocks of one page or update
// only. Rules: agent-transcripts, sections 1.3 and 6.
import Desktops

enum ClaudeBodies {
    /// Fills a block from its record.
    static func make(_ entry: Entry, _ line: Span<UInt8>, _ block: Block) -> MadeBlock {
        var made = MadeBlock(block)
        guard entry.kind != .badLine, let record = ClaudeRecord(line, 0..<line.count) else {
            raw(line, &made)
            return made
        }
        made.block.at = Scan.time(line, record.timestamp)
        let part = record.contentBlock(line, Int(entry.part))
        let whole = record.messageContent(line)
        switch entry.kind {
        case .user: user(line, whole, &made)
        case .assistant:
            made.body.append(line, Scan.member(line, part, Names.text) ?? whole)
            made.block.model = Scan.string(line, Scan.member(line, record.message, Names.model))
        case .thinking: made.body.append(line, Scan.member(line, part, Names.thinking))
        case .plan: plan(line, record, part, entry, &made)
        case .tool: tool(line, whole, part, &made)
        case .output: output(line, record, whole, part, entry, &made)
        case .edit: edit(line, record, part, entry, &made)
        case .todo:
            let todos = Scan.member(line, Scan.member(line, part, Names.input), Names.todos)
            made.block.items = items(line, todos)
        case .image: image(line, record, part, entry, &made)
        case .file:
            let source = Scan.member(line, part, Names.source)
            made.block.title = Scan.string(line, Scan.member(line, part, Names.title)) ?? "Document"
            made.block.mediaType = Scan.string(line, Scan.member(line, source, Names.mediaType))
            made.media = Scan.inner(line, Scan.member(line, source, Names.data))
        case .subagent:
            let input = Scan.member(line, part, Names.input)
            made.block.title = Scan.string(line, Scan.member(line, input, Names.description))
            made.block.name = Scan.string(line, Scan.member(line, input, Names.subagentType))
            made.body.append(line, Scan.member(line, input, Names.prompt))
        case .error: error(line, record, part, &made)
        case .notice: notice(line, record, whole, part, &made)
        case .usage:
            let usage = Scan.member(line, record.message, Names.usage)
            made.block.model = Scan.string(line, Scan.member(line, record.message, Names.model))
            made.block.usage = Usage(
                inputTokens: Scan.int(line, Scan.member(line, usage, Names.inputTokens)) ?? 0,
                outputTokens: Scan.int(line, Scan.member(line, usage, Names.outputTokens)) ?? 0,
                cacheReadTokens: Scan.int(line, Scan.member(line, usage, Names.cacheRead)) ?? 0,
                cacheWriteTokens: Scan.int(line, Scan.member(line, usage, Names.cacheWrite)) ?? 0
            )
        case .unknown:
            let type = Scan.string(line, Scan.member(line, part, Names.type)) ?? Scan.string(line, record.type)
            made.block.name = type
            made.block.title = type
            raw(line, &made)
        case .malformed, .badLine, .approval, .question: raw(line, &made)
        }
        return made
    }

    /// The record as it stands, as far as it fits.
    static func raw(_ line: Span<UInt8>, _ made: inout MadeBlock) {
        let shown = min(line.count, TranscriptLimits.rawExcerpt)
        made.body = Body(Scan.text(line, 0..<shown))
        if shown < line.count { made.block.fullSize = line.count }
    }

    // MARK: Words

    private static func user(_ line: Span<UInt8>, _ content: Range<Int>?, _ made: inout MadeBlock) {
        guard let content else { return }
        var texts: [Range<Int>] = []
        if Scan.kind(line, content) == .string {
            texts = [content]
        } else {
            var elements = Scan.Elements(content)
            while let part = elements.next(line) {
                guard Scan.key(line, Scan.member(line, part, Names.type)) == Names.text,
                    let text = Scan.member(line, part, Names.text), Scan.kind(line, text) == .string,
                    case .typed = ClaudeText(line, text)
                else { continue }
                texts.append(text)
            }
        }
        for text in texts {
            if let inner = Scan.inner(line, text), Scan.hasPrefix(line, inner, "<system-reminder>") {
                let words = ClaudeText.withoutReminder(Scan.string(line, text) ?? "")
                if !made.body.bytes.isEmpty { made.body.bytes.append(contentsOf: "\n\n".utf8) }
                made.body.bytes.append(contentsOf: words.utf8)
            } else {
                made.body.appendParagraph(line, text, separator: "\n\n")
            }
        }
    }

    private static func plan(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ part: Range<Int>?,
        _ entry: Entry,
        _ made: inout MadeBlock
    ) {
        made.block.title = "Plan"
        let plan =
            entry.sub == 1
            ? Scan.member(line, record.result, Names.plan)
            : Scan.member(line, Scan.member(line, part, Names.input), Names.plan)
        made.body.append(line, plan)
    }

    private static func error(_ line: Span<UInt8>, _ record: ClaudeRecord, _ part: Range<Int>?, _ made: inout MadeBlock)
    {
        if let part, Scan.key(line, Scan.member(line, part, Names.type)) == Names.toolResult {
            let text = resultText(line, Scan.member(line, part, Names.content))
            let (code, rest) = exitCode(text)
            made.block.exitCode = code
            made.block.title = code.map { "Exit code \($0)" } ?? "Tool failed"
            // The output block has it all; here the first lines say what happened.
            made.body = Body(bytes: Array(rest.prefix(2_000)))
            return
        }
        if record.isAPIError {
            made.block.title = "API error"
            made.body.append(line, Scan.member(line, part, Names.text) ?? record.messageContent(line))
            return
        }
        made.block.title = "API error"
        let formatted = Scan.member(line, record.error, Names.formatted)
        made.body.append(
            line,
            Scan.kind(line, formatted) == .string ? formatted : Scan.member(line, record.error, Names.message)
        )
        if made.body.bytes.isEmpty { made.body.append(line, record.error) }
        if made.body.bytes.isEmpty { made.body.append(line, record.content) }
    }

    private static func notice(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ whole: Range<Int>?,
        _ part: Range<Int>?,
        _ made: inout MadeBlock
    ) {
        if Scan.key(line, record.type) == Names.system {
            made.block.title =
                Scan.key(line, record.subtype) == TranscriptIndex.compactBoundary
                ? "Conversation compacted" : Scan.string(line, record.subtype)
            if Scan.key(line, record.subtype) != TranscriptIndex.compactBoundary, let content = record.content {
                words(line, content, &made)
            }
            return
        }
        guard let text = Scan.kind(line, whole) == .string ? whole : Scan.member(line, part, Names.text) else { return }
        if record.isCompactSummary {
            made.block.title = "Summary of the conversation so far"
            made.body.append(line, text)
            return
        }
        words(line, text, &made)
    }

    /// What an injected text says to a person.
    private static func words(_ line: Span<UInt8>, _ value: Range<Int>, _ made: inout MadeBlock) {
        let text = Scan.string(line, value) ?? ""
        switch ClaudeText(line, value) {
        case .command:
            var name = Tags.content("command-name", in: text) ?? Tags.content("command-message", in: text) ?? ""
            if !name.hasPrefix("/") { name = "/" + name }
            let arguments = Tags.content("command-args", in: text) ?? ""
            made.block.title = SessionFacts.oneLine(arguments.isEmpty ? name : "\(name) \(arguments)")
        case .commandOutput:
            made.block.title = "Command output"
            made.body = Body(
                Tags.content("local-command-stdout", in: text) ?? Tags.content("local-command-stderr", in: text) ?? text
            )
        case .notification:
            made.block.title = SessionFacts.oneLine(Tags.content("summary", in: text) ?? "A background task reports")
            made.body = Body(Tags.content("status", in: text) ?? "")
        case .interrupt:
            made.block.title = "Interrupted by the user"
        case .typed, .shellInput, .shellOutput, .hidden:
            made.body = Body(text)
        }
    }

    // MARK: Tools

    private static func tool(_ line: Span<UInt8>, _ whole: Range<Int>?, _ part: Range<Int>?, _ made: inout MadeBlock) {
        if Scan.kind(line, whole) == .string || Scan.key(line, Scan.member(line, part, Names.type)) == Names.text {
            // `!command` in the user's own shell.
            let text = Scan.string(line, whole) ?? Scan.string(line, Scan.member(line, part, Names.text)) ?? ""
            let command = Tags.content("bash-input", in: text) ?? text
            made.block.name = "!"
            made.block.command = command
            made.block.title = SessionFacts.oneLine(command)
            return
        }
        let name = Scan.string(line, Scan.member(line, part, Names.name)) ?? ""
        let input = Scan.member(line, part, Names.input)
        made.block.name = name
        ToolText.describe(line, name: name, input: input, &made.block)
    }

    private static func output(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ whole: Range<Int>?,
        _ part: Range<Int>?,
        _ entry: Entry,
        _ made: inout MadeBlock
    ) {
        guard Scan.key(line, Scan.member(line, part, Names.type)) == Names.toolResult else {
            let text = Scan.string(line, whole) ?? Scan.string(line, Scan.member(line, part, Names.text)) ?? ""
            let printed = Tags.content("bash-stdout", in: text) ?? ""
            let failed = Tags.content("bash-stderr", in: text) ?? ""
            made.body = Body(printed.isEmpty || failed.isEmpty ? printed + failed : printed + "\n" + failed)
            return
        }
        let content = Scan.member(line, part, Names.content)
        if entry.role == .command, Scan.kind(line, record.result) == .object {
            made.body.append(line, Scan.member(line, record.result, Names.stdout))
            made.body.appendParagraph(line, Scan.member(line, record.result, Names.stderr))
            if let path = Scan.string(line, Scan.member(line, record.result, Names.persistedOutputPath)),
                let name = path.split(separator: "/").last
            {
                made.body.resultFile = String(name)
            }
            if !made.body.bytes.isEmpty || made.body.resultFile != nil { return }
        }
        var text = resultText(line, content)
        if entry.state == .failed {
            let (code, rest) = exitCode(text)
            made.block.exitCode = code
            if code != nil { text = Array(rest) }
        }
        if made.body.resultFile == nil { made.body.resultFile = persistedFile(text) }
        made.body.bytes = text
    }

    /// The text parts of a tool result; without any, its JSON.
    private static func resultText(_ line: Span<UInt8>, _ content: Range<Int>?) -> [UInt8] {
        var body = Body()
        switch Scan.kind(line, content) {
        case .string: body.append(line, content)
        case .array:
            guard let content else { break }
            var elements = Scan.Elements(content)
            while let part = elements.next(line) { body.appendParagraph(line, Scan.member(line, part, Names.text)) }
        case .none: break
        default:
            if let content, !Scan.isNull(line, content) { body = Body(Scan.text(line, content)) }
        }
        return body.bytes
    }

    /// The exit code in front of a failed command's output, and what follows.
    static func exitCode(_ text: [UInt8]) -> (code: Int?, rest: ArraySlice<UInt8>) {
        let mark = Array("Exit code ".utf8)
        guard text.starts(with: mark) else { return (nil, text[...]) }
        let end = text.firstIndex(of: 0x0A) ?? text.count
        guard let code = Int(String(decoding: text[mark.count..<end], as: UTF8.self)) else { return (nil, text[...]) }
        return (code, text[min(end + 1, text.count)...])
    }

    /// The base name of the file that `<persisted-output>` speaks of.
    private static func persistedFile(_ text: [UInt8]) -> String? {
        guard text.starts(with: "<persisted-output>".utf8) else { return nil }
        let head = String(decoding: text.prefix(1_000), as: UTF8.self)
        let mark = "Full output saved to: "
        guard let found = Tags.range(of: mark, in: head[...]) else { return nil }
        let path = head[found.upperBound...].prefix { $0 != "\n" }
        return path.split(separator: "/").last.map(String.init)
    }

    private static func edit(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ part: Range<Int>?,
        _ entry: Entry,
        _ made: inout MadeBlock
    ) {
        made.isPatch = true
        if entry.sub == 1 {
            let input = Scan.member(line, part, Names.input)
            made.block.path =
                Scan.string(line, Scan.member(line, input, Names.file_path))
                ?? Scan.string(line, Scan.member(line, input, Names.notebookPath))
            made.body.bytes = asked(line, input)
            return
        }
        made.block.path = Scan.string(line, Scan.member(line, record.result, Names.filePath))
        if let hunks = Scan.member(line, record.result, Names.structuredPatch) {
            made.body.bytes = Patches.structured(line, hunks)
        }
        if made.body.bytes.isEmpty {
            var content = Body()
            content.append(line, Scan.member(line, record.result, Names.content))
            made.body.bytes = Patches.whole(content.bytes, sign: UInt8(ascii: "+"))
        }
    }

    /// What an editing tool was asked to do.
    private static func asked(_ line: Span<UInt8>, _ input: Range<Int>?) -> [UInt8] {
        func bytes(_ object: Range<Int>?, _ key: Key) -> [UInt8] {
            var body = Body()
            body.append(line, Scan.member(line, object, key))
            return body.bytes
        }
        if let edits = Scan.member(line, input, Names.edits), Scan.kind(line, edits) == .array {
            var output: [UInt8] = []
            var elements = Scan.Elements(edits)
            while let edit = elements.next(line) {
                output += Patches.replacement(old: bytes(edit, Names.oldString), new: bytes(edit, Names.newString))
            }
            return output
        }
        if Scan.member(line, input, Names.oldString) != nil {
            return Patches.replacement(old: bytes(input, Names.oldString), new: bytes(input, Names.newString))
        }
        let content = bytes(input, Names.content)
        return Patches.whole(content.isEmpty ? bytes(input, Names.newSource) : content, sign: UInt8(ascii: "+"))
    }

    private static func items(_ line: Span<UInt8>, _ todos: Range<Int>?) -> [TodoItem] {
        guard let todos, Scan.kind(line, todos) == .array else { return [] }
        var items: [TodoItem] = []
        var elements = Scan.Elements(todos)
        while let todo = elements.next(line), items.count < TranscriptLimits.todoItems {
            guard let text = Scan.string(line, Scan.member(line, todo, Names.content)) else { continue }
            let state = TranscriptIndex.todoState(line, Scan.member(line, todo, Names.status)) ?? .pending
            items.append(TodoItem(text: text, state: state))
        }
        return items
    }

    // MARK: Images

    private static func image(
        _ line: Span<UInt8>,
        _ record: ClaudeRecord,
        _ part: Range<Int>?,
        _ entry: Entry,
        _ made: inout MadeBlock
    ) {
        var source = Scan.member(line, part, Names.source)
        if Scan.key(line, Scan.member(line, part, Names.type)) == Names.toolResult {
            let file = Scan.member(line, record.result, Names.file)
            if entry.sub == 0 {
                made.block.mediaType = Scan.string(line, Scan.member(line, file, Names.type))
                made.media = Scan.inner(line, Scan.member(line, file, Names.base64))
                return
            }
            source = nil
            var elements = Scan.Elements(Scan.member(line, part, Names.content) ?? 0..<0)
            var sub = 0
            while let inner = elements.next(line) {
                sub += 1
                if sub == Int(entry.sub) { source = Scan.member(line, inner, Names.source) }
            }
        }
        made.block.mediaType = Scan.string(line, Scan.member(line, source, Names.mediaType))
        made.media = Scan.inner(line, Scan.member(line, source, Names.data))
        if made.media == nil { made.body.append(line, Scan.member(line, source, Names.url)) }
    }
}
