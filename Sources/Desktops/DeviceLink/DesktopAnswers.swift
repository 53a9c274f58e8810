// A desktop's answers to questions: params decoded, the service asked, the result encoded (section 3.5). What this desktop
// does not do is −32009, what the protocol does not know is −32601.
import Web
import Wire

extension DesktopEndpoint {
    /// What `system.getInfo` names.
    static let capabilities = ["multiTimelineLease", "chat", "files.readMediaRange"]

    /// Answers one question.
    func answer(_ request: RPCRequest) async -> Result<[UInt8], RPCError> {
        guard let method = RPCMethod.named(request.method) else {
            return .failure(RPCError(code: RPCCode.methodNotFound, message: "unknown method"))
        }
        if method.isKeyed, request.key == nil {
            return .failure(RPCError(code: RPCCode.invalidParams, message: "this method needs an idempotency key"))
        }
        do throws(RPCError) {
            let params = try Params(request.params)
            switch request.method {
            case "system.ping": return .success(ping())
            case "system.getInfo": return .success(info())
            case "app.getUserHomeDirectory":
                return .success(JSON.object(["homeDirectory": .string(identity.homeDirectory)]).encoded())
            case "workspace.list": return .success(await projects())
            case "chat.list": return .success(try await list(params))
            case "chat.get": return .success(try await chat(params))
            case "chat.getTimeline": return .success(try await timeline(params))
            case "chat.getBlock": return .success(try await body(params))
            case "files.readMediaRange": return .success(try await media(params))
            default: throw RPCError(code: RPCCode.notImplemented, message: "this desktop does not do that yet")
            }
        } catch {
            return .failure(error)
        }
    }

    // MARK: About this desktop

    private func ping() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("pong", true)
        writer.member("timestamp", Timestamp.text(milliseconds: Loop.wallClock))
        writer.endObject()
        return writer.bytes
    }

    private func info() -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("status", "online")
        writer.member("name", identity.name)
        writer.member("version", identity.version)
        writer.key("capabilities")
        writer.beginArray()
        for capability in DesktopEndpoint.capabilities { writer.string(capability) }
        writer.endArray()
        writer.member("timestamp", Timestamp.text(milliseconds: Loop.wallClock))
        writer.endObject()
        return writer.bytes
    }

    // MARK: Sessions

    private func projects() async -> [UInt8] {
        struct Project {
            var branch: String?
            var lastActivity: Int64 = 0
            var activeRuns = 0
        }
        var projects: [String: Project] = [:]
        for session in await service.sessions() {
            var project = projects[session.project] ?? Project()
            if session.updatedAt >= project.lastActivity {
                project.lastActivity = session.updatedAt
                project.branch = session.branch
            }
            if session.state == .running || session.state == .waitingApproval { project.activeRuns += 1 }
            projects[session.project] = project
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("projects")
        writer.beginArray()
        for (directory, project) in projects.sorted(by: { $0.value.lastActivity > $1.value.lastActivity }) {
            writer.beginObject()
            writer.member("projectDirectory", directory)
            writer.member("name", directory.split(separator: "/").last.map(String.init) ?? directory)
            writer.member("branch", ifPresent: project.branch)
            writer.member("lastActivity", project.lastActivity)
            writer.member("activeRuns", project.activeRuns)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    /// Pages by a cursor that names the last session given out: its time of change and its id.
    private func list(_ params: Params) async throws(RPCError) -> [UInt8] {
        let limit = try params.int("limit", 1...Limits.listPage) ?? Limits.listPage
        let directory = params.string("projectDirectory")
        let cursor = params.string("cursor")
        let all = await sorted(isFirstPage: cursor == nil)
        var start = 0
        if let cursor {
            let parts = cursor.split(separator: " ", maxSplits: 1)
            guard parts.count == 2, let at = Int64(parts[0]) else {
                throw RPCError(code: RPCCode.invalidParams, message: "cursor")
            }
            let last = (at, String(parts[1]))
            start = all.firstIndex { precedes(last, ($0.updatedAt, $0.id)) } ?? all.count
        }
        var page: [SessionSummary] = []
        var next: String?
        for session in all[start...] where directory == nil || session.project == directory {
            if page.count == limit {
                next = page.last.map { "\($0.updatedAt) \($0.id)" }
                break
            }
            page.append(session)
        }
        return ChatCodec.list(page, next: next)
    }

    /// The order of `chat.list`: newest change first, then by id.
    private func precedes(_ left: (Int64, String), _ right: (Int64, String)) -> Bool {
        left.0 != right.0 ? left.0 > right.0 : left.1 < right.1
    }

    /// All sessions in order.
    ///
    /// One walk through the pages sees one state, so that nothing moves across a page's border.
    private func sorted(isFirstPage: Bool) async -> [SessionSummary] {
        if !isFirstPage, let listing, now() - listing.at < 30_000 { return listing.sessions }
        let sessions = await service.sessions().sorted {
            precedes(($0.updatedAt, $0.id), ($1.updatedAt, $1.id))
        }
        listing = (now(), sessions)
        return sessions
    }

    private func chat(_ params: Params) async throws(RPCError) -> [UInt8] {
        let id = try params.required("appSessionId")
        guard let session = await service.sessions().first(where: { $0.id == id }) else {
            throw RPCError(code: RPCCode.notFound, message: "no such session")
        }
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("chat")
        ChatCodec.write(session, into: &writer)
        writer.endObject()
        return writer.bytes
    }

    // MARK: Content

    private func timeline(_ params: Params) async throws(RPCError) -> [UInt8] {
        let session = try params.required("appSessionId")
        let thread = params.string("threadId") ?? "main"
        let before = try params.int("beforeSeq", 0...Int.max)
        let limit = try params.int("limit", 1...Limits.pageBlocks) ?? Limits.tailBlocks
        let page: TimelinePage
        do {
            page = try await service.timeline(session: session, thread: thread, before: before, limit: limit)
        } catch {
            throw RPCError(error)
        }
        let isLarge = page.blocks.reduce(0) { $0 + $1.weight } > Limits.snapshotBytes
        return isLarge ? await offload { TimelineCodec.result(of: page) } : TimelineCodec.result(of: page)
    }

    private func body(_ params: Params) async throws(RPCError) -> [UInt8] {
        let session = try params.required("appSessionId")
        let block = try params.required("blockId")
        let offset = try params.int("offset", 0...Int.max) ?? 0
        let length = try params.int("length", 1...Limits.chunkBytes) ?? Limits.chunkBytes
        let chunk: BodyChunk
        do {
            chunk = try await service.block(session: session, id: block, offset: offset, length: length)
        } catch {
            throw RPCError(error)
        }
        return await offload {
            ChatCodec.piece(
                offset: chunk.offset,
                bytes: chunk.bytes,
                totalSize: chunk.totalSize,
                version: "",
                mediaType: "text/plain"
            )
        }
    }

    private func media(_ params: Params) async throws(RPCError) -> [UInt8] {
        let id = try params.required("previewId")
        guard let offset = try params.int("offset", 0...Int.max),
            let length = try params.int("length", 1...Limits.chunkBytes)
        else { throw RPCError(code: RPCCode.invalidParams, message: "offset and length are needed") }
        let chunk: MediaChunk
        do {
            chunk = try await service.media(id: id, offset: offset, length: length)
        } catch {
            throw RPCError(error)
        }
        if let version = params.string("contentVersion"), version != chunk.version {
            throw RPCError(code: RPCCode.conflict, message: "the file changed")
        }
        return await offload {
            ChatCodec.piece(
                offset: chunk.offset,
                bytes: chunk.bytes,
                totalSize: chunk.totalSize,
                version: chunk.version,
                mediaType: chunk.mediaType
            )
        }
    }
}

/// Params of a question: absent and `null` are the same.
private struct Params {
    private let json: JSON

    init(_ bytes: [UInt8]) throws(RPCError) {
        guard let json = try? JSON(parsing: bytes), case .object = json else {
            throw RPCError(code: RPCCode.invalidParams, message: "params must be an object")
        }
        self.json = json
    }

    func string(_ name: String) -> String? { json[name]?.string }

    func required(_ name: String) throws(RPCError) -> String {
        guard let text = string(name), !text.isEmpty else {
            throw RPCError(code: RPCCode.invalidParams, message: "\(name) is missing")
        }
        return text
    }

    func int(_ name: String, _ range: ClosedRange<Int>) throws(RPCError) -> Int? {
        guard let value = json[name], !value.isNull else { return nil }
        guard let number = value.int, range.contains(number) else {
            throw RPCError(code: RPCCode.invalidParams, message: "\(name) is out of range")
        }
        return number
    }
}

extension RPCError {
    fileprivate init(_ error: DesktopServiceError) {
        switch error {
        case .notFound: self.init(code: RPCCode.notFound, message: "not found")
        case .invalid(let why): self.init(code: RPCCode.invalidParams, message: why)
        case .changed: self.init(code: RPCCode.conflict, message: "the file changed")
        case .notImplemented: self.init(code: RPCCode.notImplemented, message: "this desktop does not do that yet")
        case .failed(let why): self.init(code: RPCCode.internalError, message: why)
        }
    }
}
