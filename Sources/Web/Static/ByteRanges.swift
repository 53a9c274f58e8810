// The `Range` field (RFC 9110 §14). Pure: a value and a size in, ranges of bytes out.

package enum ByteRanges: Equatable {
    /// Send the whole: there is no range, or none that must be obeyed.
    case whole
    /// Ascending as asked, at least one, none empty.
    case parts([Range<Int>])
    /// 416.
    case unsatisfiable

    /// What a `Range` value asks of a representation of `size` bytes. More than ``HTTPLimits/ranges`` parts, or parts that
    /// are more than the whole together, are answered with the whole, so that a short request cannot cost much.
    package init(_ value: String, size: Int) {
        let text = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.count == 2, text[0].lowercased() == "bytes" else {
            self = .whole
            return
        }
        var parts: [Range<Int>] = []
        var isAny = false
        for spec in text[1].split(separator: ",", maxSplits: HTTPLimits.ranges) {
            let spec = spec.drop { $0 == " " || $0 == "\t" }
            let ends = spec.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            guard ends.count == 2, let first = Self.number(ends[0]), let last = Self.number(ends[1]) else {
                self = .whole
                return
            }
            switch (first, last) {
            case (nil, nil):
                self = .whole
                return
            case (nil, let count?): if count > 0, size > 0 { parts.append(max(0, size - count)..<size) }
            case (let start?, nil): if start < size { parts.append(start..<size) }
            case (let start?, let end?):
                guard start <= end else {
                    self = .whole
                    return
                }
                if start < size { parts.append(start..<min(size, end == Int.max ? size : end + 1)) }
            }
            isAny = true
        }
        guard isAny else {
            self = .whole
            return
        }
        if parts.isEmpty {
            self = .unsatisfiable
        } else if parts.count > HTTPLimits.ranges || parts.reduce(0, { $0 + $1.count }) > size {
            self = .whole
        } else {
            self = .parts(parts)
        }
    }

    /// Digits as a number, `.some(nil)` for none; nil for anything else. Beyond 63 bits it is as far as one can go.
    private static func number(_ text: Substring) -> Int?? {
        let text = text.reversed().drop { $0 == " " || $0 == "\t" }.reversed()
        if text.isEmpty { return .some(nil) }
        guard text.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
        return .some(Int(String(text)) ?? Int.max)
    }
}
