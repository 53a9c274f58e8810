// What machines ask: is it alive, is it ready, what has it done; the browser's files; the frame that draws diagrams; and the
// way in for desktops.

import Desktops
import Markup
import Store
import Web
import Wire

extension Site {
    func health(_ visit: Visit) -> HTTPAnswer { .response(.text("ok\n")) }

    func ready(_ visit: Visit) -> HTTPAnswer {
        .response(isReady ? .text("ready\n") : .text("not ready\n", status: 503))
    }

    /// Loopback or owner only.
    ///
    /// A proxy on this machine makes everybody loopback, so a forwarded request does not count.
    func metrics(_ visit: Visit) -> HTTPAnswer {
        let isForwarded = visit.request.fields["x-forwarded-for"] != nil || visit.request.fields["forwarded"] != nil
        guard visit.role == .owner || visit.request.peer.isLoopback && !isForwarded else {
            return .response(.text("metrics are for this machine and for owners\n", status: 403))
        }
        var response = HTTPResponse.text(Metrics.text(of: self))
        response.fields.set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
        return .response(response)
    }

    /// A file of `Public/`.
    ///
    /// Another digest than ours belongs to an older or newer server: 404, never a page (BR-35a).
    func asset(_ visit: Visit) -> HTTPAnswer {
        guard visit.parameter("digest") == assets.digest, let files = staticFiles else {
            return .response(.text("no such file\n", status: 404))
        }
        return files.answer(visit.request, path: "/" + visit.parameter("path"))
    }

    /// The page inside the sandboxed frame: its origin is opaque, it may load two scripts and nothing else (SWIFT-FACTS §10).
    func mermaidFrame(_ visit: Visit) -> HTTPAnswer {
        guard assets.hasMermaid else { return .response(.text("diagrams are not installed here\n", status: 404)) }
        let base = baseURL(of: visit.request)
        let scripts = ["vendor/mermaid.min.js", "js/frame.js"].map { "\(base)assets/\(assets.digest)/\($0)" }
        let page: HTML = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><title>Diagram</title>\
            <script src="\(scripts[0])"></script><script src="\(scripts[1])"></script></head><body></body></html>
            """
        var response = HTTPResponse.html(page.bytes)
        response.fields.set(
            "Content-Security-Policy",
            "sandbox allow-scripts; default-src 'none'; script-src \(scripts.joined(separator: " ")); "
                + "style-src 'unsafe-inline'; font-src data:; img-src data:; frame-ancestors 'self'"
        )
        response.fields.set("X-Frame-Options", "SAMEORIGIN")
        response.fields.set("Cache-Control", "private, max-age=300")
        response.fields.set("Cross-Origin-Resource-Policy", "cross-origin")
        return .response(response)
    }

    /// A desktop or a phone of the device link dials in.
    func deviceLink(_ visit: Visit) -> HTTPAnswer {
        let fields = visit.request.fields
        let address = visit.request.peer.host
        guard book.mayGuess(address) else { return .response(.text("too many wrong tokens\n", status: 429)) }
        let credentials: RelayCredentials
        do throws(RelayCredentialError) {
            credentials = try RelayCredentials.check { fields[$0] }
        } catch {
            Log.write(.info, "a device was refused: \(error)", [("peer", address)])
            return .response(.text("unauthorized\n", status: 401))
        }
        if isAllowed(credentials) {
            noteUse(of: credentials)
            var options = WebSocketOptions()
            options.maxMessage = Limits.messageBytes
            return .upgrade(options, [:]) { [relay] socket in relay.accept(socket, as: credentials.identity) }
        }
        // A token that a command made a moment ago is in the database before it is in memory.
        return .later { [self] in
            do { try await book.reload() } catch { return .text("try again\n", status: 503) }
            guard isAllowed(credentials) else {
                book.countWrongGuess(address)
                return .text("unauthorized\n", status: 401)
            }
            var response = HTTPResponse.text("try again\n", status: 503)
            response.fields.set("Retry-After", "0")
            return response
        }
    }

    private func isAllowed(_ credentials: RelayCredentials) -> Bool {
        switch credentials.identity.role {
        case .desktop:
            guard let token = book.desktopToken(credentials.token) else { return false }
            // A token belongs to the first desktop that came with it.
            return token.desktop == nil || token.desktop == credentials.identity.device
        case .phone:
            return book.credential(token: credentials.token).map {
                $0.kind == .api && $0.person.role.includes(.operator_)
            } ?? false
        }
    }

    private func noteUse(of credentials: RelayCredentials) {
        guard credentials.identity.role == .desktop, let token = book.desktopToken(credentials.token) else { return }
        let now = Loop.wallClock, database = database, device = credentials.identity.device
        let isFirst = token.desktop == nil
        Loop.spawn { @Loop [weak self] in
            do {
                try await database.ask { database throws(StoreError) in
                    try database.useDesktopToken(token.id, desktop: device, now: now)
                }
                if isFirst { try await self?.book.reload() }
            } catch {
                Log.write(.warning, "the use of a desktop token was not noted")
            }
        }
    }
}
