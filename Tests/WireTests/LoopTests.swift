import Glibc
import Testing
import Wire

@Suite("Loop", .timeLimit(.minutes(1)))
struct LoopTests {
    @Test func `posted closures run on the loop in their order`() async {
        let seen = Lock<[Int]>([])
        for number in 0..<1_000 { Loop.post { seen.withLock { $0.append(number) } } }
        await withCheckedContinuation { done in Loop.post { done.resume() } }
        #expect(seen.withLock { $0 } == Array(0..<1_000))
    }

    @Test func `a spawned flow stays on the loop over its waits`() async {
        let places = await Loop.spawn(placesOfAFlow).value
        #expect(places == [true, false, true, true])
    }

    @Loop private func placesOfAFlow() async -> [Bool] {
        var places = [Loop.isCurrent]
        let offLoop = await offload { Loop.isCurrent }
        places += [offLoop, Loop.isCurrent]
        try? await Loop.sleep(milliseconds: 2)
        places.append(Loop.isCurrent)
        return places
    }

    @Test @Loop func `timers come in the order of their deadlines`() async {
        var order: [Int] = []
        await withCheckedContinuation { done in
            Loop.after(milliseconds: 30) {
                order.append(3); done.resume()
            }
            Loop.after(milliseconds: 10) { order.append(1) }
            let cancelled = Loop.after(milliseconds: 15) { order.append(99) }
            Loop.after(milliseconds: 20) { order.append(2) }
            cancelled.cancel()
        }
        #expect(order == [1, 2, 3])
    }

    @Test func `a cancelled sleep ends at once`() async {
        let nap = Loop.spawn { () -> Bool in
            do throws(CancellationError) { try await Loop.sleep(milliseconds: 3_600_000) } catch { return true }
            return false
        }
        nap.cancel()
        #expect(await nap.value)
    }

    @Test @Loop func `what is left for the end of the turn runs after the turn's other work`() async {
        var order: [String] = []
        await withCheckedContinuation { done in
            Loop.post {
                Loop.endOfTurn {
                    order.append("end"); done.resume()
                }
                order.append("first")
            }
            Loop.post { order.append("second") }
        }
        #expect(order == ["first", "second", "end"])
    }

    @Test @Loop func `a watch tells when a descriptor is readable, and nothing after its end`() async throws {
        var ends: [Int32] = [0, 0]
        #expect(unsafe pipe(&ends) == 0)
        var seen = 0
        var watch: Watch?
        await withCheckedContinuation { done in
            watch = try? Loop.watch(descriptor: ends[0], for: .readable) { readiness in
                #expect(readiness.contains(.readable))
                seen += 1
                watch?.cancel()
                done.resume()
            }
            #expect(unsafe write(ends[1], "x", 1) == 1)
        }
        try await Loop.sleep(milliseconds: 5)
        #expect(seen == 1)
        for end in ends { close(end) }
    }

    @Test func `offload throws what its work throws`() async {
        await #expect(throws: Errno.notFound) {
            try await offload { () throws(Errno) -> Int in throw Errno.notFound }
        }
    }

    @Test func `code that belongs to the loop traps elsewhere`() async {
        await #expect(processExitsWith: .failure) {
            Loop.shared.preconditionIsolated()
        }
    }

    @Test func `many threads share a value in a lock`() async {
        let total = Lock(0)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { for _ in 0..<1_000 { total.withLock { $0 += 1 } } } }
        }
        #expect(total.withLock { $0 } == 50_000)
    }
}
