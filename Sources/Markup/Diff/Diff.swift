// Patches to tables: line numbers, words that changed, both sides highlighted in the file's language. Called for edits in
// timelines and by the review pages. Only classes; the style sheet decides how it looks.

/// Renders and makes patches.
package enum Diff {
    /// A unified patch as HTML: one `<table class="diff">` per file.
    ///
    /// Rows are `<tr class="d-context | d-added | d-removed">` with `<td class="d-old">` and `<td class="d-new">` (line
    /// numbers, in `data-line` so that copying leaves them out) and `<td class="d-code">`; `<tr class="d-hunk">` between
    /// hunks; changed words are `<mark class="d-word">`.
    ///
    /// - Parameters:
    ///   - patch: a unified diff of one or several files, with or without file headings.
    ///   - path: the file's path when the patch has no headings; decides the language.
    package static func html(patch: String, path: String?) -> HTML {
        html(files: bounded(patch), path: path, isSplit: false, wasCut: patch.utf8.count > DiffLimits.patchBytes)
    }

    /// The same, old and new beside each other: `<td class="d-old d-code">` and `<td class="d-new d-code">`.
    package static func splitHTML(patch: String, path: String?) -> HTML {
        html(files: bounded(patch), path: path, isSplit: true, wasCut: patch.utf8.count > DiffLimits.patchBytes)
    }

    /// Parsed patches as HTML (apply_patch, or many files of which the caller chose some).
    package static func html(files: [FilePatch], path: String? = nil, isSplit: Bool = false) -> HTML {
        html(files: files, path: path, isSplit: isSplit, wasCut: false)
    }

    private static func html(files: [FilePatch], path: String?, isSplit: Bool, wasCut: Bool) -> HTML {
        var budget = DiffLimits.rows
        var html = HTML()
        for file in files {
            var table = DiffTable(file: file, path: file.path.isEmpty ? path ?? "" : file.path, isSplit: isSplit)
            html += table.html(budget: &budget)
            if budget <= 0 { break }
        }
        if wasCut || budget <= 0 { html += "<p class=\"d-notice\">The rest of this change is too long to show.</p>" }
        return html
    }

    /// The files of a patch, cut at a line when it is too long.
    private static func bounded(_ patch: String) -> [FilePatch] {
        guard patch.utf8.count > DiffLimits.patchBytes else { return parse(patch) }
        var bytes = Array(patch.utf8.prefix(DiffLimits.patchBytes))
        while let last = bytes.last, last != UInt8(ascii: "\n") { bytes.removeLast() }
        return parse(String(decoding: bytes, as: UTF8.self))
    }
}

/// The bounds of diffs.
package enum DiffLimits {
    /// Of a longer patch only the beginning is shown.
    package static let patchBytes = 4 << 20
    /// Rows over all files of one patch.
    package static let rows = 20_000
    /// Steps of one comparison of two texts.
    ///
    /// Beyond them, what is left counts as replaced. About half a second at most.
    static let steps = 100_000_000
    /// Longer lines get no marks on words.
    static let wordLineBytes = 2_000
    /// Steps of the comparison of two lines' words.
    static let wordSteps = 200_000
}
