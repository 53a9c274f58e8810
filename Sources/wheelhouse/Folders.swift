import Glibc
import Wire

enum Folders {
    /// Makes a folder that only its owner may enter; one that is there already is left as it is.
    static func makePrivate(_ path: String) throws(Errno) {
        guard unsafe mkdir(path, 0o700) != 0, errno != EEXIST else { return }
        throw Errno(code: errno)
    }
}
