// What the process was started in: variables, where it lies on disk, what this machine is called.

import Glibc

enum Environment {
    /// The value of a variable; nil when it is unset or empty.
    static func variable(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        let text = unsafe String(cString: value)
        return text.isEmpty ? nil : text
    }

    /// The user's home folder.
    static var home: String { variable("HOME") ?? "/" }

    /// Where `serve` keeps its data unless it is told otherwise (XDG base directories).
    static var dataFolder: String { (variable("XDG_DATA_HOME") ?? home + "/.local/share") + "/wheelhouse" }

    /// A path that no longer depends on the folder the program was started in.
    static func absolute(_ path: String) -> String {
        guard !path.hasPrefix("/"), let resolved = unsafe realpath(path, nil) else { return path }
        defer { unsafe free(resolved) }
        return unsafe String(cString: resolved)
    }

    /// The folder that holds `Public/` and `config/`: `WHEELHOUSE_RESOURCES`, else the nearest one above the program, as in a
    /// source tree, else the installed one beside `bin`.
    static func resources() -> String? {
        if let given = variable("WHEELHOUSE_RESOURCES") { return isResources(given) ? given : nil }
        guard let resolved = unsafe realpath("/proc/self/exe", nil) else { return nil }
        defer { unsafe free(resolved) }
        var folder = unsafe String(cString: resolved)
        while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
            folder = String(folder[..<slash])
            if isResources(folder) { return folder }
            if isResources(folder + "/share/wheelhouse") { return folder + "/share/wheelhouse" }
        }
        return nil
    }

    private static func isResources(_ folder: String) -> Bool {
        unsafe access(folder + "/Public/js/main.js", R_OK) == 0
    }

    /// Whether the program runs in a container, by the marks that Docker and Podman leave.
    static var isContainer: Bool {
        unsafe access("/.dockerenv", F_OK) == 0 || access("/run/.containerenv", F_OK) == 0
    }

    /// This machine's own name.
    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
        return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
