import Store
import Testing

@Suite("People, browsers and pairing", .timeLimit(.minutes(1)))
struct PeopleTests {
    let scratch = Scratch()

    @Test func `a code lets one browser in, once`() throws {
        let database = try Database(folder: scratch.path)
        #expect(try !database.hasCredentials())
        try database.addPairingCode(hash: hash(1), role: .owner, now: 1_000)
        let first = try database.redeemPairingCode(
            hash: hash(1),
            token: hash(2),
            id: "b1",
            label: "Firefox",
            now: 2_000
        )
        guard case .paired(let credential) = first else { Issue.record("got \(first)"); return }
        #expect(credential.person.role == .owner)
        #expect(try database.hasCredentials())
        #expect(try database.credential(hash: hash(2)) == credential)
        let second = try database.redeemPairingCode(hash: hash(1), token: hash(3), id: "b2", label: "", now: 3_000)
        #expect(second == .used(at: 2_000))
        #expect(try database.credential(hash: hash(3)) == nil)
        #expect(try database.redeemPairingCode(hash: hash(9), token: hash(3), id: "b2", label: "", now: 0) == .unknown)
    }

    @Test("expires after ten minutes", arguments: [(599_999, true), (600_000, false)] as [(Int64, Bool)])
    func expiry(after: Int64, works: Bool) throws {
        let database = try Database(folder: scratch.path)
        try database.addPairingCode(hash: hash(1), role: .viewer, now: 5_000)
        let result = try database.redeemPairingCode(
            hash: hash(1),
            token: hash(2),
            id: "b",
            label: "",
            now: 5_000 + after
        )
        if works {
            guard case .paired = result else { Issue.record("got \(result)"); return }
        } else {
            #expect(result == .expired(at: 605_000))
        }
    }

    @Test func `owners' browsers belong to one owner, guests are people of their own`() throws {
        let database = try Database(folder: scratch.path)
        var people: [Person] = []
        for (number, role) in [Role.owner, .owner, .viewer, .viewer, .operator_].enumerated() {
            let mark = UInt8(number)
            try database.addPairingCode(hash: hash(mark), role: role, name: number == 4 ? "Ana" : "", now: 0)
            let result = try database.redeemPairingCode(
                hash: hash(mark),
                token: hash(100 + mark),
                id: "b\(number)",
                label: "",
                now: 1
            )
            if case .paired(let credential) = result { people.append(credential.person) }
        }
        #expect(people.map(\.id) == ["b0", "b0", "b2", "b3", "b4"])
        #expect(people.map(\.role) == [.owner, .owner, .viewer, .viewer, .operator_])
        #expect(people.last?.name == "Ana")
    }

    @Test func `a revoked browser is unknown at once`() throws {
        let database = try Database(folder: scratch.path)
        try database.addPairingCode(hash: hash(1), role: .owner, now: 0)
        _ = try database.redeemPairingCode(hash: hash(1), token: hash(2), id: "b", label: "", now: 1)
        try database.touchCredential("b", now: 50)
        #expect(try database.credentials().map(\.lastSeen) == [50])
        #expect(try database.revokeCredential("b", now: 60))
        #expect(try !database.revokeCredential("b", now: 61))
        #expect(try database.credential(hash: hash(2)) == nil)
        #expect(try database.credentials().isEmpty)
    }

    @Test func `an API token acts for its person`() throws {
        let database = try Database(folder: scratch.path)
        try database.addPairingCode(hash: hash(1), role: .owner, now: 0)
        guard
            case .paired(let owner) = try database.redeemPairingCode(
                hash: hash(1),
                token: hash(2),
                id: "b",
                label: "",
                now: 1
            )
        else { Issue.record("not paired"); return }
        try database.addAPIToken(hash: hash(3), id: "t", person: owner.person, label: "script", now: 2)
        #expect(try database.credential(hash: hash(3))?.kind == .api)
        #expect(try database.credential(hash: hash(3))?.person == owner.person)
    }

    @Test func `only so many codes are open, the oldest goes`() throws {
        let database = try Database(folder: scratch.path)
        for number in 0...UInt8(StoreLimits.openPairingCodes) {
            try database.addPairingCode(hash: hash(number), role: .viewer, now: Int64(number))
        }
        #expect(
            try database.redeemPairingCode(hash: hash(0), token: hash(200), id: "a", label: "", now: 99) == .unknown
        )
        guard
            case .paired = try database.redeemPairingCode(
                hash: hash(1),
                token: hash(201),
                id: "b",
                label: "",
                now: 99
            )
        else { Issue.record("the second oldest went too"); return }
    }

    @Test func `roles include the lesser ones`() {
        #expect(Role.owner.includes(.viewer) && Role.owner.includes(.operator_) && Role.owner.includes(.owner))
        #expect(Role.operator_.includes(.viewer) && !Role.operator_.includes(.owner))
        #expect(!Role.viewer.includes(.operator_))
        #expect(Role(rawValue: "operator") == .operator_)
    }

    @Test func `text with quotes, NUL and emoji comes back as it went in, labels are cut at a character border`() throws
    {
        let database = try Database(folder: scratch.path)
        let odd = "Robert'); DROP TABLE people;-- \"ü\" 👩‍👩‍👧‍👦"
        try database.addDesktopToken(hash: hash(1), id: "t1", name: odd, now: 0)
        let family = String(repeating: "👩‍👩‍👧‍👦", count: StoreLimits.labelLength + 1)
        try database.addDesktopToken(hash: hash(2), id: "t2", name: family, now: 0)
        #expect(try database.desktopToken(hash: hash(1))?.name == odd)
        #expect(try database.desktopToken(hash: hash(2))?.name == String(family.dropLast()))
    }
}

@Suite("Desktops and cached sessions", .timeLimit(.minutes(1)))
struct DesktopRecordTests {
    let scratch = Scratch()

    func session(_ id: String, desktop: String = "d1", at: Int64 = 0) -> CachedSession {
        CachedSession(id: id, desktop: desktop, nativeID: "native-\(id)", title: id, updatedAt: at, summary: [1, 0, 2])
    }

    @Test func `a desktop token works until it is revoked`() throws {
        let database = try Database(folder: scratch.path)
        try database.addDesktopToken(hash: hash(1), id: "t", name: "laptop", now: 5)
        try database.useDesktopToken("t", desktop: "d1", now: 9)
        try database.useDesktopToken("t", desktop: nil, now: 10)
        let tokens = try database.desktopTokens()
        #expect(tokens.map(\.id) == ["t"] && tokens.map(\.name) == ["laptop"])
        #expect(tokens.map(\.createdAt) == [5] && tokens.map(\.lastUsed) == [10] && tokens.map(\.desktop) == ["d1"])
        #expect(try database.revokeDesktopToken("t", now: 11))
        #expect(try database.desktopToken(hash: hash(1)) == nil)
        #expect(try database.desktopTokens().isEmpty)
    }

    @Test func `a known desktop keeps its newest time`() throws {
        let database = try Database(folder: scratch.path)
        try database.remember(RememberedDesktop(id: "d", name: "old", kind: "deviceLink", lastSeen: 10))
        try database.remember(RememberedDesktop(id: "d", name: "new", kind: "deviceLink", lastSeen: 5))
        #expect(
            try database.rememberedDesktops() == [
                RememberedDesktop(id: "d", name: "new", kind: "deviceLink", lastSeen: 10)
            ]
        )
    }

    @Test func `an older generation never replaces a resume token`() throws {
        let database = try Database(folder: scratch.path)
        try database.keep(ResumeToken(token: "b", generation: 2, expiresAt: 100), device: "x", desktop: "d")
        try database.keep(ResumeToken(token: "a", generation: 1, expiresAt: 900), device: "x", desktop: "d")
        #expect(try database.resumeToken(device: "x", desktop: "d", now: 99)?.token == "b")
        #expect(try database.resumeToken(device: "x", desktop: "d", now: 100) == nil)
        #expect(try database.resumeToken(device: "y", desktop: "d", now: 0) == nil)
    }

    @Test func `the list of a desktop is kept, changed and shortened`() throws {
        let database = try Database(folder: scratch.path)
        try database.cache(changed: [session("a", at: 1), session("b", at: 2)], removed: [], desktop: "d1", now: 0)
        try database.cache(changed: [session("a", at: 3)], removed: ["b"], desktop: "d1", now: 0)
        #expect(try database.cachedSessions(desktop: "d1") == [session("a", at: 3)])
        #expect(try database.cachedSessions(desktop: "d2").isEmpty)
    }

    @Test func `a session is found by its id, the agent's id, or the start of one`() throws {
        let database = try Database(folder: scratch.path)
        try database.cache(
            changed: [session("abcdef0123"), session("abcdef0199"), session("ffff%%%%00")],
            removed: [],
            desktop: "d1",
            now: 0
        )
        #expect(try database.cachedSessions(named: "abcdef0123").map(\.id) == ["abcdef0123"])
        #expect(try database.cachedSessions(named: "native-abcdef0199").map(\.id) == ["abcdef0199"])
        #expect(try database.cachedSessions(named: "abcdef01").count == 2)
        #expect(try database.cachedSessions(named: "abcdef012").map(\.id) == ["abcdef0123"])
        #expect(try database.cachedSessions(named: "abcdef0").isEmpty)
        #expect(try database.cachedSessions(named: "%%%%%%%%").isEmpty)
    }
}

@Suite("Shares", .timeLimit(.minutes(1)))
struct ShareTests {
    let scratch = Scratch()

    func share(_ id: String, session: String = "s1", expires: Int64 = 7 * day) -> Share {
        Share(
            id: id,
            session: session,
            title: "T",
            createdBy: "Owner",
            createdAt: 0,
            expiresAt: expires,
            hidesOutput: true
        )
    }

    @Test func `a share is open until it expires or is revoked`() throws {
        let database = try Database(folder: scratch.path)
        try database.add(share("a"), hash: hash(1))
        let found = try #require(try database.share(hash: hash(1)))
        #expect(found == share("a"))
        #expect(found.isOpen(now: 7 * day - 1))
        #expect(!found.isOpen(now: 7 * day))
        #expect(try database.revokeShare("a", now: 5))
        #expect(try !database.revokeShare("a", now: 6), "BR-32a: the second time changes nothing")
        #expect(try database.share(hash: hash(1))?.isOpen(now: 5) == false)
        #expect(try database.share(hash: hash(2)) == nil)
    }

    @Test func `BR-32a a share dies with its session, and with its desktop`() throws {
        let database = try Database(folder: scratch.path)
        let first = CachedSession(id: "s1", desktop: "d", nativeID: "n", title: "", updatedAt: 0, summary: [])
        var second = first
        second.id = "s2"
        try database.cache(changed: [first, second], removed: [], desktop: "d", now: 0)
        try database.add(share("a"), hash: hash(1))
        try database.add(share("b"), hash: hash(2))
        try database.add(share("c", session: "s2"), hash: hash(3))
        let revoked = try database.cache(changed: [], removed: ["s1"], desktop: "d", now: 10)
        #expect(revoked == ["a", "b"])
        #expect(try database.shares(now: 20).filter { $0.isOpen(now: 20) }.map(\.id) == ["c"])
        try database.forgetDesktop("d", now: 30)
        #expect(try database.shares(now: 40).filter { $0.isOpen(now: 40) }.isEmpty)
        #expect(try database.shares(now: 40).count == 3, "ended shares stay listed for a while")
        #expect(try database.shares(now: 31 * day).isEmpty)
    }

    @Test func `a password and the count of views are kept`() throws {
        let database = try Database(folder: scratch.path)
        try database.add(share("a"), hash: hash(1), password: SharePassword(salt: [1], hash: [2, 3]))
        try database.countView(ofShare: "a", now: 7)
        let found = try #require(try database.share(hash: hash(1)))
        #expect(found.hasPassword && found.views == 1 && found.lastViewed == 7)
        #expect(try database.password(ofShare: "a") == SharePassword(salt: [1], hash: [2, 3]))
        try database.add(share("b"), hash: hash(2))
        #expect(try database.password(ofShare: "b") == nil)
    }
}
