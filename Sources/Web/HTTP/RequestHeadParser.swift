// Reads the head of an HTTP/1.1 request where it lies (RFC 9112 §2 to §6). Called by `HTTPConnection` with the bytes that
// came; what it finds are offsets into them. Strict: a request that two readers could frame differently is refused.

/// What a `Connection` field asked for (RFC 9110 §7.6.1).
struct ConnectionOptions: OptionSet, Sendable {
    let rawValue: UInt8
    static let close = ConnectionOptions(rawValue: 1)
    static let keepAlive = ConnectionOptions(rawValue: 2)
    static let upgrade = ConnectionOptions(rawValue: 4)
}

/// How a message's body ends (RFC 9112 §6.3).
package enum BodyFraming: Sendable, Equatable {
    case none
    case length(Int)
    case chunked
}

/// What a parser found: numbers and offsets only, so that passing it on costs nothing.
package struct FoundHead: Sendable {
    /// Bytes of the head, the empty line after it included.
    package fileprivate(set) var length = 0
    package fileprivate(set) var method = 0..<0
    package fileprivate(set) var target = 0..<0
    /// 0 for HTTP/1.0, otherwise 1.
    package fileprivate(set) var minorVersion = 1
    package fileprivate(set) var framing = BodyFraming.none
    /// The value of `Host`; nil when there is none, which only HTTP/1.0 may do.
    package fileprivate(set) var host: Range<Int>?
    package fileprivate(set) var expectsContinue = false
    fileprivate(set) var options: ConnectionOptions = []

    /// Whether the connection stays open after the answer, as far as the client is concerned (RFC 9112 §9.3).
    package var isPersistent: Bool {
        if options.contains(.close) { return false }
        return minorVersion >= 1 || options.contains(.keepAlive)
    }
}

/// The parser and, after ``parse(_:limits:)`` returned true, the head it found. One serves all connections of a loop: its
/// table of fields keeps its memory.
package struct RequestHeadParser {
    package private(set) var head = FoundHead()
    private(set) var fields: [FieldRange] = []

    private var contentLength: Int?
    private var hasTransferEncoding = false

    package init() {}

    /// Reads one head from the start of `bytes`.
    ///
    /// - Returns: false when the head is not complete; it is then read again from its start with more bytes.
    /// - Throws: as soon as the bytes so far can be no acceptable head.
    package mutating func parse(_ bytes: Span<UInt8>, limits: HTTPLimits) throws(HTTPRefusal) -> Bool {
        reset()
        var position = 0
        guard try skipEmptyLines(bytes, &position), try requestLine(bytes, &position, limits: limits) else {
            return false
        }
        let start = position
        while true {
            guard position < bytes.count else { return try incomplete(position - start, limits) }
            if bytes[position] == 0x0D {
                guard position + 1 < bytes.count else { return false }
                guard bytes[position + 1] == 0x0A else { throw .malformedField }
                head.length = position + 2
                try decideFraming()
                return true
            }
            guard try fieldLine(bytes, &position) else { return try incomplete(bytes.count - start, limits) }
            if position - start > limits.fieldsSize || fields.count > limits.fieldCount { throw .fieldsTooLarge }
        }
    }

    private mutating func reset() {
        fields.removeAll(keepingCapacity: true)
        head = FoundHead()
        contentLength = nil
        hasTransferEncoding = false
    }

    private func incomplete(_ size: Int, _ limits: HTTPLimits) throws(HTTPRefusal) -> Bool {
        if size > limits.fieldsSize { throw .fieldsTooLarge }
        return false
    }

    // MARK: Request line

    private func skipEmptyLines(_ bytes: Span<UInt8>, _ position: inout Int) throws(HTTPRefusal) -> Bool {
        for _ in 0...HTTPLimits.leadingEmptyLines {
            guard position < bytes.count else { return false }
            guard bytes[position] == 0x0D else { return true }
            guard position + 1 < bytes.count else { return false }
            guard bytes[position + 1] == 0x0A else { break }
            position += 2
        }
        throw .malformedRequestLine
    }

    /// `method SP request-target SP HTTP-version CRLF` (RFC 9112 §3).
    private mutating func requestLine(
        _ bytes: Span<UInt8>,
        _ position: inout Int,
        limits: HTTPLimits
    ) throws(HTTPRefusal) -> Bool {
        let methodStart = position
        while position < bytes.count, bytes[position].isHTTPToken { position += 1 }
        guard position - methodStart <= HTTPLimits.methodSize else { throw .malformedRequestLine }
        guard position < bytes.count else { return false }
        guard bytes[position] == 0x20, position > methodStart else { throw .malformedRequestLine }
        head.method = methodStart..<position
        position += 1

        let targetStart = position
        while position < bytes.count, bytes[position] &- 0x21 < 0x5E { position += 1 }
        guard position - targetStart <= limits.targetSize else { throw .targetTooLong }
        guard position < bytes.count else { return false }
        guard bytes[position] == 0x20, position > targetStart else { throw .malformedRequestLine }
        head.target = targetStart..<position
        position += 1
        return try version(bytes, &position)
    }

    /// `HTTP/1.1 CRLF`: the name is case-sensitive, both numbers have one digit (RFC 9112 §2.3).
    private mutating func version(_ bytes: Span<UInt8>, _ position: inout Int) throws(HTTPRefusal) -> Bool {
        let name: StaticString = "HTTP/"
        for offset in 0..<5 {
            guard position + offset < bytes.count else { return false }
            guard unsafe bytes[position + offset] == name.utf8Start[offset] else { throw .malformedRequestLine }
        }
        guard position + 10 <= bytes.count else { return false }
        let major = bytes[position + 5]
        let minor = bytes[position + 7]
        guard major.isDigit, bytes[position + 6] == UInt8(ascii: "."), minor.isDigit,
            bytes[position + 8] == 0x0D, bytes[position + 9] == 0x0A
        else { throw .malformedRequestLine }
        guard major == UInt8(ascii: "1") else { throw .unsupportedVersion }
        head.minorVersion = minor == UInt8(ascii: "0") ? 0 : 1
        position += 10
        return true
    }

    private mutating func fieldLine(_ bytes: Span<UInt8>, _ position: inout Int) throws(HTTPRefusal) -> Bool {
        guard let field = try FieldRange.read(bytes, &position) else { return false }
        fields.append(field)
        try notice(bytes, name: field.name, value: field.value)
        return true
    }

    /// Keeps what framing, routing and persistence need.
    @inline(__always)
    private mutating func notice(_ bytes: Span<UInt8>, name: Range<Int>, value: Range<Int>) throws(HTTPRefusal) {
        switch name.count {
        case 4 where equalsIgnoringCase(bytes, name, "host"):
            guard head.host == nil else { throw .repeatedHost }
            guard isHost(bytes, value) else { throw .malformedHost }
            head.host = value
        case 6 where equalsIgnoringCase(bytes, name, "expect"):
            guard equalsIgnoringCase(bytes, value, "100-continue") else { throw .unknownExpectation }
            head.expectsContinue = true
        case 10 where equalsIgnoringCase(bytes, name, "connection"): noticeOptions(bytes, value)
        case 14 where equalsIgnoringCase(bytes, name, "content-length"):
            guard contentLength == nil else { throw .conflictingLength }
            contentLength = try decimal(bytes, value)
        case 17 where equalsIgnoringCase(bytes, name, "transfer-encoding"):
            guard !hasTransferEncoding else { throw .malformedTransferEncoding }
            guard equalsIgnoringCase(bytes, value, "chunked") else { throw .unsupportedTransferCoding }
            hasTransferEncoding = true
        default: break
        }
    }

    private mutating func noticeOptions(_ bytes: Span<UInt8>, _ value: Range<Int>) {
        var position = value.lowerBound
        while position < value.upperBound {
            let byte = bytes[position]
            if byte == UInt8(ascii: ",") || byte.isHTTPSpace {
                position += 1
                continue
            }
            let start = position
            while position < value.upperBound, bytes[position] != UInt8(ascii: ","), !bytes[position].isHTTPSpace {
                position += 1
            }
            let option = start..<position
            switch option.count {
            case 5 where equalsIgnoringCase(bytes, option, "close"): head.options.insert(.close)
            case 7 where equalsIgnoringCase(bytes, option, "upgrade"): head.options.insert(.upgrade)
            case 10 where equalsIgnoringCase(bytes, option, "keep-alive"): head.options.insert(.keepAlive)
            default: break
            }
        }
    }

    /// Digits only, whatever other readers would make of signs, blanks and lists (RFC 9110 §8.6).
    private func decimal(_ bytes: Span<UInt8>, _ value: Range<Int>) throws(HTTPRefusal) -> Int {
        guard !value.isEmpty else { throw .malformedLength }
        var number = 0
        var isTooLarge = false
        for index in value {
            guard bytes[index].isDigit else { throw .malformedLength }
            let (product, high) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int(bytes[index] - 0x30))
            if high || carry { isTooLarge = true }
            number = isTooLarge ? 0 : sum
        }
        if isTooLarge { throw .bodyTooLarge }
        return number
    }

    /// RFC 9112 §6.3: a length and a coding together, or a coding in HTTP/1.0, are how requests are smuggled.
    private mutating func decideFraming() throws(HTTPRefusal) {
        if head.minorVersion >= 1, head.host == nil { throw .missingHost }
        if hasTransferEncoding {
            guard contentLength == nil else { throw .conflictingLength }
            guard head.minorVersion >= 1 else { throw .malformedTransferEncoding }
            head.framing = .chunked
        } else if let contentLength, contentLength > 0 {
            head.framing = .length(contentLength)
        }
        if head.minorVersion == 0 { head.expectsContinue = false }
    }
}

/// `uri-host [":" port]` (RFC 9110 §7.2): a name, an IPv4 address or a bracketed IPv6 address. Empty is legal.
func isHost(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var position = range.lowerBound
    if position < range.upperBound, bytes[position] == UInt8(ascii: "[") {
        position += 1
        let start = position
        while position < range.upperBound,
            bytes[position].hexValue != nil || bytes[position] == UInt8(ascii: ":")
                || bytes[position] == UInt8(ascii: ".")
        { position += 1 }
        guard position > start, position < range.upperBound, bytes[position] == UInt8(ascii: "]") else { return false }
        position += 1
    } else {
        while position < range.upperBound, bytes[position] != UInt8(ascii: ":") {
            switch bytes[position].lowercased {
            case 0x61...0x7A, 0x30...0x39: break
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"): break
            default: return false
            }
            position += 1
        }
    }
    guard position < range.upperBound else { return true }
    guard bytes[position] == UInt8(ascii: ":"), position > range.lowerBound else { return false }
    let digits = position + 1..<range.upperBound
    return digits.count <= 5 && digits.allSatisfy { bytes[$0].isDigit }
}
