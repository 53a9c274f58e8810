// The folder that holds all data: made with mode 0700, checked before anything is opened, so that a volume owned by
// another user is one clear sentence at the start and not an odd error later.

import Glibc

func currentUser() -> UInt32 { getuid() }

/// A data folder that exists, belongs to us and can be written.
package struct DataFolder: Sendable {
    package let path: String

    /// The database file.
    package var database: String { path + "/wheelhouse.sqlite" }

    /// Makes the folder and its parents where they are missing and checks that a file can be made in it.
    ///
    /// - Throws: ``StoreError/unwritable(path:user:reason:)`` with the first path that failed.
    package init(preparing path: String) throws(StoreError) {
        self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        try DataFolder.make(self.path)
        let probe = "\(self.path)/.probe-\(getpid())"
        let descriptor = unsafe open(probe, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolder.failure(self.path) }
        close(descriptor)
        unsafe unlink(probe)
    }

    /// Makes sure that `file` exists and is readable by its owner only, before SQLite opens it.
    ///
    /// SQLite gives its `-wal` and `-shm` files the same mode.
    func protect(_ file: String) throws(StoreError) {
        let descriptor = unsafe open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataFolder.failure(file) }
        // A file of another owner is left as it is: that it opened is enough.
        fchmod(descriptor, 0o600)
        close(descriptor)
    }

    private static func make(_ path: String) throws(StoreError) {
        if unsafe mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { throw failure(path) }
            guard status.st_mode & S_IFMT == S_IFDIR else {
                throw .unwritable(path: path, user: currentUser(), reason: "it is not a folder")
            }
            // Only the mode of our own folder is ours to change.
            if status.st_uid == getuid(), status.st_mode & 0o077 != 0 { unsafe chmod(path, 0o700) }
        case ENOENT:
            guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw failure(path) }
            try makeParent(String(path[..<slash]))
            guard unsafe mkdir(path, 0o700) == 0 || errno == EEXIST else { throw failure(path) }
        default: throw failure(path)
        }
    }

    /// A missing parent is made too; one that is there is left alone.
    private static func makeParent(_ path: String) throws(StoreError) {
        if unsafe access(path, F_OK) == 0 { return }
        try make(path)
    }

    private static func failure(_ path: String) -> StoreError {
        .unwritable(path: path, user: currentUser(), reason: unsafe String(cString: strerror(errno)))
    }
}
