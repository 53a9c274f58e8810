import Glibc
import Testing
import Wire

@Suite("Addresses", .timeLimit(.minutes(1)))
struct AddressTests {
    @Test(
        "a listen address is read or refused",
        arguments: [
            ("127.0.0.1:8420", ListenAddress.tcp(host: "127.0.0.1", port: 8420)),
            ("[::]:0", .tcp(host: "::", port: 0)),
            ("localhost:80", .tcp(host: "localhost", port: 80)),
            ("unix:/run/w.sock", .unix(path: "/run/w.sock")),
            ("8420", nil), (":80", nil), ("::1:80", nil), ("[::1]", nil), ("[1.2.3.4]:80", nil), ("a:65536", nil),
            ("a:-1", nil), ("a b:1", nil), ("unix:", nil),
        ] as [(String, ListenAddress?)]
    )
    func listenAddress(text: String, expected: ListenAddress?) {
        #expect(ListenAddress(parsing: text) == expected)
        if let expected { #expect(ListenAddress(parsing: expected.description) == expected) }
    }

    @Test(
        "numeric addresses are read and told",
        arguments: [
            ("127.0.0.1", "127.0.0.1", true), ("::1", "::1", true), ("::ffff:10.0.0.7", "10.0.0.7", false),
            ("2001:db8:0::1", "2001:db8::1", false),
        ]
    )
    func numeric(text: String, told: String, isLoopback: Bool) throws {
        let address = try #require(SocketAddress(numeric: text, port: 5))
        #expect(address.host == told)
        #expect(address.isLoopback == isLoopback)
        #expect(address.port == 5)
    }

    @Test(
        "a block holds its addresses",
        arguments: [
            ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.168.1.7", "192.168.1.7", true),
            ("192.168.1.128/25", "192.168.1.127", false), ("192.168.1.128/25", "192.168.1.200", true),
            ("0.0.0.0/0", "8.8.8.8", true),
            ("fd00::/8", "fd12::1", true), ("fd00::/8", "10.0.0.1", false), ("::/0", "10.0.0.1", false),
        ]
    )
    func block(text: String, member: String, expected: Bool) throws {
        let block = try #require(AddressBlock(parsing: text))
        #expect(block.contains(try #require(SocketAddress(numeric: member))) == expected)
    }

    @Test("a block that is none is refused", arguments: ["10.0.0.0/33", "10.0.0.0/", "name/8", "1.2.3.4/8/8", ""])
    func noBlock(text: String) { #expect(AddressBlock(parsing: text) == nil) }

    @Test func `only a unix socket is in the block of unix sockets`() throws {
        let block = try #require(AddressBlock(parsing: "unix"))
        #expect(block.contains(.unix))
        #expect(!block.contains(try #require(SocketAddress(numeric: "127.0.0.1"))))
    }

    @Test func `listening on port 0 tells the real port, and a second listener is refused`() throws {
        let (descriptor, address) = try Sockets.listen(on: .tcp(host: "127.0.0.1", port: 0))
        guard case .tcp(_, let port) = address else { Issue.record("no TCP"); return }
        #expect(port > 0)
        #expect(throws: Errno.addressInUse) { try Sockets.listen(on: address) }
        Sockets.close(descriptor)
    }

    @Test func `a stale unix socket is replaced, a live one is not`() throws {
        let address = ListenAddress.unix(path: "/tmp/wire-\(RandomBytes.alphanumeric(12)).sock")
        guard case .unix(let path) = address else { return }
        defer { unsafe unlink(path) }
        let (first, _) = try Sockets.listen(on: address)
        #expect(throws: Errno.addressInUse) { try Sockets.listen(on: address) }
        Sockets.close(first)
        let (second, _) = try Sockets.listen(on: address)
        Sockets.close(second)
    }
}
