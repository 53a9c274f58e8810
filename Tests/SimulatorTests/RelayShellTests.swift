// The simulated relay on the real loop: WebSockets on loopback, connections inside the process, scripted desktops.

import Simulator
import Testing
import Web
import Wire

/// A phone on a WebSocket that a test plays by hand.
@Loop private final class HandPhone {
    var frames: [JSON] = []
    var sizes: [Int] = []
    var end: UInt16?
    let socket: WebSocket
    static let device = "aaaaaaaa-0000-4000-8000-000000000001"

    init(_ relay: SimulatedRelay, desktop: String) async throws {
        let fields: HTTPFields = [
            "Authorization": "Bearer t", "X-Device-ID": HandPhone.device, "X-Token-Binding": HandPhone.device,
            "X-Client-Type": "mobile", "X-Target-Desktop-Device-ID": desktop,
        ]
        socket = try await WebSocketClient.connect(url: relay.url, fields: fields)
        socket.onText = { [weak self] text in
            self?.sizes.append(text.count)
            if let message = try? JSON(parsing: text) { self?.frames.append(message) }
        }
        socket.onClose = { [weak self] code, _ in self?.end = code }
        send(
            "register",
            ["deviceId": .string(HandPhone.device), "deviceName": "hand", "targetDesktopDeviceId": .string(desktop)]
        )
    }

    func send(_ type: String, _ payload: JSON) {
        let message: JSON = ["type": .string(type), "payload": payload]
        socket.send(text: message.encoded())
    }

    func count(_ type: String) -> Int { frames.count { $0["type"]?.string == type } }
}

@Suite("Simulated relay on the loop", .timeLimit(.minutes(1)))
struct RelayShellTests {
    private let desktop = Demonstration.desktops[0].id

    @Test @Loop func `a phone asks a scripted desktop through it`() async throws {
        let relay = SimulatedRelay()
        try relay.listen()
        _ = relay.attach(Demonstration.desktops[0])
        let phone = try await HandPhone(relay, desktop: desktop)
        let isRegistered = try await eventually { phone.count("registered") == 1 }
        #expect(isRegistered)
        let request: JSON = [
            "id": "r-1", "method": "chat.list", "params": [:],
            "traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ]
        phone.send("rpc.request", request)
        let isAnswered = try await eventually { phone.count("rpc.response") == 1 }
        #expect(isAnswered)
        #expect(relay.complaints.isEmpty)
        #expect(relay.connections.count == 2)
        await relay.stop()
        let isEnded = try await eventually { phone.end != nil }
        #expect(isEnded)
    }

    @Test @Loop func `a refused upgrade is refused with its status, and the next one passes`() async throws {
        let relay = SimulatedRelay(RelayScript(refusals: [503]))
        try relay.listen()
        let isRefused: Bool
        do {
            _ = try await HandPhone(relay, desktop: desktop)
            isRefused = false
        } catch let error as WebSocketConnectError {
            isRefused = error == .refused(status: 503)
        }
        #expect(isRefused)
        _ = try await HandPhone(relay, desktop: desktop)
        await relay.stop()
    }

    @Test @Loop func `half a frame arrives, then the connection is dead`() async throws {
        let relay = SimulatedRelay(RelayScript(faults: [RelayFault(.half, type: "session-updated")]))
        try relay.listen()
        let phone = try await HandPhone(relay, desktop: desktop)
        let isRegistered = try await eventually { phone.count("registered") == 1 }
        #expect(isRegistered)
        relay.emit("session-updated", ["n": 1], from: desktop)
        let isEnded = try await eventually { phone.end != nil }
        #expect(isEnded)
        #expect(phone.end == 1006)
        #expect(phone.count("event") == 0)
        await relay.stop()
    }

    @Test @Loop func `a close code reaches the client, and a late frame comes late`() async throws {
        let relay = SimulatedRelay(
            RelayScript(faults: [
                RelayFault(.delay(80), type: "session-updated"),
                RelayFault(.close(4001, "expired"), type: "session-deleted"),
            ])
        )
        try relay.listen()
        let phone = try await HandPhone(relay, desktop: desktop)
        let isRegistered = try await eventually { phone.count("registered") == 1 }
        #expect(isRegistered)
        let start = Loop.now
        relay.emit("session-updated", ["n": 1], from: desktop)
        let hasArrived = try await eventually { phone.count("event") == 1 }
        #expect(hasArrived)
        #expect(Loop.now - start >= 75)
        relay.emit("session-deleted", ["n": 2], from: desktop)
        let isEnded = try await eventually { phone.end == 4001 }
        #expect(isEnded)
        await relay.stop()
    }

    @Test @Loop func `a frame above 32 MiB ends the connection with 1009 at the client (R21)`() async throws {
        let relay = SimulatedRelay(
            RelayScript(faults: [RelayFault(.oversize((32 << 20) + 1), type: "session-updated")])
        )
        try relay.listen()
        let phone = try await HandPhone(relay, desktop: desktop)
        let isRegistered = try await eventually { phone.count("registered") == 1 }
        #expect(isRegistered)
        relay.emit("session-updated", ["n": 1], from: desktop)
        let isEnded = try await eventually { phone.end != nil }
        #expect(isEnded)
        #expect(phone.end == 1009)
        await relay.stop()
    }

    @Test @Loop func `a connection inside the process hears frames and its end on turns of its own`() async throws {
        let relay = SimulatedRelay()
        let visitor = RelayVisitor(device: HandPhone.device, role: .phone, target: desktop)
        let connection = try #require(relay.connect(as: visitor))
        let tape = Tape()
        connection.onText = { text in if let message = try? JSON(parsing: text) { tape.frames.append(message) } }
        var end: UInt16?
        connection.onClose = { code, _ in end = code }
        let payload: JSON = [
            "deviceId": .string(HandPhone.device), "deviceName": "in", "targetDesktopDeviceId": .string(desktop),
        ]
        let register: JSON = ["type": "register", "payload": payload]
        connection.send(register.encoded())
        #expect(tape.frames.isEmpty)
        let isRegistered = try await eventually { tape.count("registered") == 1 }
        #expect(isRegistered)
        relay.restart()
        #expect(end == nil)
        let isEnded = try await eventually { end == 1006 }
        #expect(isEnded)
        #expect(!connection.isOpen)
        await relay.stop()
    }
}
