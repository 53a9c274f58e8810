// Sessions and pieces of bodies as the device link carries them (protocol document, sections 3.6 and 6.5). Of our own making:
// `nativeId`, `branch`, `agentVersion`, `createdAt`, `parentSessionId`, `forkedFrom`, `isArchived`, `transcript`, counts.
package import Web
import Wire

package enum ChatCodec {
    // MARK: Sessions

    static func write(_ session: SessionSummary, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("appSessionId", session.id)
        writer.member("title", session.title)
        writer.member("projectDirectory", session.project)
        writer.member("agentKind", session.agent.rawValue)
        writer.member("model", ifPresent: session.model)
        writer.member("state", session.state.rawValue)
        writer.member("activeRunId", ifPresent: session.activeRun)
        writer.member("updatedAt", session.updatedAt)
        writer.member("createdAt", session.createdAt)
        writer.member("nativeId", session.nativeID)
        writer.member("branch", ifPresent: session.branch)
        writer.member("agentVersion", ifPresent: session.agentVersion)
        writer.member("parentSessionId", ifPresent: session.parent)
        writer.member("forkedFrom", ifPresent: session.forkedFrom)
        if session.isArchived { writer.member("isArchived", true) }
        writer.member("transcript", session.transcript)
        writer.member("badLines", ifPresent: session.badLines)
        writer.member("unknownRecords", ifPresent: session.unknownRecords)
        if let usage = session.usage {
            writer.key("usage")
            TimelineCodec.write(usage, into: &writer)
        }
        writer.endObject()
    }

    /// Reads a session; nil for one without an id.
    package static func session(_ reader: inout JSONReader) throws(JSONError) -> SessionSummary? {
        var session = SessionSummary(id: "", nativeID: "", agent: .other, title: "", project: "")
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "appSessionId": session.id = try reader.string()
            case "title": session.title = try reader.optionalString() ?? ""
            case "projectDirectory": session.project = try reader.optionalString() ?? ""
            case "agentKind":
                session.agent = try reader.optionalString().flatMap(AgentKind.init(rawValue:)) ?? .other
            case "model": session.model = try reader.optionalString()
            case "state": session.state = state(try reader.optionalString())
            case "activeRunId": session.activeRun = try reader.optionalString()
            case "updatedAt": session.updatedAt = Int64(try reader.optionalInt() ?? 0)
            case "createdAt": session.createdAt = Int64(try reader.optionalInt() ?? 0)
            case "nativeId": session.nativeID = try reader.optionalString() ?? ""
            case "branch": session.branch = try reader.optionalString()
            case "agentVersion": session.agentVersion = try reader.optionalString()
            case "parentSessionId": session.parent = try reader.optionalString()
            case "forkedFrom": session.forkedFrom = try reader.optionalString()
            case "isArchived": session.isArchived = try reader.optionalBool() ?? false
            case "transcript": session.transcript = try reader.optionalString() ?? ""
            case "badLines": session.badLines = try reader.optionalInt()
            case "unknownRecords": session.unknownRecords = try reader.optionalInt()
            case "usage": session.usage = try reader.null() ? nil : try TimelineCodec.usage(&reader)
            default: try reader.skip()
            }
        }
        return session.id.isEmpty || session.id.utf8.count > Limits.nameBytes ? nil : session
    }

    /// `queued` is a run that did not begin yet.
    static func state(_ name: String?) -> SessionState {
        guard let name else { return .idle }
        return name == "queued" ? .running : SessionState(rawValue: name) ?? .idle
    }

    static func list(_ sessions: some Sequence<SessionSummary>, next: String?) -> [UInt8] {
        var writer = JSONWriter(capacity: 4_096)
        writer.beginObject()
        writer.key("chats")
        writer.beginArray()
        for session in sessions { write(session, into: &writer) }
        writer.endArray()
        writer.member("nextCursor", ifPresent: next)
        writer.endObject()
        return writer.bytes
    }

    package static func list(_ result: [UInt8]) throws(JSONError) -> (sessions: [SessionSummary], next: String?) {
        var sessions: [SessionSummary] = []
        var next: String?
        var reader = JSONReader(result)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "chats":
                try reader.enterArray()
                while try reader.nextElement() {
                    if let session = try session(&reader) { sessions.append(session) }
                }
            case "nextCursor": next = try reader.optionalString()
            default: try reader.skip()
            }
        }
        return (sessions, next)
    }

    /// `chat:updated`, `chat:deleted`: the session's id, and the session unless it is gone.
    static func change(id: String, session: SessionSummary?) -> [UInt8] {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginObject()
        writer.member("appSessionId", id)
        if let session {
            writer.key("chat")
            write(session, into: &writer)
        }
        writer.endObject()
        return writer.bytes
    }

    package static func change(_ payload: [UInt8]) throws(JSONError) -> (id: String?, session: SessionSummary?) {
        var id: String?
        var session: SessionSummary?
        var reader = JSONReader(payload)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "appSessionId": id = try reader.optionalString()
            case "chat": session = try reader.null() ? nil : try self.session(&reader)
            default: try reader.skip()
            }
        }
        return (id ?? session?.id, session)
    }

    // MARK: Pieces

    static func piece(
        offset: Int,
        bytes: [UInt8],
        totalSize: Int,
        version: String,
        mediaType: String
    ) -> [UInt8] {
        let next = offset + bytes.count
        var writer = JSONWriter(capacity: bytes.count / 3 * 4 + 256)
        writer.beginObject()
        writer.member("offset", offset)
        writer.member("length", bytes.count)
        writer.key("nextOffset")
        if next < totalSize { writer.integer(next) } else { writer.null() }
        writer.member("totalSize", totalSize)
        writer.member("contentVersion", version)
        writer.member("mimeType", mediaType)
        writer.member("dataBase64", Base64.encode(bytes))
        writer.endObject()
        return writer.bytes
    }

    /// Reads a piece and checks it against what was asked for (R103, R105, R106); nil when it does not fit.
    package static func piece(_ result: [UInt8], offset: Int, length: Int) -> MediaChunk? {
        guard let piece = try? readPiece(result), piece.offset == offset, piece.bytes.count <= length,
            piece.totalSize >= 0, piece.offset <= piece.totalSize,
            piece.bytes.count <= piece.totalSize - piece.offset
        else { return nil }
        // Nothing before the end would go round for ever.
        guard !piece.bytes.isEmpty || piece.offset == piece.totalSize || length == 0 else { return nil }
        return piece
    }

    private static func readPiece(_ result: [UInt8]) throws(JSONError) -> MediaChunk? {
        var chunk = MediaChunk(offset: -1, bytes: [], totalSize: -1, version: "", mediaType: "application/octet-stream")
        var declared: Int?
        var next: Int?
        var reader = JSONReader(result)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "offset": chunk.offset = try reader.int()
            case "length": declared = try reader.optionalInt()
            case "nextOffset": next = try reader.optionalInt()
            case "totalSize": chunk.totalSize = try reader.int()
            case "contentVersion": chunk.version = try reader.optionalString() ?? ""
            case "mimeType": chunk.mediaType = try reader.optionalString() ?? chunk.mediaType
            case "dataBase64":
                guard let bytes = Base64.decode(try reader.string()) else { return nil }
                chunk.bytes = bytes
            default: try reader.skip()
            }
        }
        guard declared == nil || declared == chunk.bytes.count else { return nil }
        let (end, overflows) = chunk.offset.addingReportingOverflow(chunk.bytes.count)
        guard !overflows, next == nil ? end == chunk.totalSize : next == end else { return nil }
        return chunk
    }
}
