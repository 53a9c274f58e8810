// The pull reader of the hot paths: the caller asks for what it expects and skips the rest; nothing is built that nobody
// wants. Strict RFC 8259. Used by the device link, T3, live sockets and the agent's transcripts.

/// Reads one JSON text from front to back.
///
/// ```swift
/// var reader = JSONReader(bytes)
/// try reader.enterObject()
/// while let key = try reader.nextKey() {
///     switch key {
///     case "type": type = try reader.string()
///     case "revision": revision = try reader.int()
///     case "blocks":
///         try reader.enterArray()
///         while try reader.nextElement() { blocks.append(try readBlock(&reader)) }
///     default: try reader.skip()
///     }
/// }
/// try reader.finish()
/// ```
/// Every value must be read or skipped. After an error the reader must not be used again.
package struct JSONReader: Sendable {
    /// What a value is, seen from its first byte.
    package enum Kind: Sendable, Equatable { case object, array, string, number, bool, null }

    /// The whole text.
    package let bytes: [UInt8]
    /// Where the reader stands, in bytes from the start of `bytes`.
    package private(set) var offset: Int
    private let end: Int
    private let depthLimit: Int
    private var depth = 0
    /// The container was entered and none of its members was read yet.
    private var isAtStart = false

    /// Reads `bytes`, entering at most `depthLimit` nested containers.
    package init(_ bytes: [UInt8], depthLimit: Int = JSONLimits.depth) {
        self.init(bytes, range: 0..<bytes.count, depthLimit: depthLimit)
    }

    /// Reads the part `range` of `bytes`, for example one that ``rawRange()`` gave.
    package init(_ bytes: [UInt8], range: Range<Int>, depthLimit: Int = JSONLimits.depth) {
        precondition(range.lowerBound >= 0 && range.upperBound <= bytes.count, "the range lies outside the bytes")
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
        self.depthLimit = depthLimit
    }

    /// Runs `body` with a scanner at the reader's place and moves the reader to where it stops.
    @inline(__always)
    private mutating func scan<T>(_ body: (inout JSONScanner) throws(JSONError) -> T) throws(JSONError) -> T {
        var place = offset
        let end = end
        let result = try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) -> T in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(start: buffer.baseAddress, count: end), from: place)
            let result = try body(&scanner)
            place = scanner.index
            return result
        }
        offset = place
        return result
    }

    /// The kind of the next value, which stays unread.
    package mutating func peek() throws(JSONError) -> Kind {
        try scan { (text) throws(JSONError) in
            switch try text.next() {
            case UInt8(ascii: "{"): return .object
            case UInt8(ascii: "["): return .array
            case UInt8(ascii: "\""): return .string
            case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
            case UInt8(ascii: "n"): return .null
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
            default: throw .unexpectedByte(offset: text.index)
            }
        }
    }

    /// Checks that the text ends here.
    package mutating func finish() throws(JSONError) {
        try scan { (text) throws(JSONError) in try text.finish() }
    }

    // MARK: Containers

    /// Enters the object that comes next; then call ``nextKey()`` until it answers nil.
    package mutating func enterObject() throws(JSONError) { try enter(UInt8(ascii: "{")) }

    /// Enters the array that comes next; then call ``nextElement()`` until it answers false.
    package mutating func enterArray() throws(JSONError) { try enter(UInt8(ascii: "[")) }

    private mutating func enter(_ bracket: UInt8) throws(JSONError) {
        guard depth < depthLimit else { throw .tooDeep(limit: depthLimit) }
        try scan { (text) throws(JSONError) in
            guard try text.next() == bracket else { throw .wrongKind(offset: text.index) }
            text.index += 1
        }
        depth += 1
        isAtStart = true
    }

    /// The key of the object's next member, whose value must be read or skipped next; nil leaves the object.
    package mutating func nextKey() throws(JSONError) -> JSONKey? {
        let isFirst = isAtStart
        isAtStart = false
        let key = try scan { (text) throws(JSONError) -> JSONKey? in
            guard try text.nextMember(closing: UInt8(ascii: "}"), isFirst: isFirst) else { return nil }
            guard try text.next() == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: text.index) }
            let key = JSONKey(try text.string(), in: text)
            try text.pass(UInt8(ascii: ":"))
            return key
        }
        if key == nil { depth -= 1 }
        return key
    }

    /// Whether the array has another element, which must be read or skipped next; false leaves the array.
    package mutating func nextElement() throws(JSONError) -> Bool {
        let isFirst = isAtStart
        isAtStart = false
        let hasNext = try scan { (text) throws(JSONError) in
            try text.nextMember(closing: UInt8(ascii: "]"), isFirst: isFirst)
        }
        if !hasNext { depth -= 1 }
        return hasNext
    }

    // MARK: Values

    /// The next value, which must be a string; escapes are decoded, a lone surrogate becomes U+FFFD.
    package mutating func string() throws(JSONError) -> String {
        try scan { (text) throws(JSONError) in text.text(try text.string()) }
    }

    /// The UTF-8 bytes of the next value, which must be a string.
    package mutating func utf8() throws(JSONError) -> [UInt8] {
        try scan { (text) throws(JSONError) in text.utf8(try text.string()) }
    }

    /// The next value as a key, to compare it with literals without making a `String`.
    package mutating func token() throws(JSONError) -> JSONKey {
        try scan { (text) throws(JSONError) in JSONKey(try text.string(), in: text) }
    }

    /// The next value, which must be an integer in the range of `Int`; `1.0` and `1e3` are integers too.
    package mutating func int() throws(JSONError) -> Int { Int(try int64()) }

    /// The next value, which must be an integer in the range of `Int64`.
    package mutating func int64() throws(JSONError) -> Int64 {
        try scan { (text) throws(JSONError) in
            let number = try text.number()
            guard let value = number.integer ?? text.integer(number) else {
                throw .wrongKind(offset: number.range.lowerBound)
            }
            return value
        }
    }

    /// The next value, which must be a number that a `Double` holds without becoming infinite.
    package mutating func double() throws(JSONError) -> Double {
        try scan { (text) throws(JSONError) in
            let number = try text.number()
            guard let value = text.double(number) else { throw .wrongKind(offset: number.range.lowerBound) }
            return value
        }
    }

    /// The next value, which must be a number, exactly as it is spelled.
    package mutating func numberLiteral() throws(JSONError) -> String {
        try scan { (text) throws(JSONError) in
            let number = try text.number()
            return unsafe String(decoding: text.slice(number.range), as: UTF8.self)
        }
    }

    /// The next value, which must be `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        try scan { (text) throws(JSONError) in
            switch try text.next() {
            case UInt8(ascii: "t"): try text.literal("true"); return true
            case UInt8(ascii: "f"): try text.literal("false"); return false
            default: throw .wrongKind(offset: text.index)
            }
        }
    }

    /// Reads `null` when it comes next; otherwise reads nothing and answers false.
    package mutating func null() throws(JSONError) -> Bool {
        try scan { (text) throws(JSONError) in
            guard try text.next() == UInt8(ascii: "n") else { return false }
            try text.literal("null")
            return true
        }
    }

    /// ``string()``, or nil for `null`.
    package mutating func optionalString() throws(JSONError) -> String? { try null() ? nil : try string() }

    /// ``int()``, or nil for `null`.
    package mutating func optionalInt() throws(JSONError) -> Int? { try null() ? nil : try int() }

    /// ``bool()``, or nil for `null`.
    package mutating func optionalBool() throws(JSONError) -> Bool? { try null() ? nil : try bool() }

    /// The next value as a whole.
    package mutating func value() throws(JSONError) -> JSON {
        let depthLeft = depthLimit - depth
        let limit = depthLimit
        return try scan { (text) throws(JSONError) in
            do throws(JSONError) {
                return try text.value(depthLeft: depthLeft)
            } catch .tooDeep {
                throw .tooDeep(limit: limit)
            }
        }
    }

    /// Passes the next value without reading it: fast, without recursion and without a limit of nesting.
    ///
    /// The skipped value's brackets and strings must end, but the order of its tokens is not checked; ``JSON/check(_:depthLimit:)``
    /// does that.
    package mutating func skip() throws(JSONError) {
        try scan { (text) throws(JSONError) in try text.skip() }
    }

    /// Passes the next value like ``skip()``.
    ///
    /// - Returns: where it stands in ``bytes``, without white space around it.
    package mutating func rawRange() throws(JSONError) -> Range<Int> {
        try scan { (text) throws(JSONError) in
            _ = try text.next()
            let start = text.index
            try text.skip()
            return start..<text.index
        }
    }

    /// Passes the next value like ``skip()`` and gives a copy of its bytes.
    package mutating func raw() throws(JSONError) -> [UInt8] {
        let range = try rawRange()
        return Array(bytes[range])
    }
}

extension JSONScanner {
    /// Passes the comma before another member or the bracket that closes the container.
    @inline(__always)
    mutating func nextMember(closing bracket: UInt8, isFirst: Bool) throws(JSONError) -> Bool {
        let byte = try next()
        if byte == bracket {
            index += 1
            return false
        }
        if isFirst { return true }
        guard byte == UInt8(ascii: ",") else { throw .unexpectedByte(offset: index) }
        index += 1
        guard try next() != bracket else { throw .unexpectedByte(offset: index) }
        return true
    }

    /// The number as a `Double`; nil when that would be infinite.
    func double(_ number: RawNumber) -> Double? {
        // Exact for every integer that a Double holds.
        if let integer = number.integer, integer.magnitude <= 1 << 53 { return Double(integer) }
        guard let value = unsafe Double(String(decoding: slice(number.range), as: UTF8.self)), value.isFinite else {
            return nil
        }
        return value
    }

    /// The number as an integer when its value is one, whatever its spelling.
    func integer(_ number: RawNumber) -> Int64? {
        guard !number.isInteger || number.integer == nil, let value = double(number) else { return nil }
        // Above 2^53 a Double no longer tells which integer was meant.
        return abs(value) <= 0x1p53 ? Int64(exactly: value) : nil
    }
}
