import Desktops
import Testing

@Suite("Leases on a desktop")
struct LeasesTests {
    private typealias Interest = Leases.Interest

    private func deliver(_ leases: inout Leases, at now: Int64, isGood: Bool = true, jitter: Double = 0) -> [Interest] {
        let due = leases.due(now: now)
        for interest in due { leases.delivered(interest, isGood: isGood, now: now, jitter: jitter) }
        return due
    }

    private func connected(isSingle: Bool = true) -> Leases {
        var leases = Leases(isSingle: isSingle)
        leases.registered(now: 0)
        return leases
    }

    @Test func `R67: nothing is said while nothing is watched`() {
        var leases = connected()
        #expect(deliver(&leases, at: 0).isEmpty)
        #expect(leases.nextDue == nil)
    }

    @Test func `R69: a desktop with one lease is told of the newest, and of the end of the last one`() {
        var leases = connected()
        leases.want(["s1"], now: 0)
        #expect(deliver(&leases, at: 0) == [Interest(session: "s1", active: true)])
        leases.want(["s2", "s1"], now: 10)
        #expect(deliver(&leases, at: 10) == [Interest(session: "s2", active: true)])
        leases.want([], now: 20)
        #expect(deliver(&leases, at: 20) == [Interest(session: "s2", active: false)])
        #expect(leases.nextDue == nil)
    }

    @Test func `R70: the same wish again says nothing`() {
        var leases = connected()
        leases.want(["s1"], now: 0)
        _ = deliver(&leases, at: 0)
        leases.want(["s1"], now: 5)
        #expect(deliver(&leases, at: 5).isEmpty)
    }

    @Test func `W-1: a desktop with many leases is told each, endings first and the primary last`() {
        var leases = connected(isSingle: false)
        leases.want(["s3", "s2", "s1"], now: 0)
        #expect(deliver(&leases, at: 0).map(\.session) == ["s1", "s2", "s3"])
        leases.want(["s4", "s3", "s2"], now: 10)
        #expect(
            deliver(&leases, at: 10) == [Interest(session: "s1", active: false), Interest(session: "s4", active: true)]
        )
    }

    @Test func `R73: a lease is renewed every 20 s`() {
        var leases = connected()
        leases.want(["s1"], now: 0)
        var times: [Int64] = []
        for now in stride(from: Int64(0), through: 60_000, by: 500) where !deliver(&leases, at: now).isEmpty {
            times.append(now)
        }
        #expect(times == [0, 20_000, 40_000, 60_000])
    }

    @Test func `R74: a lease is issued again right after registering`() {
        var leases = Leases(isSingle: false)
        leases.want(["s1", "s2"], now: 0)
        #expect(deliver(&leases, at: 0).isEmpty, "not registered yet")
        leases.registered(now: 5)
        #expect(deliver(&leases, at: 5).count == 2)
        leases.disconnected()
        #expect(leases.nextDue == nil)
        leases.registered(now: 7)
        #expect(deliver(&leases, at: 7).count == 2)
    }

    @Test(arguments: [(0.0, [250, 500, 1_000]), (1.0, [300, 600, 1_200]), (-1.0, [200, 400, 800])])
    func `R75: a failed delivery is tried four times`(jitter: Double, gaps: [Int]) {
        var leases = connected()
        leases.want(["s1"], now: 0)
        var times: [Int] = []
        for now in 0..<10_000 where !deliver(&leases, at: Int64(now), isGood: false, jitter: jitter).isEmpty {
            times.append(now)
        }
        #expect(zip(times.dropFirst(), times).map { $0 - $1 } == gaps)
        // Then it waits for its renewal.
        #expect(leases.nextDue == Int64(times[3]) + Leases.renewal)
    }

    @Test func `R75: no wait is longer than 2 s and its jitter`() {
        #expect((1...9).map { Leases.retryDelay(attempt: $0, jitter: 1) }.max() == 2_400)
    }

    @Test func `an ending that cannot be delivered is given up: the desktop's time to live ends it`() {
        var leases = connected()
        leases.want(["s1"], now: 0)
        _ = deliver(&leases, at: 0)
        leases.want([], now: 1)
        var tries = 0
        for now in 1..<60_000 { tries += deliver(&leases, at: Int64(now), isGood: false).count }
        #expect(tries == 4)
        #expect(leases.nextDue == nil)
    }

    @Test func `what becomes of a former wish says nothing about the present one`() {
        var leases = connected(isSingle: false)
        leases.want(["s1"], now: 0)
        let sent = leases.due(now: 0)
        leases.want([], now: 0)
        let ending = leases.due(now: 0)
        #expect(ending == [Interest(session: "s1", active: false)])
        leases.delivered(sent[0], isGood: true, now: 1, jitter: 0)
        leases.delivered(ending[0], isGood: true, now: 1, jitter: 0)
        #expect(leases.nextDue == nil)
    }

    /// A desktop as the protocol describes it, at the other end of a channel that loses deliveries.
    @Test(arguments: 0..<40) func `a desktop's leases come to be what is wanted, whatever happened before`(seed: UInt64)
    {
        var dice = Dice(seed: seed)
        let isSingle = seed % 2 == 0
        var leases = Leases(isSingle: isSingle)
        var desktop = HeldLeases(perPhone: isSingle ? 1 : Limits.multipleLeases)
        var now: Int64 = 0
        var isUp = false
        var wanted: [String] = []

        func pass(_ milliseconds: Int64, losing: Int) {
            let end = now + milliseconds
            while now < end {
                now += 50
                for interest in leases.due(now: now) {
                    let isGood = isUp && Int.random(in: 0..<100, using: &dice) >= losing
                    if isGood {
                        _ = desktop.interest(
                            phone: "p",
                            session: interest.session,
                            active: interest.active,
                            now: now
                        )
                    }
                    leases.delivered(
                        interest,
                        isGood: isGood,
                        now: now,
                        jitter: Double.random(in: -1...1, using: &dice)
                    )
                }
                _ = desktop.expire(now: now)
            }
        }

        for _ in 0..<60 {
            switch Int.random(in: 0..<6, using: &dice) {
            case 0:
                isUp = true
                leases.registered(now: now)
            case 1 where isUp:
                isUp = false
                leases.disconnected()
                if Bool.random(using: &dice) { _ = desktop.removeAll() }
            default:
                wanted = (0..<6).filter { _ in Bool.random(using: &dice) }.map { "s\($0)" }.shuffled(using: &dice)
                leases.want(wanted, now: now)
            }
            pass(Int64.random(in: 0...3_000, using: &dice), losing: 40)
        }
        isUp = true
        leases.registered(now: now)
        pass(61_000, losing: 0)
        #expect(desktop.sessions == Set(isSingle ? Array(wanted.prefix(1)) : wanted))
    }
}

@Suite("Leases that a desktop holds (RD10)")
struct HeldLeasesTests {
    @Test func `a lease lives 60 s without renewal`() {
        var held = HeldLeases()
        #expect(held.interest(phone: "p", session: "s", active: true, now: 0).started == ["s"])
        #expect(held.expire(now: 59_999).ended.isEmpty)
        #expect(held.interest(phone: "p", session: "s", active: true, now: 50_000) == HeldLeases.Change())
        #expect(held.nextExpiry == 110_000)
        #expect(held.expire(now: 110_000).ended == ["s"])
        #expect(held.nextExpiry == nil)
    }

    @Test func `a phone's wish for a longer life is not granted, for a shorter one it is`() {
        var held = HeldLeases()
        _ = held.interest(phone: "p", session: "s", active: true, timeToLive: 1_000_000, now: 0)
        #expect(held.nextExpiry == 60_000)
        _ = held.interest(phone: "p", session: "s", active: true, timeToLive: 5_000, now: 0)
        #expect(held.nextExpiry == 5_000)
    }

    @Test func `of one lease per phone, the newest wins`() {
        var held = HeldLeases(perPhone: 1)
        _ = held.interest(phone: "p", session: "s1", active: true, now: 0)
        let change = held.interest(phone: "p", session: "s2", active: true, now: 1)
        #expect(change == HeldLeases.Change(started: ["s2"], ended: ["s1"], isNew: true))
    }

    @Test func `a session ends when the last phone that watches it goes`() {
        var held = HeldLeases()
        _ = held.interest(phone: "p", session: "s", active: true, now: 0)
        #expect(held.interest(phone: "q", session: "s", active: true, now: 0).started.isEmpty)
        #expect(held.left(phone: "p").ended.isEmpty)
        #expect(held.interest(phone: "q", session: "s", active: false, now: 1).ended == ["s"])
        #expect(!held.holds("s"))
    }

    @Test func `the bounds on phones and on leases of one phone hold`() {
        var held = HeldLeases()
        for number in 0...Limits.phonesWithLeases {
            _ = held.interest(phone: "p\(number)", session: "s\(number)", active: true, now: 0)
        }
        #expect(held.sessions.count == Limits.phonesWithLeases)
        for number in 0..<20 { _ = held.interest(phone: "p0", session: "x\(number)", active: true, now: 0) }
        #expect(held.sessions.count == Limits.phonesWithLeases - 1 + Limits.multipleLeases)
    }
}
