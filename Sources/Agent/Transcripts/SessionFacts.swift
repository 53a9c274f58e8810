// What a list of sessions says about a transcript: title, folder, model, times, whether the agent is at work. Filled by the
// readers from the whole file, or by `Summary` from its first and last bytes. Rules: agent-transcripts 1.5 and 2.4.
package import Desktops

/// What the last record of a session says about its agent.
package enum Activity: Sendable, Equatable {
    /// Nothing yet.
    case none
    /// A prompt, a tool's call or its result: the agent has the next word.
    case working
    /// The agent has answered.
    case done
    case interrupted
    case failed
}

/// Facts about one session, as far as they were seen.
package struct SessionFacts: Sendable, Equatable {
    package var sessionID: String?
    package var cwd: String?
    package var branch: String?
    package var model: String?
    package var version: String?
    /// Milliseconds since 1970 of the first and the last record that has a time.
    package var createdAt: Int64 = 0
    package var updatedAt: Int64 = 0
    package var customTitle: String?
    package var aiTitle: String?
    package var agentName: String?
    /// A title that the file gives to the session that owns a record; often another session.
    package var summaries: [(leaf: String, title: String)] = []
    package var firstPrompt: String?
    package var lastPrompt: String?
    package var lastRecord: String?
    /// The session that this one was copied from.
    package var forkedFrom: String?
    /// The session that started this one as a helper, and the call that did it.
    package var parentThread: String?
    package var spawnCall: String?
    package var nickname: String?
    /// The first record belongs to a side chain: not a session of its own.
    package var beginsAsSidechain = false
    /// Made by the agent for itself (a review, a compaction): not listed.
    package var isInternal = false
    package var usage: Usage?
    package var activity: Activity = .none
    var hasRecord = false

    package init() {}

    package static func == (left: Self, right: Self) -> Bool {
        left.title == right.title && left.cwd == right.cwd && left.branch == right.branch && left.model == right.model
            && left.version == right.version && left.createdAt == right.createdAt && left.updatedAt == right.updatedAt
            && left.activity == right.activity && left.usage == right.usage && left.parentThread == right.parentThread
            && left.forkedFrom == right.forkedFrom
    }

    /// The best title that the transcript itself has.
    package var title: String? {
        customTitle ?? aiTitle ?? agentName ?? firstPrompt ?? lastPrompt
    }

    /// A title on one line: blanks collapsed, cut between characters.
    package static func oneLine(_ text: String, limit: Int = TranscriptLimits.title) -> String {
        var line = ""
        var count = 0
        var blank = false
        for character in text {
            if character.isWhitespace {
                blank = !line.isEmpty
                continue
            }
            if count >= limit {
                line.append("…")
                break
            }
            if blank {
                line.append(" ")
                count += 1
                blank = false
            }
            line.append(character)
            count += 1
        }
        return line
    }

    mutating func note(time: Int64) {
        guard time > 0 else { return }
        if createdAt == 0 { createdAt = time }
        if time > updatedAt { updatedAt = time }
    }

    mutating func note(prompt: String) {
        guard firstPrompt == nil else { return }
        let line = Self.oneLine(prompt)
        if !line.isEmpty { firstPrompt = line }
    }

    mutating func note(summary title: String, leaf: String) {
        guard summaries.count < 50 else { return }
        summaries.append((leaf: leaf, title: Self.oneLine(title)))
    }
}
