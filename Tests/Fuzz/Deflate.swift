// sources: Sources/Web/JSON Sources/Web/WebSocket
// Byte 0 chooses the agreement, byte 1 the length of messages. The rest is (a) sent as messages, compressed, and must come
// back; (b) read as the compressed payload of a frame, within the bound on its inflated size; (c) read as a header.

private let limits = WebSocketLimits(message: 1 << 20)

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 2 else { return 0 }
    let rest = Array(UnsafeBufferPointer(start: data + 2, count: size - 2))
    var agreed = DeflateParameters()
    agreed.clientNoContextTakeover = data[0] & 1 != 0
    agreed.clientMaxWindowBits = 9 + Int(data[0] >> 1) % 7
    comesBack(rest, length: 256 + Int(data[1]) * 4, agreed)
    inflates(rest, agreed)
    _ = try? WebSocketExtensions.accept(offers: String(decoding: rest, as: UTF8.self), mode: .contextTakeover)
    return 0
}

private func comesBack(_ bytes: [UInt8], length: Int, _ agreed: DeflateParameters) {
    var sender = WebSocketEngine(role: .client, deflate: agreed, makeMask: { 0xA5_5A_C3_3C })
    var frames: [UInt8] = []
    var sent: [WebSocketEvent] = []
    for start in stride(from: 0, to: bytes.count, by: length) {
        let part = Array(bytes[start..<min(bytes.count, start + length)])
        // Short input is repeated, so that it is worth compressing.
        let message = Array(repeatElement(part, count: 1 + 300 / part.count).joined())
        sender.append(binary: message, to: &frames)
        sent.append(.binary(message))
    }
    var received: [WebSocketEvent] = []
    var engine = WebSocketEngine(role: .server, limits: limits, deflate: agreed)
    frames.withUnsafeBytes { buffer in
        var offset = 0
        while let event = try? engine.next(in: buffer, from: &offset) { received.append(event) }
    }
    precondition(received == sent, "a compressed message does not come back")
}

private func inflates(_ payload: [UInt8], _ agreed: DeflateParameters) {
    var engine = WebSocketEngine(role: .server, limits: limits, deflate: agreed)
    let count = min(payload.count, 0xFFFF)
    var frame: [UInt8] =
        count < 126 ? [0xC2, 0x80 | UInt8(count)] : [0xC2, 0xFE, UInt8(count >> 8), UInt8(count & 255)]
    frame += [0, 0, 0, 0] + payload.prefix(count)
    frame.withUnsafeBytes { buffer in
        var offset = 0
        if case .binary(let message)? = try? engine.next(in: buffer, from: &offset) {
            precondition(message.count <= limits.message, "inflated above the limit")
        }
    }
}
