// The one lock of the house. Everything that threads share is a value inside a `Lock`, reached by a short closure.
// It is over pthread's mutex because `Synchronization.Mutex` gives the thread sanitizer false alarms on Linux.
import Glibc

/// A value that several threads share, one at a time.
@safe package final class Lock<Value>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline var value: Value

    package init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(mutex, nil)
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread is inside. Keep it short: no input, no output, no other lock.
    @inlinable package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        enter()
        defer { leave() }
        return try body(&value)
    }

    @usableFromInline func enter() { unsafe pthread_mutex_lock(mutex) }
    @usableFromInline func leave() { unsafe pthread_mutex_unlock(mutex) }

    fileprivate func wait(on condition: UnsafeMutablePointer<pthread_cond_t>) {
        unsafe pthread_cond_wait(condition, mutex)
    }
}

/// Lets a thread sleep until another changed what a lock guards.
@safe final class Condition: @unchecked Sendable {
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe condition = .allocate(capacity: 1)
        unsafe condition.initialize(to: pthread_cond_t())
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe condition.deallocate()
    }

    /// Leaves the lock, sleeps, and enters it again. The caller must be inside, and must look again at what it waits for.
    func wait(inside lock: Lock<some Any>) { unsafe lock.wait(on: condition) }

    func signal() { unsafe pthread_cond_signal(condition) }
}
