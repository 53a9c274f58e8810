// Names for headings, so that a message can link to its own parts: the words in lower case with hyphens, as GitHub
// makes them. The caller puts a prefix in front that no DOM property and no other message shares.

/// Hands out names that are unique within one text.
struct HeadingNames {
    /// The longest name, in bytes.
    private static let limit = 80
    /// How often a name was wanted.
    private var counts: [[UInt8]: Int] = [:]

    /// The name of the heading that was just read; empty when it has no letter or digit.
    mutating func name(for heading: borrowing InlineParser) -> [UInt8] {
        var name: [UInt8] = []
        for item in heading.items {
            switch item.kind {
            case .text, .code, .math: append(heading.view, Int(item.start), Int(item.end), to: &name)
            default: break
            }
            if name.count >= Self.limit { break }
        }
        while name.count > Self.limit || name.last.map({ $0 & 0xC0 == 0x80 || $0 >= 0xC0 }) == true && !isWhole(name) {
            name.removeLast()
        }
        while name.last == UInt8(ascii: "-") { name.removeLast() }
        guard !name.isEmpty else { return [] }
        let count = counts[name, default: 0]
        counts[name] = count + 1
        return count == 0 ? name : name + Array("-\(count)".utf8)
    }

    private func append(_ view: ByteView, _ from: Int, _ to: Int, to name: inout [UInt8]) {
        for position in from..<to {
            guard name.count <= Self.limit + 4 else { return }
            let byte = view[position]
            if ASCII.isAlphanumeric(byte) || byte == UInt8(ascii: "_") || byte >= 0x80 {
                name.append(ASCII.lower(byte))
            } else if ASCII.isWhitespace(byte) || byte == UInt8(ascii: "-"), name.last != UInt8(ascii: "-"),
                !name.isEmpty
            {
                name.append(UInt8(ascii: "-"))
            }
        }
    }

    /// Whether the last scalar has all its bytes.
    private func isWhole(_ name: [UInt8]) -> Bool {
        var continuation = 0
        for byte in name.reversed() {
            if byte & 0xC0 == 0x80 {
                continuation += 1
                continue
            }
            let wanted = byte < 0x80 ? 0 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3
            return continuation == wanted
        }
        return true
    }
}
