// Files beside the tests.

import Glibc

func fixture(_ name: String, file: String = #filePath) -> String {
    let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    guard let handle = unsafe fopen("\(folder)/Fixtures/\(name)", "r") else { return "" }
    defer { unsafe fclose(handle) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe fread(&buffer, 1, buffer.count, handle), count > 0 { bytes += buffer[..<count] }
    return String(decoding: bytes, as: UTF8.self)
}
