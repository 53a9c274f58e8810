// RFC 6455 without a socket: bytes in, events out; messages in, frames out. `WebSocket` (the shell) owns one and obeys.
// Reading stands here, writing in `WebSocketEngine+Send.swift`.

/// What arrived.
package enum WebSocketEvent: Sendable, Equatable {
    /// A whole text message, valid UTF-8.
    case text([UInt8])
    /// A whole binary message.
    case binary([UInt8])
    /// To be answered by a pong with the same bytes.
    case ping([UInt8])
    case pong([UInt8])
    /// The peer's Close frame; code 1005 when it has none. To be answered by a Close frame unless one was sent.
    case close(code: UInt16, reason: String)
}

/// One end of one WebSocket connection after the handshake.
///
/// ```swift
/// var offset = 0
/// do throws(WebSocketFailure) {
///     while let event = try engine.next(in: received, from: &offset) { handle(event) }
/// } catch {
///     engine.appendClose(error.code, error.reason, to: &output)   // then flush and end the connection
/// }
/// ```
/// Messages that came before a broken frame are handed out before its failure. Between two calls of ``next(in:from:)`` the
/// engine may be used to send.
package struct WebSocketEngine: ~Copyable {
    let role: WebSocketRole
    let deflate: DeflateParameters?
    let makeMask: @Sendable () -> UInt32
    private let limits: WebSocketLimits

    // What the writing side keeps.
    var deflater: MessageDeflater?
    /// The peer's window holds a message that our deflater has not seen: its memory is worthless.
    var mustResetDeflater = false
    /// A Close frame was sent: nothing may follow it.
    package internal(set) var hasSentClose = false

    /// A Close frame was received: whatever follows is ignored.
    package private(set) var hasReceivedClose = false

    // The frame that is being read.
    private enum Step { case start, length, moreLength, mask, payload }
    private var step = Step.start
    private var opcode = WebSocketOpcode.continuation
    private var isFinal = false
    private var needsLengthBytes = 0
    /// How many bytes the length is given in after the short one: 0, 2 or 8.
    private var lengthBytes = 0
    private var length: UInt64 = 0
    private var needsMaskBytes = 0
    private var mask: UInt32 = 0
    /// Payload bytes of this frame that were read.
    private var received = 0

    // The message that is being put together.
    private enum Message { case none, text, binary }
    private var message = Message.none
    private var isCompressed = false
    private var fragments = 0
    private var body: [UInt8] = []
    private var utf8 = UTF8Check()
    private var control: [UInt8] = []
    private var inflater: MessageInflater?

    /// - Parameters:
    ///   - deflate: what the handshake agreed on; nil without compression.
    ///   - makeMask: gives the key of each frame of a client; unpredictable outside tests.
    package init(
        role: WebSocketRole,
        limits: WebSocketLimits = WebSocketLimits(),
        deflate: DeflateParameters? = nil,
        makeMask: @escaping @Sendable () -> UInt32 = { WebSocketFrame.randomMask() }
    ) {
        self.role = role
        self.limits = limits
        self.deflate = deflate
        self.makeMask = makeMask
    }

    /// Whether a message or a frame is half received.
    package var isInsideMessage: Bool { step != .start || message != .none }

    /// Reads on until something is complete.
    ///
    /// - Parameters:
    ///   - bytes: what the socket gave.
    ///   - offset: where to read on in `bytes`; moved behind what was read.
    /// - Returns: the next event; nil when all of `bytes` is read.
    /// - Throws: why the connection must be failed. The engine must not read afterwards.
    package mutating func next(
        in bytes: UnsafeRawBufferPointer,
        from offset: inout Int
    ) throws(WebSocketFailure) -> WebSocketEvent? {
        while !hasReceivedClose {
            if step == .payload {
                let piece = min(bytes.count - offset, Int(length) - received)
                if piece > 0 {
                    try unsafe take(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + piece]))
                    offset += piece
                    received += piece
                }
                guard received == Int(length) else { return nil }
                step = .start
                if let event = try endFrame() { return event }
            } else {
                guard offset < bytes.count else { return nil }
                let byte = unsafe bytes[offset]
                offset += 1
                try takeHeader(byte)
            }
        }
        offset = bytes.count
        return nil
    }

    // MARK: Header

    private mutating func takeHeader(_ byte: UInt8) throws(WebSocketFailure) {
        switch step {
        case .start: try takeFirst(byte)
        case .length: try takeLength(byte)
        case .moreLength:
            length = length << 8 | UInt64(byte)
            needsLengthBytes -= 1
            if needsLengthBytes == 0 { try checkLength() }
        case .mask:
            mask |= UInt32(byte) << UInt32((4 - needsMaskBytes) << 3)
            needsMaskBytes -= 1
            if needsMaskBytes == 0 { step = .payload }
        case .payload: break
        }
    }

    /// FIN, RSV1...3, opcode.
    private mutating func takeFirst(_ byte: UInt8) throws(WebSocketFailure) {
        guard let opcode = WebSocketOpcode(rawValue: byte & 0x0F) else { throw .protocolError("unknown opcode") }
        self.opcode = opcode
        isFinal = byte & 0x80 != 0
        let isCompressed = byte & 0x40 != 0
        guard byte & 0x30 == 0 else { throw .protocolError("reserved bit is set") }
        if isCompressed, deflate == nil || opcode == .continuation || opcode.isControl {
            throw .protocolError("reserved bit is set")
        }
        switch opcode {
        case .close, .ping, .pong:
            guard isFinal else { throw .protocolError("control frame is fragmented") }
        case .continuation:
            guard message != .none else { throw .protocolError("continuation of nothing") }
        case .text, .binary:
            guard message == .none else { throw .protocolError("message inside a message") }
            message = opcode == .text ? .text : .binary
            self.isCompressed = isCompressed
            fragments = 0
            utf8 = UTF8Check()
        }
        if !opcode.isControl {
            fragments += 1
            guard fragments <= limits.fragments else { throw .tooManyFragments }
        }
        step = .length
    }

    /// MASK and the short length.
    private mutating func takeLength(_ byte: UInt8) throws(WebSocketFailure) {
        guard (byte & 0x80 != 0) == (role == .server) else {
            throw .protocolError(role == .server ? "frame is not masked" : "frame is masked")
        }
        received = 0
        mask = 0
        needsMaskBytes = role == .server ? 4 : 0
        switch byte & 0x7F {
        case 126: needsLengthBytes = 2
        case 127: needsLengthBytes = 8
        case let short:
            length = UInt64(short)
            return try checkLength()
        }
        guard !opcode.isControl else { throw .protocolError("control frame is too long") }
        length = 0
        step = .moreLength
        lengthBytes = needsLengthBytes
    }

    private mutating func checkLength() throws(WebSocketFailure) {
        if lengthBytes == 2, length < 126 { throw .protocolError("length is not minimal") }
        if lengthBytes == 8, length < 0x10000 || length >> 63 != 0 { throw .protocolError("length is not minimal") }
        lengthBytes = 0
        // A compressed frame is measured by what it inflates to; on the wire it has no reason to be larger than the limit.
        let used = opcode.isControl || isCompressed ? 0 : body.count
        if length > UInt64(max(0, limits.message - used)), !opcode.isControl { throw .tooBig }
        step = needsMaskBytes > 0 ? .mask : .payload
    }

    // MARK: Payload

    /// Takes the next bytes of the frame's payload.
    private mutating func take(_ piece: UnsafeRawBufferPointer) throws(WebSocketFailure) {
        if opcode.isControl {
            unsafe WebSocketEngine.append(piece, mask: mask, phase: received, to: &control)
        } else if isCompressed {
            try unsafe inflate(piece)
        } else {
            let start = body.count
            unsafe WebSocketEngine.append(piece, mask: mask, phase: received, to: &body)
            try checkText(from: start)
        }
    }

    /// Appends the piece without its mask.
    private static func append(
        _ piece: UnsafeRawBufferPointer,
        mask: UInt32,
        phase: Int,
        to target: inout [UInt8]
    ) {
        let start = target.count
        unsafe target.append(contentsOf: piece)
        guard mask != 0 else { return }
        unsafe target.withUnsafeMutableBytes {
            unsafe WebSocketFrame.toggleMask(mask, phase: phase, UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    /// Fails at the first byte that cannot be UTF-8, in the frame that holds it.
    private mutating func checkText(from start: Int) throws(WebSocketFailure) {
        guard message == .text else { return }
        var check = utf8
        let isValid = unsafe body.withUnsafeBytes {
            unsafe check.append(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        utf8 = check
        guard isValid else { throw .invalidUTF8 }
    }

    private mutating func inflate(_ piece: UnsafeRawBufferPointer) throws(WebSocketFailure) {
        try startInflater()
        let (mask, received, limit) = (mask, received, limits.message)
        let start = body.count
        var failure: MessageInflater.Failure?
        unsafe withUnsafeTemporaryAllocation(byteCount: WebSocketLimits.chunk, alignment: 8) { chunk in
            var done = 0
            while done < piece.count, failure == nil {
                let size = min(chunk.count, piece.count - done)
                let part = unsafe UnsafeMutableRawBufferPointer(rebasing: chunk[..<size])
                unsafe part.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece[done..<done + size]))
                if mask != 0 { unsafe WebSocketFrame.toggleMask(mask, phase: received + done, part) }
                do throws(MessageInflater.Failure) {
                    try unsafe inflater?.inflate(UnsafeRawBufferPointer(part), into: &body, limit: limit)
                } catch {
                    failure = error
                }
                done += size
            }
        }
        try checkText(from: start)
        if let failure { throw failure == .tooBig ? .tooBig : .invalidDeflate }
    }

    private mutating func startInflater() throws(WebSocketFailure) {
        guard let deflate else { return }
        if inflater == nil {
            let bits = role == .server ? deflate.clientMaxWindowBits : deflate.serverMaxWindowBits
            // zlib writers that were asked for 8 use 9.
            inflater = MessageInflater(windowBits: max(9, bits))
            guard inflater != nil else { throw WebSocketFailure(code: 1011, reason: "out of memory") }
        }
    }

    // MARK: Ends

    /// The frame is whole.
    private mutating func endFrame() throws(WebSocketFailure) -> WebSocketEvent? {
        guard !opcode.isControl else {
            let payload = control
            control = []
            switch opcode {
            case .ping: return .ping(payload)
            case .pong: return .pong(payload)
            default: return try endClose(payload)
            }
        }
        return isFinal ? try endMessage() : nil
    }

    private mutating func endMessage() throws(WebSocketFailure) -> WebSocketEvent {
        if isCompressed {
            try startInflater()
            let start = body.count
            var failure: MessageInflater.Failure?
            do throws(MessageInflater.Failure) {
                try inflater?.finish(into: &body, limit: limits.message)
            } catch {
                failure = error
            }
            try checkText(from: start)
            if let failure { throw failure == .tooBig ? .tooBig : .invalidDeflate }
            let forgets = role == .server ? deflate?.clientNoContextTakeover : deflate?.serverNoContextTakeover
            if forgets == true { inflater?.reset() }
        }
        let isText = message == .text
        guard !isText || utf8.isComplete else { throw .invalidUTF8 }
        let whole = body
        body = []
        message = .none
        isCompressed = false
        return isText ? .text(whole) : .binary(whole)
    }

    private mutating func endClose(_ payload: [UInt8]) throws(WebSocketFailure) -> WebSocketEvent {
        guard !payload.isEmpty else {
            hasReceivedClose = true
            return .close(code: WebSocketCloseCode.none, reason: "")
        }
        guard payload.count >= 2 else { throw .protocolError("close code is cut") }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.isSendable(code) else { throw .protocolError("close code is not allowed") }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidUTF8 }
        hasReceivedClose = true
        return .close(code: code, reason: reason)
    }
}
