// Starting a thread. Only the loop and the workers are threads of ours.
import CLinux
import Glibc

enum Thread {
    private final class Start {
        let body: () -> Void
        init(_ body: @escaping () -> Void) { self.body = body }
    }

    /// Starts a detached thread that runs `body`. Its name is cut to 15 bytes.
    static func start(named name: String, _ body: sending @escaping () -> Void) {
        let start = unsafe Unmanaged.passRetained(Start(body)).toOpaque()
        var thread = pthread_t()
        let code = unsafe pthread_create(
            &thread,
            nil,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            start
        )
        precondition(code == 0, "cannot start a thread: \(Errno(code: code))")
        unsafe pthread_setname_np(thread, String(name.prefix(15)))
        pthread_detach(thread)
    }
}
