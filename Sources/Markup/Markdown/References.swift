// Link reference definitions (CommonMark 0.31.2 §4.7): taken off the front of paragraphs when these close, looked up by
// normalised label when text is read.

/// The definitions of one text.
///
/// The first of a label counts.
struct References {
    private var indexes: [[UInt8]: Int32] = [:]
    private(set) var targets: [LinkTarget] = []

    var isEmpty: Bool { targets.isEmpty }

    /// The index in ``targets`` of a label's definition.
    subscript(label: [UInt8]) -> Int32? { indexes[label] }

    /// Bytes that a link to a definition puts into the output.
    func size(of index: Int32) -> Int {
        let target = targets[Int(index)]
        return target.destination.count + target.title.count
    }

    /// - Returns: whether the label was new.
    @discardableResult
    mutating func define(_ label: [UInt8], _ target: @autoclosure () -> LinkTarget) -> Bool {
        guard indexes[label] == nil else { return false }
        indexes[label] = Int32(targets.count)
        targets.append(target())
        return true
    }

    /// A label as it is compared: case folded, white space at its ends removed and inside it collapsed to one space.
    static func normalised(_ view: ByteView, _ start: Int, _ end: Int) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(end - start)
        var isASCII = true
        var pendingSpace = false
        for position in start..<end {
            let byte = view[position]
            if ASCII.isWhitespace(byte) {
                pendingSpace = !result.isEmpty
                continue
            }
            if pendingSpace {
                result.append(ASCII.space)
                pendingSpace = false
            }
            if byte >= 0x80 { isASCII = false }
            result.append(ASCII.lower(byte))
        }
        if isASCII { return result }
        // Lower, upper, lower: what full case folding gives, without its table.
        return Array(String(decoding: result, as: UTF8.self).lowercased().uppercased().lowercased().utf8)
    }

    /// Reads the definition at `start` and keeps it.
    ///
    /// - Returns: where the next line begins; nil when no definition stands here.
    mutating func read(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        guard let labelEnd = LinkSyntax.label(view, start, end), labelEnd < end, view[labelEnd] == UInt8(ascii: ":")
        else { return nil }
        var position = LinkSyntax.skipSpaceAndOneLine(view, labelEnd + 1, end)
        guard let destination = LinkSyntax.destination(view, position, end), destination.next > position else {
            return nil
        }
        let beforeTitle = destination.next
        var title = (0, 0)
        position = LinkSyntax.skipSpaceAndOneLine(view, beforeTitle, end)
        var next: Int?
        if position > beforeTitle, let titleEnd = LinkSyntax.title(view, position, end) {
            title = (position + 1, titleEnd - 1)
            next = lineEnd(view, titleEnd, end)
        }
        if next == nil {
            title = (0, 0)
            next = lineEnd(view, beforeTitle, end)
        }
        guard let next else { return nil }
        let label = Self.normalised(view, start + 1, labelEnd - 1)
        guard !label.isEmpty else { return nil }
        define(
            label,
            LinkTarget(
                destination: Entities.unescaped(view, destination.from, destination.to),
                title: Entities.unescaped(view, title.0, title.1)
            )
        )
        return next
    }

    /// Where the next line begins, if only spaces stand before it.
    private func lineEnd(_ view: ByteView, _ start: Int, _ end: Int) -> Int? {
        let position = LinkSyntax.skipSpace(view, start, end)
        if position >= end { return end }
        return view[position] == ASCII.lineFeed ? position + 1 : nil
    }
}

extension BlockParser {
    /// Takes the definitions off the front of a paragraph.
    mutating func takeReferences(of paragraph: Int) {
        let view = view(of: nodes[paragraph])
        let end = Int(nodes[paragraph].end)
        var start = Int(nodes[paragraph].start)
        while start < end, view[start] == UInt8(ascii: "["), let next = references.read(view, start, end) {
            start = next
        }
        nodes[paragraph].start = Int32(start)
    }

    /// Takes the definitions off a paragraph that closes, and the paragraph out of the tree if nothing else was in it.
    mutating func dropReferences(of paragraph: Int) {
        takeReferences(of: paragraph)
        if nodes[paragraph].start >= nodes[paragraph].end { unlink(paragraph) }
    }
}
