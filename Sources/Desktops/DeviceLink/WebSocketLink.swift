// How a client dials a relay: the URL, the header fields of section 2.1 (R23, R24, RS1), what a refusal means.
package import Web
package import Wire

/// Connections to a relay over WebSocket.
package enum WebSocketLink {
    /// Where a relay answers, below a server's address.
    package static let path = "/ws/device-link"
    /// Up to the open socket, milliseconds (R28).
    package static let deadline: Int64 = 10_000

    /// Dials a relay.
    ///
    /// - Parameters:
    ///   - server: `https://host[:port][/base]` or the same with `wss`; with `http` or `ws` only to this very machine,
    ///     unless `allowsPlaintext`.
    ///   - identity: who dials; a phone's target goes along.
    ///   - tls: whom to trust; nil for the system's authorities.
    ///   - allowsPlaintext: a person chose an address without TLS, as in a home network.
    @Loop package static func connect(
        server: String,
        token: String,
        identity: RelayIdentity,
        tls: TLSContext? = nil,
        allowsPlaintext: Bool = false
    ) async throws(LinkConnectError) -> any LinkTransport {
        guard let url = url(of: server, allowsPlaintext: allowsPlaintext) else {
            throw .failed("the relay's address must begin with https:// (or http:// on this machine)")
        }
        let socket: WebSocket
        do throws(WebSocketConnectError) {
            socket = try await WebSocketClient.connect(
                url: url,
                fields: fields(token: token, identity: identity),
                tls: tls,
                deadline: deadline
            )
        } catch {
            switch error {
            case .refused(status: 401), .refused(status: 403): throw .unauthorized
            case .refused(status: 409): throw .failed("another connection holds this computer's id")
            case .refused(status: 503): throw .failed("the dashboard is not ready for it yet")
            case .refused(let status): throw .failed("the address answers \(status), not as a dashboard")
            case .timedOut: throw .failed("no answer in time")
            case .dial(let reason): throw .failed("cannot be reached (\(reason))")
            case .invalidURL, .malformedResponse, .cut, .cancelled:
                throw .failed("the answer is no dashboard's (\(error))")
            }
        }
        return WebSocketTransport(socket)
    }

    /// The header fields of the upgrade.
    package static func fields(token: String, identity: RelayIdentity) -> HTTPFields {
        var fields: HTTPFields = [
            "Authorization": "Bearer \(token)",
            "X-Device-ID": identity.device,
            "X-Token-Binding": identity.device,
            "X-Client-Type": identity.role.rawValue,
        ]
        if let target = identity.target { fields.add("X-Target-Desktop-Device-ID", target) }
        return fields
    }

    /// The WebSocket URL of a server's relay; nil for an address that must not be dialled.
    package static func url(of server: String, allowsPlaintext: Bool) -> String? {
        var rest = server.hasSuffix("/") ? String(server.dropLast()) : server
        guard let scheme = ["https://", "wss://", "http://", "ws://"].first(where: rest.lowercased().hasPrefix) else {
            return nil
        }
        rest.removeFirst(scheme.count)
        guard !rest.isEmpty else { return nil }
        if scheme == "https://" || scheme == "wss://" { return "wss://\(rest)\(path)" }
        let isHere = ["127.0.0.1", "[::1]", "localhost"].contains { host in
            rest == host || rest.hasPrefix("\(host):") || rest.hasPrefix("\(host)/")
        }
        return isHere || allowsPlaintext ? "ws://\(rest)\(path)" : nil
    }
}
