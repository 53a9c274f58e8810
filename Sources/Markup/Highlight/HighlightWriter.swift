// Tokens and code to HTML. One pass, raw memory for the chunk at hand, because this is most of the cost of highlighting.

/// Writes classed, escaped HTML.
///
/// Punctuation and plain text get no element: they are most tokens and look like the rest.
struct HighlightWriter {
    private var output: [UInt8] = []
    private var scratch: [UInt8] = []

    init(expecting codeBytes: Int) { output.reserveCapacity(min(codeBytes, HighlightLimits.codeBytes) * 3 + 64) }

    /// The most bytes that one byte of code becomes (`&quot;`).
    private static let longestEscape = 6
    /// `<span class="t-punctuation"></span>`, and room for the whole block of the last one.
    private static let longestElement = 64

    /// Appends the HTML of `source[start..<end]` with its tokens, all of which lie in that part.
    mutating func write(_ source: Bytes, from start: Int, to end: Int, tokens: [Highlight.Token]) {
        let room = (end - start) * Self.longestEscape + tokens.count * Self.longestElement + 64
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
                    let kind = Int(token.kind.rawValue)
                    pen.open(names.opening[kind], length: names.lengths[kind])
                    pen.escape(source, from: from, to: to)
                    pen.close()
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
                    part.append(
                        Highlight.Token(start: max(from, token.offset), end: min(to, tokenEnd), kind: token.kind)
                    )
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

/// The opening tags by kind, made once: each in 32 bytes, so that one store writes it.
private struct ClassNames: Sendable {
    static let shared = ClassNames()
    let opening: [SIMD32<UInt8>]
    let lengths: [Int]
    /// `</span>` in the order of memory, and a byte that the next store overwrites.
    static let closing = UInt64(littleEndian: 0x20_3E6E_6170_732F_3C)
    static let closingLength = 7

    init() {
        var opening: [SIMD32<UInt8>] = []
        var lengths: [Int] = []
        for kind in Highlight.Kind.allCases {
            let tag = Array("<span class=\"t-\(kind.name)\">".utf8)
            precondition(tag.count <= 32, "a class name is too long for one store")
            var block = SIMD32<UInt8>(repeating: 0x20)
            for (index, byte) in tag.enumerated() { block[index] = byte }
            opening.append(block)
            lengths.append(tag.count)
        }
        self.opening = opening
        self.lengths = lengths
    }
}

/// A place in memory that has room for all that will be written.
@safe private struct Pen {
    var place: UnsafeMutablePointer<UInt8>

    init(at place: UnsafeMutablePointer<UInt8>) { unsafe self.place = unsafe place }

    /// Writes a tag's block; what lies behind its length is overwritten by the next thing written.
    @inline(__always) mutating func open(_ block: SIMD32<UInt8>, length: Int) {
        unsafe UnsafeMutableRawPointer(place).storeBytes(of: block, as: SIMD32<UInt8>.self)
        unsafe place += length
    }

    @inline(__always) mutating func close() {
        unsafe UnsafeMutableRawPointer(place).storeBytes(of: ClassNames.closing, as: UInt64.self)
        unsafe place += ClassNames.closingLength
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
