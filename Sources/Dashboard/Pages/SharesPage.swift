// Every share in one place, with the way to end it (BR-32a); and the page of who watches what (DESIGN §12.8).

import Desktops
import Markup
import Store

enum SharesPage {
    static func html(_ shares: [Share], links: Links, now: Int64, mayRevoke: Bool) -> HTML {
        guard !shares.isEmpty else {
            return Shell.empty(
                title: "Nothing is shared",
                level: 1,
                paragraphs: ["A share is a link with which anybody can read one session. Make one from the session's page."],
                action: ("To the sessions", links.page("/"))
            )
        }
        let rows = shares.map { share -> [HTML] in
            let isOpen = share.isOpen(now: now)
            let state: HTML =
                if let revoked = share.revokedAt {
                    "revoked \(Moment(revoked).html(now: now))"
                } else if isOpen {
                    "for \(Moment(share.expiresAt).distance(from: now)) more"
                } else {
                    "expired \(Moment(share.expiresAt).html(now: now))"
                }
            var notes: [String] = []
            if share.hasPassword { notes.append("password") }
            if share.hidesOutput { notes.append("without tool output") }
            let action: HTML =
                isOpen && mayRevoke
                ? """
                <form class="inline" method="post" action="\(links.page("/shares/\(Links.encoded(share.id))/revoke"))">\
                <button class="button danger">Revoke</button></form>
                """ : HTML()
            return [
                "<a href=\"\(links.session(share.session))\">\(share.title.isEmpty ? "Untitled session" : share.title)</a>",
                "\(Words.line(share.createdBy, limit: 80)), \(Moment(share.createdAt).html(now: now))",
                state,
                "\(notes.joined(separator: ", "))",
                "\(Words.number(share.views))",
                action,
            ]
        }
        return """
            <h1>Shares</h1><p>Whoever has such a link can read the session, now and as it goes on. The link itself is shown only \
            when it is made.</p>\
            \(Shell.table(label: "Shares", head: ["Session", "Made by", "Valid", "With", "Views", ""], rows: rows))
            """
    }
}

/// A live socket's view, for the page of who watches what.
struct Watcher {
    var session: String
    var who: String
    var since: Int64
    var isVisible: Bool
}

enum WatchingPage {
    static func html(_ rows: [[HTML]], links: Links) -> HTML {
        """
        <h1>Who watches what</h1><p>A desktop sends a session's content only while somebody looks at it: it is told so by a \
        lease, which ends when the last view closes or is hidden.</p>\
        \(Shell.table(label: "Watched sessions", head: ["Desktop", "Session", "Watched by", "Lease"], rows: rows, bodyID: "watching-body"))
        """
    }

    /// One row per watched session.
    static func rows(
        watchers: [Watcher],
        leases: [LeaseInfo],
        session: (String) -> SessionEntry?,
        desktop: (String) -> DesktopInfo?,
        links: Links,
        now: Int64
    ) -> [[HTML]] {
        var ids: [String] = []
        for id in leases.map(\.session) + watchers.map(\.session) where !ids.contains(id) { ids.append(id) }
        guard !ids.isEmpty else { return [["Nobody looks at a session now.", "", "", ""]] }
        return ids.map { id in
            let entry = session(id)
            let home = entry.flatMap { desktop($0.desktop) }
            let lease = leases.first { $0.session == id }
            let people = watchers.filter { $0.session == id }.prefix(20).map { watcher in
                "\(watcher.who)\(watcher.isVisible ? "" : " (hidden)") since \(Moment(watcher.since).html(now: now))<br>"
                    as HTML
            }
            let more = watchers.count { $0.session == id } - people.count
            let rest: HTML? = more > 0 ? "and \(Words.number(more)) more" : nil
            let leased: HTML =
                lease.map { lease in
                    lease.isPrimary
                        ? "first lease, \(Words.count(lease.claims, "view"))"
                        : "lease, \(Words.count(lease.claims, "view"))"
                } ?? "none: the desktop sends nothing"
            return [
                home.map { home in
                    "<span data-hue=\"\(ListView.hue(home.id))\">\(Words.line(home.name, limit: 80))</span>"
                } ?? "unknown",
                entry.map { entry in "<a href=\"\(links.session(id))\">\(ListView.title(entry))</a>" } ?? "\(id)",
                "\(Array(people))\(rest)",
                leased,
            ]
        }
    }
}
