// Desktops and their sessions: the start page, one desktop's page, the sidebar of a session, and the rows that live
// messages replace. Grouped by (desktop, project), newest first.

package import Desktops
package import Markup

/// Sessions of one project on one desktop, newest first.
package struct ProjectGroup: Sendable {
    package var desktop: String
    package var project: String
    package var sessions: [SessionEntry]

    /// Groups entries that come last changed first; groups are in the order of their newest session.
    ///
    /// Helpers' sessions stand on their parent's page; here they appear only when the parent is not in the list.
    package static func groups(_ entries: [SessionEntry]) -> [ProjectGroup] {
        let known = Set(entries.map { "\($0.desktop)\n\($0.summary.id)" })
        var order: [String: Int] = [:]
        var groups: [ProjectGroup] = []
        for entry in entries {
            if let parent = entry.summary.parent, known.contains("\(entry.desktop)\n\(parent)") { continue }
            let key = "\(entry.desktop)\n\(entry.summary.project)"
            if let index = order[key] {
                groups[index].sessions.append(entry)
            } else {
                order[key] = groups.count
                groups.append(ProjectGroup(desktop: entry.desktop, project: entry.summary.project, sessions: [entry]))
            }
        }
        return groups
    }
}

/// The list as HTML.
package struct ListView: Sendable {
    package var links: Links
    package var now: Int64

    package init(links: Links, now: Int64) {
        self.links = links
        self.now = now
    }

    /// One desktop with its newest sessions.
    ///
    /// - Parameters:
    ///   - limit: sessions shown; a link leads to the rest.
    ///   - current: the session whose page this stands on.
    package func section(
        _ desktop: DesktopInfo,
        _ entries: [SessionEntry],
        limit: Int = DashboardLimits.listedSessions,
        current: String? = nil
    ) -> HTML {
        let groups = ProjectGroup.groups(entries)
        let total = groups.reduce(0) { $0 + $1.sessions.count }
        var left = limit
        var parts: [HTML] = []
        for group in groups where left > 0 {
            parts.append(project(group, limit: left, current: current))
            left -= group.sessions.count
        }
        let more: HTML? =
            total > limit
            ? """
            <p class="more"><a href="\(links.desktop(desktop.id))">All \(Words.count(total, "session"))</a></p>
            """ : nil
        let none: HTML? =
            total == 0
            ? "<p class=\"none\">\(desktop.presence == .online ? "No sessions yet." : "No sessions known. They appear when it is online.")</p>"
            : nil
        let local: HTML? = desktop.isLocal ? " data-local=\"1\"" : nil
        return """
            <section class="desktop" id="\(ElementID.desktop(desktop.id))" data-desktop="\(desktop.id)" \
            data-presence="\(desktop.presence.rawValue)" data-hue="\(ListView.hue(desktop.id))"\(local)>\
            <header class="desktop-head"><h2 class="desktop-name"><a href="\(links.desktop(desktop.id))">\
            \(Words.line(desktop.name, limit: 80))</a></h2> \(presence(desktop))</header>\(parts)\(none)\(more)</section>
            """
    }

    func presence(_ desktop: DesktopInfo) -> HTML {
        let seen: HTML? =
            desktop.presence == .online || desktop.lastSeen == 0
            ? nil : " <span class=\"desktop-seen\">last seen \(Moment(desktop.lastSeen).html(now: now))</span>"
        return """
            <span class="presence" data-presence="\(desktop.presence.rawValue)">\(Words.presence(desktop.presence))</span>\(seen)
            """
    }

    private func project(_ group: ProjectGroup, limit: Int, current: String?) -> HTML {
        let name = Words.split(path: group.project)
        let rows = group.sessions.prefix(limit).map { row($0, isCurrent: $0.id == current) }
        return """
            <section class="project" id="\(ElementID.project(desktop: group.desktop, project: group.project))" \
            data-project="\(group.project)"><h3 class="project-name" title="\(group.project)">\
            <span class="project-folder">\(name.folder.isEmpty ? "No folder" : name.folder)</span> \
            <span class="project-path">\(name.parent)</span></h3><ol class="sessions" \
            id="\(ElementID.sessions(desktop: group.desktop, project: group.project))">\(rows)</ol></section>
            """
    }

    /// One session's row.
    package func row(_ entry: SessionEntry, isCurrent: Bool = false) -> HTML {
        let stale: HTML? = entry.isStale ? " data-stale" : nil
        let current: HTML? = isCurrent ? " aria-current=\"page\"" : nil
        return """
            <li class="session" id="\(ElementID.row(entry.id))" data-session="\(entry.id)" \
            data-state="\(entry.summary.state.rawValue)" data-agent="\(Words.agentCode(entry.summary.agent))"\(stale)\(current)>\
            <a class="session-link" href="\(links.session(entry.id))"><span class="session-title">\(ListView.title(entry))</span>\
            </a> <span class="session-meta">\(meta(entry))</span></li>
            """
    }

    /// Agent, model, branch, time, state.
    func meta(_ entry: SessionEntry) -> HTML {
        let summary = entry.summary
        let model = summary.model.map { model in "<span class=\"model\">\(Words.line(model, limit: 60))</span> " as HTML
        }
        let branch = summary.branch.map { branch in
            "<span class=\"branch\">\(Words.line(branch, limit: 80))</span> " as HTML
        }
        return """
            <span class="agent">\(Words.agent(summary.agent))</span> \(model)\(branch)\(Moment(summary.updatedAt).html(now: now)) \
            <span class="state" data-state="\(summary.state.rawValue)">\(Words.state(summary.state))</span>
            """
    }

    static func title(_ entry: SessionEntry) -> String {
        let title = Words.line(entry.summary.title)
        return title.isEmpty ? "Untitled session" : title
    }

    /// A colour of eight for a desktop, the same for ever (BR-21a).
    static func hue(_ desktop: String) -> Int {
        Int(desktop.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 } % 8)
    }

    // MARK: pages

    /// The start page.
    package func home(_ desktops: [(DesktopInfo, [SessionEntry])]) -> HTML {
        guard !desktops.isEmpty else {
            return Shell.empty(
                title: "No desktop yet",
                level: 1,
                paragraphs: [
                    "Wheelhouse shows the sessions of coding agents on your computers. None is known to it yet.",
                    "On the computer where your agents work, run the command that the settings page gives you.",
                ],
                command: "wheelhouse desktop --server THIS-ADDRESS --token TOKEN",
                action: ("Add a desktop", links.page("/settings#desktops"))
            )
        }
        return "<h1 class=\"visually-hidden\">Sessions</h1>\(desktops.map { section($0.0, $0.1) })"
    }

    /// One desktop with all of its sessions.
    package func desktopPage(_ desktop: DesktopInfo, _ entries: [SessionEntry]) -> HTML {
        let note: HTML? =
            desktop.presence == .online || entries.isEmpty
            ? nil
            : """
            <p class="notice" data-level="info">This desktop is \(Words.presence(desktop.presence)). The list is the last \
            one that it sent.</p>
            """
        return """
            <h1 class="visually-hidden">\(Words.line(desktop.name, limit: 80))</h1>\(note)\
            \(section(desktop, entries, limit: DashboardLimits.listedOnDesktopPage))
            """
    }
}
