// The browser's files: `Public/` under an address that carries the digest of all of them, so that they never change under
// it. Also which third-party files are there and are what they should be.

import Glibc
import Web
import Wire

/// `Public/` as it was when the server started.
package struct Assets: Sendable {
    /// Names the state of all files: 16 hexadecimal digits.
    package let digest: String
    /// Mermaid's bundle is there and has the digest of `config/vendor.json`.
    let hasMermaid: Bool
    /// `vendor/fonts.css` is there.
    let hasFonts: Bool
    /// `config/openapi.json`.
    let openAPI: [UInt8]
    let folder: String

    /// Reads the files of the folder that holds `Public/` and `config/`.
    ///
    /// Takes some milliseconds for some megabytes: call it before the loop has work.
    package init(resources: String) {
        folder = resources + "/Public"
        var names: [String] = []
        Assets.list(folder, "", &names)
        names.sort()
        var all = SHA256()
        var digests: [String: String] = [:]
        for name in names {
            let digest = Digest.hex(Digest.sha256(Assets.read("\(folder)/\(name)") ?? []))
            digests[name] = digest
            all.update(Array("\(name)\n\(digest)\n".utf8))
        }
        digest = String(Digest.hex(all.finish()).prefix(16))
        hasFonts = digests["vendor/fonts.css"] != nil
        openAPI = Assets.read(resources + "/config/openapi.json") ?? []
        let wanted = Assets.wantedDigest(of: "mermaid.min.js", in: Assets.read(resources + "/config/vendor.json") ?? [])
        hasMermaid = wanted != nil && digests["vendor/mermaid.min.js"] == wanted && digests["js/frame.js"] != nil
        if digests["vendor/mermaid.min.js"] != nil, !hasMermaid {
            Log.write(
                .warning,
                "Public/vendor/mermaid.min.js is not the file of config/vendor.json: diagrams show their source"
            )
        }
        if names.isEmpty { Log.write(.error, "there are no files in \(folder): pages will have no looks") }
    }

    /// The digest that the manifest of third-party files names for a file.
    static func wantedDigest(of file: String, in manifest: [UInt8]) -> String? {
        guard let json = try? JSON(parsing: manifest) else { return nil }
        for package in json["packages"]?.array ?? [] {
            for entry in package["files"]?.array ?? [] where entry["to"]?.string == file {
                return entry["sha256"]?.string?.lowercased()
            }
        }
        return nil
    }

    /// Regular files below a folder; symbolic links and hidden files are left out.
    private static func list(_ folder: String, _ prefix: String, _ names: inout [String]) {
        guard names.count < 10_000, let handle = unsafe opendir(folder) else { return }
        defer { unsafe closedir(handle) }
        while let entry = unsafe readdir(handle) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            guard !name.hasPrefix(".") else { continue }
            var status = stat()
            guard unsafe lstat("\(folder)/\(name)", &status) == 0 else { continue }
            switch status.st_mode & S_IFMT {
            case S_IFDIR: list("\(folder)/\(name)", "\(prefix)\(name)/", &names)
            case S_IFREG: names.append(prefix + name)
            default: break
            }
        }
    }

    static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0, let file = try? OpenFile(adopting: descriptor) else { return nil }
        return try? file.read(0..<file.size)
    }
}
