// One message for many sockets: a patch of a view that ten thousand viewers watch is encoded once (DESIGN section 4).

import Synchronization

/// A text message whose frame is encoded once and then queued, uncopied, on any number of server sockets.
package final class PreparedMessage: Sendable {
    /// A frame in a box that an atomic reference can hold.
    private final class Frame: Sendable {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
    }

    /// The message itself.
    package let text: [UInt8]
    /// The whole unmasked frame, not compressed.
    package let plain: [UInt8]
    private let deflated = AtomicLazyReference<Frame>()

    /// `text` must be UTF-8.
    package init(text: [UInt8]) {
        self.text = text
        var frame: [UInt8] = []
        unsafe text.withUnsafeBytes {
            unsafe WebSocketFrame.append(.text, $0, compressed: false, mask: nil, to: &frame)
        }
        plain = frame
    }

    /// The whole unmasked frame, compressed without the memory of other messages; made at the first call.
    ///
    /// The plain frame when the message is short or does not shrink.
    package var compressed: [UInt8] {
        if text.count < WebSocketLimits.deflateFrom { return plain }
        if let frame = deflated.load() { return frame.bytes }
        // Two threads may both compress; one result is kept.
        return deflated.storeIfNil(Frame(makeCompressed())).bytes
    }

    /// Whether ``compressed`` is really compressed, so that it enters the peer's window.
    var isCompressed: Bool { compressed.count < plain.count }

    private func makeCompressed() -> [UInt8] {
        guard var deflater = MessageDeflater(windowBits: WebSocketLimits.deflateWindowBits) else { return plain }
        let payload = unsafe text.withUnsafeBytes { unsafe deflater.deflate($0) }
        var frame: [UInt8] = []
        unsafe payload.withUnsafeBytes {
            unsafe WebSocketFrame.append(.text, $0, compressed: true, mask: nil, to: &frame)
        }
        return frame.count < plain.count ? frame : plain
    }
}
