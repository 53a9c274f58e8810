// Makes an HTML fragment from outside harmless: text and a list of plain elements and attributes stay, all else goes.
// Output is written anew from what was understood, every tag closed, every value quoted: what a browser reads is what
// was checked here. Scripts, styles, forms, frames and foreign content (SVG, MathML) never pass, so nothing can mutate
// into them. One pass, linear.

package enum Sanitizer {
    /// The fragment with everything removed that could run, load, overlay or take a name.
    package static func html(_ fragment: String) -> HTML {
        HTML(
            rendered: Markdown.withPrepared(Array(fragment.utf8)) { view in
                var pass = SanitizerPass(view)
                pass.run()
                return pass.output.array()
            }
        )
    }
}

/// What the sanitiser lets through, and how deep.
enum SanitizerRules {
    /// Elements inside each other; deeper tags are dropped, their text stays.
    static let depth = 100

    enum Treatment {
        /// Kept with its allowed attributes.
        case keep
        /// Kept; has no end tag.
        case void
        /// Gone with everything up to its end tag.
        case drop
        /// Gone with everything inside, elements of the same name counted.
        case dropTree
        /// A link, a picture: checked separately.
        case link, picture
        /// The tag goes, what is inside stays.
        case unwrap
    }

    static func treatment(_ name: String) -> Treatment { table[name] ?? .unwrap }

    private static let table: [String: Treatment] = {
        var table: [String: Treatment] = ["a": .link, "img": .picture, "br": .void, "hr": .void, "wbr": .void]
        for name in [
            "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "caption", "cite", "code", "dd",
            "del",
            "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5",
            "h6", "header", "i", "ins", "kbd", "li", "mark", "ol", "p", "pre", "q", "rp", "rt", "ruby", "s", "samp",
            "section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th",
            "thead",
            "time", "tr", "u", "ul", "var",
        ] { table[name] = .keep }
        for name in [
            "script", "style", "iframe", "noembed", "noframes", "noscript", "plaintext", "textarea", "title", "xmp",
        ] { table[name] = .drop }
        for name in ["svg", "math", "template", "object", "select", "audio", "video", "canvas"] {
            table[name] = .dropTree
        }
        return table
    }()

    /// Attributes that any kept element may have.
    static let anywhere: Set<String> = ["title", "lang", "dir"]
    /// Attributes with a small number as value.
    static let numbers: Set<String> = ["colspan", "rowspan", "start", "value"]
    static let numbered: [String: Set<String>] = [
        "td": ["colspan", "rowspan"], "th": ["colspan", "rowspan"], "ol": ["start"], "li": ["value"],
    ]
}

private struct SanitizerPass: ~Copyable {
    let view: ByteView
    var output: ByteBuffer
    private var position = 0
    private var open: [String] = []
    /// No comment ends behind this position.
    private var commentsEnd = Int.max

    init(_ view: ByteView) {
        self.view = view
        output = ByteBuffer(capacity: view.count + 64)
    }

    mutating func run() {
        while position < view.count {
            let mark = view.find(UInt8(ascii: "<"), from: position, to: view.count) ?? view.count
            writeText(position, mark)
            position = mark
            if mark < view.count { readMark() }
        }
        while let name = open.popLast() { close(name) }
    }

    /// Text, with the references of the source decoded and then written our way.
    private mutating func writeText(_ from: Int, _ to: Int) {
        var start = from
        while let hit = view.find(UInt8(ascii: "&"), from: start, to: to) {
            output.appendEscaped(view, start, hit)
            let length = Entities.reference(view, hit, to)?.length ?? 1
            output.appendEscaped(Entities.decoded(view, hit, hit + length))
            start = hit + length
        }
        output.appendEscaped(view, start, to)
    }

    private mutating func readMark() {
        let next = view.peek(position + 1)
        if ASCII.isLetter(next) {
            readTag()
        } else if next == UInt8(ascii: "/"), ASCII.isLetter(view.peek(position + 2)) {
            readEndTag()
        } else if next == UInt8(ascii: "!") || next == UInt8(ascii: "?") || next == UInt8(ascii: "/") {
            skipComment()
        } else {
            output.append("&lt;")
            position += 1
        }
    }

    private mutating func skipComment() {
        guard view.starts(with: "<!--", at: position, before: view.count) else {
            let end = view.find(UInt8(ascii: ">"), from: position, to: view.count) ?? view.count - 1
            position = end + 1
            return
        }
        if view.starts(with: ">", at: position + 4, before: view.count) {
            position += 5
            return
        }
        var search = position + 4
        while let hit = view.find(UInt8(ascii: ">"), from: search, to: view.count) {
            if view.starts(with: "--", at: hit - 2, before: hit) || view.starts(with: "--!", at: hit - 3, before: hit) {
                position = hit + 1
                return
            }
            search = hit + 1
        }
        position = view.count
    }

    // MARK: Tags

    /// The name at `start` in lower case, and where it ends.
    private func name(at start: Int) -> (String, Int) {
        var end = start
        while end < view.count, !isNameEnd(view[end]) { end += 1 }
        guard end - start <= 20 else { return ("", end) }
        return (String(decoding: view.array(start, end).map(ASCII.lower), as: UTF8.self), end)
    }

    private func isNameEnd(_ byte: UInt8) -> Bool {
        ASCII.isWhitespace(byte) || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ">")
    }

    private mutating func readTag() {
        let (name, nameEnd) = name(at: position + 1)
        let (attributes, next) = attributes(from: nameEnd)
        guard let next else {
            // A tag without its end is text, as everything behind it.
            output.append("&lt;")
            position += 1
            return
        }
        position = next
        switch SanitizerRules.treatment(name) {
        case .keep: openElement(name, attributes)
        case .void:
            output.append("<")
            output.append(string: name)
            output.append(">")
        case .drop: skip(toEndOf: name, nested: false)
        case .dropTree: skip(toEndOf: name, nested: true)
        case .link: openLink(attributes)
        case .picture: writePicture(attributes)
        case .unwrap: break
        }
    }

    private mutating func readEndTag() {
        let (name, nameEnd) = name(at: position + 2)
        position = (view.find(UInt8(ascii: ">"), from: nameEnd, to: view.count) ?? view.count - 1) + 1
        guard let index = open.lastIndex(of: name) else { return }
        while open.count > index, let last = open.popLast() { close(last) }
    }

    private mutating func close(_ name: String) {
        output.append("</")
        output.append(string: name)
        output.append(">")
    }

    private mutating func openElement(_ name: String, _ attributes: [(name: String, value: [UInt8])]) {
        guard open.count < SanitizerRules.depth else { return }
        open.append(name)
        output.append("<")
        output.append(string: name)
        for attribute in attributes {
            if SanitizerRules.anywhere.contains(attribute.name) {
                write(attribute.name, attribute.value)
            } else if SanitizerRules.numbered[name]?.contains(attribute.name) == true, isSmallNumber(attribute.value) {
                write(attribute.name, attribute.value)
            } else if name == "details", attribute.name == "open" {
                output.append(" open")
            }
        }
        output.append(">")
    }

    private func isSmallNumber(_ value: [UInt8]) -> Bool {
        !value.isEmpty && value.count <= 3 && value.allSatisfy(ASCII.isDigit)
    }

    private mutating func write(_ name: String, _ value: [UInt8]) {
        output.append(" ")
        output.append(string: name)
        output.append("=\"")
        output.appendEscaped(value)
        output.append("\"")
    }

    private mutating func openLink(_ attributes: [(name: String, value: [UInt8])]) {
        guard open.count < SanitizerRules.depth else { return }
        guard let url = attributes.first(where: { $0.name == "href" })?.value, SafeURL.isSafe(url), !open.contains("a")
        else {
            return openElement("span", attributes)
        }
        open.append("a")
        output.append("<a href=\"")
        Percent.append(url, to: &output)
        output.append("\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">")
    }

    private mutating func writePicture(_ attributes: [(name: String, value: [UInt8])]) {
        let url = attributes.first { $0.name == "src" }?.value ?? []
        let text = attributes.first { $0.name == "alt" }?.value ?? []
        if SafeURL.isPicture(url) {
            output.append("<img class=\"md-picture\" src=\"")
            Percent.append(url, to: &output)
            output.append("\" alt=\"")
            output.appendEscaped(text)
            output.append("\">")
        } else if SafeURL.isWeb(url), !open.contains("a") {
            output.append("<a class=\"md-picture\" href=\"")
            Percent.append(url, to: &output)
            output.append("\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">")
            output.appendEscaped(text.isEmpty ? url : text)
            output.append("</a>")
        } else {
            output.appendEscaped(text)
        }
    }

    /// Skips an element whose start tag was read, with its end tag; everything, when it has none.
    private mutating func skip(toEndOf element: String, nested: Bool) {
        var depth = 1
        while let mark = view.find(UInt8(ascii: "<"), from: position, to: view.count) {
            let isEnd = view.peek(mark + 1) == UInt8(ascii: "/")
            let (name, nameEnd) = name(at: mark + (isEnd ? 2 : 1))
            position = mark + 1
            guard name == element else { continue }
            if !isEnd {
                if nested { depth += 1 }
                continue
            }
            depth -= 1
            if depth == 0 {
                position = (view.find(UInt8(ascii: ">"), from: nameEnd, to: view.count) ?? view.count - 1) + 1
                return
            }
        }
        position = view.count
    }

    // MARK: Attributes

    /// The attributes of a tag, values decoded, and where the tag ends; nil when it never does.
    private func attributes(from start: Int) -> ([(name: String, value: [UInt8])], Int?) {
        var result: [(name: String, value: [UInt8])] = []
        var position = start
        while position < view.count {
            let byte = view[position]
            if byte == UInt8(ascii: ">") { return (result, position + 1) }
            if ASCII.isWhitespace(byte) || byte == UInt8(ascii: "/") {
                position += 1
                continue
            }
            let nameStart = position
            position += 1
            while position < view.count, !isNameEnd(view[position]), view[position] != UInt8(ascii: "=") {
                position += 1
            }
            let nameEnd = position
            while position < view.count, ASCII.isWhitespace(view[position]) { position += 1 }
            var value: [UInt8] = []
            if view.peek(position) == UInt8(ascii: "=") {
                position += 1
                while position < view.count, ASCII.isWhitespace(view[position]) { position += 1 }
                guard position < view.count else { return (result, nil) }
                let quote = view[position]
                if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                    guard let end = view.find(quote, from: position + 1, to: view.count) else { return (result, nil) }
                    value = Entities.decoded(view, position + 1, end)
                    position = end + 1
                } else {
                    let valueStart = position
                    while position < view.count, !ASCII.isWhitespace(view[position]),
                        view[position] != UInt8(ascii: ">")
                    {
                        position += 1
                    }
                    value = Entities.decoded(view, valueStart, position)
                }
            }
            let name = String(decoding: view.array(nameStart, nameEnd).map(ASCII.lower), as: UTF8.self)
            if !result.contains(where: { $0.name == name }), result.count < 16 { result.append((name, value)) }
        }
        return (result, nil)
    }
}
