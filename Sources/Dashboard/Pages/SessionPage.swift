// One session: its head, the last screenful of its timeline, and what can be done with it. Share viewers get the same page
// without anything that leads elsewhere.

package import Desktops
package import Markup

/// A piece of a timeline, laid out and rendered.
package struct TimelinePart: Sendable {
    package var html: HTML
    /// Older blocks exist below this `seq`; nil at the beginning of the session.
    package var older: Int?

    package init(html: HTML, older: Int?) {
        self.html = html
        self.older = older
    }
}

/// What the page of a session says.
package struct SessionPage: Sendable {
    package var entry: SessionEntry
    package var desktop: DesktopInfo
    package var thread = "main"
    package var part: TimelinePart
    /// `EPOCH.N` of the view's history; nil for an older page, which is not live.
    package var version: String?
    /// Why the timeline is missing or may be old.
    package var trouble: DesktopError?
    /// The parent's entry of a helper's session, and the helpers of this one.
    package var parent: SessionEntry?
    package var helpers: [SessionEntry] = []
    /// Why nothing can be sent; nil when prompts can.
    package var composerReason: String?
    package var share: ShareNote?

    /// What a share's viewers are told.
    package struct ShareNote: Sendable {
        package var expiresAt: Int64
        package var hidesOutput: Bool
    }

    package init(entry: SessionEntry, desktop: DesktopInfo, part: TimelinePart) {
        self.entry = entry
        self.desktop = desktop
        self.part = part
    }

    package func html(_ context: PageContext) -> HTML {
        let list = ListView(links: context.links, now: context.now)
        return """
            <article class="session-page" data-session="\(entry.id)">\(banner(context))<header class="session-head" \
            id="session-head">\(crumbs(context, list))<h1 class="session-title">\(ListView.title(entry))</h1>\
            \(meta(list, context))\(tools(context))</header>\(notices(context))\(SessionPage.olderNav(
                part.older, session: entry.id, thread: thread, links: context.links
            ))\(timeline(context))\
            <p class="timeline-foot" id="timeline-foot" data-state="\(entry.summary.state.rawValue)">\(foot)</p>\
            \(dock(context))</article>
            """
    }

    /// The link to older blocks; empty when there are none.
    static func olderNav(_ before: Int?, session: String, thread: String, links: Links) -> HTML {
        guard let before else { return HTML() }
        return """
            <nav class="older" id="older"><a class="older-link" rel="prev" \
            href="\(links.older(session, thread: thread, before: before))" \
            data-fragment="\(links.olderFragment(session, thread: thread, before: before))">Older messages</a></nav>
            """
    }

    private func banner(_ context: PageContext) -> HTML {
        guard let share else { return HTML() }
        let hidden = share.hidesOutput ? " What tools read and wrote is left out." : ""
        return """
            <p class="share-banner">A shared session, to read only. The link works until \
            \(Moment(share.expiresAt).html()).\(hidden)</p>
            """
    }

    private func crumbs(_ context: PageContext, _ list: ListView) -> HTML {
        guard share == nil else { return HTML() }
        let name = Words.split(path: entry.summary.project)
        return """
            <nav class="crumbs" aria-label="Where"><a href="\(context.links.desktop(desktop.id))" data-desktop="\(desktop.id)" \
            data-hue="\(ListView.hue(desktop.id))">\(Words.line(desktop.name, limit: 80))</a> \
            <span class="project-folder" title="\(entry.summary.project)">\(name.folder)</span> \
            <span data-desktop="\(desktop.id)">\(list.presence(desktop))</span></nav>
            """
    }

    private func meta(_ list: ListView, _ context: PageContext) -> HTML {
        SessionPage.meta(entry, list, parent: parent, helpers: helpers)
    }

    /// The line below the title, which live messages replace.
    static func meta(
        _ entry: SessionEntry,
        _ list: ListView,
        parent: SessionEntry? = nil,
        helpers: [SessionEntry] = []
    ) -> HTML {
        var parts: [HTML] = []
        var counts: [String] = []
        if let bad = entry.summary.badLines, bad > 0 { counts.append(Words.count(bad, "unreadable line")) }
        if let unknown = entry.summary.unknownRecords, unknown > 0 {
            counts.append(Words.count(unknown, "unknown record"))
        }
        if !counts.isEmpty { parts.append(" <span class=\"counts\">\(counts.joined(separator: " · "))</span>") }
        if list.links.share == nil {
            if let parent {
                parts.append(
                    " <a class=\"parent\" href=\"\(list.links.session(parent.id))\">Started by \(ListView.title(parent))</a>"
                )
            }
            if !helpers.isEmpty {
                let items = helpers.map { helper in
                    "<li><a href=\"\(list.links.session(helper.id))\">\(ListView.title(helper))</a></li>" as HTML
                }
                parts.append(
                    """
                     <details class="menu helpers"><summary>\(Words.count(helpers.count, "helper"))</summary><ul>\(items)</ul>\
                    </details>
                    """
                )
            }
        }
        return "<div class=\"session-meta\" id=\"\(ElementID.meta(entry.id))\">\(list.meta(entry))\(parts)</div>"
    }

    private func tools(_ context: PageContext) -> HTML {
        guard context.role == "owner" || context.role == "operator" else { return HTML() }
        return """
            <div class="session-tools"><details class="menu" id="share-menu"><summary class="button">Share</summary>\
            <form class="form" method="post" action="\(context.links.session(entry.id))/share"><p>Makes a link with which \
            anybody can read this session, and nothing else.</p><label>Valid for <select name="expires">\
            <option value="1h">1 hour</option><option value="1d">1 day</option><option value="7d" selected>7 days</option>\
            <option value="30d">30 days</option></select></label><label><input type="checkbox" name="hideOutput" value="1"> \
            Leave out what tools read and wrote</label><label>Password, if you like \
            <input type="password" name="password" autocomplete="new-password" maxlength="200"></label>\
            <button class="button primary">Make link</button></form></details></div>
            """
    }

    private func notices(_ context: PageContext) -> HTML {
        var list: [HTML] = []
        if let trouble {
            list.append("<p class=\"notice\" data-level=\"warning\">\(trouble.sentence)</p>")
        }
        if share == nil, desktop.presence != .online, trouble == nil {
            list.append(
                """
                <p class="notice" data-level="info">\(Words.line(desktop.name, limit: 80)) is \
                \(Words.presence(desktop.presence)): this is what it sent last.</p>
                """
            )
        }
        if version == nil {
            list.append(
                """
                <p class="notice" data-level="info">An older part of the chat. \
                <a href="\(context.links.session(entry.id))">Go to its end</a></p>
                """
            )
        }
        return list.reduce(into: HTML()) { $0 += $1 }
    }

    private func timeline(_ context: PageContext) -> HTML {
        let live: HTML? =
            version.map { version in " data-version=\"\(version)\" data-live-view aria-live=\"polite\"" }
        let isShare = context.links.share != nil
        return """
            <section class="timeline" id="timeline" data-session="\(entry.id)" data-thread="\(thread)" \
            data-desktop="\(isShare ? "" : desktop.id)" data-view="\(entry.id):\(thread)"\(live) aria-label="Timeline">\
            \(part.html)</section>
            """
    }

    private var foot: String {
        switch entry.summary.state {
        case .running: "\(Words.agent(entry.summary.agent)) is at work."
        case .waitingApproval: "\(Words.agent(entry.summary.agent)) waits for an answer."
        case .failed: "The last run failed."
        case .interrupted: "The last run was stopped."
        case .idle, .completed: ""
        }
    }

    /// The foot of the window: the way back to the end, and for members the composer.
    private func dock(_ context: PageContext) -> HTML {
        let follow: HTML = "<button class=\"button follow\" id=\"follow\" type=\"button\" hidden>New output ↓</button>"
        guard context.role == "owner" || context.role == "operator" else {
            return "<div class=\"dock\">\(follow)</div>"
        }
        let agent = entry.summary.agent == .claudeCode ? "Claude" : Words.agent(entry.summary.agent)
        let disabled: HTML? = composerReason == nil ? nil : " disabled"
        let reason: HTML =
            composerReason.map { reason in "<p class=\"composer-reason\">\(reason)</p>" }
            ?? "<p class=\"composer-reason\" hidden></p>"
        return """
            <div class="dock">\(follow)<form class="composer" method="post" action="\(context.links.session(entry.id))/prompt" \
            data-session="\(entry.id)"><fieldset\(disabled)><label class="visually-hidden" for="prompt">Message</label>\
            <textarea id="prompt" name="text" rows="1" placeholder="Message \(agent) on \
            \(Words.line(desktop.name, limit: 40))"></textarea><button class="button primary" type="submit">Send</button>\
            </fieldset>\(reason)</form></div>
            """
    }
}
