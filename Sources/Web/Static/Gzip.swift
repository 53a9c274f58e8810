// Content coding `gzip` (RFC 9110 §8.4.1.3), whole values at a time.
import CZlib

package enum Gzip {
    /// Compresses. Level 1 for what is made for one answer (93 MB/s), 6 or more for what is kept.
    ///
    /// - Returns: nil when the result would not be smaller, or there is no memory.
    package static func compress(_ bytes: [UInt8], level: Int32) -> [UInt8]? {
        var stream = unsafe z_stream()
        // 15 bits of window, and 16 to ask for the gzip wrapper.
        let started = unsafe deflateInit2_(
            &stream,
            level,
            Z_DEFLATED,
            15 + 16,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard started == Z_OK else { return nil }
        defer { unsafe deflateEnd(&stream) }
        var output = [UInt8](repeating: 0, count: bytes.count)
        let result = unsafe bytes.withUnsafeBytes { input in
            unsafe output.withUnsafeMutableBytes { space in
                let source = unsafe input.bindMemory(to: UInt8.self).baseAddress
                unsafe stream.next_in = UnsafeMutablePointer(mutating: source)
                unsafe stream.avail_in = UInt32(input.count)
                unsafe stream.next_out = space.bindMemory(to: UInt8.self).baseAddress
                unsafe stream.avail_out = UInt32(space.count)
                return unsafe deflate(&stream, Z_FINISH)
            }
        }
        guard result == Z_STREAM_END else { return nil }
        unsafe output.removeLast(output.count - Int(stream.total_out))
        return output
    }

    /// Whether an `Accept-Encoding` value takes gzip (RFC 9110 §12.5.3): named with a weight above 0, or meant by `*`.
    package static func isAccepted(by value: String) -> Bool {
        var star = false
        for part in value.utf8.split(separator: UInt8(ascii: ",")) {
            var pieces = part.split(separator: UInt8(ascii: ";")).map { trimmed($0).lowercased() }[...]
            guard let name = pieces.popFirst() else { continue }
            let isWanted = pieces.allSatisfy { !isZeroWeight($0) }
            if name == "gzip" || name == "x-gzip" { return isWanted }
            if name == "*" { star = isWanted }
        }
        return star
    }

    private static func trimmed(_ bytes: Substring.UTF8View) -> String {
        String(Substring(bytes)).filter { $0 != " " && $0 != "\t" }
    }

    private static func isZeroWeight(_ parameter: String) -> Bool {
        guard parameter.hasPrefix("q=") else { return false }
        return parameter.dropFirst(2).allSatisfy { $0 == "0" || $0 == "." }
    }
}
