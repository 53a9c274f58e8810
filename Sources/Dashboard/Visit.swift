// One request on its way through the gate: who asks, what the page that answers must know.

import Store
import Web
import Wire

/// A request that passed the gate.
struct Visit {
    let request: HTTPRequest
    let parameters: Parameters
    /// Who asks; nil on routes that need nobody.
    let credential: Credential?
    let context: PageContext

    var links: Links { context.links }
    var role: Role? { credential?.person.role }
    var person: String { credential?.person.name ?? "somebody" }

    func parameter(_ name: String) -> String { parameters[name] ?? "" }
}

extension Site {
    /// Adds a route behind the gate.
    ///
    /// - Parameters:
    ///   - role: what the visitor must be at least; nil for routes that anybody may ask.
    ///   - kind: which headers the answer carries.
    func on(
        _ methods: [HTTPMethod],
        _ pattern: String,
        needs role: Role?,
        _ kind: SecurityHeaders.Kind = .page,
        bodyLimit: Int = 0,
        _ handler: @escaping @Loop (Visit) -> HTTPAnswer
    ) {
        router.on(methods, pattern, bodyLimit: bodyLimit) { [weak self] request, parameters in
            guard let self else { return .response(.text("the server ends\n", status: 503)) }
            let credential = credential(of: request)
            let context = context(of: request, credential: credential)
            if let refusal = refusal(request, credential, needs: role) {
                return .response(finished(answer(to: refusal, request, context), request, .page))
            }
            if let credential { book.touch(credential) }
            let visit = Visit(request: request, parameters: parameters, credential: credential, context: context)
            switch handler(visit) {
            case .response(let response): return .response(finished(response, request, kind))
            // The flow holds the dashboard, so handlers may take it for granted.
            case .later(let work): return .later { [self] in finished(await work(), request, kind) }
            case .upgrade(let options, let fields, let body): return .upgrade(options, fields, body)
            }
        }
    }

    /// The same for one method whose answer takes its time.
    func on(
        _ method: HTTPMethod,
        _ pattern: String,
        needs role: Role?,
        _ kind: SecurityHeaders.Kind = .page,
        bodyLimit: Int = 0,
        later handler: @escaping @Loop (Visit) async -> HTTPResponse
    ) {
        on([method], pattern, needs: role, kind, bodyLimit: bodyLimit) { visit in .later { await handler(visit) } }
    }

    private func refusal(_ request: HTTPRequest, _ credential: Credential?, needs role: Role?) -> GateRefusal? {
        let fields = request.fields
        let hasUpgrade = fields["upgrade"] != nil
        let asked = GateRequest(
            host: request.host,
            isUnsafe: !request.method.isSafe || hasUpgrade,
            origin: fields["origin"],
            fetchSite: fields["sec-fetch-site"]
        )
        if let refusal = gate.check(asked) { return refusal }
        guard let role else { return nil }
        return gate.check(credential?.person.role, needs: role)
    }

    /// The holder of the cookie, or of the API token, that the request shows.
    func credential(of request: HTTPRequest) -> Credential? {
        let fields = request.fields
        if let authorization = fields["authorization"] {
            let parts = authorization.split(separator: " ")
            guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
            // A browser's secret does not work as an API token.
            return book.credential(token: String(parts[1])).flatMap { $0.kind == .api ? $0 : nil }
        }
        guard let token = cookie(of: request).token(of: identity.instance) else { return nil }
        return book.credential(token: token).flatMap { $0.kind == .browser ? $0 : nil }
    }

    /// Every value of the cookie that came: two when their paths differ.
    func cookie(of request: HTTPRequest) -> CookieValue {
        let prefix = CookieValue.name + "="
        let values = request.fields.values("cookie").flatMap { field in
            field.split(separator: ";").compactMap { pair -> String? in
                let pair = pair.drop { $0 == " " }
                return pair.hasPrefix(prefix) ? String(pair.dropFirst(prefix.count)) : nil
            }
        }
        return CookieValue(values)
    }

    func context(of request: HTTPRequest, credential: Credential?) -> PageContext {
        var context = PageContext(
            links: links,
            build: assets.digest,
            role: credential?.person.role.rawValue ?? "none",
            live: credential == nil ? nil : links.page("/live"),
            now: Loop.wallClock
        )
        context.hasMermaid = assets.hasMermaid
        context.hasFonts = assets.hasFonts
        if let theme = request.cookie("wheelhouse-theme"), theme == "light" || theme == "dark" { context.theme = theme }
        return context
    }

    func finished(_ response: HTTPResponse, _ request: HTTPRequest, _ kind: SecurityHeaders.Kind) -> HTTPResponse {
        var response = response
        SecurityHeaders.add(to: &response, kind: kind, host: request.host, isSecure: request.isSecure)
        return response
    }

    // MARK: refusals

    /// What a refused visitor is told: JSON for programs, a page for people.
    func answer(to refusal: GateRefusal, _ request: HTTPRequest, _ context: PageContext) -> HTTPResponse {
        let words = words(for: refusal, context)
        guard !request.path.hasPrefix("/api/") else {
            var response = HTTPResponse.json(
                API.error(code: words.code, message: words.paragraphs[0]),
                status: refusal.status
            )
            if refusal.status == 401 { response.fields.set("WWW-Authenticate", "Bearer realm=\"wheelhouse\"") }
            return response
        }
        var plain = context
        plain.live = nil
        return .html(
            Shell.message(
                plain,
                page: refusal == .notSignedIn ? "pair" : "error",
                title: words.title,
                paragraphs: words.paragraphs,
                command: words.command
            ),
            status: refusal.status
        )
    }

    private func words(
        for refusal: GateRefusal,
        _ context: PageContext
    ) -> (code: String, title: String, paragraphs: [String], command: String?) {
        switch refusal {
        case .unknownHost(let host):
            return (
                "unknown_host", "Not known by this name",
                [
                    "This server does not answer to the name \(Words.line(host, limit: 120)). Other sites could otherwise point "
                        + "a name of theirs at it and read your sessions.",
                    "Open it by its address in digits or by localhost, or start it with its public address:",
                ], "wheelhouse serve --public-url https://\(Words.line(host, limit: 120))"
            )
        case .foreignOrigin:
            return (
                "foreign_origin", "Sent from somewhere else",
                [
                    "The request came from a page of another site, so it was not carried out.",
                    "If you reach the dashboard through a proxy, the proxy must pass the Host field on unchanged.",
                ], nil
            )
        case .notSignedIn:
            return (
                "not_signed_in", "This browser is not signed in",
                [
                    "A pairing link lets a browser in: it works once, within ten minutes.",
                    "Make one on the settings page of a browser that is signed in, or on the computer that runs the server:",
                ], "wheelhouse pair"
            )
        case .roleTooLow(let needed):
            return (
                "role_too_low", "Not with your role",
                [
                    "You are signed in as \(context.role); this needs the role \(needed.rawValue).",
                    "An owner can let you in with another role from the settings page.",
                ], nil
            )
        case .tooManyGuesses:
            return (
                "too_many_guesses", "Too many wrong tries",
                ["Too many links, codes or passwords from your address were wrong. Wait ten minutes and try again."],
                nil
            )
        }
    }

    /// The answer when the database failed.
    func answer(to error: StoreError, _ context: PageContext) -> HTTPResponse {
        Log.write(.error, "the database failed: \(error.sentence)")
        return .html(
            Shell.message(
                context,
                title: "That did not work",
                paragraphs: [error.sentence, "Nothing was changed."],
                action: ("Back", context.links.page("/"))
            ),
            status: error == .locked || error == .overloaded ? 503 : 500
        )
    }

    /// A 404 that a person reads.
    func notFound(_ context: PageContext, _ what: String, _ why: String) -> HTTPResponse {
        .html(
            Shell.message(context, title: what, paragraphs: [why], action: ("To the sessions", context.links.page("/"))),
            status: 404
        )
    }
}
