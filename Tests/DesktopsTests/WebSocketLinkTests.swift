// The same as the end-to-end tests, over real sockets: a server with the relay's route, a desktop that dials in.
import Desktops
import Testing
import Web
import Wire

@Suite("The device link over WebSocket", .timeLimit(.minutes(1)))
@Loop struct WebSocketLinkTests {
    /// A server that lets in whoever has the token.
    private func serve(_ relay: Relay, token: String) throws -> (server: HTTPServer, url: String) {
        let router = Router()
        router.on([.get], WebSocketLink.path) { request, _ in
            let credentials: RelayCredentials
            do throws(RelayCredentialError) {
                credentials = try RelayCredentials.check { request.fields[$0] }
            } catch {
                return .response(.text("no", status: 401))
            }
            guard credentials.token == token else { return .response(.text("no", status: 401)) }
            return .upgrade(WebSocketOptions(), [:]) { relay.accept($0, as: credentials.identity) }
        }
        let server = HTTPServer(router: router)
        guard case .tcp(_, let port) = try server.listen(.tcp(host: "127.0.0.1", port: 0)) else {
            fatalError("a TCP address has a port")
        }
        return (server, "http://127.0.0.1:\(port)")
    }

    private func endpoint(_ url: String, _ service: FakeService, token: String) -> DesktopEndpoint {
        let identity = RelayIdentity(device: IDs.desktop, role: .desktop)
        return DesktopEndpoint(
            identity: DesktopIdentity(id: IDs.desktop, name: "Desk", version: "1", homeDirectory: "/home/ada"),
            service: service,
            connect: { () async throws(LinkConnectError) in
                try await WebSocketLink.connect(server: url, token: token, identity: identity)
            }
        )
    }

    @Test func `a desktop dials in, is listed, is watched, survives a cut`() async throws {
        let relay = Relay()
        let (server, url) = try serve(relay, token: "good")
        let hub = Hub(relay: relay, device: IDs.server, name: "Test")
        relay.onDesktopRegistered = { hub.register(desktop: KnownDesktop(id: $0, name: $1)) }
        let service = FakeService()
        service.summaries = (0..<120).map { .sample("s\($0)", updatedAt: Int64($0)) }
        service.threads["s1/main"] = (0..<300).map { .note($0, String(repeating: "text \($0) ", count: 200)) }
        let endpoint = endpoint(url, service, token: "good")
        endpoint.start()
        #expect(await eventually { hub.sessions().count == 120 })
        #expect(hub.desktops.map(\.name) == ["Desk"])

        let id = Hub.publicID(desktop: IDs.desktop, session: "s1")
        hub.visible(tab: "t", generation: 1)
        hub.claim(Claim(tab: "t", id: "v", session: id, generation: 1))
        let timeline = try #require(hub.timeline(id))
        try await timeline.loadTail()
        #expect(timeline.blocks.count == 100)
        #expect(await eventually { service.followed == ["s1"] })
        endpoint.publish(service.change("s1", .note(300, "over the wire")))
        #expect(await eventually { timeline.blocks.last?.text == "over the wire" })

        // The relay throws it out; it dials again and nothing is missing.
        relay.drain()
        #expect(await eventually { endpoint.state != .online })
        endpoint.publish(service.change("s1", .note(301, "missed")))
        #expect(await eventually { timeline.blocks.last?.text == "missed" })
        #expect(await eventually { hub.desktop(IDs.desktop)?.presence == .online })
        #expect(relay.metrics.resumed >= 1)
        endpoint.stop()
        #expect(await eventually { hub.desktop(IDs.desktop)?.presence == .temporarilyOffline })
        hub.stop()
        await server.drain(within: 100)
    }

    @Test func `RS1: a wrong token, or a binding in capitals, is 401 before the upgrade`() async throws {
        let (server, url) = try serve(Relay(), token: "good")
        let endpoint = endpoint(url, FakeService(), token: "bad")
        endpoint.start()
        #expect(await eventually { endpoint.state == .stopped("the relay refused the credentials") })
        let identity = RelayIdentity(device: IDs.desktop.uppercased(), role: .desktop)
        await #expect(throws: LinkConnectError.unauthorized) {
            _ = try await WebSocketLink.connect(server: url, token: "good", identity: identity)
        }
        await server.drain(within: 100)
    }

    @Test(arguments: [
        ("https://host", false, "wss://host/ws/device-link"),
        ("wss://host:8/base/", false, "wss://host:8/base/ws/device-link"),
        ("http://127.0.0.1:8420", false, "ws://127.0.0.1:8420/ws/device-link"),
        ("http://localhost/x", false, "ws://localhost/x/ws/device-link"),
        ("http://[::1]:1", false, "ws://[::1]:1/ws/device-link"),
        ("http://10.0.0.2:8420", true, "ws://10.0.0.2:8420/ws/device-link"),
        ("http://10.0.0.2:8420", false, nil), ("http://localhost.evil", false, nil), ("ftp://host", true, nil),
        ("https://", true, nil),
    ])
    func `R23: without TLS only to this machine, unless a person said so`(server: String, plain: Bool, url: String?) {
        #expect(WebSocketLink.url(of: server, allowsPlaintext: plain) == url)
    }

    @Test func `R24: the upgrade names the device twice, its role and its target`() {
        let phone = RelayIdentity(device: IDs.phone, role: .phone, target: IDs.desktop)
        let fields = WebSocketLink.fields(token: "t", identity: phone)
        #expect(fields["authorization"] == "Bearer t")
        #expect(fields["x-device-id"] == IDs.phone && fields["x-token-binding"] == IDs.phone)
        #expect(fields["x-client-type"] == "mobile")
        #expect(fields["x-target-desktop-device-id"] == IDs.desktop)
        #expect((try? RelayCredentials.check { fields[$0] })?.identity == phone)
    }
}
