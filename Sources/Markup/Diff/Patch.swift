// Unified diffs as values: what `diff -u`, `git diff` and agents write. Called by the diff renderer and by whoever needs
// the numbers of added and removed lines.

/// One file's part of a patch.
package struct FilePatch: Sendable, Equatable {
    package enum Change: Sendable, Equatable { case added, deleted, modified, renamed }

    /// A stretch of changed lines with their surroundings.
    package struct Hunk: Sendable, Equatable {
        /// Number of the first old line, from 1; 0 when the patch does not say (apply_patch).
        package var oldStart: Int
        /// Number of the first new line, from 1; 0 when the patch does not say.
        package var newStart: Int
        /// What follows the second `@@`: usually the function around.
        package var section: String
        package var lines: [Line]
    }

    package struct Line: Sendable, Equatable {
        package enum Kind: Sendable { case context, added, removed }
        package var kind: Kind
        package var text: String
    }

    /// The new path, or the old one of a deleted file; empty when the patch does not say.
    package var path: String
    /// The path before a rename.
    package var oldPath: String?
    package var change: Change
    package var hunks: [Hunk]
    /// Why there are no hunks (`Binary files differ`), or nothing.
    package var note: String?

    /// Lines added and removed.
    package var counts: (added: Int, removed: Int) {
        var added = 0
        var removed = 0
        for hunk in hunks {
            for line in hunk.lines {
                if line.kind == .added { added += 1 }
                if line.kind == .removed { removed += 1 }
            }
        }
        return (added, removed)
    }
}

extension Diff {
    /// Reads a unified diff of any number of files.
    ///
    /// Lines that belong to no hunk are passed over.
    package static func parse(_ patch: String) -> [FilePatch] {
        var reader = PatchReader()
        for line in patch.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
            reader.take(String(line) ?? "")
        }
        return reader.finish()
    }
}

/// Reads line by line.
private struct PatchReader {
    private var files: [FilePatch] = []
    private var file: FilePatch?
    private var hunk: FilePatch.Hunk?
    /// Lines that the hunk still owes by its head; -1: the head gave none.
    private var oldLeft = 0
    private var newLeft = 0

    mutating func take(_ raw: String) {
        let line = raw.withoutCarriageReturn
        if hunk != nil, takeHunkLine(line) { return }
        if line.begins(with: "@@"), let head = HunkHead(line) {
            endHunk()
            if file == nil { file = FilePatch(path: "", change: .modified, hunks: []) }
            hunk = FilePatch.Hunk(oldStart: head.oldStart, newStart: head.newStart, section: head.section, lines: [])
            (oldLeft, newLeft) = (head.oldCount, head.newCount)
        } else if line.begins(with: "diff --git ") {
            endFile()
            file = FilePatch(
                path: Self.path(String(line.split(separator: " ").last ?? "")),
                change: .modified,
                hunks: []
            )
        } else if line.begins(with: "--- ") {
            if file?.hunks.isEmpty == false || hunk != nil { endFile() }
            let path = Self.path(line.after(bytes: 4))
            if file == nil { file = FilePatch(path: path, change: .modified, hunks: []) }
            if path == "/dev/null" { file?.change = .added } else { file?.oldPath = path }
        } else if line.begins(with: "+++ ") {
            let path = Self.path(line.after(bytes: 4))
            if path == "/dev/null" {
                file?.change = .deleted
                if let old = file?.oldPath { file?.path = old }
            } else {
                file?.path = path
            }
        } else if line.begins(with: "new file mode") {
            file?.change = .added
        } else if line.begins(with: "deleted file mode") {
            file?.change = .deleted
        } else if line.begins(with: "rename from ") {
            file?.oldPath = line.after(bytes: 12)
            file?.change = .renamed
        } else if line.begins(with: "rename to ") {
            file?.path = line.after(bytes: 10)
        } else if line.begins(with: "Binary files ") || line.begins(with: "GIT binary patch") {
            file?.note = "binary file"
        }
    }

    /// True when the line belonged to the open hunk.
    private mutating func takeHunkLine(_ line: String) -> Bool {
        if line.begins(with: "\\") { return true }
        guard oldLeft > 0 || newLeft > 0 else { return false }
        let text = line.after(bytes: 1)
        switch line.utf8.first {
        case UInt8(ascii: "+"):
            hunk?.lines.append(FilePatch.Line(kind: .added, text: text))
            newLeft -= 1
        case UInt8(ascii: "-"):
            hunk?.lines.append(FilePatch.Line(kind: .removed, text: text))
            oldLeft -= 1
        case UInt8(ascii: " "), nil:
            // Some tools strip the blank of an empty context line.
            hunk?.lines.append(FilePatch.Line(kind: .context, text: text))
            oldLeft -= 1
            newLeft -= 1
        default:
            endHunk()
            return false
        }
        return true
    }

    private mutating func endHunk() {
        guard let done = hunk else { return }
        file?.hunks.append(done)
        hunk = nil
    }

    private mutating func endFile() {
        endHunk()
        if var done = file {
            if done.change != .renamed { done.oldPath = nil }
            files.append(done)
        }
        file = nil
    }

    consuming func finish() -> [FilePatch] {
        endFile()
        return files
    }

    /// A path of a `---`, `+++` or `diff` line: without time stamp, quotes and the `a/` or `b/` before it.
    private static func path(_ text: String) -> String {
        var path = String(text.split(separator: "\t", maxSplits: 1).first ?? "")
        if path.begins(with: "\""), path.utf8.last == UInt8(ascii: "\""), path.utf8.count >= 2 {
            path = String(decoding: path.utf8.dropFirst().dropLast(), as: UTF8.self)
        }
        if path.begins(with: "a/") || path.begins(with: "b/") { path = path.after(bytes: 2) }
        return path
    }
}

/// `@@ -1,7 +1,9 @@ section`.
private struct HunkHead {
    var oldStart = 0, oldCount = 1, newStart = 0, newCount = 1
    var section = ""

    init?(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: true)
        guard parts.count >= 3, parts[0] == "@@", let old = Self.range(parts[1], "-"),
            let new = Self.range(parts[2], "+")
        else { return nil }
        (oldStart, oldCount) = old
        (newStart, newCount) = new
        if parts.count == 4 {
            let rest = parts[3].begins(with: "@@") ? parts[3].dropFirst(2) : parts[3]
            section = String(rest.drop { $0 == " " })
        }
    }

    private static func range(_ text: Substring, _ sign: Character) -> (start: Int, count: Int)? {
        guard text.first == sign else { return nil }
        let numbers = text.dropFirst().split(separator: ",")
        guard let first = numbers.first, let start = Int(first), start >= 0, start < 1 << 40 else { return nil }
        guard numbers.count > 1 else { return (start, 1) }
        guard let count = Int(numbers[1]), count >= 0, count < 1 << 40 else { return nil }
        return (start, count)
    }
}
