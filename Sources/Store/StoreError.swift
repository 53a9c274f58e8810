// What can go wrong with the database, as cases that somebody can act on. One place turns them into a sentence and the
// exit code of a command (DESIGN §11).

/// Why a question to the database was not answered.
///
/// Bound values never enter an error.
package enum StoreError: Error, Equatable {
    /// The data folder or a file in it cannot be made, read or written.
    case unwritable(path: String, user: UInt32, reason: String)
    /// A newer version of the program has already changed the database.
    case newerSchema(found: Int, known: Int)
    /// The file is no database, or a damaged one.
    case damaged(path: String, message: String)
    /// Another process kept the database locked for longer than ``StoreLimits/busyTimeout``.
    case locked
    /// ``StoreLimits/waitingJobs`` are waiting already.
    case overloaded
    /// Something that a rule of ours forbids: too many shares, a role that nobody knows.
    case refused(String)
    /// Anything else that SQLite says. `code` is the extended result code.
    case failed(code: Int32, message: String, sql: String)

    /// One or two sentences for a person: what happened, and what to do next.
    package var sentence: String {
        switch self {
        case .unwritable(let path, let user, let reason):
            "cannot write to \(path) as user id \(user): \(reason). "
                + "Make the folder writable (chown \(user) \(path)), run as its owner, or name another with --data DIR."
        case .newerSchema(let found, let known):
            "the database has version \(found), this program knows up to \(known): "
                + "start the newer wheelhouse again, or restore a backup."
        case .damaged(let path, let message):
            "\(path) is no usable database (\(message)): move it away and restore a backup."
        case .locked: "the database is locked by another process: try again in a moment."
        case .overloaded: "the database has too much to do: try again in a moment."
        case .refused(let reason): reason
        case .failed(let code, let message, _): "the database failed: \(message) (SQLite code \(code))."
        }
    }

    /// The exit code of a command that ends with this error: 73 (cannot create), 78 (configuration), else 70.
    package var exitCode: Int32 {
        switch self {
        case .unwritable: 73
        case .newerSchema, .damaged: 78
        case .refused: 64
        case .locked, .overloaded, .failed: 70
        }
    }
}
