// How chat messages differ from the reference rendering: safe links only, pictures that are links, framed code, Mermaid
// placeholders, alerts, formulas, names for headings. Classes begin with `md-` where they are ours alone.

/// What a link becomes.
enum LinkForm: UInt8 {
    /// `<a>` to another site.
    case anchor
    /// `<a>` to a heading of the same text.
    case fragment
    /// A path on the desktop: no link, but the page's scripts may make one.
    case path
    /// A scheme that no message may use.
    case refused
    /// A picture from elsewhere, shown as a link.
    case picture
    /// The same inside a link, where no other link may stand.
    case innerPicture

    init(_ url: [UInt8]) {
        if SafeURL.isSafe(url) {
            self = .anchor
        } else if url.first == UInt8(ascii: "#") {
            self = .fragment
        } else if LinkForm.isPath(url) {
            self = .path
        } else {
            self = .refused
        }
    }

    /// Whether it names a file: no scheme, no host, no control characters.
    private static func isPath(_ url: [UInt8]) -> Bool {
        guard let first = url.first, first > ASCII.space, first < 0x80 || first >= 0xC3 else { return false }
        guard first != UInt8(ascii: "/") || url.count < 2 || url[1] != UInt8(ascii: "/") else { return false }
        guard first != ASCII.backslash else { return false }
        for byte in url {
            switch byte {
            case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#"): return true
            case UInt8(ascii: ":"): return hasLineNumber(url)
            case 0..<ASCII.space: return false
            default: break
            }
        }
        return true
    }

    /// `name.ext:12` or `name.ext:12:3`: what stands behind the first colon is digits and colons.
    private static func hasLineNumber(_ url: [UInt8]) -> Bool {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url[..<colon].contains(UInt8(ascii: ".")) else {
            return false
        }
        return url[colon...].dropFirst().allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ":") }
    }
}

extension BlockRenderer {
    // MARK: Links and pictures

    mutating func writeChatLinkStart(_ index: Int, _ target: LinkTarget) {
        let form = LinkForm(target.destination)
        remember(form, index)
        switch form {
        case .anchor:
            output.append("<a href=\"")
            Percent.append(target.destination, to: &output)
            output.append("\" rel=\"noopener noreferrer nofollow\" target=\"_blank\"")
            writeTitle(target)
        case .fragment:
            output.append("<a href=\"#")
            output.append(dialect.idPrefix)
            Percent.append(Array(target.destination.dropFirst()), to: &output)
            output.append("\"")
            writeTitle(target)
        case .path: writeSpan("md-path", "data-path", target)
        default: writeSpan("md-refused", "title", target)
        }
        output.append(">")
    }

    private mutating func writeSpan(_ name: StaticString, _ attribute: StaticString, _ target: LinkTarget) {
        output.append("<span class=\"")
        output.append(name)
        output.append("\" ")
        output.append(attribute)
        output.append("=\"")
        output.appendEscaped(target.destination)
        output.append("\"")
    }

    mutating func writeChatLinkEnd(_ index: Int) {
        switch linkForms[index] {
        case .anchor, .fragment: output.append("</a>")
        default: output.append("</span>")
        }
    }

    mutating func writeChatImageStart(_ index: Int, _ target: LinkTarget, isInLink: Bool) {
        let url = target.destination
        if SafeURL.isPicture(url) {
            remember(.picture, index)
            output.append("<img class=\"md-picture\" src=\"")
            Percent.append(url, to: &output)
            output.append("\" alt=\"")
            return
        }
        var form = LinkForm(url)
        if form == .anchor || form == .fragment { form = isInLink ? .innerPicture : .anchor }
        remember(form, index)
        switch form {
        case .anchor:
            output.append("<a class=\"md-picture\" href=\"")
            Percent.append(url, to: &output)
            output.append("\" rel=\"noopener noreferrer nofollow\" target=\"_blank\"")
            writeTitle(target)
        case .innerPicture: output.append("<span class=\"md-picture\"")
        case .path: writeSpan("md-picture md-path", "data-path", target)
        default: writeSpan("md-refused", "title", target)
        }
        output.append(">")
    }

    mutating func writeChatImageEnd(_ index: Int, _ target: LinkTarget, isInLink: Bool) {
        switch linkForms[index] {
        case .picture:
            output.append("\"")
            writeTitle(target)
            output.append(" />")
        case .anchor:
            writeFallbackAlt(target)
            output.append("</a>")
        default:
            writeFallbackAlt(target)
            output.append("</span>")
        }
    }

    /// A picture without a description shows its address.
    private mutating func writeFallbackAlt(_ target: LinkTarget) {
        if output.last == UInt8(ascii: ">") { output.appendEscaped(target.destination) }
    }

    private mutating func remember(_ form: LinkForm, _ index: Int) {
        while linkForms.count <= index { linkForms.append(.refused) }
        linkForms[index] = form
    }

    // MARK: Code

    /// A fence: a figure with room for a caption and a copy button; Mermaid and math become what they describe.
    mutating func writeFigure(_ node: BlockNode, language: [UInt8]) {
        let view = blocks.view(of: node)
        let start = Int(node.start)
        let end = Int(node.end)
        if language.elementsEqual("mermaid".utf8), let figure = Mermaid.placeholder(view, start, end) {
            output.append(figure.bytes)
            output.append("\n")
            return
        }
        if language.elementsEqual("math".utf8), end - start <= MarkdownLimits.formulaBytes, end > start {
            writeDisplayMath(view, start, end)
            return
        }
        if language.isEmpty {
            output.append("<figure class=\"code\"><pre><code>")
        } else {
            output.append("<figure class=\"code\" data-language=\"")
            output.appendEscaped(language)
            output.append("\"><figcaption>")
            output.appendEscaped(language)
            output.append("</figcaption><pre><code class=\"language-")
            output.appendEscaped(language)
            output.append("\">")
        }
        let name = language.isEmpty ? nil : String(decoding: language, as: UTF8.self)
        var code = view.string(start, end)
        if !code.isEmpty, code.utf8.last != ASCII.lineFeed { code.append("\n") }
        output.append(Highlight.html(code, language: name).bytes)
        output.append("</code></pre></figure>\n")
    }

    // MARK: Math

    mutating func writeInlineMath(_ view: ByteView, _ from: Int, _ to: Int, isDisplay: Bool, isAlt: Bool) {
        if isAlt {
            output.appendEscaped(view, from, to)
        } else {
            output.append(Math.html(view.string(from, to), isDisplay: isDisplay).bytes)
        }
    }

    /// `$$` or `\[` on a line of its own.
    ///
    /// Without its end it is shown as typed.
    mutating func writeMathBlock(_ node: BlockNode) {
        output.freshLine()
        let view = blocks.view(of: node)
        let start = Int(node.start)
        let end = Int(node.end)
        let isClosed = node.flags.contains(.closed)
        if isClosed, end > start, end - start <= MarkdownLimits.formulaBytes {
            writeDisplayMath(view, start, end)
            return
        }
        let isDollar = node.detail == UInt8(ascii: "$")
        output.append("<p class=\"md-raw\">")
        output.append(isDollar ? "$$\n" : "\\[\n")
        output.appendEscaped(view, start, end)
        if isClosed { output.append(isDollar ? "$$" : "\\]") }
        output.append("</p>\n")
    }

    private mutating func writeDisplayMath(_ view: ByteView, _ from: Int, _ to: Int) {
        output.append("<div class=\"md-math\">")
        output.append(Math.html(view.string(from, to), isDisplay: true).bytes)
        output.append("</div>\n")
    }
}

/// `> [!NOTE]` and its kin, as GitHub has them.
enum Alert: CaseIterable {
    case note, tip, important, warning, caution

    /// The kind of alert that a quote is.
    init?(of quote: Int, in blocks: borrowing BlockParser) {
        let child = blocks.nodes[quote].firstChild
        guard child >= 0, blocks.nodes[Int(child)].kind == .paragraph else { return nil }
        self.init(blocks.nodes[Int(child)], in: blocks)
    }

    private init?(_ paragraph: BlockNode, in blocks: borrowing BlockParser) {
        let view = blocks.view(of: paragraph)
        let start = Int(paragraph.start)
        let end = Int(paragraph.end)
        guard start + 2 < end, view[start] == UInt8(ascii: "["), view[start + 1] == UInt8(ascii: "!") else {
            return nil
        }
        for alert in Alert.allCases where view.startsIgnoringCase(with: alert.name, at: start + 2, before: end) {
            var position = start + 2 + alert.name.utf8CodeUnitCount
            guard view.peek(position) == UInt8(ascii: "]") else { continue }
            position += 1
            while position < end, ASCII.isSpaceOrTab(view[position]) { position += 1 }
            guard position >= end || view[position] == ASCII.lineFeed else { continue }
            self = alert
            return
        }
        return nil
    }

    /// Where the text of an alert's first paragraph goes on behind `[!NOTE]`; nil for any other paragraph.
    static func textAfterMarker(_ paragraph: BlockNode, in blocks: borrowing BlockParser) -> Int? {
        let parent = Int(paragraph.parent)
        guard paragraph.previous < 0, blocks.nodes[parent].kind == .quote, Alert(paragraph, in: blocks) != nil else {
            return nil
        }
        let end = Int(paragraph.end)
        guard let lineFeed = blocks.view(of: paragraph).find(ASCII.lineFeed, from: Int(paragraph.start), to: end) else {
            return end
        }
        return lineFeed + 1
    }

    /// Lower case: as compared and as part of the class.
    var name: StaticString {
        switch self {
        case .note: "note"
        case .tip: "tip"
        case .important: "important"
        case .warning: "warning"
        case .caution: "caution"
        }
    }

    var title: StaticString {
        switch self {
        case .note: "Note"
        case .tip: "Tip"
        case .important: "Important"
        case .warning: "Warning"
        case .caution: "Caution"
        }
    }
}

extension BlockRenderer {
    mutating func writeAlertStart(_ alert: Alert) {
        output.append("<div class=\"alert alert-")
        output.append(alert.name)
        output.append("\">\n<p class=\"alert-title\">")
        output.append(alert.title)
        output.append("</p>\n")
    }
}
