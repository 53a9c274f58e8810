// The shell: a simulated desktop on the real loop and its clock.

import Simulator
import Testing
import Web
import Wire

/// Waits until something holds, at most ten seconds.
@Loop func eventually(_ condition: @Loop () -> Bool) async throws -> Bool {
    let deadline = Loop.now + 10_000
    while !condition() {
        guard Loop.now < deadline else { return false }
        try await Loop.sleep(milliseconds: 5)
    }
    return true
}

/// What a desktop sent.
@Loop final class Tape {
    var frames: [JSON] = []

    func count(_ type: String) -> Int { frames.count { $0["type"]?.string == type } }
    func events(_ type: String) -> Int { frames.count { $0["payload"]?["eventType"]?.string == type } }
}

@Suite("Simulated desktop on the loop", .timeLimit(.minutes(1)))
struct SimulatedDesktopTests {
    @Test @Loop func `registers, streams to whoever watches, and is silent after stop`() async throws {
        let tape = Tape()
        let desktop = SimulatedDesktop(Demonstration.desktops[0]) { frame in
            if let message = try? JSON(parsing: frame) { tape.frames.append(message) }
        }
        desktop.start()
        #expect(tape.count("register") == 1)
        desktop.receive(Array(#"{"type":"registered"}"#.utf8))
        #expect(tape.count("heartbeat") == 1)
        let interest: JSON = [
            "type": "event", "sourceDeviceId": "phone",
            "payload": [
                "eventType": "chat:timeline-interest",
                "payload": ["appSessionId": "a1f40b7e-3c55-4e0e-8f0c-5d2b7a901101", "active": true],
            ],
        ]
        desktop.receive(interest.encoded())
        #expect(tape.events("chat:timeline-updated") == 1)
        let isStreaming = try await eventually { tape.events("chat:timeline-updated") >= 3 }
        #expect(isStreaming)
        desktop.stop()
        let count = tape.frames.count
        desktop.receive(interest.encoded())
        try await Loop.sleep(milliseconds: 300)
        #expect(tape.frames.count == count)
    }
}
