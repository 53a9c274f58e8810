// The frame round every page. Its attributes are what the browser's modules start from; see the head of each function.

import Markup

/// What a page knows of the request that it answers.
package struct PageContext: Sendable {
    package var links: Links
    /// The digest of `Public/`, the version of the browser's code.
    package var build: String
    /// `owner`, `operator`, `viewer`, `share` or `none`.
    package var role: String
    /// Where the live socket is; nil for pages without one.
    package var live: String?
    package var hasMermaid = false
    package var hasFonts = false
    /// `light` or `dark` when the reader chose one.
    package var theme: String?
    /// Milliseconds since 1970.
    package var now: Int64

    package init(links: Links, build: String, role: String, live: String? = nil, now: Int64) {
        self.links = links
        self.build = build
        self.role = role
        self.live = live
        self.now = now
    }

    var isMember: Bool { role == "owner" || role == "operator" || role == "viewer" }
}

enum Shell {
    /// A whole page.
    ///
    /// - Parameters:
    ///   - page: the page's name, for `data-page`.
    ///   - sidebar: what stands beside the main part; nil for no sidebar.
    static func page(
        _ context: PageContext,
        page: String,
        title: String,
        sidebar: HTML? = nil,
        main: HTML
    ) -> [UInt8] {
        let links = context.links
        let live = context.live.map { live in " data-live=\"\(live)\"" as HTML }
        let mermaid: HTML? = context.hasMermaid ? " data-mermaid=\"\(links.page("/frame/mermaid"))\"" : nil
        let theme = context.theme.map { theme in " data-theme=\"\(theme)\"" as HTML }
        let fonts: HTML? =
            context.hasFonts ? "<link rel=\"stylesheet\" href=\"\(links.asset("vendor/fonts.css"))\">\n" : nil
        let side = sidebar.map { list in
            "<nav class=\"sidebar\" id=\"sidebar\" aria-label=\"Desktops and sessions\">\(list)</nav>" as HTML
        }
        let html: HTML = """
            <!doctype html>
            <html lang="en" data-build="\(context.build)" data-base="\(links.base)" data-page="\(page)" \
            data-role="\(context.role)" data-now="\(context.now)"\(live)\(mermaid)\(theme)>
            <head>
            <meta charset="utf-8">
            <title>\(title) · Wheelhouse</title>
            <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover, \
            interactive-widget=resizes-content">
            <meta name="color-scheme" content="light dark">
            <meta name="robots" content="noindex">
            <link rel="icon" href="\(links.asset("icon.svg"))" type="image/svg+xml">
            <link rel="stylesheet" href="\(links.asset("css/main.css"))">
            \(fonts)<script type="module" src="\(links.asset("js/main.js"))"></script>
            </head>
            <body>
            <a class="skip" href="#main">Skip to content</a>
            \(bar(context, page: page))
            <div class="frame">\(side)<main class="main" id="main" tabindex="-1">\(main)</main></div>
            <div class="notices" id="notices" role="status" aria-live="polite"></div>
            </body>
            </html>

            """
        return html.bytes
    }

    private static func bar(_ context: PageContext, page: String) -> HTML {
        guard context.isMember else {
            return """
                <header class="bar"><span class="brand">Wheelhouse</span>\
                <span class="link-state" id="link-state" role="status" data-state="static"></span></header>
                """
        }
        let entries = [
            ("home", "/", "Sessions"), ("watching", "/watching", "Watching"), ("shares", "/shares", "Shares"),
            ("settings", "/settings", "Settings"),
        ]
        let items = entries.map { name, path, label in
            let current: HTML = name == page ? " aria-current=\"page\"" : ""
            return "<a href=\"\(context.links.page(path))\"\(current)>\(label)</a> " as HTML
        }
        return """
            <header class="bar"><a class="brand" href="\(context.links.page("/"))">Wheelhouse</a>\
            <nav class="bar-nav" aria-label="Main">\(items)</nav>\
            <span class="link-state" id="link-state" role="status" data-state="static"></span></header>
            """
    }

    /// A page that says what happened, why, and what to do next.
    static func message(
        _ context: PageContext,
        page: String = "error",
        title: String,
        paragraphs: [String],
        command: String? = nil,
        action: (label: String, address: String)? = nil
    ) -> [UInt8] {
        Shell.page(
            context,
            page: page,
            title: title,
            main: empty(title: title, level: 1, paragraphs: paragraphs, command: command, action: action)
        )
    }

    /// The same as a part of a page.
    static func empty(
        title: String,
        level: Int = 2,
        paragraphs: [String],
        command: String? = nil,
        action: (label: String, address: String)? = nil
    ) -> HTML {
        let heading: HTML = level == 1 ? "<h1>\(title)</h1>" : "<h2>\(title)</h2>"
        let text = paragraphs.map { paragraph in "<p>\(paragraph)</p>" as HTML }
        let code = command.map { command in "<pre class=\"command\"><code>\(command)</code></pre>" as HTML }
        let link = action.map { action in
            "<p><a class=\"button\" href=\"\(action.address)\">\(action.label)</a></p>" as HTML
        }
        return "<section class=\"empty\">\(heading)\(text)\(code)\(link)</section>"
    }

    /// A table that scrolls by itself on narrow screens.
    static func table(label: String, head: [String], rows: [[HTML]], bodyID: StaticString? = nil) -> HTML {
        let heads = head.map { text in "<th scope=\"col\">\(text)</th>" as HTML }
        return """
            <div class="table-wrap" tabindex="0" role="region" aria-label="\(label)"><table class="table"><thead><tr>\(heads)\
            </tr></thead>\(tableBody(rows, id: bodyID))</table></div>
            """
    }

    /// The rows of a table; with an id, live messages can replace them.
    static func tableBody(_ rows: [[HTML]], id: StaticString? = nil) -> HTML {
        let body = rows.map { cells in "<tr>\(cells.map { cell in "<td>\(cell)</td>" as HTML })</tr>" as HTML }
        let mark = id.map { id in " id=\"\(HTML(stringLiteral: id))\"" as HTML }
        return "<tbody\(mark)>\(body)</tbody>"
    }
}
