// What a visitor can do to a simulated desktop: decide, write, interrupt; each act once per idempotency key (RD8).

import Simulator
import Testing
import Web

@Suite("Simulated desktop: actions")
struct DesktopActionsTests {
    @Test(
        "an approval waits, is announced, and the script goes on by the decision",
        arguments: ["allow", "allowAlways", "deny"]
    )
    func approval(decision: String) throws {
        var bench = Bench(1)
        let id = try bench.session(state: "waitingApproval")
        #expect(bench.events("chat:approval-requested").first?["approvalId"]?.string == "req-7c21")
        let detail = bench.ask("chat.get", ["appSessionId": .string(id)])["result"]?["chat"]
        #expect(detail?["pendingApprovals"]?.array?.count == 1)
        bench.pass(120_000)
        let before = bench.blocks(id)
        #expect(before.last?["kind"]?.string == "approval")
        #expect(before.last?["state"]?.string == "pending")

        let params: JSON = ["appSessionId": .string(id), "approvalId": "req-7c21", "decision": .string(decision)]
        #expect(bench.ask("chat.respondApproval", params, key: "k-1")["result"]?["success"]?.bool == true)
        #expect(bench.events("chat:approval-resolved").count == 1)
        bench.pass(60_000)
        let after = bench.blocks(id)
        #expect(after[before.count - 1]["decision"]?.string == decision)
        #expect(after[before.count - 1]["state"]?.string == "complete")
        #expect(after.contains { $0["command"]?.string?.hasPrefix("docker push") == true } == (decision != "deny"))
        #expect(try bench.session(titled: "Rebuild the base image") == id)
        #expect(bench.state(of: id) == "completed")
        // The first answer wins.
        #expect(bench.ask("chat.respondApproval", params, key: "k-2")["error"]?["code"]?.int == -32003)
    }

    @Test func `a prompt becomes a block and gets an answer that says what this is`() throws {
        var bench = Bench(2)
        let id = try bench.session(titled: "A rate limiter")
        let count = bench.blocks(id).count
        let answer = bench.ask("chat.sendMessage", ["appSessionId": .string(id), "text": "Hello?"], key: "k")
        #expect(answer["result"]?["runId"]?.string == "run-2")
        #expect(bench.blocks(id).last?["text"]?.string == "Hello?")
        #expect(bench.events("chat:run-status").last?["state"]?.string == "running")
        bench.pass(60_000)
        #expect(bench.blocks(id).count == count + 3)
        #expect(bench.blocks(id).last?["markdown"]?.string?.contains("demonstration desktop") == true)
        #expect(bench.events("chat:run-status").last?["state"]?.string == "completed")
    }

    @Test func `a repeated key acts once, and another request under the same key is a conflict`() throws {
        var bench = Bench(2)
        let id = try bench.session(titled: "A rate limiter")
        let count = bench.blocks(id).count
        let params: JSON = ["appSessionId": .string(id), "text": "Once"]
        let first = bench.ask("chat.sendMessage", params, key: "k", id: "r-1")
        let second = bench.ask("chat.sendMessage", params, key: "k", id: "r-2")
        #expect(first["result"] == second["result"])
        #expect(second["id"]?.string == "r-2")
        #expect(bench.blocks(id).count == count + 1)
        let other = bench.ask("chat.sendMessage", ["appSessionId": .string(id), "text": "Twice"], key: "k")
        #expect(other["error"]?["code"]?.int == -32003)
    }

    @Test func `a prompt to a working session is answered after what is under way`() throws {
        var bench = Bench()
        let id = try bench.session(titled: "Outline view")
        bench.pass(4_000)
        #expect(bench.state(of: id) == "running")
        _ = bench.ask("chat.sendMessage", ["appSessionId": .string(id), "text": "And me?"], key: "k")
        bench.pass(90_000)
        #expect(bench.blocks(id).contains { $0["markdown"]?.string?.contains("demonstration desktop") == true })
        #expect(bench.events("chat:timeline-updated").isEmpty)
    }

    @Test func `an interrupt ends what is open and the session goes on no more`() throws {
        var bench = Bench(1)
        let id = try bench.session(titled: "Watch the benchmarks")
        bench.pass(4_000)
        #expect(bench.state(of: id) == "running")
        let answer = bench.ask("chat.interrupt", ["appSessionId": .string(id), "runId": "run-2"], key: "k")
        #expect(answer["result"]?["success"]?.bool == true)
        let blocks = bench.blocks(id)
        #expect(!blocks.contains { ["streaming", "pending"].contains($0["state"]?.string) })
        #expect(blocks.last?["kind"]?.string == "status")
        bench.pass(60_000)
        #expect(bench.blocks(id).count == blocks.count)
        #expect(bench.ask("chat.interrupt", ["appSessionId": .string(id)], key: "k2")["error"]?["code"]?.int == -32003)
    }

    @Test func `a prompt of the limit is taken, one byte more is refused`() throws {
        var bench = Bench(2)
        let id = try bench.session(titled: "A rate limiter")
        let most = String(repeating: "a", count: SimulatorLimits.promptBytes)
        let tooMuch: JSON = ["appSessionId": .string(id), "text": .string(most + "a")]
        #expect(bench.ask("chat.sendMessage", tooMuch, key: "k1")["error"]?["code"]?.int == -32602)
        let accepted = bench.ask("chat.sendMessage", ["appSessionId": .string(id), "text": .string(most)], key: "k2")
        #expect(accepted["result"]?["runId"]?.string != nil)
    }

    @Test func `so many answers are remembered, the oldest is forgotten first`() throws {
        var bench = Bench(2)
        let id = try bench.session(titled: "A rate limiter")
        let first: JSON = ["appSessionId": .string(id), "text": "first"]
        let answer = bench.ask("chat.sendMessage", first, key: "first")
        for number in 1..<SimulatorLimits.answers {
            _ = bench.ask("chat.interrupt", ["appSessionId": "none"], key: "k\(number)")
        }
        #expect(bench.ask("chat.sendMessage", first, key: "first")["result"] == answer["result"])
        _ = bench.ask("chat.interrupt", ["appSessionId": "none"], key: "one more")
        #expect(bench.ask("chat.sendMessage", first, key: "first")["result"] != answer["result"])
    }
}

@Suite("Simulated leases")
struct SimulatedLeasesTests {
    @Test func `a phone holds so many leases, then its oldest gives way (W-1)`() {
        var leases = SimulatedLeases()
        for number in 0...SimulatorLimits.leasesPerPhone {
            let isNew = leases.interest(phone: "p", session: "s\(number)", active: true, life: nil, now: 0)
            #expect(isNew)
        }
        #expect(!leases.holds("s0"))
        #expect(leases.holds("s1"))
        #expect(leases.holds("s\(SimulatorLimits.leasesPerPhone)"))
    }

    @Test func `so many phones hold leases, then the oldest gives way`() {
        var leases = SimulatedLeases()
        for number in 0...SimulatorLimits.phones {
            _ = leases.interest(phone: "p\(number)", session: "s\(number)", active: true, life: nil, now: 0)
        }
        #expect(!leases.holds("s0"))
        #expect(leases.holds("s1"))
    }

    @Test func `a lease lives as long as was asked for, at most a minute, from its last renewal (W-8)`() {
        var leases = SimulatedLeases()
        _ = leases.interest(phone: "p", session: "short", active: true, life: 500, now: 0)
        _ = leases.interest(phone: "p", session: "long", active: true, life: 600_000, now: 0)
        leases.expire(now: 499)
        #expect(leases.holds("short"))
        leases.expire(now: 500)
        #expect(!leases.holds("short"))
        let isNew = leases.interest(phone: "p", session: "long", active: true, life: nil, now: 30_000)
        #expect(!isNew)
        leases.expire(now: 89_999)
        #expect(leases.holds("long"))
        leases.expire(now: 90_000)
        #expect(!leases.holds("long"))
    }
}
