// The one loop thread: every socket and all state live on it, and the compiler proves it by the global actor `Loop`.
//
// Fast paths are plain calls that start in an epoll callback. Flows that wait are tasks started by `Loop.spawn`. Other
// threads hand their results over with `Loop.post`, or by returning from `offload`. DESIGN.md §13, points 1 to 4.
import CLinux
import Glibc

/// The actor of the loop thread. What is `@Loop` runs there and nowhere else.
@globalActor package actor Loop {
    /// The thread starts with the first use and runs until the process ends.
    package static let shared = Loop()

    nonisolated let executor = LoopExecutor()
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private init() {
        signal(SIGPIPE, SIG_IGN)
        Thread.start(named: "loop") { Loop.run() }
    }

    // MARK: Ways in

    /// Starts a flow that waits, on the loop thread. Use it instead of `Task { }`: a task without the loop as its preferred
    /// executor visits the shared pool each time it resumes.
    @discardableResult
    package nonisolated static func spawn<T: Sendable>(
        _ work: @escaping @Loop @Sendable () async -> T
    ) -> Task<T, Never> {
        Task(executorPreference: shared.executor, operation: work)
    }

    /// Runs `body` on the loop soon. From any thread; what one thread posts runs in its order.
    package nonisolated static func post(_ body: @escaping @Loop @Sendable () -> Void) {
        shared.executor.post(body)
    }

    /// Whether the caller is on the loop thread.
    package nonisolated static var isCurrent: Bool { shared.executor.isOnLoopThread }

    // MARK: On the loop

    /// Runs `body` once, after everything else of this turn: where corked writes leave.
    @Loop package static func endOfTurn(_ body: @escaping @Loop () -> Void) {
        lastInTurn.append(body)
    }

    /// Milliseconds of the monotonic clock, read once per turn.
    @Loop package static var now: Int64 { turnStart }

    /// Milliseconds since 1970, read once per turn.
    @Loop package static var wallClock: Int64 { turnStartOnWall }

    /// Runs `body` once after a time on the monotonic clock, at least one millisecond.
    @discardableResult
    @Loop package static func after(milliseconds: Int64, _ body: @escaping @Loop () -> Void) -> LoopTimer {
        LoopTimer(token: timers.add(body, deadline: now + max(0, milliseconds)))
    }

    /// Calls `body` on each turn in which the descriptor is ready for one of `events`, or has hung up.
    @Loop package static func watch(
        descriptor: Int32,
        for events: Readiness,
        _ body: @escaping @Loop (Readiness) -> Void
    ) throws(Errno) -> Watch {
        try poller.watch(descriptor: descriptor, for: events, body)
    }

    /// How the turns have gone since the start.
    @Loop package private(set) static var statistics = LoopStatistics()

    // MARK: The turn

    // Constants until the thread sets them, so that reading them asks nothing about their initialisation.
    @Loop private static var turnStart: Int64 = 0
    @Loop private static var turnStartOnWall: Int64 = 0
    @Loop static let poller = Poller()
    @Loop static var timers = TimerWheel<@Loop () -> Void>(now: Clock.monotonic())
    @Loop private static var lastInTurn: [@Loop () -> Void] = []

    /// Rounds of mail in one turn: jobs that keep each other busy must let the sockets speak.
    private static let deliveriesPerTurn = 16

    private nonisolated static func run() -> Never {
        shared.executor.adoptCurrentThread()
        enter {
            turnStart = Clock.monotonic()
            turnStartOnWall = Clock.wall()
            do throws(Errno) {
                _ = try watch(descriptor: shared.executor.wake, for: .readable) { _ in
                    var ignored: eventfd_t = 0
                    unsafe eventfd_read(shared.executor.wake, &ignored)
                }
            } catch {
                fatalError("the loop cannot watch its own mailbox: \(error)")
            }
        }
        while true { enter { turn() } }
    }

    @Loop private static func turn() {
        let ready = poller.wait(timeout: timeUntilWork())
        let start = Clock.monotonicMicroseconds()
        turnStart = start / 1_000
        turnStartOnWall = Clock.wall()
        poller.dispatch(ready)
        while let body = timers.popDue(now: now) { body() }
        for _ in 0..<deliveriesPerTurn where !shared.executor.deliver() { break }
        finishTurn()
        statistics.record(turnOf: Clock.monotonicMicroseconds() - start, events: ready)
    }

    @Loop private static func finishTurn() {
        var batch: [@Loop () -> Void] = []
        while !lastInTurn.isEmpty {
            swap(&batch, &lastInTurn)
            for body in batch { body() }
            batch.removeAll(keepingCapacity: true)
        }
    }

    /// Milliseconds that the loop may sleep; -1 when only a socket or mail can wake it.
    @Loop private static func timeUntilWork() -> Int32 {
        if !shared.executor.isEmpty { return 0 }
        guard let wake = timers.nextWake else { return -1 }
        return Int32(clamping: max(0, wake - Clock.monotonic()))
    }

    /// The door from the thread's own code, which is in no task, to `@Loop` code. Traps on any other thread.
    private nonisolated static func enter(_ body: @Loop () -> Void) {
        shared.preconditionIsolated()
        withoutActuallyEscaping(body) { body in
            // A function's isolation is a matter of types alone; that this is the loop thread was just checked.
            unsafe unsafeBitCast(body, to: (() -> Void).self)()
        }
    }
}

/// A pending ``Loop/after(milliseconds:_:)``.
package struct LoopTimer: Sendable {
    fileprivate let token: TimerWheel<@Loop () -> Void>.Token

    /// Takes the timer back. Does nothing when it has run or was cancelled.
    @Loop package func cancel() { Loop.timers.cancel(token) }
}

/// How long turns of the loop took, sleep left out: what a socket may have had to wait.
package struct LoopStatistics: Sendable {
    /// Upper bounds of the histogram's buckets in microseconds; one more bucket holds what took longer.
    package static let bounds: [Int64] = [
        100, 250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 1_000_000,
    ]

    package private(set) var turns: Int64 = 0
    package private(set) var events: Int64 = 0
    package private(set) var busyMicroseconds: Int64 = 0
    package private(set) var longestMicroseconds: Int64 = 0
    package private(set) var buckets = [Int64](repeating: 0, count: bounds.count + 1)

    fileprivate mutating func record(turnOf microseconds: Int64, events: Int) {
        turns += 1
        self.events += Int64(events)
        busyMicroseconds += microseconds
        longestMicroseconds = max(longestMicroseconds, microseconds)
        var bucket = 0
        while bucket < Self.bounds.count, microseconds > Self.bounds[bucket] { bucket += 1 }
        buckets[bucket] += 1
    }
}
