// Small pieces of text that several pages share: sizes, counts, names of agents and states, cut titles.

package import Desktops

package enum Words {
    /// `3.0 MB`, `18 KB`, `312 bytes`.
    package static func size(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: return "\(bytes) bytes"
        case ..<1_000_000: return "\((bytes + 500) / 1_000) KB"
        default:
            let tenths = (bytes + 50_000) / 100_000
            return "\(tenths / 10).\(tenths % 10) MB"
        }
    }

    /// `1,234,567`.
    package static func number(_ value: Int) -> String {
        let digits = String(value.magnitude)
        var text = ""
        for (offset, digit) in digits.enumerated() {
            if offset > 0, (digits.count - offset) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return (value < 0 ? "-" : "") + text
    }

    /// `1 line`, `312 lines`.
    package static func count(_ value: Int, _ one: String, _ many: String? = nil) -> String {
        "\(number(value)) \(value == 1 ? one : many ?? one + "s")"
    }

    package static func agent(_ kind: AgentKind) -> String {
        switch kind {
        case .claudeCode: "Claude Code"
        case .codex: "Codex"
        case .other: "Agent"
        }
    }

    /// The word that URLs, attributes and the API use.
    package static func agentCode(_ kind: AgentKind) -> String {
        switch kind {
        case .claudeCode: "claude"
        case .codex: "codex"
        case .other: "other"
        }
    }

    package static func state(_ state: SessionState) -> String {
        switch state {
        case .idle: "idle"
        case .running: "running"
        case .waitingApproval: "waits for you"
        case .completed: "done"
        case .failed: "failed"
        case .interrupted: "stopped"
        }
    }

    package static func presence(_ presence: Presence) -> String {
        switch presence {
        case .online: "online"
        case .recovering: "reconnecting"
        case .temporarilyOffline: "away"
        case .offline: "offline"
        }
    }

    /// The first characters of a text, cut at a grapheme border (BR-27a), white space joined to one line.
    package static func line(_ text: String, limit: Int = DashboardLimits.titleCharacters) -> String {
        var result = ""
        var count = 0
        var isAfterSpace = false
        for character in text {
            if character.isWhitespace || character.isNewline {
                isAfterSpace = !result.isEmpty
                continue
            }
            if isAfterSpace, count < limit {
                result += " "
                count += 1
            }
            guard count < limit else { return result + "…" }
            isAfterSpace = false
            result.append(character)
            count += 1
        }
        return result
    }

    /// Whether a message is folded, and its number of lines.
    package static func lines(_ text: String) -> Int {
        text.isEmpty ? 0 : text.utf8.reduce(1) { $0 + ($1 == 10 ? 1 : 0) } - (text.utf8.last == 10 ? 1 : 0)
    }

    package static func isLong(_ text: String) -> Bool {
        if lines(text) > DashboardLimits.foldedLines { return true }
        guard text.utf8.count > DashboardLimits.foldedCharacters else { return false }
        return text.count > DashboardLimits.foldedCharacters
    }

    /// The start of a body: a few lines, a few characters.
    package static func preview(_ text: String) -> String {
        var result = ""
        var lines = 1, count = 0
        for character in text {
            if character.isNewline {
                if result.isEmpty { continue }
                lines += 1
                if lines > DashboardLimits.previewLines { break }
            }
            guard count < DashboardLimits.previewCharacters else { break }
            result.append(character)
            count += 1
        }
        return result
    }

    /// The last part of a path, and what comes before it.
    package static func split(path: String) -> (folder: String, parent: String) {
        let trimmed = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        guard let slash = trimmed.lastIndex(where: { $0 == "/" || $0 == "\\" }) else { return (trimmed, "") }
        let folder = String(trimmed[trimmed.index(after: slash)...])
        return (folder.isEmpty ? trimmed : folder, String(trimmed[..<slash]))
    }
}

extension Words {
    /// `$0.0123` from millionths of a dollar.
    package static func money(_ micros: Int64) -> String {
        let (whole, rest) = micros.magnitude.quotientAndRemainder(dividingBy: 1_000_000)
        let digits = String(rest + 1_000_000).dropFirst()
        let shown = whole > 0 ? digits.prefix(2) : digits.prefix(4)
        return "\(micros < 0 ? "-" : "")$\(whole).\(shown)"
    }
}
