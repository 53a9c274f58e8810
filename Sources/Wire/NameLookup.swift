// Addresses of a name, with a deadline: the system's resolver has none of its own, and cannot be interrupted.

package enum NameLookup {
    /// The addresses of a host, in the order in which they should be tried. Digits and `localhost` are not asked about
    /// (RFC 6761 §6.3).
    ///
    /// - Parameter deadline: on the loop's clock.
    /// - Returns: nil when there was no answer in time; empty when the name has no address.
    @Loop package static func addresses(of host: String, port: Int, until deadline: Int64) async -> [SocketAddress]? {
        guard let number = UInt16(exactly: port) else { return [] }
        if let address = SocketAddress(numeric: host, port: number) { return [address] }
        if host == "localhost" {
            return ["127.0.0.1", "::1"].compactMap { SocketAddress(numeric: $0, port: number) }
        }
        if WorkerPool.lookups.isSaturated { return nil }
        let lookup = Lookup()
        return await withCheckedContinuation { continuation in
            lookup.continuation = continuation
            lookup.timer = Loop.after(milliseconds: deadline - Loop.now) { lookup.end(nil) }
            WorkerPool.lookups.submit {
                let found = Sockets.resolve(host: host, port: port)
                Loop.post { lookup.end(found) }
            }
        }
    }
}

/// One question: whoever comes first, the answer or the deadline, ends it.
@Loop private final class Lookup {
    var continuation: CheckedContinuation<[SocketAddress]?, Never>?
    var timer: LoopTimer?

    func end(_ result: [SocketAddress]?) {
        timer?.cancel()
        continuation?.resume(returning: result)
        continuation = nil
    }
}
