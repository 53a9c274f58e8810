// Coming in and going out, and the forms of the settings page.

import Desktops
import Markup
import Store
import Web
import Wire

extension Site {
    /// A pairing link was opened: a good code lets this browser in, any other gets a page that says what to do.
    func pair(_ visit: Visit) async -> HTTPResponse {
        let address = visit.request.peer.host
        guard book.mayGuess(address) else { return answer(to: .tooManyGuesses, visit.request, visit.context) }
        let code = Tokens.hash(visit.parameter("code")), token = Tokens.fresh(), id = Tokens.id()
        let label = visit.request.fields["user-agent"] ?? "", now = Loop.wallClock
        do throws(StoreError) {
            let result = try await database.ask { database throws(StoreError) in
                let result = try database.redeemPairingCode(
                    hash: code,
                    token: Tokens.hash(token),
                    id: id,
                    label: label,
                    now: now
                )
                if case .paired(let credential) = result {
                    try database.note(
                        AuditEntry(
                            at: now,
                            person: credential.person.name,
                            action: "paired",
                            detail: "\(Browsers.name(label)) as \(credential.person.role.rawValue)"
                        )
                    )
                }
                return result
            }
            if case .paired = result {
                try await book.reload()
                var response = HTTPResponse.redirect(to: links.page("/"))
                let value = cookie(of: visit.request).setting(token, of: identity.instance)
                response.fields.add(
                    "Set-Cookie",
                    value.setCookie(base: configuration.basePath, isSecure: visit.request.isSecure)
                )
                return response
            }
            return refused(result, visit, address)
        } catch {
            return answer(to: error, visit.context)
        }
    }

    private func refused(_ result: PairingResult, _ visit: Visit, _ address: String) -> HTTPResponse {
        let isIn = visit.credential != nil
        let title: String, why: String
        switch result {
        case .used(let at):
            title = "This link was used"
            why = "A pairing link works once, and this one let a browser in on \(Moment(at).text)."
        case .expired(let at):
            title = "This link has expired"
            why = "A pairing link works for ten minutes, and this one ended on \(Moment(at).text)."
        case .unknown, .paired:
            book.countWrongGuess(address)
            title = "This link is not known here"
            why = "It belongs to another server, or a part of it is missing."
        }
        let next =
            isIn
            ? "This browser is signed in already; you need no link."
            : "Make a new one on the settings page of a browser that is signed in, or on the computer that runs the server:"
        return .html(
            Shell.message(
                visit.context,
                page: "pair",
                title: title,
                paragraphs: [why, next],
                command: isIn ? nil : "wheelhouse pair",
                action: isIn ? ("To the sessions", links.page("/")) : nil
            ),
            status: result == .unknown ? 404 : 410
        )
    }

    func logout(_ visit: Visit) async -> HTTPResponse {
        if let credential = visit.credential {
            let now = Loop.wallClock
            do throws(StoreError) {
                _ = try await change(by: visit.person, "signed out", Browsers.name(credential.label)) {
                    database throws(StoreError) in
                    try database.revokeCredential(credential.id, now: now)
                }
            } catch {
                return answer(to: error, visit.context)
            }
        }
        var context = visit.context
        context.role = "none"
        context.live = nil
        var response = HTTPResponse.html(
            Shell.message(
                context,
                page: "pair",
                title: "Signed out",
                paragraphs: ["This browser needs a new pairing link to come in again."],
                command: "wheelhouse pair"
            )
        )
        let value = cookie(of: visit.request).setting(nil, of: identity.instance)
        response.fields.add(
            "Set-Cookie",
            value.setCookie(base: configuration.basePath, isSecure: visit.request.isSecure)
        )
        return response
    }

    // MARK: settings

    func settings(_ visit: Visit) async -> HTTPResponse {
        guard let credential = visit.credential else { return answer(to: .notSignedIn, visit.request, visit.context) }
        do throws(StoreError) {
            let (credentials, tokens, audit) = try await database.ask { database throws(StoreError) in
                (try database.credentials(), try database.desktopTokens(), try database.auditLog(limit: 50))
            }
            let page = SettingsPage(
                links: links,
                now: visit.context.now,
                role: credential.person.role,
                own: credential.id,
                credentials: credentials,
                tokens: tokens,
                desktops: hub.desktops,
                audit: audit
            )
            return .html(Shell.page(visit.context, page: "settings", title: "Settings", main: page.html()))
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func makePairingLink(_ visit: Visit) async -> HTTPResponse {
        guard let credential = visit.credential,
            let role = visit.request.formValue("role").flatMap(Role.init(rawValue:))
        else {
            return badForm(visit, "Choose a role.")
        }
        let name = Words.line(visit.request.formValue("name") ?? "", limit: 80)
        let now = Loop.wallClock
        // Without a name, an owner's link is for another browser of their own.
        let person = role == .owner && name.isEmpty ? credential.person.id : nil
        do throws(StoreError) {
            let path = try await change(by: visit.person, "made a pairing link", role.rawValue) {
                database throws(StoreError) in
                try Pairing.newLink(role: role, person: person, name: name, in: database, now: now)
            }
            return secretPage(
                visit,
                title: "A link to come in",
                ["Open it in the other browser within ten minutes. It works once, for the role \(role.rawValue)."],
                secret: baseURL(of: visit.request) + path,
                qr: true,
                back: "/settings"
            )
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func makeDesktopToken(_ visit: Visit) async -> HTTPResponse {
        let name = Words.line(visit.request.formValue("name") ?? "", limit: 80)
        let now = Loop.wallClock
        do throws(StoreError) {
            let token = try await change(by: visit.person, "added a desktop", name) { database throws(StoreError) in
                try DesktopTokens.make(name: name.isEmpty ? "Desktop" : name, in: database, now: now)
            }
            let server = String(baseURL(of: visit.request).dropLast())
            return secretPage(
                visit,
                title: "A token for a desktop",
                [
                    "Run this on the other computer. It connects to this server by itself, also after restarts of either.",
                    "The token is shown only now.",
                ],
                secret: DesktopTokens.command(server: server, token: token),
                qr: false,
                back: "/settings#desktops"
            )
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func makeAPIToken(_ visit: Visit) async -> HTTPResponse {
        guard let credential = visit.credential else { return answer(to: .notSignedIn, visit.request, visit.context) }
        let name = Words.line(visit.request.formValue("name") ?? "", limit: 80)
        let now = Loop.wallClock
        do throws(StoreError) {
            let token = try await change(by: visit.person, "made an API token", name) { database throws(StoreError) in
                try APITokens.make(
                    label: name.isEmpty ? "API" : name,
                    person: credential.person,
                    in: database,
                    now: now
                )
            }
            return secretPage(
                visit,
                title: "A token for programs",
                ["Send it as Authorization: Bearer. It may do what you may. It is shown only now."],
                secret: token,
                qr: false,
                back: "/settings#api"
            )
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func revokeBrowser(_ visit: Visit) async -> HTTPResponse {
        let id = visit.parameter("id"), now = Loop.wallClock
        let label = book.credential(id: id).map { Browsers.name($0.label) } ?? id
        return await revoke(visit, "signed out", label, back: "/settings#browsers") { database throws(StoreError) in
            try database.revokeCredential(id, now: now)
        }
    }

    func revokeDesktopToken(_ visit: Visit) async -> HTTPResponse {
        let id = visit.parameter("id"), now = Loop.wallClock
        do throws(StoreError) {
            let token = try await change(by: visit.person, "revoked a desktop token", id) {
                database throws(StoreError) in
                let token = try database.desktopTokens().first { $0.id == id }
                try database.revokeDesktopToken(id, now: now)
                return token
            }
            if let desktop = token?.desktop { relay.unlink(device: desktop) }
            return .redirect(to: links.page("/settings#desktops"))
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func revoke(
        _ visit: Visit,
        _ action: String,
        _ detail: String,
        back: String,
        _ body: @escaping @Sendable (Database) throws(StoreError) -> Bool
    ) async -> HTTPResponse {
        do throws(StoreError) {
            _ = try await change(by: visit.person, action, detail, body)
            return .redirect(to: links.page(back))
        } catch {
            return answer(to: error, visit.context)
        }
    }

    func secretPage(
        _ visit: Visit,
        title: String,
        _ paragraphs: [String],
        secret: String,
        qr: Bool,
        back: String
    ) -> HTTPResponse {
        var response = HTTPResponse.html(
            SettingsPage.secret(
                visit.context,
                title: title,
                paragraphs: paragraphs,
                secret: secret,
                qr: qr,
                back: back
            )
        )
        response.fields.set("Cache-Control", "no-store")
        return response
    }

    func badForm(_ visit: Visit, _ why: String) -> HTTPResponse {
        .html(Shell.message(visit.context, title: "The form is not complete", paragraphs: [why]), status: 400)
    }
}
