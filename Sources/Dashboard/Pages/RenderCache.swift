// Rendered blocks, kept so that one change costs one rendering, however many look at it. Two halves: when the young one is
// full it becomes the old one, and what nobody asked for meanwhile is gone. No order to maintain, no sweep.

package import Desktops
package import Wire

@Loop package final class RenderCache {
    private struct Key: Hashable {
        var view: BlockView
        var block: String
        var thread: String
    }

    private struct Entry {
        /// What was rendered.
        ///
        /// Compared whole: a desktop that reads its files anew may start its revisions anew.
        var block: Block
        var rendered: RenderedBlock
    }

    private var young: [Key: Entry] = [:]
    private var old: [Key: Entry] = [:]
    private var youngBytes = 0

    /// For `/metrics`.
    package private(set) var hits = 0
    package private(set) var misses = 0
    package var count: Int { young.count + old.count }

    package init() {}

    /// Every block's HTML, in the same order.
    ///
    /// Large ones are rendered on the worker threads.
    package func rendered(_ blocks: [Block], as view: BlockView) async -> [RenderedBlock] {
        if let ready = renderedNow(blocks, as: view) { return ready }
        let missing = blocks.filter { found($0, view) == nil }
        misses += missing.count
        hits += blocks.count - missing.count
        var index = 0
        while index < missing.count {
            // A batch is long enough to be worth a thread's turn, and short enough that others get theirs.
            var bytes = 0, batch: [Block] = []
            while index < missing.count, batch.isEmpty || bytes < 128 << 10 {
                batch.append(missing[index])
                bytes += RenderCache.cost(missing[index])
                index += 1
            }
            let work = batch
            let made = await offload { work.map { view.rendered($0) } }
            for (block, rendered) in zip(work, made) { keep(block, view, rendered) }
        }
        // What was let go while others were rendered is made again here; with sane bounds that is nothing.
        return blocks.map { found($0, view) ?? view.rendered($0) }
    }

    /// The same without waiting; nil when too much is missing for the loop.
    package func renderedNow(_ blocks: [Block], as view: BlockView) -> [RenderedBlock]? {
        let known = blocks.map { found($0, view) }
        var cost = 0
        for (block, rendered) in zip(blocks, known) where rendered == nil { cost += RenderCache.cost(block) }
        guard cost <= DashboardLimits.renderedOnLoop else { return nil }
        return zip(blocks, known).map { block, rendered in
            if let rendered {
                hits += 1
                return rendered
            }
            misses += 1
            let made = view.rendered(block)
            keep(block, view, made)
            return made
        }
    }

    private static func cost(_ block: Block) -> Int {
        64 + block.text.utf8.count + (block.patch?.utf8.count ?? 0) + (block.input?.utf8.count ?? 0)
            + (block.command?.utf8.count ?? 0)
    }

    private func found(_ block: Block, _ view: BlockView) -> RenderedBlock? {
        let key = Key(view: view, block: block.id, thread: block.thread)
        if let entry = young[key] { return entry.block == block ? entry.rendered : nil }
        guard let entry = old.removeValue(forKey: key), entry.block == block else { return nil }
        insert(key, entry)
        return entry.rendered
    }

    private func keep(_ block: Block, _ view: BlockView, _ rendered: RenderedBlock) {
        insert(Key(view: view, block: block.id, thread: block.thread), Entry(block: block, rendered: rendered))
    }

    private func insert(_ key: Key, _ entry: Entry) {
        if let before = young.updateValue(entry, forKey: key) { youngBytes -= before.rendered.size }
        youngBytes += entry.rendered.size
        guard young.count > DashboardLimits.cachedBlocks || youngBytes > DashboardLimits.cachedBlockBytes else {
            return
        }
        old = young
        young = [:]
        youngBytes = 0
    }
}
