// Reads files of `Fixtures/` beside the tests.

import Glibc

enum MarkupFixture {
    static func lines(_ name: String) -> [String] { text(name).split(separator: "\n").map(String.init) }

    static func text(_ name: String) -> String {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard let file = unsafe fopen(folder + "/Fixtures/" + name, "r") else { return "" }
        defer { _ = unsafe fclose(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe fread($0.baseAddress, 1, $0.count, file) }
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += piece[..<count]
        }
    }
}
