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

    /// Runs `body` until it has a result, and sleeps in between until `condition` is signalled. Each run is an access of its
    /// own: sleeping inside one would let the optimiser keep what the value was before other threads changed it.
    func withLock<Result>(waitingFor condition: Condition, _ body: (inout Value) -> Result?) -> Result {
        enter()
        defer { leave() }
        while true {
            if let result = body(&value) { return result }
            unsafe pthread_cond_wait(condition.handle, mutex)
        }
    }
}

/// Lets a thread sleep until another changed what a lock guards.
@safe final class Condition: @unchecked Sendable {
    fileprivate let handle: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe handle = .allocate(capacity: 1)
        unsafe handle.initialize(to: pthread_cond_t())
        unsafe pthread_cond_init(handle, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(handle)
        unsafe handle.deallocate()
    }

    func signal() { unsafe pthread_cond_signal(handle) }
}
