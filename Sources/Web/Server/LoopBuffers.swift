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

    /// WebSocket frames made inside a callback; taken and given back by the connection at work.
    static var frames: [UInt8] = []
}
