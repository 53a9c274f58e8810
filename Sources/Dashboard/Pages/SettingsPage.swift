// Settings: who may come in, which desktops may dial in, and the forms that let others in. Also the pages that answer those
// forms with a secret that is shown once.

import Desktops
import Markup
import Store

struct SettingsPage {
    var links: Links
    var now: Int64
    var role: Role
    /// The credential that asks.
    var own: String
    var credentials: [Credential]
    var tokens: [DesktopToken]
    var desktops: [DesktopInfo]
    var audit: [AuditEntry]

    func html() -> HTML {
        guard role == .owner else {
            return """
                <h1>Settings</h1><section class="card-section" id="browsers"><h2>This browser</h2>\
                <p>You are signed in as \(role.rawValue). Owners see more here.</p>\(logout)</section>
                """
        }
        return "<h1>Settings</h1>\(pair)\(browsers)\(desktopTokens)\(apiTokens)\(log)"
    }

    private var logout: HTML {
        """
        <form class="inline" method="post" action="\(links.page("/logout"))"><button class="button">Sign this browser out\
        </button></form>
        """
    }

    private var pair: HTML {
        """
        <section class="card-section" id="pair"><h2>Let somebody in</h2><p>Makes a link that works once, within ten minutes: \
        open it in the other browser, or scan it with the phone.</p><form class="form" method="post" \
        action="\(links.page("/settings/pair"))"><label>Role <select name="role"><option value="owner">Owner: everything, and \
        these settings</option><option value="operator">Operator: reads, prompts, answers</option><option value="viewer">\
        Viewer: only reads</option></select></label><label>Name, for somebody else \
        <input name="name" autocomplete="off" maxlength="80"></label><button class="button primary">Make link</button></form>\
        </section>
        """
    }

    private var browsers: HTML {
        let rows = credentials.filter { $0.kind == .browser }.map { credential -> [HTML] in
            let isOwn = credential.id == own
            let action: HTML =
                isOwn ? logout : revoke("/settings/browsers/\(Links.encoded(credential.id))/revoke", "Sign out")
            return [
                "\(Words.line(Browsers.name(credential.label), limit: 80))\(isOwn ? " (this one)" : "")",
                "\(Words.line(credential.person.name, limit: 80))",
                "\(credential.person.role.rawValue)",
                "\(Moment(credential.lastSeen).html(now: now))",
                action,
            ]
        }
        return """
            <section class="card-section" id="browsers"><h2>Browsers</h2>\
            \(Shell.table(label: "Browsers", head: ["Browser", "Person", "Role", "Last seen", ""], rows: rows))</section>
            """
    }

    private var desktopTokens: HTML {
        let names = Dictionary(desktops.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        let rows = tokens.map { token -> [HTML] in
            [
                "\(Words.line(token.name, limit: 80))",
                token.desktop.map { id in
                    "<span data-hue=\"\(ListView.hue(id))\">\(Words.line(names[id] ?? id, limit: 80))</span>"
                } ?? "not yet",
                token.lastUsed.map { Moment($0).html(now: now) } ?? "never",
                revoke("/settings/desktops/\(Links.encoded(token.id))/revoke", "Revoke"),
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? "<p>No other computer may dial in yet.</p>"
            : Shell.table(label: "Desktop tokens", head: ["Name", "Desktop", "Last used", ""], rows: rows)
        return """
            <section class="card-section" id="desktops"><h2>Desktops</h2><p>A token lets one more computer show its sessions \
            here.</p>\(table)<form class="form" method="post" action="\(links.page("/settings/desktops"))"><label>Name \
            <input name="name" autocomplete="off" maxlength="80" placeholder="laptop"></label><button class="button primary">\
            Add a desktop</button></form></section>
            """
    }

    private var apiTokens: HTML {
        let rows = credentials.filter { $0.kind == .api }.map { credential -> [HTML] in
            [
                "\(Words.line(credential.label, limit: 80))",
                "\(Words.line(credential.person.name, limit: 80))",
                "\(Moment(credential.lastSeen).html(now: now))",
                revoke("/settings/browsers/\(Links.encoded(credential.id))/revoke", "Revoke"),
            ]
        }
        let table: HTML =
            rows.isEmpty
            ? HTML() : Shell.table(label: "API tokens", head: ["Name", "Person", "Last used", ""], rows: rows)
        return """
            <section class="card-section" id="api"><h2>API</h2><p>Programs send a token as \
            <code>Authorization: Bearer TOKEN</code>. The calls are described in \
            <a href="\(links.page("/api/v1/openapi.json"))">openapi.json</a>.</p>\(table)<form class="form" method="post" \
            action="\(links.page("/settings/api"))"><label>Name <input name="name" autocomplete="off" maxlength="80"></label>\
            <button class="button primary">Make token</button></form></section>
            """
    }

    private var log: HTML {
        let rows = audit.map { entry -> [HTML] in
            [
                "\(Moment(entry.at).html(now: now))", "\(entry.person)", "\(entry.action)", "\(entry.detail)",
            ]
        }
        guard !rows.isEmpty else { return HTML() }
        return """
            <section class="card-section" id="log"><h2>What was done</h2>\
            \(Shell.table(label: "What was done", head: ["When", "Who", "What", ""], rows: rows))</section>
            """
    }

    private func revoke(_ path: String, _ label: String) -> HTML {
        """
        <form class="inline" method="post" action="\(links.page(path))"><button class="button danger">\(label)</button></form>
        """
    }

    /// The answer to a form that made a secret.
    static func secret(
        _ context: PageContext,
        title: String,
        paragraphs: [String],
        secret: String,
        qr: Bool,
        back: String
    ) -> [UInt8] {
        let code = qr ? QRCode(secret, level: .medium) ?? QRCode(secret, level: .low) : nil
        let picture = code.map { code in
            "<figure class=\"qr\">\(code.svg(label: "QR code of the link"))</figure>" as HTML
        }
        let text = paragraphs.map { paragraph in "<p>\(paragraph)</p>" as HTML }
        return Shell.page(
            context,
            page: "settings",
            title: title,
            main: """
                <section class="card-section"><h1>\(title)</h1>\(text)<p class="secret"><code>\(secret)</code></p>\(picture)\
                <p><a class="button" href="\(context.links.page(back))">Done</a></p></section>
                """
        )
    }
}

/// What a user agent is called on a page.
package enum Browsers {
    /// `Firefox on Linux` from a `User-Agent` field; the field itself when it names no browser that we know.
    package static func name(_ agent: String) -> String {
        let browsers = [
            ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser", "Samsung Internet"), ("Firefox", "Firefox"),
            ("FxiOS", "Firefox"), ("CriOS", "Chrome"), ("Chrome", "Chrome"), ("Safari", "Safari"), ("curl", "curl"),
        ]
        let systems = [
            ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
            ("CrOS", "ChromeOS"),
            ("Mac OS X", "macOS"), ("Linux", "Linux"),
        ]
        guard let browser = browsers.first(where: { agent.contains($0.0) })?.1 else {
            return agent.isEmpty ? "Unnamed browser" : agent
        }
        return systems.first { agent.contains($0.0) }.map { "\(browser) on \($0.1)" } ?? browser
    }
}
