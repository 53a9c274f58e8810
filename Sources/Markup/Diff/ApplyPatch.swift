// The `*** Begin Patch` text that Codex's apply_patch tool takes: files by headings, hunks without line numbers.

extension Diff {
    /// Reads an apply_patch text into patches per file; text around it is passed over.
    ///
    /// Its hunks know no line numbers: their starts are 0, and ``html(patch:path:)`` then shows none.
    package static func parseApplyPatch(_ text: String) -> [FilePatch] {
        var files: [FilePatch] = []
        var file: FilePatch?
        func heading(_ line: String, _ name: String) -> String? {
            guard line.begins(with: name) else { return nil }
            return line.after(bytes: name.utf8.count).withoutLeadingBlanks
        }
        for piece in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let raw = String(piece) ?? ""
            let line = raw.withoutCarriageReturn
            if line.begins(with: "***") {
                var next: FilePatch?
                if let path = heading(line, "*** Add File:") {
                    next = FilePatch(path: path, change: .added, hunks: [])
                } else if let path = heading(line, "*** Delete File:") {
                    next = FilePatch(path: path, change: .deleted, hunks: [])
                } else if let path = heading(line, "*** Update File:") {
                    next = FilePatch(path: path, change: .modified, hunks: [])
                } else if let path = heading(line, "*** Move to:") {
                    let before = file?.path
                    file?.oldPath = before
                    file?.path = path
                    file?.change = .renamed
                    continue
                } else if !line.begins(with: "*** End Patch"), !line.begins(with: "*** Begin Patch") {
                    continue
                }
                if let done = file { files.append(done) }
                file = next
                continue
            }
            guard file != nil else { continue }
            if line.begins(with: "@@") {
                let section = line.after(bytes: 2).withoutLeadingBlanks
                file?.hunks.append(FilePatch.Hunk(oldStart: 0, newStart: 0, section: section, lines: []))
                continue
            }
            let kind: FilePatch.Line.Kind
            switch line.utf8.first {
            case UInt8(ascii: "+"): kind = .added
            case UInt8(ascii: "-"): kind = .removed
            case UInt8(ascii: " "): kind = .context
            default: continue
            }
            if let open = file, open.hunks.isEmpty {
                let start = open.change == .added ? 1 : 0
                file?.hunks.append(FilePatch.Hunk(oldStart: 0, newStart: start, section: "", lines: []))
            }
            let last = (file?.hunks.count ?? 1) - 1
            file?.hunks[last].lines.append(FilePatch.Line(kind: kind, text: line.after(bytes: 1)))
        }
        if let done = file { files.append(done) }
        return files
    }
}
