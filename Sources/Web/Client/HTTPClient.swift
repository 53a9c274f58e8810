// The outgoing client: one request, one connection, one deadline. Redirects are the caller's business: whether to follow one
// is a question of trust.
package import Wire

/// A request to a server.
package struct OutgoingRequest: Sendable {
    package var method: HTTPMethod
    /// `http://` or `https://`.
    package var url: String
    package var fields: HTTPFields
    package var body: [UInt8]
    /// Bytes of the largest answer's body.
    package var responseLimit = 16 << 20

    package init(_ method: HTTPMethod = .get, url: String, fields: HTTPFields = [:], body: [UInt8] = []) {
        self.method = method
        self.url = url
        self.fields = fields
        self.body = body
    }
}

/// Why there is no answer.
package enum HTTPClientError: Error, Equatable {
    case invalidURL
    case dial(DialError)
    case timedOut
    case cancelled
    /// The connection ended before the answer did.
    case cut
    /// What came is no HTTP.
    case malformedResponse
    /// The answer's head or body is larger than allowed.
    case tooLarge
}

package enum HTTPClient {
    /// Sends a request and waits for its whole answer.
    ///
    /// - Parameters:
    ///   - tls: whom to trust; nil for the system's authorities.
    ///   - deadline: milliseconds for everything, from the lookup to the last byte.
    @Loop package static func send(
        _ request: OutgoingRequest,
        tls: TLSContext? = nil,
        deadline milliseconds: Int64 = 30_000
    ) async throws(HTTPClientError) -> HTTPResponse {
        guard let url = HTTPURL(request.url), url.scheme == .http || url.scheme == .https else { throw .invalidURL }
        let deadline = Loop.now + milliseconds
        let dialled: DialledStream
        do throws(DialError) {
            dialled = try await Dialer.dial(url, tls: tls, deadline: deadline)
        } catch {
            switch error {
            case .timedOut: throw .timedOut
            case .cancelled: throw .cancelled
            default: throw .dial(error)
            }
        }
        let exchange = ClientExchange(dialled, deadline: deadline)
        defer { exchange.close() }
        try await exchange.send(head(of: request, url), request.body)
        return try await exchange.response(isHead: request.method == .head, limit: request.responseLimit)
    }

    private static func head(of request: OutgoingRequest, _ url: HTTPURL) -> [UInt8] {
        var text = "\(request.method) \(url.target) HTTP/1.1\r\nHost: \(url.authority)\r\n"
        for (name, value) in request.fields.all where !isOurs(name) { text += "\(name): \(value)\r\n" }
        if !request.body.isEmpty || request.method == .post || request.method == .put || request.method == .patch {
            text += "Content-Length: \(request.body.count)\r\n"
        }
        return Array((text + "Connection: close\r\n\r\n").utf8)
    }

    private static func isOurs(_ name: String) -> Bool {
        ["host", "content-length", "transfer-encoding", "connection"].contains { name.equalsIgnoringCase($0) }
    }
}

/// One request and its answer on one connection, or a WebSocket handshake.
@Loop final class ClientExchange {
    let dialled: DialledStream
    private let waiter: StreamWaiter
    private let deadline: Int64
    /// Received but not used.
    private(set) var input: [UInt8] = []
    private var isReleased = false

    init(_ dialled: DialledStream, deadline: Int64) {
        self.dialled = dialled
        self.deadline = deadline
        waiter = StreamWaiter(dialled.watch)
    }

    func send(_ head: [UInt8], _ body: [UInt8]) async throws(HTTPClientError) {
        let output = OutputQueue()
        output.append(head)
        output.append(body)
        while !output.isEmpty {
            switch output.send(to: dialled.stream) {
            case .moved: return
            case .blocked(let readiness): try await wait(for: readiness)
            // A server may refuse and close before it has read everything: its answer may be there.
            case .ended, .failed: return
            }
        }
    }

    /// The final answer's head; what follows it stays in ``input``.
    func responseHead() async throws(HTTPClientError) -> (status: Int, fields: HTTPFields) {
        var parser = ResponseHeadParser()
        while true {
            do throws(HTTPRefusal) {
                let bytes = input
                if try parser.parse(bytes.span) {
                    let head = ReceivedHead(bytes: Array(bytes[..<parser.length]), fields: parser.fields)
                    input.removeFirst(parser.length)
                    if parser.status >= 200 || parser.status == 101 {
                        return (parser.status, HTTPFields(received: head))
                    }
                    continue
                }
            } catch {
                throw .malformedResponse
            }
            if input.count > HTTPLimits.responseHeadSize { throw .tooLarge }
            guard try await receive() else { throw .cut }
        }
    }

    func response(isHead: Bool, limit: Int) async throws(HTTPClientError) -> HTTPResponse {
        let (status, fields) = try await responseHead()
        let framing: BodyFraming?
        do throws(HTTPRefusal) {
            framing = try ResponseHeadParser.framing(status: status, isHead: isHead, fields)
        } catch {
            throw .malformedResponse
        }
        return HTTPResponse(status: status, fields: fields, body: .bytes(try await body(framing, limit: limit)))
    }

    private func body(_ framing: BodyFraming?, limit: Int) async throws(HTTPClientError) -> [UInt8] {
        switch framing {
        case .some(.none): return []
        case .length(let length):
            if length > limit { throw .tooLarge }
            while input.count < length {
                guard try await receive() else { throw .cut }
            }
            return Array(input[..<length])
        case .chunked:
            var decoder = ChunkedDecoder()
            var body: [UInt8] = []
            while true {
                let bytes = input
                input = []
                do throws(HTTPRefusal) {
                    _ = try decoder.decode(bytes.span, into: &body, limit: limit)
                } catch {
                    throw error == .bodyTooLarge ? .tooLarge : .malformedResponse
                }
                if decoder.isDone { return body }
                guard try await receive() else { throw .cut }
            }
        case nil:
            while try await receive() {
                if input.count > limit { throw .tooLarge }
            }
            return input
        }
    }

    /// Waits for more bytes. Returns false when the server sends no more.
    private func receive() async throws(HTTPClientError) -> Bool {
        while true {
            let buffer = unsafe LoopBuffers.input
            switch unsafe dialled.stream.receive(into: buffer) {
            case .moved(let count):
                unsafe input.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                return true
            case .blocked(let readiness): try await wait(for: readiness)
            case .ended: return false
            case .failed: throw .cut
            }
        }
    }

    private func wait(for readiness: Readiness) async throws(HTTPClientError) {
        switch await waiter.wait(for: readiness, until: deadline) {
        case .ready: return
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        }
    }

    /// Gives stream and watch to a WebSocket.
    func release() -> Watch {
        isReleased = true
        return waiter.release()
    }

    func close() {
        if isReleased { return }
        isReleased = true
        waiter.end()
        dialled.stream.close()
    }
}
