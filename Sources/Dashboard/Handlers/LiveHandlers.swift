// The way in for live sockets: WebSocket, or server-sent events with POST where a proxy lets no WebSocket through; and the
// same intents as plain forms, for pages without JavaScript.

import Desktops
import Markup
import Store
import Web
import Wire

extension Site {
    static var liveOptions: WebSocketOptions {
        var options = WebSocketOptions()
        options.maxMessage = DashboardLimits.liveMessageBytes
        options.stallTimeout = DashboardLimits.stalled
        return options
    }

    func live(_ visit: Visit) -> HTTPAnswer {
        guard let credential = visit.credential else { return .response(.text("not signed in\n", status: 401)) }
        guard views.hasRoom() else { return .response(.text("too many tabs\n", status: 503)) }
        return .upgrade(Site.liveOptions, [:]) { [views] socket in views.accept(socket, .member(credential)) }
    }

    // MARK: server-sent events

    func liveEvents(_ visit: Visit) -> HTTPAnswer {
        guard let credential = visit.credential else { return .response(.text("not signed in\n", status: 401)) }
        guard views.hasRoom() else { return .response(.text("too many tabs\n", status: 503)) }
        return .response(events(visit, .member(credential), owner: credential.id))
    }

    func liveSend(_ visit: Visit) -> HTTPAnswer {
        guard let credential = visit.credential else { return .response(.text("not signed in\n", status: 401)) }
        return .response(sent(visit, owner: credential.id))
    }

    func shareEvents(_ visit: Visit) -> HTTPAnswer {
        switch shareVisitor(visit) {
        case .failure(let refusal): .response(refusal.response)
        case .success(let visitor): .response(events(visit, visitor, owner: visit.parameter("token")))
        }
    }

    func shareSend(_ visit: Visit) -> HTTPAnswer {
        switch shareVisitor(visit) {
        case .failure(let refusal): .response(refusal.response)
        case .success: .response(sent(visit, owner: visit.parameter("token")))
        }
    }

    private func events(_ visit: Visit, _ visitor: LiveVisitor, owner: String) -> HTTPResponse {
        guard let tab = visit.request.queryValue("tab"), (8...64).contains(tab.utf8.count) else {
            return .text("tab= is missing\n", status: 400)
        }
        let channel = EventChannel()
        let socket = views.openEvents(channel, visitor, tab: "\(owner)\n\(tab)")
        channel.stream.onAbandoned = { [weak socket, weak channel] in
            channel?.ended()
            socket?.closed()
        }
        var response = HTTPResponse(body: .stream(channel.stream))
        response.fields.set("Content-Type", "text/event-stream")
        response.fields.set("Cache-Control", "no-store")
        response.fields.set("X-Accel-Buffering", "no")
        return response
    }

    private func sent(_ visit: Visit, owner: String) -> HTTPResponse {
        guard let tab = visit.request.queryValue("tab"), let socket = views.eventSocket(tab: "\(owner)\n\(tab)") else {
            return .text("this tab has no events open\n", status: 410)
        }
        socket.received(visit.request.body)
        return HTTPResponse(status: 204)
    }

    // MARK: forms

    func promptForm(_ visit: Visit) async -> HTTPResponse {
        guard let text = visit.request.formValue("text"), !text.isEmpty else {
            return badForm(visit, "Write a message first.")
        }
        return await form(visit, .prompt(text: text, thread: visit.request.formValue("thread") ?? "main"))
    }

    func answerForm(_ visit: Visit) async -> HTTPResponse {
        guard let block = visit.request.formValue("block"),
            let decision = visit.request.formValue("answer").flatMap(ApprovalDecision.init(rawValue:))
        else { return badForm(visit, "Choose an answer.") }
        return await form(visit, .answer(block: block, decision: decision, message: visit.request.formValue("message")))
    }

    private func form(_ visit: Visit, _ kind: Intent.Kind) async -> HTTPResponse {
        let session = visit.parameter("id")
        // A form that is posted twice carries the same id when a script made one.
        let id = visit.request.formValue("id") ?? Tokens.id()
        let key = "\(visit.credential?.id ?? "")\n\(id)"
        if let failure = await views.act(Intent(id: id, session: session, kind: kind), key: key) {
            return .html(
                Shell.message(
                    visit.context,
                    title: "That did not work",
                    paragraphs: [failure.message, "Nothing was sent twice; you can go back and try again."],
                    action: ("Back to the session", links.session(session))
                ),
                status: 502
            )
        }
        return .redirect(to: links.session(session))
    }
}
