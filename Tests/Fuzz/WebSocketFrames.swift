// sources: Sources/Web/JSON Sources/Web/WebSocket
// Byte 0 chooses role, compression and the size of pieces; the rest arrives once whole and once in pieces: both must give
// the same events and the same failure.

private let limits = WebSocketLimits(message: 1 << 16, fragments: 64)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let choice = data[0]
    let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
    let whole = read(bytes, pieces: max(1, bytes.count), choice)
    let pieces = read(bytes, pieces: 1 + Int(choice >> 4), choice)
    precondition(whole.events == pieces.events && whole.failure == pieces.failure, "the split changes what is read")
    for event in whole.events {
        switch event {
        case .text(let text):
            precondition(text.count <= limits.message && String(validating: text, as: UTF8.self) != nil)
        case .binary(let message): precondition(message.count <= limits.message)
        case .ping(let payload), .pong(let payload): precondition(payload.count <= 125)
        case .close(let code, _): precondition(code == 1005 || WebSocketCloseCode.isSendable(code))
        }
    }
    return 0
}

private func read(
    _ bytes: [UInt8],
    pieces: Int,
    _ choice: UInt8
) -> (events: [WebSocketEvent], failure: WebSocketFailure?) {
    var deflate = DeflateParameters()
    deflate.clientNoContextTakeover = choice & 4 != 0
    deflate.serverNoContextTakeover = choice & 4 != 0
    var engine = WebSocketEngine(
        role: choice & 1 == 0 ? .server : .client,
        limits: limits,
        deflate: choice & 2 == 0 ? deflate : nil
    )
    var events: [WebSocketEvent] = []
    var start = 0
    while start < bytes.count {
        let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
        start += piece.count
        do throws(WebSocketFailure) {
            try piece.withUnsafeBufferPointer { (buffer) throws(WebSocketFailure) in
                var offset = 0
                while let event = try engine.next(in: UnsafeRawBufferPointer(buffer), from: &offset) {
                    events.append(event)
                }
            }
        } catch {
            return (events, error)
        }
    }
    return (events, nil)
}
