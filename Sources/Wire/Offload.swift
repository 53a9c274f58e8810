// Work that takes longer than a millisecond leaves the loop by name: `await offload { … }`. A few threads, one queue.
import Glibc
import Synchronization

/// Runs `work` on a worker thread and returns its result to the caller's executor. For disk, SQLite, rendering, DNS: what
/// would make sockets wait. `work` must end by itself; it is not cancelled.
package func offload<T: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> T
) async throws(Failure) -> T {
    let result: Result<T, Failure> = await withCheckedContinuation { continuation in
        WorkerPool.shared.submit {
            let result: Result<T, Failure>
            do throws(Failure) { result = .success(try work()) } catch { result = .failure(error) }
            continuation.resume(returning: result)
        }
    }
    return try result.get()
}

/// The worker threads: one fewer than processors, at least one. The queue is first in, first out.
package final class WorkerPool: Sendable {
    package static let shared = WorkerPool(threads: max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))) - 1))

    /// For questions to name servers, which may take many seconds: nothing else waits behind them.
    static let lookups = WorkerPool(threads: 2)

    /// Jobs that may wait before the pool counts as saturated.
    package static let backlogLimit = 1_024

    private struct Queue {
        var waiting: [@Sendable () -> Void] = []
        /// Where `waiting` starts; the jobs before it are done. Avoids moving the rest at every take.
        var first = 0
        var idle = 0
    }

    private let queue = Lock(Queue())
    private let work = Condition()
    private let depth = Atomic<Int>(0)

    package init(threads: Int) {
        for number in 0..<threads {
            Thread.start(named: "worker-\(number)") { self.serve() }
        }
    }

    /// Jobs that wait for a thread.
    package var backlog: Int { depth.load(ordering: .relaxed) }

    /// Whether new work that can be refused should be: answer 503 rather than make everything slow.
    package var isSaturated: Bool { backlog >= Self.backlogLimit }

    func submit(_ job: @escaping @Sendable () -> Void) {
        let mustWake = queue.withLock { queue in
            queue.waiting.append(job)
            return queue.idle > 0
        }
        depth.add(1, ordering: .relaxed)
        if mustWake { work.signal() }
    }

    private func serve() -> Never {
        while true {
            let job = next()
            depth.subtract(1, ordering: .relaxed)
            job()
        }
    }

    private func next() -> @Sendable () -> Void {
        var wasIdle = false
        return queue.withLock(waitingFor: work) { state in
            if wasIdle { state.idle -= 1 }
            wasIdle = false
            guard state.first < state.waiting.count else {
                state.waiting.removeAll(keepingCapacity: true)
                state.first = 0
                state.idle += 1
                wasIdle = true
                return nil
            }
            let job = state.waiting[state.first]
            state.waiting[state.first] = {}
            state.first += 1
            return job
        }
    }
}
