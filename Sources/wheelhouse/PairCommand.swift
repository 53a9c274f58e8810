// `wheelhouse pair`: one link on standard output that lets one browser in.

import Dashboard
import Glibc
import Store

enum PairCommand {
    static let syntax = CommandSyntax(
        name: "pair",
        summary: "Prints a link that signs one browser in. It works once, for ten minutes.",
        options: [
            DataCommand.dataOption,
            .init(name: "--role", value: "ROLE", help: "owner, operator or viewer (default owner)."),
            .init(name: "--name", value: "NAME", help: "The name of the person, for roles other than your own."),
        ]
    )

    /// - Returns: the exit status (`ExitCode`).
    static func run(_ arguments: [String]) -> Int32 {
        DataCommand.run(arguments, syntax) { options, database throws(StoreError) in
            guard let role = Role(rawValue: options.value("--role") ?? "owner") else {
                complain("wheelhouse pair: --role is owner, operator or viewer.")
                return ExitCode.usage
            }
            let path = try Pairing.newLink(
                role: role,
                name: options.value("--name") ?? "",
                in: database,
                now: DataCommand.now
            )
            try DataCommand.note(database, "made a pairing link", role.rawValue)
            let link = try DataCommand.baseURL(database) + path
            print(link)
            if isatty(STDERR_FILENO) == 1, let code = QRCode(link, level: .low) {
                complain(code.terminalText(coloured: true))
            }
            return ExitCode.ok
        }
    }
}
