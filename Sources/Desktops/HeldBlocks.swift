// The blocks that the dashboard holds of one thread, and how updates and pages change them. A pure value; `Timeline` is its
// shell. Revisions decide what is newer, gaps decide what must be loaded again.

package struct HeldBlocks: Sendable {
    /// What an update did.
    package struct Outcome: Sendable, Equatable {
        package var changed: [Block] = []
        package var removed: [String] = []
        /// Something was missed: the tail must be loaded again.
        package var hasGap = false

        package init(changed: [Block] = [], removed: [String] = [], hasGap: Bool = false) {
            self.changed = changed
            self.removed = removed
            self.hasGap = hasGap
        }

        var isEmpty: Bool { changed.isEmpty && removed.isEmpty }
    }

    /// A contiguous tail of the thread, ascending by `seq`.
    package private(set) var blocks: [Block] = []
    package private(set) var hasOlder = false
    /// Every change of the thread up to this revision is in.
    package private(set) var revision = 0
    package private(set) var bytes = 0
    /// Newest revisions of desktops that count them per run and send no `since`.
    private var runs: [String: Int] = [:]
    private var seqs: [String: Int] = [:]

    package init() {}

    // MARK: Updates

    /// Applies a snapshot.
    package mutating func apply(_ snapshot: TimelineCodec.Snapshot) -> Outcome {
        if let since = snapshot.since {
            guard snapshot.revision > revision else { return Outcome() }
            var outcome = merge(snapshot)
            if since <= revision { revision = snapshot.revision } else { outcome.hasGap = true }
            return outcome
        }
        guard snapshot.revision > runs[snapshot.run] ?? -1 else { return Outcome() }
        if runs.count >= 64 { runs = [:] }
        runs[snapshot.run] = snapshot.revision
        let last = blocks.last?.seq ?? -1
        var outcome = merge(snapshot)
        if let base = snapshot.baseSeq, base > last + 1, hasOlder || !blocks.isEmpty || base > 0 {
            outcome.hasGap = true
        }
        return outcome
    }

    private mutating func merge(_ snapshot: TimelineCodec.Snapshot) -> Outcome {
        var outcome = Outcome()
        for id in snapshot.removed where remove(id) { outcome.removed.append(id) }
        for block in snapshot.blocks where put(block) { outcome.changed.append(block) }
        trim()
        return outcome
    }

    // MARK: Pages

    /// Takes the newest pages in, after something may have been missed.
    ///
    /// - Returns: what is different; nil when nothing of the former blocks is left, so that everything is to be shown anew.
    package mutating func load(_ page: TimelinePage) -> Outcome? {
        let former = self
        self = HeldBlocks()
        revision = page.revision
        hasOlder = page.hasMore
        for block in page.blocks { _ = put(block, isPage: true) }
        trim()
        guard let first = blocks.first?.seq else { return former.blocks.isEmpty ? Outcome() : nil }
        guard let last = former.blocks.last?.seq else { return Outcome(changed: blocks) }
        guard last >= first else { return nil }
        var outcome = Outcome()
        for block in blocks where former.block(block.id) != block { outcome.changed.append(block) }
        for block in former.blocks where block.seq >= first && seqs[block.id] == nil {
            outcome.removed.append(block.id)
        }
        return outcome
    }

    /// Takes a page below the held blocks in, as far as there is room.
    ///
    /// - Returns: false when there is none: the page was not taken.
    package mutating func prepend(_ page: TimelinePage) -> Bool {
        let older = page.blocks.filter { block in blocks.first.map { block.seq < $0.seq } ?? true }
        let weight = older.reduce(0) { $0 + $1.weight }
        guard blocks.count + older.count <= Limits.blocksPerTimeline, bytes + weight <= Limits.bytesPerTimeline else {
            return false
        }
        blocks.insert(contentsOf: older, at: 0)
        bytes += weight
        for block in older { seqs[block.id] = block.seq }
        hasOlder = page.hasMore
        return true
    }

    /// Up to `limit` held blocks below `before`, if they are the ones that the thread has there.
    package func page(before: Int?, limit: Int) -> TimelinePage? {
        let end = before.map { index(of: $0) } ?? blocks.count
        let start = max(0, end - limit)
        guard end - start == limit || !hasOlder else { return nil }
        return TimelinePage(
            blocks: Array(blocks[start..<end]),
            revision: revision,
            hasMore: start > 0 || hasOlder,
            total: nil
        )
    }

    package func block(_ id: String) -> Block? {
        guard let seq = seqs[id] else { return nil }
        let place = index(of: seq)
        return place < blocks.count && blocks[place].id == id ? blocks[place] : blocks.first { $0.id == id }
    }

    // MARK: One block

    /// Puts a block in its place unless a newer one is there.
    ///
    /// - Returns: whether it is new or different; true also for one below the held tail, which is shown but not held.
    private mutating func put(_ block: Block, isPage: Bool = false) -> Bool {
        if let held = self.block(block.id) {
            if held == block { return false }
            guard block.revision >= held.revision else { return false }
            _ = remove(block.id)
        } else if !isPage, hasOlder, let first = blocks.first, block.seq < first.seq {
            return true
        }
        blocks.insert(block, at: index(of: block.seq))
        seqs[block.id] = block.seq
        bytes += block.weight
        return true
    }

    private mutating func remove(_ id: String) -> Bool {
        guard let block = block(id), let place = blocks.firstIndex(where: { $0.seq >= block.seq && $0.id == id }) else {
            return false
        }
        blocks.remove(at: place)
        seqs[id] = nil
        bytes -= block.weight
        return true
    }

    /// Where the first block with at least this `seq` stands.
    private func index(of seq: Int) -> Int {
        if let last = blocks.last, last.seq < seq { return blocks.count }
        var low = 0
        var high = blocks.count
        while low < high {
            let middle = (low + high) / 2
            if blocks[middle].seq < seq { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// Lets the oldest blocks go above the limits, a fifth at a time.
    private mutating func trim() {
        guard blocks.count > Limits.blocksPerTimeline || bytes > Limits.bytesPerTimeline else { return }
        var dropped = 0
        var left = bytes
        while blocks.count - dropped > Limits.blocksPerTimeline / 5 * 4 || left > Limits.bytesPerTimeline / 5 * 4,
            dropped < blocks.count - 1
        {
            left -= blocks[dropped].weight
            seqs[blocks[dropped].id] = nil
            dropped += 1
        }
        blocks.removeFirst(dropped)
        bytes = left
        hasOlder = true
    }
}
