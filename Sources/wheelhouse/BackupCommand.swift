// `wheelhouse backup`: a whole copy of the database, also while the server runs.

import Store

enum BackupCommand {
    static let syntax = CommandSyntax(
        name: "backup",
        summary: "Copies the data of a dashboard into one file, also while it is serving.",
        operands: ["FILE"],
        options: [DataCommand.dataOption],
        notes: [
            "To restore: stop the server, put the file in the data folder as wheelhouse.sqlite, remove -wal and -shm beside it."
        ]
    )

    /// - Returns: the exit status (`ExitCode`).
    static func run(_ arguments: [String]) -> Int32 {
        DataCommand.run(arguments, syntax, isNew: false) { options, database throws(StoreError) in
            try database.backup(to: options.operands[0])
            return ExitCode.ok
        }
    }
}
