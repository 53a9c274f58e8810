// What a request asks for: the four forms of a target (RFC 9112 §3.2), and one way to make a path of it, so that access
// checks, the router and the file system all see the same one.

/// A request target taken apart. Ranges are into the head.
package struct RequestTarget: Sendable {
    /// The path as it was sent, percent-encoded, `/` for none.
    package private(set) var path: Range<Int>
    /// What follows the question mark.
    package private(set) var query: Range<Int>?
    /// The authority of an absolute-form target; it outranks `Host` (RFC 9112 §3.2.2).
    package private(set) var authority: Range<Int>?
    /// `OPTIONS *`.
    package private(set) var isAsterisk = false

    package init(_ bytes: Span<UInt8>, _ range: Range<Int>, method: HTTPMethod) throws(HTTPRefusal) {
        var start = range.lowerBound
        if bytes[start] != UInt8(ascii: "/") {
            if range.count == 1, bytes[start] == UInt8(ascii: "*"), method == .options {
                path = range
                isAsterisk = true
                return
            }
            let scheme = Self.schemeLength(bytes, range)
            guard scheme > 0 else { throw .malformedTarget }
            let authorityStart = start + scheme
            start = authorityStart
            while start < range.upperBound, bytes[start] != UInt8(ascii: "/"), bytes[start] != UInt8(ascii: "?") {
                start += 1
            }
            guard start > authorityStart, isHost(bytes, authorityStart..<start) else { throw .malformedTarget }
            authority = authorityStart..<start
        }
        var end = start
        while end < range.upperBound, bytes[end] != UInt8(ascii: "?") {
            guard bytes[end] != UInt8(ascii: "#") else { throw .malformedTarget }
            end += 1
        }
        path = start..<end
        if end < range.upperBound { query = end + 1..<range.upperBound }
    }

    private static func schemeLength(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
        let start = range.lowerBound
        if range.count > 7, equalsIgnoringCase(bytes, start..<start + 7, "http://") { return 7 }
        if range.count > 8, equalsIgnoringCase(bytes, start..<start + 8, "https://") { return 8 }
        return 0
    }

    /// The path percent-decoded once, with dot segments resolved (RFC 3986 §5.2.4); nil when it is that already.
    ///
    /// - Throws: `malformedTarget` for a bad escape, a control character, bytes that are no UTF-8, or a way above the root.
    package func normalizedPath(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> [UInt8]? {
        if path.isEmpty { return [UInt8(ascii: "/")] }
        var isNormal = true
        var previous: UInt8 = 0
        for index in path {
            let byte = bytes[index]
            if byte == UInt8(ascii: "%") || byte == UInt8(ascii: ".") && previous == UInt8(ascii: "/") {
                isNormal = false
                break
            }
            previous = byte
        }
        if isNormal { return nil }
        var decoded: [UInt8] = []
        decoded.reserveCapacity(path.count)
        var index = path.lowerBound
        while index < path.upperBound {
            var byte = bytes[index]
            if byte == UInt8(ascii: "%") {
                guard index + 2 < path.upperBound, let high = bytes[index + 1].hexValue,
                    let low = bytes[index + 2].hexValue
                else { throw .malformedTarget }
                byte = high << 4 | low
                index += 2
            }
            guard byte >= 0x20, byte != 0x7F else { throw .malformedTarget }
            decoded.append(byte)
            index += 1
        }
        guard String(validating: decoded, as: UTF8.self) != nil else { throw .malformedTarget }
        return try Self.resolvingDots(decoded)
    }

    private static func resolvingDots(_ path: [UInt8]) throws(HTTPRefusal) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        let dot = UInt8(ascii: ".")
        guard path.first == slash else { throw .malformedTarget }
        var result: [UInt8] = []
        result.reserveCapacity(path.count)
        var position = 0
        while position < path.count {
            var end = position + 1
            while end < path.count, path[end] != slash { end += 1 }
            let segment = path[position + 1..<end]
            if segment.elementsEqual([dot]) {
                if end == path.count { result.append(slash) }
            } else if segment.elementsEqual([dot, dot]) {
                guard let parent = result.lastIndex(of: slash) else { throw .malformedTarget }
                result.removeSubrange(parent...)
                if end == path.count { result.append(slash) }
            } else {
                result.append(contentsOf: path[position..<end])
            }
            position = end
        }
        return result.isEmpty ? [slash] : result
    }
}

/// Percent-decoding of one name or value of a query or an `application/x-www-form-urlencoded` body: `+` is a space, and an
/// escape that is none stays as it is (WHATWG URL §5.1).
func formDecoded(_ bytes: ArraySlice<UInt8>) -> String {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var index = bytes.startIndex
    while index < bytes.endIndex {
        let byte = bytes[index]
        if byte == UInt8(ascii: "%"), index + 2 < bytes.endIndex, let high = bytes[index + 1].hexValue,
            let low = bytes[index + 2].hexValue
        {
            decoded.append(high << 4 | low)
            index += 3
        } else {
            decoded.append(byte == UInt8(ascii: "+") ? 0x20 : byte)
            index += 1
        }
    }
    return String(decoding: decoded, as: UTF8.self)
}

/// The first value of `name` in a list of `name=value` pairs that are joined by `&`.
func firstFormValue(_ name: String, in bytes: ArraySlice<UInt8>) -> String? {
    for pair in bytes.split(separator: UInt8(ascii: "&"), maxSplits: HTTPLimits.pairs) {
        let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
        guard formDecoded(pair[..<equals]) == name else { continue }
        return equals < pair.endIndex ? formDecoded(pair[(equals + 1)...]) : ""
    }
    return nil
}
