import CSQLite

/// The SQLite that runs, as `3.40.1`.
package enum SQLiteLibrary {
    package static var version: String { unsafe String(cString: sqlite3_libversion()) }
}
