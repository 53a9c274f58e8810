// The pages that members read: lists, sessions, older blocks, whole bodies, media, who watches what.

import Desktops
import Markup
import Web
import Wire

extension Site {
    func home(_ visit: Visit) -> HTTPAnswer {
        let list = ListView(links: links, now: visit.context.now)
        let desktops = hub.desktops.map { ($0, shelf.entries(of: $0.id)) }
        return .response(.html(Shell.page(visit.context, page: "home", title: "Sessions", main: list.home(desktops))))
    }

    func desktopPage(_ visit: Visit) -> HTTPAnswer {
        guard let desktop = hub.desktop(visit.parameter("id")) else {
            return .response(
                notFound(
                    visit.context,
                    "No such desktop",
                    "It was never here, or an owner removed it from this server."
                )
            )
        }
        let list = ListView(links: links, now: visit.context.now)
        let main = list.desktopPage(desktop, shelf.entries(of: desktop.id))
        return .response(
            .html(Shell.page(visit.context, page: "desktop", title: Words.line(desktop.name, limit: 80), main: main))
        )
    }

    func watching(_ visit: Visit) -> HTTPAnswer {
        let main = WatchingPage.html(views.watchingRows(now: visit.context.now), links: links)
        return .response(.html(Shell.page(visit.context, page: "watching", title: "Who watches what", main: main)))
    }

    // MARK: sessions

    /// A session that a visitor named, with how it looks to them.
    private func session(_ visit: Visit) -> (entry: SessionEntry, view: BlockView)? {
        guard let entry = shelf.entry(visit.parameter("id")) else { return nil }
        return (entry, BlockView(links: links, session: entry.id, agent: entry.summary.agent))
    }

    private func noSession(_ visit: Visit) -> HTTPResponse {
        notFound(
            visit.context,
            "No such session",
            "It was deleted on its desktop, or its desktop was not here since this server started."
        )
    }

    func sessionPage(_ visit: Visit) async -> HTTPResponse {
        guard let (entry, view) = session(visit) else { return noSession(visit) }
        let thread = visit.request.queryValue("thread") ?? "main"
        let before = visit.request.queryValue("before").flatMap(Int.init)
        let reading = await read(entry, view, thread: thread, before: before)
        var page = SessionPage(entry: shelf.entry(entry.id) ?? entry, desktop: desktop(of: entry), part: reading.part)
        page.thread = thread
        page.version = reading.version
        page.trouble = reading.trouble
        page.parent = views.parent(of: entry)
        page.helpers = views.helpers(of: entry)
        page.composerReason = composerReason(page.desktop)
        let list = ListView(links: links, now: visit.context.now)
        let sidebar = list.section(page.desktop, shelf.entries(of: entry.desktop), limit: 60, current: entry.id)
        return .html(
            Shell.page(
                visit.context,
                page: "session",
                title: ListView.title(entry),
                sidebar: sidebar,
                main: page.html(visit.context)
            )
        )
    }

    /// A session's desktop; one that is not known any more is offline.
    func desktop(of entry: SessionEntry) -> DesktopInfo {
        hub.desktop(entry.desktop)
            ?? DesktopInfo(KnownDesktop(id: entry.desktop, name: "Unknown desktop"), presence: .offline)
    }

    private func composerReason(_ desktop: DesktopInfo) -> String? {
        if desktop.presence != .online { return "\(Words.line(desktop.name, limit: 40)) is not online." }
        return desktop.capabilities.contains("prompt")
            ? nil : "This desktop only shows its sessions; it takes no messages yet."
    }

    /// The part of a timeline that a page shows.
    func read(
        _ entry: SessionEntry,
        _ view: BlockView,
        thread: String,
        before: Int?
    ) async -> (part: TimelinePart, version: String?, trouble: DesktopError?) {
        guard let timeline = hub.timeline(entry.id, thread: thread) else {
            return (TimelinePart(html: HTML(), older: nil), nil, .offline)
        }
        if let before {
            do throws(DesktopError) {
                let page = try await timeline.page(before: before, limit: DashboardLimits.pageBlocks)
                return (await part(of: page, view), nil, nil)
            } catch {
                return (TimelinePart(html: HTML(), older: nil), nil, error)
            }
        }
        var trouble: DesktopError?
        do throws(DesktopError) { try await timeline.loadTail() } catch { trouble = error }
        let version = views.feed(view, thread: thread)?.version
        let part = await ViewFeed.part(timeline.blocks, hasOlder: timeline.hasOlder, view: view, cache: cache)
        return (part, version, trouble)
    }

    private func part(of page: TimelinePage, _ view: BlockView) async -> TimelinePart {
        let rendered = await cache.rendered(page.blocks, as: view)
        let html = Dictionary(zip(page.blocks.map(\.id), rendered), uniquingKeysWith: { $1 })
        return TimelinePart(
            html: TimelineLayout.html(TimelineLayout.nodes(page.blocks[...])) { html[$0.id] },
            older: page.hasMore ? page.blocks.first?.seq : nil
        )
    }

    func older(_ visit: Visit) async -> HTTPResponse {
        guard let (entry, view) = session(visit) else { return .text("no such session\n", status: 404) }
        return await olderFragment(visit, entry, view)
    }

    /// The articles below a `seq`, behind the link to still older ones.
    func olderFragment(_ visit: Visit, _ entry: SessionEntry, _ view: BlockView) async -> HTTPResponse {
        guard let before = visit.request.queryValue("before").flatMap(Int.init) else {
            return .text("before= must be a number\n", status: 400)
        }
        let thread = visit.request.queryValue("thread") ?? "main"
        let reading = await read(entry, view, thread: thread, before: before)
        if let trouble = reading.trouble {
            return .text(trouble.sentence + "\n", status: trouble.isTemporary ? 503 : 404)
        }
        let nav = SessionPage.olderNav(reading.part.older, session: entry.id, thread: thread, links: view.links)
        return .html((nav + reading.part.html).bytes)
    }

    // MARK: whole bodies

    func bodyPage(_ visit: Visit) async -> HTTPResponse {
        guard let (entry, view) = session(visit) else { return noSession(visit) }
        return await bodyPage(visit, entry, view)
    }

    func bodyPage(_ visit: Visit, _ entry: SessionEntry, _ view: BlockView) async -> HTTPResponse {
        do throws(DesktopError) {
            let (block, text) = try await wholeBody(visit, entry, view, limit: DashboardLimits.bodyPageBytes)
            let (shown, isWhole) = (text.bytes, text.bytes.count == text.total)
            let path = block.command == nil ? block.path : nil
            let kind = block.kind
            let html: HTML = await offload {
                switch kind {
                case .output where path == nil: "<pre class=\"terminal\"><code>\(Terminal.html(shown))</code></pre>"
                case .edit:
                    "<div class=\"diff\">\(Diff.html(patch: String(decoding: shown, as: UTF8.self), path: path))</div>"
                default:
                    "<pre class=\"file-text\"><code>\(VisibleControls.text(String(decoding: shown, as: UTF8.self)))</code></pre>"
                }
            }
            let note: HTML =
                isWhole
                ? ""
                : "<p class=\"notice\" data-level=\"info\">The first \(Words.size(shown.count)) of \(Words.size(text.total)).</p>"
            return .html(
                Shell.page(
                    visit.context,
                    page: "block",
                    title: block.title.map { Words.line($0) } ?? "Whole text",
                    main: """
                        <article class="block block-\(block.kind.rawValue) block-whole"><header class="block-head">\
                        <a href="\(view.links.session(entry.id))">Back to the session</a> \
                        <a href="\(view.links.download(entry.id, block))" download>Download (\(Words.size(text.total)))</a>\
                        </header>\(note)\(html)</article>
                        """
                )
            )
        } catch {
            return .html(
                Shell.message(
                    visit.context,
                    title: "The text cannot be shown",
                    paragraphs: [error.sentence],
                    action: ("Back to the session", view.links.session(entry.id))
                ),
                status: error.isTemporary ? 503 : 404
            )
        }
    }

    func download(_ visit: Visit) async -> HTTPResponse {
        guard let (entry, view) = session(visit) else { return .text("no such session\n", status: 404) }
        return await download(visit, entry, view)
    }

    func download(_ visit: Visit, _ entry: SessionEntry, _ view: BlockView) async -> HTTPResponse {
        do throws(DesktopError) {
            let (block, text) = try await wholeBody(visit, entry, view, limit: DashboardLimits.mediaBytes)
            guard text.bytes.count == text.total else { throw .invalid("This text is too large to download.") }
            var response = HTTPResponse(body: .bytes(text.bytes))
            response.fields.set("Content-Type", "text/plain; charset=utf-8")
            let name = "\(block.kind.rawValue)-\(block.seq).txt"
            response.fields.set("Content-Disposition", "attachment; filename=\"\(name)\"")
            response.fields.set("Cache-Control", "private, no-cache")
            return response
        } catch {
            return .text(error.sentence + "\n", status: error.isTemporary ? 503 : 404)
        }
    }

    /// A block and its body, up to a limit.
    ///
    /// What a share hides is not found there, and secrets are masked.
    private func wholeBody(
        _ visit: Visit,
        _ entry: SessionEntry,
        _ view: BlockView,
        limit: Int
    ) async throws(DesktopError) -> (block: Block, text: (bytes: [UInt8], total: Int)) {
        let id = Links.id(ofSegment: visit.parameter("block"))
        let thread = visit.request.queryValue("thread") ?? "main"
        guard let id, let seq = visit.request.queryValue("seq").flatMap(Int.init), seq >= 0, seq < .max,
            let timeline = hub.timeline(entry.id, thread: thread)
        else { throw .notFound }
        let page = try await timeline.page(before: seq + 1, limit: 1)
        guard let block = page.blocks.last, block.id == id, !view.isHidden(block) else { throw .notFound }
        var bytes = Array((block.kind == .edit ? block.patch ?? block.text : block.text).utf8)
        var total = bytes.count
        if block.fullSize != nil {
            bytes = []
            repeat {
                let chunk = try await timeline.body(block: id, offset: bytes.count, length: DashboardLimits.mediaChunk)
                guard chunk.offset == bytes.count else { throw .conflict }
                total = chunk.totalSize
                bytes += chunk.bytes
                if chunk.bytes.isEmpty { break }
            } while bytes.count < min(total, limit)
        }
        if bytes.count > limit { bytes = Array(bytes.prefix(limit)) }
        if view.masksSecrets {
            let whole = bytes.count == total, text = bytes
            bytes = await offload { Array(SecretMask.masked(String(decoding: text, as: UTF8.self)).utf8) }
            if whole { total = bytes.count }
        }
        return (block, (bytes, total))
    }

    // MARK: media

    func media(_ visit: Visit) async -> HTTPResponse {
        guard let (entry, _) = session(visit) else { return .text("no such session\n", status: 404) }
        return await media(visit, entry)
    }

    /// Bytes of an image or file, passed on as they come from the desktop.
    ///
    /// A range is answered when it is a single one.
    func media(_ visit: Visit, _ entry: SessionEntry) async -> HTTPResponse {
        guard let id = Links.id(ofSegment: visit.parameter("media")) else {
            return .text("no such file\n", status: 404)
        }
        guard let timeline = hub.timeline(entry.id) else { return .text("the desktop is offline\n", status: 503) }
        let asked = MediaRange(visit.request.fields["range"])
        let start = asked?.start ?? 0
        do throws(DesktopError) {
            let first = try await timeline.media(id: id, offset: start, length: DashboardLimits.mediaChunk)
            guard first.totalSize <= DashboardLimits.mediaBytes else {
                throw .invalid("This file is too large to show.")
            }
            let end = min(asked?.end.map { $0 + 1 } ?? first.totalSize, first.totalSize)
            var response = HTTPResponse(status: asked == nil ? 200 : 206)
            let shown = MediaTypes.isPicture(first.mediaType) || MediaTypes.isPlayed(first.mediaType)
            response.fields.set("Content-Type", shown ? first.mediaType : "application/octet-stream")
            if !shown { response.fields.set("Content-Disposition", "attachment") }
            response.fields.set("Accept-Ranges", "bytes")
            response.fields.set("Cache-Control", visit.links.share == nil ? "private, max-age=3600" : "no-store")
            let tag = "\"\(Digest.hex(Digest.sha256(Array("\(id)\n\(first.version)".utf8))).prefix(32))\""
            response.fields.set("ETag", tag)
            if asked == nil, visit.request.fields["if-none-match"] == tag {
                response.status = 304
                return response
            }
            if asked != nil {
                response.fields.set("Content-Range", "bytes \(start)-\(end - 1)/\(first.totalSize)")
            }
            guard start < end else {
                response.status = 416
                response.fields.set("Content-Range", "bytes */\(first.totalSize)")
                return response
            }
            if first.bytes.count >= end - start {
                response.body = .bytes(Array(first.bytes.prefix(end - start)))
                return response
            }
            response.body = .stream(stream(timeline, id, first, until: end))
            return response
        } catch {
            let isBeyond = asked != nil && start > 0
            if case .refused = error, isBeyond { return HTTPResponse(status: 416) }
            return .text(error.sentence + "\n", status: error.isTemporary ? 503 : 404)
        }
    }

    private func stream(_ timeline: Timeline, _ id: String, _ first: MediaChunk, until end: Int) -> ResponseStream {
        let stream = ResponseStream(length: end - first.offset)
        Loop.spawn { @Loop in
            var chunk = first
            while !stream.isAbandoned {
                stream.write(Array(chunk.bytes.prefix(end - chunk.offset)))
                let next = chunk.offset + chunk.bytes.count
                guard next < end, !chunk.bytes.isEmpty else { break }
                await stream.room()
                guard !stream.isAbandoned,
                    let more = try? await timeline.media(
                        id: id,
                        offset: next,
                        length: min(DashboardLimits.mediaChunk, end - next)
                    ), more.version == first.version, more.offset == next
                else { break }
                chunk = more
            }
            stream.finish()
        }
        return stream
    }
}

/// A single range of a `Range` field; others are answered with the whole (RFC 9110 §14.2 allows that).
struct MediaRange: Equatable {
    var start: Int
    var end: Int?

    init?(_ field: String?) {
        guard let field, field.hasPrefix("bytes=") else { return nil }
        let parts = field.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let start = Int(parts[0]), start >= 0 else { return nil }
        self.start = start
        if parts[1].isEmpty { return }
        guard let end = Int(parts[1]), end >= start, end < .max else { return nil }
        self.end = end
    }
}
