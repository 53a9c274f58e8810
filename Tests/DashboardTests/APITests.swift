import Dashboard
import Desktops
import Testing
import Web
import Wire

@Suite("The JSON API", .timeLimit(.minutes(5)))
@Loop struct APITests {
    /// A block of every kind with every member set.
    private func everything() -> [Block] {
        BlockKind.allCases.enumerated().map { index, kind in
            var block = Block(id: "k\(index)", seq: index, kind: kind)
            block.parent = index > 0 ? "k0" : nil
            block.at = 1_700_000_000_000
            block.title = "title"
            block.text = "text"
            block.fullSize = 10
            block.name = "Bash"
            block.input = "{}"
            block.command = "ls"
            block.exitCode = 1
            block.path = "/a"
            block.oldPath = "/b"
            block.patch = "@@ -1 +1 @@\n-a\n+b\n"
            block.items = [TodoItem(text: "t", state: .active)]
            block.mediaType = "image/png"
            block.mediaID = "m"
            block.child = "c"
            block.model = "model"
            block.usage = Usage(inputTokens: 1, outputTokens: 2, costMicros: 3)
            block.options = ["yes"]
            block.decision = "yes"
            block.isRewound = kind == .notice
            return block
        }
    }

    @Test func `answers hold what the OpenAPI file says, no more and no less`() async throws {
        let scene = try await Scene(["s1": everything()])
        let description = try await scene.get("/api/v1/openapi.json", cookie: nil)
        #expect(description.status == 200 && description.fields["content-type"]?.hasPrefix("application/json") == true)
        let document = description.json
        let id = scene.id("s1")
        let addresses = [
            "/api/v1/desktops": "/api/v1/desktops", "/api/v1/sessions": "/api/v1/sessions?desktop=\(Scene.desktopID)",
            "/api/v1/sessions/{id}/blocks": "/api/v1/sessions/\(id)/blocks",
            "/api/v1/openapi.json": "/api/v1/openapi.json",
        ]
        let paths = try #require(document["paths"]?.object)
        #expect(Set(paths.keys) == Set(addresses.keys), "every call is described, and every description has a call")
        for (pattern, item) in paths where pattern != "/api/v1/openapi.json" {
            let answer = try await scene.get(try #require(addresses[pattern]))
            #expect(answer.status == 200, "\(pattern)")
            let schema = item["get"]?["responses"]?["200"]?["content"]?["application/json"]?["schema"]
            check(answer.json, try #require(schema), document, at: pattern)
        }
        // Kinds and agents are exactly those of the program.
        let kinds = document["components"]?["schemas"]?["Block"]?["properties"]?["kind"]?["enum"]?.array?.compactMap(
            \.string
        )
        #expect(kinds == BlockKind.allCases.map(\.rawValue))
        await scene.stop()
    }

    /// Holds a value against a schema: declared members only, required ones present, types and enumerations right.
    private func check(_ value: JSON, _ schema: JSON, _ document: JSON, at place: String) {
        if let name = schema["$ref"]?.string?.split(separator: "/").last {
            guard let target = document["components"]?["schemas"]?[String(name)] else {
                Issue.record("\(place): no schema \(name)")
                return
            }
            return check(value, target, document, at: place)
        }
        switch schema["type"]?.string {
        case "object":
            guard let object = value.object else { Issue.record("\(place) is no object"); return }
            let properties = schema["properties"]
            for (key, member) in object {
                guard let declared = properties?[key] else {
                    Issue.record("\(place).\(key) is not described"); continue
                }
                check(member, declared, document, at: "\(place).\(key)")
            }
            for key in schema["required"]?.array?.compactMap(\.string) ?? [] {
                #expect(object[key] != nil, "\(place).\(key) is missing")
            }
        case "array":
            guard let array = value.array, let items = schema["items"] else {
                Issue.record("\(place) is no array"); return
            }
            for (index, element) in array.enumerated() { check(element, items, document, at: "\(place)[\(index)]") }
        case "string":
            #expect(value.string != nil, "\(place)")
            if let allowed = schema["enum"]?.array { #expect(allowed.contains(value), "\(place)") }
        case "integer": #expect(value.int != nil, "\(place)")
        case "boolean": #expect(value.bool != nil, "\(place)")
        default: Issue.record("\(place): a schema without a type")
        }
    }

    @Test func `pages of blocks walk through a session without gap or repetition`() async throws {
        let scene = try await Scene(["s1": (0..<450).map { .message($0, "x") }])
        let path = "/api/v1/sessions/\(scene.id("s1"))/blocks"
        var seen: [Int] = [], before = ""
        while true {
            let page = try await scene.get("\(path)?limit=200\(before)").json
            let seqs = page["blocks"]?.array?.compactMap { $0["seq"]?.int } ?? []
            #expect(seqs == seqs.sorted() && seqs.count <= 200)
            seen = seqs + seen
            guard page["hasMore"]?.bool == true, let first = seqs.first else { break }
            before = "&before=\(first)"
        }
        #expect(seen == Array(0..<450))
        #expect(try await scene.get(path + "?limit=1").json["blocks"]?[0]?["seq"]?.int == 449)
        #expect(try await scene.get(path + "?limit=100000").json["blocks"]?.array?.count == 200)
        await scene.stop()
    }

    @Test func `wrong questions get an error object`() async throws {
        let scene = try await Scene()
        let path = "/api/v1/sessions/\(scene.id("s1"))/blocks"
        for (address, status) in [
            (path + "?limit=0", 400), (path + "?limit=x", 400), (path + "?before=-1", 400), (path + "?before=x", 400),
            (path + "?thread=none", 404), ("/api/v1/sessions/none/blocks", 404), ("/api/v1/sessions?desktop=none", 404),
            ("/api/v1/nothing", 404),
        ] {
            let answer = try await scene.get(address)
            #expect(answer.status == status, "\(address)")
            #expect(answer.json["error"]?["message"]?.string?.isEmpty == false, "\(address)")
        }
        #expect(try await scene.post("/api/v1/desktops").status == 405)
        await scene.stop()
    }

    @Test func `a session says what the design promises`() async throws {
        let scene = try await Scene(["s1": []])
        let session = try await scene.get("/api/v1/sessions").json["sessions"]?[0]
        #expect(session?["id"]?.string == scene.id("s1"))
        #expect(session?["desktop"]?.string == Scene.desktopID)
        #expect(session?["agent"]?.string == "claude")
        #expect(session?["nativeId"]?.string == "native-s1")
        let url = try #require(session?["url"]?.string)
        #expect(try await scene.get(url).status == 200)
        await scene.stop()
    }
}
