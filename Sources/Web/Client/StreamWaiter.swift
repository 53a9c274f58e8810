// Waiting for one socket inside a task, with a deadline, and with an end as soon as the task is cancelled. For flows that
// take turns with the other side; connections that do not are driven by callbacks.
import Wire

@Loop final class StreamWaiter {
    enum Result { case ready, timedOut, cancelled }

    private var watch: Watch?
    private var sleeper: CheckedContinuation<Result, Never>?
    private var timer: LoopTimer?

    init(_ stream: SocketStream) throws(Errno) {
        watch = try Loop.watch(descriptor: stream.descriptor, for: []) { [weak self] _ in self?.wake(.ready) }
    }

    /// Takes over a watch.
    init(_ watch: Watch) {
        self.watch = watch
        watch.onReady = { [weak self] _ in self?.wake(.ready) }
    }

    /// Waits until the socket is ready for one of `events`, or has hung up. One wait at a time.
    func wait(for events: Readiness, until deadline: Int64) async -> Result {
        if Loop.now >= deadline { return .timedOut }
        return await withTaskCancellationHandler {
            await sleep(events, deadline)
        } onCancel: {
            Loop.post { [weak self] in self?.wake(.cancelled) }
        }
    }

    private func sleep(_ events: Readiness, _ deadline: Int64) async -> Result {
        if Task.isCancelled { return .cancelled }
        return await withCheckedContinuation { continuation in
            sleeper = continuation
            watch?.change(to: events)
            timer = Loop.after(milliseconds: deadline - Loop.now) { [weak self] in self?.wake(.timedOut) }
        }
    }

    private func wake(_ result: Result) {
        timer?.cancel()
        timer = nil
        watch?.change(to: [])
        let waiting = sleeper
        sleeper = nil
        waiting?.resume(returning: result)
    }

    /// Gives the watch away.
    func release() -> Watch {
        guard let watch else { preconditionFailure("a watch is released once") }
        self.watch = nil
        return watch
    }

    /// Ends the watch; the caller closes the socket.
    func end() {
        watch?.cancel()
        watch = nil
    }
}
