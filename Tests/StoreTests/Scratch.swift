// A folder for one test, removed with it.

import Glibc
import Store

final class Scratch {
    let path: String

    init() {
        var template = Array("/tmp/wheelhouse-store-XXXXXX".utf8CString)
        path = unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? ""
        precondition(!path.isEmpty)
    }

    deinit { remove(path) }

    func mode(of name: String) -> mode_t? {
        var status = stat()
        return unsafe stat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o777 : nil
    }

    private func remove(_ path: String) {
        if let folder = unsafe opendir(path) {
            while let entry = unsafe readdir(folder) {
                let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) {
                    unsafe $0.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
                }
                if name != ".", name != ".." { remove("\(path)/\(name)") }
            }
            unsafe closedir(folder)
        }
        _ = unsafe Glibc.remove(path)
    }
}

/// A stand-in for a SHA-256.
func hash(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: 32) }

let day: Int64 = 86_400_000
