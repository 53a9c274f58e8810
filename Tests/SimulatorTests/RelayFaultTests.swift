// Every fault that a script can have, as a value: what the client sees of it, and that nothing else changes.

import Simulator
import Testing
import Web

@Suite("Simulated relay: faults")
struct RelayFaultTests {
    /// A desktop and a phone behind one fault.
    private func pair(_ faults: RelayFault...) -> (bench: RelayBench, desktop: Int, phone: Int) {
        var bench = RelayBench()
        let desktop = bench.join(.desktop)
        let phone = bench.join(.phone)
        bench.model.script.faults = faults
        return (bench, desktop, phone)
    }

    private func tell(_ bench: inout RelayBench, _ desktop: Int, _ numbers: ClosedRange<Int>) {
        for number in numbers {
            bench.send(desktop, "event", ["eventType": "session-updated", "payload": ["n": JSON(number)]])
        }
    }

    private func numbers(_ bench: RelayBench, _ phone: Int) -> [Int] {
        bench.events(phone, "session-updated").compactMap { $0["payload"]?["payload"]?["n"]?.int }
    }

    @Test func `drop loses as many frames as it says, after those that pass`() {
        var (bench, desktop, phone) = pair(RelayFault(.drop, type: "session-updated", after: 1, times: 2))
        tell(&bench, desktop, 1...5)
        #expect(numbers(bench, phone) == [1, 4, 5])
    }

    @Test func `delay keeps the order: nothing overtakes a late frame`() {
        var (bench, desktop, phone) = pair(RelayFault(.delay(500), type: "session-updated", after: 1))
        tell(&bench, desktop, 1...4)
        #expect(numbers(bench, phone) == [1])
        bench.pass(499)
        #expect(numbers(bench, phone) == [1])
        bench.pass(1)
        #expect(numbers(bench, phone) == [1, 2, 3, 4])
    }

    @Test func `delay of what the client sends holds all that follows back, in order`() {
        var (bench, desktop, phone) = pair(RelayFault(.delay(300), .fromClient, type: "rpc.request"))
        bench.ask(phone, "r-1")
        bench.ask(phone, "r-2")
        bench.send(phone, "heartbeat")
        #expect(bench.frames(desktop, "rpc.request").isEmpty && bench.frames(phone, "pong").isEmpty)
        bench.pass(300)
        #expect(bench.frames(desktop, "rpc.request").compactMap { $0["payload"]?["id"]?.string } == ["r-1", "r-2"])
        #expect(bench.frames(phone, "pong").count == 1)
    }

    @Test("any mixture of delays leaves the order alone", arguments: UInt64(1)...20)
    func neverReorders(seed: UInt64) {
        var bench = RelayBench()
        bench.model = RelayModel(
            RelayScript(faults: [
                RelayFault(.delay(70), type: "session-updated", times: .max, chance: 0.3),
                RelayFault(.delay(400), type: "session-updated", times: .max, chance: 0.2),
                RelayFault(.duplicate(1), type: "session-updated", times: .max, chance: 0.1),
            ]),
            seed: seed,
            now: 1_000,
            wall: 1_796_029_200_000
        )
        let desktop = bench.join(.desktop)
        let phone = bench.join(.phone)
        for number in 1...60 {
            tell(&bench, desktop, number...number)
            bench.pass(Int64(number % 7) * 20)
        }
        bench.pass(60_000)
        let heard = numbers(bench, phone)
        #expect(heard == heard.sorted())
        #expect(Set(heard) == Set(1...60))
    }

    @Test func `duplicate sends the same frame again`() {
        var (bench, desktop, phone) = pair(RelayFault(.duplicate(2), type: "session-updated"))
        tell(&bench, desktop, 1...2)
        #expect(numbers(bench, phone) == [1, 1, 1, 2])
        #expect(Set(bench.events(phone, "session-updated").prefix(3).map { $0["eventId"]?.int }).count == 1)
    }

    @Test(
        "an answer is spoiled in one member only",
        arguments: [RelayFault.Deed.wrongTrace, .noTrace, .malformedTrace, .unknownID, .neverFinal]
    )
    func spoils(deed: RelayFault.Deed) throws {
        var (bench, desktop, phone) = pair(RelayFault(deed, type: "rpc.response"))
        bench.ask(phone)
        bench.respond(desktop)
        bench.ask(phone)
        bench.respond(desktop)
        let answers = bench.frames(phone, "rpc.response").compactMap { $0["payload"] }
        try #require(answers.count == 2)
        let members = ["id", "traceparent", "isFinal", "result", "error"]
        #expect(members.filter { answers[0][$0] != answers[1][$0] }.count == 1)
        if deed == .wrongTrace { #expect(answers[0]["traceparent"]?.string?.utf8.count == 55) }
    }

    @Test func `oversize grows a frame and leaves it readable, garbage replaces it`() {
        var (bench, desktop, phone) = pair(
            RelayFault(.garbage([0x7B, 0xFF]), type: "session-updated"),
            RelayFault(.oversize((32 << 20) + 1), type: "session-updated", after: 0)
        )
        let before = bench.raw[phone, default: []].count
        tell(&bench, desktop, 1...2)
        let frames = bench.raw[phone, default: []].dropFirst(before)
        #expect(frames.first == [0x7B, 0xFF])
        #expect(frames.last?.count == (32 << 20) + 1)
        #expect(numbers(bench, phone) == [2])
    }

    @Test func `half and cut end the connection, close does so with its code, and the others learn of it`() {
        for (deed, code) in [(RelayFault.Deed.half, UInt16(1006)), (.cut, 1006), (.close(1013, "later"), 1013)] {
            var (bench, desktop, phone) = pair(RelayFault(deed, type: "session-updated"))
            tell(&bench, desktop, 1...2)
            #expect(bench.ends[phone] == code)
            #expect(numbers(bench, phone).isEmpty)
            #expect(bench.model.connections.map(\.id) == [desktop])
        }
    }

    @Test func `mute is half-open: nothing comes and nothing arrives, then all goes on without what was lost`() {
        var (bench, desktop, phone) = pair(RelayFault(.mute(1_000), type: "session-updated"))
        tell(&bench, desktop, 1...2)
        bench.send(phone, "heartbeat")
        bench.ask(phone)
        bench.pass(999)
        #expect(numbers(bench, phone).isEmpty && bench.frames(phone, "pong").isEmpty)
        #expect(bench.frames(desktop, "rpc.request").isEmpty)
        bench.pass(1)
        tell(&bench, desktop, 3...3)
        bench.send(phone, "heartbeat")
        #expect(numbers(bench, phone) == [3])
        #expect(bench.frames(phone, "pong").count == 1)
        #expect(bench.ends.isEmpty)
    }

    @Test func `mute for ever does not overflow`() {
        var (bench, desktop, phone) = pair(RelayFault(.mute(.max), type: "session-updated"))
        tell(&bench, desktop, 1...1)
        bench.pass(86_400_000)
        tell(&bench, desktop, 2...2)
        #expect(numbers(bench, phone).isEmpty)
    }

    @Test func `a relay that reads slowly takes everything later, in order`() {
        var (bench, desktop, phone) = pair(RelayFault(.stopReading(2_000), .fromClient, type: "heartbeat"))
        bench.send(phone, "heartbeat")
        for number in 1...5 { bench.ask(phone, "r-\(number)") }
        bench.pass(1_999)
        #expect(bench.frames(phone, "pong").isEmpty && bench.frames(desktop, "rpc.request").isEmpty)
        bench.pass(1)
        #expect(bench.frames(phone, "pong").count == 1)
        #expect(
            bench.frames(desktop, "rpc.request").compactMap { $0["payload"]?["id"]?.string }
                == (1...5).map { "r-\($0)" }
        )
    }

    @Test func `a storm of invalid resumes refuses good tokens and lets plain registrations pass (R34, R35)`() throws {
        var (bench, _, phone) = pair()
        let answer = try #require(bench.frames(phone, "registered").first)
        let held = (answer["sessionId"]?.string ?? "", answer["resumeToken"]?.string ?? "")
        bench.model.script.faults = [RelayFault(.invalidResume, .fromClient, type: "register", times: 3)]
        for _ in 1...3 {
            let again = bench.open(.phone)
            bench.register(again, resuming: held)
            #expect(bench.frames(again, "error").first?["code"]?.string == "invalidResume")
            bench.take(bench.model.closed(again, now: bench.now))
        }
        let last = bench.open(.phone)
        bench.register(last, resuming: held)
        #expect(bench.frames(last, "resumed").count == 1)
        bench.model.script.faults = [RelayFault(.invalidResume, .fromClient, type: "register", times: .max)]
        let plain = bench.open(.phone)
        bench.register(plain)
        #expect(bench.frames(plain, "registered").count == 1)
    }

    @Test func `an error can stand in an answer's place`() {
        var (bench, desktop, phone) = pair(RelayFault(.error("rateLimited"), .fromClient, type: "rpc.request"))
        bench.ask(phone)
        bench.ask(phone)
        #expect(bench.frames(phone, "error").map { $0["code"]?.string } == ["rateLimited"])
        #expect(bench.frames(desktop, "rpc.request").count == 1)
    }

    @Test func `a restart cuts all, forgets sessions and begins to count again`() throws {
        var (bench, desktop, phone) = pair()
        tell(&bench, desktop, 1...3)
        let answer = try #require(bench.frames(phone, "registered").first)
        bench.take(bench.model.restarted(now: bench.now))
        #expect(Set(bench.ends.keys) == [desktop, phone])
        #expect(bench.model.connections.isEmpty)
        let again = bench.open(.phone)
        bench.register(again, resuming: (answer["sessionId"]?.string ?? "", answer["resumeToken"]?.string ?? ""))
        #expect(bench.frames(again, "error").first?["code"]?.string == "invalidResume")
        bench.register(again, last: 3)
        #expect(bench.events(again, "event-replay-gap").first?["eventId"]?.int == 1)
    }

    @Test func `the relay's clock can jump without moving a timer`() {
        var (bench, desktop, phone) = pair(RelayFault(.jump(-365 * 86_400_000), type: "session-updated"))
        tell(&bench, desktop, 1...2)
        let times = bench.events(phone, "session-updated").compactMap { $0["timestamp"]?.string }
        #expect(times == ["2026-11-30T09:00:00.000Z", "2025-11-30T09:00:00.000Z"])
    }

    @Test func `two clients with one key can both live, or the older stays`() {
        var script = RelayScript()
        script.twins = .bothLive
        var bench = RelayBench(script: script)
        let desktop = bench.join(.desktop)
        let phones = [bench.join(.phone), bench.join(.phone)]
        tell(&bench, desktop, 1...1)
        #expect(phones.map { numbers(bench, $0) } == [[1], [1]])
        #expect(bench.model.complaints.count == 1)

        script.twins = .olderStays
        bench = RelayBench(script: script)
        let old = bench.join(.phone)
        let new = bench.join(.phone)
        #expect(bench.ends[new] == 4002 && bench.ends[old] == nil)
    }

    @Test func `upgrades are refused as often as the script says`() {
        var bench = RelayBench(script: RelayScript(refusals: [401, 503]))
        let visitor = RelayVisitor(device: RelayBench.phone, role: .phone, target: RelayBench.desktop)
        let answers = (1...3).map { _ in bench.model.refusal(of: visitor) }
        #expect(answers == [401, 503, nil])
        #expect(bench.model.refusal(of: nil) == 401)
    }

    @Test func `faults of chance follow the seed`() {
        func run(_ seed: UInt64) -> [Int] {
            var bench = RelayBench()
            let script = RelayScript(faults: [RelayFault(.drop, type: "session-updated", times: .max, chance: 0.5)])
            bench.model = RelayModel(script, seed: seed, now: 1_000, wall: 1_796_029_200_000)
            let desktop = bench.join(.desktop)
            let phone = bench.join(.phone)
            tell(&bench, desktop, 1...100)
            return numbers(bench, phone)
        }
        #expect(run(1) == run(1))
        #expect(run(1) != run(2))
        #expect(30...70 ~= run(1).count)
    }

    @Test func `presence can be told falsely, and kept silent`() {
        var (bench, _, phone) = pair()
        bench.take(bench.model.tell(presence: "disconnected", of: RelayBench.desktop, now: bench.now))
        #expect(bench.events(phone, "device-status").last?["payload"]?["payload"]?["status"]?.string == "disconnected")
        bench.model.script.tellsPresence = false
        let count = bench.events(phone, "device-status").count
        _ = bench.join(.desktop)
        #expect(bench.events(phone, "device-status").count == count)
        bench.model.script.answersHeartbeats = false
        bench.send(phone, "heartbeat")
        #expect(bench.frames(phone, "pong").isEmpty)
    }

    @Test func `what waits is bounded: a connection with too much is cut`() {
        var (bench, desktop, phone) = pair(RelayFault(.delay(.max / 4), type: "session-updated"))
        for number in 1...RelayLimits.waitingFrames + 10 { tell(&bench, desktop, number...number) }
        bench.pass(1)
        #expect(bench.ends[phone] == 1006)
        #expect(bench.model.history.count <= RelayLimits.history)

        var (deaf, _, other) = pair(RelayFault(.stopReading(.max / 4), .fromClient, type: "heartbeat"))
        for _ in 1...RelayLimits.waitingFrames + 10 { deaf.send(other, "heartbeat") }
        #expect(deaf.ends[other] == 1006)
    }
}
