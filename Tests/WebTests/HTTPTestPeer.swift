import Glibc
import Testing
import Web
import Wire

/// A raw client on a real socket: sends bytes as they are and looks at what comes back.
@Loop final class TestPeer {
    private let stream: SocketStream
    private var watch: Watch?
    private(set) var received: [UInt8] = []
    private(set) var hasEnded = false
    private var waiting: (condition: @Loop () -> Bool, done: CheckedContinuation<Void, Never>)?
    /// While true, nothing is read: the socket fills up.
    var isSlow = false { didSet { watch?.change(to: isSlow ? [] : .readable) } }

    init(_ address: ListenAddress) throws(Errno) {
        let descriptor: Int32
        switch address {
        case .tcp(let host, let port):
            guard let address = SocketAddress(numeric: host, port: UInt16(port)) else { throw .invalid }
            descriptor = try Sockets.connect(to: address)
        case .unix(let path): descriptor = try Sockets.connect(unix: path)
        }
        // A small buffer of a fixed size: the kernel must not swallow what a slow client does not take.
        var size: Int32 = 16_384
        _ = unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        stream = SocketStream(descriptor: descriptor)
        watch = try Loop.watch(descriptor: descriptor, for: .readable) { [unowned self] _ in read() }
    }

    isolated deinit { close() }

    func close() {
        watch?.cancel()
        watch = nil
        stream.close()
    }

    func finishSending() { stream.finishSending() }

    /// Sends all of it, waiting for room.
    func send(_ text: String) async { await send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) async {
        let queue = OutputQueue()
        queue.append(bytes)
        for _ in 0..<10_000 {
            switch queue.send(to: stream) {
            case .moved: return
            case .blocked: try? await Loop.sleep(milliseconds: 1)
            case .ended, .failed: return
            }
        }
    }

    private func read() {
        unsafe withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
            switch unsafe stream.receive(into: buffer) {
            case .moved(let count): unsafe received.append(contentsOf: buffer[..<count])
            case .blocked: break
            case .ended, .failed:
                hasEnded = true
                watch?.change(to: [])
            }
        }
        if let waiting, waiting.condition() {
            self.waiting = nil
            waiting.done.resume()
        }
    }

    /// The first 64 KiB.
    var text: String { String(decoding: received.prefix(65_536), as: UTF8.self) }

    /// Whether the last bytes are these.
    func ends(with text: String) -> Bool { received.suffix(text.utf8.count).elementsEqual(text.utf8) }

    /// Waits until what was received meets a condition, or the connection ended; ten seconds at most.
    @discardableResult
    func wait(_ condition: @escaping @Loop (TestPeer) -> Bool) async -> String {
        if condition(self) || hasEnded { return text }
        let limit = Loop.after(milliseconds: 10_000) { [weak self] in
            self?.waiting?.done.resume()
            self?.waiting = nil
        }
        await withCheckedContinuation { done in
            waiting = ({ [unowned self] in condition(self) || hasEnded }, done)
        }
        limit.cancel()
        return text
    }

    /// Waits for so many answers without bodies that look like answers.
    func answers(_ count: Int) async -> [Int] {
        await wait { $0.statuses.count >= count && $0.text.contains("\r\n\r\n") }
        return statuses
    }

    func untilEnd() async -> String { await wait { $0.hasEnded } }

    var statuses: [Int] {
        text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
    }
}

extension String {
    func components(separatedBy separator: String) -> [String] {
        var parts: [String] = []
        var rest = self.utf8[...]
        let wanted = Array(separator.utf8)
        var part = rest.startIndex
        while !rest.isEmpty {
            if rest.starts(with: wanted) {
                parts.append(String(self[part..<rest.startIndex]))
                rest = rest.dropFirst(wanted.count)
                part = rest.startIndex
            } else {
                rest = rest.dropFirst()
            }
        }
        return parts + [String(self[part...])]
    }
}

/// A server on port 0 with routes for tests.
@Loop final class TestServer {
    let server: HTTPServer
    let address: ListenAddress

    init(
        limits: HTTPLimits = HTTPLimits(),
        basePath: String = "",
        trustedProxies: [AddressBlock] = [],
        address: ListenAddress = .tcp(host: "127.0.0.1", port: 0),
        tls: TLSContext? = nil,
        _ fill: (Router) -> Void
    ) throws(Errno) {
        let router = Router()
        fill(router)
        server = HTTPServer(limits: limits, router: router, basePath: basePath, trustedProxies: trustedProxies)
        self.address = try server.listen(address, tls: tls)
    }

    var port: Int { if case .tcp(_, let port) = address { port } else { 0 } }

    func stop() async { await server.drain(within: 1) }
}
