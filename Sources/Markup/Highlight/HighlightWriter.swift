// Tokens and code to HTML. One pass, raw memory for the chunk at hand, because this is most of the cost of highlighting.

/// Writes classed, escaped HTML. Punctuation and plain text get no element: they are most tokens and look like the rest.
struct HighlightWriter {
    private var output: [UInt8] = []
    private var scratch: [UInt8] = []

    init(expecting codeBytes: Int) { output.reserveCapacity(min(codeBytes, HighlightLimits.codeBytes) * 5 / 2 + 64) }

    /// The most bytes that one byte of code becomes (`&quot;`).
    private static let longestEscape = 6
    /// `<span class="t-punctuation"></span>` with room to spare.
    private static let longestElement = 48

    /// Appends the HTML of `source[start..<end]` with its tokens, all of which lie in that part.
    mutating func write(_ source: Bytes, from start: Int, to end: Int, tokens: [Highlight.Token]) {
        let room = (end - start) * Self.longestEscape + tokens.count * Self.longestElement + 8
        if scratch.count < room { scratch = [UInt8](repeating: 0, count: room + room / 4) }
        let names = ClassNames.shared
        unsafe scratch.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return }
            var pen = unsafe Pen(at: base)
            var done = start
            for token in tokens {
                let from = Int(token.start)
                let to = from &+ Int(token.size)
                if from > done { pen.escape(source, from: done, to: from) }
                if token.kind == .punctuation {
                    pen.escape(source, from: from, to: to)
                } else {
                    pen.raw(names.opening[Int(token.kind.rawValue)])
                    pen.escape(source, from: from, to: to)
                    pen.raw(names.closing)
                }
                done = to
            }
            if done < end { pen.escape(source, from: done, to: end) }
            unsafe output.append(contentsOf: UnsafeBufferPointer(start: base, count: pen.place - base))
        }
    }

    /// The same with changed parts of a diff's line in `<mark class="d-word">`; the marks are ascending and apart.
    mutating func write(_ source: Bytes, from start: Int, to end: Int, tokens: [Highlight.Token], marks: [Range<Int>]) {
        var next = 0
        func part(_ from: Int, _ to: Int) -> [Highlight.Token] {
            var part: [Highlight.Token] = []
            while next < tokens.count {
                let token = tokens[next]
                let tokenEnd = token.offset + token.length
                if token.offset >= to { break }
                if tokenEnd > from {
                    part.append(Highlight.Token(start: max(from, token.offset), end: min(to, tokenEnd), kind: token.kind))
                }
                if tokenEnd > to { break }
                next += 1
            }
            return part
        }
        var done = start
        for mark in marks where mark.lowerBound >= done && mark.upperBound <= end && !mark.isEmpty {
            write(source, from: done, to: mark.lowerBound, tokens: part(done, mark.lowerBound))
            output += "<mark class=\"d-word\">".utf8
            write(source, from: mark.lowerBound, to: mark.upperBound, tokens: part(mark.lowerBound, mark.upperBound))
            output += "</mark>".utf8
            done = mark.upperBound
        }
        write(source, from: done, to: end, tokens: part(done, end))
    }

    consuming func finish() -> [UInt8] { output }
}

/// The opening tags by kind, made once.
private struct ClassNames: Sendable {
    static let shared = ClassNames()
    let opening: [[UInt8]]
    let closing: [UInt8]

    init() {
        opening = Highlight.Kind.allCases.map { Array("<span class=\"t-\($0.name)\">".utf8) }
        closing = Array("</span>".utf8)
    }
}

/// A place in memory that has room for all that will be written.
@safe private struct Pen {
    var place: UnsafeMutablePointer<UInt8>

    init(at place: UnsafeMutablePointer<UInt8>) { unsafe self.place = unsafe place }

    @inline(__always) mutating func raw(_ bytes: [UInt8]) {
        let count = bytes.count
        unsafe bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { unsafe place.update(from: base, count: count) }
        }
        unsafe place += count
    }

    @inline(__always) mutating func escape(_ source: Bytes, from start: Int, to end: Int) {
        var index = start
        while index < end {
            let byte = source[index]
            switch byte {
            case UInt8(ascii: "&"): put("&amp;")
            case UInt8(ascii: "<"): put("&lt;")
            case UInt8(ascii: ">"): put("&gt;")
            case UInt8(ascii: "\""): put("&quot;")
            case UInt8(ascii: "'"): put("&#39;")
            case 0: put("\u{FFFD}")
            default:
                unsafe place.pointee = byte
                unsafe place += 1
            }
            index &+= 1
        }
    }

    private mutating func put(_ text: StaticString) {
        unsafe place.update(from: text.utf8Start, count: text.utf8CodeUnitCount)
        unsafe place += text.utf8CodeUnitCount
    }
}
