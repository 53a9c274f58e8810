// When what is due. A hierarchical timer wheel as a pure value: the loop asks for the next deadline before it sleeps and
// for what is due after. Adding and cancelling cost the same however many timers there are.

/// Payloads with deadlines in milliseconds. Six levels of 64 slots; a slot of level n spans 64ⁿ ms, so the wheel reaches
/// over two years. An entry moves down a level each time its slot comes up, and is due when its own millisecond does.
package struct TimerWheel<Payload> {
    /// Names one entry. A token of an entry that is gone names nothing, even if its place was taken again.
    package struct Token: Sendable, Equatable {
        fileprivate let index: Int32
        fileprivate let generation: UInt32
    }

    private struct Entry {
        var deadline: Int64
        var payload: Payload?
        var next: Int32
        var previous: Int32
        /// Where it hangs: level × 64 + slot; `dueList`; or `free`.
        var list: Int16
        var generation: UInt32
    }

    private static var levels: Int { 6 }
    private static var dueList: Int16 { Int16(levels * 64) }
    private static var free: Int16 { -1 }
    private static var none: Int32 { -1 }
    private static var span: Int64 { 1 << Int64(6 * levels) }

    private var entries: [Entry] = []
    private var firstFree: Int32 = -1
    private var heads: [Int32]
    /// One bit per slot that holds something.
    private var occupied: [UInt64]
    /// Everything up to this millisecond has been looked at.
    private var elapsed: Int64
    package private(set) var count = 0

    package init(now: Int64) {
        elapsed = now
        heads = Array(repeating: -1, count: Self.levels * 64 + 1)
        occupied = Array(repeating: 0, count: Self.levels)
    }

    /// Adds an entry that is due once ``popDue(now:)`` is asked with a time of at least `deadline`. A deadline that has
    /// passed is due one millisecond later.
    package mutating func add(_ payload: Payload, deadline: Int64) -> Token {
        let index: Int32
        if firstFree >= 0 {
            index = firstFree
            firstFree = entries[Int(index)].next
            entries[Int(index)].payload = payload
        } else {
            index = Int32(entries.count)
            entries.append(Entry(deadline: 0, payload: payload, next: -1, previous: -1, list: Self.free, generation: 0))
        }
        entries[Int(index)].deadline = max(deadline, elapsed + 1)
        place(index)
        count += 1
        return Token(index: index, generation: entries[Int(index)].generation)
    }

    /// Takes an entry out before it is due. Returns its payload, or nil when it is gone already.
    @discardableResult
    package mutating func cancel(_ token: Token) -> Payload? {
        let entry = Int(token.index)
        guard entry < entries.count, entries[entry].generation == token.generation, entries[entry].list != Self.free
        else { return nil }
        unlink(token.index)
        return release(token.index)
    }

    /// A time at or before the next deadline; nil when there is no entry.
    package var nextWake: Int64? {
        if heads[Int(Self.dueList)] >= 0 { return elapsed }
        return nextSlot()?.start
    }

    /// The payload that was due first, one a call, so that what it does may cancel others.
    package mutating func popDue(now: Int64) -> Payload? {
        while heads[Int(Self.dueList)] < 0 {
            guard let slot = nextSlot(), slot.start <= now else {
                elapsed = max(elapsed, now)
                return nil
            }
            elapsed = slot.start
            drain(slot.list)
        }
        let index = heads[Int(Self.dueList)]
        unlink(index)
        return release(index)
    }

    /// The first occupied slot after `elapsed`: lower levels always come before higher ones.
    private func nextSlot() -> (list: Int, start: Int64)? {
        for level in 0..<Self.levels where occupied[level] != 0 {
            let shift = Int64(6 * level)
            let current = Int((elapsed >> shift) & 63)
            let bits = occupied[level]
            let rotated = current == 0 ? bits : bits >> current | bits << (64 - current)
            let slot = (rotated.trailingZeroBitCount + current) & 63
            let range = Int64(1) << (shift + 6)
            var start = (elapsed & ~(range - 1)) + Int64(slot) << shift
            if start <= elapsed { start += range }
            return (level * 64 + slot, start)
        }
        return nil
    }

    /// Hands the entries of a slot that has come up to the due list or to a lower level, in the order they were added.
    private mutating func drain(_ list: Int) {
        while heads[list] >= 0 {
            let index = heads[list]
            unlink(index)
            if entries[Int(index)].deadline <= elapsed { append(index, to: Int(Self.dueList)) } else { place(index) }
        }
    }

    private mutating func place(_ index: Int32) {
        let deadline = entries[Int(index)].deadline
        let distance = min((elapsed ^ deadline) | 63, Self.span - 1)
        let level = (63 - distance.leadingZeroBitCount) / 6
        let slot = Int((deadline >> Int64(6 * level)) & 63)
        occupied[level] |= 1 << UInt64(slot)
        append(index, to: level * 64 + slot)
    }

    /// The head's `previous` is the tail, so that appending keeps the order without a second table.
    private mutating func append(_ index: Int32, to list: Int) {
        let head = heads[list]
        if head < 0 {
            heads[list] = index
            entries[Int(index)].previous = index
        } else {
            let tail = entries[Int(head)].previous
            entries[Int(tail)].next = index
            entries[Int(index)].previous = tail
            entries[Int(head)].previous = index
        }
        entries[Int(index)].next = Self.none
        entries[Int(index)].list = Int16(list)
    }

    private mutating func unlink(_ index: Int32) {
        let entry = entries[Int(index)]
        let list = Int(entry.list)
        let head = heads[list]
        if head == index {
            heads[list] = entry.next
            if entry.next >= 0 {
                entries[Int(entry.next)].previous = entry.previous
            } else if entry.list != Self.dueList {
                occupied[list >> 6] &= ~(1 << UInt64(list & 63))
            }
        } else {
            entries[Int(entry.previous)].next = entry.next
            if entry.next >= 0 {
                entries[Int(entry.next)].previous = entry.previous
            } else {
                entries[Int(head)].previous = entry.previous
            }
        }
    }

    private mutating func release(_ index: Int32) -> Payload? {
        let payload = entries[Int(index)].payload
        entries[Int(index)].payload = nil
        entries[Int(index)].generation &+= 1
        entries[Int(index)].list = Self.free
        entries[Int(index)].next = firstFree
        firstFree = index
        count -= 1
        return payload
    }
}
