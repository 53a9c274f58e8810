// Frames of RFC 6455 section 5 as they are written, the masking of section 5.3, and close codes of section 7.4.

import Glibc

/// What a frame carries (RFC 6455 section 5.2).
enum WebSocketOpcode: UInt8 {
    case continuation = 0, text = 1, binary = 2
    case close = 8, ping = 9, pong = 10

    var isControl: Bool { rawValue >= 8 }
}

/// Which end of the connection we are: clients mask what they send, servers never do.
package enum WebSocketRole: Sendable { case server, client }

/// Why a connection must be failed (RFC 6455 section 7.1.7).
package struct WebSocketFailure: Error, Equatable {
    /// The code for the Close frame that tells the peer.
    package var code: UInt16
    /// A short sentence for the Close frame and the log.
    package var reason: String

    static func protocolError(_ reason: String) -> WebSocketFailure { WebSocketFailure(code: 1002, reason: reason) }
    static let invalidUTF8 = WebSocketFailure(code: 1007, reason: "text is not UTF-8")
    static let invalidDeflate = WebSocketFailure(code: 1007, reason: "compressed data is broken")
    static let tooBig = WebSocketFailure(code: 1009, reason: "message is too big")
    static let tooManyFragments = WebSocketFailure(code: 1009, reason: "message has too many fragments")
}

/// Codes of Close frames (RFC 6455 section 7.4 and the IANA registry).
package enum WebSocketCloseCode {
    package static let normal: UInt16 = 1000
    package static let goingAway: UInt16 = 1001
    package static let protocolError: UInt16 = 1002
    /// Never sent: stands for a Close frame without a code.
    package static let none: UInt16 = 1005
    /// Never sent: stands for a connection that ended without a Close frame.
    package static let abnormal: UInt16 = 1006
    package static let policyViolation: UInt16 = 1008
    package static let tooBig: UInt16 = 1009
    package static let internalError: UInt16 = 1011
    package static let tryAgainLater: UInt16 = 1013

    /// Whether a Close frame may carry `code`.
    package static func isSendable(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// Writing of frames.
enum WebSocketFrame {
    /// Appends one whole frame.
    ///
    /// - Parameters:
    ///   - compressed: sets RSV1 (RFC 7692 section 6).
    ///   - mask: the key of a client's frame; nil for a server's.
    static func append(
        _ opcode: WebSocketOpcode,
        _ payload: UnsafeRawBufferPointer,
        compressed: Bool,
        mask: UInt32?,
        to output: inout [UInt8]
    ) {
        let length = payload.count
        // Asking for room every time would defeat the array's doubling when many frames are corked.
        if output.isEmpty { output.reserveCapacity(length + 14) }
        output.append(0x80 | (compressed ? 0x40 : 0) | opcode.rawValue)
        let maskBit: UInt8 = mask == nil ? 0 : 0x80
        switch length {
        case 0...125: output.append(maskBit | UInt8(length))
        case 126...0xFFFF:
            output.append(maskBit | 126)
            output.append(UInt8(length >> 8))
            output.append(UInt8(length & 0xFF))
        default:
            output.append(maskBit | 127)
            for shift in stride(from: 56, through: 0, by: -8) { output.append(UInt8(length >> shift & 0xFF)) }
        }
        guard let mask else {
            unsafe output.append(contentsOf: payload)
            return
        }
        for shift: UInt32 in [0, 8, 16, 24] { output.append(UInt8(truncatingIfNeeded: mask >> shift)) }
        let start = output.count
        unsafe output.append(contentsOf: payload)
        unsafe output.withUnsafeMutableBytes {
            unsafe toggleMask(mask, phase: 0, UnsafeMutableRawBufferPointer(rebasing: $0[start...]))
        }
    }

    /// Masks or unmasks in place, eight bytes at a time.
    ///
    /// - Parameters:
    ///   - key: the four bytes of the frame, the first one lowest.
    ///   - phase: how many bytes of the payload came before; only its remainder by four matters.
    static func toggleMask(_ key: UInt32, phase: Int, _ bytes: UnsafeMutableRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        let shift = UInt32(phase & 3) << 3
        let turned = shift == 0 ? key : key >> shift | key << (32 - shift)
        let wide = UInt64(turned) | UInt64(turned) << 32
        let count = bytes.count
        let even = count & ~7
        var index = 0
        while index < even {
            let word = unsafe base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            unsafe base.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index += 8
        }
        while index < count {
            let byte = unsafe base.load(fromByteOffset: index, as: UInt8.self)
            let mask = UInt8(truncatingIfNeeded: wide >> (UInt64(index & 7) << 3))
            unsafe base.storeBytes(of: byte ^ mask, toByteOffset: index, as: UInt8.self)
            index += 1
        }
    }

    /// A key that nobody can foresee (RFC 6455 section 10.3).
    static func randomMask() -> UInt32 { arc4random() }
}
