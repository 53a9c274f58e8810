// Reaching a server: look up the name on a worker thread, try its addresses in turn, shake hands. One deadline for it all.
package import Wire

/// Why no connection came about.
package enum DialError: Error, Equatable {
    /// The name has no address.
    case unknownHost
    /// No address answered; the error of the first one.
    case unreachable(Errno)
    /// The certificate, or the handshake. The text is for people.
    case tls(TLSError)
    case timedOut
    case cancelled
}

/// A connected stream and the watch on it. Whoever takes it closes both.
@Loop struct DialledStream {
    let stream: SocketStream
    let watch: Watch
    let peer: SocketAddress
}

@Loop enum Dialer {
    /// Connects to the host of a URL.
    ///
    /// - Parameter deadline: on the loop's clock.
    static func dial(_ url: HTTPURL, tls: TLSContext?, deadline: Int64) async throws(DialError) -> DialledStream {
        guard let addresses = await NameLookup.addresses(of: url.host, port: url.port, until: deadline) else {
            throw .timedOut
        }
        if Task.isCancelled { throw .cancelled }
        if addresses.isEmpty { throw .unknownHost }
        var firstError: DialError?
        for (index, address) in addresses.enumerated() {
            // Those that are left share what is left of the time.
            let limit = Loop.now + (deadline - Loop.now) / Int64(addresses.count - index)
            do throws(DialError) {
                let stream = try await connect(to: address, url, tls, limit)
                return stream
            } catch {
                switch error {
                case .tls, .cancelled: throw error
                default: if firstError == nil { firstError = error }
                }
            }
            if Loop.now >= deadline { throw .timedOut }
        }
        throw firstError ?? .timedOut
    }

    private static func connect(
        to address: SocketAddress,
        _ url: HTTPURL,
        _ tls: TLSContext?,
        _ deadline: Int64
    ) async throws(DialError) -> DialledStream {
        let descriptor: Int32
        do throws(Errno) { descriptor = try Sockets.connect(to: address) } catch { throw .unreachable(error) }
        let stream: SocketStream?
        if url.isSecure {
            stream = SocketStream(descriptor: descriptor, tls: tls ?? .system, host: url.host)
        } else {
            stream = SocketStream(descriptor: descriptor)
        }
        guard let stream else {
            Sockets.close(descriptor)
            throw .tls(.failed("cannot start a session"))
        }
        let waiter: StreamWaiter
        do throws(Errno) { waiter = try StreamWaiter(stream) } catch {
            stream.close()
            throw .unreachable(error)
        }
        do throws(DialError) {
            try await waiter.wait(for: .writable, until: deadline).orThrow()
            if let error = Sockets.pendingError(of: descriptor) { throw .unreachable(error) }
            if url.isSecure { try await shakeHands(stream, waiter, deadline) }
        } catch {
            waiter.end()
            stream.close()
            throw error
        }
        return DialledStream(stream: stream, watch: waiter.release(), peer: address)
    }

    private static func shakeHands(
        _ stream: SocketStream,
        _ waiter: StreamWaiter,
        _ deadline: Int64
    ) async throws(DialError) {
        while true {
            switch stream.handshake() {
            case .moved: return
            case .blocked(let readiness): try await waiter.wait(for: readiness, until: deadline).orThrow()
            case .ended: throw .tls(.failed("the server ended the handshake"))
            case .failed(.tls(let error)): throw .tls(error)
            case .failed(.system(let error)): throw .unreachable(error)
            }
        }
    }
}

extension StreamWaiter.Result {
    fileprivate func orThrow() throws(DialError) {
        switch self {
        case .ready: return
        case .timedOut: throw .timedOut
        case .cancelled: throw .cancelled
        }
    }
}
