// A whole server in this process: a made-up desktop, the relay, the hub, the dashboard, and HTTP over loopback.

import Dashboard
import Desktops
import Glibc
import Store
import Testing
import Web
import Wire

/// Waits until a condition holds; false when it did not within the deadline.
@Loop func eventually(within milliseconds: Int64 = 30_000, _ condition: @Loop () -> Bool) async -> Bool {
    let deadline = Loop.now + milliseconds
    while !condition() {
        guard Loop.now < deadline else { return false }
        try? await Loop.sleep(milliseconds: 2)
    }
    return true
}

/// A desktop that holds what a test puts into it.
@Loop final class MadeUpService: DesktopService {
    var summaries: [SessionSummary] = []
    var threads: [String: [Block]] = [:]
    var bodies: [String: [UInt8]] = [:]
    var files: [String: (bytes: [UInt8], type: String)] = [:]
    var followed: Set<String> = []
    var revision = 1

    func sessions() async -> [SessionSummary] { summaries }

    func timeline(
        session: String,
        thread: String,
        before: Int?,
        limit: Int
    ) async throws(DesktopServiceError) -> TimelinePage {
        guard let blocks = threads["\(session)/\(thread)"] else { throw .notFound }
        let below = blocks.filter { block in before.map { block.seq < $0 } ?? true }
        return TimelinePage(
            blocks: Array(below.suffix(limit)),
            revision: revision,
            hasMore: below.count > limit,
            total: blocks.count
        )
    }

    func block(session: String, id: String, offset: Int, length: Int) async throws(DesktopServiceError) -> BodyChunk {
        guard let bytes = bodies[id] else { throw .notFound }
        return BodyChunk(
            offset: offset,
            bytes: Array(bytes[offset..<min(bytes.count, offset + length)]),
            totalSize: bytes.count
        )
    }

    func media(id: String, offset: Int, length: Int) async throws(DesktopServiceError) -> MediaChunk {
        guard let (bytes, type) = files[id] else { throw .notFound }
        guard offset <= bytes.count else { throw .invalid("offset") }
        return MediaChunk(
            offset: offset,
            bytes: Array(bytes[offset..<min(bytes.count, offset + length)]),
            totalSize: bytes.count,
            version: "1",
            mediaType: type
        )
    }

    func follow(session: String) { followed.insert(session) }
    func unfollow(session: String) { followed.remove(session) }
}

extension Block {
    static func message(_ seq: Int, _ text: String, kind: BlockKind = .assistant) -> Block {
        var block = Block(id: "b\(seq)", seq: seq, kind: kind)
        block.text = text
        return block
    }
}

@Loop final class Scene {
    nonisolated static let desktopID = "dddddddd-0000-4000-8000-000000000001"

    let scratch = ScratchFolder()
    let service = MadeUpService()
    let relay = Relay()
    let hub: Hub
    let site: Site
    let server: HTTPServer
    let endpoint: DesktopEndpoint
    let database: DatabaseThread
    let port: Int
    let base: String
    /// The cookie of the owner, `name=value`.
    private(set) var owner = ""

    /// - Parameter sessions: a session for each, with its blocks.
    init(_ sessions: [String: [Block]] = ["s1": [.message(0, "Hello")]], basePath: String = "") async throws {
        let store = try Database(folder: scratch.path + "/data")
        let identity = try SiteIdentity(in: store)
        database = try DatabaseThread(store)
        hub = Hub(relay: relay, device: identity.device, name: "Test")
        var configuration = SiteConfiguration(resources: Scene.resources)
        configuration.basePath = basePath
        configuration.hostNames = ["studio.example"]
        site = Site(
            configuration: configuration,
            identity: identity,
            database: database,
            hub: hub,
            relay: relay,
            assets: Assets(resources: Scene.resources)
        )
        server = HTTPServer(router: site.router, basePath: basePath)
        let listened = try server.listen(.tcp(host: "127.0.0.1", port: 0))
        guard case .tcp(_, let port) = listened else { preconditionFailure() }
        self.port = port
        base = "http://127.0.0.1:\(port)\(basePath)"
        let relay = relay
        endpoint = DesktopEndpoint(
            identity: DesktopIdentity(id: Scene.desktopID, name: "studio", version: "1", homeDirectory: "/home/ada"),
            service: service,
            isTrusted: true
        ) { relay.connect(as: RelayIdentity(device: Scene.desktopID, role: .desktop)) }
        for (index, (name, blocks)) in sessions.sorted(by: { $0.key < $1.key }).enumerated() {
            var summary = SessionSummary(
                id: name,
                nativeID: "native-\(name)",
                agent: .claudeCode,
                title: "Chat \(name)",
                project: "/home/ada/wheel"
            )
            summary.updatedAt = 1_700_000_000_000 + Int64(index)
            service.summaries.append(summary)
            service.threads["\(name)/main"] = blocks
        }
        try await site.start()
        hub.register(desktop: KnownDesktop(id: Scene.desktopID, name: "studio"))
        endpoint.start()
        let hub = hub, count = sessions.count
        guard await eventually({ hub.sessions().count == count && hub.desktops.first?.presence == .online }) else {
            throw SceneError.desktopNotOnline
        }
        owner = try await pair(.owner)
    }

    enum SceneError: Error { case desktopNotOnline, notPaired(Int) }

    /// The repository's root: where `Public/` and `config/` are.
    static let resources: String = {
        var folder = #filePath
        while let slash = folder.lastIndex(of: "/"), slash != folder.startIndex {
            folder = String(folder[..<slash])
            if unsafe access(folder + "/config/vendor.json", R_OK) == 0 { return folder }
        }
        return "/work/main"
    }()

    func id(_ session: String) -> String { Hub.publicID(desktop: Scene.desktopID, session: session) }

    // MARK: coming in

    /// A browser that came in: its cookie.
    func pair(_ role: Role) async throws -> String {
        let now = Loop.wallClock
        let path = try await database.ask { database throws(StoreError) in
            try Pairing.newLink(role: role, in: database, now: now)
        }
        let answer = try await get("/" + path, cookie: nil)
        guard answer.status == 303, let cookie = answer.fields["set-cookie"]?.split(separator: ";").first else {
            throw SceneError.notPaired(answer.status)
        }
        return String(cookie)
    }

    // MARK: asking

    func send(_ method: HTTPMethod, _ path: String, _ fields: [(String, String)], body: [UInt8] = []) async throws
        -> HTTPResponse
    {
        var all = HTTPFields()
        for (name, value) in fields { all.add(name, value) }
        return try await HTTPClient.send(OutgoingRequest(method, url: base + path, fields: all, body: body))
    }

    /// - Parameter cookie: `own` stands for the owner's.
    func get(_ path: String, cookie: String? = "own", _ fields: [(String, String)] = []) async throws -> HTTPResponse {
        try await send(.get, path, fields + (cookie.map { [("Cookie", $0 == "own" ? owner : $0)] } ?? []))
    }

    func post(
        _ path: String,
        _ form: String = "",
        cookie: String? = "own",
        origin: String? = "own"
    ) async throws -> HTTPResponse {
        var fields = [("Content-Type", "application/x-www-form-urlencoded")]
        if let cookie { fields.append(("Cookie", cookie == "own" ? owner : cookie)) }
        if let origin { fields.append(("Origin", origin == "own" ? "http://127.0.0.1:\(port)" : origin)) }
        return try await send(.post, path, fields, body: Array(form.utf8))
    }

    func live(_ path: String = "/live", cookie: String? = "own", origin: String? = nil) async throws -> LiveTab {
        var fields: HTTPFields = [:]
        if let cookie { fields.add("Cookie", cookie == "own" ? owner : cookie) }
        if let origin { fields.add("Origin", origin) }
        let socket = try await WebSocketClient.connect(url: "ws" + base.dropFirst(4) + path, fields: fields)
        return LiveTab(socket)
    }

    /// Makes a share by the form; the path of its link.
    func share(_ session: String, _ form: String = "expires=1h") async throws -> String {
        let answer = try await post("/s/\(id(session))/share", form)
        #expect(answer.status == 200)
        let text = answer.text
        guard let start = text.firstRange(of: "/share/") else { return "" }
        return "/share/" + text[start.upperBound...].prefix { $0 != "<" && $0 != "\"" }
    }

    /// The desktop's timeline changes.
    func publish(_ session: String, _ blocks: [Block], removed: [String] = []) {
        var all = service.threads["\(session)/main"] ?? []
        for block in blocks {
            if let index = all.firstIndex(where: { $0.id == block.id }) {
                all[index] = block
            } else {
                all.append(block)
            }
        }
        all.removeAll { removed.contains($0.id) }
        all.sort { $0.seq < $1.seq }
        service.threads["\(session)/main"] = all
        let since = service.revision
        service.revision += 1
        endpoint.publish(
            TimelineUpdate(session: session, revision: service.revision, since: since, blocks: blocks, removed: removed)
        )
    }

    func stop() async {
        endpoint.stop()
        await server.drain(within: 100)
        hub.stop()
        await site.finish()
    }
}

/// A browser's live socket.
@Loop final class LiveTab {
    let socket: WebSocket
    private(set) var messages: [JSON] = []
    /// The last message as it came.
    private(set) var last = ""
    private(set) var closed: (code: UInt16, reason: String)?

    init(_ socket: WebSocket) {
        self.socket = socket
        socket.onText = { [weak self] text in
            self?.last = String(decoding: text, as: UTF8.self)
            if let json = try? JSON(parsing: text) { self?.messages.append(json) }
        }
        socket.onClose = { [weak self] code, reason in self?.closed = (code, reason) }
    }

    func say(_ text: String) { socket.send(text: text) }

    /// Comes to the foreground and shows a session.
    func show(_ session: String, generation: Int = 1, since: String? = nil) {
        say("{\"type\":\"hello\",\"tab\":\"tab-1\",\"build\":\"\"}")
        say("{\"type\":\"visible\",\"generation\":\(generation)}")
        let more = since.map { ",\"since\":\"\($0)\"" } ?? ""
        say(
            "{\"type\":\"claim\",\"claim\":\"c1\",\"view\":\"\(session):main\",\"session\":\"\(session)\",\"thread\":\"main\",\"generation\":\(generation)\(more)}"
        )
    }

    func all(_ type: String) -> [JSON] { messages.filter { $0["type"]?.string == type } }
    var patches: [JSON] { all("patch") }
    /// All HTML that came in patches.
    var html: String {
        patches.map { patch in
            (patch["html"]?.string ?? "") + (patch["ops"]?.array ?? []).compactMap { $0["html"]?.string }.joined()
        }.joined()
    }
}

extension HTTPResponse {
    var bytes: [UInt8] { if case .bytes(let bytes) = body { bytes } else { [] } }
    var text: String { String(decoding: bytes, as: UTF8.self) }
    var json: JSON { (try? JSON(parsing: bytes)) ?? .null }
}

extension String {
    /// Where `text` stands first.
    ///
    /// Over bytes: pages are large, and tests run on the loop.
    func firstRange(of text: String) -> Range<Index>? {
        let wanted = Array(text.utf8)
        guard let offset = Array(utf8).firstIndex(of: wanted, from: 0) else { return nil }
        let start = utf8.index(startIndex, offsetBy: offset)
        return start..<utf8.index(start, offsetBy: wanted.count)
    }

    func count(of text: String) -> Int {
        let bytes = Array(utf8), wanted = Array(text.utf8)
        var count = 0, position = 0
        while let next = bytes.firstIndex(of: wanted, from: position) {
            count += 1
            position = next + wanted.count
        }
        return count
    }
}

extension [UInt8] {
    fileprivate func firstIndex(of wanted: [UInt8], from start: Int) -> Int? {
        guard let first = wanted.first, count >= wanted.count else { return nil }
        var index = start
        while index <= count - wanted.count {
            if self[index] == first, self[index..<index + wanted.count].elementsEqual(wanted) { return index }
            index += 1
        }
        return nil
    }
}

/// A folder for one test, removed with it.
final class ScratchFolder: Sendable {
    let path: String

    init() {
        var template = Array("/tmp/wheelhouse-site-XXXXXX".utf8CString)
        path = unsafe mkdtemp(&template).map { unsafe String(cString: $0) } ?? ""
        precondition(!path.isEmpty)
    }

    deinit {
        for name in ["", "-wal", "-shm"] { unsafe unlink("\(path)/data/wheelhouse.sqlite\(name)") }
        unsafe rmdir(path + "/data")
        unsafe rmdir(path)
    }
}

/// A GET with a chosen `Host`; the whole answer as text.
///
/// Blocks: off the loop.
func rawGet(port: Int, path: String, host: String) -> String {
    let descriptor = openSocket(port: port)
    defer { close(descriptor) }
    let request = Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8)
    guard unsafe write(descriptor, request, request.count) == request.count else { return "" }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while case let count = unsafe read(descriptor, &buffer, buffer.count), count > 0 { answer += buffer[..<count] }
    return String(decoding: answer, as: UTF8.self)
}

/// A connection to a port of this machine.
func openSocket(port: Int) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
    }
    precondition(code == 0)
    return descriptor
}
