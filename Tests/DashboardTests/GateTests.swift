import Dashboard
import Store
import Testing
import Web
import Wire

@Suite("The gate", .timeLimit(.minutes(1)))
struct GateTests {
    let gate = Gate(names: ["studio.example", "Studio.local"])

    @Test(
        "lets in only hosts that are ours (DNS rebinding)",
        arguments: [
            ("127.0.0.1:8420", true), ("[::1]:8420", true), ("192.168.1.20", true), ("localhost:8420", true),
            ("x.localhost", true), ("studio.example", true), ("STUDIO.local:1", true), ("evil.test", false),
            ("studio.example.evil.test", false), ("127.0.0.1.evil.test", false), ("", false),
            ("localhost.evil.test:8420", false),
        ]
    )
    func hosts(host: String, isOurs: Bool) {
        let refusal = gate.check(GateRequest(host: host, isUnsafe: false))
        #expect((refusal == nil) == isOurs)
        if let refusal { #expect(refusal.status == 421) }
    }

    @Test(
        "lets only our own pages change something",
        arguments: [
            ("127.0.0.1:8420", "http://127.0.0.1:8420", nil, true),
            ("127.0.0.1", "http://127.0.0.1", nil, true),
            ("studio.example", "https://studio.example", nil, true),
            ("studio.example:443", "https://studio.example", nil, true),
            ("127.0.0.1:8420", "http://127.0.0.1:8421", nil, false),
            ("127.0.0.1:8420", "http://evil.test", nil, false),
            ("127.0.0.1:8420", "null", nil, false),
            ("127.0.0.1:8420", "null", "same-origin", true),
            ("127.0.0.1:8420", "null", "cross-site", false),
            ("127.0.0.1:8420", "file://", nil, false),
            ("127.0.0.1:8420", "http://127.0.0.1:8420", "cross-site", false),
            ("127.0.0.1:8420", "http://127.0.0.1:8420", "same-site", false),
            ("127.0.0.1:8420", nil, nil, true),
            ("127.0.0.1:8420", nil, "cross-site", false),
            ("studio.example", "http://studio.example.evil.test", nil, false),
        ] as [(String, String?, String?, Bool)]
    )
    func origins(host: String, origin: String?, site: String?, passes: Bool) {
        let request = GateRequest(host: host, isUnsafe: true, origin: origin, fetchSite: site)
        #expect((gate.check(request) == nil) == passes)
        // Reading is not hindered by a foreign origin: the browser keeps the answer from its page.
        var reading = request
        reading.isUnsafe = false
        #expect(gate.check(reading) == nil)
    }

    @Test func `the host comes before the origin, the origin before the role`() {
        let both = GateRequest(host: "evil.test", isUnsafe: true, origin: "http://evil.test")
        #expect(gate.check(both) == .unknownHost("evil.test"))
        #expect(gate.check(nil, needs: .viewer) == .notSignedIn)
        #expect(gate.check(.viewer, needs: .operator_) == .roleTooLow(needed: .operator_))
        #expect(gate.check(.owner, needs: .operator_) == nil)
    }
}

@Suite("The gate over HTTP", .timeLimit(.minutes(5)))
@Loop struct GateHTTPTests {
    /// Every route that needs somebody, with the least role.
    static let guarded: [(HTTPMethod, String, Role)] = [
        (.get, "/", .viewer), (.get, "/d/x", .viewer), (.get, "/s/x", .viewer), (.get, "/s/x/older?before=1", .viewer),
        (.get, "/s/x/block/b?seq=1", .viewer), (.get, "/s/x/block/b/download?seq=1", .viewer),
        (.get, "/s/x/media/m", .viewer),
        (.get, "/watching", .viewer), (.get, "/shares", .viewer), (.get, "/settings", .viewer),
        (.get, "/live", .viewer),
        (.get, "/live/events?tab=12345678", .viewer), (.post, "/live/send?tab=12345678", .viewer),
        (.get, "/api/v1/desktops", .viewer), (.get, "/api/v1/sessions", .viewer),
        (.get, "/api/v1/sessions/x/blocks", .viewer),
        (.post, "/s/x/prompt", .operator_), (.post, "/s/x/answer", .operator_), (.post, "/s/x/share", .operator_),
        (.post, "/shares/x/revoke", .operator_), (.post, "/settings/pair", .owner),
        (.post, "/settings/desktops", .owner),
        (.post, "/settings/desktops/x/revoke", .owner), (.post, "/settings/api", .owner),
        (.post, "/settings/browsers/x/revoke", .owner),
    ]

    @Test func `every guarded route asks for a cookie, for our origin and for the role`() async throws {
        let scene = try await Scene()
        let viewer = try await scene.pair(.viewer), operator_ = try await scene.pair(.operator_)
        for (method, path, role) in Self.guarded {
            let stranger =
                method == .get
                ? try await scene.get(path, cookie: nil) : try await scene.post(path, cookie: nil)
            #expect(stranger.status == 401, "\(method) \(path) without a cookie")
            let forged =
                method == .get
                ? try await scene.get(path, cookie: "wheelhouse=abc.def")
                : try await scene.post(path, cookie: "wheelhouse=abc.def")
            #expect(forged.status == 401, "\(method) \(path) with a made-up cookie")
            guard method == .post else { continue }
            let foreign = try await scene.post(path, origin: "http://evil.test")
            #expect(foreign.status == 403, "\(path) from another site")
            if role != .viewer {
                #expect(try await scene.post(path, cookie: viewer).status == 403, "\(path) as a viewer")
            }
            if role == .owner {
                #expect(try await scene.post(path, cookie: operator_).status == 403, "\(path) as an operator")
            }
        }
        await scene.stop()
    }

    @Test func `a WebSocket from another site's page is refused`() async throws {
        let scene = try await Scene()
        await #expect(throws: WebSocketConnectError.refused(status: 403)) {
            _ = try await scene.live(origin: "http://evil.test")
        }
        let own = try await scene.live(origin: "http://127.0.0.1:\(scene.port)")
        own.socket.close()
        await scene.stop()
    }

    @Test func `every answer carries its policy, and pages allow nothing inline`() async throws {
        let scene = try await Scene()
        let page = try await scene.get("/")
        let policy = page.fields["content-security-policy"] ?? ""
        #expect(policy.contains("default-src 'none'") && policy.contains("script-src 'self';"))
        #expect(!policy.contains("unsafe-inline") && policy.contains("frame-ancestors 'none'"))
        #expect(policy.contains("ws://127.0.0.1:\(scene.port)"))
        #expect(page.fields["x-content-type-options"] == "nosniff")
        #expect(page.fields["strict-transport-security"] == nil, "HSTS only on TLS")
        #expect(!page.text.contains(" style=") && !page.text.contains("<style") && !page.text.contains("onclick"))
        #expect(page.text.count(of: "<script") == 1)
        for path in ["/nothing", "/assets/none/x.js", "/api/v1/desktops", "/healthz"] {
            let answer = try await scene.get(path)
            #expect(answer.fields["x-content-type-options"] == "nosniff", "\(path)")
        }
        await scene.stop()
    }

    @Test func `a host that is not ours gets 421 on every kind of route`() async throws {
        let scene = try await Scene()
        for path in ["/", "/healthz", "/nothing", "/share/x", "/live", "/api/v1/desktops"] {
            let port = scene.port
            let answer = await offload { rawGet(port: port, path: path, host: "evil.test") }
            #expect(answer.hasPrefix("HTTP/1.1 421"), "\(path)")
        }
        let port = scene.port
        let named = await offload { rawGet(port: port, path: "/healthz", host: "studio.example:8420") }
        #expect(named.hasPrefix("HTTP/1.1 200"))
        await scene.stop()
    }
}
