// How an answer leaves: its head and a small body in one piece with those of other pipelined answers, a large body from
// where it is, a stream as its producer and the client allow.
import Wire

extension HTTPConnection {
    /// What an answer must know about its request.
    struct Terms {
        let isHead: Bool
        let minorVersion: Int
        /// Whether the connection stays open, as far as the request is concerned.
        var isPersistent: Bool
        /// The request's fields, looked at again only where an answer can be compressed.
        fileprivate let head: ReceivedHead?

        init(_ request: HTTPRequest, isPersistent: Bool) {
            head = request.head
            isHead = request.method == .head
            minorVersion = request.minorVersion
            self.isPersistent = isPersistent
        }

        /// For a request that was not understood.
        init() {
            head = nil
            isHead = false
            minorVersion = 1
            isPersistent = false
        }
    }

    /// An answer that takes longer than a call.
    @Loop final class Exchange {
        let terms: Terms
        /// The handler at work.
        var task: Task<Void, Never>?
        /// The body that is being sent.
        var stream: ResponseStream?
        var isChunked = false
        var closes = false
        /// Bytes of the stream that are in the output queue.
        var queued = 0
        var waitsForEndOfTurn = false

        init(_ terms: Terms) { self.terms = terms }

        /// Nobody wants the answer any more.
        func abandon() {
            task?.cancel()
            stream?.abandon()
        }
    }

    /// Says no and ends the connection: where the next request would begin is not known.
    func refuse(_ refusal: HTTPRefusal) {
        server.tally.refused[refusal.status, default: 0] += 1
        var response = HTTPResponse.refusal(refusal.status)
        switch refusal {
        case .unsupportedWebSocketVersion, .notAWebSocket:
            response.fields.add("Upgrade", "websocket")
            response.fields.add("Sec-WebSocket-Version", "13")
        case .overloaded: response.fields.add("Retry-After", "2")
        default: break
        }
        mayHaveUnread = true
        state = .head
        write(response, Terms())
    }

    /// Writes an answer; its bytes leave when the callback settles.
    func write(_ answer: HTTPResponse, _ terms: Terms) {
        let response = compressed(answer, terms)
        server.tally.answers[min(5, max(1, response.status / 100))] += 1
        let framing = framing(of: response, terms)
        let closes = !terms.isPersistent || response.closesConnection || server.isDraining || framing == .untilClose
        ResponseHead.write(
            response,
            framing: framing,
            persistence: closes ? .close : terms.minorVersion == 0 ? .keepForOldClient : .keep,
            to: LoopBuffers.output
        )
        switch response.body {
        case .stream(let body) where terms.isHead || framing == .none: body.abandon()
        case _ where terms.isHead || framing == .none: break
        case .empty: break
        case .bytes(let bytes):
            if bytes.count <= HTTPLimits.copiedBody {
                LoopBuffers.output.append(bytes)
            } else {
                gather()
                enqueue(bytes)
                sendQueue()
            }
        case .file(let file):
            return send(file.streamed(), terms, isChunked: false, closes: closes)
        case .stream(let body):
            return send(body, terms, isChunked: framing == .chunked, closes: closes)
        }
        guard hasSocket else { return }
        if closes {
            state = .ending
        } else if output == nil {
            wait(server.limits.idleTimeout)
        }
    }

    /// The answer with its body compressed, where the client takes that and it pays: pages and data from about one packet
    /// on. What takes longer than a millisecond to compress is left as it is; handlers of large bodies do it off the loop.
    private func compressed(_ response: HTTPResponse, _ terms: Terms) -> HTTPResponse {
        guard case .bytes(let bytes) = response.body, HTTPLimits.compressedBody ~= bytes.count, let head = terms.head,
            let type = response.fields["content-type"], MediaType.isCompressible(type),
            response.fields["content-encoding"] == nil, response.fields["etag"] == nil, response.status != 206
        else { return response }
        var response = response
        response.fields.add("Vary", "Accept-Encoding")
        guard HTTPFields(received: head).joined("accept-encoding").map(Gzip.isAccepted) == true,
            let smaller = Gzip.compress(bytes, level: 1)
        else { return response }
        response.fields.add("Content-Encoding", "gzip")
        response.body = .bytes(smaller)
        return response
    }

    private func framing(of response: HTTPResponse, _ terms: Terms) -> ResponseFraming {
        if HTTPStatus.hasNoBody(response.status) { return .none }
        switch response.body {
        case .empty: return .length(0)
        case .bytes(let bytes): return .length(bytes.count)
        case .file(let file): return .length(file.length)
        case .stream(let body):
            if let length = body.length { return .length(length) }
            return terms.minorVersion == 0 ? .untilClose : .chunked
        }
    }

    // MARK: Streams

    private func send(_ body: ResponseStream, _ terms: Terms, isChunked: Bool, closes: Bool) {
        let exchange = Exchange(terms)
        exchange.stream = body
        exchange.isChunked = isChunked
        exchange.closes = closes
        state = .answering(exchange)
        // A producer may be silent for as long as it likes; only a client that does not take its bytes is not waited for.
        wait(until: .max)
        body.onChange = { [weak self] in self?.pumpAtEndOfTurn(exchange) }
        gather()
        pump(exchange, body)
    }

    /// Several writes of one turn leave together.
    private func pumpAtEndOfTurn(_ exchange: Exchange) {
        if exchange.waitsForEndOfTurn { return }
        exchange.waitsForEndOfTurn = true
        Loop.endOfTurn { [weak self] in
            exchange.waitsForEndOfTurn = false
            guard let self, let body = exchange.stream else { return }
            pump(exchange, body)
            settle()
        }
    }

    /// Moves what a stream has made into the output queue, and sends of it what the socket takes.
    private func pump(_ exchange: Exchange, _ body: ResponseStream) {
        guard case .answering(let current) = state, current === exchange else { return }
        if body.hasFailed { return close() }
        for bytes in body.take() {
            exchange.queued += bytes.count
            if exchange.isChunked { enqueue(Array("\(String(bytes.count, radix: 16))\r\n".utf8)) }
            enqueue(bytes)
            if exchange.isChunked { enqueue([0x0D, 0x0A]) }
        }
        if body.isFinished {
            if exchange.isChunked { enqueue(Array("0\r\n\r\n".utf8)) }
            body.onChange = nil
            exchange.stream = nil
            state = exchange.closes ? .ending : .head
            wait(server.limits.idleTimeout)
        }
        sendQueue()
    }

    // MARK: Out of the door

    /// Moves what was gathered into the queue, to keep its place before what goes there directly.
    private func gather() {
        let sink = LoopBuffers.output
        if sink.isEmpty { return }
        enqueue(unsafe Array(sink.bytes))
        sink.removeAll()
    }

    /// Sends what was gathered in the loop's buffer; what the socket does not take is copied into the queue.
    func flush() {
        let sink = LoopBuffers.output
        if sink.isEmpty { return }
        defer { sink.removeAll() }
        if case .closed = state { return }
        guard output == nil else { return gather() }
        let bytes = unsafe sink.bytes
        switch unsafe stream.send(bytes) {
        case .moved(let count):
            server.tally.bytesSent += count
            if count == bytes.count { return }
            enqueue(unsafe Array(UnsafeRawBufferPointer(rebasing: bytes[count...])))
            wait(server.limits.writeTimeout)
        case .blocked:
            enqueue(unsafe Array(bytes))
            wait(server.limits.writeTimeout)
        case .ended, .failed: close()
        }
    }

    /// The queue is empty: the client's time begins anew, and a stream may go on.
    func queueIsSent() {
        guard case .answering(let exchange) = state, let body = exchange.stream else {
            return wait(server.limits.idleTimeout)
        }
        wait(until: .max)
        let sent = exchange.queued
        exchange.queued = 0
        body.taken(sent)
    }
}
