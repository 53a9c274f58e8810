// One block to its wire shape (protocol document, section 5). See `TimelineCodec` for what is ours in it.
import Web

extension TimelineCodec {
    /// Writes a block, its body cut to `Limits.inlineBody`.
    static func write(_ block: Block, run: String, into writer: inout JSONWriter) {
        let block = cut(block)
        writer.beginObject()
        writer.member("id", block.id)
        writer.member("seq", block.seq)
        writer.key("kind")
        writer.string(wireKind(of: block.kind))
        writer.member("threadId", block.thread)
        writer.member("runId", run)
        writer.member("parentBlockId", ifPresent: block.parent)
        writer.member("createdAt", block.at)
        writer.member("updatedAt", block.at)
        writer.member("revision", block.revision)
        writer.member("state", block.state.rawValue)
        if let size = block.fullSize {
            writer.member("bodyTruncated", true)
            writer.member("bodyBytes", size)
        }
        if block.isRewound { writer.member("isRewound", true) }
        writeKind(block, into: &writer)
        writeMembers(block, into: &writer)
        writer.endObject()
    }

    /// Members that other readers of the protocol expect of a kind and that our block says in another way.
    private static func writeKind(_ block: Block, into writer: inout JSONWriter) {
        switch block.kind {
        case .tool: writer.member("status", toolStatus(block.state))
        case .output:
            writer.member("outputBytes", block.fullSize ?? block.text.utf8.count)
            writer.member("stream", "merged")
        case .edit:
            let counts = lineCounts(block.patch ?? "")
            writer.member("changeKind", block.oldPath == nil ? "modify" : "rename")
            writer.member("additions", counts.additions)
            writer.member("deletions", counts.deletions)
        case .todo: writer.member("isTodo", true)
        case .plan: writer.member("isTodo", false)
        case .approval: writer.member("approvalId", block.requestID ?? block.id)
        case .notice: writer.member("level", "info")
        case .error: writer.member("retryable", false)
        default: break
        }
    }

    private static func writeMembers(_ block: Block, into writer: inout JSONWriter) {
        if !block.text.isEmpty {
            writer.key(textKey(of: block.kind))
            writer.string(block.text)
        }
        if let name = block.name {
            writer.key(nameKey(of: block.kind))
            writer.string(name)
        }
        if let title = block.title {
            writer.key(titleKey(of: block.kind))
            writer.string(title)
        }
        writer.member("inputJson", ifPresent: block.input)
        writer.member("command", ifPresent: block.command)
        writer.member("exitCode", ifPresent: block.exitCode)
        writer.member("path", ifPresent: block.path)
        writer.member("oldPath", ifPresent: block.oldPath)
        writer.member("patch", ifPresent: block.patch)
        writer.member("mimeType", ifPresent: block.mediaType)
        writer.member("previewId", ifPresent: block.mediaID)
        writer.member("childThreadId", ifPresent: block.child)
        writer.member("model", ifPresent: block.model)
        writer.member("requestId", ifPresent: block.requestID)
        writer.member("decision", ifPresent: block.decision)
        if !block.items.isEmpty {
            writer.key("items")
            writer.beginArray()
            for item in block.items {
                writer.beginObject()
                writer.member("text", item.text)
                writer.member("state", item.state.rawValue)
                writer.endObject()
            }
            writer.endArray()
        }
        if !block.options.isEmpty {
            writer.key("options")
            writer.beginArray()
            for option in block.options { writer.string(option) }
            writer.endArray()
        }
        if let usage = block.usage {
            writer.key("usage")
            write(usage, into: &writer)
        }
    }

    static func write(_ usage: Usage, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("inputTokens", usage.inputTokens)
        writer.member("outputTokens", usage.outputTokens)
        writer.member("cacheReadTokens", usage.cacheReadTokens)
        writer.member("cacheWriteTokens", usage.cacheWriteTokens)
        writer.member("costMicros", ifPresent: usage.costMicros)
        writer.endObject()
    }

    private static func toolStatus(_ state: BlockState) -> String {
        switch state {
        case .pending: "pending"
        case .streaming: "running"
        case .complete: "ok"
        case .failed: "error"
        case .cancelled: "denied"
        }
    }

    private static func lineCounts(_ patch: String) -> (additions: Int, deletions: Int) {
        var additions = 0
        var deletions = 0
        var isLineStart = true
        for byte in patch.utf8 {
            if isLineStart {
                if byte == UInt8(ascii: "+") { additions += 1 }
                if byte == UInt8(ascii: "-") { deletions += 1 }
            }
            isLineStart = byte == UInt8(ascii: "\n")
        }
        return (additions, deletions)
    }

    // MARK: Cutting

    /// The block with bodies of the size that may travel inside a timeline; the whole body is asked for by `chat.getBlock`.
    package static func cut(_ block: Block) -> Block {
        var block = block
        if block.text.utf8.count > Limits.inlineBody {
            block.fullSize = block.fullSize ?? block.text.utf8.count
            block.text = cut(block.text, to: Limits.inlineBody)
        }
        if let patch = block.patch, patch.utf8.count > Limits.inlineBody {
            block.fullSize = block.fullSize ?? patch.utf8.count
            block.patch = lines(patch, Limits.inlineBody)
        }
        if let input = block.input, input.utf8.count > Limits.inlineInput {
            block.input = cut(input, to: Limits.inlineInput)
        }
        return block
    }

    /// Half of the size from the front, half from the end, whole characters, a line with an ellipsis between.
    private static func cut(_ text: String, to size: Int) -> String {
        let half = (size - 8) / 2
        var start = text.utf8.index(text.utf8.endIndex, offsetBy: -half)
        while start < text.utf8.endIndex, text.utf8[start] & 0xC0 == 0x80 { start = text.utf8.index(after: start) }
        return head(text, half) + "\n…\n" + String(text[start...])
    }

    /// At most `size` bytes from the front, whole characters.
    private static func head(_ text: String, _ size: Int) -> String {
        var end = text.utf8.index(text.utf8.startIndex, offsetBy: min(size, text.utf8.count))
        while end > text.utf8.startIndex, end < text.utf8.endIndex, text.utf8[end] & 0xC0 == 0x80 {
            end = text.utf8.index(before: end)
        }
        return String(text[..<end])
    }

    /// At most `size` bytes from the front, whole lines when there is one.
    private static func lines(_ text: String, _ size: Int) -> String {
        let head = head(text, size)
        guard let end = head.utf8.lastIndex(of: UInt8(ascii: "\n")) else { return head }
        return String(head[...end])
    }
}
