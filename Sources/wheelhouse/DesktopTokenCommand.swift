// `wheelhouse desktop-token`: one token on standard output with which one more computer dials in.

import Dashboard
import Store

enum DesktopTokenCommand {
    static let syntax = CommandSyntax(
        name: "desktop-token",
        summary: "Prints a token for `wheelhouse desktop` on another computer.",
        options: [
            DataCommand.dataOption,
            .init(name: "--name", value: "NAME", help: "What the token is called on the settings page."),
        ],
        notes: ["There: wheelhouse desktop --server URL --token TOKEN. Revoke it on the settings page."]
    )

    /// - Returns: the exit status (`ExitCode`).
    static func run(_ arguments: [String]) -> Int32 {
        DataCommand.run(arguments, syntax) { options, database throws(StoreError) in
            let name = options.value("--name") ?? "Desktop"
            let token = try DesktopTokens.make(name: name, in: database, now: DataCommand.now)
            try DataCommand.note(database, "added a desktop", name)
            print(token)
            return ExitCode.ok
        }
    }
}
