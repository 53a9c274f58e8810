// One block of a timeline as HTML: the article round it and its head. What stands inside is in BlockBody.swift. A pure
// function of the block and of who reads it, so the result is kept (RenderCache) and sent to every viewer.

package import Desktops
package import Markup

/// A block's article, open where its children go.
package struct RenderedBlock: Sendable {
    package var start: HTML
    package var end: HTML

    /// The article with `children` inside.
    package func html(children: HTML = HTML()) -> HTML { start + children + end }
    var size: Int { start.bytes.count + end.bytes.count }
}

/// How blocks of one session look to one audience.
package struct BlockView: Sendable, Hashable {
    package var links: Links
    /// The session's public id.
    package var session: String
    package var agent: AgentKind
    /// A share that leaves out what tools read and wrote.
    package var hidesOutput = false

    package init(links: Links, session: String, agent: AgentKind, hidesOutput: Bool = false) {
        self.links = links
        self.session = session
        self.agent = agent
        self.hidesOutput = hidesOutput
    }

    /// What leaves through a share has its secrets masked.
    package var masksSecrets: Bool { links.share != nil }

    /// Renders a block.
    ///
    /// Takes time in proportion to its text: above ``DashboardLimits/renderedOnLoop`` call it off the loop.
    package func rendered(_ original: Block) -> RenderedBlock {
        let block = masksSecrets ? SecretMask.masked(original) : original
        let start: HTML = """
            <article class="block block-\(block.kind.rawValue)" id="\(ElementID.block(block.id))" \
            data-kind="\(block.kind.rawValue)" data-seq="\(block.seq)" data-rev="\(block.revision)" \
            data-state="\(block.state.rawValue)"\(attributes(block))>
            """
        let inside: HTML = """
            <div class="block-body">\(body(block))</div><div class="block-children" id="\(ElementID.children(block.id))">
            """
        guard isFolding(block) else {
            return RenderedBlock(start: "\(start)\(head(block))\(inside)", end: "</div></article>")
        }
        let open: HTML = isOpen(block) ? " open" : ""
        return RenderedBlock(
            start: """
                \(start)<details class="fold \(block.kind.rawValue)"\(open)><summary class="block-head">\(headline(block))\
                </summary>\(inside)
                """,
            end: "</div></details></article>"
        )
    }

    private func attributes(_ block: Block) -> [HTML] {
        var list: [HTML] = []
        if let parent = block.parent { list.append(" data-parent=\"\(ElementID.block(parent))\"") }
        if block.isRewound { list.append(" data-rewound") }
        if block.kind == .tool, let name = block.name { list.append(" data-tool=\"\(Words.line(name, limit: 80))\"") }
        switch block.kind {
        case .user, .assistant, .plan, .thinking, .output:
            guard !block.text.isEmpty, !isHidden(block) else { break }
            list.append(" data-source=\"\(links.download(session, block))\"")
        default: break
        }
        return list
    }

    /// Kinds whose head is a summary that folds the rest away.
    private func isFolding(_ block: Block) -> Bool {
        switch block.kind {
        case .tool, .thinking, .badLine, .malformed, .unknown: true
        default: false
        }
    }

    private func isOpen(_ block: Block) -> Bool {
        guard block.kind == .tool else { return false }
        if block.state == .failed || block.state == .pending || block.state == .streaming { return true }
        return ["Edit", "Write", "MultiEdit", "NotebookEdit", "apply_patch"].contains(block.name)
    }

    /// The line above a block's body: who, what, how it went, when.
    private func head(_ block: Block) -> HTML {
        let line = headline(block)
        return line.isEmpty ? line : "<header class=\"block-head\">\(line)</header>"
    }

    private func headline(_ block: Block) -> HTML {
        guard let label = label(block) else { return HTML() }
        let title: HTML? = title(block).map { title in
            block.kind == .tool
                ? " <code class=\"block-title\">\(title)</code>" : " <span class=\"block-title\">\(title)</span>"
        }
        return "<span class=\"block-kind\">\(label)</span>\(title)\(notes(block)) \(Moment(block.at).html())"
    }

    /// The first word of the head; nil for blocks that need none.
    private func label(_ block: Block) -> String? {
        switch block.kind {
        case .user: "You"
        case .assistant: agent == .claudeCode ? "Claude" : Words.agent(agent)
        case .thinking: "Thinking"
        case .tool: block.name.map { Words.line($0, limit: 80) } ?? "Tool"
        case .output: block.parent == nil ? "Output" : nil
        case .edit: block.oldPath == nil ? "Edit" : "Rename"
        case .todo: "To do"
        case .plan: "Plan"
        case .image: nil
        case .subagent: "Helper"
        case .approval: "Permission"
        case .question: "Question"
        case .file: "File"
        case .error: "Error"
        case .notice: "Note"
        case .usage: nil
        case .badLine: "Unreadable line"
        case .malformed: "Odd record"
        case .unknown: "Unknown record"
        }
    }

    private func title(_ block: Block) -> String? {
        if isHidden(block) { return nil }
        switch block.kind {
        case .edit, .file:
            guard let path = block.path else { return nil }
            return block.oldPath.map { "\(Words.line($0)) → \(Words.line(path))" } ?? Words.line(path, limit: 400)
        case .tool:
            if hidesOutput { return nil }
            guard let title = block.title ?? block.command ?? block.path, title != block.name else { return nil }
            return Words.line(title)
        case .unknown, .malformed: return (block.name ?? block.title).map { Words.line($0, limit: 80) }
        case .thinking: return block.text.isEmpty ? nil : Words.line(block.text, limit: 120)
        case .user, .assistant, .output, .image, .usage: return nil
        default: return block.title.map { Words.line($0) }
        }
    }

    /// Chips: the exit code, the model, how much an edit changed, a state that is not the usual one.
    private func notes(_ block: Block) -> [HTML] {
        var notes: [HTML] = []
        if let model = block.model, block.kind == .assistant {
            notes.append(" <span class=\"block-note model\">\(Words.line(model, limit: 60))</span>")
        }
        if let code = block.exitCode {
            notes.append(" <span class=\"block-note exit\" data-ok=\"\(code == 0 ? 1 : 0)\">exit \(code)</span>")
        }
        if block.kind == .edit, let patch = block.patch, !hidesOutput {
            let (added, removed) = BlockView.changes(patch)
            notes.append(" <span class=\"block-note diff-stat\"><ins>+\(added)</ins> <del>−\(removed)</del></span>")
        }
        switch block.state {
        case .complete: break
        case .pending: notes.append(" <span class=\"block-note\" data-state=\"pending\">waiting</span>")
        case .streaming: notes.append(" <span class=\"block-note\" data-state=\"streaming\">at work</span>")
        case .failed: notes.append(" <span class=\"block-note\" data-state=\"failed\">failed</span>")
        case .cancelled: notes.append(" <span class=\"block-note\" data-state=\"cancelled\">stopped</span>")
        }
        return notes
    }

    /// Lines that a patch adds and removes.
    private static func changes(_ patch: String) -> (added: Int, removed: Int) {
        var added = 0, removed = 0
        var isStart = true
        for byte in patch.utf8 {
            if isStart {
                if byte == UInt8(ascii: "+") { added += 1 } else if byte == UInt8(ascii: "-") { removed += 1 }
            }
            isStart = byte == UInt8(ascii: "\n")
        }
        return (added, removed)
    }
}
