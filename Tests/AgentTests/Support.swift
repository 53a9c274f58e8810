// What the agent's tests share: a scratch folder, the shared fixtures, and files written in pieces.
import Agent
import Glibc
import Testing

/// A folder of its own that is removed afterwards.
final class Scratch: Sendable {
    let path: String

    init() {
        var template = "/tmp/wheelhouse-agent-XXXXXX\0".utf8.map { CChar(bitPattern: $0) }
        unsafe path = template.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, let made = unsafe mkdtemp(base) else { return "/tmp" }
            return unsafe String(cString: made)
        }
    }

    deinit { if path.count > 10 { _ = unsafe system("rm -rf '\(path)'") } }

    /// Writes a file, with the folders above it.
    @discardableResult
    func write(_ text: String, to name: String) -> String { write(Array(text.utf8), to: name) }

    @discardableResult
    func write(_ bytes: [UInt8], to name: String, append: Bool = false) -> String {
        let file = "\(path)/\(name)"
        _ = unsafe system("mkdir -p '\(file.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" })'")
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | (append ? O_APPEND : O_TRUNC), 0o644)
        defer { close(descriptor) }
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { raw in
                unsafe Glibc.write(descriptor, raw.baseAddress.map { unsafe $0 + written }, bytes.count - written)
            }
            guard count > 0 else { break }
            written += count
        }
        return file
    }
}

/// The transcripts that the project's maker of fixtures writes, made once per run.
enum SharedFixtures {
    /// The folder with `claude`, `codex` and `expected.json`; nil where the maker or Python is missing.
    static let folder: String? = {
        guard let script else { return nil }
        let out = "\(scratch.path)/fixtures"
        guard unsafe system("python3 '\(script)' '\(out)' > /dev/null 2>&1") == 0 else { return nil }
        return out
    }()

    private static let scratch = Scratch()

    /// `../shared/fixtures/make-transcripts.py` beside the package.
    static let script: String? = {
        guard let real = unsafe realpath(#filePath, nil) else { return nil }
        defer { unsafe free(real) }
        let parts = unsafe String(cString: real).split(separator: "/").dropLast(4)
        let script = "/" + parts.joined(separator: "/") + "/shared/fixtures/make-transcripts.py"
        return unsafe access(script, R_OK) == 0 ? script : nil
    }()

    static func bytes(_ path: String) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        var bytes = [UInt8](repeating: 0, count: size)
        let got = unsafe bytes.withUnsafeMutableBytes { unsafe pread(descriptor, $0.baseAddress, size, 0) }
        return got == size ? bytes : []
    }
}
