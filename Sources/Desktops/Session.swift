// A session as a list shows it. The desktop says it (`chat.list`, `chat:updated`); the store keeps the last one heard.

/// Which program wrote the session.
package enum AgentKind: String, Sendable {
    case claudeCode, codex, other
}

/// What the agent of a session is doing, as far as the desktop knows.
package enum SessionState: String, Sendable {
    case idle, running, waitingApproval, completed, failed, interrupted
}

/// One chat with an agent, without its timeline.
package struct SessionSummary: Sendable, Equatable {
    /// The session's id on its desktop (`appSessionId` on the device link): a lower-case UUID, stable over restarts.
    package var id: String
    /// The agent's own id: the transcript's session id; `agent-<id>` for a helper's transcript of Claude Code.
    package var nativeID: String
    package var agent: AgentKind
    package var title: String
    /// The project's folder on the desktop.
    package var project: String
    package var branch: String?
    package var model: String?
    package var agentVersion: String?
    package var state: SessionState = .idle
    /// The run under way, which an interrupt must name; nil when the desktop does not say.
    package var activeRun: String?
    /// Milliseconds since 1970.
    package var createdAt: Int64 = 0
    package var updatedAt: Int64 = 0
    /// The session that started this one as a helper; nil for what a person started.
    package var parent: String?
    /// The session that this one was forked from.
    package var forkedFrom: String?
    package var isArchived = false
    /// The transcript's path below the agent's folder, for people who look for the file.
    package var transcript: String = ""
    /// Lines that are no records, and records of unknown kinds; nil until the transcript was read whole.
    package var badLines: Int?
    package var unknownRecords: Int?
    /// Totals that the agent itself wrote down, if any.
    package var usage: Usage?

    package init(id: String, nativeID: String, agent: AgentKind, title: String, project: String) {
        self.id = id
        self.nativeID = nativeID
        self.agent = agent
        self.title = title
        self.project = project
    }
}
