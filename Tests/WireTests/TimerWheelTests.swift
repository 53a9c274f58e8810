import Testing
import Wire

@Suite("Timer wheel", .timeLimit(.minutes(1)))
struct TimerWheelTests {
    /// Everything that is due at `now`, in order.
    private func due(_ wheel: inout TimerWheel<Int>, at now: Int64) -> [Int] {
        var found: [Int] = []
        while let payload = wheel.popDue(now: now) { found.append(payload) }
        return found
    }

    @Test(
        "an entry is due at its millisecond and not before",
        arguments: [1, 2, 63, 64, 65, 4_095, 4_096, 300_000, 90_000_000]
    )
    func dueAtItsMillisecond(delay: Int64) {
        var wheel = TimerWheel<Int>(now: 12_345)
        _ = wheel.add(7, deadline: 12_345 + delay)
        #expect(due(&wheel, at: 12_345 + delay - 1) == [])
        #expect(due(&wheel, at: 12_345 + delay) == [7])
        #expect(wheel.count == 0)
        #expect(wheel.nextWake == nil)
    }

    @Test func `entries of one millisecond keep their order`() {
        var wheel = TimerWheel<Int>(now: 0)
        for number in 0..<20 { _ = wheel.add(number, deadline: 5_000) }
        #expect(due(&wheel, at: 10_000) == Array(0..<20))
    }

    @Test func `a cancelled entry never comes, and its token is spent`() {
        var wheel = TimerWheel<Int>(now: 0)
        let first = wheel.add(1, deadline: 100)
        _ = wheel.add(2, deadline: 100)
        #expect(wheel.cancel(first) == 1)
        #expect(wheel.cancel(first) == nil)
        _ = wheel.add(3, deadline: 100)  // takes the place of the first
        #expect(wheel.cancel(first) == nil)
        #expect(due(&wheel, at: 100) == [2, 3])
    }

    @Test func `what is due may be cancelled by what was due before it`() {
        var wheel = TimerWheel<Int>(now: 0)
        _ = wheel.add(1, deadline: 10)
        let second = wheel.add(2, deadline: 10)
        #expect(wheel.popDue(now: 10) == 1)
        #expect(wheel.cancel(second) == 2)
        #expect(wheel.popDue(now: 10) == nil)
    }

    @Test func `a deadline in the past is due one millisecond later`() {
        var wheel = TimerWheel<Int>(now: 1_000)
        _ = wheel.add(1, deadline: 3)
        #expect(due(&wheel, at: 1_000) == [])
        #expect(due(&wheel, at: 1_001) == [1])
    }

    @Test("random histories agree with a sorted list", arguments: 0..<20)
    func randomHistories(seed: UInt64) {
        var random = SplitMix(state: seed)
        var wheel = TimerWheel<Int>(now: 0)
        var model: [(id: Int, deadline: Int64, token: TimerWheel<Int>.Token)] = []
        var now: Int64 = 0
        for step in 0..<2_000 {
            switch random.next() % 4 {
            case 0, 1:
                let delay = Int64(random.next() % (1 << (random.next() % 24)))
                let deadline = max(now + delay, now + 1)
                model.append((step, deadline, wheel.add(step, deadline: now + delay)))
            case 2:
                guard !model.isEmpty else { continue }
                let gone = model.remove(at: Int(random.next() % UInt64(model.count)))
                #expect(wheel.cancel(gone.token) == gone.id)
            default:
                if let wake = wheel.nextWake, random.next() % 2 == 0 {
                    now = max(now, wake)
                } else {
                    now += Int64(random.next() % 5_000)
                }
                let expected = model.filter { $0.deadline <= now }.sorted {
                    ($0.deadline, $0.id) < ($1.deadline, $1.id)
                }
                model.removeAll { $0.deadline <= now }
                let found = due(&wheel, at: now)
                #expect(Set(found) == Set(expected.map(\.id)))
            }
            #expect(wheel.count == model.count)
            if let wake = wheel.nextWake, let first = model.map(\.deadline).min() { #expect(wake <= first) }
        }
    }
}

/// A small generator whose runs can be repeated.
struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
