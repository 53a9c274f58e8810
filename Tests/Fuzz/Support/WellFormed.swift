// What the drivers of `Markup` agree on: tags are known, nested and closed, attributes are known and quoted, addresses
// safe.

private let elements: Set<String> = [
    "a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "blockquote", "caption", "cite", "code", "dd", "del",
    "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure", "footer", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "i", "ins", "kbd", "li", "mark", "math", "mfrac", "mi", "mn", "mo", "mover", "mphantom", "mroot", "mrow",
    "mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr", "munder", "munderover",
    "ol",
    "p", "pre", "q", "rp", "rt", "ruby", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup",
    "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var",
]
private let void: Set<String> = ["br", "hr", "img", "input", "wbr"]
private let attributes: Set<String> = [
    "alt", "aria-label", "checked", "class", "colspan", "data-footnote-backref", "data-footnote-backref-idx",
    "data-footnote-ref", "data-footnotes", "data-language", "data-mermaid", "data-path", "data-tex", "dir", "disabled",
    "display", "displaystyle", "fence", "form", "href", "id", "lang", "linethickness", "lspace", "mathvariant",
    "maxsize",
    "minsize", "movablelimits", "open", "rel", "rowspan", "rspace", "src", "start", "stretchy", "target", "title",
    "type",
    "value", "width", "accent", "accentunder",
]

func checkWellFormed(_ html: [UInt8], isFragment: Bool) {
    var open: [String] = []
    var position = 0
    func text(_ from: Int, _ to: Int) -> String { String(decoding: html[from..<to], as: UTF8.self) }
    while position < html.count {
        guard html[position] == UInt8(ascii: "<") else {
            precondition(html[position] != UInt8(ascii: ">"), "a bare > in \(text(0, html.count))")
            position += 1
            continue
        }
        let isEnd = position + 1 < html.count && html[position + 1] == UInt8(ascii: "/")
        var end = position + (isEnd ? 2 : 1)
        let nameStart = end
        while end < html.count, html[end] != UInt8(ascii: " "), html[end] != UInt8(ascii: ">") { end += 1 }
        let name = text(nameStart, end)
        precondition(elements.contains(name) || void.contains(name), "element \(name) in \(text(0, html.count))")
        if isEnd {
            precondition(open.popLast() == name, "</\(name)> closes nothing in \(text(0, html.count))")
        } else if !void.contains(name) {
            open.append(name)
        }
        while end < html.count, html[end] != UInt8(ascii: ">") {
            end += 1
            let attributeStart = end
            while end < html.count, !" =>/".utf8.contains(html[end]) { end += 1 }
            let attribute = text(attributeStart, end)
            precondition(attribute.isEmpty || attributes.contains(attribute), "attribute \(attribute)")
            guard end < html.count, html[end] == UInt8(ascii: "=") else { continue }
            precondition(html[end + 1] == UInt8(ascii: "\""), "an attribute without quotes")
            let valueStart = end + 2
            end = valueStart
            while end < html.count, html[end] != UInt8(ascii: "\"") {
                precondition(html[end] != UInt8(ascii: "<"), "< in an attribute")
                end += 1
            }
            checkAddress(attribute, text(valueStart, end))
            end += 1
        }
        precondition(end < html.count, "a tag does not end")
        position = end + 1
    }
    precondition(open.isEmpty, "\(open) stay open in \(text(0, html.count))")
}

private func checkAddress(_ attribute: String, _ value: String) {
    switch attribute {
    case "href":
        let lower = value.lowercased()
        precondition(
            ["http://", "https://", "mailto:", "#"].contains { lower.hasPrefix($0) } || lower.hasPrefix("xmpp:"),
            "href \(value)"
        )
    case "src": precondition(value.lowercased().hasPrefix("data:image/"), "src \(value)")
    case "id": precondition(value.hasPrefix("md-"), "id \(value)")
    default: break
    }
}
