// Writes the head of an answer (RFC 9112 §4 and §6). The server decides framing and persistence; a handler's own fields
// about them are left out, so that no handler can break the framing.
import Wire

/// How the body of an answer ends.
enum ResponseFraming: Equatable {
    /// No body and no word about one: 204, 304, 101.
    case none
    case length(Int)
    case chunked
    /// With the connection: for HTTP/1.0 when the length is not known.
    case untilClose
}

@Loop enum ResponseHead {
    /// What the connection does afterwards.
    enum Persistence { case close, keep, keepForOldClient, upgrade }

    static func write(
        _ response: HTTPResponse,
        framing: ResponseFraming,
        persistence: Persistence,
        to sink: ByteSink
    ) {
        sink.append(statusLine(response.status))
        response.fields.forEach { name, value in
            if isOurs(name) { return }
            sink.append(name)
            sink.append(literal: ": ")
            sink.append(value)
            sink.append(literal: "\r\n")
        }
        switch framing {
        case .none, .untilClose: break
        case .length(let length):
            sink.append(literal: "Content-Length: ")
            sink.append(decimal: length)
            sink.append(literal: "\r\n")
        case .chunked: sink.append(literal: "Transfer-Encoding: chunked\r\n")
        }
        switch persistence {
        case .keep: sink.append(literal: "\r\n")
        case .close: sink.append(literal: "Connection: close\r\n\r\n")
        case .keepForOldClient: sink.append(literal: "Connection: keep-alive\r\n\r\n")
        case .upgrade: sink.append(literal: "Connection: Upgrade\r\n\r\n")
        }
    }

    /// `HTTP/1.1 200 OK` and the date; made once a second for 200.
    private static func statusLine(_ status: Int) -> [UInt8] {
        let second = Loop.wallClock / 1_000
        if status == 200, second == cachedSecond { return cachedLine }
        let line = Array("HTTP/1.1 \(status) \(HTTPStatus.reason(status))\r\nDate: \(HTTPDate.text(second))\r\n".utf8)
        if status == 200 {
            cachedSecond = second
            cachedLine = line
        }
        return line
    }

    private static var cachedSecond: Int64 = -1
    private static var cachedLine: [UInt8] = []

    private static func isOurs(_ name: String) -> Bool {
        switch name.utf8.count {
        case 4: name.equalsIgnoringCase("date")
        case 10: name.equalsIgnoringCase("connection")
        case 14: name.equalsIgnoringCase("content-length")
        case 17: name.equalsIgnoringCase("transfer-encoding")
        default: false
        }
    }
}

extension String {
    /// Whether both are the same but for the case of ASCII letters.
    func equalsIgnoringCase(_ other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }
}
