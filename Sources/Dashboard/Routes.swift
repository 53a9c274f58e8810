// Every URL of the dashboard on one page, in the order of the design: what machines ask, coming in, reading, doing, sharing,
// settings, the API. `nil` is for anybody; every other route names the least role. The gate stands in `Visit.swift`.

import Desktops
import Markup
import Store
import Web
import Wire

extension Site {
    func addRoutes() {
        let form = DashboardLimits.formBytes

        // What machines ask.
        on([.get], "/healthz", needs: nil, .data) { [unowned self] in health($0) }
        on([.get], "/readyz", needs: nil, .data) { [unowned self] in ready($0) }
        on([.get], "/metrics", needs: nil, .data) { [unowned self] in metrics($0) }
        on([.get], "/assets/:digest/*path", needs: nil, .asset) { [unowned self] in asset($0) }
        on([.get], "/frame/mermaid", needs: nil, .asset) { [unowned self] in mermaidFrame($0) }
        on([.get], "/ws/device-link", needs: nil, .data) { [unowned self] in deviceLink($0) }

        // Coming in and going out.
        on(.get, "/pair/:code", needs: nil, .share) { [unowned self] in await pair($0) }
        on(.post, "/logout", needs: .viewer, .share, bodyLimit: form) { [unowned self] in await logout($0) }

        // Reading.
        on([.get], "/", needs: .viewer) { [unowned self] in home($0) }
        on([.get], "/d/:id", needs: .viewer) { [unowned self] in desktopPage($0) }
        on([.get], "/watching", needs: .viewer) { [unowned self] in watching($0) }
        on(.get, "/s/:id", needs: .viewer) { [unowned self] in await sessionPage($0) }
        on(.get, "/s/:id/older", needs: .viewer, .data) { [unowned self] in await older($0) }
        on(.get, "/s/:id/block/:block", needs: .viewer) { [unowned self] in await bodyPage($0) }
        on(.get, "/s/:id/block/:block/download", needs: .viewer, .foreign) { [unowned self] in await download($0) }
        on(.get, "/s/:id/media/:media", needs: .viewer, .foreign) { [unowned self] in await media($0) }

        // Live, and doing.
        on([.get], "/live", needs: .viewer, .data) { [unowned self] in live($0) }
        on([.get], "/live/events", needs: .viewer, .data) { [unowned self] in liveEvents($0) }
        on([.post], "/live/send", needs: .viewer, .data, bodyLimit: DashboardLimits.liveMessageBytes) {
            [unowned self] in
            liveSend($0)
        }
        on(.post, "/s/:id/prompt", needs: .operator_, bodyLimit: DashboardLimits.liveMessageBytes * 3) {
            [unowned self] in
            await promptForm($0)
        }
        on(.post, "/s/:id/answer", needs: .operator_, bodyLimit: form) { [unowned self] in await answerForm($0) }

        // Sharing: members.
        on(.get, "/shares", needs: .viewer) { [unowned self] in await sharesPage($0) }
        on(.post, "/s/:id/share", needs: .operator_, bodyLimit: form) { [unowned self] in await makeShare($0) }
        on(.post, "/shares/:id/revoke", needs: .operator_, bodyLimit: form) { [unowned self] in await revokeShare($0) }

        // Sharing: readers. No role, no cookie; the token in the path decides.
        on(.get, "/share/:token", needs: nil, .share) { [unowned self] in await sharePage($0) }
        on(.post, "/share/:token", needs: nil, .share, bodyLimit: form) { [unowned self] in await sharePassword($0) }
        on(.get, "/share/:token/older", needs: nil, .data) { [unowned self] in await shareOlder($0) }
        on(.get, "/share/:token/block/:block", needs: nil, .share) { [unowned self] in await shareBody($0) }
        on(.get, "/share/:token/block/:block/download", needs: nil, .foreign) { [unowned self] in
            await shareDownload($0)
        }
        on(.get, "/share/:token/media/:media", needs: nil, .foreign) { [unowned self] in await shareMedia($0) }
        on([.get], "/share/:token/live", needs: nil, .data) { [unowned self] in shareLive($0) }
        on([.get], "/share/:token/live/events", needs: nil, .data) { [unowned self] in shareEvents($0) }
        on([.post], "/share/:token/live/send", needs: nil, .data, bodyLimit: 4_096) { [unowned self] in shareSend($0) }

        // Settings.
        on(.get, "/settings", needs: .viewer) { [unowned self] in await settings($0) }
        on(.post, "/settings/pair", needs: .owner, bodyLimit: form) { [unowned self] in await makePairingLink($0) }
        on(.post, "/settings/desktops", needs: .owner, bodyLimit: form) { [unowned self] in await makeDesktopToken($0) }
        on(.post, "/settings/desktops/:id/revoke", needs: .owner, bodyLimit: form) { [unowned self] in
            await revokeDesktopToken($0)
        }
        on(.post, "/settings/api", needs: .owner, bodyLimit: form) { [unowned self] in await makeAPIToken($0) }
        on(.post, "/settings/browsers/:id/revoke", needs: .owner, bodyLimit: form) { [unowned self] in
            await revokeBrowser($0)
        }

        // The API.
        on([.get], "/api/v1/openapi.json", needs: nil, .data) { [unowned self] in apiDescription($0) }
        on([.get], "/api/v1/desktops", needs: .viewer, .data) { [unowned self] in apiDesktops($0) }
        on(.get, "/api/v1/sessions", needs: .viewer, .data) { [unowned self] in await apiSessions($0) }
        on(.get, "/api/v1/sessions/:id/blocks", needs: .viewer, .data) { [unowned self] in await apiBlocks($0) }

        router.notFound = { [weak self] request in self?.nothingHere(request) ?? .text("the server ends\n", status: 503)
        }
    }

    /// The answer to every other URL.
    private func nothingHere(_ request: HTTPRequest) -> HTTPResponse {
        let credential = credential(of: request), context = context(of: request, credential: credential)
        if let refusal = gate.check(GateRequest(host: request.host, isUnsafe: false)) {
            return finished(answer(to: refusal, request, context), request, .page)
        }
        guard !request.path.hasPrefix("/api/") else {
            return finished(
                .json(API.error(code: "not_found", message: "There is no such call."), status: 404),
                request,
                .data
            )
        }
        let page = notFound(context, "Nothing here", "The address is wrong, or the page is from another version.")
        return finished(page, request, .page)
    }
}
