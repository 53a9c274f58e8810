// Prefixes of lines by bytes: a sign before a combining mark is one Character with it, and `dropFirst` would eat both.

extension StringProtocol {
    /// Whether the bytes of `prefix` stand first.
    func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }

    /// What follows the first `count` bytes.
    func after(bytes count: Int) -> String { String(decoding: utf8.dropFirst(count), as: UTF8.self) }

    var withoutCarriageReturn: String {
        let bytes = Array(utf8)
        return String(decoding: bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes[...], as: UTF8.self)
    }

    var withoutLeadingBlanks: String {
        String(decoding: utf8.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
    }
}
