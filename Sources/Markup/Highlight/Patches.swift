// The `diff` language: unified and context patches, git's headings, as source text (tables are Diff's work).

/// The lexer of patches.
enum PatchLexer {
    /// Lexes whole lines; a line says by itself what it is.
    static func lex(_ x: inout Scanner, base: Int) {
        if x.frames.count <= base { x.frames.append(Frame(mode: 0)) }
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let end = source.lineEnd(from: start)
            x.position = min(end + 1, source.count)
            x.emit(kind(source, start), from: start, to: end)
        }
    }

    private static func kind(_ source: Bytes, _ start: Int) -> Highlight.Kind {
        switch source[start] {
        case UInt8(ascii: "+"): source.has("+++ ", at: start) ? .heading : .inserted
        case UInt8(ascii: "-"): source.has("--- ", at: start) ? .heading : .deleted
        case UInt8(ascii: "@"): source.has("@@", at: start) ? .meta : .plain
        case UInt8(ascii: "<"): .deleted
        case UInt8(ascii: ">"): .inserted
        case UInt8(ascii: "!"): .keyword
        case UInt8(ascii: "\\"): .comment
        case UInt8(ascii: "*"): source.has("***", at: start) ? .heading : .plain
        case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "I"), UInt8(ascii: "n"), UInt8(ascii: "o"),
            UInt8(ascii: "r"), UInt8(ascii: "s"),
            UInt8(ascii: "B"), UInt8(ascii: "c"):
            isHeading(source, start) ? .heading : .plain
        default: .plain
        }
    }

    private static func isHeading(_ source: Bytes, _ start: Int) -> Bool {
        let words: [StaticString] = [
            "diff ", "index ", "Index: ", "new file mode", "old mode", "new mode", "deleted file mode", "rename from",
            "rename to",
            "similarity index", "dissimilarity index", "copy from", "copy to", "Binary files ",
        ]
        return words.contains { source.has($0, at: start) }
    }
}
