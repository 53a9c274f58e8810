// A message connection as the device link sees it: a WebSocket, or the two ends of a pair inside this process.
package import Wire

/// What became of a message that was to be sent.
package enum SendOutcome: Sendable, Equatable {
    /// Queued or written; it arrives unless the connection dies.
    case sent
    /// Too much is queued already: try again a little later.
    case busy
    /// The connection is gone.
    case closed
}

/// One connection.
///
/// The owner sets the callbacks before it returns to the loop; none comes before that, and none after `onClose`. Every
/// callback comes on a turn of its own, never from inside a call on the transport.
@Loop package protocol LinkTransport: AnyObject {
    /// A whole text message, valid UTF-8.
    var onText: (@Loop ([UInt8]) -> Void)? { get set }
    /// A whole binary message.
    var onBinary: (@Loop ([UInt8]) -> Void)? { get set }
    /// Called once, with the close code (1006 when there was none) and reason.
    var onClose: (@Loop (_ code: UInt16, _ reason: String) -> Void)? { get set }
    /// Everything queued went out, after `bufferedBytes` was not 0.
    var onDrain: (@Loop () -> Void)? { get set }

    @discardableResult func send(text: [UInt8]) -> SendOutcome
    @discardableResult func send(binary: [UInt8]) -> SendOutcome
    /// Sends what is queued, then closes.
    ///
    /// Calling it again does nothing.
    func close(_ code: UInt16, _ reason: String)
    /// Bytes that wait for the other side to read.
    var bufferedBytes: Int { get }
}
