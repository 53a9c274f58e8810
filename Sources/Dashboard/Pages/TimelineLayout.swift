// Which blocks stand on a page, and which stands inside which: outputs, edits and errors inside their tool, rewound branches
// in a fold. Pure; pages and live patches use the same rules, or patches would miss their places.

package import Desktops
import Markup

/// A block with the blocks inside it.
struct TimelineNode {
    var block: Block
    var children: [TimelineNode] = []
}

/// Who is inside whom among given blocks.
package struct Nesting {
    private var parents: [String: String] = [:]
    /// Levels of articles inside articles; what is deeper joins the last level.
    static let depth = 6

    /// - Parameter blocks: ascending by `seq`. A parent counts only if it stands before its child, so there are no circles.
    package init(_ blocks: some Sequence<Block>) {
        var depths: [String: Int] = [:]
        for block in blocks {
            guard let named = block.parent, let level = depths[named] else {
                depths[block.id] = 0
                continue
            }
            let parent = level + 1 < Nesting.depth ? named : parents[named] ?? named
            parents[block.id] = parent
            depths[block.id] = min(level + 1, Nesting.depth - 1)
        }
    }

    /// The block whose children a block is among; nil at the top.
    package func parent(of id: String) -> String? { parents[id] }
}

enum TimelineLayout {
    /// The newest blocks that make one page: ``DashboardLimits/pageBlocks`` entries as a reader counts them (what belongs to
    /// a tool counts with it, numbers of tokens do not count), and not much more than that in all.
    static func page(of blocks: [Block]) -> ArraySlice<Block> {
        let lowest = max(0, blocks.count - DashboardLimits.pageBlocksInAll)
        var start = blocks.count, entries = 0
        while start > lowest, entries < DashboardLimits.pageBlocks {
            start -= 1
            if blocks[start].parent == nil, blocks[start].kind != .usage { entries += 1 }
        }
        return blocks[start...]
    }

    static func nodes(_ blocks: ArraySlice<Block>) -> [TimelineNode] {
        let nesting = Nesting(blocks)
        var children: [String: [Block]] = [:]
        var top: [Block] = []
        for block in blocks {
            if let parent = nesting.parent(of: block.id) {
                children[parent, default: []].append(block)
            } else {
                top.append(block)
            }
        }
        func node(_ block: Block) -> TimelineNode {
            TimelineNode(block: block, children: children[block.id]?.map(node) ?? [])
        }
        return top.map(node)
    }

    /// The articles of a page.
    ///
    /// A run of rewound blocks at the top is folded away.
    static func html(_ nodes: [TimelineNode], _ rendered: (Block) -> RenderedBlock?) -> HTML {
        var html = HTML()
        var index = 0
        while index < nodes.count {
            guard nodes[index].block.isRewound else {
                html += article(nodes[index], rendered)
                index += 1
                continue
            }
            let first = index
            while index < nodes.count, nodes[index].block.isRewound { index += 1 }
            let run = nodes[first..<index].map { article($0, rendered) }
            html += """
                <details class="rewound" id="w-\(ElementID.safe(nodes[first].block.id))"><summary>\
                \(Words.count(index - first, "entry", "entries")) of a branch that was rewound</summary>\(run)</details>
                """
        }
        return html
    }

    private static func article(_ node: TimelineNode, _ rendered: (Block) -> RenderedBlock?) -> HTML {
        guard let block = rendered(node.block) else { return HTML() }
        return block.html(children: node.children.reduce(into: HTML()) { $0 += article($1, rendered) })
    }
}
