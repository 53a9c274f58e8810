// Footnotes (not in the GFM specification; markup as cmark-gfm writes it): references are numbered in the order in
// which they are met, the texts follow at the end in that order.

/// Which footnotes were referred to, and how often.
struct FootnoteOrder {
    /// Nodes in the order of their numbers.
    var nodes: [Int32] = []
    private var numbers: [Int32: Int] = [:]
    private var counts: [Int32: Int] = [:]
    /// The footnote whose text is being written and has not got its way back yet, and its last paragraph.
    var current: Int32 = -1
    var lastParagraph: Int32 = -1

    /// - Returns: the footnote's number, and which reference to it this is, both from 1.
    mutating func refer(to node: Int32) -> (number: Int, reference: Int) {
        counts[node, default: 0] += 1
        let reference = counts[node, default: 1]
        if let number = numbers[node] { return (number, reference) }
        nodes.append(node)
        numbers[node] = nodes.count
        return (nodes.count, reference)
    }

    func count(_ node: Int32) -> Int { counts[node, default: 0] }
    func number(_ node: Int32) -> Int { numbers[node, default: 0] }
}

extension BlockRenderer {
    mutating func writeFootnoteReference(_ node: Int) {
        let (number, reference) = footnotes.refer(to: Int32(node))
        output.append("<sup class=\"footnote-ref\"><a href=\"#")
        writeFootnoteName("fn-", node)
        output.append("\" id=\"")
        writeFootnoteName("fnref-", node, reference: reference)
        output.append("\" data-footnote-ref>")
        output.append(decimal: number)
        output.append("</a></sup>")
    }

    private mutating func writeFootnoteName(_ kind: StaticString, _ node: Int, reference: Int = 1) {
        output.append(dialect.idPrefix)
        output.append(kind)
        Percent.append(blocks.source, Int(blocks.nodes[node].extra), Int(blocks.nodes[node].extraEnd), to: &output)
        if reference > 1 {
            output.append("-")
            output.append(decimal: reference)
        }
    }

    /// Writes the section of footnotes, if any was referred to.
    mutating func renderFootnotes() {
        guard !footnotes.nodes.isEmpty else { return }
        output.freshLine()
        output.append("<section class=\"footnotes\" data-footnotes>\n<ol>\n")
        var index = 0
        while index < footnotes.nodes.count {
            let node = Int(footnotes.nodes[index])
            index += 1
            output.append("<li id=\"")
            writeFootnoteName("fn-", node)
            output.append("\">\n")
            footnotes.current = Int32(node)
            footnotes.lastParagraph = blocks.nodes[node].lastChild
            render(childrenOf: node)
            if footnotes.current >= 0 {
                output.freshLine()
                writeBackReferences(node)
                output.append("\n")
            }
            footnotes.current = -1
            output.append("</li>\n")
        }
        output.append("</ol>\n</section>\n")
    }

    /// The way back stands at the end of a footnote's last paragraph.
    mutating func writePendingBackReference(_ paragraph: BlockNode) {
        let node = footnotes.current
        guard node >= 0, paragraph.parent == node, paragraph.next < 0 else { return }
        output.append(" ")
        writeBackReferences(Int(node))
        footnotes.current = -1
    }

    private mutating func writeBackReferences(_ node: Int) {
        let number = footnotes.number(Int32(node))
        // Many references to one note would make output grow faster than input.
        for reference in 1...max(1, footnotes.count(Int32(node))) {
            if reference > 1 { output.append(" ") }
            output.append("<a href=\"#")
            writeFootnoteName("fnref-", node, reference: reference)
            output.append("\" class=\"footnote-backref\" data-footnote-backref data-footnote-backref-idx=\"")
            output.append(decimal: number)
            if reference > 1 {
                output.append("-")
                output.append(decimal: reference)
            }
            output.append("\" aria-label=\"Back to reference ")
            output.append(decimal: number)
            if reference > 1 {
                output.append("-")
                output.append(decimal: reference)
            }
            output.append("\">↩")
            if reference > 1 {
                output.append("<sup class=\"footnote-ref\">")
                output.append(decimal: reference)
                output.append("</sup>")
            }
            output.append("</a>")
        }
    }
}
