import Dashboard
import Desktops
import Store
import Testing
import Web
import Wire

@Suite("Pages", .timeLimit(.minutes(5)))
@Loop struct PageTests {
    @Test func `the start page lists desktops and chats, newest first, and links lead on`() async throws {
        let scene = try await Scene(["s1": [], "s2": [], "s3": []])
        let page = try await scene.get("/").text
        #expect(page.contains("data-presence=\"online\""))
        let rows = ["s3", "s2", "s1"].map { "data-session=\"\(scene.id($0))\"" }
        let places = rows.compactMap { page.firstRange(of: $0)?.lowerBound }
        #expect(places.count == 3 && places == places.sorted())
        #expect(page.count(of: "<ol class=\"sessions\"") == 1, "one project, one group")
        #expect(page.contains("href=\"/s/\(scene.id("s1"))\""))
        #expect(try await scene.get("/d/\(Scene.desktopID)").status == 200)
        #expect(try await scene.get("/d/nothing").status == 404)
        await scene.stop()
    }

    @Test func `a server without desktops says what to do`() async throws {
        let scene = try await Scene([:])
        scene.hub.forget(desktop: Scene.desktopID)
        let page = try await scene.get("/").text
        #expect(page.contains("No desktop yet") && page.contains("wheelhouse desktop --server"))
        await scene.stop()
    }

    @Test func `a long chat opens at its end with one screenful, and older pages give every block once`() async throws {
        let scene = try await Scene(["s1": (0..<250).map { .message($0, "text \($0)") }])
        let page = try await scene.get("/s/\(scene.id("s1"))").text
        #expect(page.count(of: "<article class=\"block ") == DashboardLimits.pageBlocks)
        #expect(page.contains("id=\"b-b249\"") && page.contains("id=\"b-b190\"") && !page.contains("id=\"b-b189\""))
        #expect(page.contains("data-version=\"") && page.contains("data-live-view"))
        var seen = page.count(of: "data-kind=\"assistant\"")
        var next = older(in: page)
        while let path = next {
            let fragment = try await scene.get(path).text
            seen += fragment.count(of: "data-kind=\"assistant\"")
            next = older(in: fragment)
        }
        #expect(seen == 250)
        // The same without JavaScript: a page, not live.
        let plain = try await scene.get("/s/\(scene.id("s1"))?before=190").text
        #expect(plain.contains("id=\"b-b189\"") && !plain.contains("data-live-view"))
        await scene.stop()
    }

    private func older(in html: String) -> String? {
        guard let start = html.firstRange(of: "data-fragment=\"") else { return nil }
        return String(html[start.upperBound...].prefix { $0 != "\"" })
    }

    @Test func `tools hold their outputs, counts on the page equal those of the API`() async throws {
        var blocks: [Block] = [.message(0, "go", kind: .user)]
        for index in 0..<30 {
            var tool = Block(id: "t\(index)", seq: 1 + 3 * index, kind: .tool)
            tool.name = "Bash"
            tool.command = "ls"
            var output = Block(id: "o\(index)", seq: 2 + 3 * index, kind: .output)
            output.parent = tool.id
            output.text = "file"
            blocks += [tool, output, .message(3 + 3 * index, "done")]
        }
        let scene = try await Scene(["s1": blocks])
        let path = "/s/\(scene.id("s1"))"
        var page = try await scene.get(path).text
        if let fragment = older(in: page) { page += try await scene.get(fragment).text }
        let api = try await scene.get("/api/v1/sessions/\(scene.id("s1"))/blocks").json
        #expect(api["blocks"]?.array?.count == blocks.count)
        for kind in ["user", "tool", "output", "assistant"] {
            let expected = api["blocks"]?.array?.count { $0["kind"]?.string == kind }
            #expect(page.count(of: "data-kind=\"\(kind)\"") == expected, "\(kind)")
        }
        await scene.stop()
    }

    @Test func `a cut body is shown whole on its own page and as a download`() async throws {
        var output = Block(id: "big", seq: 0, kind: .output)
        output.text = "head … tail"
        let whole = String(repeating: "line of output\n", count: 60_000)
        output.fullSize = whole.utf8.count
        let scene = try await Scene(["s1": [output]])
        scene.service.bodies["big"] = Array(whole.utf8)
        let page = try await scene.get("/s/\(scene.id("s1"))").text
        #expect(page.contains("Show all (900 KB)"))
        let body = try await scene.get("/s/\(scene.id("s1"))/block/\(Links.segment("big"))?seq=0").text
        #expect(body.count(of: "line of output") == 60_000)
        let download = try await scene.get("/s/\(scene.id("s1"))/block/\(Links.segment("big"))/download?seq=0")
        #expect(download.text == whole)
        #expect(download.fields["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(
            try await scene.get("/s/\(scene.id("s1"))/block/\(Links.segment("other"))/download?seq=0").status == 404
        )
        #expect(try await scene.get("/s/\(scene.id("s1"))/block/\(Links.segment("big"))/download?seq=x").status == 404)
        await scene.stop()
    }

    @Test func `BR-37a media: the allowed types are shown, others are downloads, ranges are exact`() async throws {
        let scene = try await Scene()
        let bytes = (0..<1_200_000).map { UInt8(truncatingIfNeeded: $0) }
        scene.service.files["a/pic"] = (bytes, "image/png")
        scene.service.files["page"] = (Array("<script>alert(1)</script>".utf8), "text/html")
        scene.service.files["svg"] = (Array("<svg onload=alert(1)>".utf8), "image/svg+xml")
        let path = "/s/\(scene.id("s1"))/media/"
        let whole = try await scene.get(path + Links.segment("a/pic"))
        #expect(whole.status == 200 && whole.bytes == bytes)
        #expect(whole.fields["content-type"] == "image/png")
        #expect(whole.fields["content-security-policy"]?.contains("sandbox") == true)
        for name in ["page", "svg"] {
            let answer = try await scene.get(path + Links.segment(name))
            #expect(answer.fields["content-type"] == "application/octet-stream")
            #expect(answer.fields["content-disposition"] == "attachment")
        }
        let part = try await scene.get(path + Links.segment("a/pic"), [("Range", "bytes=10-19")])
        #expect(part.status == 206 && part.bytes == Array(bytes[10...19]))
        #expect(part.fields["content-range"] == "bytes 10-19/1200000")
        let tail = try await scene.get(path + Links.segment("a/pic"), [("Range", "bytes=600000-")])
        #expect(tail.status == 206 && tail.bytes == Array(bytes[600_000...]))
        #expect(try await scene.get(path + Links.segment("a/pic"), [("Range", "bytes=1200000-")]).status == 416)
        let tag = try #require(whole.fields["etag"])
        #expect(try await scene.get(path + Links.segment("a/pic"), [("If-None-Match", tag)]).status == 304)
        #expect(try await scene.get(path + Links.segment("none")).status == 404)
        #expect(try await scene.get(path + "%%%").status >= 400)
        await scene.stop()
    }

    @Test func `BR-10a hostile titles and texts are shown as they were typed`() async throws {
        let hostile = "<img src=x onerror=alert(1)> \"quoted\" <agent-notes> & 'x'"
        var message = Block.message(0, hostile, kind: .user)
        message.title = hostile
        var tool = Block(id: "\"><script>", seq: 1, kind: .tool)
        tool.name = hostile
        tool.title = hostile
        tool.input = "{\"a\":\"\(hostile)\"}"
        var file = Block(id: "f", seq: 2, kind: .file)
        file.path = "../\"><script>alert(1)</script>"
        let scene = try await Scene(["s1": [message, tool, file]])
        scene.service.summaries[0].title = hostile
        scene.service.summaries[0].project = "/home/\"><script>"
        scene.service.summaries[0].branch = hostile
        scene.endpoint.announce(changed: scene.service.summaries)
        let id = scene.id("s1")
        #expect(await eventually { scene.hub.session(id)?.summary.title == hostile })
        for path in ["/", "/s/\(id)", "/watching", "/shares"] {
            let page = try await scene.get(path).text
            #expect(!page.contains("<img src=x") && !page.contains("<agent-notes>"), "\(path)")
            #expect(page.count(of: "<script") == 1, "\(path)")
        }
        #expect(try await scene.get("/s/\(id)").text.contains("&lt;agent-notes&gt;"))
        await scene.stop()
    }

    @Test func `BR-03a below a base path every link stays below it`() async throws {
        let scene = try await Scene(["s1": (0..<80).map { .message($0, "x") }], basePath: "/tools/wh")
        #expect(scene.owner.hasPrefix("wheelhouse="))
        for path in [
            "/", "/s/\(scene.id("s1"))", "/settings", "/shares", "/watching", "/d/\(Scene.desktopID)", "/nothing",
        ] {
            let page = try await scene.get(path).text
            for attribute in ["href=\"/", "src=\"/", "action=\"/", "data-fragment=\"/", "data-live=\"/"] {
                let all = page.count(of: attribute), below = page.count(of: attribute + "tools/wh/")
                #expect(all == below, "\(path): \(attribute)")
            }
        }
        let share = try await scene.share("s1")
        #expect(try await scene.get(share, cookie: nil).status == 200)
        await scene.stop()
    }

    @Test func `assets live under their digest for ever, anything else is 404 and never a page`() async throws {
        let scene = try await Scene()
        let page = try await scene.get("/").text
        let start = try #require(page.firstRange(of: "/assets/"))
        let digest = page[start.upperBound...].prefix { $0 != "/" }
        let script = try await scene.get("/assets/\(digest)/js/main.js", cookie: nil)
        #expect(script.status == 200)
        #expect(script.fields["cache-control"]?.contains("immutable") == true)
        #expect(script.fields["cross-origin-resource-policy"] == "cross-origin")
        for path in [
            "/assets/\(digest)/js/none.js", "/assets/0000/js/main.js", "/assets/\(digest)/../config/vendor.json",
            "/assets/",
        ] {
            let answer = try await scene.get(path, cookie: nil)
            #expect(answer.status == 404, "\(path)")
            if path.hasPrefix("/assets/\(digest)/js") || path.hasPrefix("/assets/0000") {
                #expect(!answer.text.contains("<html"), "BR-35a \(path)")
            }
        }
        await scene.stop()
    }

    @Test func `the diagram's frame has an opaque origin and may load two scripts only`() async throws {
        let scene = try await Scene()
        let answer = try await scene.get("/frame/mermaid", cookie: nil)
        // Without the bundle there is no frame, and pages do not ask for one.
        let page = try await scene.get("/").text
        guard answer.status == 200 else {
            #expect(!page.contains("data-mermaid="))
            await scene.stop()
            return
        }
        let policy = answer.fields["content-security-policy"] ?? ""
        #expect(
            policy.hasPrefix(
                "sandbox allow-scripts; default-src 'none'; script-src http://127.0.0.1:\(scene.port)/assets/"
            )
        )
        #expect(policy.contains("frame-ancestors 'self'") && !policy.contains("unsafe-eval"))
        #expect(page.contains("data-mermaid=\"/frame/mermaid\""))
        await scene.stop()
    }

    @Test func `health, readiness and metrics answer without a cookie on this machine`() async throws {
        let scene = try await Scene()
        #expect(try await scene.get("/healthz", cookie: nil).status == 200)
        #expect(try await scene.get("/readyz", cookie: nil).status == 200)
        let metrics = try await scene.get("/metrics", cookie: nil)
        #expect(metrics.text.contains("\nwheelhouse_desktops_online 1\n"))
        let forwarded = try await scene.get("/metrics", cookie: nil, [("X-Forwarded-For", "10.0.0.9")])
        #expect(forwarded.status == 403, "a proxy on this machine does not make strangers local")
        #expect(try await scene.get("/metrics", [("X-Forwarded-For", "10.0.0.9")]).status == 200, "owners may")
        await scene.stop()
    }

    @Test func `a chat whose desktop went away is still listed from what was kept`() async throws {
        let scene = try await Scene(["s1": [.message(0, "x")]])
        #expect(await eventually { scene.hub.sessions().count == 1 })
        await scene.site.finish()
        // A new server on the same data, with the desktop away.
        let hub = Hub(relay: Relay(), device: "aaaaaaaa-0000-4000-8000-00000000000a", name: "Again")
        let shelf = SessionShelf(hub: hub, database: scene.database)
        let now = Loop.wallClock
        try await scene.database.ask { database throws(StoreError) in
            try database.remember(
                RememberedDesktop(id: Scene.desktopID, name: "studio", kind: "deviceLink", lastSeen: now)
            )
        }
        try await shelf.start()
        #expect(shelf.entries(of: Scene.desktopID).map(\.summary.title) == ["Chat s1"])
        #expect(shelf.entry(scene.id("s1"))?.isStale == true)
        #expect(hub.desktop(Scene.desktopID)?.name == "studio")
        hub.stop()
        await scene.stop()
    }
}

@Suite("Coming in", .timeLimit(.minutes(5)))
@Loop struct PairingTests {
    @Test func `a pairing link works once; afterwards its page says what to do`() async throws {
        let scene = try await Scene()
        let now = Loop.wallClock
        let path = try await scene.database.ask { database throws(StoreError) in
            try Pairing.newLink(role: .viewer, in: database, now: now)
        }
        let first = try await scene.get("/" + path, cookie: nil)
        #expect(first.status == 303 && first.fields["location"] == "/")
        let cookie = try #require(first.fields["set-cookie"])
        #expect(cookie.hasPrefix("wheelhouse=") && cookie.contains("; HttpOnly") && cookie.contains("; SameSite=Lax"))
        #expect(!cookie.contains("Secure"), "plain HTTP")
        let second = try await scene.get("/" + path, cookie: nil)
        #expect(second.status == 410 && second.text.contains("was used") && second.text.contains("wheelhouse pair"))
        #expect(second.fields["set-cookie"] == nil)
        #expect(try await scene.get("/pair/unknown", cookie: nil).status == 404)
        await scene.stop()
    }

    @Test func `an expired link says so`() async throws {
        let scene = try await Scene()
        let longAgo = Loop.wallClock - StoreLimits.pairingLifetime
        let path = try await scene.database.ask { database throws(StoreError) in
            try Pairing.newLink(role: .owner, in: database, now: longAgo)
        }
        let answer = try await scene.get("/" + path, cookie: nil)
        #expect(answer.status == 410 && answer.text.contains("has expired"))
        await scene.stop()
    }

    @Test func `BR-06a two servers on one host keep both signed in, and signing out of one leaves the other`()
        async throws
    {
        let first = try await Scene(), second = try await Scene()
        let now = Loop.wallClock
        let path = try await second.database.ask { database throws(StoreError) in
            try Pairing.newLink(role: .owner, in: database, now: now)
        }
        let answer = try await second.get("/" + path, cookie: first.owner)
        let both = String(try #require(answer.fields["set-cookie"]).prefix { $0 != ";" })
        #expect(try await first.get("/", cookie: both).status == 200)
        #expect(try await second.get("/", cookie: both).status == 200)
        let out = try await second.post("/logout", cookie: both)
        let left = String(try #require(out.fields["set-cookie"]).prefix { $0 != ";" })
        #expect(try await first.get("/", cookie: left).status == 200)
        #expect(try await second.get("/", cookie: both).status == 401)
        await first.stop()
        await second.stop()
    }

    @Test func `too many wrong codes from one address are stopped`() async throws {
        let scene = try await Scene()
        for _ in 0..<DashboardLimits.wrongGuesses { _ = try await scene.get("/pair/wrong", cookie: nil) }
        #expect(try await scene.get("/pair/wrong", cookie: nil).status == 429)
        #expect(try await scene.get("/", cookie: "own").status == 200, "who is in stays in")
        await scene.stop()
    }

    @Test func `settings let others in with a role, and shut browsers out at once`() async throws {
        let scene = try await Scene()
        let made = try await scene.post("/settings/pair", "role=viewer&name=Ana")
        #expect(made.status == 200 && made.text.contains("<svg class=\"qr-code\""))
        #expect(made.fields["cache-control"] == "no-store")
        let link = try #require(made.text.firstRange(of: "/pair/"))
        let code = made.text[link.upperBound...].prefix { $0.isLetter || $0.isNumber }
        let answer = try await scene.get("/pair/\(code)", cookie: nil)
        let cookie = String(try #require(answer.fields["set-cookie"]).prefix { $0 != ";" })
        #expect(try await scene.get("/", cookie: cookie).text.contains("data-role=\"viewer\""))

        let settings = try await scene.get("/settings").text
        #expect(settings.contains("Ana"))
        let tab = try await scene.live(cookie: cookie)
        let form = try #require(settings.firstRange(of: "/settings/browsers/"))
        let id = settings[form.upperBound...].prefix { $0 != "/" }
        #expect(try await scene.post("/settings/browsers/\(id)/revoke").status == 303)
        #expect(try await scene.get("/", cookie: cookie).status == 401)
        #expect(await eventually { tab.closed?.code == 4401 }, "its open socket is cut too")
        await scene.stop()
    }

    @Test func `an API token reads the API, and a browser's secret is no API token`() async throws {
        let scene = try await Scene()
        let page = try await scene.post("/settings/api", "name=script").text
        let start = try #require(page.firstRange(of: "wha_"))
        let token = "wha_" + page[start.upperBound...].prefix { $0 != "<" }
        let answer = try await scene.get("/api/v1/desktops", cookie: nil, [("Authorization", "Bearer \(token)")])
        #expect(answer.json["desktops"]?.array?.count == 1)
        let secret = scene.owner.split(separator: ".").last ?? ""
        let wrong = try await scene.get("/api/v1/desktops", cookie: nil, [("Authorization", "Bearer \(secret)")])
        #expect(wrong.status == 401 && wrong.fields["www-authenticate"] != nil)
        #expect(
            try await scene.get(
                "/",
                cookie: "wheelhouse=\(scene.owner.split(separator: "=")[1].split(separator: ".")[0]).\(token)"
            ).status == 401
        )
        await scene.stop()
    }

    @Test func `a desktop dials in with its token, and not with another's or a revoked one`() async throws {
        let scene = try await Scene()
        let now = Loop.wallClock
        let token = try await scene.database.ask { database throws(StoreError) in
            try DesktopTokens.make(name: "laptop", in: database, now: now)
        }
        func dial(_ token: String, device: String) async -> Int {
            let fields: HTTPFields = [
                "Authorization": "Bearer \(token)", "X-Device-ID": device, "X-Token-Binding": device,
                "X-Client-Type": "desktop",
            ]
            do {
                let socket = try await WebSocketClient.connect(
                    url: "ws://127.0.0.1:\(scene.port)/ws/device-link",
                    fields: fields
                )
                socket.abandon()
                return 101
            } catch {
                if case .refused(let status) = error { return status }
                return 0
            }
        }
        let first = "eeeeeeee-0000-4000-8000-000000000001", other = "eeeeeeee-0000-4000-8000-000000000002"
        // A token of a command counts at once, or after one more try.
        var status = await dial(token, device: first)
        if status == 503 { status = await dial(token, device: first) }
        #expect(status == 101)
        let id = try await scene.database.ask { database throws(StoreError) in try database.desktopTokens()[0].id }
        #expect(await dial("whd_wrong", device: first) == 401)
        var isBound = false
        for _ in 0..<200 where !isBound {
            isBound = try await scene.database.ask { database throws(StoreError) in
                try database.desktopTokens()[0].desktop == first
            }
        }
        #expect(isBound)
        #expect(await dial(token, device: other) == 401, "a token belongs to the first desktop that came with it")
        #expect(try await scene.post("/settings/desktops/\(id)/revoke").status == 303)
        #expect(await dial(token, device: first) == 401)
        await scene.stop()
    }
}
