// The registry of questions: 65 methods, 22 of them keyed (protocol document, section 3.5; rules R36, R37). Data only.

/// A method of the device link.
package struct RPCMethod: Sendable, Equatable {
    package var name: String
    /// Needs an idempotency key.
    package var isKeyed: Bool
    /// How long an answer may take, milliseconds (section 3.3).
    package var timeout: Int64

    /// The method of that name; nil for an unknown one, which must not be sent (R36).
    package static func named(_ name: String) -> RPCMethod? { table[name] }

    /// Every method, in the order of the registry.
    package static let all: [RPCMethod] = entries.map { name, isKeyed in
        RPCMethod(name: name, isKeyed: isKeyed, timeout: timeouts[name] ?? 30_000)
    }

    private static let table = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

    private static let timeouts: [String: Int64] = [
        "system.ping": 3_000,
        "files.search": 90_000, "job.list": 90_000, "job.get": 90_000,
        "session.syncHistoryState": 90_000, "session.mergeHistoryState": 90_000, "session.getHistoryState": 90_000,
        "session.list": 60_000, "session.get": 60_000, "session.update": 60_000, "terminal.start": 60_000,
        "actions.estimatePromptTokens": 60_000,
    ]

    private static let entries: [(String, Bool)] = [
        ("system.ping", false), ("system.voiceTranscriptionContext", false), ("system.getInfo", false),
        ("app.getProjectDirectory", false), ("app.setProjectDirectory", true), ("app.getActiveSessionId", false),
        ("app.getUserHomeDirectory", false), ("app.listFolders", false),
        ("session.list", false), ("session.get", false), ("session.create", true), ("session.update", true),
        ("session.rename", true), ("session.duplicate", true), ("session.delete", true),
        ("session.getOverview", false), ("session.getContents", false), ("session.getFileRelationships", false),
        ("session.updateFileBrowserState", false), ("session.getHistoryState", false),
        ("session.syncHistoryState", true), ("session.mergeHistoryState", true),
        ("job.list", false), ("job.get", false), ("job.cancel", true), ("job.delete", true),
        ("job.updateContent", true),
        ("actions.readImplementationPlan", false), ("actions.getImplementationPlanPrompt", false),
        ("actions.estimatePromptTokens", false), ("actions.createImplementationPlan", true),
        ("actions.mergePlans", true), ("plan.generateMarkdown", false),
        ("workflows.startFileFinder", true), ("workflow.getStatus", false), ("workflow.cancel", true),
        ("files.search", false), ("files.getMetadata", false), ("files.readMediaRange", false),
        ("files.getPreviewMetadata", false), ("files.readChunk", false), ("files.openDocument", false),
        ("files.readDocumentChunk", false),
        ("workspace.list", false), ("workspace.listDirectory", false), ("git.status", false), ("git.diff", false),
        ("chat.list", false), ("chat.get", false), ("chat.getTimeline", false), ("chat.getBlock", false),
        ("chat.create", true), ("chat.sendMessage", true), ("chat.interrupt", true), ("chat.respondApproval", true),
        ("terminal.start", true), ("terminal.write", false), ("terminal.resize", false), ("terminal.kill", true),
        ("terminal.getLog", false), ("terminal.getStatus", false), ("terminal.getMetadata", false),
        ("terminal.getActiveSessions", false), ("terminal.detach", false), ("text.enhance", true),
    ]
}

/// Codes of `error.code` in an answer (section 3.2).
package enum RPCCode {
    package static let invalidRequest = -32600
    package static let methodNotFound = -32601
    package static let invalidParams = -32602
    package static let internalError = -32603
    package static let notFound = -32002
    package static let conflict = -32003
    package static let validation = -32004
    package static let notImplemented = -32009
    package static let desktopOffline = -32010
}
