// Differences of two sequences by Myers' greedy algorithm in its linear-space form ("An O(ND) Difference Algorithm and
// Its Variations", 1986, section 4b), with a bound on the work: beyond it the middle is cut where the search got furthest.

/// Compares sequences of numbers (lines or words, interned).
struct Myers {
    /// Whether each element of the old sequence is missing in the new, and the other way round.
    private(set) var removed: [Bool]
    private(set) var added: [Bool]
    private let old: [Int32]
    private let new: [Int32]
    private var forward: [Int]
    private var backward: [Int]
    private var work: Int

    /// - Parameter work: steps the search may take in all; then what is left counts as replaced.
    static func compare(_ old: [Int32], _ new: [Int32], work: Int = DiffLimits.steps) -> (
        removed: [Bool], added: [Bool]
    ) {
        var myers = Myers(old, new, work: work)
        myers.solve()
        return (myers.removed, myers.added)
    }

    private init(_ old: [Int32], _ new: [Int32], work: Int) {
        self.old = old
        self.new = new
        self.work = work
        removed = [Bool](repeating: false, count: old.count)
        added = [Bool](repeating: false, count: new.count)
        let size = 2 * (old.count + new.count) + 4
        forward = [Int](repeating: 0, count: size)
        backward = [Int](repeating: 0, count: size)
    }

    private struct Box { var left: Int, top: Int, right: Int, bottom: Int }

    /// An explicit stack instead of recursion: hostile input cannot make it deep.
    private mutating func solve() {
        var boxes = [Box(left: 0, top: 0, right: old.count, bottom: new.count)]
        while var box = boxes.popLast() {
            while box.left < box.right, box.top < box.bottom, old[box.left] == new[box.top] {
                box.left += 1
                box.top += 1
            }
            while box.left < box.right, box.top < box.bottom, old[box.right - 1] == new[box.bottom - 1] {
                box.right -= 1
                box.bottom -= 1
            }
            guard box.left < box.right, box.top < box.bottom, let (x, y) = middle(box),
                (x, y) != (box.left, box.top), (x, y) != (box.right, box.bottom)
            else {
                for index in box.left..<box.right { removed[index] = true }
                for index in box.top..<box.bottom { added[index] = true }
                continue
            }
            boxes.append(Box(left: x, top: y, right: box.right, bottom: box.bottom))
            boxes.append(Box(left: box.left, top: box.top, right: x, bottom: y))
        }
    }

    /// A point on a shortest path through the box, or `nil` when the work is used up.
    private mutating func middle(_ box: Box) -> (Int, Int)? {
        let width = box.right - box.left
        let height = box.bottom - box.top
        let delta = width - height
        let isOdd = delta & 1 != 0
        let offset = width + height + 1
        let most = (width + height + 1) / 2
        forward[offset + 1] = 0
        backward[offset + 1] = 0
        for distance in 0...most {
            guard work > 0 else { return nil }
            work -= 2 * distance + 2
            for k in stride(from: -distance, through: distance, by: 2) {
                var x =
                    k == -distance || (k != distance && forward[offset + k - 1] < forward[offset + k + 1])
                    ? forward[offset + k + 1] : forward[offset + k - 1] + 1
                var y = x - k
                let before = (x, y)
                while x >= 0, y >= 0, x < width, y < height, old[box.left + x] == new[box.top + y] {
                    x += 1
                    y += 1
                }
                forward[offset + k] = x
                work -= x - before.0
                let mirrored = delta - k
                if isOdd, mirrored >= -(distance - 1), mirrored <= distance - 1, x >= 0, y >= 0, x <= width,
                    y <= height,
                    x + backward[offset + mirrored] >= width
                {
                    return (box.left + x, box.top + y)
                }
            }
            for k in stride(from: -distance, through: distance, by: 2) {
                var x =
                    k == -distance || (k != distance && backward[offset + k - 1] < backward[offset + k + 1])
                    ? backward[offset + k + 1] : backward[offset + k - 1] + 1
                var y = x - k
                let before = x
                while x >= 0, y >= 0, x < width, y < height, old[box.right - 1 - x] == new[box.bottom - 1 - y] {
                    x += 1
                    y += 1
                }
                backward[offset + k] = x
                work -= x - before
                let mirrored = delta - k
                if !isOdd, mirrored >= -distance, mirrored <= distance, x >= 0, y >= 0, x <= width, y <= height,
                    forward[offset + mirrored] + x >= width
                {
                    return (box.right - x, box.bottom - y)
                }
            }
        }
        return nil
    }
}
