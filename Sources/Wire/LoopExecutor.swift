// Where jobs and posted closures wait for the loop thread. Any thread may put something in; only the loop takes it out.
// One eventfd write wakes the loop for a whole batch.
import CLinux
import Glibc
import Synchronization

/// The executor of ``Loop``: both its actor's (`SerialExecutor`) and its tasks' (`TaskExecutor`), so that a resumed task
/// goes straight to the loop instead of visiting the shared pool first.
final class LoopExecutor: SerialExecutor, TaskExecutor {
    private struct Mail {
        var jobs: [UnownedJob] = []
        var letters: [@Loop @Sendable () -> Void] = []
        var isEmpty: Bool { jobs.isEmpty && letters.isEmpty }
    }

    /// Readable when mail has come while the loop may be asleep.
    let wake: Int32
    private let mail = Lock(Mail())
    /// `pthread_self()` of the loop thread, 0 before it runs.
    private let owner = Atomic<UInt>(0)

    init() { wake = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC)) }

    /// The calling thread becomes the loop thread, for good.
    func adoptCurrentThread() { owner.store(UInt(pthread_self()), ordering: .relaxed) }

    var isOnLoopThread: Bool { owner.load(ordering: .relaxed) == UInt(pthread_self()) }

    func isIsolatingCurrentContext() -> Bool? { isOnLoopThread }

    func checkIsolated() { precondition(isOnLoopThread, "this must run on the loop thread") }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isFirst = mail.withLock { mail in
            mail.jobs.append(job)
            return mail.jobs.count == 1 && mail.letters.isEmpty
        }
        if isFirst { wakeLoop() }
    }

    func post(_ letter: @escaping @Loop @Sendable () -> Void) {
        let isFirst = mail.withLock { mail in
            mail.letters.append(letter)
            return mail.letters.count == 1 && mail.jobs.isEmpty
        }
        if isFirst { wakeLoop() }
    }

    /// Whether the loop may sleep. Must be the last question before it does: mail that comes later writes `wake`.
    var isEmpty: Bool { mail.withLock { $0.isEmpty } }

    /// Runs what has come so far. Returns false when there was nothing.
    @Loop func deliver() -> Bool {
        var batch = Mail()
        mail.withLock { swap(&$0, &batch) }
        if batch.isEmpty { return false }
        for letter in batch.letters { letter() }
        for job in batch.jobs {
            unsafe job.runSynchronously(
                isolatedTo: asUnownedSerialExecutor(),
                taskExecutor: asUnownedTaskExecutor()
            )
        }
        return true
    }

    /// The loop looks into its mail before it sleeps, so on its own thread no wake-up is needed.
    private func wakeLoop() {
        if !isOnLoopThread { eventfd_write(wake, 1) }
    }
}
