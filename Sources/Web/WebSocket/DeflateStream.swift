// zlib for one direction of one connection: raw DEFLATE with the sync tail of RFC 7692 section 7.2 taken off and put back.

import CZlib

/// Compresses messages, with or without the memory of the earlier ones.
@safe
struct MessageDeflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    /// nil when memory is short.
    ///
    /// - Parameter windowBits: 9...15.
    init?(windowBits: Int) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe deflateInit2_(
            stream,
            Int32(WebSocketLimits.deflateEffort),
            Z_DEFLATED,
            Int32(-windowBits),
            Int32(WebSocketLimits.deflateMemoryLevel),
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else { return nil }
    }

    deinit {
        _ = unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets the earlier messages.
    mutating func reset() { _ = unsafe deflateReset(stream) }

    /// The compressed message without its tail `00 00 FF FF`.
    mutating func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(message.count / 3 + 64)
        // zlib reads through this pointer and never writes.
        unsafe stream.pointee.next_in = UnsafeMutableRawPointer(mutating: message.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_in = UInt32(message.count)
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: WebSocketLimits.chunk) { chunk in
            repeat {
                unsafe stream.pointee.next_out = chunk.baseAddress
                unsafe stream.pointee.avail_out = UInt32(chunk.count)
                _ = unsafe CZlib.deflate(stream, Z_SYNC_FLUSH)
                let length = unsafe chunk.count - Int(stream.pointee.avail_out)
                unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<length]))
            } while unsafe stream.pointee.avail_out == 0
        }
        if output.count >= 4, output.suffix(4).elementsEqual([0, 0, 0xFF, 0xFF]) { output.removeLast(4) }
        return output
    }
}

/// Inflates messages as their bytes arrive.
@safe
struct MessageInflater: ~Copyable {
    /// Why a message could not be inflated.
    enum Failure: Error { case broken, tooBig }

    private let stream: UnsafeMutablePointer<z_stream>

    /// nil when memory is short.
    ///
    /// - Parameter windowBits: 8...15, at least what the peer uses.
    init?(windowBits: Int) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let code = unsafe inflateInit2_(
            stream,
            Int32(-windowBits),
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard code == Z_OK else { return nil }
    }

    deinit {
        _ = unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Forgets the earlier messages.
    mutating func reset() { _ = unsafe inflateReset(stream) }

    /// Inflates the next bytes of a message.
    ///
    /// - Parameter limit: `output` never grows above so many bytes.
    mutating func inflate(
        _ input: UnsafeRawBufferPointer,
        into output: inout [UInt8],
        limit: Int
    ) throws(Failure) {
        // zlib reads through this pointer and never writes.
        unsafe stream.pointee.next_in = UnsafeMutableRawPointer(mutating: input.baseAddress)?
            .assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_in = UInt32(input.count)
        var failure: Failure?
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: WebSocketLimits.chunk) { chunk in
            repeat {
                unsafe stream.pointee.next_out = chunk.baseAddress
                unsafe stream.pointee.avail_out = UInt32(chunk.count)
                let code = unsafe CZlib.inflate(stream, Z_SYNC_FLUSH)
                let length = unsafe chunk.count - Int(stream.pointee.avail_out)
                // Filled up to the limit, so that what is found in these bytes does not depend on how they arrived.
                let room = min(length, limit - output.count)
                unsafe output.append(contentsOf: UnsafeBufferPointer(rebasing: chunk[..<room]))
                if room < length {
                    failure = .tooBig
                    return
                }
                switch code {
                case Z_OK: break
                // No progress was possible: everything is read and written.
                case Z_BUF_ERROR: return
                // A block with BFINAL (RFC 7692 section 7.2.3.4): more may follow, and the window stays.
                case Z_STREAM_END: _ = unsafe inflateResetKeep(stream)
                default:
                    failure = .broken
                    return
                }
            } while unsafe stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
        }
        if let failure { throw failure }
    }

    /// Ends a message by putting its tail back.
    mutating func finish(into output: inout [UInt8], limit: Int) throws(Failure) {
        let tail: [UInt8] = [0, 0, 0xFF, 0xFF]
        try unsafe tail.withUnsafeBufferPointer { (tail) throws(Failure) in
            try unsafe inflate(UnsafeRawBufferPointer(tail), into: &output, limit: limit)
        }
    }
}
