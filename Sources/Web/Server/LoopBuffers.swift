// Memory that all connections of the loop share, because only one of them is at work at any moment. An idle connection
// holds no buffer of its own.
import Wire

@Loop enum LoopBuffers {
    /// What the last read gave. Used up, or copied, before the callback of that read ends.
    static let input = UnsafeMutableRawBufferPointer.allocate(byteCount: HTTPLimits.readSize, alignment: 16)

    /// Heads and small bodies on their way out; sent, or copied, before the callback ends.
    static let output = ByteSink(capacity: 4 * HTTPLimits.gatheredOutput)

    /// The parser of request heads, with its table of fields.
    static var parser = RequestHeadParser()

    /// Counts the steps of TLS handshakes in this turn. Returns false when it has had its share.
    static func mayShakeHands() -> Bool {
        if handshakeTurn != Loop.statistics.turns {
            handshakeTurn = Loop.statistics.turns
            handshakes = 0
        }
        handshakes += 1
        return handshakes <= HTTPLimits.handshakesPerTurn
    }

    private static var handshakeTurn: Int64 = -1
    private static var handshakes = 0

    /// WebSocket frames made inside a callback; taken and given back by the connection at work.
    static var frames: [UInt8] = []
}
