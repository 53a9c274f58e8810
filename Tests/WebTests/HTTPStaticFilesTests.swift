import Glibc
import Testing
import Web
import Wire

@Suite("Static files", .timeLimit(.minutes(1)))
@Loop struct HTTPStaticFilesTests {
    private let folder: String
    private let script = Array(String(repeating: "let x = 1;\n", count: 400).utf8)

    init() {
        folder = "/tmp/static-\(RandomBytes.alphanumeric(12))"
        unsafe mkdir(folder, 0o755)
        unsafe mkdir(folder + "/root", 0o755)
        unsafe mkdir(folder + "/root/sub", 0o755)
        put("secret.txt", Array("secret".utf8))
        put("root/a.txt", Array("hello".utf8))
        put("root/app.js", script)
        put("root/sub/index.html", Array("<p>index</p>".utf8))
        put("root/.hidden", Array("hidden".utf8))
        put("root/large.bin", RandomBytes.bytes(3 << 20))
        unsafe symlink(folder + "/secret.txt", folder + "/root/link.txt")
        unsafe symlink(folder, folder + "/root/up")
    }

    private func put(_ name: String, _ bytes: [UInt8]) {
        let descriptor = unsafe open(folder + "/" + name, O_WRONLY | O_CREAT | O_TRUNC, 0o644)
        _ = unsafe write(descriptor, bytes, bytes.count)
        close(descriptor)
    }

    private func get(_ files: StaticFiles, _ path: String, _ fields: HTTPFields = [:], method: HTTPMethod = .get)
        async throws -> (response: HTTPResponse, isCached: Bool)
    {
        var fields = fields
        fields.add("Host", "a")
        let request = try #require(HTTPRequest.made(method, "/x", fields: fields))
        switch files.answer(request, path: path) {
        case .response(let response): return (response, true)
        case .later(let flow): return (await flow(), false)
        case .upgrade: throw Errno.invalid
        }
    }

    private func body(_ response: HTTPResponse) -> [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    @Test(
        "what is not below the folder, hidden, or behind a link is not there",
        arguments: [
            "secret.txt", "../secret.txt", "link.txt", "up/secret.txt", ".hidden", "sub/../a.txt", "a.txt/",
            "sub//index.html", "//a.txt", "A.TXT", "",
            String(repeating: "a", count: 300),
        ]
    )
    func notThere(path: String) async throws {
        let files = try StaticFiles(root: folder + "/root")
        #expect(try await get(files, path).response.status == 404)
    }

    @Test func `a small file is read once and answered from memory until it changes`() async throws {
        let files = try StaticFiles(root: folder + "/root")
        let first = try await get(files, "/a.txt")
        #expect(body(first.response) == Array("hello".utf8) && !first.isCached)
        let second = try await get(files, "a.txt")
        #expect(body(second.response) == Array("hello".utf8) && second.isCached)
        put("root/a.txt", Array("changed!".utf8))
        let third = try await get(files, "a.txt")
        #expect(body(third.response) == Array("changed!".utf8) && !third.isCached)
        #expect(third.response.fields["etag"] != second.response.fields["etag"])
        unsafe unlink(folder + "/root/a.txt")
        #expect(try await get(files, "a.txt").response.status == 404)
    }

    @Test func `gzip has its own tag, and a prepared file beside is used`() async throws {
        let files = try StaticFiles(root: folder + "/root", caching: .immutable)
        let packed = try await get(files, "app.js", ["Accept-Encoding": "gzip"]).response
        let plain = try await get(files, "app.js").response
        #expect(packed.fields["content-encoding"] == "gzip" && body(packed).count < script.count)
        #expect(body(plain) == script && plain.fields["vary"] == "Accept-Encoding")
        #expect(packed.fields["etag"] != plain.fields["etag"])
        #expect(plain.fields["cache-control"] == "public, max-age=31536000, immutable")
        let known = try await get(files, "app.js", ["If-None-Match": plain.fields["etag"] ?? ""]).response
        #expect(known.status == 304)
        put("root/app.js.gz", Array("prepared".utf8))
        let again = try StaticFiles(root: folder + "/root")
        #expect(body(try await get(again, "app.js", ["Accept-Encoding": "gzip"]).response) == Array("prepared".utf8))
    }

    @Test func `ranges cut small and large files, one or several`() async throws {
        let files = try StaticFiles(root: folder + "/root")
        let one = try await get(files, "a.txt", ["Range": "bytes=1-3"]).response
        #expect(one.status == 206 && body(one) == Array("ell".utf8) && one.fields["content-range"] == "bytes 1-3/5")
        let two = try await get(files, "a.txt", ["Range": "bytes=0-0,-1"]).response
        let text = String(decoding: body(two), as: UTF8.self)
        #expect(two.status == 206 && two.fields["content-type"]?.hasPrefix("multipart/byteranges; boundary=") == true)
        #expect(
            text.contains("Content-Range: bytes 0-0/5\r\n\r\nh\r\n--")
                && text.contains("Content-Range: bytes 4-4/5\r\n\r\no\r\n--")
        )
        #expect(try await get(files, "a.txt", ["Range": "bytes=9-"]).response.status == 416)
        #expect(try await get(files, "a.txt", ["Range": "bytes=1-3"], method: .head).response.status == 200)
        guard
            case .file(let large) = try await get(files, "large.bin", ["Range": "bytes=1000000-2999999"]).response.body
        else {
            Issue.record("a large file is not kept in memory")
            return
        }
        #expect(large.length == 2_000_000)
    }

    @Test func `a large file is read while it is sent`() async throws {
        let files = try StaticFiles(root: folder + "/root")
        let server = try TestServer { router in router.on(.get, "/*path") { files.answer($0, path: $1["path"] ?? "") } }
        let answer = try await HTTPClient.send(OutgoingRequest(url: "http://127.0.0.1:\(server.port)/large.bin"))
        let expected = unsafe try OpenFile(adopting: open(folder + "/root/large.bin", O_RDONLY)).read(0..<(4 << 20))
        #expect(body(answer) == expected)
        await server.stop()
    }

    @Test func `a folder is redirected to its slash, and shows its index`() async throws {
        let files = try StaticFiles(root: folder + "/root")
        #expect(body(try await get(files, "sub/").response) == Array("<p>index</p>".utf8))
        let redirect = try await get(files, "sub").response
        #expect(redirect.status == 308 && redirect.fields["location"] == "/x/")
    }
}
