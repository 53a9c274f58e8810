// Two texts to a unified patch: for agents that report whole old and new texts instead of a diff.

extension Diff {
    /// The unified hunks that turn `old` into `new`, without file headings; empty when they are equal.
    ///
    /// - Parameter context: unchanged lines around a change.
    package static func hunks(old: String, new: String, context: Int = 3) -> String {
        let (oldLines, oldEnds) = lines(old)
        let (newLines, newEnds) = lines(new)
        var table: [ArraySlice<UInt8>: Int32] = [:]
        func intern(_ lines: [ArraySlice<UInt8>], endsWithFeed: Bool) -> [Int32] {
            var numbers: [Int32] = []
            numbers.reserveCapacity(lines.count)
            for (index, line) in lines.enumerated() {
                // A last line without a line feed differs from one that has it.
                let key = index == lines.count - 1 && !endsWithFeed ? line + Array("\n\\".utf8) : line
                if let known = table[key] {
                    numbers.append(known)
                } else {
                    let number = Int32(truncatingIfNeeded: table.count)
                    table[key] = number
                    numbers.append(number)
                }
            }
            return numbers
        }
        let (removed, added) = Myers.compare(
            intern(oldLines, endsWithFeed: oldEnds),
            intern(newLines, endsWithFeed: newEnds)
        )

        // Changes as pairs of ranges, then joined where their contexts touch.
        var changes: [(old: Range<Int>, new: Range<Int>)] = []
        var (i, j) = (0, 0)
        while i < removed.count || j < added.count {
            let (from, start) = (i, j)
            while i < removed.count, removed[i] { i += 1 }
            while j < added.count, added[j] { j += 1 }
            if i > from || j > start {
                changes.append((from..<i, start..<j))
            } else {
                i += 1
                j += 1
            }
        }
        var text: [UInt8] = []
        var index = 0
        let around = max(0, min(context, 1000))
        while index < changes.count {
            var last = index
            while last + 1 < changes.count,
                changes[last + 1].old.lowerBound - changes[last].old.upperBound <= 2 * around
            { last += 1 }
            let before = min(around, changes[index].old.lowerBound)
            let after = min(around, oldLines.count - changes[last].old.upperBound)
            let oldRange = changes[index].old.lowerBound - before..<changes[last].old.upperBound + after
            let newRange = changes[index].new.lowerBound - before..<changes[last].new.upperBound + after
            text += "@@ -\(span(oldRange)) +\(span(newRange)) @@\n".utf8
            var position = oldRange.lowerBound
            func put(_ sign: String, _ line: ArraySlice<UInt8>, isLast: Bool) {
                text += sign.utf8
                text += line
                text.append(UInt8(ascii: "\n"))
                if isLast { text += "\\ No newline at end of file\n".utf8 }
            }
            for change in changes[index...last] {
                for line in position..<change.old.lowerBound {
                    put(" ", oldLines[line], isLast: line == oldLines.count - 1 && !oldEnds)
                }
                for line in change.old { put("-", oldLines[line], isLast: line == oldLines.count - 1 && !oldEnds) }
                for line in change.new { put("+", newLines[line], isLast: line == newLines.count - 1 && !newEnds) }
                position = change.old.upperBound
            }
            for line in position..<oldRange.upperBound {
                put(" ", oldLines[line], isLast: line == oldLines.count - 1 && !oldEnds)
            }
            index = last + 1
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The lines without their line feeds, and whether the last one has one.
    private static func lines(_ text: String) -> ([ArraySlice<UInt8>], endsWithFeed: Bool) {
        guard !text.isEmpty else { return ([], true) }
        // Bytes, because Characters join `\r\n`, and strings that only look alike are equal.
        var lines = Array(text.utf8).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        let ends = lines.last?.isEmpty == true
        if ends { lines.removeLast() }
        return (lines, ends)
    }

    /// `start,count` as unified diffs write it: an empty range names the line before it.
    private static func span(_ range: Range<Int>) -> String {
        if range.count == 1 { return "\(range.lowerBound + 1)" }
        return "\(range.isEmpty ? range.lowerBound : range.lowerBound + 1),\(range.count)"
    }
}
