// All transcripts of this computer as a list of sessions: ids, titles, parents, states. A value without files or clock: what
// was found and read goes in, summaries come out. Rules: agent-transcripts, sections 1.5 and 2.4.
package import Desktops

/// The sessions of one computer.
package struct Catalogue: Sendable {
    /// What is known of one transcript.
    package struct Listing: Sendable {
        package var found: FoundTranscript
        package var facts: SessionFacts
        package var badLines: Int?
        package var unknown: Int?
        /// From `….meta.json`: the call that started the helper, and what it was called.
        package var helperCall: String?
        package var helperTitle: String?

        package init(_ found: FoundTranscript, _ facts: SessionFacts) {
            self.found = found
            self.facts = facts
        }
    }

    private var listings: [String: Listing] = [:]
    /// The session id of each path.
    ///
    /// Stays once given, so that a later file cannot take an id away.
    private var ids: [String: String] = [:]
    private var pathByID: [String: String] = [:]
    /// The session that each helper belongs to, by the helper's path.
    private var parents: [String: String] = [:]
    /// Names that people gave to Codex threads.
    package var codexNames: [String: String] = [:]
    /// Titles by the record that owns them.
    private var titlesByRecord: [String: String] = [:]
    package var running = RunningAgents()

    package init() {}

    // MARK: In

    /// Gives ids to transcripts that share their name, in the order of their paths, before any of them is read: which of
    /// them gets the plain id must not depend on which is read first.
    package mutating func expect(_ found: [FoundTranscript]) {
        let named = found.filter { $0.helper == nil || $0.helperSession != nil }
        let groups = Dictionary(grouping: named) { "\($0.agent) \($0.helperSession ?? "") \($0.nameID)" }
        for group in groups.values where group.count > 1 {
            for one in group.sorted(by: { Self.order($0) < Self.order($1) }) { assign(one, SessionFacts()) }
        }
    }

    /// Puts in or replaces what is known of transcripts.
    package mutating func put(_ new: [Listing]) {
        // In the order of paths, so that of two files with one id the same gets it after every start.
        for listing in new.sorted(by: { Self.order($0.found) < Self.order($1.found) }) {
            let path = listing.found.path
            if var known = listings[path] {
                let (bad, unknown) = (known.badLines, known.unknown)
                known = listing
                known.badLines = listing.badLines ?? bad
                known.unknown = listing.unknown ?? unknown
                listings[path] = known
            } else {
                listings[path] = listing
            }
            assign(listing.found, listing.facts)
            parents[path] = Self.parent(listing)
            for (record, title) in listing.facts.summaries where titlesByRecord.count < TranscriptLimits.transcripts {
                titlesByRecord[record] = title
            }
        }
    }

    private static func order(_ found: FoundTranscript) -> String { "\(found.isArchived ? 1 : 0)\(found.relative)" }

    private mutating func assign(_ found: FoundTranscript, _ facts: SessionFacts) {
        guard ids[found.path] == nil else { return }
        let own = Self.ownID(found, facts)
        let id = pathByID[own] == nil ? own : SessionID.copy(of: own, at: found.relative)
        ids[found.path] = id
        pathByID[id] = found.path
    }

    private static func ownID(_ found: FoundTranscript, _ facts: SessionFacts) -> String {
        if found.agent == .codex { return SessionID.codex(thread: facts.sessionID ?? found.nameID) }
        guard let helper = found.helper else { return SessionID.claude(session: found.nameID) }
        return SessionID.claudeHelper(agent: helper, session: found.helperSession ?? facts.sessionID ?? "")
    }

    /// A transcript is gone.
    ///
    /// - Returns: the id of its session.
    @discardableResult
    package mutating func remove(path: String) -> String? {
        guard listings.removeValue(forKey: path) != nil, let id = ids.removeValue(forKey: path) else { return nil }
        pathByID[id] = nil
        parents[path] = nil
        return id
    }

    // MARK: Out

    package var paths: some Collection<String> { listings.keys }
    package var count: Int { listings.count }

    package func listing(path: String) -> Listing? { listings[path] }
    package func id(path: String) -> String? { ids[path] }
    package func path(session id: String) -> String? { pathByID[id] }

    /// Whether a transcript is shown as a session.
    private func isListed(_ listing: Listing) -> Bool {
        let facts = listing.facts
        if listing.found.isCompressed { return true }
        if facts.isInternal { return false }
        if listing.found.agent == .codex {
            // The same thread in both folders: the one that is not archived wins.
            guard listing.found.isArchived, let id = ids[listing.found.path] else { return true }
            return id == Self.ownID(listing.found, facts)
        }
        if listing.found.helper == nil, facts.beginsAsSidechain { return false }
        return facts.hasRecord
    }

    /// Every session, newest first.
    ///
    /// - Parameter now: milliseconds since 1970.
    package func summaries(now: Int64) -> [SessionSummary] {
        listings.values.compactMap { summary($0, now: now) }.sorted { $0.updatedAt > $1.updatedAt }
    }

    /// One session; nil when the transcript is not shown as one.
    package func summary(path: String, now: Int64) -> SessionSummary? {
        listings[path].flatMap { summary($0, now: now) }
    }

    private func summary(_ listing: Listing, now: Int64) -> SessionSummary? {
        guard isListed(listing), let id = ids[listing.found.path] else { return nil }
        let found = listing.found
        let facts = listing.facts
        let native =
            found.helper.map { "agent-\($0)" } ?? (found.agent == .codex ? facts.sessionID : nil) ?? found.nameID
        var summary = SessionSummary(
            id: id,
            nativeID: native,
            agent: found.agent,
            title: title(listing),
            project: facts.cwd ?? ""
        )
        summary.branch = facts.branch.flatMap { $0.isEmpty ? nil : $0 }
        summary.model = facts.model
        summary.agentVersion = facts.version
        summary.createdAt = facts.createdAt > 0 ? facts.createdAt : found.stamp.modifiedAt
        summary.updatedAt = facts.updatedAt > 0 ? facts.updatedAt : found.stamp.modifiedAt
        summary.isArchived = found.isArchived
        summary.transcript = found.relative
        summary.badLines = listing.badLines
        summary.unknownRecords = listing.unknown
        summary.usage = facts.usage
        summary.parent = parents[found.path]
        summary.forkedFrom = facts.forkedFrom.map {
            found.agent == .codex ? SessionID.codex(thread: $0) : SessionID.claude(session: $0)
        }
        summary.state = state(listing, native: native, now: now)
        return summary
    }

    private static func parent(_ listing: Listing) -> String? {
        if listing.found.agent == .codex { return listing.facts.parentThread.map { SessionID.codex(thread: $0) } }
        guard listing.found.helper != nil else { return nil }
        return (listing.found.helperSession ?? listing.facts.sessionID).map { SessionID.claude(session: $0) }
    }

    private func title(_ listing: Listing) -> String {
        let facts = listing.facts
        if listing.found.isCompressed { return "Compressed, not readable here" }
        if let thread = facts.sessionID, listing.found.agent == .codex, let name = codexNames[thread] {
            return SessionFacts.oneLine(name)
        }
        if let title = facts.customTitle ?? facts.aiTitle { return title }
        if let title = listing.helperTitle, !title.isEmpty { return SessionFacts.oneLine(title) }
        if listing.found.helper == nil, let last = facts.lastRecord, let title = titlesByRecord[last] { return title }
        return facts.title ?? facts.nickname ?? "Untitled"
    }

    private func state(_ listing: Listing, native: String, now: Int64) -> SessionState {
        if listing.found.isArchived || listing.found.isCompressed { return .idle }
        let isFresh = now - listing.found.stamp.modifiedAt < TranscriptLimits.workingTime
        if listing.found.agent == .claudeCode, listing.found.helper == nil, let state = running.states[native] {
            return state
        }
        return switch listing.facts.activity {
        case .working: isFresh ? .running : .idle
        case .interrupted: .interrupted
        case .failed: .failed
        case .done, .none: .idle
        }
    }

    /// The session that a helper belongs to.
    package func parent(path: String) -> String? { parents[path] }

    /// The helpers of a session by the calls that started them: which session each one is.
    package func helpers(of session: String) -> [String: String] {
        var helpers: [String: String] = [:]
        for (path, parent) in parents where parent == session {
            guard let listing = listings[path], let call = listing.helperCall ?? listing.facts.spawnCall,
                let id = ids[path]
            else { continue }
            helpers[call] = id
        }
        return helpers
    }
}
