import Glibc
import Testing
import Web
import Wire

@Suite("Clients, TLS and WebSockets over real sockets", .timeLimit(.minutes(1)))
@Loop struct HTTPClientTests {
    /// An authority and a server's context for `localhost` and 127.0.0.1 in a folder of its own.
    private func makeTLS(names: [String] = ["localhost", "127.0.0.1"]) throws -> (
        server: TLSContext, client: TLSContext, folder: String
    ) {
        let folder = "/tmp/tls-\(RandomBytes.alphanumeric(12))"
        unsafe mkdir(folder, 0o700)
        let files = try LocalAuthority.prepare(folder: folder, names: names)
        return (
            try TLSContext.server(certificate: files.certificate, key: files.key),
            try TLSContext.client(trust: .authorities(file: files.authority)), folder
        )
    }

    private func fill(_ router: Router) {
        router.on(.get, "/hello") { _, _ in .response(.text("hello")) }
        router.on(.post, "/echo", bodyLimit: 4 << 20) { request, _ in
            .response(HTTPResponse(body: .bytes(request.body)))
        }
        router.on(.get, "/chunks") { _, _ in
            let stream = ResponseStream()
            for part in ["one", "two", "three"] { stream.write(Array(part.utf8)) }
            stream.finish()
            return .response(HTTPResponse(body: .stream(stream)))
        }
        router.on(.get, "/never") { _, _ in
            .later {
                try? await Loop.sleep(milliseconds: 60_000); return .text("")
            }
        }
        router.on(.get, "/ws") { _, _ in
            var options = WebSocketOptions()
            options.maxMessage = 4 << 20
            return .upgrade(options, ["X-Extra": "yes"]) { socket in
                socket.onText = { [unowned socket] text in
                    switch String(decoding: text, as: UTF8.self) {
                    case "close": socket.close(4_000, "as you wish")
                    case "abandon": socket.abandon()
                    default: socket.send(text: text)
                    }
                }
                socket.onBinary = { [unowned socket] in socket.send(binary: $0) }
                socket.send(text: "welcome")
            }
        }
    }

    private func bytes(_ response: HTTPResponse) -> [UInt8] {
        if case .bytes(let bytes) = response.body { bytes } else { [] }
    }

    @Test("answers arrive, plain and over TLS", arguments: [false, true])
    func answers(isSecure: Bool) async throws {
        let tls = isSecure ? try makeTLS() : nil
        let server = try TestServer(tls: tls?.server, fill)
        let base = "\(isSecure ? "https" : "http")://localhost:\(server.port)"
        func get(_ path: String) async throws -> HTTPResponse {
            try await HTTPClient.send(OutgoingRequest(url: base + path), tls: tls?.client)
        }
        #expect(bytes(try await get("/hello")) == Array("hello".utf8))
        #expect(bytes(try await get("/chunks")) == Array("onetwothree".utf8))
        #expect(try await get("/none").status == 404)
        let large = RandomBytes.bytes(3 << 20)
        let echo = try await HTTPClient.send(OutgoingRequest(.post, url: base + "/echo", body: large), tls: tls?.client)
        #expect(bytes(echo) == large)
        var small = OutgoingRequest(.post, url: base + "/echo", body: large)
        small.responseLimit = 1_000
        await #expect(throws: HTTPClientError.tooLarge) { try await HTTPClient.send(small, tls: tls?.client) }
        await server.stop()
    }

    @Test func `a certificate that is not trusted, or names another host, is refused`() async throws {
        let tls = try makeTLS(names: ["other.example", "::1"])
        let server = try TestServer(tls: tls.server, fill)
        let url = "https://127.0.0.1:\(server.port)/hello"
        await expectUntrusted(url, nil)
        await expectUntrusted(url, tls.client)
        await server.stop()
    }

    private func expectUntrusted(_ url: String, _ tls: TLSContext?) async {
        do throws(HTTPClientError) {
            _ = try await HTTPClient.send(OutgoingRequest(url: url), tls: tls)
            Issue.record("the certificate was believed")
        } catch {
            guard case .dial(.tls(.untrusted)) = error else {
                Issue.record("refused for another reason: \(error)")
                return
            }
        }
    }

    @Test func `a local authority is kept, and a certificate is made anew for new names`() throws {
        let folder = "/tmp/tls-\(RandomBytes.alphanumeric(12))"
        unsafe mkdir(folder, 0o700)
        func read(_ path: String) throws -> [UInt8] {
            unsafe try OpenFile(adopting: open(path, O_RDONLY)).read(0..<10_000)
        }
        let files = try LocalAuthority.prepare(folder: folder, names: ["a.example"])
        let before = (try read(files.authority), try read(files.certificate))
        #expect(try LocalAuthority.prepare(folder: folder, names: ["a.example"]) == files)
        #expect(try read(files.certificate) == before.1)
        _ = try LocalAuthority.prepare(folder: folder, names: ["a.example", "192.168.1.7", "fd00::1"])
        #expect(try read(files.authority) == before.0)
        #expect(try read(files.certificate) != before.1)
        #expect(throws: LocalAuthorityError.invalidName("a,DNS:b")) {
            try LocalAuthority.prepare(folder: folder, names: ["a,DNS:b"])
        }
        var status = stat()
        #expect(unsafe stat(folder + "/ca.key", &status) == 0 && status.st_mode & 0o077 == 0)
        #expect(LocalAuthority.ownNames().contains("localhost"))
    }

    @Test func `draining does not wait for connections that never began TLS`() async throws {
        let server = try TestServer(tls: makeTLS().server, fill)
        let silent = try TestPeer(server.address)
        while server.server.activeConnections == 0 { try await Loop.sleep(milliseconds: 1) }
        await server.server.drain(within: 60_000)
        #expect(server.server.activeConnections == 0)
        silent.close()
    }

    @Test func `a renewed certificate counts for new connections without a restart`() async throws {
        let old = try makeTLS(), new = try makeTLS()
        let server = try TestServer(tls: old.server, fill)
        let url = "https://localhost:\(server.port)/hello"
        #expect(try await HTTPClient.send(OutgoingRequest(url: url), tls: old.client).status == 200)
        server.server.renew(tls: new.server)
        #expect(try await HTTPClient.send(OutgoingRequest(url: url), tls: new.client).status == 200)
        await expectUntrusted(url, old.client)
    }

    @Test func `a request ends with its deadline, its task, or the connection`() async throws {
        let server = try TestServer(fill)
        let base = "http://127.0.0.1:\(server.port)"
        await #expect(throws: HTTPClientError.timedOut) {
            try await HTTPClient.send(OutgoingRequest(url: base + "/never"), deadline: 100)
        }
        let task = Loop.spawn { @Loop () -> HTTPClientError? in
            do throws(HTTPClientError) {
                _ = try await HTTPClient.send(OutgoingRequest(url: base + "/never"))
                return nil
            } catch {
                return error
            }
        }
        await waitUntil { server.server.counters.requests >= 2 }
        task.cancel()
        #expect(await task.value == .cancelled)
        await server.stop()
        await #expect(throws: HTTPClientError.dial(.unreachable(Errno(code: ECONNREFUSED)))) {
            try await HTTPClient.send(OutgoingRequest(url: base + "/hello"))
        }
        await #expect(throws: HTTPClientError.invalidURL) {
            try await HTTPClient.send(OutgoingRequest(url: "ftp://x/"))
        }
    }

    @Test(
        "what is no proper answer is an error",
        arguments: [
            ("SSH-2.0-OpenSSH\r\n\r\n", HTTPClientError.malformedResponse),
            ("HTTP/1.1 200 OK\r\nBad Field: x\r\n\r\n", .malformedResponse),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", .cut),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n", .cut),
            ("HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", .tooLarge),
            ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", .malformedResponse), ("HTTP/1.1 200 OK\r\n", .cut),
            ("", .cut),
        ]
    )
    func badAnswers(answer: String, expected: HTTPClientError) async throws {
        let (listener, address) = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        guard case .tcp(_, let port) = address else { return }
        let watch = try Loop.watch(descriptor: listener, for: .readable) { _ in
            guard case .connection(let descriptor, _) = Sockets.accept(from: listener) else { return }
            let bytes = Array(answer.utf8)
            _ = unsafe write(descriptor, bytes, bytes.count)
            // What the client sends is read first, or closing would reset the connection.
            Loop.after(milliseconds: 20) {
                var buffer = [UInt8](repeating: 0, count: 1_000)
                _ = unsafe read(descriptor, &buffer, buffer.count)
                Sockets.close(descriptor)
            }
        }
        await #expect(throws: expected) { try await HTTPClient.send(OutgoingRequest(url: "http://127.0.0.1:\(port)/")) }
        watch.cancel()
        Sockets.close(listener)
    }

    @Test(
        "WebSocket messages of many sizes come back, plain and over TLS",
        arguments: [false, true],
        [WebSocketDeflate.off, .contextTakeover, .noContextTakeover]
    )
    func webSocketEcho(isSecure: Bool, deflate: WebSocketDeflate) async throws {
        let tls = isSecure ? try makeTLS() : nil
        let server = try TestServer(tls: tls?.server, fill)
        var options = WebSocketOptions()
        options.deflate = deflate
        let url = "\(isSecure ? "wss" : "ws")://localhost:\(server.port)/ws"
        let socket = try await WebSocketClient.connect(url: url, options: options, tls: tls?.client)
        var texts: [[UInt8]] = []
        var binaries: [[UInt8]] = []
        var ended: (UInt16, String)?
        socket.onText = { texts.append($0) }
        socket.onBinary = { binaries.append($0) }
        socket.onClose = { ended = ($0, $1) }
        var sent: [[UInt8]] = []
        for size in [0, 1, 125, 126, 65_535, 65_536, 1 << 20, 3 << 20] {
            let message = size % 2 == 0 ? [UInt8](repeating: 0x61, count: size) : RandomBytes.bytes(size)
            sent.append(message)
            socket.send(binary: message)
        }
        socket.send(text: "ü")
        await waitUntil { binaries.count == sent.count && texts.count == 2 }
        #expect(binaries == sent)
        #expect(texts == [Array("welcome".utf8), Array("ü".utf8)])
        socket.send(text: "close")
        await waitUntil { ended != nil }
        #expect(ended?.0 == 4_000 && ended?.1 == "as you wish")
        await waitUntil { server.server.activeConnections == 0 }
        await server.stop()
    }

    @Test func `each end learns how a WebSocket ended`() async throws {
        let server = try TestServer(fill)
        let url = "ws://127.0.0.1:\(server.port)/ws"
        let first = try await WebSocketClient.connect(url: url)
        var codes: [UInt16] = []
        first.onClose = { code, _ in codes.append(code) }
        first.send(text: "abandon")
        await waitUntil { codes == [1006] }
        let second = try await WebSocketClient.connect(url: url)
        second.onClose = { code, _ in codes.append(code) }
        second.close(1001, "bye")
        #expect(!second.isOpen)
        second.send(text: "ignored")
        await waitUntil { codes == [1006, 1001] }
        await server.stop()
    }

    @Test func `a refused handshake tells its status`() async throws {
        let server = try TestServer(fill)
        for (path, status) in [("/none", 404), ("/hello", 200)] {
            await #expect(throws: WebSocketConnectError.refused(status: status)) {
                try await WebSocketClient.connect(url: "ws://127.0.0.1:\(server.port)\(path)")
            }
        }
        await #expect(throws: WebSocketConnectError.invalidURL) {
            try await WebSocketClient.connect(url: "http://127.0.0.1/")
        }
        let peer = try TestPeer(server.address)
        await peer.send("GET /ws HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await peer.untilEnd().contains("426 Upgrade Required"))
        await server.stop()
    }

    @Test func `a silent peer is pinged and then let go`() async throws {
        var options = WebSocketOptions()
        options.pingInterval = 30
        var ended: UInt16?
        let server = try TestServer { router in
            router.on(.get, "/ws") { _, _ in
                .upgrade(options, [:]) { socket in socket.onClose = { code, _ in ended = code } }
            }
        }
        let peer = try TestPeer(server.address)
        await peer.send(
            "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        _ = await peer.untilEnd()
        #expect(peer.received.suffix(2) == [0x89, 0])
        await waitUntil { ended == 1006 }
        await server.stop()
    }

    @Test func `one prepared message reaches every socket, and a stalled one ends`() async throws {
        var options = WebSocketOptions()
        options.stallTimeout = 60
        options.deflate = .off
        var sockets: [WebSocket] = []
        var ended: [UInt16] = []
        let server = try TestServer { router in
            router.on(.get, "/ws") { _, _ in
                .upgrade(options, [:]) { socket in
                    sockets.append(socket)
                    socket.onClose = { code, _ in ended.append(code) }
                }
            }
        }
        var heard = [Int](repeating: 0, count: 4)
        var clients: [WebSocket] = []
        for index in 0..<4 {
            let client = try await WebSocketClient.connect(url: "ws://127.0.0.1:\(server.port)/ws")
            client.onText = { heard[index] += $0.count }
            clients.append(client)
        }
        let stalled = try TestPeer(server.address)
        await stalled.send(
            "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        await waitUntil { sockets.count == 5 }
        stalled.isSlow = true
        let message = PreparedMessage(text: [UInt8](repeating: 0x61, count: 1 << 16))
        for socket in sockets { socket.send(message) }
        await waitUntil { heard.allSatisfy { $0 == 1 << 16 } }
        for _ in 0..<160 { sockets.last?.send(message) }
        await waitUntil { ended == [1013] }
        for client in clients { client.abandon() }
        await server.stop()
    }

    @Test func `a socket whose queue passes its bound is ended`() async throws {
        var options = WebSocketOptions()
        options.maxBuffered = 1 << 20
        options.deflate = .off
        var socket: WebSocket?
        let server = try TestServer { router in
            router.on(.get, "/ws") { _, _ in .upgrade(options, [:]) { socket = $0 } }
        }
        let peer = try TestPeer(server.address)
        await peer.send(
            "GET /ws HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
        )
        await waitUntil { socket != nil }
        peer.isSlow = true
        let message = [UInt8](repeating: 0x61, count: 256 << 10)
        for _ in 0..<64 where socket?.isOpen == true {
            socket?.send(binary: message)
            await Task.yield()
        }
        await waitUntil { server.server.activeConnections == 0 }
        await server.stop()
    }
}
