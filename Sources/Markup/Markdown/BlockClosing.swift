// What is settled when a block closes: whether a list is tight, what indented code ends with, paragraphs that held only
// definitions. `BlockParser` calls it.

extension BlockParser {
    /// Takes the last child of its parent out of the tree.
    mutating func unlink(_ index: Int) {
        let node = nodes[index]
        if node.previous >= 0 {
            nodes[Int(node.previous)].next = -1
        } else {
            nodes[Int(node.parent)].firstChild = -1
        }
        nodes[Int(node.parent)].lastChild = node.previous
    }

    mutating func dropTrailingBlankLines(of index: Int) {
        let view = view(of: nodes[index])
        let start = Int(nodes[index].start)
        var end = Int(nodes[index].end)
        var position = end
        while position > start, ASCII.isWhitespace(view[position - 1]) {
            position -= 1
            if view[position] == ASCII.lineFeed { end = position + 1 }
        }
        if position == start { end = start }
        nodes[index].end = Int32(end)
    }

    /// A list is loose when a blank line separates two of its items, or two blocks in one of them (CommonMark §5.3).
    mutating func settleTightness(of list: Int) {
        var item = nodes[list].firstChild
        while item >= 0 {
            let hasNext = nodes[Int(item)].next >= 0
            if hasNext, nodes[Int(item)].flags.contains(.lastLineBlank) { return }
            var child = nodes[Int(item)].firstChild
            while child >= 0 {
                if hasNext || nodes[Int(child)].next >= 0, endsWithBlankLine(child) { return }
                child = nodes[Int(child)].next
            }
            item = nodes[Int(item)].next
        }
        nodes[list].flags.insert(.tight)
    }

    mutating func endsWithBlankLine(_ start: Int32) -> Bool {
        var index = Int(start)
        while !nodes[index].flags.contains(.blankChecked) {
            nodes[index].flags.insert(.blankChecked)
            guard nodes[index].kind == .list || nodes[index].kind == .item, nodes[index].lastChild >= 0 else { break }
            index = Int(nodes[index].lastChild)
        }
        return nodes[index].flags.contains(.lastLineBlank)
    }
}
