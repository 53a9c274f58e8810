// A block as the simulated desktop holds it: already in the words of the wire (section 5).

import Web

/// One entry of a session's timeline.
struct SimulatedBlock: Sendable {
    var id: String
    var seq: Int
    var kind: String
    var run: String
    var parent: String?
    /// Milliseconds since 1970.
    var createdAt: Int64
    var updatedAt: Int64
    var revision = 1
    var state: String
    var bodyKey: String
    var body: String
    var members: JSONObject
    /// The session's revision when this block last changed.
    var changedAt = 0

    /// The body as it travels, and its whole size when it was cut.
    private var inlineBody: (text: String, fullSize: Int?) {
        let size = body.utf8.count
        guard size > SimulatorLimits.inlineBody else { return (body, nil) }
        let half = SimulatorLimits.inlineBody / 2 - 8
        return (prefix(half) + "\n…\n" + suffix(half), size)
    }

    private func prefix(_ size: Int) -> String {
        var end = body.utf8.index(body.startIndex, offsetBy: size)
        while body.utf8[end] & 0xC0 == 0x80 { end = body.utf8.index(before: end) }
        return String(body[..<end])
    }

    private func suffix(_ size: Int) -> String {
        var start = body.utf8.index(body.endIndex, offsetBy: -size)
        while body.utf8[start] & 0xC0 == 0x80 { start = body.utf8.index(after: start) }
        return String(body[start...])
    }

    func write(into writer: inout JSONWriter) {
        let (text, fullSize) = inlineBody
        writer.beginObject()
        writer.member("id", id)
        writer.member("seq", seq)
        writer.member("kind", kind)
        writer.member("threadId", "main")
        writer.member("runId", run)
        writer.member("parentBlockId", ifPresent: parent)
        writer.member("createdAt", createdAt)
        writer.member("updatedAt", updatedAt)
        writer.member("revision", revision)
        writer.member("state", state)
        if let fullSize {
            writer.member("bodyTruncated", true)
            writer.member("bodyBytes", fullSize)
        }
        if !text.isEmpty, members[bodyKey] == nil {
            writer.key(bodyKey)
            writer.string(text)
        }
        for member in members {
            writer.key(member.key)
            writer.value(member.value)
        }
        writer.endObject()
    }
}
