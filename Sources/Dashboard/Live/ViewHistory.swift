// What changed in a view, and when: from it every viewer gets exactly what is newer than what it has (BR-01a). A pure value;
// `ViewFeed` feeds it and sends what it answers.

package import Desktops

/// One change of a page.
///
/// Every step may be taken twice: a block that is there already is replaced.
package enum PageStep: Sendable, Equatable {
    /// Last among its siblings; `parent` is nil at the top.
    case append(block: String, parent: String?)
    /// In front of a sibling.
    case before(block: String, sibling: String)
    case replace(block: String)
    case remove(block: String)
}

package struct ViewHistory: Sendable {
    private struct Entry {
        /// The versions at which the block appeared and last changed.
        var created: Int
        var changed: Int
        var isRewound: Bool
        var parent: String?
    }

    /// Grows with every batch of changes.
    package private(set) var version = 0
    private var entries: [String: Entry] = [:]
    private var removed: [(id: String, version: Int)] = []
    /// Whoever has an older version needs a snapshot.
    private var floor = 0

    /// - Parameter blocks: what the timeline holds now.
    package init(_ blocks: [Block]) { reset(blocks) }

    /// The timeline was replaced: everybody needs a snapshot.
    package mutating func reset(_ blocks: [Block]) {
        version += 1
        floor = version
        removed = []
        let nesting = Nesting(blocks)
        entries = Dictionary(
            blocks.map { block in
                let parent = nesting.parent(of: block.id)
                return (block.id, Entry(created: version, changed: version, isRewound: block.isRewound, parent: parent))
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// Takes a batch of changes.
    ///
    /// - Parameters:
    ///   - changed: ids of new and replaced blocks, in any order.
    ///   - blocks: what the timeline holds after the change, ascending by `seq`.
    /// - Returns: the steps from the version before; nil when only a snapshot will do.
    package mutating func apply(changed: Set<String>, removed gone: Set<String>, blocks: [Block]) -> [PageStep]? {
        let before = version
        version += 1
        let nesting = Nesting(blocks)
        var needsSnapshot = false
        for id in gone {
            guard let entry = entries.removeValue(forKey: id) else { continue }
            // The fold round a rewound branch counts what is in it.
            if entry.isRewound { needsSnapshot = true }
            removed.append((id, version))
        }
        if removed.count > DashboardLimits.removedBlocks {
            let surplus = removed.count - DashboardLimits.removedBlocks
            floor = max(floor, removed[surplus - 1].version)
            removed.removeFirst(surplus)
        }
        for block in blocks where changed.contains(block.id) {
            let parent = nesting.parent(of: block.id)
            let known = entries[block.id]
            if block.isRewound != (known?.isRewound ?? false) || known.map({ $0.parent != parent }) ?? false {
                needsSnapshot = true
            }
            entries[block.id] = Entry(
                created: known?.created ?? version,
                changed: version,
                isRewound: block.isRewound,
                parent: parent
            )
        }
        forgetBlocks(except: blocks)
        guard !needsSnapshot else {
            floor = version
            removed = []
            return nil
        }
        var steps = steps(since: before, blocks: blocks)
        // A changed block below the held tail may still stand on somebody's page.
        let held = Set(blocks.lazy.map(\.id))
        steps?.insert(contentsOf: changed.filter { !held.contains($0) }.sorted().map { .replace(block: $0) }, at: 0)
        return steps
    }

    /// The steps from a version that a page has to the newest; nil when only a snapshot will do.
    package func steps(since old: Int, blocks: [Block]) -> [PageStep]? {
        guard old >= floor, old <= version else { return nil }
        var steps = removed.filter { $0.version > old }.map { PageStep.remove(block: $0.id) }
        // The next sibling that the page has already, found from the end.
        var next: [String: String] = [:]
        var anchors: [String?] = []
        for block in blocks.reversed() {
            let group = entries[block.id]?.parent ?? ""
            anchors.append(next[group])
            if let entry = entries[block.id], entry.created <= old { next[group] = block.id }
        }
        anchors.reverse()
        for (block, anchor) in zip(blocks, anchors) {
            guard let entry = entries[block.id], entry.changed > old else { continue }
            if entry.created <= old {
                steps.append(.replace(block: block.id))
            } else if let anchor {
                steps.append(.before(block: block.id, sibling: anchor))
            } else {
                steps.append(.append(block: block.id, parent: entry.parent))
            }
        }
        return steps
    }

    /// Blocks that fell out of the held tail need no history.
    private mutating func forgetBlocks(except blocks: [Block]) {
        guard entries.count > 2 * blocks.count + 1_000 else { return }
        let held = Set(blocks.lazy.map(\.id))
        entries = entries.filter { held.contains($0.key) }
    }
}
