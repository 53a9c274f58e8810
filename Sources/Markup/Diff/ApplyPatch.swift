// The `*** Begin Patch` text that Codex's apply_patch tool takes: files by headings, hunks without line numbers.

extension Diff {
    /// Reads an apply_patch text into patches per file; text around it is passed over.
    ///
    /// Its hunks know no line numbers: their starts are 0, and ``html(patch:path:)`` then shows none.
    package static func parseApplyPatch(_ text: String) -> [FilePatch] {
        var files: [FilePatch] = []
        var file: FilePatch?
        func heading(_ line: String, _ name: String) -> String? {
            guard line.hasPrefix(name) else { return nil }
            return String(line.dropFirst(name.count).drop { $0 == " " })
        }
        for piece in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            let raw = String(piece) ?? ""
            let line = raw.hasSuffix("\r") ? String(raw.dropLast()) : raw
            if line.hasPrefix("***") {
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
                } else if !line.hasPrefix("*** End Patch"), !line.hasPrefix("*** Begin Patch") {
                    continue
                }
                if let done = file { files.append(done) }
                file = next
                continue
            }
            guard file != nil else { continue }
            if line.hasPrefix("@@") {
                let section = String(line.dropFirst(2).drop { $0 == " " })
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
            file?.hunks[last].lines.append(FilePatch.Line(kind: kind, text: String(line.dropFirst())))
        }
        if let done = file { files.append(done) }
        return files
    }
}
