// Shares: members make, list and end them; whoever has a link reads one session and nothing else. No cookie is looked at on
// a share's addresses, so a link shows the same to everybody.

import Desktops
import Markup
import Store
import Web
import Wire

extension Site {
    // MARK: members

    func sharesPage(_ visit: Visit) async -> HTTPResponse {
        let now = visit.context.now
        do throws(StoreError) {
            let shares = try await database.ask { database throws(StoreError) in try database.shares(now: now) }
            let mayRevoke = visit.role.map { $0.includes(.operator_) } ?? false
            let main = SharesPage.html(shares, links: links, now: now, mayRevoke: mayRevoke)
            return .html(Shell.page(visit.context, page: "shares", title: "Shares", main: main))
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func makeShare(_ visit: Visit) async -> HTTPResponse {
        guard let entry = shelf.entry(visit.parameter("id")) else {
            return notFound(visit.context, "No such session", "Only a session that is listed can be shared.")
        }
        guard let lifetime = ShareLinks.lifetime(visit.request.formValue("expires") ?? "7d") else {
            return badForm(visit, "Choose how long the link is valid: 1h to 30d.")
        }
        let password = visit.request.formValue("password").flatMap { $0.isEmpty ? nil : $0 }
        guard password?.utf8.count ?? 0 <= 800 else { return badForm(visit, "The password is too long.") }
        let title = ListView.title(entry), person = visit.person
        let wish: ShareLinks.Wish = {
            var wish = ShareLinks.Wish(session: entry.id, title: title, createdBy: person)
            wish.lifetime = lifetime
            wish.hidesOutput = visit.request.formValue("hideOutput") != nil
            wish.password = password
            return wish
        }()
        let now = Loop.wallClock
        do throws(StoreError) {
            let path = try await change(by: person, "shared", title) { database throws(StoreError) in
                try ShareLinks.make(wish, in: database, now: now)
            }
            return secretPage(
                visit,
                title: "A link to read this session",
                [
                    "Anybody who has it can read “\(title)” until \(Moment(now + lifetime).text), and nothing else.",
                    "It is shown only now. Revoke it on the page of shares.",
                ],
                secret: baseURL(of: visit.request) + path,
                qr: true,
                back: "/s/\(Links.encoded(entry.id))"
            )
        } catch {
            guard case .refused(let why) = error else { return answer(to: error, visit.context) }
            return badForm(visit, why)
        }
    }

    func revokeShare(_ visit: Visit) async -> HTTPResponse {
        let id = visit.parameter("id"), now = Loop.wallClock
        let title = book.share(id: id)?.title ?? id
        return await revoke(visit, "revoked a share", title, back: "/shares") { database throws(StoreError) in
            try database.revokeShare(id, now: now)
        }
    }

    // MARK: readers

    /// A share that may be read now, and the session that it shows.
    struct Reading {
        var share: Share
        var entry: SessionEntry
        var view: BlockView
    }

    /// What stands behind a share's token; an answer instead when it may not be read.
    private func reading(_ visit: Visit) async -> Result<Reading, ShareRefusal> {
        let token = visit.parameter("token"), address = visit.request.peer.host
        guard book.mayGuess(address) else {
            return .failure(ShareRefusal(answer(to: .tooManyGuesses, visit.request, visit.context)))
        }
        var found = book.share(token: token)
        if found == nil {
            // A command may have made it a moment ago.
            try? await book.reload()
            found = book.share(token: token)
        }
        guard let share = found else {
            book.countWrongGuess(address)
            let text = "A part of the link is missing, or it ended long ago. Ask whoever gave it to you for a new one."
            return .failure(ended(visit, "No such link", text, status: 404))
        }
        guard share.isOpen(now: Loop.wallClock) else { return .failure(endedShare(visit, share)) }
        guard let entry = shelf.entry(share.session) else {
            return .failure(ended(visit, "The session is gone", "It was deleted, and its link with it.", status: 410))
        }
        if share.hasPassword, !hasPassword(visit, share) { return .failure(passwordForm(visit, token)) }
        let view = BlockView(
            links: links.sharing(token),
            session: entry.id,
            agent: entry.summary.agent,
            hidesOutput: share.hidesOutput
        )
        return .success(Reading(share: share, entry: entry, view: view))
    }

    /// Why a share is not read: the answer to give.
    struct ShareRefusal: Error {
        var response: HTTPResponse
        init(_ response: HTTPResponse) { self.response = response }
    }

    private func endedShare(_ visit: Visit, _ share: Share) -> ShareRefusal {
        if let at = share.revokedAt {
            return ended(
                visit,
                "This link was ended",
                "Whoever made it took it back on \(Moment(at).text).",
                status: 410
            )
        }
        return ended(visit, "This link has expired", "It was valid until \(Moment(share.expiresAt).text).", status: 410)
    }

    private func ended(_ visit: Visit, _ title: String, _ why: String, status: Int) -> ShareRefusal {
        ShareRefusal(
            .html(Shell.message(stranger(visit), page: "share", title: title, paragraphs: [why]), status: status)
        )
    }

    /// The context of a page for somebody who is nobody here.
    private func stranger(_ visit: Visit) -> PageContext {
        var context = visit.context
        context.role = "share"
        context.live = nil
        return context
    }

    func sharePage(_ visit: Visit) async -> HTTPResponse {
        switch await reading(visit) {
        case .failure(let refusal): return refusal.response
        case .success(let reading):
            let token = visit.parameter("token")
            let before = visit.request.queryValue("before").flatMap(Int.init)
            let result = await read(reading.entry, reading.view, thread: "main", before: before)
            var entry = reading.entry
            entry.summary = ShareView.summary(entry.summary, hidesOutput: reading.share.hidesOutput)
            var page = SessionPage(entry: entry, desktop: desktop(of: entry), part: result.part)
            page.version = result.version
            page.trouble = result.trouble
            page.share = SessionPage.ShareNote(
                expiresAt: reading.share.expiresAt,
                hidesOutput: reading.share.hidesOutput
            )
            var context = stranger(visit)
            context.links = reading.view.links
            context.live = links.page("/share/\(token)/live")
            if before == nil { countView(reading.share) }
            return .html(Shell.page(context, page: "share", title: ListView.title(entry), main: page.html(context)))
        }
    }

    private func countView(_ share: Share) {
        let database = database, now = Loop.wallClock, id = share.id
        Loop.spawn { @Loop in
            // A view that is not counted is no loss.
            try? await database.ask { database throws(StoreError) in try database.countView(ofShare: id, now: now) }
        }
    }

    func shareOlder(_ visit: Visit) async -> HTTPResponse {
        switch await reading(visit) {
        case .failure(let refusal): refusal.response
        case .success(let reading): await olderFragment(sharing(visit, reading), reading.entry, reading.view)
        }
    }

    func shareBody(_ visit: Visit) async -> HTTPResponse {
        switch await reading(visit) {
        case .failure(let refusal): refusal.response
        case .success(let reading): await bodyPage(sharing(visit, reading), reading.entry, reading.view)
        }
    }

    func shareDownload(_ visit: Visit) async -> HTTPResponse {
        switch await reading(visit) {
        case .failure(let refusal): return refusal.response
        case .success(let reading):
            var response = await download(sharing(visit, reading), reading.entry, reading.view)
            response.fields.set("Cache-Control", "no-store")
            return response
        }
    }

    /// Only media that a page of this share showed: their addresses carry a proof that only the server can make.
    func shareMedia(_ visit: Visit) async -> HTTPResponse {
        switch await reading(visit) {
        case .failure(let refusal): return refusal.response
        case .success(let reading):
            let proof = Array((visit.request.queryValue("k") ?? "").utf8)
            let id = Links.id(ofSegment: visit.parameter("media")) ?? ""
            let expected = Array(reading.view.links.mediaProof(id).utf8)
            guard !reading.share.hidesOutput, constantTimeEqual(proof, expected) else {
                return .text("not in this share\n", status: 404)
            }
            return await media(sharing(visit, reading), reading.entry)
        }
    }

    private func sharing(_ visit: Visit, _ reading: Reading) -> Visit {
        var context = stranger(visit)
        context.links = reading.view.links
        return Visit(request: visit.request, parameters: visit.parameters, credential: nil, context: context)
    }

    // MARK: passwords

    /// Whether the reader gave the password: a cookie below the share's own address says so.
    private func hasPassword(_ visit: Visit, _ share: Share) -> Bool {
        guard let given = visit.request.cookie("wheelhouse-share") else { return false }
        return constantTimeEqual(Array(given.utf8), Array(passwordProof(visit.parameter("token"), share).utf8))
    }

    private func passwordProof(_ token: String, _ share: Share) -> String {
        Digest.hex(Digest.hmacSHA256(key: identity.mediaKey, message: Array("password\n\(share.id)\n\(token)".utf8)))
    }

    private func passwordForm(_ visit: Visit, _ token: String, isWrong: Bool = false) -> ShareRefusal {
        let note: HTML = isWrong ? "<p class=\"notice\" data-level=\"error\">That was not the password.</p>" : ""
        var response = HTTPResponse.html(
            Shell.page(
                stranger(visit),
                page: "share",
                title: "A shared session",
                main: """
                    <section class="empty"><h1>A shared session</h1>\(note)<form class="form" method="post" \
                    action="\(links.sharing(token).session(""))"><label>Password <input type="password" name="password" required \
                    autocomplete="off"></label><button class="button primary">Read</button></form></section>
                    """
            ),
            status: isWrong ? 403 : 401
        )
        // Under `no-referrer` the form would come with `Origin: null`.
        response.fields.set("Referrer-Policy", "same-origin")
        return ShareRefusal(response)
    }

    /// The password form came back.
    func sharePassword(_ visit: Visit) async -> HTTPResponse {
        let token = visit.parameter("token"), address = visit.request.peer.host
        guard book.mayGuess(address) else { return answer(to: .tooManyGuesses, visit.request, visit.context) }
        guard let share = book.share(token: token), share.hasPassword else {
            return .redirect(to: links.sharing(token).session(""))
        }
        guard share.isOpen(now: Loop.wallClock) else { return endedShare(visit, share).response }
        let given = visit.request.formValue("password") ?? "", id = share.id
        do throws(StoreError) {
            let kept = try await database.ask { database throws(StoreError) in try database.password(ofShare: id) }
            guard let kept, given.utf8.count <= 800 else { return passwordForm(visit, token, isWrong: true).response }
            let hash = await offload { ShareLinks.stretched(given, salt: kept.salt) }
            guard constantTimeEqual(hash, kept.hash) else {
                book.countWrongGuess(address)
                return passwordForm(visit, token, isWrong: true).response
            }
            let address = links.sharing(token).session("")
            var response = HTTPResponse.redirect(to: address)
            response.setCookie(
                "wheelhouse-share",
                passwordProof(token, share),
                path: address,
                isSecure: visit.request.isSecure
            )
            return response
        } catch {
            return answer(to: error, stranger(visit))
        }
    }

    // MARK: live

    /// A reader's live socket.
    ///
    /// The page was loaded a moment ago, so the share is in memory.
    func shareLive(_ visit: Visit) -> HTTPAnswer {
        switch shareVisitor(visit) {
        case .failure(let refusal): return .response(refusal.response)
        case .success(let visitor):
            return .upgrade(Site.liveOptions, [:]) { [views] socket in views.accept(socket, visitor) }
        }
    }

    func shareVisitor(_ visit: Visit) -> Result<LiveVisitor, ShareRefusal> {
        let token = visit.parameter("token"), address = visit.request.peer.host
        guard book.mayGuess(address) else {
            return .failure(ShareRefusal(.text("too many wrong links\n", status: 429)))
        }
        guard let share = book.share(token: token) else {
            book.countWrongGuess(address)
            return .failure(ShareRefusal(.text("no such link\n", status: 404)))
        }
        guard share.isOpen(now: Loop.wallClock), let entry = shelf.entry(share.session) else {
            return .failure(ShareRefusal(.text("this link has ended\n", status: 410)))
        }
        guard !share.hasPassword || hasPassword(visit, share) else {
            return .failure(ShareRefusal(.text("password needed\n", status: 401)))
        }
        guard views.hasRoom(share: share.id) else {
            return .failure(ShareRefusal(.text("too many readers\n", status: 503)))
        }
        let view = BlockView(
            links: links.sharing(token),
            session: entry.id,
            agent: entry.summary.agent,
            hidesOutput: share.hidesOutput
        )
        return .success(.share(id: share.id, view: view))
    }
}

/// What a share's readers are told of a session besides its timeline.
enum ShareView {
    static func summary(_ summary: SessionSummary, hidesOutput: Bool) -> SessionSummary {
        var summary = summary
        summary.title = SecretMask.masked(summary.title)
        // Where the project lies on its owner's disk is nobody else's business.
        summary.project = ""
        summary.transcript = ""
        if hidesOutput { summary.branch = nil }
        summary.parent = nil
        return summary
    }
}
