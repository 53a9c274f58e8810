// What the list of sessions needs of a transcript, from its first and its last bytes: thousands of them are listed without
// reading them. Rules: agent-transcripts, sections 1.5 and 2.4.
package import Desktops
import Wire

package enum SummaryReader {
    /// The facts that the ends of a transcript tell; nil when it cannot be read.
    package static func read(_ path: String, agent: AgentKind, isHelper: Bool) -> SessionFacts? {
        guard let handle = try? ReadHandle(path), let stamp = handle.stamp() else { return nil }
        let window = TranscriptLimits.summaryWindow
        var facts = SessionFacts()
        guard var head = try? handle.bytes(at: 0, count: min(window, stamp.size)) else { return nil }
        if stamp.size <= window {
            // A last line without its line feed is not a line yet.
            note(head.span, isFromStart: true, agent, isHelper, &facts)
            return facts
        }
        note(head.span, isFromStart: true, agent, isHelper, &facts)
        if isPoor(facts, agent), stamp.size > window {
            // The first lines are longer than the window: instructions of a rollout, a prompt with a picture.
            facts = SessionFacts()
            guard let more = try? handle.bytes(at: 0, count: min(TranscriptLimits.firstLines, stamp.size)) else {
                return nil
            }
            head = more
            note(head.span, isFromStart: true, agent, isHelper, &facts)
        }
        let start = max(0, stamp.size - window)
        guard let tail = try? handle.bytes(at: start, count: stamp.size - start) else { return nil }
        note(tail.span, isFromStart: false, agent, isHelper, &facts)
        return facts
    }

    private static func isPoor(_ facts: SessionFacts, _ agent: AgentKind) -> Bool {
        facts.cwd == nil || facts.title == nil || (agent == .codex && facts.sessionID == nil)
    }

    private static func note(
        _ bytes: Span<UInt8>,
        isFromStart: Bool,
        _ agent: AgentKind,
        _ isHelper: Bool,
        _ facts: inout SessionFacts
    ) {
        var start = 0
        if !isFromStart {
            while start < bytes.count, bytes[start] != 0x0A { start += 1 }
            start += 1
        }
        while start < bytes.count {
            var end = start
            while end < bytes.count, bytes[end] != 0x0A { end += 1 }
            guard end < bytes.count else { return }
            facts.note(line: bytes.extracting(start..<end), agent, isHelper)
            start = end + 1
        }
    }
}

extension SessionFacts {
    /// Notes one line; one that is no record changes nothing.
    mutating func note(line: Span<UInt8>, _ agent: AgentKind, _ isHelper: Bool) {
        let start = Scan.skipBlanks(line, 0, line.count)
        guard start < line.count, line[start] == UInt8(ascii: "{"),
            let end = Scan.endOfValue(line, start, line.count), Scan.skipBlanks(line, end, line.count) == line.count
        else { return }
        let range = start..<end
        if agent == .codex {
            let record = Scan.Fields(line, range)
            let type = Scan.key(line, record[Names.type])
            let isBareMeta = type == nil && record[Names.payload] == nil && !hasRecord && record[Names.id] != nil
            note(
                line,
                codex: isBareMeta ? Names.sessionMeta : type,
                fields: isBareMeta ? record : Scan.Fields(line, record[Names.payload]),
                time: record[Names.timestamp]
            )
        } else if let record = ClaudeRecord(line, range) {
            note(
                line,
                range,
                claude: record,
                ClaudeMessage(line, record),
                type: Scan.key(line, record.type),
                isHelper: isHelper
            )
        }
    }
}
