// The body of one request while it comes in. Its limit was known, and kept, before its first byte was read.
import Wire

@Loop final class IncomingBody {
    let request: HTTPRequest
    let route: Router.Route
    let parameters: Parameters
    let terms: HTTPConnection.Terms
    private(set) var content: [UInt8] = []
    private let start = Loop.now
    private let limit: Int
    /// Bytes of content that are still to come when there is a length.
    private var remaining: Int
    private var chunks: ChunkedDecoder?

    /// Bytes that are reserved at once on a client's word that so many will come.
    private static let trustedLength = 65_536

    init(
        _ request: HTTPRequest,
        _ route: Router.Route,
        _ parameters: Parameters,
        _ terms: HTTPConnection.Terms,
        framing: BodyFraming,
        limit: Int
    ) {
        self.request = request
        self.route = route
        self.parameters = parameters
        self.terms = terms
        self.limit = limit
        switch framing {
        case .none: remaining = 0
        case .length(let length):
            remaining = length
            content.reserveCapacity(min(length, Self.trustedLength))
        case .chunked:
            remaining = 0
            chunks = ChunkedDecoder()
        }
    }

    var isDone: Bool { chunks?.isDone ?? (remaining == 0) }

    /// When patience ends: a second for every 1,000 bytes received, besides the allowance. What drips ends all the same.
    func deadline(_ limits: HTTPLimits) -> Int64 { start + limits.bodyTimeout + Int64(content.count) }

    /// Reads on. Returns how many of `bytes` belong to the body.
    func take(_ bytes: Span<UInt8>) throws(HTTPRefusal) -> Int {
        if chunks != nil { return try chunks?.decode(bytes, into: &content, limit: limit) ?? 0 }
        let count = min(remaining, bytes.count)
        unsafe bytes.extracting(0..<count).withUnsafeBufferPointer { unsafe content.append(contentsOf: $0) }
        remaining -= count
        return count
    }
}
