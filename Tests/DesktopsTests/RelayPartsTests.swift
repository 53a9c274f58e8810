import Desktops
import Testing

@Suite("What waits for a relay's client")
struct OutputQueueTests {
    private func drain(_ queue: inout OutputQueue) -> [String] {
        var seen: [String] = []
        while let message = queue.pop() { seen.append(String(decoding: message, as: UTF8.self)) }
        return seen
    }

    private let key = Intake.Key(session: "s", run: "r", thread: "main")

    @Test func `RS14: a newer snapshot of the same key takes the place of the waiting one, at the end`() {
        var queue = OutputQueue()
        _ = queue.push(Array("old".utf8), key: key)
        _ = queue.push(Array("control".utf8))
        _ = queue.push(Array("new".utf8), key: key)
        #expect(queue.bytes == 10 && queue.replaced == 1)
        #expect(drain(&queue) == ["control", "new"])
        #expect(queue.isEmpty && queue.bytes == 0)
        _ = queue.push(Array("next".utf8), key: key)
        #expect(drain(&queue) == ["next"])
    }

    @Test func `RS6: what is urgent goes first`() {
        var queue = OutputQueue()
        _ = queue.push(Array("a".utf8))
        queue.pushFirst(Array("pong".utf8))
        #expect(drain(&queue) == ["pong", "a"])
    }

    @Test func `RS15: nothing is queued above the limit`() {
        var queue = OutputQueue(limit: 10)
        #expect(queue.push([UInt8](repeating: 1, count: 10)) == true)
        #expect(queue.push([1]) == false)
        _ = queue.pop()
        #expect(queue.push([1]) == true)
    }

    @Test func `order holds through thousands of messages and replacements`() {
        var queue = OutputQueue()
        var expected: [String] = []
        var seen: [String] = []
        for number in 0..<10_000 {
            _ = queue.push(Array("\(number)".utf8))
            expected.append("\(number)")
            if number % 7 == 0 { _ = queue.push(Array("snapshot".utf8), key: key) }
            if number % 3 == 0, let message = queue.pop() { seen.append(String(decoding: message, as: UTF8.self)) }
        }
        seen += drain(&queue)
        #expect(seen.filter { $0 != "snapshot" } == expected)
        #expect(queue.bytes == 0)
    }

    @Test func `a bucket gives its burst, then its rate`() {
        var bucket = TokenBucket(burst: 50, rate: 25, now: 0)
        #expect((0..<60).filter { _ in bucket.take(now: 0) }.count == 50)
        #expect((0..<60).filter { _ in bucket.take(now: 1_000) }.count == 25)
        #expect((0..<60).filter { _ in bucket.take(now: 100_000) }.count == 50)
    }
}

@Suite("Numbers and replay of events (RS13)")
struct EventStreamTests {
    private func stream(_ count: Int, size: Int = 1, source: String? = "d") -> EventStream {
        var stream = EventStream()
        for _ in 0..<count {
            let id = stream.number()
            stream.keep([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: size), id: id, source: source, now: 0)
        }
        return stream
    }

    @Test func `what came after the last number is replayed`() {
        var stream = stream(5)
        #expect(stream.replay(after: 3, device: "p", now: 0) == .init(gap: nil, messages: [[4], [5]]))
        #expect(stream.replay(after: 5, device: "p", now: 0) == .init(gap: nil, messages: []))
        #expect(stream.replay(after: nil, device: "p", now: 0) == .init(gap: nil, messages: []))
        #expect(stream.replay(after: 0, device: "p", now: 0) == .init(gap: nil, messages: []))
        #expect(stream.replay(after: 3, device: "d", now: 0).messages.isEmpty, "its own events never come back")
    }

    @Test func `a number above the latest is a gap: the relay began anew`() {
        var stream = stream(2)
        #expect(stream.replay(after: 9, device: "p", now: 0) == .init(gap: (1, 2), messages: []))
    }

    @Test func `at most 500 events are kept, at most 300 s, at most 256 KiB each`() {
        var many = stream(Limits.replayEvents + 1)
        #expect(many.replay(after: 1, device: "p", now: 0).gap == nil)
        #expect(many.replay(after: 1, device: "p", now: 0).messages.count == Limits.replayEvents)
        var older = stream(Limits.replayEvents + 2)
        #expect(older.replay(after: 1, device: "p", now: 0).gap?.oldest == 3)
        var late = stream(5)
        #expect(late.replay(after: 4, device: "p", now: Limits.replayMilliseconds).messages.count == 1)
        #expect(late.replay(after: 4, device: "p", now: Limits.replayMilliseconds + 1).gap != nil)
        var large = stream(2)
        let id = large.number()
        large.keep([UInt8](repeating: 0, count: Limits.replayEventBytes + 1), id: id, source: nil, now: 0)
        #expect(large.replay(after: 2, device: "p", now: 0).gap != nil)
        #expect(large.replay(after: 3, device: "p", now: 0).gap == nil)
        var heavy = stream(40, size: Limits.replayEventBytes)
        #expect(heavy.replay(after: 1, device: "p", now: 0).gap != nil)
    }

    @Test(arguments: [
        "chat:timeline-updated", "chat:timeline-interest", "job:stream-progress", "job:response-appended",
    ])
    func `what the next one replaces is not kept`(type: String) {
        #expect(!EventStream.isKept(type: type))
        #expect(EventStream.isKept(type: "chat:updated"))
    }
}

@Suite("Relay sessions (RS4)")
struct RelaySessionsTests {
    private let owner = RelaySessions.Owner(user: "u", device: "p", target: "d")

    @Test func `a session lives 24 h after its last sign of life`() {
        var sessions = RelaySessions()
        let first = sessions.create(owner: owner, now: 0)
        sessions.touch(first.session, now: 1_000)
        sessions.sweep(now: RelaySessions.life)
        #expect(sessions.count == 1)
        #expect(sessions.resume(first, owner: owner, now: RelaySessions.life + 1_000) == nil)
        sessions.sweep(now: RelaySessions.life + 1_000)
        #expect(sessions.count == 0)
    }

    @Test func `the token rotates; the former one is good for 60 s, or until the client is heard again`() {
        var sessions = RelaySessions()
        let first = sessions.create(owner: owner, now: 0)
        let second = sessions.resume(first, owner: owner, now: 10)
        #expect(second != nil && second?.token != first.token)
        let third = sessions.resume(first, owner: owner, now: 20)
        #expect(third != nil)
        sessions.touch(first.session, now: 30)
        #expect(sessions.resume(first, owner: owner, now: 40) == nil)
        if let third { #expect(sessions.resume(third, owner: owner, now: 40) != nil) }
        var others = RelaySessions()
        let token = others.create(owner: owner, now: 0)
        _ = others.resume(token, owner: owner, now: 0)
        #expect(others.resume(token, owner: owner, now: RelaySessions.overlap) == nil)
    }

    @Test func `another account, device, desktop or token resumes nothing`() {
        var sessions = RelaySessions()
        let held = sessions.create(owner: owner, now: 0)
        for other in [
            RelaySessions.Owner(user: "v", device: "p", target: "d"), .init(user: "u", device: "q", target: "d"),
            .init(user: "u", device: "p", target: "e"), .init(user: "u", device: "p", target: nil),
        ] {
            #expect(sessions.resume(held, owner: other, now: 0) == nil)
        }
        #expect(sessions.resume(ResumeCredentials(session: held.session, token: "x"), owner: owner, now: 0) == nil)
        #expect(sessions.resume(ResumeCredentials(session: "x", token: held.token), owner: owner, now: 0) == nil)
    }

    @Test func `an owner has one session, and the bound on all of them holds`() {
        var sessions = RelaySessions()
        let first = sessions.create(owner: owner, now: 0)
        _ = sessions.create(owner: owner, now: 0)
        #expect(sessions.count == 1)
        #expect(sessions.resume(first, owner: owner, now: 0) == nil)
        for number in 0..<Limits.relaySessions {
            _ = sessions.create(owner: .init(user: "u", device: "\(number)", target: nil), now: Int64(number))
        }
        #expect(sessions.count == Limits.relaySessions)
        sessions.remove(user: "u", device: "5")
        #expect(sessions.count == Limits.relaySessions - 1)
        sessions.remove(user: "u")
        #expect(sessions.count == 0)
    }
}
