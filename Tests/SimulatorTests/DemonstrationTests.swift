// The demonstration's content: whatever a desktop of it can ever send must be well-formed and believable.

import Simulator
import Testing
import Web

@Suite("Demonstration")
struct DemonstrationTests {
    @Test func `there are three desktops with four to six sessions each, over several projects`() {
        #expect(Demonstration.desktops.map(\.name) == ["studio-mac", "build-box", "laptop"])
        for index in 0..<3 {
            var bench = Bench(index)
            let sessions = bench.sessions()
            #expect(4...6 ~= sessions.count)
            #expect(Set(sessions.compactMap { $0["projectDirectory"]?.string }).count >= 2)
            let projects = bench.ask("workspace.list")["result"]?["projects"]?.array ?? []
            #expect(projects.count == Set(sessions.compactMap { $0["projectDirectory"]?.string }).count)
        }
    }

    @Test func `ids are lower-case UUIDs and every one is used once`() {
        var ids = Demonstration.desktops.map(\.id)
        for index in 0..<3 {
            var bench = Bench(index)
            ids += bench.sessions().compactMap { $0["appSessionId"]?.string }
        }
        #expect(Set(ids).count == ids.count)
        for id in ids {
            #expect(id.utf8.count == 36)
            #expect(id.allSatisfy { $0 == "-" || ($0.isHexDigit && !$0.isUppercase) })
        }
    }

    @Test("every block of every session holds together, also after minutes of playing", arguments: 0..<3)
    func blocks(index: Int) throws {
        var bench = Bench(index)
        var kinds: Set<String> = []
        for _ in 0..<10 { bench.pass(30_000) }
        for session in bench.sessions() {
            let id = try #require(session["appSessionId"]?.string)
            let blocks = bench.blocks(id)
            #expect(!blocks.isEmpty)
            let ids = Set(blocks.compactMap { $0["id"]?.string })
            #expect(ids.count == blocks.count)
            let places = blocks.map { $0["seq"]?.int ?? -1 }
            let times = blocks.map { $0["createdAt"]?.int ?? -1 }
            #expect(places == places.sorted())
            #expect(times == times.sorted())
            for block in blocks {
                kinds.insert(block["kind"]?.string ?? "")
                if let parent = block["parentBlockId"]?.string { #expect(ids.contains(parent)) }
                if let input = block["inputJson"]?.string { _ = try JSON(parsing: Array(input.utf8)) }
                if let patch = block["patch"]?.string { checkHunks(patch, of: block["path"]?.string ?? "") }
                if let picture = block["previewId"]?.string {
                    let answer = bench.ask("files.readMediaRange", ["previewId": .string(picture), "offset": 0])
                    #expect(answer["result"]?["totalSize"]?.int ?? 0 > 1_000)
                }
                if let child = block["childThreadId"]?.string {
                    let helper = bench.sessions().first { $0["appSessionId"]?.string == child }
                    #expect(helper?["parentSessionId"]?.string == id)
                }
            }
        }
        #expect(
            kinds.isSuperset(of: [
                "user", "assistant", "thinking", "toolCall", "commandOutput", "diff", "plan", "usage",
            ])
        )
    }

    /// The counts in a hunk's head must be those of its lines.
    private func checkHunks(_ patch: String, of path: String) {
        var old = 0
        var new = 0
        for line in patch.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("@@") {
                #expect(old == 0 && new == 0, "\(path): a hunk is too short")
                let ranges = line.split(separator: " ").dropFirst().prefix(2).map {
                    $0.dropFirst().split(separator: ",")
                }
                old = ranges[0].count > 1 ? Int(ranges[0][1]) ?? 0 : 1
                new = ranges[1].count > 1 ? Int(ranges[1][1]) ?? 0 : 1
                continue
            }
            if line.hasPrefix("-") {
                old -= 1
            } else if line.hasPrefix("+") {
                new -= 1
            } else {
                #expect(line.hasPrefix(" "), "\(path): a line without a mark: “\(line)”")
                old -= 1
                new -= 1
            }
        }
        #expect(old == 0 && new == 0, "\(path): \(old) old and \(new) new lines are missing")
    }
}
