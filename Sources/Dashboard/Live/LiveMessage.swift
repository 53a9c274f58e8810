// What browsers say on a live socket (DESIGN §6). Two decoders: members' sockets know intents, share viewers' sockets know
// only what it takes to watch one session, so a share is read-only by construction.

package import Desktops
package import Web

/// A message that members and share viewers may send.
package enum WatchMessage: Sendable, Equatable {
    case hello(tab: String, build: String)
    case visible(generation: Int)
    case hidden
    case claim(LiveClaim)
    case release(claim: String)
    case ack
    case ping
}

/// A view that a tab shows.
package struct LiveClaim: Sendable, Equatable {
    package var id: String
    package var session: String
    package var thread: String
    package var generation: Int
    /// `EPOCH.N`: what the page has already.
    package var since: String?
}

/// A wish of a person.
package struct Intent: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case prompt(text: String, thread: String)
        case answer(block: String, decision: ApprovalDecision, message: String?)
        case interrupt(run: String)
    }

    /// Made by the browser: sending it again never acts twice.
    package var id: String
    package var session: String
    package var kind: Kind
}

package enum MemberMessage: Sendable, Equatable {
    case watch(WatchMessage)
    case intent(Intent)
    /// An intent that is not understood; its id, so that the page can say so.
    case badIntent(id: String)
}

extension WatchMessage {
    /// nil for anything that is not one of these messages.
    package init?(_ json: JSON) {
        switch json["type"]?.string {
        case "hello":
            self = .hello(
                tab: Field.text(json["tab"], limit: 64) ?? "",
                build: Field.text(json["build"], limit: 64) ?? ""
            )
        case "visible":
            guard let generation = json["generation"]?.int, generation > 0 else { return nil }
            self = .visible(generation: generation)
        case "hidden": self = .hidden
        case "claim":
            guard let id = Field.text(json["claim"], limit: 64), let session = Field.text(json["session"], limit: 128),
                let generation = json["generation"]?.int, generation > 0
            else { return nil }
            self = .claim(
                LiveClaim(
                    id: id,
                    session: session,
                    thread: Field.text(json["thread"], limit: 128) ?? "main",
                    generation: generation,
                    since: Field.text(json["since"], limit: 64)
                )
            )
        case "release":
            guard let id = Field.text(json["claim"], limit: 64) else { return nil }
            self = .release(claim: id)
        case "ack": self = .ack
        case "ping": self = .ping
        default: return nil
        }
    }
}

extension MemberMessage {
    package init?(_ json: JSON) {
        if let watch = WatchMessage(json) {
            self = .watch(watch)
            return
        }
        guard json["type"]?.string == "intent", let id = Field.text(json["id"], limit: 128) else { return nil }
        guard let session = Field.text(json["session"], limit: 128), let kind = Intent.Kind(json) else {
            self = .badIntent(id: id)
            return
        }
        self = .intent(Intent(id: id, session: session, kind: kind))
    }
}

extension Intent.Kind {
    fileprivate init?(_ json: JSON) {
        switch json["kind"]?.string {
        case "prompt":
            guard let text = Field.text(json["text"], limit: DashboardLimits.liveMessageBytes), !text.isEmpty else {
                return nil
            }
            self = .prompt(text: text, thread: Field.text(json["thread"], limit: 128) ?? "main")
        case "answer":
            guard let block = Field.text(json["block"], limit: 512),
                let decision = json["answer"]?.string.flatMap(ApprovalDecision.init(rawValue:))
            else { return nil }
            let message = Field.text(json["message"], limit: 10_000)
            self = .answer(block: block, decision: decision, message: message)
        case "interrupt":
            guard let run = Field.text(json["run"], limit: 512) else { return nil }
            self = .interrupt(run: run)
        default: return nil
        }
    }
}

private enum Field {
    /// A string of at most `limit` bytes.
    static func text(_ json: JSON?, limit: Int) -> String? {
        guard let text = json?.string, text.utf8.count <= limit else { return nil }
        return text
    }
}
