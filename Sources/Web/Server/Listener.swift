// One listening socket: accepts in bounded batches and survives the day when the process has no descriptors left.
import Wire

@Loop final class Listener {
    /// With its real port.
    let address: ListenAddress
    private let descriptor: Int32
    private var watch: Watch?
    private var pause: LoopTimer?
    private let onAccept: @Loop (Int32, SocketAddress) -> Void

    init(address: ListenAddress, onAccept: @escaping @Loop (Int32, SocketAddress) -> Void) throws(Errno) {
        (descriptor, self.address) = try Sockets.listen(on: address)
        self.onAccept = onAccept
        do throws(Errno) {
            watch = try Loop.watch(descriptor: descriptor, for: .readable) { [unowned self] _ in acceptSome() }
        } catch {
            Sockets.close(descriptor)
            throw error
        }
    }

    /// Stops accepting. A unix socket's file is removed.
    func close() {
        pause?.cancel()
        watch?.cancel()
        watch = nil
        Sockets.close(descriptor, listeningOn: address)
    }

    private func acceptSome() {
        for _ in 0..<HTTPLimits.acceptsPerTurn {
            switch Sockets.accept(from: descriptor) {
            case .connection(let descriptor, let peer): onAccept(descriptor, peer)
            case .none: return
            case .failed(let error):
                // Out of descriptors or memory. Those who wait stay in the kernel's queue; asking again at once would spin.
                Log.write(.warning, "cannot accept connections", [("error", "\(error)"), ("listener", "\(address)")])
                watch?.change(to: [])
                pause = Loop.after(milliseconds: HTTPLimits.acceptPause) { [unowned self] in
                    watch?.change(to: .readable)
                }
                return
            }
        }
    }
}
