// What a simulated desktop answers (section 3.5). Whatever is not here is −32601.

import Web
import Wire

extension DesktopModel {
    /// Methods that change something need an idempotency key.
    private static let keyed: Set<String> = ["chat.sendMessage", "chat.interrupt", "chat.respondApproval"]

    /// The answer, and events that follow it.
    mutating func answer(_ question: Question, now: Int64) -> (Answer, [[UInt8]]) {
        guard DesktopModel.keyed.contains(question.method) else { return (ask(question, now: now), []) }
        guard question.key?.isEmpty == false else { return (.invalid("missing idempotencyKey"), []) }
        if let answer = remembered(question) { return (answer, []) }
        let (answer, events) = change(question, now: now)
        remember(question, answer)
        return (answer, events)
    }

    // MARK: Questions

    private func ask(_ question: Question, now: Int64) -> Answer {
        let params = question.params
        switch question.method {
        case "system.ping": return .value(["pong": true, "timestamp": .integer(now + wallOffset)])
        case "system.getInfo":
            return .value([
                "status": "online", "version": "demo", "capabilities": ["multiTimelineLease"],
                "timestamp": .integer(now + wallOffset),
            ])
        case "app.getUserHomeDirectory": return .value(["homeDirectory": .string(script.home)])
        case "workspace.list": return .value(["projects": .array(projects())])
        case "chat.list": return list(params)
        case "chat.get":
            guard let index = index(params["appSessionId"]?.string) else { return .notFound }
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("chat")
            sessions[index].writeSummary(isDetail: true, into: &writer)
            writer.endObject()
            return .result(writer.bytes)
        case "chat.getTimeline":
            guard let index = index(params["appSessionId"]?.string), isMain(params) else { return .notFound }
            let limit = params["limit"]?.int ?? SimulatorLimits.page
            guard limit > 0 else { return .invalid("limit") }
            return .result(
                sessions[index].page(before: params["beforeSeq"]?.int, limit: min(limit, SimulatorLimits.page))
            )
        case "chat.getBlock": return block(params)
        case "files.readMediaRange": return picture(params)
        default: return .failure(-32601, "unknown method")
        }
    }

    private func isMain(_ params: JSONObject) -> Bool { (params["threadId"]?.string ?? "main") == "main" }

    private func projects() -> [JSON] {
        var projects: [(folder: String, last: Int64, running: Int)] = []
        for session in sessions {
            if !projects.contains(where: { $0.folder == session.project }) { projects.append((session.project, 0, 0)) }
            guard let place = projects.firstIndex(where: { $0.folder == session.project }) else { continue }
            projects[place].last = max(projects[place].last, session.updatedAt)
            projects[place].running += session.isRunning ? 1 : 0
        }
        return projects.map { project in
            [
                "projectDirectory": .string(project.folder),
                "name": .string(project.folder.split(separator: "/").last.map(String.init) ?? project.folder),
                "projectHash": .string(String(Digest.hex(Digest.sha256(Array(project.folder.utf8))).prefix(32))),
                "lastActivity": .integer(project.last), "activeRuns": JSON(project.running),
            ]
        }
    }

    private func list(_ params: JSONObject) -> Answer {
        let folder = params["projectDirectory"]?.string
        let start = params["cursor"]?.string.flatMap(Int.init) ?? 0
        let limit = min(max(1, params["limit"]?.int ?? SimulatorLimits.listPage), SimulatorLimits.listPage)
        let all = sessions.filter { folder == nil || $0.project == folder }.sorted { $0.updatedAt > $1.updatedAt }
        guard (0...all.count).contains(start) else { return .invalid("cursor") }
        let page = all[start...].prefix(limit)
        var writer = JSONWriter(capacity: 4_096)
        writer.beginObject()
        writer.key("chats")
        writer.beginArray()
        for session in page { session.writeSummary(into: &writer) }
        writer.endArray()
        if page.endIndex < all.count { writer.member("nextCursor", String(page.endIndex)) }
        writer.endObject()
        return .result(writer.bytes)
    }

    /// A block, or a piece of its body when an offset is given (method 51).
    private func block(_ params: JSONObject) -> Answer {
        guard let index = index(params["appSessionId"]?.string),
            let block = params["blockId"]?.string.flatMap({ sessions[index].block($0) })
        else { return .notFound }
        guard let offset = params["offset"]?.int else {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("block")
            block.write(into: &writer)
            writer.endObject()
            return .result(writer.bytes)
        }
        let body = Array((block.members["patch"]?.string ?? block.body).utf8)
        return piece(body, params, offset: offset, version: "r\(block.revision)", type: "text/plain; charset=utf-8")
    }

    private func picture(_ params: JSONObject) -> Answer {
        guard let id = params["previewId"]?.string, let bytes = script.pictures[id] else { return .notFound }
        return piece(bytes, params, offset: params["offset"]?.int ?? 0, version: "v1", type: "image/png")
    }

    /// Section 3.6.
    private func piece(_ bytes: [UInt8], _ params: JSONObject, offset: Int, version: String, type: String) -> Answer {
        let length = params["length"]?.int ?? SimulatorLimits.chunk
        guard (0...bytes.count).contains(offset), length >= 0 else { return .invalid("offset or length") }
        if let wanted = params["contentVersion"]?.string, wanted != version {
            return .failure(-32003, "content changed")
        }
        let end = min(bytes.count, offset + min(length, SimulatorLimits.chunk))
        return .value([
            "offset": JSON(offset), "length": JSON(end - offset), "nextOffset": end < bytes.count ? JSON(end) : .null,
            "totalSize": JSON(bytes.count), "contentVersion": .string(version), "mimeType": .string(type),
            "dataBase64": .string(Base64.encode(Array(bytes[offset..<end]))),
        ])
    }

    // MARK: Changes

    private mutating func change(_ question: Question, now: Int64) -> (Answer, [[UInt8]]) {
        guard let index = index(question.params["appSessionId"]?.string) else { return (.notFound, []) }
        switch question.method {
        case "chat.respondApproval": return decide(index, question.params, now: now)
        case "chat.sendMessage": return prompt(index, question.params, now: now)
        default: return interrupt(index, now: now)
        }
    }

    private mutating func decide(_ index: Int, _ params: JSONObject, now: Int64) -> (Answer, [[UInt8]]) {
        guard let id = params["approvalId"]?.string else { return (.invalid("approvalId"), []) }
        guard let decision = params["decision"]?.string, ["allow", "allowAlways", "deny"].contains(decision) else {
            return (.invalid("decision"), [])
        }
        let requests = sessions[index].blocks.filter {
            $0.kind == "approval" && ($0.id == id || $0.members["approvalId"]?.string == id)
        }
        guard let request = requests.last else { return (.notFound, []) }
        guard request.state == "pending" else { return (.failure(-32003, "already decided"), []) }
        sessions[index].finish(
            request.id,
            state: "complete",
            adding: ["decision": .string(decision)],
            at: now + wallOffset
        )
        if players[index].gate == request.id {
            players[index].open(isAllowed: decision != "deny")
            sessions[index].state = "running"
            schedule(index, now: now)
        }
        let resolved = DesktopMessage.event(
            "chat:approval-resolved",
            [
                "appSessionId": .string(sessions[index].id), "approvalId": .string(id), "decision": .string(decision),
            ]
        )
        return (.success, [resolved] + stateChanged(index))
    }

    private mutating func prompt(_ index: Int, _ params: JSONObject, now: Int64) -> (Answer, [[UInt8]]) {
        guard let text = params["text"]?.string, !text.isEmpty, text.utf8.count <= SimulatorLimits.promptBytes else {
            return (.invalid("text"), [])
        }
        guard players[index].gate == nil else { return (.failure(-32003, "an approval waits for its answer"), []) }
        if sessions[index].state != "running" {
            sessions[index].run += 1
            sessions[index].state = "running"
        }
        let block = sessions[index].begin(.user(text), parent: nil, at: now + wallOffset)
        players[index].insertNext(Demonstration.answer(to: text))
        schedule(index, now: now)
        return (.value(["runId": .string(sessions[index].runID), "blockId": .string(block)]), stateChanged(index))
    }

    private mutating func interrupt(_ index: Int, now: Int64) -> (Answer, [[UInt8]]) {
        guard sessions[index].isRunning else { return (.failure(-32003, "nothing runs"), []) }
        players[index].removeAll()
        sessions[index].cancelOpenBlocks(at: now + wallOffset)
        _ = sessions[index].begin(.notice("Interrupted by the user."), parent: nil, at: now + wallOffset)
        sessions[index].state = "interrupted"
        schedule(index, now: now)
        return (.success, stateChanged(index))
    }
}
