// One block from its wire shape (protocol document, section 5). Tolerant: members it does not know are passed over, kinds it
// does not know are kept as JSON text and shown as such.
import Web

extension TimelineCodec {
    /// Reads a block; nil for one without id or seq.
    static func block(_ reader: inout JSONReader) throws(JSONError) -> Block? {
        var inner = reader
        let range = try reader.rawRange()
        var whole = JSONReader(reader.bytes, range: range)
        guard let name = try wireKind(&whole) else { return nil }
        if let kind = kind(ofWire: name) { return try known(kind, &inner) }
        guard var block = try known(.unknown, &inner) else { return nil }
        block.name = name
        block.input = block.input ?? String(decoding: reader.bytes[range], as: UTF8.self)
        return block
    }

    private static func wireKind(_ reader: inout JSONReader) throws(JSONError) -> String? {
        guard try reader.peek() == .object else { return nil }
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if case "kind" = key { return try reader.string() }
            try reader.skip()
        }
        return nil
    }

    private static func known(_ kind: BlockKind, _ reader: inout JSONReader) throws(JSONError) -> Block? {
        var block = Block(id: "", seq: -1, kind: kind)
        var status: String?
        var isTodo: Bool?
        let textKey = textKey(of: kind)
        let nameKey = nameKey(of: kind)
        let titleKey = titleKey(of: kind)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if key.isEqual(to: textKey) {
                block.text = try reader.optionalString() ?? ""
                continue
            }
            if key.isEqual(to: nameKey) {
                block.name = try reader.optionalString()
                continue
            }
            if key.isEqual(to: titleKey) {
                block.title = try reader.optionalString()
                continue
            }
            switch key {
            case "id": block.id = try reader.string()
            case "seq": block.seq = try reader.int()
            case "threadId": block.thread = try reader.optionalString() ?? "main"
            case "parentBlockId": block.parent = try reader.optionalString()
            case "createdAt": block.at = Int64(try reader.optionalInt() ?? 0)
            case "revision": block.revision = try reader.int()
            case "state":
                block.state = try reader.optionalString().flatMap(BlockState.init(rawValue:)) ?? .complete
            case "bodyBytes": block.fullSize = try reader.optionalInt()
            case "isRewound": block.isRewound = try reader.optionalBool() ?? false
            case "status": status = try reader.optionalString()
            case "isTodo": isTodo = try reader.optionalBool()
            case "approvalId":
                let id = try reader.optionalString()
                block.requestID = block.requestID ?? id
            case "requestId": block.requestID = try reader.optionalString() ?? block.requestID
            case "inputJson": block.input = try reader.optionalString()
            case "command": block.command = try reader.optionalString()
            case "exitCode": block.exitCode = try reader.optionalInt()
            case "path": block.path = try reader.optionalString()
            case "oldPath": block.oldPath = try reader.optionalString()
            case "patch": block.patch = try reader.optionalString()
            case "mimeType": block.mediaType = try reader.optionalString()
            case "previewId": block.mediaID = try reader.optionalString()
            case "childThreadId": block.child = try reader.optionalString()
            case "model": block.model = try reader.optionalString()
            case "decision": block.decision = try reader.optionalString()
            case "items": block.items = try items(&reader)
            case "options": block.options = try strings(&reader)
            case "usage": block.usage = try reader.null() ? nil : try usage(&reader)
            default: try reader.skip()
            }
        }
        guard !block.id.isEmpty, block.id.utf8.count <= Limits.nameBytes, block.seq >= 0 else { return nil }
        if block.requestID == block.id { block.requestID = nil }
        if kind == .tool, block.state == .complete, status == "error" || status == "denied" { block.state = .failed }
        // Another desktop's to-do list has entries and no prose.
        if kind == .plan, isTodo ?? (block.text.isEmpty && !block.items.isEmpty) { block.kind = .todo }
        return block
    }

    private static func items(_ reader: inout JSONReader) throws(JSONError) -> [TodoItem] {
        var items: [TodoItem] = []
        try reader.enterArray()
        while try reader.nextElement() {
            var item = TodoItem(text: "", state: .pending)
            try reader.enterObject()
            while let key = try reader.nextKey() {
                switch key {
                case "text": item.text = try reader.optionalString() ?? ""
                case "state":
                    item.state = try reader.optionalString().flatMap(TodoItem.State.init(rawValue:)) ?? .pending
                default: try reader.skip()
                }
            }
            items.append(item)
        }
        return items
    }

    static func usage(_ reader: inout JSONReader) throws(JSONError) -> Usage {
        var usage = Usage()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "inputTokens": usage.inputTokens = try reader.int()
            case "outputTokens": usage.outputTokens = try reader.int()
            case "cacheReadTokens": usage.cacheReadTokens = try reader.int()
            case "cacheWriteTokens": usage.cacheWriteTokens = try reader.int()
            case "costMicros": usage.costMicros = try reader.optionalInt().map(Int64.init)
            default: try reader.skip()
            }
        }
        return usage
    }
}
