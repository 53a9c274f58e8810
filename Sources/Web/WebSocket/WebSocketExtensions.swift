// The agreement on permessage-deflate in Sec-WebSocket-Extensions: RFC 6455 section 9.1 (grammar), RFC 7692 section 7.1.

/// Whether messages are compressed, and whether compression remembers earlier messages.
package enum WebSocketDeflate: Sendable { case off, noContextTakeover, contextTakeover }

/// What both ends agreed on for permessage-deflate.
package struct DeflateParameters: Sendable, Equatable {
    package var serverNoContextTakeover = false
    package var clientNoContextTakeover = false
    /// Largest window that the server uses, 8...15.
    package var serverMaxWindowBits = 15
    /// Largest window that the client uses, 8...15.
    package var clientMaxWindowBits = 15

    package init() {}
}

/// A Sec-WebSocket-Extensions header that the connection must not survive.
package enum WebSocketExtensionError: Error, Equatable {
    /// Not the grammar of RFC 6455 section 9.1: the server answers 400, the client fails the connection.
    case malformed
    /// The server's answer agrees to something that was not offered.
    case notOffered
}

/// The two sides of the agreement.
package enum WebSocketExtensions {
    /// What the server agrees to.
    ///
    /// - Parameters:
    ///   - offers: the request's header; several lines joined by commas; nil when there is none.
    ///   - mode: what we want.
    /// - Returns: the agreement and the header of the answer; nil when nothing is agreed, and then the answer must not
    ///   hold the header at all.
    package static func accept(
        offers: String?,
        mode: WebSocketDeflate
    ) throws(WebSocketExtensionError) -> (parameters: DeflateParameters, answer: String)? {
        guard let offers else { return nil }
        let list = try parse(offers)
        guard mode != .off else { return nil }
        for offer in list where offer.name == "permessage-deflate" {
            if let agreed = accept(offer, mode: mode) { return agreed }
        }
        return nil
    }

    /// One offer; nil when it must be declined (RFC 7692 section 7.1.3 and 7.1.2).
    private static func accept(
        _ offer: Extension,
        mode: WebSocketDeflate
    ) -> (parameters: DeflateParameters, answer: String)? {
        guard let asked = Asked(offer.parameters, isAnswer: false) else { return nil }
        var agreed = DeflateParameters()
        var answer = "permessage-deflate"
        if asked.serverNoContextTakeover || mode == .noContextTakeover {
            agreed.serverNoContextTakeover = true
            answer += "; server_no_context_takeover"
        }
        if asked.clientNoContextTakeover || mode == .noContextTakeover {
            agreed.clientNoContextTakeover = true
            answer += "; client_no_context_takeover"
        }
        if let bits = asked.serverMaxWindowBits {
            // zlib cannot write raw DEFLATE with a window of 8.
            guard bits > 8 else { return nil }
            agreed.serverMaxWindowBits = min(bits, WebSocketLimits.deflateWindowBits)
            answer += "; server_max_window_bits=\(agreed.serverMaxWindowBits)"
        }
        if asked.hasClientMaxWindowBits {
            agreed.clientMaxWindowBits = min(asked.clientMaxWindowBits ?? 15, WebSocketLimits.deflateWindowBits)
            answer += "; client_max_window_bits=\(agreed.clientMaxWindowBits)"
        }
        return (agreed, answer)
    }

    /// The client's offer; nil when it offers nothing, and then the request must not hold the header at all.
    package static func offer(mode: WebSocketDeflate) -> String? {
        switch mode {
        case .off: nil
        case .contextTakeover: "permessage-deflate; client_max_window_bits"
        case .noContextTakeover:
            "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits"
        }
    }

    /// What the server's answer to ``offer(mode:)`` means; nil without compression.
    package static func agreed(
        answer: String?,
        mode: WebSocketDeflate
    ) throws(WebSocketExtensionError) -> DeflateParameters? {
        guard let answer else { return nil }
        let list = try parse(answer)
        guard let only = list.first, list.count == 1, only.name == "permessage-deflate", mode != .off,
            let asked = Asked(only.parameters, isAnswer: true),
            // RFC 7692 section 7.1.1.1: the answer must hold it when the offer did.
            asked.serverNoContextTakeover || mode != .noContextTakeover
        else { throw .notOffered }
        var agreed = DeflateParameters()
        agreed.serverNoContextTakeover = asked.serverNoContextTakeover
        // What we offered about ourselves we also keep.
        agreed.clientNoContextTakeover = asked.clientNoContextTakeover || mode == .noContextTakeover
        agreed.serverMaxWindowBits = asked.serverMaxWindowBits ?? 15
        agreed.clientMaxWindowBits = asked.clientMaxWindowBits ?? 15
        return agreed
    }

    /// The parameters of one permessage-deflate offer or answer.
    private struct Asked {
        var serverNoContextTakeover = false
        var clientNoContextTakeover = false
        var serverMaxWindowBits: Int?
        var hasClientMaxWindowBits = false
        var clientMaxWindowBits: Int?

        /// nil for unknown or repeated parameters and values out of range.
        init?(_ parameters: [(name: String, value: String?)], isAnswer: Bool) {
            for (name, value) in parameters {
                switch name {
                case "server_no_context_takeover":
                    guard !serverNoContextTakeover, value == nil else { return nil }
                    serverNoContextTakeover = true
                case "client_no_context_takeover":
                    guard !clientNoContextTakeover, value == nil else { return nil }
                    clientNoContextTakeover = true
                case "server_max_window_bits":
                    guard serverMaxWindowBits == nil, let bits = Asked.bits(value) else { return nil }
                    serverMaxWindowBits = bits
                case "client_max_window_bits":
                    guard !hasClientMaxWindowBits else { return nil }
                    hasClientMaxWindowBits = true
                    if value == nil, !isAnswer { continue }
                    guard let bits = Asked.bits(value) else { return nil }
                    clientMaxWindowBits = bits
                default: return nil
                }
            }
        }

        /// 8...15 without leading zeros (RFC 7692 section 7.1.2).
        private static func bits(_ value: String?) -> Int? {
            guard let value, let bits = Int(value), 8...15 ~= bits, value == String(bits) else { return nil }
            return bits
        }
    }

    // MARK: Grammar

    private typealias Extension = (name: String, parameters: [(name: String, value: String?)])

    /// Reads `name; parameter; parameter=value, name…`; empty list elements are allowed (RFC 9110 section 5.6.1).
    private static func parse(_ header: String) throws(WebSocketExtensionError) -> [Extension] {
        var cursor = HeaderCursor(header)
        var list: [Extension] = []
        while true {
            cursor.skipSpace()
            if cursor.isAtEnd { return list }
            if cursor.pass(UInt8(ascii: ",")) { continue }
            guard let name = cursor.token() else { throw .malformed }
            var parameters: [(name: String, value: String?)] = []
            cursor.skipSpace()
            while cursor.pass(UInt8(ascii: ";")) {
                cursor.skipSpace()
                guard let name = cursor.token() else { throw .malformed }
                cursor.skipSpace()
                var value: String?
                if cursor.pass(UInt8(ascii: "=")) {
                    cursor.skipSpace()
                    value = cursor.token() ?? cursor.quotedToken()
                    guard value != nil else { throw .malformed }
                    cursor.skipSpace()
                }
                parameters.append((name, value))
            }
            list.append((name, parameters))
            guard cursor.isAtEnd || cursor.pass(UInt8(ascii: ",")) else { throw .malformed }
        }
    }
}

/// Tokens of a header's value (RFC 9110 section 5.6).
private struct HeaderCursor {
    private let bytes: [UInt8]
    private var index = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    var isAtEnd: Bool { index == bytes.count }

    mutating func skipSpace() {
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    mutating func pass(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    mutating func token() -> String? {
        let start = index
        while index < bytes.count, HeaderCursor.isToken(bytes[index]) { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    /// A quoted string whose content is a token, the only one that RFC 6455 section 9.1 allows.
    mutating func quotedToken() -> String? {
        guard pass(UInt8(ascii: "\"")) else { return nil }
        var content: [UInt8] = []
        while index < bytes.count {
            var byte = bytes[index]
            index += 1
            if byte == UInt8(ascii: "\"") { return content.isEmpty ? nil : String(decoding: content, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard index < bytes.count else { return nil }
                byte = bytes[index]
                index += 1
            }
            guard HeaderCursor.isToken(byte) else { return nil }
            content.append(byte)
        }
        return nil
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
