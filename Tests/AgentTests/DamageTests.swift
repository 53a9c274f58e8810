// Damaged transcripts: whatever the bytes, a reader neither crashes nor loses count. Seeded, so that a failure comes again.
// Source: agent-transcripts, section 0.2 to 0.4.
import Agent
import Desktops
import Testing
import Web

/// SplitMix64: small, and the same everywhere.
struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Damaged transcripts", .enabled(if: SharedFixtures.folder != nil))
struct DamageTests {
    static let small = FixtureTests.all.filter { ($0.value["bytes"]?.int ?? .max) < 12_000 }

    @Test("are read to their end, with every block at hand", arguments: small)
    func damage(expected: FixtureTests.Expected) throws {
        let folder = try #require(SharedFixtures.folder)
        let agent: AgentKind = expected.path.hasPrefix("claude/") ? .claudeCode : .codex
        let whole = SharedFixtures.bytes("\(folder)/\(expected.path)")
        var dice = Dice(state: UInt64(whole.count))
        let scratch = Scratch()
        for round in 0..<40 {
            let bytes = damaged(whole, &dice)
            let path = scratch.write(bytes + [0x0A], to: "\(round).jsonl")
            let transcript = try open(path, agent: agent)
            #expect(SummaryReader.read(path, agent: agent, isHelper: false) != nil)
            var before: Int?
            var seen = 0
            repeat {
                let page = try transcript.page(thread: "main", before: before, limit: 50)
                for block in page.blocks {
                    seen += 1
                    #expect(throws: Never.self) { try transcript.body(id: block.id, offset: 0, length: 1_000) }
                    if block.mediaID != nil { _ = try? transcript.media(id: block.id) }
                }
                before = page.blocks.first?.seq
                #expect(page.total.map { seen <= $0 } ?? true)
                if !page.hasMore { break }
            } while before != nil
        }
    }

    /// Some bytes changed, cut out, doubled or moved, some brackets and quotes put in.
    private func damaged(_ whole: [UInt8], _ dice: inout Dice) -> [UInt8] {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...12, using: &dice) where bytes.count > 100 {
            let start = Int.random(in: 0..<bytes.count - 64, using: &dice)
            let end = start + Int.random(in: 1...63, using: &dice)
            switch Int.random(in: 0..<6, using: &dice) {
            case 0: bytes[start] = UInt8.random(in: 0...255, using: &dice)
            case 1: bytes.removeSubrange(start..<end)
            case 2: bytes.insert(contentsOf: bytes[start..<end], at: start)
            case 3: bytes[start] = Array("{}[]\",:\\\n0-".utf8).randomElement(using: &dice) ?? 0
            case 4: bytes.replaceSubrange(start..<end, with: Array("99999999999999999999999".utf8))
            default:
                let values = ["null", "42", "[]", "{}", "\"\"", "-1e999", "{\"type\":7}", "\"\\ud83d\""]
                bytes.replaceSubrange(
                    start..<min(end, start + 4),
                    with: Array((values.randomElement(using: &dice) ?? "").utf8)
                )
            }
        }
        return bytes
    }
}
