// The writing half of the engine: messages become frames, compressed where the handshake agreed on it.

extension WebSocketEngine {
    /// Appends a text message, which must be UTF-8.
    ///
    /// - Returns: false, and nothing is appended, after a Close frame.
    @discardableResult
    package mutating func append(text: [UInt8], to output: inout [UInt8]) -> Bool {
        append(.text, text, to: &output)
    }

    /// Appends a binary message.
    ///
    /// - Returns: false, and nothing is appended, after a Close frame.
    @discardableResult
    package mutating func append(binary: [UInt8], to output: inout [UInt8]) -> Bool {
        append(.binary, binary, to: &output)
    }

    private mutating func append(_ opcode: WebSocketOpcode, _ payload: [UInt8], to output: inout [UInt8]) -> Bool {
        guard !hasSentClose else { return false }
        if payload.count >= WebSocketLimits.deflateFrom, let compressed = compress(payload) {
            write(opcode, compressed, compressed: true, to: &output)
        } else {
            write(opcode, payload, compressed: false, to: &output)
        }
        return true
    }

    /// The frame of a prepared message, shared and uncopied where the connection allows it: queue it as it is.
    ///
    /// - Returns: nil after a Close frame.
    package mutating func frame(of prepared: PreparedMessage) -> [UInt8]? {
        guard !hasSentClose else { return nil }
        guard role == .server else {
            var output: [UInt8] = []
            append(text: prepared.text, to: &output)
            return output
        }
        guard let deflate, deflate.serverMaxWindowBits >= WebSocketLimits.deflateWindowBits else {
            return prepared.plain
        }
        let frame = prepared.compressed
        // The message is in the peer's window now, but not in our deflater's.
        if prepared.isCompressed { mustResetDeflater = true }
        return frame
    }

    /// Appends a ping; `payload` is cut to 125 bytes.
    @discardableResult
    package mutating func appendPing(_ payload: [UInt8] = [], to output: inout [UInt8]) -> Bool {
        appendControl(.ping, payload, to: &output)
    }

    /// Appends a pong; `payload` is cut to 125 bytes.
    @discardableResult
    package mutating func appendPong(_ payload: [UInt8], to output: inout [UInt8]) -> Bool {
        appendControl(.pong, payload, to: &output)
    }

    /// Appends a Close frame; nothing can be sent after it.
    ///
    /// - Parameters:
    ///   - code: one that may be sent; any other (1005, 1006) makes a Close frame without code and reason.
    ///   - reason: cut to 123 bytes of whole characters.
    @discardableResult
    package mutating func appendClose(_ code: UInt16, _ reason: String = "", to output: inout [UInt8]) -> Bool {
        var payload: [UInt8] = []
        if WebSocketCloseCode.isSendable(code) {
            payload = [UInt8(code >> 8), UInt8(code & 0xFF)]
            for scalar in reason.unicodeScalars {
                let units = UTF8.encode(scalar).map(Array.init) ?? []
                guard payload.count + units.count <= WebSocketLimits.control else { break }
                payload += units
            }
        }
        let isSent = appendControl(.close, payload, to: &output)
        hasSentClose = true
        return isSent
    }

    /// Gives the compressor's memory back, for a connection that has been idle.
    ///
    /// The next message starts anew.
    package mutating func releaseDeflater() { deflater = nil }

    private mutating func appendControl(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        to output: inout [UInt8]
    ) -> Bool {
        guard !hasSentClose else { return false }
        write(opcode, Array(payload.prefix(WebSocketLimits.control)), compressed: false, to: &output)
        return true
    }

    private func write(
        _ opcode: WebSocketOpcode,
        _ payload: [UInt8],
        compressed: Bool,
        to output: inout [UInt8]
    ) {
        let mask = role == .client ? makeMask() : nil
        unsafe payload.withUnsafeBytes {
            unsafe WebSocketFrame.append(opcode, $0, compressed: compressed, mask: mask, to: &output)
        }
    }

    /// The compressed payload; nil without compression and when the payload does not shrink.
    private mutating func compress(_ payload: [UInt8]) -> [UInt8]? {
        guard let deflate else { return nil }
        let isServer = role == .server
        let bits = min(
            isServer ? deflate.serverMaxWindowBits : deflate.clientMaxWindowBits,
            WebSocketLimits.deflateWindowBits
        )
        // zlib cannot write raw DEFLATE with a window of 8.
        guard bits > 8 else { return nil }
        if deflater == nil {
            deflater = MessageDeflater(windowBits: bits)
        } else if mustResetDeflater {
            deflater?.reset()
        }
        mustResetDeflater = isServer ? deflate.serverNoContextTakeover : deflate.clientNoContextTakeover
        guard let compressed = unsafe payload.withUnsafeBytes({ unsafe deflater?.deflate($0) }) else { return nil }
        guard compressed.count < payload.count else {
            // It goes out plain, so the peer's window will not hold it.
            mustResetDeflater = true
            return nil
        }
        return compressed
    }
}
