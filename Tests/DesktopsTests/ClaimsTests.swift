import Desktops
import Testing

@Suite("Claims of tabs")
struct ClaimsTests {
    private func leases(_ claims: Claims, limit: Int = 1, bases: [String: String] = [:]) -> [String] {
        claims.leases(base: { ("d", bases[$0] ?? $0) }, limit: { _ in limit })["d"] ?? []
    }

    private func claims(_ list: [(tab: String, session: String)], shares: Set<String> = []) -> Claims {
        var claims = Claims()
        for (tab, session) in list {
            claims.visible(tab: tab, generation: 1)
            claims.claim(Claim(tab: tab, id: "v", session: session, generation: 1, isShare: shares.contains(tab)))
        }
        return claims
    }

    @Test func `R67: no claim, no lease`() {
        #expect(leases(Claims()).isEmpty)
    }

    @Test func `R68: each view of each tab holds its own claim`() {
        var claims = claims([("t1", "s1"), ("t2", "s1")])
        claims.claim(Claim(tab: "t1", id: "w", session: "s1", generation: 1))
        #expect(claims.watch(of: "s1")?.count == 3)
        claims.release(tab: "t1", claim: "v")
        claims.release(tab: "t1", claim: "v")
        #expect(claims.watch(of: "s1")?.count == 2)
        claims.closed(tab: "t1")
        claims.closed(tab: "t2")
        #expect(claims.watch(of: "s1") == nil)
        #expect(claims.size == (0, 0))
    }

    @Test func `R69: the lease follows the newest claim and falls back when it goes`() {
        var claims = claims([("t1", "s1"), ("t2", "s2")])
        #expect(leases(claims) == ["s2"])
        #expect(leases(claims, limit: 8) == ["s2", "s1"])
        claims.release(tab: "t2", claim: "v")
        #expect(leases(claims) == ["s1"])
    }

    @Test func `R70: views of one base session share its lease, moving between them leaves it as it is`() {
        var claims = claims([("t1", "parent")])
        let bases = ["parent": "base", "child": "base"]
        #expect(leases(claims, bases: bases) == ["base"])
        claims.claim(Claim(tab: "t1", id: "w", session: "child", generation: 1))
        #expect(leases(claims, limit: 8, bases: bases) == ["base"])
        claims.release(tab: "t1", claim: "v")
        #expect(leases(claims, bases: bases) == ["base"])
    }

    @Test func `R71: coming back to the foreground does not revive a view that is gone`() {
        var claims = claims([("t1", "s1")])
        claims.suspend(tab: "t1")
        #expect(leases(claims).isEmpty)
        claims.visible(tab: "t1", generation: 1)
        #expect(leases(claims).isEmpty, "the same generation again is not a new one")
        claims.visible(tab: "t1", generation: 2)
        #expect(leases(claims).isEmpty)
        claims.claim(Claim(tab: "t1", id: "v", session: "s1", generation: 1))
        #expect(leases(claims).isEmpty, "confirmed in an earlier generation")
        claims.claim(Claim(tab: "t1", id: "v", session: "s1", generation: 2))
        #expect(leases(claims) == ["s1"])
    }

    @Test func `a claim that overtakes its tab's generation counts once the generation is there`() {
        var claims = claims([("t1", "s1")])
        claims.claim(Claim(tab: "t1", id: "v", session: "s1", generation: 3))
        #expect(leases(claims).isEmpty)
        claims.visible(tab: "t1", generation: 3)
        #expect(leases(claims) == ["s1"])
    }

    @Test func `confirming a claim in the same generation does not make it newer`() {
        var claims = claims([("t1", "s1"), ("t2", "s2")])
        claims.claim(Claim(tab: "t1", id: "v", session: "s1", generation: 1))
        #expect(leases(claims) == ["s2"])
        claims.claim(Claim(tab: "t1", id: "v", session: "s3", generation: 1))
        #expect(leases(claims) == ["s3"])
    }

    @Test func `a share's view is never primary while a member's claim on another session counts`() {
        let mixed = claims([("m", "s1"), ("share", "s2")], shares: ["share"])
        #expect(leases(mixed) == ["s1"])
        #expect(leases(mixed, limit: 8) == ["s1", "s2"])
        let alone = claims([("share", "s2")], shares: ["share"])
        #expect(leases(alone) == ["s2"])
        let both = claims([("m", "s1"), ("n", "s2"), ("share", "s1")], shares: ["share"])
        #expect(leases(both) == ["s2"], "the share's claim does not make the member's session newer")
    }

    @Test func `a tab at its limit of claims gives up the oldest`() {
        var claims = claims([("t1", "s")])
        for number in 0...Limits.claimsPerTab {
            claims.claim(Claim(tab: "t1", id: "c\(number)", session: "s\(number)", generation: 1))
        }
        #expect(claims.size.claims == Limits.claimsPerTab)
        #expect(claims.watch(of: "s0") == nil)
        #expect(claims.watch(of: "s1") != nil)
    }

    /// The rules of design section 5, computed the slow way from the whole history.
    private struct Model {
        var generations: [String: Int] = [:]
        var visible: Set<String> = []
        var claims: [(order: Int, claim: Claim)] = []

        func wanted(limit: Int) -> [String] {
            let counted = claims.filter {
                visible.contains($0.claim.tab) && generations[$0.claim.tab] == $0.claim.generation
            }
            let members = counted.filter { !$0.claim.isShare }
            var ranked: [(isShareOnly: Bool, newest: Int, session: String)] = []
            for session in Set(counted.map(\.claim.session)) {
                let own = members.filter { $0.claim.session == session }
                let all = counted.filter { $0.claim.session == session }
                ranked.append((own.isEmpty, (own.isEmpty ? all : own).map(\.order).max() ?? 0, session))
            }
            ranked.sort { $0.isShareOnly != $1.isShareOnly ? !$0.isShareOnly : $0.newest > $1.newest }
            return Array(ranked.prefix(limit).map(\.session))
        }
    }

    @Test(arguments: 0..<60) func `random histories give the leases of the rules`(seed: UInt64) {
        var dice = Dice(seed: seed)
        var claims = Claims()
        var model = Model()
        for step in 1...200 {
            let tab = "t\(Int.random(in: 0..<4, using: &dice))"
            let id = "c\(Int.random(in: 0..<3, using: &dice))"
            switch Int.random(in: 0..<10, using: &dice) {
            case 0..<2:
                let generation = Int.random(in: 1...(step / 20 + 1), using: &dice)
                claims.visible(tab: tab, generation: generation)
                if generation > model.generations[tab] ?? 0 {
                    model.generations[tab] = generation
                    model.visible.insert(tab)
                    model.claims.removeAll { $0.claim.tab == tab && $0.claim.generation < generation }
                }
            case 2:
                claims.suspend(tab: tab)
                model.visible.remove(tab)
            case 3 where step % 5 == 0:
                claims.closed(tab: tab)
                model.visible.remove(tab)
                model.generations[tab] = nil
                model.claims.removeAll { $0.claim.tab == tab }
            case 4, 5:
                claims.release(tab: tab, claim: id)
                model.claims.removeAll { $0.claim.tab == tab && $0.claim.id == id }
            default:
                let claim = Claim(
                    tab: tab,
                    id: id,
                    session: "s\(Int.random(in: 0..<5, using: &dice))",
                    generation: (model.generations[tab] ?? 0) + (Int.random(in: 0..<6, using: &dice) == 0 ? 1 : 0),
                    isShare: Int.random(in: 0..<3, using: &dice) == 0
                )
                claims.claim(claim)
                if !model.claims.contains(where: { $0.claim == claim }) {
                    model.claims.removeAll { $0.claim.tab == tab && $0.claim.id == id }
                    model.claims.append((step, claim))
                }
            }
            let limit = Int.random(in: 1...4, using: &dice)
            #expect(leases(claims, limit: limit) == model.wanted(limit: limit), "step \(step)")
        }
    }
}
