// Who looks at what: tabs with foreground generations and the claims of their views (design, section 5; rules R68-R71).
// A pure value; `Hub` feeds it with what live sockets report and asks it which sessions each desktop is to be asked for.

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

/// All claims of all tabs.
package struct Claims: Sendable {
    /// What counts of one session.
    package struct Watch: Sendable, Equatable {
        package var members = 0
        package var shares = 0
        /// Order of the newest counted claim of a member, else of a share.
        package var newest: Int = 0

        package var count: Int { members + shares }

        /// Members' sessions come before those that only shares watch; then the newest claim first.
        package static func ranks(_ left: Watch, before right: Watch) -> Bool {
            if (left.members > 0) != (right.members > 0) { return left.members > 0 }
            return left.newest > right.newest
        }
    }

    private struct Entry {
        var claim: Claim
        /// When it was made, as a growing number.
        var order: Int
    }

    private struct Tab {
        var generation = 0
        var isVisible = false
        var claims: [Entry] = []
    }

    private var tabs: [String: Tab] = [:]
    private var lastOrder = 0
    /// Counted claims by session, as `order` and whether a share made it.
    private var counted: [String: [Int: Bool]] = [:]

    package init() {}

    /// The tab is in the foreground in this generation.
    ///
    /// A generation that is not newer than the last one changes nothing, so a hidden tab's claims never come back by
    /// themselves (R71).
    package mutating func visible(tab id: String, generation: Int) {
        guard tabs[id] != nil || tabs.count < Limits.tabs else { return }
        var tab = tabs[id] ?? Tab()
        guard generation > tab.generation else { return }
        forget(tab)
        tab.generation = generation
        tab.isVisible = true
        // Claims of earlier generations can never count again.
        tab.claims.removeAll { $0.claim.generation < generation }
        tabs[id] = tab
        count(tab)
    }

    /// The tab is hidden: its claims do not count.
    package mutating func suspend(tab id: String) {
        guard var tab = tabs[id] else { return }
        forget(tab)
        tab.isVisible = false
        tabs[id] = tab
    }

    /// The tab's socket is gone.
    package mutating func closed(tab id: String) {
        guard let tab = tabs.removeValue(forKey: id) else { return }
        forget(tab)
    }

    /// Makes, moves or confirms a claim.
    ///
    /// Confirming the same view in the same generation does not make it newer.
    package mutating func claim(_ claim: Claim) {
        guard tabs[claim.tab] != nil || tabs.count < Limits.tabs else { return }
        var tab = tabs[claim.tab] ?? Tab()
        if let index = tab.claims.firstIndex(where: { $0.claim.id == claim.id }) {
            if tab.claims[index].claim == claim { return }
            remove(tab.claims.remove(at: index), of: tab)
        } else if tab.claims.count == Limits.claimsPerTab {
            remove(tab.claims.removeFirst(), of: tab)
        }
        lastOrder += 1
        let entry = Entry(claim: claim, order: lastOrder)
        tab.claims.append(entry)
        tabs[claim.tab] = tab
        add(entry, of: tab)
    }

    package mutating func release(tab id: String, claim: String) {
        guard var tab = tabs[id], let index = tab.claims.firstIndex(where: { $0.claim.id == claim }) else { return }
        remove(tab.claims.remove(at: index), of: tab)
        tabs[id] = tab
    }

    /// What counts of a session; nil when nothing does.
    package func watch(of session: String) -> Watch? {
        guard let orders = counted[session] else { return nil }
        var watch = Watch()
        var newestMember = 0
        var newestShare = 0
        for (order, isShare) in orders {
            if isShare {
                watch.shares += 1
                newestShare = max(newestShare, order)
            } else {
                watch.members += 1
                newestMember = max(newestMember, order)
            }
        }
        watch.newest = watch.members > 0 ? newestMember : newestShare
        return watch
    }

    /// Public ids of all sessions with a counted claim, in no order.
    package var sessions: [String] { Array(counted.keys) }

    /// How many tabs and claims are held, counted or not.
    package var size: (tabs: Int, claims: Int) { (tabs.count, tabs.values.reduce(0) { $0 + $1.claims.count }) }

    /// Which base sessions each desktop is to hold leases for, the primary first.
    ///
    /// - Parameters:
    ///   - base: the desktop of a session and the session whose lease it shares (R70); nil for a session that is not known.
    ///   - limit: how many leases a desktop holds.
    package func leases(
        base: (String) -> (desktop: String, session: String)?,
        limit: (String) -> Int
    ) -> [String: [String]] {
        var wanted: [String: [String: Watch]] = [:]
        for session in counted.keys {
            guard let base = base(session), let watch = watch(of: session) else { continue }
            var sum = watch
            if let other = wanted[base.desktop]?[base.session] {
                sum = Watch.ranks(watch, before: other) ? watch : other
                sum.members = watch.members + other.members
                sum.shares = watch.shares + other.shares
            }
            wanted[base.desktop, default: [:]][base.session] = sum
        }
        var leases: [String: [String]] = [:]
        for (desktop, watches) in wanted {
            let ranked = watches.sorted { Watch.ranks($0.value, before: $1.value) }
            leases[desktop] = ranked.prefix(max(1, limit(desktop))).map(\.key)
        }
        return leases
    }

    // MARK: Counting

    private func counts(_ claim: Claim, in tab: Tab) -> Bool {
        tab.isVisible && claim.generation == tab.generation
    }

    private mutating func count(_ tab: Tab) {
        for entry in tab.claims { add(entry, of: tab) }
    }

    private mutating func forget(_ tab: Tab) {
        for entry in tab.claims { remove(entry, of: tab) }
    }

    private mutating func add(_ entry: Entry, of tab: Tab) {
        guard counts(entry.claim, in: tab) else { return }
        counted[entry.claim.session, default: [:]][entry.order] = entry.claim.isShare
    }

    private mutating func remove(_ entry: Entry, of tab: Tab) {
        guard counts(entry.claim, in: tab) else { return }
        counted[entry.claim.session]?[entry.order] = nil
        if counted[entry.claim.session]?.isEmpty == true { counted[entry.claim.session] = nil }
    }
}
