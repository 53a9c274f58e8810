// The numbers of the simulated relay. Sections are those of the device link's protocol document.

/// Bounds and times of a simulated relay.
package enum RelayLimits {
    /// Frames that wait on one way of one connection; more cuts it.
    package static let waitingFrames = 4_096
    /// Bytes that wait for one connection; more cuts it.
    package static let waitingBytes = 64 << 20
    /// Events kept for replay (section 4.4).
    package static let replay = 500
    /// How long they are kept (section 4.4), milliseconds.
    static let replayAge: Int64 = 300_000
    /// Frames that the history remembers; the oldest go.
    package static let history = 20_000
    /// Sessions that are remembered; the oldest go.
    package static let sessions = 1_024
    /// How long a session lives (section 2.3), milliseconds.
    static let sessionLife: Int64 = 86_400_000
    /// How large a frame is made of which only a part shall arrive, so that the kernel cannot take all of it at once.
    static let halfFrame = 24 << 20
}
