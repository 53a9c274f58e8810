// The shared fixtures: 18 sessions of both agents, and what a reader must find in each. Source: fixtures/make-transcripts.py.
import Agent
import Desktops
import Testing
import Web

@Suite(
    "The shared transcripts",
    .enabled(if: SharedFixtures.folder != nil, "the maker of fixtures is not beside the package")
)
struct FixtureTests {
    struct Expected: Sendable, CustomTestStringConvertible {
        var path: String
        var value: JSON
        var testDescription: String { path }
    }

    static let all: [Expected] = {
        guard let folder = SharedFixtures.folder,
            let json = try? JSON(parsing: SharedFixtures.bytes("\(folder)/expected.json")), let object = json.object
        else { return [] }
        return object.map { Expected(path: $0.key, value: $0.value) }
    }()

    @Test("hold exactly the blocks that they were written with", arguments: all)
    func blocks(expected: Expected) throws {
        let folder = try #require(SharedFixtures.folder)
        let agent: AgentKind = expected.path.hasPrefix("claude/") ? .claudeCode : .codex
        let index = try #require(
            TranscriptIndex.reading(
                "\(folder)/\(expected.path)",
                agent: agent,
                isHelper: expected.path.contains("/agent-")
            )
        )
        var wanted: [String: Int] = [:]
        for (kind, count) in try #require(expected.value["blocks"]?.object) { wanted[kind] = count.int }
        var found: [String: Int] = [:]
        for (kind, count) in index.counts() where ![.badLine, .unknown, .malformed].contains(kind) {
            found[kind.rawValue] = count
        }
        #expect(found == wanted)
        #expect(index.badLines == expected.value["bad_lines"]?.int)
        #expect(index.unknown == expected.value["unknown"]?.int)
        #expect(index.malformed == expected.value["shapeless"]?.int ?? 0)
        #expect(index.records == expected.value["records"]?.int)
        #expect(index.facts.cwd == expected.value["cwd"]?.string)
        #expect(index.facts.model == expected.value["model"]?.string)
        #expect(index.facts.version == expected.value["version"]?.string)
        #expect(index.facts.sessionID == expected.value["session"]?.string)
    }

    @Test func `there are eighteen of them`() { #expect(Self.all.count == 18) }
}
