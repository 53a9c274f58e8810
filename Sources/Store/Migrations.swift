// The shape of the database, as steps that only go forward. A step that was released is never edited; add one below it.
// `PRAGMA user_version` says how many were taken.

enum Migrations {
    /// Step `n` brings a database from version `n` to `n + 1`; each runs in one transaction.
    static let steps: [String] = [
        // 1: everything that a first start needs. Times are milliseconds since 1970, hashes are SHA-256.
        """
        CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE people (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'viewer')),
            created_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        -- A browser's cookie token or a program's API token; only the hash is here.
        CREATE TABLE credentials (
            id TEXT PRIMARY KEY, person TEXT NOT NULL REFERENCES people (id) ON DELETE CASCADE,
            kind TEXT NOT NULL CHECK (kind IN ('browser', 'api')), hash BLOB NOT NULL UNIQUE, label TEXT NOT NULL,
            created_at INTEGER NOT NULL, last_seen INTEGER NOT NULL, revoked_at INTEGER) STRICT, WITHOUT ROWID;

        CREATE TABLE pairing_codes (
            hash BLOB PRIMARY KEY, role TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'viewer')),
            person TEXT REFERENCES people (id) ON DELETE CASCADE, name TEXT NOT NULL,
            created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, used_at INTEGER) STRICT, WITHOUT ROWID;

        CREATE TABLE desktop_tokens (
            id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, name TEXT NOT NULL, created_at INTEGER NOT NULL,
            last_used INTEGER, desktop TEXT, revoked_at INTEGER) STRICT, WITHOUT ROWID;

        CREATE TABLE desktops (
            id TEXT PRIMARY KEY, name TEXT NOT NULL, kind TEXT NOT NULL, last_seen INTEGER NOT NULL) STRICT, WITHOUT ROWID;

        CREATE TABLE resume_tokens (
            device TEXT NOT NULL, desktop TEXT NOT NULL, token TEXT NOT NULL, generation INTEGER NOT NULL,
            expires_at INTEGER NOT NULL, PRIMARY KEY (device, desktop)) STRICT, WITHOUT ROWID;

        -- The last list that a desktop sent. `summary` is the Dashboard's own encoding.
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY, desktop TEXT NOT NULL, native_id TEXT NOT NULL, title TEXT NOT NULL,
            updated_at INTEGER NOT NULL, summary BLOB NOT NULL) STRICT;
        CREATE INDEX sessions_by_desktop ON sessions (desktop, updated_at DESC);
        CREATE INDEX sessions_by_native_id ON sessions (native_id);

        CREATE TABLE shares (
            id TEXT PRIMARY KEY, hash BLOB NOT NULL UNIQUE, session TEXT NOT NULL, title TEXT NOT NULL,
            created_by TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER,
            hides_output INTEGER NOT NULL, password_salt BLOB, password_hash BLOB,
            views INTEGER NOT NULL DEFAULT 0, last_viewed INTEGER) STRICT, WITHOUT ROWID;
        CREATE INDEX shares_by_session ON shares (session);

        CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, person TEXT NOT NULL, action TEXT NOT NULL,
            detail TEXT NOT NULL) STRICT;
        """
    ]
}
