// The system calls on sockets, each once, with typed errors. Every descriptor is non-blocking and closed on exec.
import CLinux
import Glibc

package enum Sockets {
    /// Connections that may wait in the kernel until they are accepted.
    private static let backlog: Int32 = 1_024

    /// Binds and listens. A stale unix socket file, one that nobody answers on, is replaced.
    ///
    /// - Returns: the descriptor, and the address with its real port.
    package static func listen(on address: ListenAddress) throws(Errno) -> (descriptor: Int32, address: ListenAddress) {
        switch address {
        case .unix(let path): return (try listen(unix: path), address)
        case .tcp(let host, let port):
            // Called at start, before anything waits: a name may be looked up here and now.
            guard let first = resolve(host: host, port: port, forListening: true).first else {
                throw Errno(code: EADDRNOTAVAIL)
            }
            let descriptor = try open(first.family == .ipv6 ? AF_INET6 : AF_INET)
            do throws(Errno) {
                set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
                // Accepted sockets inherit it: answers leave at once instead of waiting for an acknowledgement.
                set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
                if first.family == .ipv6 { set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0) }
                let bound = unsafe first.withSystemAddress { unsafe Glibc.bind(descriptor, $0, $1) }
                guard bound == 0, Glibc.listen(descriptor, backlog) == 0 else { throw .current }
            } catch {
                close(descriptor)
                throw error
            }
            return (descriptor, .tcp(host: host, port: Int(localAddress(of: descriptor).port)))
        }
    }

    package enum Accepted {
        case connection(Int32, SocketAddress)
        /// Nobody waits any more.
        case none
        case failed(Errno)
    }

    /// Takes one waiting connection. Connections that were gone before they were taken are passed over.
    package static func accept(from listener: Int32) -> Accepted {
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let flags = Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            let descriptor = unsafe withUnsafeMutableBytes(of: &storage) { raw in
                unsafe raw.withMemoryRebound(to: sockaddr.self) {
                    unsafe accept4(listener, $0.baseAddress, &length, flags)
                }
            }
            if descriptor >= 0 { return .connection(descriptor, SocketAddress(storage)) }
            switch errno {
            case EAGAIN: return .none
            case EINTR, ECONNABORTED, EPROTO: continue
            default: return .failed(.current)
            }
        }
    }

    /// Starts to connect. The socket is writable when that has ended: ask ``pendingError(of:)`` how.
    package static func connect(to address: SocketAddress) throws(Errno) -> Int32 {
        let descriptor = try open(address.family == .ipv6 ? AF_INET6 : AF_INET)
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        let result = unsafe address.withSystemAddress { unsafe Glibc.connect(descriptor, $0, $1) }
        if result != 0, errno != EINPROGRESS {
            let error = Errno.current
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Connects to a unix socket, at once or not at all.
    package static func connect(unix path: String) throws(Errno) -> Int32 {
        let descriptor = try open(AF_UNIX)
        let result = unsafe withUnixAddress(path) { unsafe Glibc.connect(descriptor, $0, $1) }
        if result != 0 {
            let error = Errno.current
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// The error that a socket holds, and forgets by telling it.
    package static func pendingError(of descriptor: Int32) -> Errno? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard unsafe getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return .current }
        return code == 0 ? nil : Errno(code: code)
    }

    package static func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    /// Closes a listener and removes the file of a unix socket.
    package static func close(_ descriptor: Int32, listeningOn address: ListenAddress) {
        close(descriptor)
        if case .unix(let path) = address { unsafe unlink(path) }
    }

    /// The address of this end.
    package static func localAddress(of descriptor: Int32) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        _ = unsafe withUnsafeMutableBytes(of: &storage) { raw in
            unsafe raw.withMemoryRebound(to: sockaddr.self) { unsafe getsockname(descriptor, $0.baseAddress, &length) }
        }
        return SocketAddress(storage)
    }

    /// The addresses of a name, in the system's order. May ask a name server: call it in ``offload(_:)``.
    package static func resolve(host: String, port: Int, forListening: Bool = false) -> [SocketAddress] {
        guard let port = UInt16(exactly: port) else { return [] }
        if let numeric = SocketAddress(numeric: host, port: port) { return [numeric] }
        var hints = unsafe addrinfo()
        unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        unsafe hints.ai_flags = forListening ? AI_PASSIVE : AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        guard unsafe getaddrinfo(host, String(port), &hints, &list) == 0 else { return [] }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next, addresses.count < WireLimits.addressesPerName {
            var storage = sockaddr_storage()
            if let address = unsafe entry.pointee.ai_addr {
                unsafe withUnsafeMutableBytes(of: &storage) { raw in
                    let size = min(raw.count, Int(unsafe entry.pointee.ai_addrlen))
                    unsafe raw.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
                }
                addresses.append(SocketAddress(storage))
            }
            unsafe next = entry.pointee.ai_next
        }
        return addresses
    }

    /// The addresses of this machine's own interfaces that others can reach.
    package static func interfaceAddresses() -> [SocketAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard unsafe getifaddrs(&list) == 0 else { return [] }
        defer { unsafe freeifaddrs(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next {
            if let address = unsafe entry.pointee.ifa_addr {
                let family = Int32(unsafe address.pointee.sa_family)
                if family == AF_INET || family == AF_INET6 {
                    var storage = sockaddr_storage()
                    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
                    unsafe withUnsafeMutableBytes(of: &storage) { raw in
                        unsafe raw.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
                    }
                    let found = SocketAddress(storage)
                    if !found.isLoopback, found.scope == 0 { addresses.append(found) }
                }
            }
            unsafe next = entry.pointee.ifa_next
        }
        return addresses
    }

    private static func listen(unix path: String) throws(Errno) -> Int32 {
        let descriptor = try open(AF_UNIX)
        do throws(Errno) {
            if unsafe withUnixAddress(path, { unsafe Glibc.bind(descriptor, $0, $1) }) != 0 {
                guard errno == EADDRINUSE else { throw .current }
                guard isStale(unix: path), unsafe unlink(path) == 0,
                    unsafe withUnixAddress(path, { unsafe Glibc.bind(descriptor, $0, $1) }) == 0
                else { throw .addressInUse }
            }
            guard Glibc.listen(descriptor, backlog) == 0 else { throw .current }
        } catch {
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Whether the path is a socket that no process listens on.
    private static func isStale(unix path: String) -> Bool {
        var status = stat()
        guard unsafe lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
        do throws(Errno) {
            close(try connect(unix: path))
            return false
        } catch {
            return error.code == ECONNREFUSED
        }
    }

    private static func open(_ family: Int32) throws(Errno) -> Int32 {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(family, type, 0)
        guard descriptor >= 0 else { throw .current }
        return descriptor
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        unsafe setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func withUnixAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8.prefix(107)) }
        return unsafe withUnsafeBytes(of: &address) { raw in
            unsafe raw.withMemoryRebound(to: sockaddr.self) { pointer in
                guard let base = pointer.baseAddress else { fatalError("an address has bytes") }
                return unsafe body(base, socklen_t(raw.count))
            }
        }
    }
}
