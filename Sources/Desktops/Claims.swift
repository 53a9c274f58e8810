// Who looks at what: tabs with foreground generations and the claims of their views (design, section 5; rules R68-R71).
// A pure value; `Hub` feeds it with what live sockets report and asks it for the sessions that count.

/// A tab's statement: this timeline is visible here, in my foreground generation.
package struct Claim: Sendable, Equatable {
    /// The live socket's id, unique in this process.
    package var tab: String
    /// The claim's id, unique within its tab: claiming it again moves it.
    package var id: String
    /// The session's public id.
    package var session: String
    package var thread: String
    /// The tab's foreground generation in which the view confirmed that it is visible.
    package var generation: Int
    /// Made by a share's viewer: never primary while a member's claim on another session counts.
    package var isShare: Bool

    package init(
        tab: String,
        id: String,
        session: String,
        thread: String = "main",
        generation: Int,
        isShare: Bool = false
    ) {
        self.tab = tab
        self.id = id
        self.session = session
        self.thread = thread
        self.generation = generation
        self.isShare = isShare
    }
}
