// What stands inside a block's article, by kind. Everything that comes from an agent goes through `Markup`, which escapes;
// bounds come first, so that no single block makes a page slow (BR-13a).

import Desktops
import Markup

extension BlockView {
    /// Whether this audience must not see what the block holds.
    func isHidden(_ block: Block) -> Bool {
        guard hidesOutput else { return false }
        return switch block.kind {
        case .output, .edit, .image, .file, .error, .badLine, .malformed, .unknown: true
        case .tool, .user, .assistant, .thinking, .todo, .plan, .subagent, .approval, .question, .notice, .usage: false
        }
    }

    func body(_ block: Block) -> HTML {
        if isHidden(block) { return "<p class=\"hidden-note\">Not shown in this share.</p>" }
        return switch block.kind {
        case .user: message(block, options: .typed)
        case .assistant: message(block, options: .chat)
        case .thinking: "\(markdown(block.text, of: block, options: .chat))\(cut(block))"
        case .plan: "\(message(block, options: .chat))\(list(block.items))"
        case .todo: "\(block.text.isEmpty ? HTML() : message(block, options: .chat))\(list(block.items))"
        case .tool: tool(block)
        case .output: output(block)
        case .edit: edit(block)
        case .image: image(block)
        case .file: file(block)
        case .subagent: subagent(block)
        case .approval, .question: ask(block)
        case .error: "\(text(block, class: "error-text"))\(cut(block))"
        case .notice: notice(block)
        case .usage: chips(block)
        case .badLine, .malformed, .unknown: "\(text(block, class: "raw-text"))\(cut(block))"
        }
    }

    // MARK: words

    /// Markdown, folded when it is long.
    private func message(_ block: Block, options: Markdown.Options) -> HTML {
        guard !block.text.isEmpty else { return cut(block) }
        let html = markdown(block.text, of: block, options: options)
        guard Words.isLong(block.text) else { return "\(html)\(cut(block))" }
        return folded(html, preview: HTML(text: Words.preview(block.text)), text: block.text, block: block)
    }

    private func markdown(_ text: String, of block: Block, options: Markdown.Options) -> HTML {
        var options = options
        options.idPrefix = "\(ElementID.block(block.id))-"
        let bounded = Self.bounded(text)
        return "<div class=\"md\" dir=\"auto\">\(Markdown.html(bounded, options: options))</div>"
    }

    private func folded(_ html: HTML, preview: HTML, text: String, block: Block) -> HTML {
        """
        <details class="fold long"><summary><span class="fold-preview">\(preview)</span> \
        <span class="fold-more">Show all (\(Words.count(Words.lines(text), "line")), \(Words.size(text.utf8.count)))</span>\
        </summary>\(html)\(cut(block))</details>
        """
    }

    /// The sentence below a body that is not whole, with the ways to the rest.
    private func cut(_ block: Block) -> HTML {
        let isCutHere = block.text.utf8.count > DashboardLimits.bodyBytes
        guard block.fullSize != nil || isCutHere else { return HTML() }
        let size = Words.size(block.fullSize ?? block.text.utf8.count)
        return """
            <p class="cut">Only a part is shown. \
            <a href="\(links.body(session, block))">Show all (\(size))</a> \
            <a href="\(links.download(session, block))" download>Download</a></p>
            """
    }

    /// At most ``DashboardLimits/bodyBytes`` of a text: its start, up to a line's end.
    static func bounded(_ text: String) -> String {
        guard text.utf8.count > DashboardLimits.bodyBytes else { return text }
        let limit = text.utf8.index(text.startIndex, offsetBy: DashboardLimits.bodyBytes)
        let end = text.utf8[..<limit].lastIndex(of: 10) ?? limit
        return String(decoding: text.utf8[..<end], as: UTF8.self)
    }

    /// Text as it is, with control characters made visible.
    private func text(_ block: Block, class name: StaticString) -> HTML {
        block.text.isEmpty
            ? HTML()
            : "<pre class=\"\(HTML(stringLiteral: name))\"><code>\(VisibleControls.text(Self.bounded(block.text)))</code></pre>"
    }

    /// Words of the agent's program; what it printed to a terminal comes with the terminal's escape sequences.
    private func notice(_ block: Block) -> HTML {
        guard !block.text.isEmpty else { return HTML() }
        guard block.text.utf8.contains(0x1B) else { return message(block, options: .chat) }
        let body = Terminal.html(Array(Self.bounded(block.text).utf8))
        return "<pre class=\"terminal\"><code>\(body)</code></pre>\(cut(block))"
    }

    private func list(_ items: [TodoItem]) -> HTML {
        guard !items.isEmpty else { return HTML() }
        let rows = items.map { item in
            let word =
                switch item.state {
                case .pending: "open"
                case .active: "in work"
                case .done: "done"
                }
            return """
                <li class="todo-item" data-state="\(item.state.rawValue)"><span class="todo-mark" aria-hidden="true"></span>\
                <span class="visually-hidden">\(word): </span>\(item.text)</li>
                """ as HTML
        }
        return "<ul class=\"todo\">\(rows)</ul>"
    }

    // MARK: tools

    private func tool(_ block: Block) -> HTML {
        if hidesOutput { return "<p class=\"hidden-note\">Not shown in this share.</p>" }
        var parts = HTML()
        if !block.text.isEmpty { parts += message(block, options: .chat) }
        if let command = block.command {
            let code = Highlight.html(Self.bounded(command), language: "bash")
            parts += "<pre class=\"command\"><code>\(code)</code></pre>"
        }
        if let input = block.input,
            block.command == nil || input.utf8.count > 2 * (block.command?.utf8.count ?? 0) + 200
        {
            let code = Highlight.html(Self.bounded(input), language: "json")
            parts += """
                <details class="fold input"><summary>Input</summary><pre class="json"><code>\(code)</code></pre></details>
                """
        }
        return parts
    }

    private func output(_ block: Block) -> HTML {
        guard !block.text.isEmpty else { return "<p class=\"no-output\">No output.</p>\(cut(block))" }
        let body: HTML, preview: HTML
        if block.command == nil, let path = block.path {
            // The content of a file, not of a terminal: escapes stay visible (BR-12a).
            let language = Highlight.language(fileName: path)
            let source = VisibleControls.text(Self.bounded(block.text))
            let code = language.map { Highlight.html(Array(source.utf8), language: $0) } ?? HTML(text: source)
            body = "<pre class=\"file-text\"><code>\(code)</code></pre>"
            preview = HTML(text: VisibleControls.text(Words.preview(block.text)))
        } else {
            body = "<pre class=\"terminal\"><code>\(Terminal.html(Array(Self.bounded(block.text).utf8)))</code></pre>"
            preview = Terminal.html(Array(Words.preview(block.text).utf8))
        }
        guard Words.isLong(block.text) else { return "\(body)\(cut(block))" }
        return folded(body, preview: preview, text: block.text, block: block)
    }

    private func edit(_ block: Block) -> HTML {
        guard let patch = block.patch, !patch.isEmpty else { return "\(text(block, class: "raw-text"))\(cut(block))" }
        let table: HTML = "<div class=\"diff\">\(Diff.html(patch: Self.bounded(patch), path: block.path))</div>"
        guard Words.isLong(patch) else { return "\(table)\(cut(block))" }
        return folded(table, preview: HTML(text: Words.preview(patch)), text: patch, block: block)
    }

    private func subagent(_ block: Block) -> HTML {
        let task = block.title.map { Words.line($0) } ?? "Helper"
        var parts: HTML
        if let child = block.child, links.share == nil {
            parts = "<a class=\"card subagent\" href=\"\(links.session(child))\">\(task)</a>"
        } else {
            parts = "<p class=\"card subagent\">\(task)</p>"
        }
        if !block.text.isEmpty { parts += message(block, options: .chat) }
        return parts
    }

    private func ask(_ block: Block) -> HTML {
        var parts = HTML()
        if !block.text.isEmpty { parts += message(block, options: .chat) }
        if !hidesOutput {
            if let command = block.command {
                parts +=
                    "<pre class=\"command\"><code>\(Highlight.html(Self.bounded(command), language: "bash"))</code></pre>"
            } else if let input = block.input {
                parts +=
                    "<pre class=\"json\"><code>\(Highlight.html(Self.bounded(input), language: "json"))</code></pre>"
            }
        }
        if let decision = block.decision {
            parts += "<p class=\"decision\">\(Words.line(decision, limit: 400))</p>"
        } else if block.state == .pending, links.share == nil {
            parts += answerForm(block)
        } else if !block.options.isEmpty {
            parts += "<ul class=\"options\">\(block.options.map { option in "<li>\(option)</li>" as HTML })</ul>"
        }
        return "<div class=\"card ask\" data-state=\"\(block.state.rawValue)\">\(parts)</div>"
    }

    /// The form for an open request.
    ///
    /// It is the same for all members; whether somebody may answer is checked when it comes in.
    private func answerForm(_ block: Block) -> HTML {
        let choices: [(String, String)] =
            block.kind == .approval
            ? [("allow", "Allow"), ("allowAlways", "Always allow"), ("deny", "Deny")]
            : block.options.map { ($0, $0) }
        let buttons = choices.map { value, label in
            "<button class=\"button\" name=\"answer\" value=\"\(value)\">\(Words.line(label))</button> " as HTML
        }
        return """
            <form class="ask" method="post" action="\(links.session(session))/answer"><input type="hidden" name="block" \
            value="\(block.id)">\(buttons)</form>
            """
    }

    // MARK: media and numbers

    private func image(_ block: Block) -> HTML {
        guard let id = block.mediaID else { return text(block, class: "raw-text") }
        let address = links.media(session, id)
        let caption = block.title ?? block.path ?? "Picture"
        guard MediaTypes.isPicture(block.mediaType) else {
            return "<a class=\"file\" href=\"\(address)\" download>\(Words.line(caption))</a>"
        }
        return """
            <figure class="media"><a href="\(address)"><img src="\(address)" alt="\(Words.line(caption))" loading="lazy" \
            decoding="async"></a><figcaption>\(Words.line(caption))</figcaption></figure>
            """
    }

    private func file(_ block: Block) -> HTML {
        let name = block.path ?? block.title ?? "File"
        let label = Words.line(Words.split(path: name).folder)
        guard let id = block.mediaID else { return "<p class=\"file\">\(label)</p>\(text(block, class: "file-text"))" }
        return "<a class=\"file\" href=\"\(links.media(session, id))\" download>\(label)</a>"
    }

    private func chips(_ block: Block) -> HTML {
        guard let usage = block.usage else { return HTML() }
        var chips: [String] = []
        if let model = block.model { chips.append(Words.line(model, limit: 60)) }
        chips.append("\(Words.number(usage.inputTokens)) in")
        chips.append("\(Words.number(usage.outputTokens)) out")
        if usage.cacheReadTokens > 0 { chips.append("\(Words.number(usage.cacheReadTokens)) from cache") }
        if usage.cacheWriteTokens > 0 { chips.append("\(Words.number(usage.cacheWriteTokens)) into cache") }
        if let cost = usage.costMicros { chips.append(Words.money(cost)) }
        return "<ul class=\"chips\">\(chips.map { chip in "<li class=\"chip\">\(chip)</li>" as HTML })</ul>"
    }
}

/// Which media may be shown inside a page.
///
/// Everything else is a download.
enum MediaTypes {
    static func isPicture(_ type: String?) -> Bool {
        switch type {
        case "image/png", "image/jpeg", "image/gif", "image/webp": true
        default: false
        }
    }

    /// Sound and film that a page may play.
    static func isPlayed(_ type: String?) -> Bool {
        switch type {
        case "audio/mpeg", "audio/ogg", "audio/wav", "audio/webm", "video/mp4", "video/webm": true
        default: false
        }
    }
}

/// Control characters as their pictures (U+2400 …), so that a file with escape sequences is read as it is.
package enum VisibleControls {
    package static func text(_ text: String) -> String {
        func isHidden(_ scalar: Unicode.Scalar) -> Bool {
            scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || scalar.value == 0x7F
                || (0x80..<0xA0).contains(scalar.value)
        }
        guard text.unicodeScalars.contains(where: isHidden) else { return text }
        var result = String.UnicodeScalarView()
        var scalars = text.unicodeScalars.makeIterator()
        var next = scalars.next()
        while let scalar = next {
            next = scalars.next()
            switch scalar.value {
            case _ where !isHidden(scalar): result.append(scalar)
            case 0x0D where next == "\n": break
            case ..<0x20: result.append(Unicode.Scalar(0x2400 + scalar.value) ?? "\u{FFFD}")
            case 0x7F: result.append("\u{2421}")
            default: result.append("\u{FFFD}")
            }
        }
        return String(result)
    }
}
