// The database of one data folder. Commands use it directly; a server gives it to a `DatabaseThread`. Questions stand in
// the extensions beside this file, one method each; none of them lets a row or a statement out.

import CSQLite
import Glibc

/// An open database.
///
/// Not `Sendable`: one thread at a time.
@safe package final class Database {
    package let folder: DataFolder
    private let handle: OpaquePointer
    private var depth = 0

    /// Opens the database of `folder`, making and migrating it where needed.
    ///
    /// - Parameter folder: a path; it and its parents are made with mode 0700 where they are missing.
    package init(folder path: String) throws(StoreError) {
        folder = try DataFolder(preparing: path)
        try folder.protect(folder.database)
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW
        let code = unsafe sqlite3_open_v2(folder.database, &opened, flags, nil)
        guard let opened = unsafe opened else {
            throw .failed(code: code, message: "no memory to open the database", sql: "")
        }
        unsafe handle = opened
        guard code == SQLITE_OK else { throw unsafe lastError(of: opened, sql: "open") }
        unsafe sqlite3_busy_timeout(opened, StoreLimits.busyTimeout)
        unsafe sqlite3_extended_result_codes(opened, 1)
        // FULL: what was answered survives a power cut, not only a crash of ours (DESIGN §7).
        try script(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;
            PRAGMA trusted_schema = OFF; PRAGMA journal_size_limit = 16777216;
            """
        )
        try migrate(steps: Migrations.steps)
    }

    deinit { unsafe sqlite3_close_v2(handle) }

    /// Runs `body` in one write transaction: all of it happens or none.
    ///
    /// May be nested; the outermost one counts.
    package func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        guard depth == 0 else { return try body() }
        try script("BEGIN IMMEDIATE")
        depth += 1
        defer { depth -= 1 }
        do throws(StoreError) {
            let result = try body()
            try script("COMMIT")
            return result
        } catch {
            // Fails when SQLite has rolled back by itself, which is what we want.
            try? script("ROLLBACK")
            throw error
        }
    }

    /// A whole copy of the database in `file`, while others read and write.
    ///
    /// The copy appears under its name when it is complete and on disk, with mode 0600; a file of that name is
    /// replaced.
    package func backup(to file: String) throws(StoreError) {
        let partial = "\(file).partial-\(getpid())"
        let made = unsafe open(partial, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard made >= 0 else { throw fileError(file) }
        defer { close(made) }
        do throws(StoreError) {
            try execute("VACUUM INTO ?", [.text(partial)])
            guard fsync(made) == 0, unsafe rename(partial, file) == 0 else { throw fileError(file) }
        } catch {
            unsafe unlink(partial)
            throw error
        }
        let parent = file.lastIndex(of: "/").map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
        let descriptor = unsafe open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor >= 0 {
            fsync(descriptor)
            close(descriptor)
        }
    }

    // MARK: what the questions are made of

    /// Runs one statement; the number of rows that it changed.
    @discardableResult
    func execute(_ sql: String, _ values: [Value] = []) throws(StoreError) -> Int {
        let statement = try unsafe Statement(sql, on: handle)
        try statement.bind(values)
        while try statement.step() {}
        return unsafe Int(sqlite3_changes(handle))
    }

    /// Every row of an answer, each turned into a value at once.
    func rows<T>(
        _ sql: String,
        _ values: [Value] = [],
        _ read: (borrowing Statement) -> T
    ) throws(StoreError) -> [T] {
        let statement = try unsafe Statement(sql, on: handle)
        try statement.bind(values)
        var found: [T] = []
        while try statement.step() { found.append(read(statement)) }
        return found
    }

    /// The first row of an answer.
    func first<T>(
        _ sql: String,
        _ values: [Value] = [],
        _ read: (borrowing Statement) -> T
    ) throws(StoreError) -> T? {
        let statement = try unsafe Statement(sql, on: handle)
        try statement.bind(values)
        return try statement.step() ? read(statement) : nil
    }

    /// Runs several statements that take no values.
    func script(_ sql: String) throws(StoreError) {
        guard unsafe sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK else {
            throw unsafe lastError(of: handle, sql: sql)
        }
    }

    /// Takes the steps that this database has not taken yet.
    func migrate(steps: [String]) throws(StoreError) {
        // Asked inside the transaction, because two processes may start at once.
        try transaction { () throws(StoreError) in
            let version = try first("PRAGMA user_version") { Int($0.integer(0)) } ?? 0
            guard version <= steps.count else { throw .newerSchema(found: version, known: steps.count) }
            for (offset, step) in steps.enumerated().dropFirst(version) {
                try script(step)
                try script("PRAGMA user_version = \(offset + 1)")
            }
        }
    }

    private func fileError(_ file: String) -> StoreError {
        .unwritable(path: file, user: currentUser(), reason: unsafe String(cString: strerror(errno)))
    }
}
