// The relay built into `wheelhouse serve`: the broker between desktops that dial in and phones (this server's own hub, by
// in-process transports, and other clients of the device link). Protocol document, sections 2, 4 and 7.18.
package import Web
package import Wire

/// Who is at the other end of a connection, after its credentials were checked.
package struct RelayIdentity: Sendable, Equatable {
    package enum Role: String, Sendable { case phone = "mobile", desktop }
    /// The account; a self-hosted relay has one, `RelayIdentity.owner`.
    package var user: String
    /// A lower-case UUID.
    package var device: String
    package var role: Role
    /// phone: the desktop that it talks to, from `X-Target-Desktop-Device-ID`.
    package var target: String?

    /// The user id of a self-hosted relay's only account.
    package static let owner = "00000000-0000-4000-8000-000000000001"

    package init(user: String = RelayIdentity.owner, device: String, role: Role, target: String? = nil) {
        self.user = user
        self.device = device
        self.role = role
        self.target = target
    }
}

/// Routes messages between phones and desktops.
@Loop package final class Relay {
    package init() {}

    /// Takes over a WebSocket whose upgrade was authorised (`RelayCredentials.check`).
    package func accept(_ socket: WebSocket, as identity: RelayIdentity) { fatalError() }
    /// Takes over any other connection.
    package func accept(_ transport: any LinkTransport, as identity: RelayIdentity) { fatalError() }
    /// A connection to this relay from inside the process: the client's end.
    package func connect(as identity: RelayIdentity) -> any LinkTransport { fatalError() }

    /// Forgets a device: closes its connections with 4003 and tells the others.
    package func unlink(device: String) { fatalError() }
    /// Closes every connection with 1001.
    package func drain() { fatalError() }
    /// Told when a desktop registers, with its device id and the name that it gave: to note when it was last seen.
    package var onDesktopRegistered: (@Loop (_ device: String, _ name: String) -> Void)?
}
