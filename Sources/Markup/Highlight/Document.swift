// HTML and XML, with scripts and styles in their own languages, and the templates that live in HTML: PHP, ERB, Vue
// (HTML Living Standard 13.2, XML 1.0).

/// The lexer of documents made of elements.
struct DocumentLexer {
    /// What a dialect adds.
    struct Dialect: OptionSet, Sendable {
        let rawValue: UInt8
        static let rawElements = Dialect(rawValue: 1)
        static let php = Dialect(rawValue: 2)
        static let erb = Dialect(rawValue: 4)
        static let mustache = Dialect(rawValue: 8)
    }

    private enum Mode {
        static let ground: UInt8 = 0
        /// In a tag; flag: the guest of the element's content; data: 1 for `script`, 2 for `style`, 0 otherwise.
        static let tag: UInt8 = 1
        /// An attribute's value; flag: its quote.
        static let value: UInt8 = 2
        static let comment: UInt8 = 3
        static let declaration: UInt8 = 4
        static let cdata: UInt8 = 5
        /// The content of `<script>` (data 1) or `<style>` (data 2); flag: guest.
        static let raw: UInt8 = 6
        /// `<?php … ?>`, `<% … %>`, `{{ … }}`; flag: guest; data: which.
        static let template: UInt8 = 7
        /// `<?xml … ?>`.
        static let instruction: UInt8 = 8
    }

    private let dialect: Dialect

    static func lex(_ x: inout Scanner, base: Int, dialect: Dialect) {
        if x.frames.count <= base { x.frames.append(Frame(mode: Mode.ground)) }
        let lexer = DocumentLexer(dialect: dialect)
        while x.position < x.source.count {
            let top = x.top(above: base) { $0.mode == Mode.raw || $0.mode == Mode.template }
            switch x.frames[top].mode {
            case Mode.tag: lexer.tag(&x)
            case Mode.value: lexer.value(&x, from: x.position)
            case Mode.comment: lexer.until("-->", &x, .comment, from: x.position)
            case Mode.cdata: lexer.until("]]>", &x, .string, from: x.position)
            case Mode.declaration: lexer.until(">", &x, .meta, from: x.position)
            case Mode.instruction: lexer.until("?>", &x, .meta, from: x.position)
            case Mode.raw: lexer.raw(&x, top)
            case Mode.template: lexer.template(&x, top)
            default: lexer.text(&x)
            }
        }
    }

    private func text(_ x: inout Scanner) {
        let source = x.source
        let depth = x.frames.count
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            if byte == UInt8(ascii: "<") {
                if openTemplate(&x) || markup(&x, start) { if x.frames.count != depth { return } }
            } else if byte == UInt8(ascii: "&") {
                entity(&x, .constant)
            } else if byte == UInt8(ascii: "{"), dialect.contains(.mustache), openTemplate(&x) {
                return
            } else {
                x.position = start &+ 1
            }
        }
    }

    private func entity(_ x: inout Scanner, _ kind: Highlight.Kind) {
        let start = x.position
        var index = start + 1
        while index - start < 34, source(x, index).isWord || source(x, index) == UInt8(ascii: "#") { index += 1 }
        if index > start + 1, source(x, index) == UInt8(ascii: ";") {
            x.position = index + 1
            x.emit(kind, from: start)
        } else {
            x.position = start + 1
        }
    }

    private func source(_ x: Scanner, _ index: Int) -> UInt8 { x.source[index] }

    /// `<!--`, `<![CDATA[`, `<!doctype`, `<?`, `<name`, `</name`.
    ///
    /// Always moves on.
    private func markup(_ x: inout Scanner, _ start: Int) -> Bool {
        let source = x.source
        let next = source[start + 1]
        if source.has("<!--", at: start), x.push(Frame(mode: Mode.comment)) {
            x.position += 4
            until("-->", &x, .comment, from: start)
            return true
        }
        if source.has("<![CDATA[", at: start), x.push(Frame(mode: Mode.cdata)) {
            x.position += 9
            until("]]>", &x, .string, from: start)
            return true
        }
        if next == UInt8(ascii: "!"), x.push(Frame(mode: Mode.declaration)) {
            x.position += 2
            until(">", &x, .meta, from: start)
            return true
        }
        if next == UInt8(ascii: "?"), x.push(Frame(mode: Mode.instruction)) {
            x.position += 2
            until("?>", &x, .meta, from: start)
            return true
        }
        let isClosing = next == UInt8(ascii: "/")
        let name = start + (isClosing ? 2 : 1)
        guard source[name].isWordStart else {
            x.position = start + 1
            return true
        }
        x.position = name
        while source[x.position].isWord || source[x.position].isOne(of: "-.:") { x.position += 1 }
        let end = x.position
        x.emit(.punctuation, from: start, to: name)
        x.emit(.tag, from: name, to: end)
        var element: UInt32 = 0
        if !isClosing, dialect.contains(.rawElements) {
            if end - name == 6, source.hasFolded("script", at: name) { element = 1 }
            if end - name == 5, source.hasFolded("style", at: name) { element = 2 }
        }
        let guest = element == 1 ? Embedded.note("javascript") : element == 2 ? Embedded.note("css") : 0
        if x.push(Frame(mode: Mode.tag, flag: guest, data: element)) { tag(&x) }
        return true
    }

    private func tag(_ x: inout Scanner) {
        let source = x.source
        while x.position < source.count {
            let start = x.position
            let byte = source[start]
            switch byte {
            case UInt8(ascii: ">"):
                x.position += 1
                x.emit(.punctuation, from: start)
                let frame = x.frames.removeLast()
                if frame.data > 0 { _ = x.push(Frame(mode: Mode.raw, flag: frame.flag, data: frame.data)) }
                return
            case UInt8(ascii: "/"):
                x.position += 1
                x.emit(.punctuation, from: start)
                if source[x.position] == UInt8(ascii: ">") { x.frames[x.frames.count - 1].data = 0 }
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                x.position += 1
                x.emit(.punctuation, from: start)
                chooseGuest(&x, start + 1)
                guard x.push(Frame(mode: Mode.value, flag: byte)) else { continue }
                value(&x, from: x.position)
                return
            case UInt8(ascii: "="):
                x.position += 1
                x.emit(.operator, from: start)
                while source[x.position].isBlank { x.position += 1 }
                let value = x.position
                while x.position < source.count, !source[x.position].isSpace, !source[x.position].isOne(of: "\"'>{<") {
                    x.position += 1
                }
                x.emit(.string, from: value)
                chooseGuest(&x, value)
            case UInt8(ascii: "<"):
                if openTemplate(&x) { return }
                // A new tag in a tag: the old one was never closed.
                x.frames.removeLast()
                return
            default:
                if byte.isSpace {
                    x.position += 1
                } else if byte.isWord || byte.isOne(of: "@:#.*[(v-_$") {
                    x.position += 1
                    while x.position < source.count, !source[x.position].isSpace,
                        !source[x.position].isOne(of: "=>/\"'<")
                    { x.position += 1 }
                    x.emit(.attribute, from: start)
                } else if byte == UInt8(ascii: "{"), dialect.contains(.mustache), openTemplate(&x) {
                    return
                } else {
                    x.position += 1
                }
            }
        }
    }

    /// `type="application/json"` and `lang="ts"` decide what a script or style holds.
    private func chooseGuest(_ x: inout Scanner, _ value: Int) {
        let top = x.frames.count - 1
        guard x.frames[top].mode == Mode.tag, x.frames[top].data > 0 else { return }
        let source = x.source
        var end = value
        while end - value < 40, source[end].isWord || source[end].isOne(of: "/+-.") { end += 1 }
        if source.hasFolded("application/", at: value),
            source.hasFolded("json", at: end - 4) || source.hasFolded("importmap", at: end - 9)
        {
            x.frames[top].flag = Embedded.note("json")
        } else if source.hasFolded("importmap", at: value) || source.hasFolded("speculationrules", at: value) {
            x.frames[top].flag = Embedded.note("json")
        } else if source.hasFolded("ts", at: value), end == value + 2 {
            x.frames[top].flag = Embedded.note("typescript")
        } else if source.hasFolded("tsx", at: value), end == value + 3 {
            x.frames[top].flag = Embedded.note("tsx")
        } else if source.hasFolded("scss", at: value) || source.hasFolded("less", at: value), end == value + 4 {
            x.frames[top].flag = Embedded.note("scss")
        } else if source.hasFolded("text/x-", at: value) || source.hasFolded("text/template", at: value)
            || source.hasFolded("text/html", at: value)
        {
            x.frames[top].flag = 0
        } else if source.hasFolded("text/babel", at: value) || source.hasFolded("text/jsx", at: value) {
            x.frames[top].flag = Embedded.note("jsx")
        }
    }

    private func value(_ x: inout Scanner, from opened: Int) {
        let source = x.source
        let quote = x.frames[x.frames.count - 1].flag
        var start = opened
        while x.position < source.count {
            let byte = source[x.position]
            if byte == quote {
                x.emit(.string, from: start)
                x.emit(.punctuation, from: x.position, to: x.position + 1)
                x.position += 1
                x.frames.removeLast()
                return
            }
            if byte == UInt8(ascii: "<") && !dialect.isDisjoint(with: [.php, .erb])
                || byte == UInt8(ascii: "{") && dialect.contains(.mustache)
            {
                let end = x.position
                if openTemplate(&x, afterString: start, to: end) { return }
            }
            if byte == UInt8(ascii: "&") {
                let end = x.position
                x.emit(.string, from: start, to: end)
                entity(&x, .escape)
                start = x.position > end + 1 ? x.position : end
                continue
            }
            x.position &+= 1
        }
        x.emit(.string, from: start)
    }

    /// Runs to the end mark of the top frame, which is popped there.
    private func until(_ mark: StaticString, _ x: inout Scanner, _ kind: Highlight.Kind, from start: Int) {
        let source = x.source
        let length = mark.utf8CodeUnitCount
        var index = x.position
        while index < source.count {
            if source.has(mark, at: index) {
                x.frames.removeLast()
                x.position = index + length
                x.emit(kind, from: start)
                return
            }
            index &+= 1
        }
        x.position = index
        x.emit(kind, from: start)
    }

    private func raw(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let frame = x.frames[top]
        var end = x.position
        while end < source.count {
            if source[end] == UInt8(ascii: "<"), source[end + 1] == UInt8(ascii: "/"),
                frame.data == 1 ? source.hasFolded("script", at: end + 2) : source.hasFolded("style", at: end + 2)
            {
                break
            }
            end &+= 1
        }
        Embedded.run(&x, note: frame.flag, to: end, base: top + 1)
        if end < source.count { Embedded.end(&x, base: top) }
    }

    // MARK: Templates

    /// `<?php`, `<?=`, `<%`, `{{` where the dialect has them.
    ///
    /// True: a template frame was pushed.
    private func openTemplate(_ x: inout Scanner, afterString start: Int? = nil, to end: Int = 0) -> Bool {
        let source = x.source
        let at = x.position
        var length = 0
        var which: UInt32 = 0
        var guest: StaticString = "php-code"
        if dialect.contains(.php), source.has("<?", at: at), !source.hasFolded("<?xml", at: at) {
            length = source.hasFolded("<?php", at: at) ? 5 : source.has("<?=", at: at) ? 3 : 2
            which = 1
        } else if dialect.contains(.erb), source.has("<%", at: at) {
            length = source[at + 2].isOne(of: "=-#") ? 3 : 2
            which = 2
            guest = "ruby"
        } else if dialect.contains(.mustache), source.has("{{", at: at) {
            length = 2
            which = 3
            guest = "javascript"
        }
        guard length > 0, x.push(Frame(mode: Mode.template, flag: Embedded.note(guest.description), data: which)) else {
            return false
        }
        if let start { x.emit(.string, from: start, to: end) }
        x.position = at + length
        x.emit(.meta, from: at)
        return true
    }

    private func template(_ x: inout Scanner, _ top: Int) {
        let source = x.source
        let frame = x.frames[top]
        let mark: StaticString = frame.data == 1 ? "?>" : frame.data == 2 ? "%>" : "}}"
        var end = x.position
        while end < source.count, !source.has(mark, at: end) { end &+= 1 }
        Embedded.run(&x, note: frame.flag, to: end, base: top + 1)
        guard end < source.count else { return }
        Embedded.end(&x, base: top)
        x.position = end + 2
        x.emit(.meta, from: end)
    }
}
