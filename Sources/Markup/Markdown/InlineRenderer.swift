// Writes the items of one leaf block as HTML.

extension BlockRenderer {
    /// Reads and writes the text `from..<to`.
    mutating func writeInline(_ view: ByteView, _ from: Int, _ to: Int) {
        inline.parse(view, from, to, references: blocks)
        if !linkForms.isEmpty { linkForms.removeAll(keepingCapacity: true) }
        var imageDepth = 0
        var linkDepth = 0
        for index in 0..<inline.items.count {
            let item = inline.items[index]
            let start = Int(item.start)
            let end = Int(item.end)
            if inline.hasAt, linkDepth == 0, imageDepth == 0, collectPlain(item, view) { continue }
            switch item.kind {
            case .text:
                if imageDepth == 0 { output.appendEscaped(view, start, end) } else { writeCodeText(view, start, end) }
            case .scalar: writeScalar(item)
            case .delimiters: writeDelimiters(item, hasTags: imageDepth == 0)
            case .softBreak: output.append(imageDepth == 0 ? "\n" : " ")
            case .hardBreak: output.append(imageDepth == 0 ? "<br />\n" : " ")
            case .code:
                if imageDepth == 0 { output.append("<code>") }
                writeCodeText(view, start, end)
                if imageDepth == 0 { output.append("</code>") }
            case .html: writeInlineHTML(view, start, end, isAlt: imageDepth > 0)
            case .math: writeInlineMath(view, start, end, isDisplay: item.value == 1, isAlt: imageDepth > 0)
            case .autolink, .bareLink:
                writeAddress(
                    item,
                    view,
                    isText: imageDepth > 0 || linkDepth > 0 && (dialect.chat || item.kind == .bareLink)
                )
            case .linkStart:
                if imageDepth == 0 { writeLinkStart(Int(item.value)) }
                linkDepth += 1
            case .linkEnd:
                linkDepth -= 1
                if imageDepth == 0 { writeLinkEnd(Int(item.value)) }
            case .imageStart:
                if imageDepth == 0 { writeImageStart(Int(item.value), isInLink: linkDepth > 0) }
                imageDepth += 1
            case .imageEnd:
                imageDepth -= 1
                if imageDepth == 0 { writeImageEnd(Int(item.value), isInLink: linkDepth > 0) }
            case .footnote:
                if imageDepth == 0 { writeFootnoteReference(Int(item.value)) }
            }
        }
        if inline.hasAt { flushPlain() }
    }

    private mutating func writeScalar(_ item: InlineItem) {
        let scalar = Unicode.Scalar(UInt32(item.value)) ?? "\u{FFFD}"
        switch scalar {
        case "&": output.append("&amp;")
        case "<": output.append("&lt;")
        case ">": output.append("&gt;")
        case "\"": output.append("&quot;")
        default: output.append(scalar: scalar)
        }
    }

    /// Closing tags, marks that matched nothing, opening tags.
    private mutating func writeDelimiters(_ item: InlineItem, hasTags: Bool) {
        let run = inline.delimiters[Int(item.value)]
        if hasTags {
            var match = run.firstClosed
            while match >= 0 {
                switch inline.matches[Int(match)].kind {
                case .emphasis: output.append("</em>")
                case .strong: output.append("</strong>")
                case .strikethrough: output.append("</del>")
                }
                match = inline.matches[Int(match)].nextClosed
            }
        }
        for _ in 0..<run.remaining { output.append(run.mark) }
        if hasTags {
            var match = run.firstOpened
            while match >= 0 {
                switch inline.matches[Int(match)].kind {
                case .emphasis: output.append("<em>")
                case .strong: output.append("<strong>")
                case .strikethrough: output.append("<del>")
                }
                match = inline.matches[Int(match)].nextOpened
            }
        }
    }

    /// Line feeds inside a code span or a picture's description are spaces.
    private mutating func writeCodeText(_ view: ByteView, _ from: Int, _ to: Int) {
        var start = from
        while let hit = view.find(ASCII.lineFeed, from: start, to: to) {
            output.appendEscaped(view, start, hit)
            output.append(ASCII.space)
            start = hit + 1
        }
        output.appendEscaped(view, start, to)
    }

    private mutating func writeInlineHTML(_ view: ByteView, _ from: Int, _ to: Int, isAlt: Bool) {
        if dialect.chat || isAlt { output.appendEscaped(view, from, to) } else { writeRaw(view, from, to) }
    }

    // MARK: Links

    /// `<https://…>`, `<a@b.c>`, or a bare address.
    private mutating func writeAddress(_ item: InlineItem, _ view: ByteView, isText: Bool) {
        let start = Int(item.start)
        let end = Int(item.end)
        let isEmail = item.kind == .autolink && item.value == 1
        let isBare = item.kind == .bareLink
        if !isText, !dialect.chat || isEmail || isBare && item.value == 1 || SafeURL.isSafe(view, start, end) {
            output.append("<a href=\"")
            if isEmail { output.append("mailto:") }
            if isBare, item.value == 1 { output.append("http://") }
            Percent.append(view, start, end, to: &output)
            output.append(dialect.chat ? "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">" : "\">")
            output.appendEscaped(view, start, end)
            output.append("</a>")
            return
        }
        // Not a link here: shown as typed.
        if item.kind == .autolink, dialect.chat, !isText { output.append("&lt;") }
        output.appendEscaped(view, start, end)
        if item.kind == .autolink, dialect.chat, !isText { output.append("&gt;") }
    }

    private mutating func writeLinkStart(_ index: Int) {
        let link = inline.links[index]
        if dialect.chat {
            writeChatLinkStart(index, target(of: link))
            return
        }
        output.append("<a href=\"")
        writeDestination(link)
        output.append("\"")
        writeTitle(link)
        output.append(">")
    }

    private mutating func writeLinkEnd(_ index: Int) {
        if dialect.chat { writeChatLinkEnd(index) } else { output.append("</a>") }
    }

    private mutating func writeImageStart(_ index: Int, isInLink: Bool) {
        let link = inline.links[index]
        if dialect.chat {
            writeChatImageStart(index, target(of: link), isInLink: isInLink)
            return
        }
        output.append("<img src=\"")
        writeDestination(link)
        output.append("\" alt=\"")
    }

    private mutating func writeImageEnd(_ index: Int, isInLink: Bool) {
        let link = inline.links[index]
        if dialect.chat {
            writeChatImageEnd(index, target(of: link), isInLink: isInLink)
            return
        }
        output.append("\"")
        writeTitle(link)
        output.append(" />")
    }

    private func target(of link: InlineLink) -> LinkTarget {
        if link.definition >= 0 { return blocks.references.targets[Int(link.definition)] }
        return LinkTarget(
            destination: Entities.unescaped(inline.view, Int(link.destinationStart), Int(link.destinationEnd)),
            title: Entities.unescaped(inline.view, Int(link.titleStart), Int(link.titleEnd))
        )
    }

    private mutating func writeDestination(_ link: InlineLink) {
        if link.definition < 0, isPlain(link.destinationStart, link.destinationEnd) {
            Percent.append(inline.view, Int(link.destinationStart), Int(link.destinationEnd), to: &output)
        } else {
            Percent.append(target(of: link).destination, to: &output)
        }
    }

    /// Whether nothing in the range has to be decoded.
    private func isPlain(_ start: Int32, _ end: Int32) -> Bool {
        for position in Int(start)..<Int(end) {
            let byte = inline.view[position]
            if byte == ASCII.backslash || byte == UInt8(ascii: "&") { return false }
        }
        return true
    }

    private mutating func writeTitle(_ link: InlineLink) {
        if link.definition < 0, isPlain(link.titleStart, link.titleEnd) {
            guard link.titleStart < link.titleEnd else { return }
            output.append(" title=\"")
            output.appendEscaped(inline.view, Int(link.titleStart), Int(link.titleEnd))
            output.append("\"")
        } else {
            writeTitle(target(of: link))
        }
    }

    mutating func writeTitle(_ target: LinkTarget) {
        guard !target.title.isEmpty else { return }
        output.append(" title=\"")
        output.appendEscaped(target.title)
        output.append("\"")
    }

    // MARK: E-mail addresses in text

    /// Keeps text that may be part of an address; writes what was kept before anything else.
    ///
    /// - Returns: whether the item was kept.
    private mutating func collectPlain(_ item: InlineItem, _ view: ByteView) -> Bool {
        switch item.kind {
        case .text: plain.append(view, Int(item.start), Int(item.end))
        case .scalar: plain.append(scalar: Unicode.Scalar(UInt32(item.value)) ?? "\u{FFFD}")
        case .delimiters:
            let run = inline.delimiters[Int(item.value)]
            guard run.firstClosed < 0, run.firstOpened < 0 else {
                flushPlain()
                return false
            }
            for _ in 0..<run.remaining { plain.append(run.mark) }
        default:
            flushPlain()
            return false
        }
        return true
    }

    private mutating func flushPlain() {
        guard plain.count > 0 else { return }
        var addresses = BareAddresses()
        let view = plain.view
        var written = 0
        while let address = addresses.next(view) {
            output.appendEscaped(view, written, address.start)
            output.append("<a href=\"")
            if !address.hasScheme { output.append("mailto:") }
            Percent.append(view, address.start, address.end, to: &output)
            output.append(dialect.chat ? "\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">" : "\">")
            output.appendEscaped(view, address.start, address.end)
            output.append("</a>")
            written = address.end
        }
        output.appendEscaped(view, written, view.count)
        plain.removeAll()
    }
}
