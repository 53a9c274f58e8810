// `wheelhouse share`: one link on standard output with which anybody can read one session.

import Dashboard
import Glibc
import Store

enum ShareCommand {
    static let syntax = CommandSyntax(
        name: "share",
        summary: "Prints a link with which anybody can read one session, and nothing else.",
        options: [
            DataCommand.dataOption,
            .init(
                name: "--session",
                value: "ID",
                help: "The session: its id in the address, the agent's own id, or the start of one."
            ),
            .init(name: "--expires", value: "TIME", help: "How long it works: 1h to 30d (default 7d)."),
            .init(name: "--hide-output", value: nil, help: "Leave out what tools read and wrote."),
            .init(name: "--password", value: "WORD", help: "Readers must know it."),
        ],
        notes: ["The link ends with its session. The page of shares lists it and can revoke it."]
    )

    /// - Returns: the exit status (`ExitCode`).
    static func run(_ arguments: [String]) -> Int32 {
        DataCommand.run(arguments, syntax) { options, database throws(StoreError) in
            guard let name = options.value("--session"), !name.isEmpty else { return usage("--session ID is needed.") }
            guard let lifetime = ShareLinks.lifetime(options.value("--expires") ?? "7d"),
                (DashboardLimits.shortestShare...DashboardLimits.longestShare).contains(lifetime)
            else { return usage("--expires is a time from 1h to 30d, such as 12h or 7d.") }
            // The server keeps a session some milliseconds after it shows it.
            var found = try database.cachedSessions(named: name)
            for _ in 0..<10 where found.isEmpty {
                usleep(100_000)
                found = try database.cachedSessions(named: name)
            }
            guard let session = found.first else {
                return usage("no session is known by \(name). Its desktop must have been connected once.")
            }
            guard found.count == 1 else { return usage("\(name) could be several sessions: give more of the id.") }
            var wish = ShareLinks.Wish(session: session.id, title: session.title, createdBy: "command line")
            wish.lifetime = lifetime
            wish.hidesOutput = options.has("--hide-output")
            wish.password = options.value("--password")
            let path = try ShareLinks.make(wish, in: database, now: DataCommand.now)
            try DataCommand.note(database, "shared", session.title)
            print(try DataCommand.baseURL(database) + path)
            return ExitCode.ok
        }
    }

    private static func usage(_ problem: String) -> Int32 {
        complain("wheelhouse share: \(problem)\nTry `wheelhouse share --help`.")
        return ExitCode.usage
    }
}
