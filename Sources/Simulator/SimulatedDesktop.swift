// The shell around `DesktopModel`: the loop's clock, one timer, and whatever carries the frames.

package import Wire

/// A scripted desktop on the device link.
///
/// Give it a connection to a relay as a desktop: `send` for its frames, ``receive(_:)`` for the relay's. It keeps no secret
/// and needs no resuming.
@Loop package final class SimulatedDesktop {
    package nonisolated let id: String
    package nonisolated let name: String
    private var model: DesktopModel
    private let send: @Loop ([UInt8]) -> Void
    private var timer: LoopTimer?
    private var isRunning = false

    /// - Parameters:
    ///   - seed: the same seed plays the same.
    ///   - send: puts one text frame on the connection.
    package init(_ script: DesktopScript, seed: UInt64 = 1, send: @escaping @Loop ([UInt8]) -> Void) {
        id = script.id
        name = script.name
        model = DesktopModel(script, seed: seed, now: Loop.now, wall: Loop.wallClock)
        self.send = send
    }

    /// The connection stands: registers and plays.
    package func start() {
        isRunning = true
        for frame in model.opened(now: Loop.now) { send(frame) }
        arm()
    }

    /// A text frame of the relay.
    package func receive(_ text: [UInt8]) {
        guard isRunning else { return }
        for frame in model.receive(text, now: Loop.now) { send(frame) }
        arm()
    }

    /// The connection is gone, or nobody wants the desktop any more.
    package func stop() {
        isRunning = false
        model.closed()
        timer?.cancel()
        timer = nil
    }

    private func arm() {
        timer?.cancel()
        guard isRunning, let wakeAt = model.wakeAt else { return }
        timer = Loop.after(milliseconds: max(1, wakeAt - Loop.now)) { [weak self] in self?.wake() }
    }

    private func wake() {
        guard isRunning else { return }
        for frame in model.tick(now: Loop.now) { send(frame) }
        arm()
    }
}
