// Which words of a changed line changed: Myers over words, numbers, blanks and single signs.

/// Compares two lines.
enum DiffWords {
    /// The changed byte ranges of both lines; nothing when they have too little in common for marks to help.
    static func changes(_ old: [UInt8], _ new: [UInt8]) -> (old: [Range<Int>], new: [Range<Int>]) {
        guard old.count <= DiffLimits.wordLineBytes, new.count <= DiffLimits.wordLineBytes, !old.isEmpty, !new.isEmpty
        else { return ([], []) }
        let oldWords = words(old)
        let newWords = words(new)
        var table: [ArraySlice<UInt8>: Int32] = [:]
        func intern(_ line: [UInt8], _ words: [Range<Int>]) -> [Int32] {
            words.map { word in
                let number = table[line[word]] ?? Int32(table.count)
                table[line[word]] = number
                return number
            }
        }
        let (removed, added) = Myers.compare(intern(old, oldWords), intern(new, newWords), work: DiffLimits.wordSteps)
        let oldRanges = ranges(old, oldWords, removed)
        let newRanges = ranges(new, newWords, added)
        let changed = oldRanges.reduce(0) { $0 + $1.count } + newRanges.reduce(0) { $0 + $1.count }
        // More than two thirds different: another line, not a changed one.
        guard changed * 3 <= (old.count + new.count) * 2 else { return ([], []) }
        return (oldRanges, newRanges)
    }

    private static func words(_ line: [UInt8]) -> [Range<Int>] {
        var words: [Range<Int>] = []
        var index = 0
        while index < line.count {
            let start = index
            if line[index].isWord {
                while index < line.count, line[index].isWord { index += 1 }
            } else if line[index].isBlank {
                while index < line.count, line[index].isBlank { index += 1 }
            } else {
                index += 1
            }
            words.append(start..<index)
        }
        return words
    }

    /// Joins changed words, over blanks between them.
    private static func ranges(_ line: [UInt8], _ words: [Range<Int>], _ isChanged: [Bool]) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        for (word, changed) in zip(words, isChanged) where changed {
            if let last = ranges.last, line[last.upperBound..<word.lowerBound].allSatisfy(\.isBlank) {
                ranges[ranges.count - 1] = last.lowerBound..<word.upperBound
            } else {
                ranges.append(word)
            }
        }
        return ranges
    }
}
