import Dashboard
import Markup
import Testing

@Suite("QR codes", .timeLimit(.minutes(1)))
struct QRCodeTests {
    struct Known: Sendable, CustomStringConvertible {
        var level: QRCode.Level, mask: Int, text: String, rows: [String]
        var description: String { "\(level) \(mask) \(text.prefix(24))" }
    }

    static let known: [Known] = fixture("qr-codes.txt").split(separator: "\n").reduce(into: []) { list, line in
        if line.hasPrefix("= ") {
            let parts = line.dropFirst(2).split(separator: " ", maxSplits: 2)
            list.append(
                Known(
                    level: parts[0] == "l" ? .low : .medium,
                    mask: Int(parts[1]) ?? 0,
                    text: String(parts[2]),
                    rows: []
                )
            )
        } else if !line.hasPrefix("# ") {
            list[list.count - 1].rows.append(String(line))
        }
    }

    @Test("equal those of another program, module by module", arguments: known)
    func matrices(known: Known) throws {
        let code = try #require(QRCode(known.text, level: known.level, mask: known.mask))
        let rows = (0..<code.size).map { row in
            String((0..<code.size).map { code[$0, row] ? "#" : "." as Character })
        }
        #expect(rows == known.rows)
    }

    @Test func `version 10 is the largest: 271 bytes fit, 272 do not`() {
        #expect(QRCode(String(repeating: "a", count: 271), level: .low)?.size == 57)
        #expect(QRCode(String(repeating: "a", count: 272), level: .low) == nil)
    }

    @Test func `the terminal picture has a quiet zone and two rows a line`() throws {
        let code = try #require(QRCode("hello"))
        let lines = code.terminalText(coloured: false).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == 16)
        #expect(lines[0] == String(repeating: "█", count: 29))
        #expect(lines[2].hasPrefix("████ ▄▄▄▄▄ "))
        #expect(lines.dropLast().allSatisfy { $0.count == 29 })
        #expect(code.terminalText(coloured: true).hasPrefix("\u{1B}[40;97m█"))
    }

    @Test func `the picture for pages escapes its label and has no style attribute`() throws {
        let svg = try #require(QRCode("hello")).svg(label: "\"><script>").text
        #expect(svg.contains("aria-label=\"&quot;&gt;&lt;script&gt;\""))
        #expect(!svg.contains("style="))
    }
}
