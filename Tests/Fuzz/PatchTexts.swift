// sources: Sources/Markup
// Any text as a patch, as an apply_patch text and as two texts (parted by a NUL): nothing may trap, tables must be balanced,
// and hunks must lead from the old text to the new one.

nonisolated(unsafe) var sink = 0

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = UnsafeBufferPointer(start: data, count: size)
    let text = String(decoding: bytes, as: UTF8.self)
    for html in [
        Diff.html(patch: text, path: "x.swift"), Diff.splitHTML(patch: text, path: nil),
        Diff.html(files: Diff.parseApplyPatch(text)),
    ] {
        precondition(balanced(html.bytes), "elements are not balanced")
        sink &+= html.bytes.count
    }
    let halves = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2 else { return 0 }
    // Lines with a carriage return read back without it: patches from Windows are shown, not applied.
    let old = String(decoding: halves[0].filter { $0 != 13 }, as: UTF8.self)
    let new = String(decoding: halves[1].filter { $0 != 13 }, as: UTF8.self)
    let patch = Diff.hunks(old: old, new: new)
    precondition(
        patch.isEmpty == Array(old.utf8).elementsEqual(new.utf8),
        "equal texts differ, or different ones do not"
    )
    let oldLines = old.utf8.split(separator: 10, omittingEmptySubsequences: false).map { String(Substring($0)) }
    var result: [String] = []
    var position = 0
    for hunk in Diff.parse(patch).first?.hunks ?? [] {
        let start = hunk.lines.contains { $0.kind != .added } ? hunk.oldStart - 1 : hunk.oldStart
        result += oldLines[position..<start]
        position = start
        for line in hunk.lines {
            if line.kind != .added {
                precondition(oldLines[position] == line.text, "a hunk does not fit")
                position += 1
            }
            if line.kind != .removed { result.append(line.text) }
        }
    }
    result += oldLines[min(position, oldLines.count)...]
    var newLines = new.utf8.split(separator: 10, omittingEmptySubsequences: false).map { String(Substring($0)) }
    // The last line feed is not a line of its own.
    while result.last?.isEmpty == true { result.removeLast() }
    while newLines.last?.isEmpty == true { newLines.removeLast() }
    precondition(result == newLines, "the hunks lead elsewhere")
    return 0
}

private func balanced(_ html: [UInt8]) -> Bool {
    var open: [ArraySlice<UInt8>] = []
    for piece in html.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst() {
        let tag = piece.prefix { $0 != UInt8(ascii: ">") }
        if tag.first == UInt8(ascii: "/") {
            guard let last = open.popLast(), last == tag.dropFirst() else { return false }
        } else {
            open.append(tag.prefix { $0 != UInt8(ascii: " ") })
        }
    }
    return open.isEmpty
}
