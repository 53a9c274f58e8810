// Links, images and footnote references (CommonMark 0.31.2 §6.3, §6.4 and "look for link or image" in its appendix).

/// A `[` or `![` that may begin a link or an image.
struct Bracket {
    /// The item that stands for it.
    var item: Int32
    /// Where its text begins.
    var textStart: Int32
    /// The top of the delimiter stack when it was read.
    var delimiter: Int32
    var isImage: Bool
    /// Another bracket opened after it, so its text is no label.
    var hasBracketInside = false
}

extension InlineParser {
    mutating func openBracket() {
        let isImage = position > textStart && view[position - 1] == UInt8(ascii: "!")
        flushText(to: isImage ? position - 1 : position)
        if !brackets.isEmpty { brackets[brackets.count - 1].hasBracketInside = true }
        brackets.append(
            Bracket(
                item: Int32(items.count),
                textStart: Int32(position + 1),
                delimiter: lastDelimiter,
                isImage: isImage
            )
        )
        items.append(
            InlineItem(kind: .text, start: Int32(isImage ? position - 1 : position), end: Int32(position + 1))
        )
        position += 1
        textStart = position
    }

    mutating func closeBracket(_ references: borrowing BlockParser) {
        guard let bracket = brackets.popLast() else {
            position += 1
            return
        }
        let depth = brackets.count
        let isInactive = !bracket.isImage && depth < inactiveBrackets
        inactiveBrackets = min(inactiveBrackets, depth)
        guard !isInactive else {
            position += 1
            return
        }
        if isGrowing, isUnfinishedTarget(position + 1) {
            // `[text](https://exa`: the text alone, until the address is whole.
            flushText()
            items[Int(bracket.item)].end = items[Int(bracket.item)].start
            position = end
            textStart = end
            return
        }
        if let (target, next) = inlineTarget(position + 1) ?? referenceTarget(bracket, references) {
            let size = target.definition >= 0 ? references.references.size(of: target.definition) : 0
            makeLink(bracket, target, definitionSize: size, next: next)
            if !bracket.isImage { inactiveBrackets = depth }
        } else if dialect.footnotes, isFootnoteLabel(bracket) {
            let label = References.normalised(view, Int(bracket.textStart) + 1, position)
            makeFootnote(bracket, references.footnotes[label])
        } else {
            position += 1
        }
    }

    /// `(destination "title")` behind the text.
    private func inlineTarget(_ start: Int) -> (InlineLink, Int)? {
        guard start < end, view[start] == UInt8(ascii: "(") else { return nil }
        var position = skipWhitespace(start + 1)
        guard let destination = LinkSyntax.destination(view, position, end) else { return nil }
        position = skipWhitespace(destination.next)
        var link = InlineLink(destinationStart: Int32(destination.from), destinationEnd: Int32(destination.to))
        if position > destination.next, let titleEnd = LinkSyntax.title(view, position, end) {
            link.titleStart = Int32(position + 1)
            link.titleEnd = Int32(titleEnd - 1)
            position = skipWhitespace(titleEnd)
        }
        guard position < end, view[position] == UInt8(ascii: ")") else { return nil }
        return (link, position + 1)
    }

    /// Whether a link's address begins here and the text ends before it does.
    private func isUnfinishedTarget(_ start: Int) -> Bool {
        guard start < end, view[start] == UInt8(ascii: "("), inlineTarget(start) == nil else { return false }
        return view.find(ASCII.lineFeed, from: start, to: end) == nil
            && view.find(UInt8(ascii: ")"), from: start, to: end) == nil
    }

    private func skipWhitespace(_ start: Int) -> Int {
        var position = start
        while position < end, ASCII.isWhitespace(view[position]) { position += 1 }
        return position
    }

    /// `[label]`, `[]` or nothing behind the text, and a definition of that label.
    private func referenceTarget(_ bracket: Bracket, _ references: borrowing BlockParser) -> (InlineLink, Int)? {
        guard !references.references.isEmpty || references.isGrowing else { return nil }
        let afterText = position + 1
        var next = afterText
        var from = Int(bracket.textStart)
        var to = position
        var isFull = false
        if let labelEnd = LinkSyntax.label(view, afterText, end) {
            next = labelEnd
            if labelEnd - afterText > 2 {
                from = afterText + 1
                to = labelEnd - 1
                isFull = true
            }
        }
        guard isFull || !bracket.hasBracketInside, to > from, to - from <= MarkdownLimits.labelBytes else { return nil }
        let label = References.normalised(view, from, to)
        guard !label.isEmpty, let definition = references.references[label],
            references.references.size(of: definition) <= referenceBudget
        else { return nil }
        return (InlineLink(definition: definition), next)
    }

    private mutating func makeLink(_ bracket: Bracket, _ target: InlineLink, definitionSize: Int, next: Int) {
        let index = links.count
        links.append(target)
        if target.definition >= 0 { referenceBudget -= definitionSize }
        let item = Int(bracket.item)
        items[item].kind = bracket.isImage ? .imageStart : .linkStart
        items[item].value = Int32(index)
        add(bracket.isImage ? .imageEnd : .linkEnd, position, next, value: index, next: next)
        processEmphasis(above: bracket.delimiter)
    }

    // MARK: Footnotes

    /// Whether the bracket that closes at `position` is `[^label]`.
    private func isFootnoteLabel(_ bracket: Bracket) -> Bool {
        let from = Int(bracket.textStart) + 1
        return !bracket.hasBracketInside && view.peek(from - 1) == UInt8(ascii: "^") && position > from
            && position - from <= MarkdownLimits.labelBytes
    }

    /// - Parameter footnote: the node of its text; nil when there is none and the label is shown as typed.
    private mutating func makeFootnote(_ bracket: Bracket, _ footnote: Int32?) {
        // What was read inside the brackets is a label, not text.
        let item = Int(bracket.item)
        items.removeSubrange((item + 1)...)
        lastDelimiter = bracket.delimiter
        if lastDelimiter >= 0 { delimiters[Int(lastDelimiter)].next = -1 }
        textStart = position
        guard let footnote else {
            items[item].end = Int32(position + 1)
            position += 1
            textStart = position
            return
        }
        if bracket.isImage {
            items[item].end -= 1
        } else {
            items.removeLast()
        }
        add(.footnote, Int(bracket.textStart) + 1, position, value: Int(footnote), next: position + 1)
    }
}
