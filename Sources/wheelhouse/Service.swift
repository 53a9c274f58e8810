// Everything that runs inside `wheelhouse serve`, from the first listener to the last drained connection: the relay, the hub
// over it, the dashboard, this computer's own agent, and scripted desktops for `--demo`.

import Agent
import Dashboard
import Desktops
import Simulator
import Store
import Web
import Wire

@Loop final class Service {
    /// From SIGTERM until connections are cut, milliseconds (DESIGN §9).
    private static let drainTime: Int64 = 10_000

    private let configuration: ServeConfiguration
    private let localDesktop: String
    private let identity: SiteIdentity
    private let database: DatabaseThread
    private let relay = Relay()
    private let hub: Hub
    private let site: Site
    private let server: HTTPServer
    private var agent: (desktop: LocalDesktop, endpoint: DesktopEndpoint)?
    private var demonstration: [DemonstrationLink] = []

    init(
        configuration: ServeConfiguration,
        resources: String,
        database: DatabaseThread,
        identity: SiteIdentity,
        localDesktop: String
    ) {
        self.configuration = configuration
        self.localDesktop = localDesktop
        self.identity = identity
        self.database = database
        hub = Hub(relay: relay, device: identity.device, name: Environment.hostName)
        var settings = SiteConfiguration(resources: resources)
        settings.basePath = configuration.basePath
        settings.publicURL = configuration.publicURL
        settings.hostNames = [Environment.hostName, Environment.hostName + ".local"] + configuration.listenedNames
        settings.version = version
        site = Site(
            configuration: settings,
            identity: identity,
            database: database,
            hub: hub,
            relay: relay,
            assets: Assets(resources: resources)
        )
        server = HTTPServer(
            router: site.router,
            basePath: configuration.basePath,
            trustedProxies: configuration.trustedProxies
        )
        let server = server
        site.serverCounters = { server.counters }
        server.onDrain = { [site] in site.drain() }
    }

    /// Serves until SIGTERM or SIGINT and answers the exit code.
    func run() async -> Int32 {
        let tls: TLSContext?
        do throws(CertificateFault) {
            tls = try Certificates.context(configuration)
        } catch {
            complain("wheelhouse serve: --tls: \(error.sentence)")
            return ExitCode.configuration
        }
        do throws(StoreError) {
            try await site.start()
        } catch {
            complain("wheelhouse serve: \(error.sentence)")
            return error.exitCode
        }
        var addresses: [ListenAddress] = []
        for address in configuration.listen {
            do throws(Errno) {
                addresses.append(try server.listen(address, tls: tls))
            } catch {
                complain("wheelhouse serve: cannot listen on \(address): \(error). Another --listen may help.")
                return ExitCode.unavailable
            }
        }
        Signals.onHangUp { [weak self] in self?.reload() }
        await announce(addresses, isSecure: tls != nil)
        if configuration.offersLocalDesktop { startAgent() }
        if configuration.isDemo {
            demonstration = Demonstration.desktops.map { DemonstrationLink($0, relay: relay) }
        }
        await terminationSignal()
        Log.write(.info, "draining: no new connections, at most 10 s for the others")
        agent?.desktop.stop()
        agent?.endpoint.stop()
        for link in demonstration { link.stop() }
        await server.drain(within: Service.drainTime)
        relay.drain()
        hub.stop()
        await site.finish()
        return ExitCode.ok
    }

    /// SIGHUP: the certificate is read again, as after its renewal. One that cannot be used changes nothing.
    private func reload() {
        guard configuration.security != .off else {
            return Log.write(.info, "nothing to reload: connections are not encrypted")
        }
        Loop.spawn { @Loop [configuration, server] in
            do throws(CertificateFault) {
                let renewed = try await offload { () throws(CertificateFault) in try Certificates.context(configuration)
                }
                if let renewed { server.renew(tls: renewed) }
                Log.write(.info, "the certificate was read again")
            } catch {
                Log.write(.error, "the old certificate stays: \(error.sentence)")
            }
        }
    }

    private func terminationSignal() async {
        await withCheckedContinuation { continuation in
            var waiting: CheckedContinuation<Void, Never>? = continuation
            Signals.onTerminate {
                waiting?.resume()
                waiting = nil
            }
        }
    }

    // MARK: This computer

    private func startAgent() {
        let desktop = LocalDesktop(
            roots: AgentRoots(home: configuration.home, environment: DesktopCommand.environment())
        )
        let name = Environment.hostName
        let relay = relay
        let link = RelayIdentity(device: localDesktop, role: .desktop)
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(
                id: localDesktop,
                name: name,
                version: version,
                homeDirectory: configuration.home ?? Environment.home
            ),
            service: desktop,
            connect: { () async throws(LinkConnectError) in relay.connect(as: link) }
        )
        desktop.onSessions = { [weak endpoint] changed, removed in
            endpoint?.announce(changed: changed, removed: removed)
        }
        desktop.onUpdate = { [weak endpoint] update in endpoint?.publish(update) }
        var known = KnownDesktop(id: localDesktop, name: name)
        known.isLocal = true
        hub.register(desktop: known)
        desktop.start()
        endpoint.start()
        agent = (desktop, endpoint)
    }

    // MARK: What the person at the terminal reads

    private func announce(_ addresses: [ListenAddress], isSecure: Bool) async {
        let scheme = isSecure ? "https" : "http"
        var bases: [String] = []
        for address in addresses {
            switch address {
            case .tcp(let host, let port):
                Log.announce(
                    "listening on \(scheme)://\(ListenAddress.tcp(host: host, port: port))\(configuration.basePath)"
                )
                let isWildcard = host == "0.0.0.0" || host == "::"
                let hosts = isWildcard ? Sockets.interfaceAddresses().map(\.host) + ["127.0.0.1"] : [host]
                bases += hosts.map { "\(scheme)://\(ListenAddress.tcp(host: $0, port: port))\(configuration.basePath)" }
            case .unix: Log.announce("listening on \(address)")
            }
        }
        let base = configuration.publicURL ?? bases.first ?? "http://localhost\(configuration.basePath)"
        do throws(StoreError) {
            try await database.ask { database throws(StoreError) in try database.set(.baseURL, to: base) }
        } catch {
            Log.write(.warning, "the address for links was not kept: \(error.sentence)")
        }
        guard site.needsFirstPairing else { return }
        let now = Loop.wallClock
        do throws(StoreError) {
            let path = try await database.ask { database throws(StoreError) in
                try Pairing.newLink(role: .owner, in: database, now: now)
            }
            let link = "\(base)/\(path)"
            Log.announce("\nOpen this link in a browser to sign in. It works once, for ten minutes:\n\n    \(link)\n")
            if let code = QRCode(link, level: .low) {
                Log.announce(code.terminalText(coloured: false))
            }
            if bases.count > 1, configuration.publicURL == nil {
                Log.announce("Other addresses of this machine: \(bases.dropFirst().joined(separator: ", "))")
            }
            if configuration.publicURL == nil, Environment.isContainer {
                Log.announce(
                    "In a container these are its own addresses: name the host's with --public-url http://HOST:PORT."
                )
            }
            Log.announce("A new link: wheelhouse pair --data \(configuration.data)")
        } catch {
            Log.write(.error, "no pairing link could be made: \(error.sentence)")
        }
    }
}

/// A scripted desktop on the built-in relay; it comes back when the relay lets it go.
@Loop final class DemonstrationLink {
    private let script: DesktopScript
    private let relay: Relay
    private var desktop: SimulatedDesktop?
    private var isStopped = false

    init(_ script: DesktopScript, relay: Relay) {
        self.script = script
        self.relay = relay
        connect()
    }

    private func connect() {
        let transport = relay.connect(as: RelayIdentity(device: script.id, role: .desktop))
        let desktop = SimulatedDesktop(script) { transport.send(text: $0) }
        transport.onText = { [weak desktop] text in desktop?.receive(text) }
        transport.onClose = { [weak self, weak desktop] _, _ in
            desktop?.stop()
            Loop.after(milliseconds: 1_000) { [weak self] in
                guard let self, !isStopped else { return }
                connect()
            }
        }
        self.desktop = desktop
        desktop.start()
    }

    func stop() {
        isStopped = true
        desktop?.stop()
    }
}
