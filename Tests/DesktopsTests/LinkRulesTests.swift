import Desktops
import Testing

@Suite("A connection's life")
struct LinkMachineTests {
    private func up(resuming: Bool = false) -> LinkMachine {
        var machine = LinkMachine()
        _ = machine.opened(hasCredentials: resuming, now: 0)
        _ = machine.registered(isResumed: resuming, now: 0)
        return machine
    }

    @Test func `R27: registers after the upgrade, with credentials when held`() {
        var machine = LinkMachine()
        #expect(machine.opened(hasCredentials: false, now: 0) == [.register(resuming: false)])
        #expect(machine.registered(isResumed: false, now: 5) == [.up(isResumed: false)])
        #expect(machine.isUp)
        machine.closed()
        #expect(machine.opened(hasCredentials: true, now: 10) == [.register(resuming: true)])
    }

    @Test func `R28: a silent relay fails after 10 s`() {
        var machine = LinkMachine()
        _ = machine.opened(hasCredentials: false, now: 0)
        #expect(machine.tick(now: 9_999).isEmpty)
        #expect(machine.nextDeadline == 10_000)
        #expect(machine.tick(now: 10_000) == [.fail(.handshakeTimedOut)])
    }

    @Test(arguments: zip(1...8, [250, 500, 750, 1_000, 1_250, 1_500, 1_500, 1_500] as [Int64]))
    func `R29: a send that failed is tried again after a quarter of a second more each time`(attempt: Int, delay: Int64)
    {
        #expect(LinkMachine.sendRetryDelay(attempt: attempt) == delay)
    }

    @Test func `R30: beats every 5 s once registered, not before`() {
        var machine = LinkMachine()
        _ = machine.opened(hasCredentials: false, now: 0)
        #expect(machine.tick(now: 6_000).isEmpty)
        _ = machine.registered(isResumed: false, now: 6_000)
        var beats: [Int64] = []
        for now in stride(from: Int64(6_000), through: 22_000, by: 100) {
            machine.heard(now: now)
            if machine.tick(now: now) == [.heartbeat] { beats.append(now) }
        }
        #expect(beats == [11_000, 16_000, 21_000])
    }

    @Test func `R31: 15 s of silence fail the connection, any frame puts it off`() {
        var machine = up()
        machine.heard(now: 4_000)
        var failed: Int64?
        for now in stride(from: Int64(4_000), through: 40_000, by: 100) where failed == nil {
            if machine.tick(now: now).contains(.fail(.silent)) { failed = now }
        }
        #expect(failed == 19_000)
        #expect(!machine.isUp)
    }

    @Test func `R34: after invalidResume it registers anew without the token, 0.2 s later, on the same socket`() {
        var machine = LinkMachine()
        _ = machine.opened(hasCredentials: true, now: 0)
        #expect(machine.refused(code: "invalidResume", now: 100) == [.forgetCredentials])
        #expect(machine.tick(now: 299).isEmpty)
        #expect(machine.tick(now: 300) == [.register(resuming: false)])
        // W-4: the ten seconds of the handshake start anew.
        #expect(machine.nextDeadline == 10_300)
        #expect(machine.registered(isResumed: false, now: 400) == [.up(isResumed: false)])
    }

    @Test(arguments: [([0, 10_000, 20_000], true), ([0, 16_000, 31_000], false), ([0, 15_000, 29_999], true)])
    func `R35: three invalid resumes within a rolling 30 s stop it`(times: [Int64], stops: Bool) {
        var machine = LinkMachine()
        var last: [LinkMachine.Action] = []
        for time in times {
            _ = machine.opened(hasCredentials: true, now: time)
            last = machine.refused(code: "invalidResume", now: time)
            // W-3: a success in between clears nothing.
            _ = machine.tick(now: time + 200)
            _ = machine.registered(isResumed: false, now: time + 200)
            machine.closed()
        }
        #expect(last.contains(.stop(code: "invalidResumeLoop")) == stops)
    }

    @Test func `what cannot get better stops it, what may makes it connect again`() {
        for code in ["deviceOwnershipFailed", "targetMismatch", "unsupportedProtocolVersion", "missingScope"] {
            var machine = LinkMachine()
            _ = machine.opened(hasCredentials: false, now: 0)
            #expect(machine.refused(code: code, now: 1) == [.stop(code: code)])
            #expect(machine.nextDeadline == nil)
        }
        var machine = LinkMachine()
        _ = machine.opened(hasCredentials: false, now: 0)
        #expect(machine.refused(code: "authRequired", now: 1) == [.fail(.unauthorized)])
        var other = up()
        #expect(other.refused(code: "rateLimited", now: 1).isEmpty)
    }

    @Test(arguments: zip(0...7, [1, 2, 4, 8, 16, 30, 30, 30] as [Int64]))
    func `RD2: a desktop connects again after growing pauses`(attempt: Int, seconds: Int64) {
        #expect(LinkMachine.reconnectDelay(attempt: attempt) == seconds * 1_000)
    }
}

@Suite("Resume tokens")
struct ResumeTests {
    @Test func `R32: tokens are kept per pair of phone and desktop`() {
        var book = ResumeBook()
        let first = ResumeBook.key(device: "p", desktop: "d1")
        let second = ResumeBook.key(device: "p", desktop: "d2")
        #expect(first == "p::d1")
        let one = book.claim(first)
        let two = book.claim(second)
        book.write(ResumeCredentials(session: "s1", token: "t1"), key: first, generation: one)
        book.write(ResumeCredentials(session: "s2", token: "t2"), key: second, generation: two)
        #expect(book.credentials(first)?.token == "t1")
        #expect(book.credentials(second)?.token == "t2")
    }

    @Test func `R33: a client that no longer owns the key writes nothing`() {
        var book = ResumeBook()
        let key = ResumeBook.key(device: "p", desktop: "d")
        let former = book.claim(key)
        let present = book.claim(key)
        let token = ResumeCredentials(session: "s", token: "b")
        #expect(book.write(token, key: key, generation: present) == true)
        #expect(book.write(ResumeCredentials(session: "s", token: "a"), key: key, generation: former) == false)
        #expect(book.write(nil, key: key, generation: former) == false)
        #expect(book.credentials(key) == token)
    }
}

@Suite("Pending calls")
struct PendingCallsTests {
    @Test func `R39: a second call with the id of one in flight is refused, the first still completes`() throws {
        var calls = PendingCalls<String>()
        _ = try calls.begin(id: "x", generation: 1, trace: "t", deadline: 10, reply: "first")
        #expect(throws: PendingCalls<String>.Refusal.duplicate) {
            _ = try calls.begin(id: "x", generation: 1, trace: "u", deadline: 10, reply: "second")
        }
        #expect(calls.answered(id: "x", trace: "t", generation: 1) == "first")
    }

    @Test func `R40: the late cleanup of an old call leaves a newer one alone`() throws {
        var calls = PendingCalls<String>()
        let old = try calls.begin(id: "x", generation: 1, trace: "t", deadline: 10, reply: "old")
        #expect(calls.answered(id: "x", trace: "t", generation: 1) == "old")
        let new = try calls.begin(id: "x", generation: 1, trace: "t", deadline: 10, reply: "new")
        #expect(calls.remove(id: "x", token: old) == nil)
        #expect(calls.remove(id: "x", token: new) == "new")
    }

    @Test(arguments: [nil, "", "other"]) func `R42: an answer with another trace is not delivered (W-2)`(trace: String?)
        throws
    {
        var calls = PendingCalls<String>()
        _ = try calls.begin(id: "x", generation: 1, trace: "t", deadline: 10, reply: "r")
        #expect(calls.answered(id: "x", trace: trace, generation: 1) == nil)
        #expect(calls.strayAnswers == 1)
        #expect(calls.answered(id: "x", trace: "t", generation: 1) == "r")
    }

    @Test func `R43, R44: what expires names its socket generation, others of other sockets stay`() throws {
        var calls = PendingCalls<String>()
        _ = try calls.begin(id: "a", generation: 1, trace: "t", deadline: 10, reply: "a")
        _ = try calls.begin(id: "b", generation: 1, trace: "t", deadline: 20, reply: "b")
        _ = try calls.begin(id: "c", generation: 2, trace: "t", deadline: 30, reply: "c")
        #expect(calls.nextDeadline == 10)
        #expect(calls.expired(now: 9).isEmpty)
        #expect(calls.expired(now: 10).map { "\($0.id)\($0.generation)" } == ["a1"])
        #expect(calls.fail(generation: 1) == ["b"])
        #expect(calls.answered(id: "c", trace: "t", generation: 1) == nil, "an answer of another socket")
        #expect(calls.count == 1)
    }

    @Test func `the bound on calls in flight holds`() throws {
        var calls = PendingCalls<Int>()
        for number in 0..<Limits.pendingCalls {
            _ = try calls.begin(id: "\(number)", generation: 1, trace: "t", deadline: 10, reply: number)
        }
        #expect(throws: PendingCalls<Int>.Refusal.full) {
            _ = try calls.begin(id: "more", generation: 1, trace: "t", deadline: 10, reply: 0)
        }
    }
}

@Suite("Looking for a desktop")
struct RecoveryTests {
    /// Ticks every 10 ms and lets every probe fail at once.
    private func probes(_ recovery: inout Recovery, from: Int64, until: Int64) -> [Int64] {
        var times: [Int64] = []
        for now in stride(from: from, through: until, by: 10) where recovery.tick(now: now) {
            times.append(now - from)
            recovery.unanswered(epoch: recovery.epochNumber, now: now, jitter: 0)
        }
        return times
    }

    private func online() -> Recovery {
        var recovery = Recovery()
        recovery.begin(now: 0)
        recovery.answered(now: 0)
        return recovery
    }

    @Test func `R45: two triggers make one epoch`() {
        var recovery = online()
        recovery.begin(now: 1_000)
        let number = recovery.epochNumber
        recovery.begin(now: 2_000)
        #expect(recovery.epochNumber == number)
        #expect(recovery.presence == .recovering)
    }

    @Test func `R46, W-6: probes back off`() {
        var recovery = online()
        recovery.begin(now: 1_000)
        let times = probes(&recovery, from: 1_000, until: 40_000)
        #expect(times == [0, 500, 1_500, 3_500, 7_500, 15_500, 23_500, 31_500])
        #expect(Recovery.delay(attempt: 1, jitter: 1) == 575)
        #expect(Recovery.delay(attempt: 1, jitter: -1) == 425)
    }

    @Test func `R47: when the relay says online it probes at once`() {
        var recovery = online()
        recovery.begin(now: 0)
        _ = probes(&recovery, from: 0, until: 8_000)
        recovery.hint(now: 8_001)
        #expect(recovery.tick(now: 8_001) == true)
        recovery.answered(now: 8_050)
        #expect(recovery.presence == .online)
        #expect(!recovery.isLooking)
        #expect(recovery.nextDeadline == nil)
    }

    @Test func `R48: without an answer by the deadline it is temporarily offline, much later offline`() {
        var recovery = online()
        recovery.begin(now: 0)
        _ = probes(&recovery, from: 0, until: 89_990)
        #expect(recovery.presence == .recovering)
        #expect(recovery.tick(now: 90_000) == false)
        #expect(recovery.presence == .temporarilyOffline)
        #expect(probes(&recovery, from: 90_000, until: 100_000).isEmpty)
        _ = recovery.tick(now: 90_000 + Recovery.patience)
        #expect(recovery.presence == .offline)
    }

    @Test func `R49, R50: when the relay says disconnected it is temporarily offline`() {
        var recovery = online()
        recovery.lost(now: 5)
        #expect(recovery.presence == .temporarilyOffline)
        recovery.hint(now: 10)
        #expect(recovery.presence == .recovering)
    }

    @Test func `R54: a switch at 80 s gets a window until 170 s`() {
        var recovery = online()
        recovery.begin(now: 0)
        _ = probes(&recovery, from: 0, until: 79_990)
        let former = recovery.epochNumber
        recovery.restart(now: 80_000)
        recovery.unanswered(epoch: former, now: 80_001, jitter: 0)
        #expect(recovery.tick(now: 80_001) == true, "a late failure of the former epoch changes nothing")
        recovery.unanswered(epoch: recovery.epochNumber, now: 80_001, jitter: 0)
        _ = probes(&recovery, from: 80_010, until: 169_990)
        #expect(recovery.presence == .recovering)
        _ = recovery.tick(now: 170_000)
        #expect(recovery.presence == .temporarilyOffline)
    }

    @Test func `a desktop that was never seen stays offline until it answers`() {
        var recovery = Recovery()
        recovery.begin(now: 0)
        #expect(recovery.presence == .offline)
        _ = recovery.tick(now: Recovery.epoch)
        #expect(recovery.presence == .offline)
    }
}
