// What the commands on a data folder have in common: finding it, opening its database, the address that links carry.

import Dashboard
import Glibc
import Store

enum DataCommand {
    static let dataOption = CommandSyntax.Option(
        name: "--data",
        value: "DIR",
        help: "The server's data folder (default ~/.local/share/wheelhouse)."
    )

    /// Opens the database and runs `body`; what goes wrong becomes a sentence and an exit code.
    ///
    /// - Parameter isNew: whether a folder that is not there yet is made.
    static func run(
        _ arguments: [String],
        _ syntax: CommandSyntax,
        isNew: Bool = true,
        _ body: (Options, Database) throws(StoreError) -> Int32
    ) -> Int32 {
        Options.parse(arguments, syntax) { options in
            let folder = options.value("--data") ?? Environment.dataFolder
            guard unsafe isNew || access(folder + "/wheelhouse.sqlite", F_OK) == 0 else {
                complain("wheelhouse \(syntax.name): there is no data in \(folder).")
                return ExitCode.configuration
            }
            do throws(StoreError) {
                return try body(options, try Database(folder: folder))
            } catch {
                complain("wheelhouse \(syntax.name): \(error.sentence)")
                return error.exitCode
            }
        }
    }

    /// Where the server was reached last, with a slash at its end; a guess, with a word about it, before its first start.
    static func baseURL(_ database: Database) throws(StoreError) -> String {
        if let known = try database.value(of: .baseURL) { return known.hasSuffix("/") ? known : known + "/" }
        complain("The server was never started with this folder: the link assumes its usual address.")
        return "http://127.0.0.1:8420/"
    }

    /// Milliseconds since 1970.
    static var now: Int64 { Int64(time(nil)) * 1_000 }

    /// Writes the audit log.
    static func note(_ database: Database, _ action: String, _ detail: String) throws(StoreError) {
        try database.note(AuditEntry(at: now, person: "command line", action: action, detail: detail))
    }
}
