import Desktops
import Testing

@Suite("Intake of events")
struct IntakeTests {
    private func snapshot(_ session: String, _ revision: Int, run: String = "r", thread: String = "main") -> LinkEvent {
        let payload =
            #"{"appSessionId":"\#(session)","runId":"\#(run)","threadId":"\#(thread)","revision":\#(revision),"blocks":[]}"#
        return LinkEvent(type: Intake.snapshotType, payload: Array(payload.utf8))
    }

    private func control(_ name: String) -> LinkEvent { LinkEvent(type: name, payload: Array("{}".utf8)) }

    private func drain(_ intake: inout Intake, leased: Set<String> = ["s", "t"]) -> [String] {
        var seen: [String] = []
        while let delivery = intake.next(isLeased: leased.contains) {
            switch delivery {
            case .control(let event): seen.append(event.type)
            case .snapshot(let key, let payload):
                let revision = (try? TimelineCodec.snapshot(payload))?.revision ?? -1
                seen.append("\(key.session)/\(key.run)/\(key.thread)@\(revision)")
                intake.finished()
            }
        }
        return seen
    }

    @Test func `R61, R62: events are admitted before anybody takes them, controls keep their order`() {
        var intake = Intake()
        var expected: [String] = []
        for number in 0..<1_000 {
            if number % 3 == 0 {
                #expect(intake.admit(snapshot("s", number)) == true)
            } else {
                #expect(intake.admit(control("c\(number)")) == true)
                expected.append("c\(number)")
            }
        }
        #expect(drain(&intake).filter { $0.hasPrefix("c") } == expected)
    }

    @Test func `R63: a control event never waits behind snapshots`() {
        var intake = Intake()
        for number in 0..<100 { _ = intake.admit(snapshot("s", 1, run: "r\(number)")) }
        _ = intake.admit(control("now"))
        #expect(intake.next(isLeased: { _ in true }) == .control(control("now")))
    }

    @Test func `R64: of one session, run and thread only the newest waiting snapshot is delivered`() {
        var intake = Intake()
        _ = intake.admit(snapshot("s", 1, thread: "helper"))
        for number in 1...50 { _ = intake.admit(snapshot("s", number)) }
        _ = intake.admit(snapshot("t", 7))
        _ = intake.admit(snapshot("s", 3, run: "q"))
        #expect(drain(&intake) == ["s/r/helper@1", "s/r/main@50", "t/r/main@7", "s/q/main@3"])
        #expect(intake.replaced == 49)
        #expect(intake.count == 0)
    }

    @Test func `R65: snapshots leave one at a time, controls go on meanwhile`() {
        var intake = Intake()
        _ = intake.admit(snapshot("s", 1))
        _ = intake.admit(snapshot("t", 1))
        guard case .snapshot = intake.next(isLeased: { _ in true }) else {
            Issue.record("the first snapshot is due")
            return
        }
        #expect(intake.next(isLeased: { _ in true }) == nil)
        _ = intake.admit(control("c"))
        #expect(intake.next(isLeased: { _ in true }) == .control(control("c")))
        intake.finished()
        guard case .snapshot(let key, _) = intake.next(isLeased: { _ in true }) else {
            Issue.record("the second snapshot is due")
            return
        }
        #expect(key.session == "t")
    }

    @Test func `R66: the lease is checked when a snapshot is delivered, not when it comes`() {
        var intake = Intake()
        _ = intake.admit(snapshot("s", 1))
        _ = intake.admit(snapshot("t", 1))
        #expect(drain(&intake, leased: ["t"]) == ["t/r/main@1"])
        #expect(intake.dropped == 1)
    }

    @Test func `at its bounds it refuses instead of growing`() {
        var intake = Intake()
        for number in 0..<Limits.waitingControls { #expect(intake.admit(control("c\(number)")) == true) }
        #expect(intake.admit(control("one more")) == false)
        for number in 0..<Limits.waitingSnapshots { #expect(intake.admit(snapshot("s", 1, run: "\(number)")) == true) }
        #expect(intake.admit(snapshot("s", 1, run: "one more")) == false)
        #expect(intake.admit(snapshot("s", 2, run: "0")) == true, "replacing is always possible")
        var large = Intake()
        let payload = Array("{\"x\":\"\(String(repeating: "a", count: Limits.waitingControlBytes / 2))\"}".utf8)
        #expect(large.admit(LinkEvent(type: "c", payload: payload)) == true)
        #expect(large.admit(LinkEvent(type: "c", payload: payload)) == false)
    }

    @Test func `a snapshot without a session is dropped without a word`() {
        var intake = Intake()
        #expect(intake.admit(LinkEvent(type: Intake.snapshotType, payload: Array("{}".utf8))) == true)
        #expect(intake.count == 0)
    }
}
