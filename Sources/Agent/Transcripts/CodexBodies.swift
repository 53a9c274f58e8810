// From an entry and its record to the block that a timeline shows (Codex). Called for the blocks of one page or update only;
// the small questions at the end are the reader's too. Rules: agent-transcripts, sections 2.2 and 2.3.
import Desktops

enum CodexBodies {
    /// Fills a block from its record.
    static func make(_ entry: Entry, _ line: Span<UInt8>, _ block: Block) -> MadeBlock {
        var made = MadeBlock(block)
        let whole = 0..<line.count
        guard entry.kind != .badLine, Scan.kind(line, whole) == .object else {
            ClaudeBodies.raw(line, &made)
            return made
        }
        made.block.at = Scan.time(line, Scan.member(line, whole, Names.timestamp))
        let payload = Scan.member(line, whole, Names.payload) ?? whole
        let isItem = Scan.key(line, Scan.member(line, payload, Names.type)) == Names.itemCompleted
        let item = (isItem ? Scan.member(line, payload, Names.item) : nil) ?? payload
        let type = Scan.key(line, Scan.member(line, item, Names.type))
        switch entry.kind {
        case .user, .assistant: made.body.bytes = words(line, item)
        case .thinking:
            made.body = Body(Scan.string(line, Scan.member(line, item, Names.text)) ?? reasoningText(line, item) ?? "")
        case .plan:
            made.block.title = "Plan"
            made.body.append(line, Scan.member(line, item, Names.text))
        case .tool: tool(line, item, type, &made)
        case .output: output(line, item, &made)
        case .edit: edit(line, item, entry, &made)
        case .todo:
            withArguments(line, item) { text, object in
                made.block.items = steps(text, Scan.member(text, object, Names.plan))
            }
        case .image: image(line, item, entry, &made)
        case .subagent:
            withArguments(line, item) { text, object in
                made.block.title = Scan.string(text, Scan.member(text, object, Names.taskName))
                made.body.append(text, Scan.member(text, object, Names.message))
                if made.body.bytes.isEmpty { made.body.append(text, Scan.member(text, object, Names.prompt)) }
            }
            if made.body.bytes.isEmpty { made.body.append(line, Scan.member(line, item, Names.prompt)) }
        case .error: error(line, item, &made)
        case .notice: notice(line, whole, item, type, &made)
        case .usage:
            let info = Scan.member(line, item, Names.info)
            let last = Scan.member(line, info, Names.lastUsage)
            let hasLast = Scan.int(line, Scan.member(line, last, Names.inputTokens)) != nil
            made.block.usage = usage(line, hasLast ? last : Scan.member(line, info, Names.totalUsage))
        case .unknown:
            let envelope = Scan.string(line, Scan.member(line, whole, Names.type))
            made.block.name = Scan.string(line, Scan.member(line, item, Names.type)) ?? envelope
            made.block.title = made.block.name
            ClaudeBodies.raw(line, &made)
        case .malformed, .badLine, .approval, .question, .file: ClaudeBodies.raw(line, &made)
        }
        return made
    }

    // MARK: Words

    private static func words(_ line: Span<UInt8>, _ item: Range<Int>) -> [UInt8] {
        var body = Body()
        if let message = Scan.member(line, item, Names.message), Scan.kind(line, message) == .string {
            body.append(line, message)
            return body.bytes
        }
        guard let content = Scan.member(line, item, Names.content) else { return [] }
        guard Scan.kind(line, content) == .array else {
            body.append(line, content)
            return body.bytes
        }
        var elements = Scan.Elements(content)
        while let part = elements.next(line) {
            body.appendParagraph(line, Scan.member(line, part, Names.text), separator: "\n\n")
        }
        return body.bytes
    }

    private static func error(_ line: Span<UInt8>, _ item: Range<Int>, _ made: inout MadeBlock) {
        if let value = Scan.member(line, item, Names.output) {
            let (code, rest) = CodexOutput.split(outputText(line, value))
            made.block.exitCode = code
            made.block.title = code.map { "Exit code \($0)" } ?? "Tool failed"
            made.body = Body(bytes: Array(rest.prefix(2_000)))
            return
        }
        if let code = Scan.int(line, Scan.member(line, item, Names.exitCode)) {
            made.block.exitCode = code
            made.block.title = "Exit code \(code)"
            var text = Body()
            text.append(line, Scan.member(line, item, Names.aggregated))
            made.body = Body(bytes: Array(text.bytes.prefix(2_000)))
            return
        }
        made.block.title =
            Scan.member(line, item, Names.callId) == nil && Scan.member(line, item, Names.id) == nil
            ? "Error" : "Tool failed"
        for key in [Names.message, Names.stderr, Names.error] where made.body.bytes.isEmpty {
            let value = Scan.member(line, item, key)
            made.body.append(line, Scan.kind(line, value) == .object ? Scan.member(line, value, Names.message) : value)
        }
        if made.body.bytes.isEmpty {
            made.body.append(line, Scan.member(line, Scan.member(line, item, Names.result), Names.err))
        }
    }

    private static func notice(
        _ line: Span<UInt8>,
        _ whole: Range<Int>,
        _ item: Range<Int>,
        _ type: Key?,
        _ made: inout MadeBlock
    ) {
        if Scan.key(line, Scan.member(line, whole, Names.type)) == Names.compacted {
            made.block.title = "Conversation compacted"
            made.body.append(line, Scan.member(line, item, Names.message))
            return
        }
        switch type {
        case Names.turnAborted:
            let reason = Scan.string(line, Scan.member(line, item, Names.reason))
            made.block.title =
                reason == nil || reason == "interrupted" ? "Interrupted by the user" : "Turn ended: \(reason ?? "")"
        case Names.rolledBack:
            let turns = Scan.int(line, Scan.member(line, item, Names.numTurns)) ?? 1
            made.block.title = turns == 1 ? "Rolled back one turn" : "Rolled back \(turns) turns"
        case Names.enteredReview, Names.itemReviewStart: made.block.title = "Review started"
        case Names.exitedReview, Names.itemReviewEnd: made.block.title = "Review ended"
        case Names.itemHook:
            made.block.title = "Hook"
            guard let fragments = Scan.member(line, item, Names.fragments), Scan.kind(line, fragments) == .array else {
                break
            }
            var elements = Scan.Elements(fragments)
            while let part = elements.next(line) {
                made.body.appendParagraph(line, Scan.member(line, part, Names.text))
            }
        default:
            made.block.title = "Warning"
            made.body.append(line, Scan.member(line, item, Names.message))
        }
    }

    // MARK: Tools

    private static func tool(_ line: Span<UInt8>, _ item: Range<Int>, _ type: Key?, _ made: inout MadeBlock) {
        func text(_ key: Key) -> String? { Scan.string(line, Scan.member(line, item, key)) }
        let call = Scan.member(line, item, Names.invocation) ?? item
        var name = text(Names.name)
        if let server = Scan.string(line, Scan.member(line, call, Names.server)),
            let tool = Scan.string(line, Scan.member(line, call, Names.tool))
        {
            name = "\(server): \(tool)"
        }
        if name == nil {
            switch type {
            case Names.itemCommand, Names.execEnd, Names.localShellCall: name = "exec_command"
            case Names.itemFileChange, Names.patchApplyEnd: name = "apply_patch"
            case Names.itemWebSearch, Names.webSearchEnd, Names.webSearchCall: name = "web_search"
            case Names.itemImageGeneration, Names.imageEnd, Names.imageCall: name = "image_generation"
            case Names.toolSearchCall: name = "tool_search"
            default: name = text(Names.tool) ?? "tool"
            }
        }
        let shown = name ?? "tool"
        made.block.name = shown
        if let arguments = Scan.member(line, call, Names.arguments) {
            if let decoded = Scan.string(line, arguments) {
                // JSON inside a JSON string.
                let bytes = Array(decoded.utf8)
                let start = Scan.skipBlanks(bytes.span, 0, bytes.count)
                ToolText.describe(bytes.span, name: shown, input: start..<max(start, bytes.count), &made.block)
            } else {
                ToolText.describe(line, name: shown, input: arguments, &made.block)
            }
        } else if let input = Scan.string(line, Scan.member(line, item, Names.input)) {
            made.block.input = ToolText.cut(input)
            let files = shown == "apply_patch" ? Patches.codex(input) : []
            made.block.path = files.first.map { $0.newPath ?? $0.path }
            made.block.title = made.block.path ?? SessionFacts.oneLine(input.isEmpty ? shown : input)
        } else {
            let action = Scan.member(line, item, Names.action)
            made.block.command = ToolText.command(
                line,
                Scan.member(line, item, Names.command) ?? Scan.member(line, action, Names.command)
            )
            let words =
                made.block.command ?? text(Names.query) ?? Scan.string(line, Scan.member(line, action, Names.query))
                ?? text(Names.prompt) ?? firstPath(line, item)
            made.block.title = SessionFacts.oneLine(words ?? shown)
        }
        made.block.exitCode = Scan.int(line, Scan.member(line, item, Names.exitCode))
    }

    private static func output(_ line: Span<UInt8>, _ item: Range<Int>, _ made: inout MadeBlock) {
        if let value = Scan.member(line, item, Names.output) {
            let (code, rest) = CodexOutput.split(outputText(line, value))
            made.block.exitCode = code
            made.body.bytes = Array(rest)
            return
        }
        made.block.exitCode = Scan.int(line, Scan.member(line, item, Names.exitCode))
        made.block.command = ToolText.command(line, Scan.member(line, item, Names.command))
        if let whole = Scan.member(line, item, Names.aggregated), Scan.kind(line, whole) == .string {
            made.body.append(line, whole)
            return
        }
        made.body.append(line, Scan.member(line, item, Names.stdout))
        made.body.appendParagraph(line, Scan.member(line, item, Names.stderr))
        guard made.body.bytes.isEmpty else { return }
        let result = Scan.member(line, item, Names.result)
        let good = Scan.member(line, result, Names.ok) ?? result
        let parts = Scan.member(line, good, Names.content) ?? Scan.member(line, item, Names.contentItems)
        if let parts, Scan.kind(line, parts) == .array {
            var elements = Scan.Elements(parts)
            while let part = elements.next(line) {
                made.body.appendParagraph(line, Scan.member(line, part, Names.text))
            }
        }
        if made.body.bytes.isEmpty { made.body.append(line, Scan.member(line, result, Names.err)) }
        if made.body.bytes.isEmpty {
            made.body.append(line, Scan.member(line, Scan.member(line, item, Names.error), Names.message))
        }
    }

    private static func edit(_ line: Span<UInt8>, _ item: Range<Int>, _ entry: Entry, _ made: inout MadeBlock) {
        made.isPatch = true
        if entry.sub == 1 {
            guard let patch = Scan.string(line, Scan.member(line, item, Names.input)) else { return }
            let files = Patches.codex(patch)
            made.block.path = files.first.map { $0.newPath ?? $0.path }
            made.block.oldPath = files.first.flatMap { $0.newPath == nil ? nil : $0.path }
            for file in files {
                // One block stands for the whole patch: the further files are named by a line of their own.
                if file.path != files.first?.path { made.body.bytes.append(contentsOf: "@@ \(file.path) @@\n".utf8) }
                made.body.bytes += file.hunks
            }
            return
        }
        guard let changes = Scan.member(line, item, Names.changes), Scan.kind(line, changes) == .object else { return }
        var members = Scan.Members(changes)
        var number = 0
        while let change = members.next(line) {
            defer { number += 1 }
            guard number == Int(entry.part) else { continue }
            let quoted = change.name.lowerBound - 1..<change.name.upperBound + 1
            made.block.path = Scan.string(line, quoted)
            if let moved = Scan.string(line, Scan.member(line, change.value, Names.movePath)) {
                made.block.oldPath = made.block.path
                made.block.path = moved
            }
            var body = Body()
            body.append(line, Scan.member(line, change.value, Names.unifiedDiff))
            if body.bytes.isEmpty {
                body.append(line, Scan.member(line, change.value, Names.content))
                let isDeletion = Scan.key(line, Scan.member(line, change.value, Names.type)) == delete
                made.body.bytes = Patches.whole(body.bytes, sign: UInt8(ascii: isDeletion ? "-" : "+"))
            } else {
                made.body = body
            }
        }
    }

    private static let delete = Key("delete")

    private static func firstPath(_ line: Span<UInt8>, _ item: Range<Int>) -> String? {
        guard let changes = Scan.member(line, item, Names.changes), Scan.kind(line, changes) == .object else {
            return nil
        }
        var members = Scan.Members(changes)
        guard let first = members.next(line) else { return nil }
        return Scan.string(line, first.name.lowerBound - 1..<first.name.upperBound + 1)
    }

    /// Runs `body` with the arguments of a call: JSON text inside a JSON string, or an object.
    private static func withArguments(
        _ line: Span<UInt8>,
        _ item: Range<Int>,
        _ body: (Span<UInt8>, Range<Int>) -> Void
    ) {
        let value = Scan.member(line, item, Names.arguments)
        if let text = Scan.string(line, value) {
            let bytes = Array(text.utf8)
            let start = Scan.skipBlanks(bytes.span, 0, bytes.count)
            if start < bytes.count { body(bytes.span, start..<bytes.count) }
        } else if let value {
            body(line, value)
        }
    }

    private static func steps(_ text: Span<UInt8>, _ plan: Range<Int>?) -> [TodoItem] {
        guard let plan, Scan.kind(text, plan) == .array else { return [] }
        var items: [TodoItem] = []
        var elements = Scan.Elements(plan)
        while let step = elements.next(text), items.count < TranscriptLimits.todoItems {
            guard let words = Scan.string(text, Scan.member(text, step, Names.stepText)) else { continue }
            let state = TranscriptIndex.todoState(text, Scan.member(text, step, Names.status)) ?? .pending
            items.append(TodoItem(text: words, state: state))
        }
        return items
    }

    // MARK: Images

    private static func image(_ line: Span<UInt8>, _ item: Range<Int>, _ entry: Entry, _ made: inout MadeBlock) {
        var value: Range<Int>?
        if let output = Scan.member(line, item, Names.output) {
            value = element(line, outputParts(line, output), Int(entry.sub)).flatMap {
                Scan.member(line, $0, Names.imageURL)
            }
        } else if let content = Scan.member(line, item, Names.content) {
            let part = element(line, content, Int(entry.sub))
            value = Scan.member(line, part, Names.imageURL) ?? Scan.member(line, part, Names.path)
        } else if let images = Scan.member(line, item, Names.images) ?? Scan.member(line, item, Names.localImages) {
            let count = Scan.count(line, Scan.member(line, item, Names.images))
            value =
                Int(entry.sub) <= count
                ? element(line, images, Int(entry.sub))
                : element(line, Scan.member(line, item, Names.localImages), Int(entry.sub) - count)
        } else if let result = Scan.inner(line, Scan.member(line, item, Names.result)) {
            made.block.mediaType = "image/png"
            made.media = result
            return
        }
        if let inner = Scan.kind(line, value) == .object ? Scan.member(line, value, Names.url) : value { value = inner }
        guard let url = Scan.inner(line, value) else { return }
        guard Scan.hasPrefix(line, url, "data:") else {
            // A file of the desktop or an address: named, not fetched.
            made.block.path = Scan.text(line, url)
            return
        }
        var comma = url.lowerBound
        while comma < url.upperBound, line[comma] != UInt8(ascii: ",") { comma += 1 }
        guard comma < url.upperBound else { return }
        let head = Scan.text(line, url.lowerBound + 5..<comma)
        made.block.mediaType = head.split(separator: ";").first.map(String.init) ?? "image/png"
        if head.hasSuffix("base64") { made.media = comma + 1..<url.upperBound }
    }

    /// The element with this number, from 1.
    private static func element(_ line: Span<UInt8>, _ array: Range<Int>?, _ number: Int) -> Range<Int>? {
        guard let array, Scan.kind(line, array) == .array else { return nil }
        var elements = Scan.Elements(array)
        var index = 0
        while let element = elements.next(line) {
            index += 1
            if index == number { return element }
        }
        return nil
    }

    static func isImage(_ line: Span<UInt8>, _ part: Range<Int>) -> Bool {
        if Scan.member(line, part, Names.imageURL) != nil { return true }
        let type = Scan.key(line, Scan.member(line, part, Names.type))
        return type == localImage || type == localImageSnake
    }

    private static let localImage = Key("localImage"), localImageSnake = Key("local_image")

    // MARK: The reader's questions

    static func usage(_ line: Span<UInt8>, _ value: Range<Int>?) -> Usage {
        Usage(
            inputTokens: Scan.int(line, Scan.member(line, value, Names.inputTokens)) ?? 0,
            outputTokens: Scan.int(line, Scan.member(line, value, Names.outputTokens)) ?? 0,
            cacheReadTokens: Scan.int(line, Scan.member(line, value, Names.cachedInput)) ?? 0
        )
    }

    /// The text of a reasoning item; nil when it has none that a person may read.
    static func reasoningText(_ line: Span<UInt8>, _ item: Range<Int>) -> String? {
        for key in [Names.summaryText, Names.summary, Names.rawContent] {
            guard let list = Scan.member(line, item, key), Scan.kind(line, list) == .array else { continue }
            var texts: [String] = []
            var elements = Scan.Elements(list)
            while let element = elements.next(line) {
                if let text = Scan.string(line, element) ?? Scan.string(line, Scan.member(line, element, Names.text)),
                    !text.isEmpty
                {
                    texts.append(text)
                }
            }
            if !texts.isEmpty { return texts.joined(separator: "\n\n") }
        }
        return nil
    }

    /// The first bytes of a message's text.
    static func messageText(_ line: Span<UInt8>, content: Range<Int>?, limit: Int) -> String? {
        if Scan.kind(line, content) == .string { return Scan.prefix(line, content, limit: limit) }
        guard let content, Scan.kind(line, content) == .array else { return nil }
        var elements = Scan.Elements(content)
        while let part = elements.next(line) {
            if let text = Scan.prefix(line, Scan.member(line, part, Names.text), limit: limit), !text.isEmpty {
                return text
            }
        }
        return nil
    }

    /// Text that the program put before the person's.
    static func isInjected(_ text: String) -> Bool { text.hasPrefix("<") || text.hasPrefix("# AGENTS") }

    /// The parts of an output that is an array of blocks.
    static func outputParts(_ line: Span<UInt8>, _ value: Range<Int>?) -> Range<Int>? {
        if Scan.kind(line, value) == .array { return value }
        if let inner = Scan.member(line, value, Names.content), Scan.kind(line, inner) == .array { return inner }
        return nil
    }

    static func outputText(_ line: Span<UInt8>, _ value: Range<Int>) -> [UInt8] {
        var body = Body()
        if let parts = outputParts(line, value) {
            var elements = Scan.Elements(parts)
            while let part = elements.next(line) { body.appendParagraph(line, Scan.member(line, part, Names.text)) }
        } else if Scan.kind(line, value) == .object {
            body.append(line, Scan.member(line, value, Names.content))
        } else {
            body.append(line, value)
        }
        return body.bytes
    }

    /// The exit code that an output's head tells.
    static func exitCode(_ line: Span<UInt8>, _ value: Range<Int>?) -> Int? {
        guard let value else { return nil }
        var target: Range<Int>? = value
        if Scan.kind(line, value) == .object { target = Scan.member(line, value, Names.content) }
        if let parts = outputParts(line, value) {
            var elements = Scan.Elements(parts)
            target = elements.next(line).flatMap { Scan.member(line, $0, Names.text) }
        }
        guard let head = Scan.prefix(line, target, limit: 400) else { return nil }
        if head.hasPrefix("{"), let target { return CodexOutput.split(outputText(line, target)).code }
        return CodexOutput.split(Array(head.utf8)).code
    }

    /// The thread that a spawn's output names.
    static func spawnedThread(_ output: String) -> String? {
        let bytes = Array(output.utf8)
        let start = Scan.skipBlanks(bytes.span, 0, bytes.count)
        guard start < bytes.count else { return nil }
        return Scan.string(bytes.span, Scan.member(bytes.span, start..<bytes.count, Names.agent_id))
    }

    /// Whether an event or item says that its tool failed.
    static func hasFailed(_ line: Span<UInt8>, _ item: Scan.Fields) -> Bool {
        let status = Scan.key(line, item[Names.status])
        if status == failedStatus || status == declined || Scan.isFalse(line, item[Names.success]) { return true }
        if let code = Scan.int(line, item[Names.exitCode]), code != 0 { return true }
        if item[Names.error] != nil, !Scan.isNull(line, item[Names.error]) { return true }
        guard let result = item[Names.result], Scan.kind(line, result) == .object else { return false }
        if Scan.member(line, result, Names.err) != nil { return true }
        let good = Scan.Fields(line, Scan.member(line, result, Names.ok) ?? result)
        return Scan.isTrue(line, good[Names.isError]) || Scan.isTrue(line, good[isErrorCamel])
    }

    private static let failedStatus = Key("failed"), declined = Key("declined"), isErrorCamel = Key("isError")

    /// How many files an event or item changed.
    static func changeCount(_ line: Span<UInt8>, _ item: Scan.Fields) -> Int {
        guard let changes = item[Names.changes], Scan.kind(line, changes) == .object else { return 0 }
        var members = Scan.Members(changes)
        var count = 0
        while members.next(line) != nil { count += 1 }
        return count
    }
}

/// The head lines that Codex puts before a command's output.
enum CodexOutput {
    /// The exit code, and the output without its head.
    static func split(_ text: [UInt8]) -> (code: Int?, rest: ArraySlice<UInt8>) {
        if text.first == UInt8(ascii: "{") {
            // Older shells: `{"output":"…","metadata":{"exit_code":0}}`.
            let span = text.span
            if let output = Scan.member(span, 0..<text.count, Names.output), Scan.kind(span, output) == .string {
                let code = Scan.int(
                    span,
                    Scan.member(span, Scan.member(span, 0..<text.count, Names.metadata), Names.exitCode)
                )
                var body: [UInt8] = []
                if let inner = Scan.inner(span, output) { Scan.append(span, inner, to: &body) }
                return (code, body[...])
            }
        }
        var code: Int?
        var start = 0
        var isHead = false
        for _ in 0..<8 {
            let end = text[start...].firstIndex(of: 0x0A) ?? text.count
            let line = text[start..<end]
            if let number = number(line, "Process exited with code ") ?? number(line, "Exit code: ") {
                code = number
                isHead = true
            } else if line.starts(with: "Output:".utf8) {
                return isHead ? (code, text[min(end + 1, text.count)...]) : (nil, text[...])
            } else if line.starts(with: "Chunk ID:".utf8) || line.starts(with: "Wall time:".utf8)
                || line.starts(with: "Process running with".utf8) || line.starts(with: "Total output lines:".utf8)
                || line.starts(with: "Original token count:".utf8)
            {
                isHead = true
            } else {
                break
            }
            start = min(end + 1, text.count)
            if start >= text.count { break }
        }
        return (code, isHead ? text[start...] : text[...])
    }

    private static func number(_ line: ArraySlice<UInt8>, _ prefix: String) -> Int? {
        guard line.starts(with: prefix.utf8) else { return nil }
        return Int(String(decoding: line.dropFirst(prefix.utf8.count), as: UTF8.self))
    }
}
