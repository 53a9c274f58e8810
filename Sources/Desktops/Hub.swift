// All state on the dashboard's side: desktops and their presence, sessions, timelines, who watches what. Pages read it, live
// sockets claim through it and observe it, each desktop's link feeds it.
package import Wire

/// Told of changes, on the loop, at the end of the turn in which they happened. All members have empty defaults.
@Loop package protocol HubObserver: AnyObject {
    /// A desktop came, left, was renamed, or changed its presence.
    func desktopsChanged()
    /// Sessions are new, changed, stale or gone: their public ids.
    func sessionsChanged(_ ids: [String])
    func timelineChanged(_ session: String, thread: String, _ change: TimelineChange)
    /// Which sessions are live changed.
    func leasesChanged()
}

extension HubObserver {
    package func desktopsChanged() {}
    package func sessionsChanged(_ ids: [String]) {}
    package func timelineChanged(_ session: String, thread: String, _ change: TimelineChange) {}
    package func leasesChanged() {}
}

/// A lease as a page shows it.
package struct LeaseInfo: Sendable, Equatable {
    package var desktop: String
    /// The session's public id.
    package var session: String
    package var isPrimary: Bool
    /// How many counted claims want it.
    package var claims: Int
}

/// A person's decision on an approval request.
package enum ApprovalDecision: String, Sendable {
    case allow, allowAlways, deny
}

/// Desktops, sessions, timelines, claims.
@Loop package final class Hub {
    /// - Parameters:
    ///   - relay: the built-in relay, through which the hub reaches every desktop.
    ///   - device: this server's own id on the link, a lower-case UUID that stays the same over restarts.
    ///   - name: this server's name, as desktops log it.
    package init(relay: Relay, device: String, name: String) {}

    /// Makes a desktop known and starts to look for it. Calling it again changes its name.
    package func register(desktop: KnownDesktop) { fatalError() }
    /// Forgets a desktop with its sessions and timelines, and closes its connections.
    package func forget(desktop id: String) { fatalError() }

    /// Every known desktop, by name.
    package var desktops: [DesktopInfo] { [] }
    package func desktop(_ id: String) -> DesktopInfo? { nil }
    /// Sessions of one desktop, or of all, last changed first.
    package func sessions(of desktop: String? = nil) -> [SessionEntry] { [] }
    package func session(_ publicID: String) -> SessionEntry? { nil }
    /// The public id of a desktop's session.
    package nonisolated static func publicID(desktop: String, session: String) -> String { "" }
    /// The timeline of a session's thread, made on demand; nil when the session is unknown. Unclaimed ones are let go, the
    /// least recently asked for first, above the limits.
    package func timeline(_ publicID: String, thread: String = "main") -> Timeline? { nil }

    /// The tab is in the foreground, in this generation (1 for the first; each change from hidden to visible is a new one).
    package func visible(tab: String, generation: Int) { fatalError() }
    /// The tab is hidden: its claims do not count until they are made again.
    package func suspend(tab: String) { fatalError() }
    /// The tab's socket is gone, with all its claims.
    package func closed(tab: String) { fatalError() }
    package func claim(_ claim: Claim) { fatalError() }
    package func release(tab: String, claim id: String) { fatalError() }
    /// Updates of this session arrive by themselves. False for a claimed session: "live in another view".
    package func isLive(_ publicID: String) -> Bool { false }
    package var leases: [LeaseInfo] { [] }

    /// Observers are held weakly.
    package func observe(_ observer: any HubObserver) { fatalError() }

    /// Sends a prompt. The key makes a repetition harmless: the same key never acts twice.
    ///
    /// - Returns: the run's id.
    package func send(prompt: String, to publicID: String, thread: String = "main", key: String) async throws(DesktopError) -> String { fatalError() }
    package func answer(approval: String, of publicID: String, decision: ApprovalDecision, message: String? = nil, key: String) async throws(DesktopError) { fatalError() }
    package func interrupt(run: String, of publicID: String, key: String) async throws(DesktopError) { fatalError() }
}
