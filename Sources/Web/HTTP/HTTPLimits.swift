// Every number that bounds HTTP, with its unit and what happens beyond it. One value of it belongs to a server.

/// What a server takes from a client, and how long it waits for it.
package struct HTTPLimits: Sendable {
    /// Bytes of a request target; beyond: 414.
    package var targetSize = 8_192
    /// Bytes of all field lines; beyond: 431.
    package var fieldsSize = 16_384
    /// Field lines; beyond: 431.
    package var fieldCount = 100
    /// Milliseconds from a request's first byte (or the connection's start) to the end of its head; beyond: 408.
    package var headTimeout: Int64 = 10_000
    /// Milliseconds that a body may take besides one second per 1,000 bytes received; beyond: 408.
    package var bodyTimeout: Int64 = 10_000
    /// Milliseconds between requests; then the connection is closed.
    package var idleTimeout: Int64 = 75_000
    /// Milliseconds without a byte taken by a client that has bytes to take; then the connection is closed.
    package var writeTimeout: Int64 = 30_000
    /// Milliseconds for a TLS handshake; then the connection is closed.
    package var handshakeTimeout: Int64 = 10_000
    /// Milliseconds for a handler that answers later; beyond: 503.
    package var handlerTimeout: Int64 = 120_000
    /// Bytes of the largest body that any route may ask for; a route's own limit is at most this.
    package var bodySize = 64 << 20
    /// Connections open at once; more are answered 503 and closed.
    package var connections = 16_384

    package init() {}

    /// Bytes of a method's name; beyond: 400.
    static let methodSize = 24
    /// Empty lines that may come before a request line (RFC 9112 §2.2); beyond: 400.
    static let leadingEmptyLines = 2
    /// Bytes of all extensions of one chunked body (RFC 9112 §7.1.1); beyond: 400.
    static let chunkExtensionSize = 4_096
    /// Bytes of the trailer section of a chunked body; beyond: 431.
    static let trailerSize = 8_192
    /// Bytes that one read takes from a socket, and a client gets per turn.
    static let readSize = 65_536
    /// Bytes of answers to pipelined requests that are gathered before they are sent.
    static let gatheredOutput = 65_536
    /// Bytes waiting to be taken by the client above which no further pipelined request is answered.
    static let pausingOutput = 262_144
    /// Bytes of a body that are copied behind its head to leave in one piece; larger ones are sent from where they are.
    static let copiedBody = 16_384
    /// Bytes of a body that is compressed while it is answered: less is not worth it, more takes too long.
    static let compressedBody = 1_400...98_304
    /// Bytes and milliseconds that are still read and thrown away after the last answer, so that the client can read it.
    static let lingeringBytes = 4 << 20
    static let lingeringTime: Int64 = 2_000
    /// Ranges of one request that are answered; beyond, the whole is sent (RFC 9110 §14.2 allows it).
    static let ranges = 16
    /// Bytes of a file that are read at a time when it is too large to be kept.
    static let fileBlock = 131_072
    /// Bytes queued on a ``ResponseStream`` above which its producer is asked to wait.
    static let streamHighWater = 262_144
    /// Connections accepted per listener and turn.
    static let acceptsPerTurn = 64
    /// TLS handshakes that begin in one turn: each may cost half a millisecond.
    static let handshakesPerTurn = 8
    /// Milliseconds before accepting goes on when the process has no descriptors left.
    static let acceptPause: Int64 = 250
    /// Name-value pairs of a form, a query or a cookie field that are looked at.
    static let pairs = 1_000
    /// Bytes of head and of headers that the client takes from a server.
    static let responseHeadSize = 65_536
}
