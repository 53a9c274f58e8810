import Dashboard
import Desktops
import Glibc
import Testing
import Web
import Wire

@Suite("Slow tabs", .timeLimit(.minutes(5)))
@Loop struct SlowTabTests {
    @Test func `BR-14a a tab that does not read gets one fresh snapshot later, and others lose nothing`() async throws {
        let scene = try await Scene(["s1": [.message(0, "start")]])
        let id = scene.id("s1")
        let slow = DeafTab(port: scene.port, cookie: scene.owner)
        slow.say("{\"type\":\"visible\",\"generation\":1}")
        slow.say("{\"type\":\"claim\",\"claim\":\"c\",\"session\":\"\(id)\",\"generation\":1}")
        let quick = try await scene.live()
        quick.show(id)
        #expect(await eventually { scene.service.followed == ["s1"] && quick.html.contains("start") })
        // Far more than the kernel takes for a peer that does not read.
        let body = String(repeating: "0123456789abcdef ", count: 1_500)
        var seq = 0
        for _ in 0..<30 {
            var batch: [Block] = []
            for _ in 0..<20 {
                seq += 1
                batch.append(.message(seq, "\(body) mark-\(seq)-"))
            }
            scene.publish("s1", batch)
            let last = "mark-\(seq)-"
            #expect(await eventually { quick.last.firstRange(of: last) != nil })
        }
        let sent = 30 * 20 * body.utf8.count
        let last = "mark-\(seq)-"
        // Now it reads: what was queued, then the newest state, once.
        let received = try await slow.readAll(until: last)
        #expect(received.count < sent, "\(received.count) of \(sent) bytes")
        #expect(received.count(of: "\"reset\":true") >= 1)
        slow.close()
        await scene.stop()
    }
}

/// A browser whose network is stuck: it speaks, and reads only when told to.
///
/// No compression.
@Loop private final class DeafTab {
    private let descriptor: Int32

    init(port: Int, cookie: String) {
        descriptor = openSocket(port: port)
        let request = Array(
            """
            GET /live HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nCookie: \(cookie)\r\nConnection: Upgrade\r\nUpgrade: websocket\r
            Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n
            """.utf8
        )
        _ = unsafe write(descriptor, request, request.count)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    func say(_ text: String) {
        let payload = Array(text.utf8)
        precondition(payload.count < 65_536)
        var frame: [UInt8] = [0x81]
        if payload.count < 126 {
            frame.append(0x80 | UInt8(payload.count))
        } else {
            frame += [0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 255)]
        }
        // A mask of zeros leaves the text as it is.
        frame += [0, 0, 0, 0] + payload
        _ = unsafe write(descriptor, frame, frame.count)
    }

    /// Everything that comes until `mark` has come, as text.
    func readAll(until mark: String) async throws -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 20)
        let deadline = Loop.now + 20_000
        while Loop.now < deadline {
            let count = unsafe read(descriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer[..<count]
                if String(decoding: bytes.suffix(2 << 20), as: UTF8.self).firstRange(of: mark) != nil { break }
            }
            try await Loop.sleep(milliseconds: 2)
        }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.firstRange(of: mark) != nil, "the newest state came")
        return text
    }

    func close() { Glibc.close(descriptor) }
}

extension String {
    fileprivate var count: Int { utf8.count }
}
