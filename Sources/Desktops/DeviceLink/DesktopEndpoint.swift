// The desktop's end of the device link: registers at a relay, answers questions from a `DesktopService`, keeps the leases of
// those who watch, sends their updates. Used by `Agent`. Protocol document, sections 3, 4.5 and 7.19.
package import Wire

/// Who this desktop is.
package struct DesktopIdentity: Sendable, Equatable {
    /// A lower-case UUID that stays the same over restarts.
    package var id: String
    package var name: String
    /// This program's version.
    package var version: String
    /// The folder that `app.getUserHomeDirectory` names.
    package var homeDirectory: String

    package init(id: String, name: String, version: String, homeDirectory: String) {
        self.id = id
        self.name = name
        self.version = version
        self.homeDirectory = homeDirectory
    }
}


/// A desktop on the device link.
@Loop package final class DesktopEndpoint {
    package enum State: Sendable, Equatable {
        case connecting, registering, online
        /// Waiting to connect again, for so many milliseconds.
        case waiting(milliseconds: Int64)
        /// For good, until `start` is called again: the reason in words.
        case stopped(String)
    }
    package private(set) var state: State = .stopped("not started")
    package var onState: (@Loop (State) -> Void)?

    /// - Parameter connect: makes a new connection to the relay; asked again after each loss, with growing pauses.
    package init(
        identity: DesktopIdentity,
        service: any DesktopService,
        connect: @escaping @Loop () async throws(LinkConnectError) -> any LinkTransport
    ) {}

    package func start() { fatalError() }
    /// Closes the connection and ends all leases.
    package func stop() { fatalError() }

    /// Sessions are new or changed, or gone: everybody connected is told, bundled.
    package func announce(changed: [SessionSummary], removed: [String] = []) { fatalError() }
    /// A followed session's timeline changed. Without a lease it goes nowhere. The first change leaves at once, later ones of
    /// the same thread at most every 100 ms, merged.
    package func publish(_ update: TimelineUpdate) { fatalError() }
}
