// Every number of the WebSocket codec, in one place.

/// Bounds of one WebSocket connection.
package struct WebSocketLimits: Sendable {
    /// Bytes of one message after inflating; more fails the connection with 1009.
    ///
    /// 32 MiB is the device link's (rule R21).
    package var message: Int = 32 << 20
    /// Frames of one message; more fails the connection with 1009.
    ///
    /// Stops an endless run of empty fragments.
    package var fragments: Int = 1 << 18

    package init() {}

    package init(message: Int, fragments: Int = 1 << 18) {
        self.message = message
        self.fragments = fragments
    }

    /// Payload bytes of a control frame (RFC 6455 section 5.5).
    static let control = 125
    /// Messages of fewer bytes are not worth compressing.
    package static let deflateFrom = 256
    /// Our sliding window, its memory level and effort: 39 KB a connection, as good as zlib's default on our messages.
    static let deflateWindowBits = 12
    static let deflateMemoryLevel = 5
    static let deflateEffort = 1
    /// Bytes that are unmasked or inflated at a time, on the stack.
    static let chunk = 16 << 10
}
