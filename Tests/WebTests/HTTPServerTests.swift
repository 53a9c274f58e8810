import Glibc
import Testing
import Web
import Wire

@Suite("HTTP server", .timeLimit(.minutes(1)))
@Loop struct HTTPServerTests {
    private func fill(_ router: Router) {
        router.on(.get, "/hello") { _, _ in .response(.text("hello")) }
        router.on(.get, "/big") { _, _ in
            .response(HTTPResponse(body: .bytes([UInt8](repeating: 0x61, count: 8 << 20))))
        }
        router.on(.post, "/echo", bodyLimit: 100) { request, _ in .response(HTTPResponse(body: .bytes(request.body))) }
        router.on(.get, "/later") { _, _ in
            .later {
                await Task.yield()
                return .text("later")
            }
        }
        router.on(.get, "/who") { request, _ in
            .response(.text("\(request.peer.host) \(request.isSecure) \(request.host ?? "-") \(request.path)"))
        }
    }

    @Test func `pipelined requests are answered in order, late ones too`() async throws {
        let server = try TestServer(fill)
        let peer = try TestPeer(server.address)
        await peer.send(
            "GET /later HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\nPOST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                + "GET /none HTTP/1.1\r\nHost: a\r\n\r\nHEAD /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n"
        )
        let text = await peer.untilEnd()
        #expect(peer.statuses == [200, 200, 200, 404, 200])
        let bodies = text.components(separatedBy: "\r\n\r\n")
        #expect(bodies[1].hasPrefix("later") && bodies[2].hasPrefix("hello") && bodies[3].hasPrefix("abc"))
        #expect(bodies[4].hasPrefix("404 Not Found"))
        #expect(bodies[5] == "")
        await server.stop()
    }

    @Test(
        "a body may be as large as its route allows and no larger",
        arguments: [
            ("Content-Length: 100\r\n\r\n" + String(repeating: "x", count: 100), 200),
            ("Content-Length: 101\r\n\r\n" + String(repeating: "x", count: 101), 413),
            ("Transfer-Encoding: chunked\r\n\r\n64\r\n" + String(repeating: "x", count: 100) + "\r\n0\r\n\r\n", 200),
            ("Transfer-Encoding: chunked\r\n\r\n65\r\n", 413),
        ]
    )
    func bodyLimit(rest: String, status: Int) async throws {
        let server = try TestServer(fill)
        let peer = try TestPeer(server.address)
        await peer.send("POST /echo HTTP/1.1\r\nHost: a\r\n\(rest)")
        #expect(await peer.answers(1) == [status])
        await server.stop()
    }

    @Test func `100 Continue is said before a body that is wanted, and not before one that is not`() async throws {
        let server = try TestServer(fill)
        let peer = try TestPeer(server.address)
        await peer.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        #expect(await peer.answers(1) == [100])
        await peer.send("abc")
        #expect(await peer.answers(2) == [100, 200])
        let second = try TestPeer(server.address)
        await second.send("POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n")
        _ = await second.untilEnd()
        #expect(second.statuses == [413])
        await server.stop()
    }

    @Test func `a large answer arrives whole at a client that reads late`() async throws {
        let server = try TestServer(fill)
        let peer = try TestPeer(server.address)
        peer.isSlow = true
        await peer.send(
            "GET /big HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
        )
        try await Loop.sleep(milliseconds: 20)
        peer.isSlow = false
        _ = await peer.untilEnd()
        #expect(peer.received.count > 8 << 20)
        #expect(peer.ends(with: "hello"))
        await server.stop()
    }

    @Test func `a client that takes nothing is let go`() async throws {
        var limits = HTTPLimits()
        limits.writeTimeout = 30
        let server = try TestServer(limits: limits, fill)
        let peer = try TestPeer(server.address)
        peer.isSlow = true
        await peer.send("GET /big HTTP/1.1\r\nHost: a\r\n\r\n")
        await waitUntil { server.server.activeConnections == 0 && server.server.counters.timeouts == 1 }
        await server.stop()
    }

    @Test(
        "every wait has an end",
        arguments: [
            ("", nil), ("GET /hel", 408), ("GET /hello HTTP/1.1\r\nHost: a\r\nX:", 408),
            ("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc", 408),
            ("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n", 200),
        ] as [(String, Int?)]
    )
    func timeouts(text: String, status: Int?) async throws {
        var limits = HTTPLimits()
        (limits.headTimeout, limits.bodyTimeout, limits.idleTimeout) = (40, 40, 40)
        let server = try TestServer(limits: limits, fill)
        let peer = try TestPeer(server.address)
        await peer.send(text)
        _ = await peer.untilEnd()
        #expect(peer.hasEnded)
        #expect(peer.statuses == (status.map { [$0] } ?? []))
        await server.stop()
    }

    @Test func `a handler that takes too long is answered for, and cancelled`() async throws {
        var limits = HTTPLimits()
        limits.handlerTimeout = 30
        var wasCancelled = false
        let server = try TestServer(limits: limits) { router in
            router.on(.get, "/stuck") { _, _ in
                .later {
                    do throws(CancellationError) { try await Loop.sleep(milliseconds: 60_000) } catch {
                        wasCancelled = true
                    }
                    return .text("never")
                }
            }
        }
        let peer = try TestPeer(server.address)
        await peer.send("GET /stuck HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = await peer.untilEnd()
        #expect(peer.statuses == [503])
        await waitUntil { wasCancelled }
        await server.stop()
    }

    @Test func `a stream is sent as it is made, and its producer waits for a slow client`() async throws {
        let stream = ResponseStream()
        let server = try TestServer { router in
            router.on(.get, "/stream") { _, _ in .response(HTTPResponse(body: .stream(stream))) }
        }
        let peer = try TestPeer(server.address)
        await peer.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        await waitUntil { peer.statuses == [200] }
        stream.write(Array("one".utf8))
        await peer.wait { $0.text.contains("3\r\none\r\n") }
        peer.isSlow = true
        let block = [UInt8](repeating: 0x62, count: 100_000)
        var written = 0
        let producer = Loop.spawn { @Loop in
            for _ in 0..<100 {
                await stream.room()
                stream.write(block)
                written += 1
            }
            stream.finish()
        }
        try await Loop.sleep(milliseconds: 50)
        #expect(written < 100)
        #expect(stream.bufferedBytes < 1 << 20)
        peer.isSlow = false
        await producer.value
        await peer.wait { $0.ends(with: "0\r\n\r\n") }
        #expect(peer.received.count > 100 * block.count)
        await peer.send("GET /none HTTP/1.1\r\nHost: a\r\n\r\n")
        await waitUntil { peer.ends(with: "404 Not Found\n") }
        await server.stop()
    }

    @Test func `a producer learns that its client is gone`() async throws {
        let stream = ResponseStream()
        var isAbandoned = false
        stream.onAbandoned = { isAbandoned = true }
        let server = try TestServer { router in
            router.on(.get, "/stream") { _, _ in .response(HTTPResponse(body: .stream(stream))) }
        }
        let peer = try TestPeer(server.address)
        await peer.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        await waitUntil { peer.statuses == [200] }
        peer.close()
        await waitUntil { isAbandoned }
        #expect(stream.isAbandoned)
        await server.stop()
    }

    @Test func `draining lets a running request end and closes idle connections`() async throws {
        var release: CheckedContinuation<Void, Never>?
        let server = try TestServer { router in
            router.on(.get, "/wait") { _, _ in
                .later {
                    await withCheckedContinuation { release = $0 }
                    return .text("done")
                }
            }
        }
        let idle = try TestPeer(server.address)
        let busy = try TestPeer(server.address)
        await busy.send("GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
        await waitUntil { release != nil && server.server.activeConnections == 2 }
        let draining = Loop.spawn { @Loop in await server.server.drain(within: 10_000) }
        _ = await idle.untilEnd()
        #expect(idle.hasEnded && !busy.hasEnded)
        release?.resume()
        let text = await busy.untilEnd()
        #expect(text.contains("Connection: close") && text.hasSuffix("done"))
        await draining.value
        #expect(server.server.activeConnections == 0)
    }

    @Test func `a base path is stripped, and nothing outside it is served`() async throws {
        let server = try TestServer(basePath: "/app/", fill)
        let peer = try TestPeer(server.address)
        for target in ["/app/who", "/app/x/../wh%6F", "/who", "/application/who", "/app"] {
            await peer.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
        }
        _ = await peer.answers(5)
        #expect(peer.statuses == [200, 200, 404, 404, 308])
        #expect(peer.text.components(separatedBy: " a /who").count == 3)
        #expect(peer.text.contains("Location: /app/\r\n"))
        await server.stop()
    }

    @Test func `a trusted proxy says who asks, a stranger does not`() async throws {
        let fields =
            "X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.1.1.1\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: wheel.example\r\n"
        for (blocks, expected) in [
            (["127.0.0.1", "10.0.0.0/8"], "203.0.113.9 true wheel.example"), ([], "127.0.0.1 false a"),
        ] {
            let server = try TestServer(trustedProxies: blocks.compactMap { AddressBlock(parsing: $0) }, fill)
            let peer = try TestPeer(server.address)
            await peer.send("GET /who HTTP/1.1\r\nHost: a\r\n\(fields)Connection: close\r\n\r\n")
            #expect(await peer.untilEnd().contains(expected))
            await server.stop()
        }
    }

    @Test func `a host that is not ours is misdirected`() async throws {
        let server = try TestServer(fill)
        server.server.isHostAllowed = { $0 == "a" }
        let peer = try TestPeer(server.address)
        await peer.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\nGET /hello HTTP/1.1\r\nHost: evil.example\r\n\r\n")
        _ = await peer.untilEnd()
        #expect(peer.statuses == [200, 421])
        await server.stop()
    }

    @Test func `more connections than allowed are turned away with 503`() async throws {
        var limits = HTTPLimits()
        limits.connections = 2
        let server = try TestServer(limits: limits, fill)
        let first = try TestPeer(server.address)
        let second = try TestPeer(server.address)
        await waitUntil { server.server.activeConnections == 2 }
        let third = try TestPeer(server.address)
        #expect(await third.untilEnd().contains("503 Service Unavailable"))
        await first.send("GET /hello HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await first.answers(1) == [200])
        second.close()
        await server.stop()
    }

    @Test func `a unix socket serves like a port`() async throws {
        let path = "/tmp/web-\(RandomBytes.alphanumeric(12)).sock"
        let server = try TestServer(address: .unix(path: path), fill)
        let peer = try TestPeer(server.address)
        await peer.send("GET /who HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await peer.untilEnd().contains("unix false a /who"))
        await server.stop()
        unsafe #expect(access(path, F_OK) != 0)
    }

    @Test func `pages are compressed for those who take gzip`() async throws {
        let page = Array(String(repeating: "<p>the same again</p>", count: 500).utf8)
        let server = try TestServer { router in router.on(.get, "/page") { _, _ in .response(.html(page)) } }
        let peer = try TestPeer(server.address)
        await peer.send("GET /page HTTP/1.1\r\nHost: a\r\nAccept-Encoding: br, gzip\r\nConnection: close\r\n\r\n")
        let text = await peer.untilEnd()
        #expect(text.contains("Content-Encoding: gzip") && text.contains("Vary: Accept-Encoding"))
        #expect(peer.received.count < page.count / 5)
        let plain = try TestPeer(server.address)
        await plain.send("GET /page HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
        #expect(await plain.untilEnd().contains("Content-Length: \(page.count)"))
        await server.stop()
    }

    @Test func `a head that drips costs no more than its size`() async throws {
        let server = try TestServer(fill)
        let peer = try TestPeer(server.address)
        for byte in Array("GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8) {
            await peer.send([byte])
            await Task.yield()
        }
        #expect(await peer.untilEnd().hasSuffix("hello"))
        await server.stop()
    }
}

/// Waits for a condition, ten seconds at most.
@Loop func waitUntil(_ condition: @Loop () -> Bool, sourceLocation: SourceLocation = #_sourceLocation) async {
    for _ in 0..<2_000 where !condition() { try? await Loop.sleep(milliseconds: 5) }
    #expect(condition(), sourceLocation: sourceLocation)
}
