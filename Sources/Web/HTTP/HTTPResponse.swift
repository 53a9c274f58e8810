// An answer as handlers make it. The server adds `Date`, the length or the chunks, and the state of the connection.
import Glibc
import Wire

/// One answer.
package struct HTTPResponse: Sendable {
    package enum Body: Sendable {
        case empty
        case bytes([UInt8])
        case file(FileBody)
        case stream(ResponseStream)
    }

    package var status: Int
    package var fields: HTTPFields
    package var body: Body
    /// Whether the connection is closed after it.
    package var closesConnection = false

    package init(status: Int = 200, fields: HTTPFields = [:], body: Body = .empty) {
        self.status = status
        self.fields = fields
        self.body = body
    }

    package static func html(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["Content-Type": "text/html; charset=utf-8"], body: .bytes(bytes))
    }

    package static func text(_ text: String, status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            fields: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Array(text.utf8))
        )
    }

    package static func json(_ bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["Content-Type": "application/json"], body: .bytes(bytes))
    }

    /// Sends the browser elsewhere: 303 after a form, so that it asks with GET; 302, 307, 308 when the caller says so.
    package static func redirect(to location: String, status: Int = 303) -> HTTPResponse {
        HTTPResponse(status: status, fields: ["Location": location])
    }

    /// Adds a `Set-Cookie` field (RFC 6265 §4.1).
    ///
    /// - Parameter maxAge: seconds; 0 deletes the cookie, nil keeps it until the browser closes.
    package mutating func setCookie(
        _ name: String,
        _ value: String,
        path: String = "/",
        maxAge: Int? = nil,
        isSecure: Bool,
        sameSite: String = "Lax"
    ) {
        var text = "\(name)=\(value); Path=\(path); HttpOnly; SameSite=\(sameSite)"
        if let maxAge { text += "; Max-Age=\(maxAge)" }
        if isSecure { text += "; Secure" }
        fields.add("Set-Cookie", text)
    }

    /// The plain answer to a refused request.
    static func refusal(_ status: Int) -> HTTPResponse {
        .text("\(status) \(HTTPStatus.reason(status))\n", status: status)
    }
}

/// A body that is read from an open file while it is sent: pieces of the file, with bytes between them.
package struct FileBody: Sendable {
    package enum Part: Sendable {
        case bytes([UInt8])
        /// Offsets in the file.
        case range(Range<Int>)
    }

    package let file: OpenFile
    package let parts: [Part]

    package init(file: OpenFile, parts: [Part]) {
        self.file = file
        self.parts = parts
    }

    /// Bytes in all.
    package var length: Int {
        parts.reduce(0) { total, part in
            switch part {
            case .bytes(let bytes): total + bytes.count
            case .range(let range): total + range.count
            }
        }
    }
}

extension FileBody {
    /// The same bytes as a stream that reads the file, block by block, on a worker thread.
    @Loop func streamed() -> ResponseStream {
        let stream = ResponseStream(length: length)
        Loop.spawn { @Loop [self] in
            do throws(Errno) {
                for part in parts { try await write(part, to: stream) }
                stream.finish()
            } catch {
                stream.fail()
            }
        }
        return stream
    }

    @Loop private func write(_ part: Part, to stream: ResponseStream) async throws(Errno) {
        switch part {
        case .bytes(let bytes): stream.write(bytes)
        case .range(let range):
            var position = range.lowerBound
            while position < range.upperBound, !stream.isAbandoned {
                let block = position..<min(range.upperBound, position + HTTPLimits.fileBlock)
                let bytes = try await offload { [file] () throws(Errno) in try file.read(block) }
                // The file was cut after its length was told.
                guard bytes.count == block.count else { throw Errno(code: EIO) }
                stream.write(bytes)
                position = block.upperBound
                await stream.room()
            }
        }
    }
}

/// What a handler says to a request.
package enum HTTPAnswer {
    case response(HTTPResponse)
    /// The answer comes when the flow ends. It runs as a task on the loop and is cancelled when the client goes away.
    case later(@Loop () async -> HTTPResponse)
    /// The connection becomes a WebSocket, if the request is a proper handshake. The fields are added to the 101 answer.
    case upgrade(WebSocketOptions, HTTPFields, @Loop (WebSocket) -> Void)
}
