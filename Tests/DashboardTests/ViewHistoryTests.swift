import Dashboard
import Desktops
import Testing

/// A page as the browser's `patch.js` keeps it: articles in containers, applied by the rules of the contract.
private struct Page: Equatable {
    /// Children by container: "" is the timeline.
    var containers: [String: [String]] = [:]
    var revisions: [String: Int] = [:]

    init(_ blocks: [Block]) {
        let nesting = Nesting(blocks)
        for block in blocks {
            containers[nesting.parent(of: block.id) ?? "", default: []].append(block.id)
            revisions[block.id] = block.revision
        }
    }

    mutating func apply(_ steps: [PageStep], _ blocks: [String: Block]) {
        for step in steps {
            switch step {
            case .append(let id, let parent):
                if revisions[id] == nil {
                    let home = parent.map { revisions[$0] != nil } ?? true ? parent ?? "" : ""
                    containers[home, default: []].append(id)
                }
                revisions[id] = blocks[id]?.revision
            case .before(let id, let sibling):
                if revisions[id] == nil {
                    guard let home = containers.first(where: { $0.value.contains(sibling) })?.key,
                        let index = containers[home]?.firstIndex(of: sibling)
                    else { continue }
                    containers[home]?.insert(id, at: index)
                }
                revisions[id] = blocks[id]?.revision
            case .replace(let id):
                if revisions[id] != nil { revisions[id] = blocks[id]?.revision }
            case .remove(let id):
                guard revisions[id] != nil else { continue }
                for child in containers[id] ?? [] { apply([.remove(block: child)], blocks) }
                containers[id] = nil
                revisions[id] = nil
                for (home, list) in containers where list.contains(id) { containers[home] = list.filter { $0 != id } }
            }
        }
        containers = containers.filter { !$0.value.isEmpty }
    }
}

@Suite("The history of a view", .timeLimit(.minutes(1)))
struct ViewHistoryTests {
    func block(_ id: String, _ seq: Int, parent: String? = nil, revision: Int = 1) -> Block {
        var block = Block(id: id, seq: seq, kind: parent == nil ? .assistant : .output)
        block.parent = parent
        block.revision = revision
        return block
    }

    @Test func `BR-01a a page gets exactly what is newer than what it has, and twice does no harm`() {
        var blocks = (0..<5).map { block("m\($0)", $0) }
        var history = ViewHistory(blocks)
        let seen = history.version
        var page = Page(blocks)
        blocks += [block("m5", 5), block("m6", 6)]
        _ = history.apply(changed: ["m5", "m6"], removed: [], blocks: blocks)
        let steps = history.steps(since: seen, blocks: blocks)
        #expect(steps == [.append(block: "m5", parent: nil), .append(block: "m6", parent: nil)])
        let all = Dictionary(blocks.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        page.apply(steps ?? [], all)
        page.apply(steps ?? [], all)
        #expect(page == Page(blocks))
        #expect(page.containers[""]?.count == 7)
    }

    @Test func `a block between others goes in front of the next one that the page has`() {
        var blocks = [block("a", 0), block("d", 9)]
        var history = ViewHistory(blocks)
        blocks = [block("a", 0), block("b", 3), block("c", 5), block("d", 9)]
        let steps = history.apply(changed: ["c", "b"], removed: [], blocks: blocks)
        #expect(steps == [.before(block: "b", sibling: "d"), .before(block: "c", sibling: "d")])
    }

    @Test func `an output goes into its tool`() {
        var blocks = [block("t", 0), block("u", 1)]
        var history = ViewHistory(blocks)
        blocks.append(block("o", 2, parent: "t"))
        #expect(history.apply(changed: ["o"], removed: [], blocks: blocks) == [.append(block: "o", parent: "t")])
    }

    @Test func `a rewound branch needs a snapshot, because folds count what is in them`() {
        var blocks = [block("a", 0), block("b", 1)]
        var history = ViewHistory(blocks)
        let old = history.version
        blocks[1].isRewound = true
        #expect(history.apply(changed: ["b"], removed: [], blocks: blocks) == nil)
        #expect(history.steps(since: old, blocks: blocks) == nil)
        #expect(history.steps(since: history.version, blocks: blocks) == [])
    }

    @Test func `a version from before a reset, or from the future, needs a snapshot`() {
        let blocks = [block("a", 0)]
        var history = ViewHistory(blocks)
        let old = history.version
        history.reset(blocks)
        #expect(history.steps(since: old, blocks: blocks) == nil)
        #expect(history.steps(since: history.version + 1, blocks: blocks) == nil)
    }

    @Test func `a changed block below the held tail is replaced where somebody shows it`() {
        let blocks = [block("y", 8), block("z", 9)]
        var history = ViewHistory(blocks)
        #expect(history.apply(changed: ["a"], removed: [], blocks: blocks) == [.replace(block: "a")])
    }

    @Test func `removals beyond the limit make old pages ask for a snapshot`() {
        var blocks = (0...DashboardLimits.removedBlocks).map { block("m\($0)", $0) }
        var history = ViewHistory(blocks)
        let old = history.version
        for index in 0...DashboardLimits.removedBlocks {
            blocks.removeFirst()
            _ = history.apply(changed: [], removed: ["m\(index)"], blocks: blocks)
        }
        #expect(history.steps(since: old, blocks: blocks) == nil)
        #expect(history.steps(since: old + 1, blocks: blocks)?.count == DashboardLimits.removedBlocks)
    }

    @Test(
        "random histories: whoever comes back at any time ends with the right page",
        arguments: 0..<40 as Range<UInt64>
    )
    func random(seed: UInt64) {
        var random = SplitMix(state: seed)
        var blocks = (0..<Int.random(in: 0...8, using: &random)).map { block("b\($0)", $0 * 10) }
        var history = ViewHistory(blocks)
        var pages = [(history.version, Page(blocks)), (history.version, Page(blocks))]
        var serial = 100
        for _ in 0..<60 {
            var changed: Set<String> = [], removed: Set<String> = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                switch Int.random(in: 0..<10, using: &random) {
                case 0..<4:
                    let parent = Bool.random(using: &random) ? blocks.randomElement(using: &random)?.id : nil
                    let last = blocks.last?.seq ?? 0
                    let seq =
                        Int.random(in: 0..<4, using: &random) == 0
                        ? Int.random(in: 0...last + 5, using: &random) : last + 10
                    guard !blocks.contains(where: { $0.seq == seq }) else { continue }
                    serial += 1
                    let new = block("b\(serial)", seq, parent: parent)
                    blocks.insert(new, at: blocks.firstIndex { $0.seq > seq } ?? blocks.count)
                    changed.insert(new.id)
                case 4..<9:
                    guard let index = blocks.indices.randomElement(using: &random) else { continue }
                    blocks[index].revision += 1
                    changed.insert(blocks[index].id)
                default:
                    // A desktop removes a block together with what belongs to it.
                    guard let victim = blocks.randomElement(using: &random) else { continue }
                    var gone: Set<String> = [victim.id]
                    for block in blocks where block.parent.map(gone.contains) ?? false { gone.insert(block.id) }
                    blocks.removeAll { gone.contains($0.id) }
                    removed.formUnion(gone)
                    changed.subtract(gone)
                }
            }
            let all = Dictionary(blocks.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
            let steps = history.apply(changed: changed, removed: removed, blocks: blocks)
            // The first page follows every batch, the second comes back now and then.
            if let steps { pages[0].1.apply(steps, all) } else { pages[0].1 = Page(blocks) }
            pages[0].0 = history.version
            #expect(pages[0].1 == Page(blocks))
            if Int.random(in: 0..<5, using: &random) == 0 {
                if let steps = history.steps(since: pages[1].0, blocks: blocks) {
                    pages[1].1.apply(steps, all)
                } else {
                    pages[1].1 = Page(blocks)
                }
                pages[1].0 = history.version
                #expect(pages[1].1 == Page(blocks))
            }
        }
    }
}

/// A small generator whose numbers are the same on every run.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
