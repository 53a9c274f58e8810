// The address of the other end, kept as bytes: text is made of it only where somebody reads it.
import Glibc

/// A socket's address: IPv4, IPv6, or a unix socket, which has none worth telling.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Family: Sendable { case ipv4, ipv6, unix }

    package let family: Family
    package let port: UInt16
    /// The interface of a link-local IPv6 address; else 0.
    package let scope: UInt32
    /// The address as one number in network order: every connection holds one, so it owns no memory.
    private let number: UInt128

    package static let unix = SocketAddress(family: .unix, bytes: [], port: 0, scope: 0)

    private init(family: Family, bytes: [UInt8], port: UInt16, scope: UInt32) {
        self.family = family
        self.port = port
        self.scope = scope
        number = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// 4 or 16 bytes, in network order; empty for a unix socket. IPv4 mapped into IPv6 is told as IPv4.
    package var bytes: [UInt8] {
        let width =
            switch family {
            case .unix: 0
            case .ipv4: 4
            case .ipv6: 16
            }
        return (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt128(8 * (width - 1 - $0))) }
    }

    /// Reads an IPv4 or IPv6 address in digits; names are not looked up.
    package init?(numeric text: String, port: UInt16 = 0) {
        var v4 = in_addr()
        if unsafe inet_pton(AF_INET, text, &v4) == 1 {
            self.init(family: .ipv4, bytes: unsafe withUnsafeBytes(of: &v4) { unsafe Array($0) }, port: port, scope: 0)
            return
        }
        var v6 = in6_addr()
        guard unsafe inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        self.init(v6: unsafe withUnsafeBytes(of: &v6) { unsafe Array($0) }, port: port, scope: 0)
    }

    init(_ storage: sockaddr_storage) {
        var storage = storage
        switch Int32(storage.ss_family) {
        case AF_INET:
            self = unsafe withUnsafeBytes(of: &storage) { raw in
                let address = unsafe raw.loadUnaligned(as: sockaddr_in.self)
                var host = address.sin_addr
                let bytes = unsafe withUnsafeBytes(of: &host) { unsafe Array($0) }
                return SocketAddress(family: .ipv4, bytes: bytes, port: UInt16(bigEndian: address.sin_port), scope: 0)
            }
        case AF_INET6:
            self = unsafe withUnsafeBytes(of: &storage) { raw in
                let address = unsafe raw.loadUnaligned(as: sockaddr_in6.self)
                var host = address.sin6_addr
                let bytes = unsafe withUnsafeBytes(of: &host) { unsafe Array($0) }
                let port = UInt16(bigEndian: address.sin6_port)
                return SocketAddress(v6: bytes, port: port, scope: address.sin6_scope_id)
            }
        default: self = .unix
        }
    }

    private init(v6 bytes: [UInt8], port: UInt16, scope: UInt32) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        if bytes.starts(with: mapped) {
            self.init(family: .ipv4, bytes: Array(bytes[12...]), port: port, scope: 0)
        } else {
            self.init(family: .ipv6, bytes: bytes, port: port, scope: scope)
        }
    }

    /// The address without its port; `unix` for a unix socket.
    package var host: String {
        switch family {
        case .unix: return "unix"
        case .ipv4: return bytes.map { String($0) }.joined(separator: ".")
        case .ipv6:
            return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
                guard let base = buffer.baseAddress,
                    let text = unsafe inet_ntop(AF_INET6, bytes, base, socklen_t(buffer.count))
                else { return "" }
                return unsafe String(cString: text)
            }
        }
    }

    package var description: String {
        switch family {
        case .unix: "unix"
        case .ipv4: "\(host):\(port)"
        case .ipv6: "[\(host)]:\(port)"
        }
    }

    /// Whether only this machine can have this address. A unix socket counts.
    package var isLoopback: Bool {
        switch family {
        case .unix: true
        case .ipv4: number >> 24 == 127
        case .ipv6: number == 1
        }
    }

    /// The form that system calls take.
    func withSystemAddress<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        switch family {
        case .ipv6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = port.bigEndian
            address.sin6_scope_id = scope
            unsafe withUnsafeMutableBytes(of: &address.sin6_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafeBytes(of: &address) { raw in
                unsafe raw.withMemoryRebound(to: sockaddr.self) { pointer in
                    guard let base = pointer.baseAddress else { fatalError("an address has bytes") }
                    return unsafe body(base, socklen_t(raw.count))
                }
            }
        case .ipv4, .unix:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = port.bigEndian
            unsafe withUnsafeMutableBytes(of: &address.sin_addr) { unsafe $0.copyBytes(from: bytes) }
            return unsafe withUnsafeBytes(of: &address) { raw in
                unsafe raw.withMemoryRebound(to: sockaddr.self) { pointer in
                    guard let base = pointer.baseAddress else { fatalError("an address has bytes") }
                    return unsafe body(base, socklen_t(raw.count))
                }
            }
        }
    }
}

/// A block of addresses in CIDR form, such as `10.0.0.0/8`: which proxies are trusted.
package struct AddressBlock: Sendable, Equatable {
    private let bytes: [UInt8]
    private let prefix: Int
    private let isUnix: Bool

    /// Reads `ADDRESS`, `ADDRESS/BITS` or `unix`.
    package init?(parsing text: String) {
        if text == "unix" {
            (bytes, prefix, isUnix) = ([], 0, true)
            return
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count <= 2, let address = SocketAddress(numeric: String(parts[0])) else { return nil }
        let width = address.bytes.count * 8
        var bits = width
        if parts.count == 2 {
            guard let given = Int(parts[1]), 0...width ~= given else { return nil }
            bits = given
        }
        (bytes, prefix, isUnix) = (address.bytes, bits, false)
    }

    package func contains(_ address: SocketAddress) -> Bool {
        if address.family == .unix { return isUnix }
        let other = address.bytes
        guard !isUnix, other.count == bytes.count else { return false }
        let whole = prefix / 8
        guard other.prefix(whole).elementsEqual(bytes.prefix(whole)) else { return false }
        let rest = prefix % 8
        return rest == 0 || (other[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }
}
