// What the process is told from outside: SIGTERM and SIGINT end it in order, SIGHUP reloads. The handler does the one thing
// that is safe in a handler, a write to an eventfd; the rest happens on the loop.
import CLinux
import Glibc
import Synchronization

package enum Signals {
    /// Calls `body` for SIGTERM and SIGINT. A second such signal within it ends the process at once.
    @Loop package static func onTerminate(_ body: @escaping @Loop () -> Void) {
        terminate = body
        install(SIGTERM)
        install(SIGINT)
    }

    /// Calls `body` for SIGHUP.
    @Loop package static func onHangUp(_ body: @escaping @Loop () -> Void) {
        hangUp = body
        install(SIGHUP)
    }

    @Loop private static var terminate: (@Loop () -> Void)?
    @Loop private static var hangUp: (@Loop () -> Void)?
    @Loop private static var isTerminating = false
    @Loop private static var watch: Watch?

    @Loop private static func install(_ number: Int32) {
        if watch == nil {
            watch = try? Loop.watch(descriptor: arrivals, for: .readable) { _ in deliver() }
        }
        var action = sigaction()
        unsafe action.__sigaction_handler.sa_handler = { number in
            let saved = errno
            pending.bitwiseOr(UInt64(1) << UInt64(number), ordering: .relaxed)
            eventfd_write(arrivals, 1)
            errno = saved
        }
        action.sa_flags = SA_RESTART
        unsafe sigaction(number, &action, nil)
    }

    @Loop private static func deliver() {
        var ignored: eventfd_t = 0
        unsafe eventfd_read(arrivals, &ignored)
        let set = pending.exchange(0, ordering: .relaxed)
        if set & (1 << UInt64(SIGHUP)) != 0 { hangUp?() }
        if set & (1 << UInt64(SIGTERM) | 1 << UInt64(SIGINT)) != 0 {
            // The person at the keyboard pressed Control-C again: they will not wait.
            if isTerminating { exit(130) }
            isTerminating = true
            terminate?()
        }
    }
}

/// One bit per signal that came since the loop last looked.
private let pending = Atomic<UInt64>(0)
private let arrivals = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
