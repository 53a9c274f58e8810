import Glibc
import Wire

enum Folders {
    /// Makes a folder that only its owner may enter; one that is there already is left as it is.
    static func makePrivate(_ path: String) throws(Errno) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw Errno(code: errno)
    }

    /// Claims a data folder for this process until it ends, however it ends.
    ///
    /// - Returns: false when another server has it.
    static func claim(_ path: String) -> Bool {
        let lock = unsafe open(path + "/serve.lock", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
        // Without a lock file (a file system that has none) nothing is worse than before.
        guard lock >= 0 else { return true }
        return flock(lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }
}
