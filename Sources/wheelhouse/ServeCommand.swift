// `wheelhouse serve`: opens the data, then hands over to `Service` on the loop and waits for the end.

import Dashboard
import Glibc
import Store
import Wire

enum ServeCommand {
    /// - Returns: the exit status (`ExitCode`); does not return before the server has drained.
    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, ServeConfiguration.syntax) { options in
            do throws(UsageError) {
                return serve(try ServeConfiguration(options))
            } catch {
                complain("wheelhouse serve: \(error.message)\nTry `wheelhouse serve --help`.")
                return ExitCode.usage
            }
        }
    }

    private static func serve(_ configuration: ServeConfiguration) -> Int32 {
        Log.configure(json: configuration.logsJSON, minimum: .info)
        guard let resources = Environment.resources() else {
            complain(
                "wheelhouse serve: the folder with Public/ was found neither above the program nor beside it. "
                    + "Set WHEELHOUSE_RESOURCES to the folder that holds Public/ and config/."
            )
            return ExitCode.configuration
        }
        let opened: (thread: DatabaseThread, identity: SiteIdentity, localDesktop: String)
        do throws(StoreError) {
            let database = try Database(folder: configuration.data)
            let identity = try SiteIdentity(in: database)
            let localDesktop = try database.value(of: .localDesktopID, orKeep: RandomBytes.uuid())
            opened = (try DatabaseThread(database), identity, localDesktop)
        } catch {
            complain("wheelhouse serve: \(error.sentence)")
            return error.exitCode
        }
        guard Folders.claim(configuration.data) else {
            complain(
                "wheelhouse serve: another server uses \(configuration.data) already. Stop it, or give this one a folder of "
                    + "its own with --data."
            )
            return ExitCode.unavailable
        }
        // The main thread has nothing else to do: it sleeps until the service says with which code to end.
        let end = ExitGate()
        Loop.spawn { @Loop in
            let service = Service(
                configuration: configuration,
                resources: resources,
                database: opened.thread,
                identity: opened.identity,
                localDesktop: opened.localDesktop
            )
            end.open(with: await service.run())
        }
        return end.wait()
    }
}

/// Where the main thread waits for the exit code that the loop decides.
final class ExitGate: Sendable {
    private let code = Lock<Int32?>(nil)
    private let bell = eventDescriptor()

    private static func eventDescriptor() -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { fatalError("no pipe: \(errno)") }
        return (ends[0], ends[1])
    }

    func open(with exitCode: Int32) {
        code.withLock { $0 = $0 ?? exitCode }
        close(bell.write)
    }

    func wait() -> Int32 {
        var byte: UInt8 = 0
        while unsafe read(bell.read, &byte, 1) < 0, errno == EINTR {}
        return code.withLock { $0 } ?? ExitCode.failure
    }
}
