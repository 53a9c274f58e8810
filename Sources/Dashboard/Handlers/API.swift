// The JSON API that scripts rely on (DESIGN §11); described in config/openapi.json, which a test holds against the routes.

import Desktops
import Markup
import Web
import Wire

enum API {
    static func error(code: String, message: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 128)
        writer.beginObject()
        writer.key("error")
        writer.beginObject()
        writer.member("code", code)
        writer.member("message", message)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    static func error(_ error: DesktopError) -> HTTPResponse {
        let status =
            switch error {
            case .unknown, .notFound: 404
            case .invalid: 400
            case .busy, .offline, .disconnected: 503
            case .timedOut: 504
            case .conflict: 409
            case .notImplemented, .refused, .badAnswer: 502
            }
        return .json(API.error(code: LiveViews.code(error), message: error.sentence), status: status)
    }

    static func write(_ desktop: DesktopInfo, sessions: Int, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", desktop.id)
        writer.member("name", desktop.name)
        writer.member("kind", desktop.kind.rawValue)
        writer.member("presence", desktop.presence.rawValue)
        writer.member("isLocal", desktop.isLocal)
        writer.member("lastSeen", desktop.lastSeen)
        writer.member("version", ifPresent: desktop.version)
        writer.member("sessions", sessions)
        writer.endObject()
    }

    static func write(_ entry: SessionEntry, parent: String?, links: Links, into writer: inout JSONWriter) {
        let summary = entry.summary
        writer.beginObject()
        writer.member("id", entry.id)
        writer.member("desktop", entry.desktop)
        writer.member("title", summary.title)
        writer.member("agent", Words.agentCode(summary.agent))
        writer.member("nativeId", summary.nativeID)
        writer.member("url", links.session(entry.id))
        writer.member("project", summary.project)
        writer.member("branch", ifPresent: summary.branch)
        writer.member("model", ifPresent: summary.model)
        writer.member("version", ifPresent: summary.agentVersion)
        writer.member("state", summary.state.rawValue)
        writer.member("createdAt", summary.createdAt)
        writer.member("updatedAt", summary.updatedAt)
        writer.member("parent", ifPresent: parent)
        writer.member("forkedFrom", ifPresent: summary.forkedFrom)
        writer.member("transcript", summary.transcript)
        writer.member("badLines", ifPresent: summary.badLines)
        writer.member("unknownRecords", ifPresent: summary.unknownRecords)
        writer.member("isStale", entry.isStale)
        if let usage = summary.usage {
            writer.key("usage")
            write(usage, into: &writer)
        }
        writer.endObject()
    }

    static func write(_ block: Block, session: String, links: Links, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", block.id)
        writer.member("seq", block.seq)
        writer.member("kind", block.kind.rawValue)
        writer.member("thread", block.thread)
        writer.member("parent", ifPresent: block.parent)
        writer.member("at", block.at)
        writer.member("revision", block.revision)
        writer.member("state", block.state.rawValue)
        if block.isRewound { writer.member("isRewound", true) }
        writer.member("title", ifPresent: block.title)
        writer.member("text", block.text)
        if let size = block.fullSize {
            writer.member("fullSize", size)
            writer.member("bodyUrl", links.download(session, block))
        }
        writer.member("name", ifPresent: block.name)
        writer.member("input", ifPresent: block.input)
        writer.member("command", ifPresent: block.command)
        writer.member("exitCode", ifPresent: block.exitCode)
        writer.member("path", ifPresent: block.path)
        writer.member("oldPath", ifPresent: block.oldPath)
        writer.member("patch", ifPresent: block.patch)
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
        writer.member("mediaType", ifPresent: block.mediaType)
        if let media = block.mediaID { writer.member("mediaUrl", links.media(session, media)) }
        writer.member("child", ifPresent: block.child)
        writer.member("model", ifPresent: block.model)
        if let usage = block.usage {
            writer.key("usage")
            write(usage, into: &writer)
        }
        if !block.options.isEmpty {
            writer.key("options")
            writer.beginArray()
            for option in block.options { writer.string(option) }
            writer.endArray()
        }
        writer.member("decision", ifPresent: block.decision)
        writer.endObject()
    }

    private static func write(_ usage: Usage, into writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("inputTokens", usage.inputTokens)
        writer.member("outputTokens", usage.outputTokens)
        writer.member("cacheReadTokens", usage.cacheReadTokens)
        writer.member("cacheWriteTokens", usage.cacheWriteTokens)
        writer.member("costMicros", ifPresent: usage.costMicros)
        writer.endObject()
    }
}

extension Site {
    func apiDescription(_ visit: Visit) -> HTTPAnswer {
        .response(assets.openAPI.isEmpty ? .text("not installed\n", status: 404) : .json(assets.openAPI))
    }

    func apiDesktops(_ visit: Visit) -> HTTPAnswer {
        var writer = JSONWriter(capacity: 1_024)
        writer.beginObject()
        writer.key("desktops")
        writer.beginArray()
        for desktop in hub.desktops { API.write(desktop, sessions: shelf.entries(of: desktop.id).count, into: &writer) }
        writer.endArray()
        writer.endObject()
        return .response(.json(writer.bytes))
    }

    func apiSessions(_ visit: Visit) async -> HTTPResponse {
        let desktop = visit.request.queryValue("desktop").flatMap { $0.isEmpty ? nil : $0 }
        if let desktop, hub.desktop(desktop) == nil { return API.error(.unknown) }
        let entries = shelf.entries(of: desktop), links = links
        let bytes = await offload {
            var writer = JSONWriter(capacity: 512 * entries.count + 64)
            writer.beginObject()
            writer.key("sessions")
            writer.beginArray()
            for entry in entries {
                let parent = entry.summary.parent.map { Hub.publicID(desktop: entry.desktop, session: $0) }
                API.write(entry, parent: parent, links: links, into: &writer)
            }
            writer.endArray()
            writer.endObject()
            return writer.bytes
        }
        return .json(bytes)
    }

    func apiBlocks(_ visit: Visit) async -> HTTPResponse {
        let id = visit.parameter("id")
        let query = visit.request
        let limit = query.queryValue("limit").map { Int($0) ?? 0 } ?? DashboardLimits.apiBlocks
        let before = query.queryValue("before").map { Int($0) ?? -1 }
        guard limit > 0, before ?? 0 >= 0 else {
            return API.error(.invalid("limit must be a number from 1, before a number from 0."))
        }
        guard shelf.entry(id) != nil else { return API.error(.unknown) }
        guard let timeline = hub.timeline(id, thread: query.queryValue("thread") ?? "main") else {
            return API.error(.offline)
        }
        do throws(DesktopError) {
            let page = try await timeline.page(before: before, limit: min(limit, DashboardLimits.apiBlocks))
            let links = links
            let bytes = await offload {
                var writer = JSONWriter(capacity: 4_096)
                writer.beginObject()
                writer.key("blocks")
                writer.beginArray()
                for block in page.blocks { API.write(block, session: id, links: links, into: &writer) }
                writer.endArray()
                writer.member("hasMore", page.hasMore)
                writer.endObject()
                return writer.bytes
            }
            return .json(bytes)
        } catch {
            return API.error(error)
        }
    }
}
