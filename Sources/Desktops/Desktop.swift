// A desktop and its sessions as the dashboard sees them: values that `Hub` gives out and pages are made from.

/// How reachable a desktop is.
package enum Presence: String, Sendable {
    /// It answered the last probe.
    case online
    /// The connection is being restored; probes are under way.
    case recovering
    /// It did not come back in time, or the relay said that it left.
    case temporarilyOffline
    /// It has been gone for long, or was never seen since the start.
    case offline
}

/// Which protocol reaches a desktop.
package enum DesktopKind: String, Sendable {
    case deviceLink
    case t3
}

/// What the store knows of a desktop before any connection to it.
package struct KnownDesktop: Sendable, Equatable {
    /// A lower-case UUID.
    package var id: String
    package var name: String
    package var kind: DesktopKind = .deviceLink
    /// Runs inside this very process.
    package var isLocal = false
    /// Milliseconds since 1970; 0 when it was never seen.
    package var lastSeen: Int64 = 0

    package init(id: String, name: String) {
        self.id = id
        self.name = name
    }
}

/// One desktop, now.
package struct DesktopInfo: Sendable, Equatable {
    package var id: String
    package var name: String
    package var kind: DesktopKind
    package var presence: Presence
    package var isLocal: Bool
    /// Milliseconds since 1970; 0 when it was never seen.
    package var lastSeen: Int64
    /// What the desktop says it can do (`system.getInfo`), `multiTimelineLease` for one.
    package var capabilities: [String] = []
    /// The version of the program on the desktop.
    package var version: String?

    package init(_ known: KnownDesktop, presence: Presence) {
        id = known.id
        name = known.name
        kind = known.kind
        self.presence = presence
        isLocal = known.isLocal
        lastSeen = known.lastSeen
    }
}

/// One session of one desktop.
package struct SessionEntry: Sendable, Equatable {
    /// The public id: 32 hex digits, the first half of SHA-256 of the desktop's id, a line feed and the session's id.
    package var id: String
    package var desktop: String
    package var summary: SessionSummary
    /// Heard before the desktop went away: may be out of date.
    package var isStale: Bool

    package init(id: String, desktop: String, summary: SessionSummary, isStale: Bool) {
        self.id = id
        self.desktop = desktop
        self.summary = summary
        self.isStale = isStale
    }
}

/// Why a desktop did not do what was asked.
package enum DesktopError: Error, Sendable, Equatable {
    /// No such desktop or session here.
    case unknown
    /// The desktop is not connected (−32010 included).
    case offline
    /// No answer in time.
    case timedOut
    /// The connection was lost while the question was under way; a question that changes something may have been done.
    case disconnected
    /// The desktop does not do that (−32601, −32009).
    case notImplemented
    /// The desktop does not have it (−32002).
    case notFound
    /// What was asked for changed meanwhile (−32003): ask again.
    case conflict
    /// Any other refusal.
    case refused(code: Int, message: String)
    /// Refused here, before anything was sent.
    case invalid(String)
    /// The answer did not have the shape it must have.
    case badAnswer
    /// Too many questions are under way.
    case busy

    /// What a person reads, one sentence.
    package var sentence: String {
        switch self {
        case .unknown: "This desktop or session is not known here."
        case .offline: "The desktop is offline."
        case .timedOut: "The desktop did not answer in time."
        case .disconnected: "The connection to the desktop was lost before it answered."
        case .notImplemented: "This desktop cannot do that yet."
        case .notFound: "The desktop does not have that any more."
        case .conflict: "It changed meanwhile; please try again."
        case .refused(_, let message): message.isEmpty ? "The desktop refused." : message
        case .invalid(let why): why
        case .badAnswer: "The desktop's answer could not be understood."
        case .busy: "Too much is under way with this desktop; please try again."
        }
    }

    /// Trying again later may help.
    package var isTemporary: Bool {
        switch self {
        case .offline, .timedOut, .disconnected, .conflict, .busy: true
        default: false
        }
    }
}
