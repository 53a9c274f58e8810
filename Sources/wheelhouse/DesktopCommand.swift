// `wheelhouse desktop`: offers this computer's sessions to a dashboard. Dials out, so it needs no open port, and dials again for
// ever; only a refused token or a wrong address ends it (DESIGN §11, device link §1).

import Agent
import Desktops
import Glibc
import Web
import Wire

enum DesktopCommand {
    static let syntax = CommandSyntax(
        name: "desktop",
        summary: "Offers this computer's agent sessions to a dashboard.",
        options: [
            .init(name: "--server", value: "URL", help: "The dashboard's address, such as http://dashboard:8420."),
            .init(
                name: "--token",
                value: "T",
                help: "What `wheelhouse desktop-token` printed; or the variable WHEELHOUSE_TOKEN."
            ),
            .init(name: "--name", value: "N", help: "How the dashboard calls this computer; its host name otherwise."),
            .init(name: "--home", value: "DIR", help: "A folder with .claude and .codex instead of your own."),
            .init(
                name: "--ca",
                value: "FILE",
                help: "Certificates (PEM) to trust besides the system's, for --tls auto."
            ),
        ],
        notes: ["It only reads the agents' transcripts, never their keys. Stop it with Control-C."]
    )

    /// - Returns: 0 after SIGTERM or SIGINT, 64 for wrong arguments, 78 for an address or a token that cannot work.
    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, syntax) { options in
            guard let server = options.value("--server"), !server.isEmpty else {
                complain("wheelhouse desktop: --server is needed, such as --server http://dashboard:8420")
                return ExitCode.usage
            }
            guard let token = options.value("--token") ?? Environment.variable("WHEELHOUSE_TOKEN"), !token.isEmpty
            else {
                complain(
                    "wheelhouse desktop: --token is needed. `wheelhouse desktop-token` on the dashboard's machine prints one."
                )
                return ExitCode.usage
            }
            let address = server.contains("://") ? server : "http://" + server
            guard WebSocketLink.url(of: address, allowsPlaintext: true).flatMap(HTTPURL.init) != nil else {
                complain(
                    "wheelhouse desktop: \(server) is no address of a dashboard. It looks like http://dashboard:8420."
                )
                return ExitCode.configuration
            }
            guard token.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                complain("wheelhouse desktop: the token has characters that no token has")
                return ExitCode.configuration
            }
            if let home = options.value("--home"), !isFolder(home) {
                complain("wheelhouse desktop: there is no folder \(home)")
                return ExitCode.configuration
            }
            let tls: TLSContext?
            do throws(TLSError) {
                tls = try options.value("--ca").map { file throws(TLSError) in
                    try TLSContext.client(trust: .authorities(file: file))
                }
            } catch {
                complain("wheelhouse desktop: --ca: the file holds no certificates that can be read")
                return ExitCode.configuration
            }
            let connection = DesktopConnection(server: address, token: token, tls: tls)
            let home = options.value("--home").map(Environment.absolute)
            let name = options.value("--name") ?? Environment.hostName
            let end = ExitGate()
            Loop.spawn { @Loop in
                end.open(with: await DesktopProcess(connection: connection, name: name, home: home).run())
            }
            return end.wait()
        }
    }

    /// The variables that say where the agents keep their files.
    static func environment() -> [String: String] {
        var known: [String: String] = [:]
        for name in ["HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"] {
            if let value = Environment.variable(name) { known[name] = value }
        }
        return known
    }

    private static func isFolder(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }
}

/// How to reach the dashboard's relay.
struct DesktopConnection: Sendable {
    /// `http://host:8420/base`.
    var server: String
    var token: String
    var tls: TLSContext?

    /// The first pause after a lost connection is drawn by chance up to this, so that a restarted dashboard does not meet all
    /// its desktops at once. Milliseconds.
    private static let jitter: UInt64 = 400

    @Loop func connect(as device: String, isFirst: Bool) async throws(LinkConnectError) -> any LinkTransport {
        if !isFirst { try? await Loop.sleep(milliseconds: Int64(UInt64.random(in: 0...Self.jitter))) }
        return try await WebSocketLink.connect(
            server: server,
            token: token,
            identity: RelayIdentity(device: device, role: .desktop),
            tls: tls,
            allowsPlaintext: true
        )
    }
}

/// One run of the command: the sessions, the link, and what the person at the terminal reads of them.
@Loop final class DesktopProcess {
    private let connection: DesktopConnection
    private let name: String
    private let home: String?
    private var attempts = 0
    private var lastFailure = ""
    private var waiting: CheckedContinuation<Int32, Never>?

    init(connection: DesktopConnection, name: String, home: String?) {
        self.connection = connection
        self.name = name
        self.home = home
    }

    /// - Returns: the exit code.
    func run() async -> Int32 {
        let desktop = LocalDesktop(roots: AgentRoots(home: home, environment: DesktopCommand.environment()))
        let device = await offload { [home] in DeviceIdentity.load(home: home ?? Environment.home) }
        let endpoint = DesktopEndpoint(
            identity: DesktopIdentity(
                id: device,
                name: name,
                version: version,
                homeDirectory: home ?? Environment.home
            ),
            service: desktop,
            connect: { [weak self] () async throws(LinkConnectError) in
                guard let self else { throw .failed("stopped") }
                return try await connect(as: device)
            }
        )
        desktop.onSessions = { [weak endpoint] changed, removed in
            endpoint?.announce(changed: changed, removed: removed)
        }
        desktop.onUpdate = { [weak endpoint] update in endpoint?.publish(update) }
        endpoint.onState = { [weak self] in self?.changed($0) }
        let code = await withCheckedContinuation { continuation in
            waiting = continuation
            Signals.onTerminate { [weak self] in self?.end(ExitCode.ok) }
            desktop.start()
            endpoint.start()
        }
        endpoint.onState = nil
        endpoint.stop()
        desktop.stop()
        return code
    }

    private func connect(as device: String) async throws(LinkConnectError) -> any LinkTransport {
        attempts += 1
        do throws(LinkConnectError) {
            return try await connection.connect(as: device, isFirst: attempts == 1)
        } catch {
            if case .failed(let reason) = error { lastFailure = reason }
            throw error
        }
    }

    private func changed(_ state: DesktopEndpoint.State) {
        switch state {
        case .connecting, .registering: break
        case .online:
            lastFailure = ""
            Log.write(.info, "connected", [("server", connection.server), ("name", name)])
        case .waiting(let milliseconds):
            // A failed try has been logged with its reason already.
            if lastFailure.isEmpty { Log.write(.warning, "the connection was lost", [("again", "\(milliseconds) ms")]) }
        case .stopped(let reason):
            if reason.contains("credentials") || reason.contains("does not know") {
                complain(
                    "wheelhouse desktop: the dashboard refuses this token. `wheelhouse desktop-token` there prints a new one."
                )
                end(ExitCode.configuration)
            } else {
                complain("wheelhouse desktop: \(reason)")
                end(ExitCode.failure)
            }
        }
    }

    private func end(_ code: Int32) {
        waiting?.resume(returning: code)
        waiting = nil
    }
}

/// The id of this computer as a desktop: made once and kept, so that a dashboard knows it again.
enum DeviceIdentity {
    /// Reads the id below `home`, or makes one; where nothing can be written, one that follows from the machine.
    static func load(home: String) -> String {
        let folder = "\(home)/.local/state/wheelhouse"
        let file = "\(folder)/desktop-id"
        if let known = read(file) { return known }
        let made = RandomBytes.uuid()
        var path = ""
        for part in folder.split(separator: "/") {
            path += "/\(part)"
            _ = unsafe mkdir(path, 0o700)
        }
        // Exclusive: of two that start at once, one makes the id and the other reads it.
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return read(file) ?? derived(home) }
        defer { close(descriptor) }
        let bytes = Array((made + "\n").utf8)
        let count = unsafe bytes.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
        return count == bytes.count ? made : derived(home)
    }

    private static func read(_ file: String) -> String? {
        contents(file).flatMap { DeviceID.normalized($0) }
    }

    private static func contents(_ file: String) -> String? {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        return String(decoding: buffer[..<count].prefix { $0 > 0x20 }, as: UTF8.self)
    }

    private static func derived(_ home: String) -> String {
        let machine = contents("/etc/machine-id") ?? Environment.hostName
        var bytes = Array(Digest.sha256(Array("desktop\n\(machine)\n\(home)".utf8)).prefix(16))
        bytes[6] = bytes[6] & 0x0F | 0x80
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = Array(Digest.hex(bytes))
        return [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]].map { String($0) }.joined(
            separator: "-"
        )
    }
}
