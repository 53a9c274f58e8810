// Hunks of unified diffs out of what agents write: `structuredPatch` lists, whole new files, old and new strings, and Codex's
// own patch text. Only hunks (`@@ … @@` and their lines), no file headers.

enum Patches {
    /// The hunks of a `structuredPatch` array.
    static func structured(_ line: Span<UInt8>, _ hunks: Range<Int>) -> [UInt8] {
        var output: [UInt8] = []
        var elements = Scan.Elements(hunks)
        while let hunk = elements.next(line) {
            let numbers = [Names.oldStart, Names.oldLines, Names.newStart, Names.newLines].map {
                Scan.int(line, Scan.member(line, hunk, $0)) ?? 0
            }
            append(header: numbers, to: &output)
            guard let lines = Scan.member(line, hunk, Names.linesOfHunk), Scan.kind(line, lines) == .array else {
                continue
            }
            var texts = Scan.Elements(lines)
            while let text = texts.next(line) {
                guard let inner = Scan.inner(line, text) else { continue }
                Scan.append(line, inner, to: &output)
                output.append(0x0A)
            }
        }
        return output
    }

    /// One hunk that adds or removes a whole file.
    static func whole(_ content: [UInt8], sign: UInt8) -> [UInt8] {
        var output: [UInt8] = []
        let lines = lines(of: content)
        let count = lines.count
        guard count > 0 else { return output }
        append(header: sign == UInt8(ascii: "+") ? [0, 0, 1, count] : [1, count, 0, 0], to: &output)
        for text in lines {
            output.append(sign)
            output.append(contentsOf: text)
            output.append(0x0A)
        }
        if content.last != 0x0A { output.append(contentsOf: "\\ No newline at end of file\n".utf8) }
        return output
    }

    /// One hunk that puts `new` for `old`; where in the file is not known.
    static func replacement(old: [UInt8], new: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        let before = lines(of: old), after = lines(of: new)
        append(header: [1, before.count, 1, after.count], to: &output)
        for text in before {
            output.append(UInt8(ascii: "-"))
            output.append(contentsOf: text)
            output.append(0x0A)
        }
        for text in after {
            output.append(UInt8(ascii: "+"))
            output.append(contentsOf: text)
            output.append(0x0A)
        }
        return output
    }

    private static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        guard !text.isEmpty else { return [] }
        var lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines
    }

    private static func append(header: [Int], to output: inout [UInt8]) {
        output.append(contentsOf: "@@ -\(header[0]),\(header[1]) +\(header[2]),\(header[3]) @@\n".utf8)
    }

    /// One file of Codex's patch text.
    struct FileChange {
        var path: String
        var newPath: String?
        var hunks: [UInt8]
    }

    /// The files of `*** Begin Patch … *** End Patch`.
    static func codex(_ patch: String) -> [FileChange] {
        var files: [FileChange] = []
        var added: [UInt8] = []
        var isAddition = false
        func finish() {
            guard isAddition, let last = files.indices.last else { return }
            files[last].hunks = whole(added, sign: UInt8(ascii: "+"))
            added = []
            isAddition = false
        }
        for line in patch.split(separator: "\n", omittingEmptySubsequences: false) {
            if let path = value(line, "*** Add File: ") {
                finish()
                files.append(FileChange(path: path, newPath: nil, hunks: []))
                isAddition = true
            } else if let path = value(line, "*** Update File: ") {
                finish()
                files.append(FileChange(path: path, newPath: nil, hunks: []))
            } else if let path = value(line, "*** Delete File: ") {
                finish()
                files.append(FileChange(path: path, newPath: nil, hunks: []))
            } else if let path = value(line, "*** Move to: ") {
                if let last = files.indices.last { files[last].newPath = path }
            } else if line.hasPrefix("*** End Patch") {
                break
            } else if line.hasPrefix("*** ") {
                continue
            } else if let last = files.indices.last {
                if isAddition {
                    added.append(contentsOf: line.dropFirst().utf8)
                    added.append(0x0A)
                } else {
                    // Hunk heads without numbers (`@@ func`) stay as they are.
                    files[last].hunks.append(contentsOf: line.utf8)
                    files[last].hunks.append(0x0A)
                }
            }
        }
        finish()
        return files
    }

    private static func value(_ line: Substring, _ prefix: String) -> String? {
        line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : nil
    }
}
