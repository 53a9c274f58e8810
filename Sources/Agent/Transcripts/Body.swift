// The text of a block: whole when it is short, otherwise its beginning and its end with a line between that says how much is
// missing. The rest is fetched in pieces (`Transcript.body`).
import Desktops

/// A block's whole text, or where it lies.
struct Body {
    var bytes: [UInt8] = []
    /// The name of a file in the session's `tool-results` folder that holds the whole text instead.
    var resultFile: String?

    init() {}

    init(_ text: String) { bytes = Array(text.utf8) }

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Appends a JSON string's content.
    mutating func append(_ line: Span<UInt8>, _ value: Range<Int>?) {
        guard let range = Scan.inner(line, value) else { return }
        Scan.append(line, range, to: &bytes)
    }

    /// Appends a JSON string's content on a new line, when there is any.
    mutating func appendParagraph(_ line: Span<UInt8>, _ value: Range<Int>?, separator: String = "\n") {
        guard let range = Scan.inner(line, value), !range.isEmpty else { return }
        if !bytes.isEmpty { bytes.append(contentsOf: separator.utf8) }
        Scan.append(line, range, to: &bytes)
    }

    /// Head and tail of a long text, cut at line ends where there are some near, never inside a character.
    ///
    /// - Returns: the text, and the whole size when it was cut.
    static func excerpt(_ bytes: [UInt8], limit: Int, end keep: Int) -> (text: String, fullSize: Int?) {
        guard bytes.count > limit else { return (String(decoding: bytes, as: UTF8.self), nil) }
        return join(head: bytes[..<keep], tail: bytes[(bytes.count - keep)...], size: bytes.count)
    }

    static func join(head: ArraySlice<UInt8>, tail: ArraySlice<UInt8>, size: Int) -> (text: String, fullSize: Int?) {
        var head = head
        var tail = tail
        if let end = head.lastIndex(of: 0x0A), head.endIndex - end < 2_048 {
            head = head[...end]
        } else {
            while let last = head.last, last & 0xC0 == 0x80 { head.removeLast() }
            if let last = head.last, last >= 0xC0 { head.removeLast() }
        }
        if let start = tail.firstIndex(of: 0x0A), start - tail.startIndex < 2_048 {
            tail = tail[(start + 1)...]
        } else {
            while let first = tail.first, first & 0xC0 == 0x80 { tail.removeFirst() }
        }
        let missing = size - head.count - tail.count
        var text = String(decoding: head, as: UTF8.self)
        if !text.hasSuffix("\n") { text += "\n" }
        text += "[… \(missing) bytes left out …]\n"
        text += String(decoding: tail, as: UTF8.self)
        return (text, size)
    }
}

/// What the makers of blocks give back: the block's members, and its text apart.
struct MadeBlock {
    var block: Block
    var body = Body()
    /// An edit's hunks are its body.
    var isPatch = false
    /// Where an image's base64 text lies in the line.
    var media: Range<Int>?

    init(_ block: Block) { self.block = block }

    /// The block as it travels.
    consuming func cut(limit: Int = TranscriptLimits.inlineBody) -> Block {
        var made = block
        if isPatch {
            guard body.bytes.count > limit else {
                made.patch = String(decoding: body.bytes, as: UTF8.self)
                return made
            }
            // Hunks have no tail that means anything: whole lines from the beginning.
            var end = min(limit, body.bytes.count)
            while end > 0, body.bytes[end - 1] != 0x0A { end -= 1 }
            made.patch = String(decoding: body.bytes[..<end], as: UTF8.self)
            made.fullSize = body.bytes.count
        } else {
            let excerpt = Body.excerpt(body.bytes, limit: limit, end: min(TranscriptLimits.bodyEnd, limit / 3))
            made.text = excerpt.text
            made.fullSize = excerpt.fullSize ?? made.fullSize
        }
        return made
    }
}
