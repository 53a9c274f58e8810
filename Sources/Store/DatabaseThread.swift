// The server's way to its database: one thread of its own, which is the only one that ever touches it. The loop hands over
// a closure and goes on; the answer comes back when the disk has it.

import Glibc
import Synchronization

/// Owns a ``Database`` and runs what it is given on one thread, in order.
package actor DatabaseThread {
    private nonisolated let thread: JobThread
    private nonisolated let waiting = Atomic<Int>(0)
    private let database: Database

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe thread.asUnownedSerialExecutor() }

    package init(_ database: sending Database) throws(StoreError) {
        self.database = database
        thread = try JobThread()
    }

    /// Jobs that wait or run now.
    package nonisolated var load: Int { waiting.load(ordering: .relaxed) }

    /// Asks the database.
    ///
    /// `body` runs on the database thread and returns plain values.
    ///
    /// - Throws: what `body` throws, or ``StoreError/overloaded`` without running it.
    package nonisolated func ask<T: Sendable>(
        _ body: @Sendable (Database) throws(StoreError) -> T
    ) async throws(StoreError) -> T {
        let before = waiting.wrappingAdd(1, ordering: .relaxed).oldValue
        defer { waiting.wrappingSubtract(1, ordering: .relaxed) }
        guard before < StoreLimits.waitingJobs else { throw .overloaded }
        return try await run(body)
    }

    private func run<T: Sendable>(_ body: @Sendable (Database) throws(StoreError) -> T) throws(StoreError) -> T {
        try body(database)
    }
}

/// A serial executor with its own thread.
///
/// The queue is a pipe: the kernel keeps the order, wakes the thread and bounds the length, so no lock is needed here.
final class JobThread: SerialExecutor {
    private let entrance: Int32

    init() throws(StoreError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw JobThread.failure() }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        entrance = ends[1]
        // The thread does not keep the executor alive: the last reference closes the entrance, which ends the thread.
        let body = unsafe ThreadBody(exit: ends[0], executor: asUnownedSerialExecutor())
        var id = pthread_t()
        let code = unsafe pthread_create(&id, nil, runJobs, Unmanaged.passRetained(body).toOpaque())
        guard code == 0 else {
            unsafe Unmanaged.passUnretained(body).release()
            close(ends[0])
            throw JobThread.failure()
        }
        pthread_detach(id)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        // A job is one pointer; the actor's queue holds it until it has run. Eight bytes are written whole or not at all.
        var bits = unsafe unsafeBitCast(UnownedJob(job), to: UInt.self)
        while unsafe write(entrance, &bits, MemoryLayout<UInt>.size) < 0, errno == EINTR {}
    }

    deinit { close(entrance) }

    private static func failure() -> StoreError {
        .failed(code: errno, message: unsafe "no thread for the database: \(String(cString: strerror(errno)))", sql: "")
    }
}

/// What the new thread takes over.
@safe private final class ThreadBody: Sendable {
    let exit: Int32
    let executor: UnownedSerialExecutor

    init(exit: Int32, executor: UnownedSerialExecutor) {
        self.exit = exit
        unsafe self.executor = executor
    }
}

private func runJobs(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let argument = unsafe argument else { return nil }
    let body = unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue()
    var bits: UInt = 0
    while true {
        let count = unsafe read(body.exit, &bits, MemoryLayout<UInt>.size)
        if count < 0, errno == EINTR { continue }
        guard count == MemoryLayout<UInt>.size else { break }
        unsafe unsafeBitCast(bits, to: UnownedJob.self).runSynchronously(on: body.executor)
    }
    close(body.exit)
    return nil
}
