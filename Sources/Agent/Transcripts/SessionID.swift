// The ids under which dashboards know our sessions: UUIDs made from the agents' own ids, the same after every start.

import Wire

/// Makes session ids.
package enum SessionID {
    /// A session that a person started.
    package static func claude(session: String) -> String { make("claude\n\(session)") }

    /// A helper of Claude Code; its id is only unique within its session.
    package static func claudeHelper(agent: String, session: String) -> String {
        make("claude\n\(session)\nagent-\(agent)")
    }

    package static func codex(thread: String) -> String { make("codex\n\(thread)") }

    /// For a second file with the same id: its path makes the difference.
    package static func copy(of id: String, at path: String) -> String { make("\(id)\n\(path)") }

    /// The first half of SHA-256 in the form of a UUID (version 8, RFC 9562).
    private static func make(_ name: String) -> String {
        var bytes = Array(Digest.sha256(Array(name.utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
