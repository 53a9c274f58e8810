// Waiting inside a task: `Loop.sleep`, which gives way at once when its task is cancelled.

extension Loop {
    /// Waits on the loop's clock.
    ///
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package nonisolated static func sleep(milliseconds: Int64) async throws(CancellationError) {
        let nap = Nap()
        let finished = await withTaskCancellationHandler {
            await nap.take(milliseconds: milliseconds)
        } onCancel: {
            Loop.post { nap.end(finished: false) }
        }
        if !finished { throw CancellationError() }
    }
}

/// One sleep: its timer and whoever waits for it. Ends once, by its timer or by cancellation, whichever comes first.
@Loop private final class Nap {
    private var sleeper: CheckedContinuation<Bool, Never>?
    private var timer: LoopTimer?
    private var outcome: Bool?

    nonisolated init() {}

    func take(milliseconds: Int64) async -> Bool {
        if let outcome { return outcome }
        return await withCheckedContinuation { continuation in
            sleeper = continuation
            timer = Loop.after(milliseconds: milliseconds) { self.end(finished: true) }
        }
    }

    func end(finished: Bool) {
        if outcome != nil { return }
        outcome = finished
        timer?.cancel()
        timer = nil
        sleeper?.resume(returning: finished)
        sleeper = nil
    }
}
