// One file's patch as rows. Old and new text run through the highlighter separately, hunk by hunk, so that a string opened
// on a removed line does not colour the added ones.

/// Renders one file.
struct DiffTable {
    private let file: FilePatch
    private let path: String
    private let isSplit: Bool
    private let language: Highlight.Language?
    private var oldState = LineState()
    private var newState = LineState()

    init(file: FilePatch, path: String, isSplit: Bool) {
        self.file = file
        self.path = path
        self.isSplit = isSplit
        language = path.isEmpty ? nil : Highlight.language(fileName: path)
    }

    mutating func html(budget: inout Int) -> HTML {
        var rows: [HTML] = []
        for (index, hunk) in file.hunks.enumerated() {
            guard budget > 0 else { break }
            if index > 0 || !hunk.section.isEmpty || hunk.oldStart > 1 { rows.append(divider(hunk)) }
            append(hunk, to: &rows, budget: &budget)
        }
        let counts = file.counts
        let kind: StaticString =
            switch file.change {
            case .added: "added"
            case .deleted: "deleted"
            case .modified: "modified"
            case .renamed: "renamed"
            }
        var caption = HTML()
        if !path.isEmpty {
            let old: HTML? = file.oldPath.map { "<span class=\"d-path\">\($0)</span> → " }
            caption = """
                <caption class="d-file">\(old)<span class="d-path">\(path)</span> <span class="d-counts">\
                <span class="d-plus">+\(counts.added)</span> <span class="d-minus">−\(counts.removed)</span></span></caption>
                """
        }
        if let note = file.note {
            rows.append("<tr class=\"d-hunk\"><td colspan=\"\(isSplit ? 4 : 3)\">\(note)</td></tr>")
        }
        let layout: HTML = isSplit ? "diff diff-split" : "diff"
        return
            "<table class=\"\(layout)\" data-change=\"\(HTML(stringLiteral: kind))\">\(caption)<tbody>\(rows)</tbody></table>"
    }

    private func divider(_ hunk: FilePatch.Hunk) -> HTML {
        let section: HTML? = hunk.section.isEmpty ? nil : "\(hunk.section)"
        return "<tr class=\"d-hunk\"><td colspan=\"\(isSplit ? 4 : 3)\">⋯ \(section)</td></tr>"
    }

    /// A number's cell; 0 is not shown.
    private func number(_ line: Int, _ side: StaticString) -> HTML {
        line > 0
            ? "<td class=\"\(HTML(stringLiteral: side))\" data-line=\"\(line)\"></td>"
            : "<td class=\"\(HTML(stringLiteral: side))\"></td>"
    }

    private mutating func append(_ hunk: FilePatch.Hunk, to rows: inout [HTML], budget: inout Int) {
        oldState = LineState()
        newState = LineState()
        var old = hunk.oldStart
        var new = hunk.newStart
        var index = 0
        while index < hunk.lines.count, budget > 0 {
            if hunk.lines[index].kind == .context {
                let text = Array(hunk.lines[index].text.utf8)
                let code = DiffLine(text, language, &newState, changes: []).html
                if oldState != newState || language != nil { _ = DiffLine(text, language, &oldState, changes: []) }
                rows.append(
                    isSplit
                        ? "<tr class=\"d-context\">\(number(old, "d-old"))<td class=\"d-code\">\(code)</td>\(number(new, "d-new"))<td class=\"d-code\">\(code)</td></tr>\n"
                        : "<tr class=\"d-context\">\(number(old, "d-old"))\(number(new, "d-new"))<td class=\"d-code\">\(code)</td></tr>\n"
                )
                if old > 0 { old += 1 }
                if new > 0 { new += 1 }
                index += 1
                budget -= 1
                continue
            }
            // A block of removed and added lines, in whatever order the patch has them.
            var removed: [[UInt8]] = []
            var added: [[UInt8]] = []
            while index < hunk.lines.count, hunk.lines[index].kind != .context, removed.count + added.count < budget {
                if hunk.lines[index].kind == .removed {
                    removed.append(Array(hunk.lines[index].text.utf8))
                } else {
                    added.append(Array(hunk.lines[index].text.utf8))
                }
                index += 1
            }
            budget -= removed.count + added.count
            block(removed, added, &old, &new, &rows)
        }
    }

    private mutating func block(
        _ removed: [[UInt8]],
        _ added: [[UInt8]],
        _ old: inout Int,
        _ new: inout Int,
        _ rows: inout [HTML]
    ) {
        var oldLines: [HTML] = []
        var newLines: [HTML] = []
        let marks = zip(removed, added).map { DiffWords.changes($0, $1) }
        for (number, line) in removed.enumerated() {
            oldLines.append(
                DiffLine(line, language, &oldState, changes: number < marks.count ? marks[number].old : []).html
            )
        }
        for (number, line) in added.enumerated() {
            newLines.append(
                DiffLine(line, language, &newState, changes: number < marks.count ? marks[number].new : []).html
            )
        }
        if isSplit {
            for line in 0..<max(oldLines.count, newLines.count) {
                let left: HTML = line < oldLines.count ? oldLines[line] : HTML()
                let right: HTML = line < newLines.count ? newLines[line] : HTML()
                let leftKind: HTML = line < oldLines.count ? "d-code d-removed" : "d-code d-none"
                let rightKind: HTML = line < newLines.count ? "d-code d-added" : "d-code d-none"
                rows.append(
                    "<tr class=\"d-change\">\(number(line < oldLines.count ? next(&old) : 0, "d-old"))<td class=\"\(leftKind)\">\(left)</td>\(number(line < newLines.count ? next(&new) : 0, "d-new"))<td class=\"\(rightKind)\">\(right)</td></tr>\n"
                )
            }
            return
        }
        for code in oldLines {
            rows.append(
                "<tr class=\"d-removed\">\(number(next(&old), "d-old"))\(number(0, "d-new"))<td class=\"d-code\">\(code)</td></tr>\n"
            )
        }
        for code in newLines {
            rows.append(
                "<tr class=\"d-added\">\(number(0, "d-old"))\(number(next(&new), "d-new"))<td class=\"d-code\">\(code)</td></tr>\n"
            )
        }
    }

    private func next(_ line: inout Int) -> Int {
        guard line > 0 else { return 0 }
        line += 1
        return line - 1
    }
}

/// One line: highlighted, with changed parts marked.
struct DiffLine {
    private(set) var html: HTML

    init(_ line: [UInt8], _ language: Highlight.Language?, _ state: inout LineState, changes: [Range<Int>]) {
        // The lexers see the line feed that ends the line; the page does not.
        let whole = line + [UInt8(ascii: "\n")]
        var tokens: [Highlight.Token] = []
        if let language {
            let before = state
            (tokens, state) = whole.borrowed { bytes in
                var scanner = Scanner(bytes, state: before)
                scanner.run(language, from: 0, to: bytes.count)
                return (scanner.tokens, LineState(frames: scanner.frames))
            }
        }
        var writer = HighlightWriter(expecting: line.count)
        line.borrowed { bytes in
            let clipped = tokens.compactMap { token -> Highlight.Token? in
                let end = min(token.offset + token.length, line.count)
                return end > token.offset ? Highlight.Token(start: token.offset, end: end, kind: token.kind) : nil
            }
            writer.write(bytes, from: 0, to: line.count, tokens: clipped, marks: changes)
        }
        html = HTML(rendered: writer.finish())
    }
}
