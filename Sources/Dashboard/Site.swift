// The dashboard: everything that a person sees. It owns the accounts, the pages and the live sockets, and reads from the
// hub. `Routes.swift` has every URL; handlers stand in `Handlers/`.

package import Desktops
import Markup
package import Store
package import Web
package import Wire

@Loop package final class Site {
    package let router = Router()
    let configuration: SiteConfiguration
    let identity: SiteIdentity
    let database: DatabaseThread
    let hub: Hub
    let relay: Relay
    let assets: Assets
    /// `Public/`; nil when the folder is not there.
    let staticFiles: StaticFiles?
    let book: AccessBook
    let shelf: SessionShelf
    let cache = RenderCache()
    let views: LiveViews
    let gate: Gate
    /// The links of members' pages.
    let links: Links
    /// What the HTTP server counted, for `/metrics`; set by whoever owns it.
    package var serverCounters: (@Loop () -> HTTPCounters)?
    package private(set) var isReady = false
    private var isDraining = false

    /// Makes the dashboard and fills its router.
    ///
    /// Call ``start()`` before listening.
    package init(
        configuration: SiteConfiguration,
        identity: SiteIdentity,
        database: DatabaseThread,
        hub: Hub,
        relay: Relay,
        assets: Assets
    ) {
        self.configuration = configuration
        self.identity = identity
        self.database = database
        self.hub = hub
        self.relay = relay
        self.assets = assets
        staticFiles = try? StaticFiles(root: assets.folder, caching: .immutable)
        links = Links(base: configuration.basePath, build: assets.digest, mediaKey: identity.mediaKey)
        book = AccessBook(database: database)
        shelf = SessionShelf(hub: hub, database: database)
        views = LiveViews(hub: hub, shelf: shelf, cache: cache, links: links, build: assets.digest)
        var names = configuration.hostNames
        if let url = configuration.publicURL, let host = Site.host(of: url) { names.append(Gate.name(of: host)) }
        gate = Gate(names: names)
        addRoutes()
    }

    /// Reads what the database knows and begins to watch.
    package func start() async throws(StoreError) {
        book.onChange = { [weak self] in self?.checkAccess() }
        shelf.onSharesEnded = { [weak self] ids in self?.sharesEnded(ids) }
        relay.onDesktopRegistered = { [weak self] device, name in self?.desktopRegistered(device, name) }
        try await book.start()
        try await shelf.start()
        isReady = true
    }

    /// Whether nobody has come in yet: then a pairing link is printed.
    package var needsFirstPairing: Bool { !book.isAnybodyPaired }

    /// Tells every live socket that the server goes away; `HTTPServer.onDrain` calls it.
    package func drain() {
        isReady = false
        isDraining = true
        book.stop()
        views.drain()
    }

    /// Writes what waits to be written.
    ///
    /// Called once after draining.
    package func finish() async { await shelf.write() }

    private func desktopRegistered(_ device: String, _ name: String) {
        let id = device.lowercased()
        var known = KnownDesktop(id: id, name: name)
        known.isLocal = hub.desktop(id)?.isLocal ?? false
        hub.register(desktop: known)
        let seen = RememberedDesktop(
            id: id,
            name: name,
            kind: DesktopKind.deviceLink.rawValue,
            lastSeen: Loop.wallClock
        )
        let database = database
        Loop.spawn { @Loop in
            do throws(StoreError) {
                try await database.ask { database throws(StoreError) in try database.remember(seen) }
            } catch {
                Log.write(.warning, "a desktop was not noted: \(error.sentence)", [("desktop", id)])
            }
        }
    }

    // MARK: who loses access

    /// Cuts sockets whose cookie, token or share is no longer good.
    ///
    /// Called twice a second and after each change.
    private func checkAccess() {
        let now = Loop.wallClock
        views.closeSockets { visitor in
            switch visitor {
            case .member(let credential):
                book.credential(id: credential.id) == nil ? (4401, "signed out") : nil
            case .share(let id, _):
                book.share(id: id).map { $0.isOpen(now: now) } ?? false ? nil : (4410, "this link has ended")
            }
        }
    }

    private func sharesEnded(_ ids: [String]) {
        Loop.spawn { @Loop [weak self] in
            // What cannot be read now is read with the next look, half a second later.
            try? await self?.book.reload()
        }
    }

    // MARK: small things for handlers

    static func host(of url: String) -> String? {
        let parts = url.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        return parts[2].split(separator: "/", maxSplits: 1).first.map(String.init)
    }

    /// The base URL that links to this server carry, with a slash at its end: the configured one, else the one that the
    /// request came in on (BR-34a).
    func baseURL(of request: HTTPRequest) -> String {
        if let url = configuration.publicURL { return url + "/" }
        return "\(request.isSecure ? "https" : "http")://\(request.host ?? "localhost")\(configuration.basePath)/"
    }

    /// Changes something in the database, writes the audit log, and lets the change count at once.
    func change<T: Sendable>(
        by person: String,
        _ action: String,
        _ detail: String,
        _ body: @escaping @Sendable (Database) throws(StoreError) -> T
    ) async throws(StoreError) -> T {
        let now = Loop.wallClock
        let result = try await database.ask { database throws(StoreError) in
            try database.transaction { () throws(StoreError) in
                let result = try body(database)
                try database.note(AuditEntry(at: now, person: person, action: action, detail: detail))
                return result
            }
        }
        try await book.reload()
        return result
    }
}
