// `conformance-peer serve`: files, an echo, WebSocket echo and fan-out.
import Glibc
import Web
import Wire

/// The command line of `serve`.
struct ServeOptions {
    var port = 8080
    var root: String?
    var files: String?
    var tls: (certificate: String, key: String)?
    var hasShortLimits = false

    /// nil for a command line that cannot be understood.
    init?(_ arguments: ArraySlice<String>) {
        var rest = arguments
        while let name = rest.popFirst() {
            if name == "--short-limits" {
                hasShortLimits = true
                continue
            }
            guard let value = rest.popFirst() else { return nil }
            switch name {
            case "--port":
                guard let number = Int(value), 0...65_535 ~= number else { return nil }
                port = number
            case "--root": root = value
            case "--static": files = value
            case "--tls":
                let parts = value.split(separator: ",")
                guard parts.count == 2 else { return nil }
                tls = (String(parts[0]), String(parts[1]))
            default: return nil
            }
        }
    }

    var limits: HTTPLimits {
        var limits = HTTPLimits()
        if hasShortLimits {
            limits.headTimeout = 5_000
            limits.bodyTimeout = 5_000
            limits.idleTimeout = 10_000
            limits.bodySize = 1 << 20
        }
        return limits
    }
}

@Loop func servePeer(_ options: ServeOptions) {
    let router = Router()
    let plain = Array((String(repeating: "0123456789abcdef", count: 64)).utf8)
    router.on(.get, "/plain") { _, _ in
        .response(HTTPResponse(fields: ["Content-Type": "text/plain"], body: .bytes(plain)))
    }
    router.on(.post, "/echo", bodyLimit: options.limits.bodySize) { request, _ in
        let type = request.fields["content-type"] ?? "application/octet-stream"
        return .response(HTTPResponse(fields: ["Content-Type": type], body: .bytes(request.body)))
    }
    addSockets(to: router)
    do throws(Errno) {
        if let folder = options.files {
            let files = try StaticFiles(root: folder)
            router.on(.get, "/static/*path") { files.answer($0, path: $1["path"] ?? "") }
        }
        if let folder = options.root {
            let files = try StaticFiles(root: folder)
            router.on(.get, "/*path") { files.answer($0, path: $1["path"] ?? "") }
        }
        let server = HTTPServer(limits: options.limits, router: router)
        var context: TLSContext?
        if let (certificate, key) = options.tls {
            do throws(TLSError) {
                context = try TLSContext.server(certificate: certificate, key: key)
            } catch {
                Log.announce("cannot use the certificate: \(error)")
                exit(78)
            }
        }
        let address = try server.listen(.tcp(host: "127.0.0.1", port: options.port), tls: context)
        Log.announce("listening on \(context == nil ? "http" : "https")://\(address)")
        Signals.onTerminate {
            Loop.spawn { @Loop in
                await server.drain(within: 10_000)
                exit(0)
            }
        }
    } catch {
        Log.announce("cannot start: \(error)")
        exit(error == .addressInUse ? 69 : 73)
    }
}

@Loop private func addSockets(to router: Router) {
    var options = WebSocketOptions()
    options.maxMessage = 17 << 20
    let echo: Router.Handler = { _, _ in
        .upgrade(options, [:]) { socket in
            socket.onText = { [unowned socket] in socket.send(text: $0) }
            socket.onBinary = { [unowned socket] in socket.send(binary: $0) }
        }
    }
    router.on(.get, "/ws", echo)
    router.on(.get, "/ws/echo", echo)

    let subscribers = Subscribers()
    router.on(.get, "/ws/sub") { _, _ in .upgrade(options, [:]) { subscribers.add($0) } }
    router.on(.get, "/ws/pub") { _, _ in
        .upgrade(options, [:]) { socket in
            socket.onText = { subscribers.publish(PreparedMessage(text: $0)) }
        }
    }
}

/// Whoever listens on `/ws/sub`.
@Loop private final class Subscribers {
    private var sockets: [ObjectIdentifier: WebSocket] = [:]

    func add(_ socket: WebSocket) {
        let id = ObjectIdentifier(socket)
        sockets[id] = socket
        socket.onClose = { [unowned self] _, _ in sockets[id] = nil }
    }

    func publish(_ message: PreparedMessage) {
        for socket in sockets.values { socket.send(message) }
    }
}
