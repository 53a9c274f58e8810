// Source code to classed HTML. Called by the Markdown renderer (fences), the diff renderer and the pages that show files.
// The lexers work on bytes, a line at a time when asked to, and remember across lines only a small stack of frames, so a
// virtual row or a streamed line costs what changed. They decide nothing about colours: the classes are the vocabulary of
// ``Highlight/Kind``, and the style sheet knows only those.

/// Syntax highlighting: linear in the length of the code, never failing, never executing anything.
package enum Highlight {
    /// What a piece of code is.
    ///
    /// The HTML class is `t-` and the case's name.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case plain, keyword, string, comment, number, type, function, variable, property, `operator`, punctuation
        case constant, tag, attribute, meta, label, regexp, escape, inserted, deleted, heading, link, strong, emphasis

        /// The class without its prefix, as `wheelhouse highlight --tokens` prints it.
        package var name: StaticString {
            switch self {
            case .plain: "plain"
            case .keyword: "keyword"
            case .string: "string"
            case .comment: "comment"
            case .number: "number"
            case .type: "type"
            case .function: "function"
            case .variable: "variable"
            case .property: "property"
            case .operator: "operator"
            case .punctuation: "punctuation"
            case .constant: "constant"
            case .tag: "tag"
            case .attribute: "attribute"
            case .meta: "meta"
            case .label: "label"
            case .regexp: "regexp"
            case .escape: "escape"
            case .inserted: "inserted"
            case .deleted: "deleted"
            case .heading: "heading"
            case .link: "link"
            case .strong: "strong"
            case .emphasis: "emphasis"
            }
        }
    }

    /// A classed stretch of the code; what lies between two tokens is plain.
    package struct Token: Sendable, Equatable {
        let start: UInt32
        let size: UInt32
        package let kind: Kind

        init(start: Int, end: Int, kind: Kind) {
            self.start = UInt32(truncatingIfNeeded: start)
            self.size = UInt32(truncatingIfNeeded: end &- start)
            self.kind = kind
        }

        /// Where it begins, in bytes from the start of the code.
        package var offset: Int { Int(start) }
        /// Its length in bytes, at least 1.
        package var length: Int { Int(size) }
    }

    /// Classed HTML of a piece of code, without an element around it.
    ///
    /// - Parameters:
    ///   - code: any text; beyond ``HighlightLimits/codeBytes`` it is only escaped.
    ///   - language: a name or alias such as `swift`, `ts`, `sh`, in any case. Unknown or `nil`: the code is only escaped.
    package static func html(_ code: String, language: String?) -> HTML {
        guard let language, let known = Language.named(language) else { return HTML(text: code) }
        return html(Array(code.utf8), language: known)
    }

    /// Classed HTML of a piece of code in a language that is known already.
    package static func html(_ code: [UInt8], language: Language) -> HTML {
        guard code.count <= HighlightLimits.codeBytes else { return HTML(text: String(decoding: code, as: UTF8.self)) }
        var writer = HighlightWriter(expecting: code.count)
        code.borrowed { bytes in
            var scanner = Scanner(bytes, state: LineState())
            var done = 0
            while done < code.count {
                let end = chunkEnd(bytes, from: done)
                scanner.tokens.removeAll(keepingCapacity: true)
                scanner.run(language, from: done, to: end)
                writer.write(bytes, from: done, to: end, tokens: scanner.tokens)
                done = end
            }
        }
        return HTML(rendered: writer.finish())
    }

    /// The tokens of a piece of code, ascending and without overlap; empty for an unknown language.
    package static func tokens(_ code: [UInt8], language: String) -> [Token] {
        guard let known = Language.named(language), code.count <= HighlightLimits.codeBytes else { return [] }
        return code.borrowed { bytes in
            var scanner = Scanner(bytes, state: LineState())
            scanner.run(known, from: 0, to: code.count)
            return scanner.tokens
        }
    }

    /// One line's tokens, going on from the line before it; see ``html(line:language:state:)``.
    package static func tokens(line: [UInt8], language: Language, state: inout LineState) -> [Token] {
        guard line.count <= HighlightLimits.codeBytes else { return [] }
        let before = state
        let scanner = line.borrowed { bytes in
            var scanner = Scanner(bytes, state: before)
            scanner.run(language, from: 0, to: bytes.count)
            return scanner
        }
        state = LineState(frames: scanner.frames)
        return scanner.tokens
    }

    /// One line's HTML, going on from the line before it.
    ///
    /// - Parameters:
    ///   - line: one line with or without its line feed.
    ///   - state: what the line before left behind (a new ``LineState`` for the first); this line's afterwards. Two equal
    ///     states give equal results, so an unchanged line after an unchanged state need not be rendered again.
    package static func html(line: [UInt8], language: Language, state: inout LineState) -> HTML {
        var writer = HighlightWriter(expecting: line.count)
        line.borrowed { bytes in
            var scanner = Scanner(bytes, state: state)
            if line.count <= HighlightLimits.codeBytes { scanner.run(language, from: 0, to: line.count) }
            writer.write(bytes, from: 0, to: line.count, tokens: scanner.tokens)
            state = LineState(frames: scanner.frames)
        }
        return HTML(rendered: writer.finish())
    }

    /// The end of a run of whole lines, long enough to be quick and short enough to stay in the processor's cache.
    private static func chunkEnd(_ bytes: Bytes, from start: Int) -> Int {
        let least = start + HighlightLimits.chunkBytes
        return least < bytes.count ? min(bytes.lineEnd(from: least - 1) + 1, bytes.count) : bytes.count
    }
}

/// The bounds of the highlighter.
package enum HighlightLimits {
    /// Longer code is shown without classes: nobody reads 8 MiB in colour.
    package static let codeBytes = 8 << 20
    /// How deep strings, interpolations, templates and embedded languages may nest; deeper ones look like their surroundings.
    package static let nesting = 64
    /// A regular expression literal that is longer is taken for divisions: looking ahead must stay cheap.
    static let patternBytes = 1_000
    /// Whole lines are lexed and written in runs of about this many bytes.
    static let chunkBytes = 16 << 10
}
