// The key exchange of RFC 6455 section 4. SHA-1 and base64 are the caller's (module Wire has them).

/// The opening handshake's key.
package enum WebSocketHandshake {
    /// The bytes whose SHA-1, in base64, is the value of Sec-WebSocket-Accept.
    package static func challenge(key: String) -> [UInt8] {
        Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    }

    /// Whether `key` is a Sec-WebSocket-Key: 16 bytes in base64.
    package static func isKey(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes[22] == UInt8(ascii: "="), bytes[23] == UInt8(ascii: "=") else { return false }
        return bytes[..<22].allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                true
            default: false
            }
        }
    }
}
