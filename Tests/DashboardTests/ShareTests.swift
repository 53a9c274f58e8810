import Dashboard
import Desktops
import Store
import Testing
import Web
import Wire

@Suite("Shares", .timeLimit(.minutes(5)))
@Loop struct ShareTests {
    let secret = "ghp_abcdefghijklmnopqrstuvwxyz0123456789"

    private func scene() async throws -> Scene {
        var picture = Block(id: "img", seq: 2, kind: .image)
        picture.mediaID = "pic-of-s1"
        picture.mediaType = "image/png"
        var tool = Block(id: "tool", seq: 1, kind: .tool)
        tool.name = "Bash"
        tool.command = "cat hidden-command"
        var output = Block(id: "out", seq: 3, kind: .output)
        output.parent = "tool"
        output.text = "hidden-output"
        let scene = try await Scene([
            "s1": [.message(0, "shared words, key \(secret)"), tool, picture, output],
            "s2": [.message(0, "private words")],
        ])
        scene.service.files["pic-of-s1"] = ([1, 2, 3], "image/png")
        scene.service.files["pic-of-s2"] = ([4, 5, 6], "image/png")
        return scene
    }

    @Test func `a link shows its session to anybody, without a cookie, and says it is not to be kept`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1")
        let page = try await scene.get(path, cookie: nil)
        #expect(page.status == 200 && page.text.contains("shared words"))
        #expect(page.fields["cache-control"] == "no-store")
        #expect(page.fields["referrer-policy"] == "no-referrer")
        #expect(page.fields["set-cookie"] == nil)
        #expect(page.text.contains("data-live=\"\(path)/live\"") && page.text.contains("data-role=\"share\""))
        for forbidden in [
            "<form", "/settings", "/shares", "href=\"/s/", "href=\"/d/", Scene.desktopID, "/home/ada", "private words",
            secret,
        ] {
            #expect(!page.text.contains(forbidden), "\(forbidden)")
        }
        #expect(page.text.contains("[masked]"))
        // The owner's own page still shows everything.
        #expect(try await scene.get("/s/\(scene.id("s1"))").text.contains(secret))
        await scene.stop()
    }

    @Test func `a link opens nothing else: no page, no API, no media, no live view of another session`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1")
        let token = path.split(separator: "/").last ?? ""
        for other in ["/", "/s/\(scene.id("s1"))", "/s/\(scene.id("s2"))", "/api/v1/sessions", "/settings", "/live"] {
            #expect(try await scene.get(other, cookie: "wheelhouse=\(token)").status == 401, "\(other)")
            #expect(
                try await scene.get(other, cookie: nil, [("Authorization", "Bearer \(token)")]).status == 401,
                "\(other)"
            )
        }
        let page = try await scene.get(path, cookie: nil).text
        let start = try #require(page.firstRange(of: "<img src=\""))
        let image = String(page[start.upperBound...].prefix { $0 != "\"" })
        #expect(try await scene.get(image, cookie: nil).bytes == [1, 2, 3])
        #expect(try await scene.get(image, cookie: nil).fields["cache-control"] == "no-store")
        // The proof belongs to one file and one link.
        #expect(try await scene.get(path + "/media/" + Links.segment("pic-of-s1"), cookie: nil).status == 404)
        let proof = image.split(separator: "?").last ?? ""
        #expect(try await scene.get(path + "/media/\(Links.segment("pic-of-s2"))?\(proof)", cookie: nil).status == 404)
        let second = try await scene.share("s1")
        #expect(
            try await scene.get(second + "/media/\(Links.segment("pic-of-s1"))?\(proof)", cookie: nil).status == 404
        )

        let tab = try await scene.live(path + "/live", cookie: nil)
        tab.show(scene.id("s2"))
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("shared words") })
        #expect(!tab.html.contains("private words") && !tab.html.contains(secret))
        #expect(scene.service.followed == ["s1"])
        await scene.stop()
    }

    @Test func `a share's socket decodes no intents at all`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1")
        let tab = try await scene.live(path + "/live", cookie: nil)
        for kind in ["prompt", "answer", "interrupt"] {
            tab.say(
                "{\"type\":\"intent\",\"id\":\"i\",\"kind\":\"\(kind)\",\"session\":\"\(scene.id("s1"))\",\"text\":\"x\",\"block\":\"b\",\"answer\":\"allow\",\"run\":\"r\"}"
            )
        }
        tab.say("{\"type\":\"ping\"}")
        #expect(await eventually { !tab.all("pong").isEmpty })
        #expect(tab.all("result").isEmpty)
        for form in ["/prompt", "/answer", "/share", "/revoke"] {
            #expect([404, 405].contains(try await scene.post(path + form, "text=x", cookie: nil).status), "\(form)")
        }
        await scene.stop()
    }

    @Test func `secrets are masked in live updates too, and lists reach no reader`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1")
        let reader = try await scene.live(path + "/live", cookie: nil), member = try await scene.live()
        reader.show(scene.id("s1"))
        member.show(scene.id("s1"))
        #expect(await eventually { reader.html.contains("shared words") && member.html.contains("shared words") })
        scene.publish("s1", [.message(9, "later: \(secret)")])
        #expect(await eventually { reader.html.contains("later:") && member.html.contains("later:") })
        #expect(!reader.html.contains(secret) && member.html.contains(secret))
        scene.service.summaries[1].title = "A private title"
        scene.endpoint.announce(changed: [scene.service.summaries[1]])
        #expect(await eventually { !member.all("list").isEmpty })
        #expect(reader.all("list").isEmpty && reader.all("presence").isEmpty)
        await scene.stop()
    }

    @Test func `tool output can be left out, from pages, live updates, bodies and media`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1", "expires=1h&hideOutput=1")
        let page = try await scene.get(path, cookie: nil).text
        #expect(page.contains("shared words"))
        for hidden in ["hidden-command", "hidden-output", "<img"] { #expect(!page.contains(hidden), "\(hidden)") }
        #expect(try await scene.get(path + "/block/\(Links.segment("out"))?seq=3", cookie: nil).status == 404)
        #expect(try await scene.get(path + "/block/\(Links.segment("out"))/download?seq=3", cookie: nil).status == 404)
        let tab = try await scene.live(path + "/live", cookie: nil)
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("shared words") })
        var output = Block(id: "out2", seq: 10, kind: .output)
        output.parent = "tool"
        output.text = "hidden-too"
        scene.publish("s1", [output, .message(11, "the end")])
        #expect(await eventually { tab.html.contains("the end") })
        #expect(!tab.html.contains("hidden-too"))
        await scene.stop()
    }

    @Test func `revoking answers 410 at once and cuts open sockets`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1")
        let tab = try await scene.live(path + "/live", cookie: nil)
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("shared words") })
        let list = try await scene.get("/shares").text
        let form = try #require(list.firstRange(of: "action=\"/shares/"))
        let id = list[form.upperBound...].prefix { $0 != "/" }
        #expect(try await scene.post("/shares/\(id)/revoke", cookie: try await scene.pair(.viewer)).status == 403)
        #expect(try await scene.post("/shares/\(id)/revoke").status == 303)
        #expect(try await scene.get(path, cookie: nil).status == 410)
        #expect(try await scene.get(path + "/older?before=3", cookie: nil).status == 410)
        #expect(await eventually { tab.closed?.code == 4410 })
        await #expect(throws: WebSocketConnectError.refused(status: 410)) {
            _ = try await scene.live(path + "/live", cookie: nil)
        }
        #expect(try await scene.get("/shares").text.contains("revoked"))
        #expect(await eventually { scene.service.followed.isEmpty })
        await scene.stop()
    }

    @Test func `BR-32a a share dies with its session`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1")
        await scene.site.finish()
        let tab = try await scene.live(path + "/live", cookie: nil)
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("shared words") })
        scene.service.summaries.removeAll { $0.id == "s1" }
        scene.service.threads["s1/main"] = nil
        scene.endpoint.announce(changed: [], removed: ["s1"])
        #expect(await eventually { scene.hub.session(scene.id("s1")) == nil })
        #expect(await eventually { tab.closed?.code == 4410 })
        #expect(try await scene.get(path, cookie: nil).status == 410)
        await scene.stop()
    }

    @Test func `a link of a command works at once, an unknown one is 404`() async throws {
        let scene = try await scene()
        let wish = ShareLinks.Wish(session: scene.id("s1"), title: "t", createdBy: "command line")
        let now = Loop.wallClock
        // Another process writes; the server has not looked yet.
        let other = try Database(folder: scene.scratch.path + "/data")
        let path = try ShareLinks.make(wish, in: other, now: now)
        #expect(try await scene.get("/" + path, cookie: nil).status == 200)
        #expect(try await scene.get("/share/nothing", cookie: nil).status == 404)
        await scene.stop()
    }

    @Test func `an expired link says so, and its socket closes when the time comes`() async throws {
        let scene = try await scene()
        var wish = ShareLinks.Wish(session: scene.id("s1"), title: "t", createdBy: "x")
        wish.lifetime = DashboardLimits.shortestShare
        let asked = wish
        let past = Loop.wallClock - DashboardLimits.shortestShare
        let old = try await scene.database.ask { database throws(StoreError) in
            try ShareLinks.make(asked, in: database, now: past)
        }
        let answer = try await scene.get("/" + old, cookie: nil)
        #expect(answer.status == 410 && answer.text.contains("has expired"))
        let soon = past + 4_000
        let short = try await scene.database.ask { database throws(StoreError) in
            try ShareLinks.make(asked, in: database, now: soon)
        }
        #expect(try await scene.get("/" + short, cookie: nil).status == 200)
        let tab = try await scene.live("/" + short + "/live", cookie: nil)
        #expect(await eventually { tab.closed?.code == 4410 })
        await scene.stop()
    }

    @Test func `a password is asked for, before anything is shown`() async throws {
        let scene = try await scene()
        let path = try await scene.share("s1", "expires=1h&password=sesame")
        let form = try await scene.get(path, cookie: nil)
        #expect(form.status == 401 && form.text.contains("type=\"password\"") && !form.text.contains("shared words"))
        await #expect(throws: WebSocketConnectError.refused(status: 401)) {
            _ = try await scene.live(path + "/live", cookie: nil)
        }
        let wrong = try await scene.post(path, "password=open", cookie: nil)
        #expect(wrong.status == 403 && wrong.text.contains("not the password"))
        let right = try await scene.post(path, "password=sesame", cookie: nil)
        #expect(right.status == 303)
        let cookie = String(try #require(right.fields["set-cookie"]).prefix { $0 != ";" })
        #expect(right.fields["set-cookie"]?.contains("Path=\(path)") == true)
        #expect(try await scene.get(path, cookie: cookie).text.contains("shared words"))
        let tab = try await scene.live(path + "/live", cookie: cookie)
        tab.show(scene.id("s1"))
        #expect(await eventually { tab.html.contains("shared words") })
        let other = try await scene.share("s1", "expires=1h&password=sesame")
        #expect(try await scene.get(other, cookie: cookie).status == 401, "the proof belongs to one link")
        await scene.stop()
    }

    @Test("lifetimes outside 1 h to 30 d are refused", arguments: ["59m", "31d", "0", "x", "-1d", "999999999999d"])
    func lifetimes(text: String) async throws {
        let scene = try await Scene()
        #expect(try await scene.post("/s/\(scene.id("s1"))/share", "expires=\(text)").status == 400)
        await scene.stop()
    }

    @Test(
        "times are read",
        arguments: [("1h", 3_600_000), ("90m", 5_400_000), ("7d", 604_800_000), ("3600", 3_600_000)]
            as [(String, Int64)]
    )
    func times(text: String, milliseconds: Int64) { #expect(ShareLinks.lifetime(text) == milliseconds) }
}
