// One prepared statement: made, bound, stepped and finalised in one place. Nothing of it leaves `Database`.

import CSQLite

/// A value bound to a `?` of a statement.
enum Value {
    case null
    case integer(Int64)
    case text(String)
    case blob([UInt8])

    static func optional(_ text: String?) -> Value { text.map(Value.text) ?? .null }
    static func optional(_ number: Int64?) -> Value { number.map(Value.integer) ?? .null }
    static func optional(_ bytes: [UInt8]?) -> Value { bytes.map(Value.blob) ?? .null }
    static func flag(_ value: Bool) -> Value { .integer(value ? 1 : 0) }
}

/// A prepared statement, finalised by `deinit`.
///
/// Its columns are read between two steps.
@safe struct Statement: ~Copyable {
    private let handle: OpaquePointer
    private let database: OpaquePointer
    private let sql: String

    init(_ sql: String, on database: OpaquePointer) throws(StoreError) {
        var prepared: OpaquePointer?
        let code = unsafe sqlite3_prepare_v2(database, sql, -1, &prepared, nil)
        guard code == SQLITE_OK, let prepared = unsafe prepared else { throw unsafe lastError(of: database, sql: sql) }
        unsafe handle = prepared
        unsafe self.database = database
        self.sql = sql
    }

    /// Binds all values, the first one to the first `?`.
    borrowing func bind(_ values: [Value]) throws(StoreError) {
        // SQLite copies what it is given when the destructor is -1 (`SQLITE_TRANSIENT`, a macro that Swift cannot see).
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (offset, value) in values.enumerated() {
            let index = Int32(offset + 1)
            let code: Int32 =
                switch value {
                case .null: unsafe sqlite3_bind_null(handle, index)
                case .integer(let number): unsafe sqlite3_bind_int64(handle, index, number)
                case .text(let text):
                    unsafe sqlite3_bind_text64(handle, index, text, UInt64(text.utf8.count), copied, UInt8(SQLITE_UTF8))
                case .blob(let bytes) where bytes.isEmpty: unsafe sqlite3_bind_zeroblob(handle, index, 0)
                case .blob(let bytes): unsafe sqlite3_bind_blob64(handle, index, bytes, UInt64(bytes.count), copied)
                }
            guard code == SQLITE_OK else { throw unsafe lastError(of: database, sql: sql) }
        }
    }

    /// Goes to the next row; false after the last one.
    borrowing func step() throws(StoreError) -> Bool {
        switch unsafe sqlite3_step(handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw unsafe lastError(of: database, sql: sql)
        }
    }

    borrowing func integer(_ column: Int32) -> Int64 { unsafe sqlite3_column_int64(handle, column) }

    borrowing func optionalInteger(_ column: Int32) -> Int64? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : integer(column)
    }

    borrowing func flag(_ column: Int32) -> Bool { integer(column) != 0 }

    borrowing func text(_ column: Int32) -> String { optionalText(column) ?? "" }

    borrowing func optionalText(_ column: Int32) -> String? {
        guard let start = unsafe sqlite3_column_text(handle, column) else { return nil }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }

    borrowing func blob(_ column: Int32) -> [UInt8] {
        guard let start = unsafe sqlite3_column_blob(handle, column) else { return [] }
        let count = unsafe Int(sqlite3_column_bytes(handle, column))
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    }

    borrowing func optionalBlob(_ column: Int32) -> [UInt8]? {
        unsafe sqlite3_column_type(handle, column) == SQLITE_NULL ? nil : blob(column)
    }

    deinit { unsafe sqlite3_finalize(handle) }
}

/// What SQLite says about its last failure, as one of our cases.
@unsafe func lastError(of database: OpaquePointer, sql: String) -> StoreError {
    let code = unsafe sqlite3_extended_errcode(database)
    let message = unsafe String(cString: sqlite3_errmsg(database))
    let path = unsafe sqlite3_db_filename(database, "main").map { unsafe String(cString: $0) } ?? ""
    switch code & 0xFF {
    case SQLITE_BUSY, SQLITE_LOCKED: return .locked
    case SQLITE_CORRUPT, SQLITE_NOTADB: return .damaged(path: path, message: message)
    case SQLITE_READONLY, SQLITE_CANTOPEN, SQLITE_FULL, SQLITE_PERM:
        return .unwritable(path: path, user: currentUser(), reason: message)
    default: return .failed(code: code, message: message, sql: sql)
    }
}
