// Writes the tree of blocks as HTML: for the reference rendering byte for byte as cmark-gfm does, for chat with our own
// frames, classes and names. `InlineRenderer` writes what is inside leaf blocks.

/// One walk over a finished tree.
struct BlockRenderer: ~Copyable {
    let blocks: BlockParser
    let dialect: Dialect
    var inline: InlineParser
    var output: ByteBuffer
    /// A cell's text with `\|` replaced, while it is read.
    var cell = ByteBuffer(capacity: 256)
    var names = HeadingNames()
    var footnotes = FootnoteOrder()
    /// Formulas inside text being written, by how the link around them is shown.
    var linkForms: [LinkForm] = []
    var plain = ByteBuffer(capacity: 256)
    /// The leaf in which a text that is still being written ends, or -1.
    private var growingLeaf = -1
    private var paddedCells: Int
    /// Cells that short rows were padded with.
    private(set) var paddedCellCount = 0

    init(_ blocks: consuming BlockParser, output: consuming ByteBuffer) {
        dialect = blocks.dialect
        let size = blocks.source.count
        inline = InlineParser(dialect: blocks.dialect, view: blocks.source)
        self.output = output
        paddedCells = MarkdownLimits.paddedCells + size
        if blocks.isGrowing {
            growingLeaf = 0
            while blocks.nodes[growingLeaf].lastChild >= 0 { growingLeaf = Int(blocks.nodes[growingLeaf].lastChild) }
        }
        self.blocks = blocks
    }

    init(_ blocks: consuming BlockParser) {
        let size = blocks.source.count
        self.init(blocks, output: ByteBuffer(capacity: size + size / 4 + 256))
    }

    /// Gives the output away.
    consuming func finished() -> ByteBuffer { output }

    /// Writes the whole text.
    mutating func renderAll() {
        render(childrenOf: 0)
        renderFootnotes()
    }

    /// Writes the blocks under `root`, without recursion: nesting costs no stack.
    mutating func render(childrenOf root: Int) {
        var index = Int(blocks.nodes[root].firstChild)
        guard index >= 0 else { return }
        while true {
            begin(index)
            let node = blocks.nodes[index]
            if node.firstChild >= 0, node.kind != .table, node.kind != .footnote {
                index = Int(node.firstChild)
                continue
            }
            finish(index)
            while blocks.nodes[index].next < 0 {
                index = Int(blocks.nodes[index].parent)
                if index == root { return }
                finish(index)
            }
            index = Int(blocks.nodes[index].next)
        }
    }

    /// Writes each child of the document apart.
    mutating func renderBlocks() -> [HTML] {
        var result: [HTML] = []
        var index = Int(blocks.nodes[0].firstChild)
        while index >= 0 {
            output.removeAll()
            render(block: index)
            result.append(HTML(rendered: output.array()))
            index = Int(blocks.nodes[index].next)
        }
        output.removeAll()
        return result
    }

    /// Writes one child of the document and all under it.
    mutating func render(block index: Int) {
        begin(index)
        let node = blocks.nodes[index]
        if node.firstChild >= 0, node.kind != .table, node.kind != .footnote { render(childrenOf: index) }
        finish(index)
    }

    private mutating func begin(_ index: Int) {
        let node = blocks.nodes[index]
        inline.isGrowing = index == growingLeaf
        switch node.kind {
        case .paragraph: writeParagraph(node)
        case .heading: writeHeading(node)
        case .quote:
            output.freshLine()
            if dialect.chat, let alert = Alert(of: index, in: blocks) {
                writeAlertStart(alert)
            } else {
                output.append("<blockquote>\n")
            }
        case .list: writeListStart(node)
        case .item: writeItemStart(node)
        case .code: writeCode(node)
        case .html: writeHTML(node)
        case .math: writeMathBlock(node)
        case .rule:
            output.freshLine()
            output.append("<hr />\n")
        case .table: writeTable(node)
        case .document, .row, .footnote: break
        }
    }

    private mutating func finish(_ index: Int) {
        let node = blocks.nodes[index]
        switch node.kind {
        case .quote:
            output.freshLine()
            if dialect.chat, Alert(of: index, in: blocks) != nil {
                output.append("</div>\n")
            } else {
                output.append("</blockquote>\n")
            }
        case .list:
            if node.flags.contains(.ordered) { output.append("</ol>\n") } else { output.append("</ul>\n") }
        case .item: output.append("</li>\n")
        default: break
        }
    }

    // MARK: Paragraphs, headings, lists

    private mutating func writeParagraph(_ node: BlockNode) {
        if inline.isGrowing, GrowingText.isTableHeader(blocks.view(of: node), Int(node.start), Int(node.end)) {
            writeGrowingTable(node)
            return
        }
        var from = Int(node.start)
        let to = Int(node.end)
        if dialect.chat, let rest = Alert.textAfterMarker(node, in: blocks) {
            from = rest
            guard from < to else { return }
        }
        if isTight(node) {
            writeInline(blocks.view(of: node), from, to)
            return
        }
        output.freshLine()
        output.append("<p>")
        writeInline(blocks.view(of: node), from, to)
        writePendingBackReference(node)
        output.append("</p>\n")
    }

    /// Whether a paragraph stands in an item of a tight list.
    private func isTight(_ node: BlockNode) -> Bool {
        let parent = blocks.nodes[Int(node.parent)]
        return parent.kind == .item && blocks.nodes[Int(parent.parent)].flags.contains(.tight)
    }

    private mutating func writeHeading(_ node: BlockNode) {
        output.freshLine()
        let level = 0x30 + node.detail
        output.append("<h")
        output.append(level)
        if dialect.chat {
            inline.parse(blocks.view(of: node), Int(node.start), Int(node.end), references: blocks)
            let name = names.name(for: inline)
            if !name.isEmpty {
                output.append(" id=\"")
                output.append(dialect.idPrefix)
                output.appendEscaped(name)
                output.append("\"")
            }
        }
        output.append(">")
        writeInline(blocks.view(of: node), Int(node.start), Int(node.end))
        output.append("</h")
        output.append(level)
        output.append(">\n")
    }

    private mutating func writeListStart(_ node: BlockNode) {
        output.freshLine()
        guard node.flags.contains(.ordered) else {
            output.append("<ul>\n")
            return
        }
        if node.extra == 1 {
            output.append("<ol>\n")
        } else {
            output.append("<ol start=\"")
            output.append(decimal: Int(node.extra))
            output.append("\">\n")
        }
    }

    private mutating func writeItemStart(_ node: BlockNode) {
        output.freshLine()
        guard node.flags.contains(.task) else {
            output.append("<li>")
            return
        }
        if dialect.chat { output.append("<li class=\"task\">") } else { output.append("<li>") }
        if node.flags.contains(.done) {
            output.append("<input type=\"checkbox\" checked=\"\" disabled=\"\" /> ")
        } else {
            output.append("<input type=\"checkbox\" disabled=\"\" /> ")
        }
    }

    // MARK: Verbatim blocks

    private mutating func writeCode(_ node: BlockNode) {
        output.freshLine()
        var word: [UInt8] = []
        if node.detail != 0, node.extra < node.extraEnd {
            let info = Entities.unescaped(blocks.source, Int(node.extra), Int(node.extraEnd))
            word = Array(info.prefix { !ASCII.isWhitespace($0) })
        }
        if dialect.chat {
            writeFigure(node, language: word)
            return
        }
        if word.isEmpty {
            output.append("<pre><code>")
        } else {
            output.append("<pre><code class=\"language-")
            output.appendEscaped(word)
            output.append("\">")
        }
        writeCodeLines(node)
        output.append("</code></pre>\n")
    }

    /// Code ends with a line feed even where the text does not.
    private mutating func writeCodeLines(_ node: BlockNode) {
        let view = blocks.view(of: node)
        output.appendEscaped(view, Int(node.start), Int(node.end))
        if node.end > node.start, view[Int(node.end) - 1] != ASCII.lineFeed { output.append(ASCII.lineFeed) }
    }

    private mutating func writeHTML(_ node: BlockNode) {
        output.freshLine()
        var end = Int(node.end)
        let view = blocks.view(of: node)
        if dialect.chat {
            while end > Int(node.start), ASCII.isWhitespace(view[end - 1]) { end -= 1 }
            output.append("<p class=\"md-raw\">")
            output.appendEscaped(view, Int(node.start), end)
            output.append("</p>\n")
            return
        }
        writeRaw(view, Int(node.start), end)
        output.freshLine()
    }

    /// Copies raw HTML, with the tags that GFM §6.11 forbids made text.
    mutating func writeRaw(_ view: ByteView, _ from: Int, _ to: Int) {
        guard dialect.tagFilter else {
            output.append(view, from, to)
            return
        }
        var start = from
        while let hit = view.find(UInt8(ascii: "<"), from: start, to: to) {
            output.append(view, start, hit)
            if TagFilter.forbids(view, hit, to) { output.append("&lt;") } else { output.append(UInt8(ascii: "<")) }
            start = hit + 1
        }
        output.append(view, start, to)
    }

    // MARK: Tables

    private mutating func writeTable(_ table: BlockNode) {
        output.freshLine()
        if dialect.chat { output.append("<div class=\"md-table\">") }
        output.append("<table>\n<thead>\n")
        let header = Int(table.firstChild)
        writeRow(blocks.nodes[header], of: table, isHeader: true)
        output.append("</thead>\n")
        var row = blocks.nodes[header].next
        if row >= 0 {
            output.append("<tbody>\n")
            while row >= 0 {
                writeRow(blocks.nodes[Int(row)], of: table, isHeader: false)
                row = blocks.nodes[Int(row)].next
            }
            output.append("</tbody>\n")
        }
        output.append("</table>")
        if dialect.chat { output.append("</div>") }
        output.append("\n")
    }

    private mutating func writeRow(_ row: BlockNode, of table: BlockNode, isHeader: Bool) {
        output.append("<tr>\n")
        var cells = TableRow(blocks.source, Int(row.start), Int(row.end))
        for column in 0..<Int(table.extraEnd) {
            let cell = cells.next()
            if cell == nil {
                guard paddedCells > 0 else { break }
                paddedCells -= 1
                paddedCellCount += 1
            }
            output.append(isHeader ? "<th" : "<td")
            writeAlignment(blocks.columns[Int(table.extra) + column])
            output.append(">")
            if let cell { writeCell(cell) }
            output.append(isHeader ? "</th>\n" : "</td>\n")
        }
        output.append("</tr>\n")
    }

    private mutating func writeAlignment(_ alignment: ColumnAlignment) {
        guard alignment != .none else { return }
        if dialect.chat { output.append(" class=\"align-") } else { output.append(" align=\"") }
        switch alignment {
        case .left: output.append("left\"")
        case .center: output.append("center\"")
        case .right, .none: output.append("right\"")
        }
    }

    private mutating func writeCell(_ range: (start: Int, end: Int, hasEscapedBar: Bool)) {
        let view = blocks.source
        guard range.hasEscapedBar else {
            writeInline(view, range.start, range.end)
            return
        }
        cell.removeAll()
        var start = range.start
        while let hit = view.find(UInt8(ascii: "|"), from: start, to: range.end) {
            cell.append(view, start, hit - 1)
            cell.append(UInt8(ascii: "|"))
            start = hit + 1
        }
        cell.append(view, start, range.end)
        writeInline(cell.view, 0, cell.count)
    }
}

/// The tags that GFM §6.11 does not let through.
enum TagFilter {
    private static let names: [StaticString] = [
        "title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext",
    ]

    static func forbids(_ view: ByteView, _ start: Int, _ end: Int) -> Bool {
        var position = start + 1
        if position < end, view[position] == UInt8(ascii: "/") { position += 1 }
        for name in names where view.startsIgnoringCase(with: name, at: position, before: end) {
            let after = position + name.utf8CodeUnitCount
            guard after < end else { return false }
            let byte = view[after]
            if ASCII.isWhitespace(byte) || byte == UInt8(ascii: ">") { return true }
            if byte == UInt8(ascii: "/"), after + 1 < end, view[after + 1] == UInt8(ascii: ">") { return true }
        }
        return false
    }
}
