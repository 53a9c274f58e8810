// Takes chunked framing off a body (RFC 9112 §7.1), piece by piece, for requests and for answers. A pure value: bytes in,
// content out. Strict about every line end, and bounded in what extensions and trailers may cost.

/// The state between two pieces of a chunked body.
package struct ChunkedDecoder: Sendable {
    private enum State {
        case sizeStart, size, extensions, sizeLineFeed
        case data, dataReturn, dataLineFeed
        case trailerStart, trailerName, trailerValue, trailerLineFeed, lastLineFeed
        case done
    }

    private var state = State.sizeStart
    /// The size that is being read, or what is left of the chunk.
    private var remaining = 0
    private var sizeDigits = 0
    private var extensionBytes = 0
    private var trailerBytes = 0
    /// Bytes of content so far.
    package private(set) var received = 0

    package init() {}

    package var isDone: Bool { state == .done }

    /// Reads `bytes` and appends content to `body`.
    ///
    /// - Returns: how many bytes belong to this body: all of them until it is done.
    /// - Throws: `malformedChunk`, `malformedTrailer`, `fieldsTooLarge`; `bodyTooLarge` before a chunk that would exceed
    ///   `limit` is taken.
    package mutating func decode(_ bytes: Span<UInt8>, into body: inout [UInt8], limit: Int) throws(HTTPRefusal) -> Int
    {
        var index = 0
        while index < bytes.count, state != .done {
            if state == .data {
                let count = min(remaining, bytes.count - index)
                let content = bytes.extracting(index..<index + count)
                unsafe content.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
                index += count
                remaining -= count
                received += count
                if remaining == 0 { state = .dataReturn }
                continue
            }
            try step(bytes[index], limit: limit)
            index += 1
        }
        return index
    }

    private mutating func step(_ byte: UInt8, limit: Int) throws(HTTPRefusal) {
        switch state {
        case .sizeStart:
            guard let digit = byte.hexValue else { throw .malformedChunk }
            remaining = Int(digit)
            sizeDigits = 1
            state = .size
        case .size:
            if let digit = byte.hexValue {
                sizeDigits += 1
                guard sizeDigits <= 16 else { throw .malformedChunk }
                // Refused long before it could overflow.
                guard remaining <= Int.max >> 8 else { throw .bodyTooLarge }
                remaining = remaining << 4 | Int(digit)
            } else if byte == UInt8(ascii: ";") {
                state = .extensions
            } else if byte == 0x0D {
                state = .sizeLineFeed
            } else {
                throw .malformedChunk
            }
        case .extensions:
            extensionBytes += 1
            guard extensionBytes <= HTTPLimits.chunkExtensionSize else { throw .malformedChunk }
            if byte == 0x0D {
                state = .sizeLineFeed
            } else if byte < 0x20 && byte != 0x09 || byte == 0x7F {
                throw .malformedChunk
            }
        case .sizeLineFeed:
            guard byte == 0x0A else { throw .malformedChunk }
            guard remaining <= limit - received else { throw .bodyTooLarge }
            state = remaining == 0 ? .trailerStart : .data
        case .dataReturn:
            guard byte == 0x0D else { throw .malformedChunk }
            state = .dataLineFeed
        case .dataLineFeed:
            guard byte == 0x0A else { throw .malformedChunk }
            state = .sizeStart
        default:
            try stepInTrailer(byte)
        }
    }

    /// Trailer fields are checked and thrown away: nothing here needs one, and none may change the framing (RFC 9110 §6.5.1).
    private mutating func stepInTrailer(_ byte: UInt8) throws(HTTPRefusal) {
        trailerBytes += 1
        guard trailerBytes <= HTTPLimits.trailerSize else { throw .fieldsTooLarge }
        switch state {
        case .trailerStart:
            if byte == 0x0D {
                state = .lastLineFeed
            } else if byte.isHTTPToken {
                state = .trailerName
            } else {
                throw .malformedTrailer
            }
        case .trailerName:
            if byte == UInt8(ascii: ":") {
                state = .trailerValue
            } else if !byte.isHTTPToken {
                throw .malformedTrailer
            }
        case .trailerValue:
            if byte == 0x0D {
                state = .trailerLineFeed
            } else if byte < 0x20 && byte != 0x09 || byte == 0x7F {
                throw .malformedTrailer
            }
        case .trailerLineFeed:
            guard byte == 0x0A else { throw .malformedTrailer }
            state = .trailerStart
        default:
            guard byte == 0x0A else { throw .malformedTrailer }
            state = .done
        }
    }
}
