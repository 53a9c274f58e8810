// What `wheelhouse serve` was told, checked before anything is opened. Every default and its reason is here.

import Web
import Wire

/// The settings of one server process.
struct ServeConfiguration {
    /// How connections are protected.
    enum Security: Equatable {
        case off
        /// A local certificate authority and a server certificate for this machine's names and addresses.
        case automatic
        case files(certificate: String, key: String)
    }

    var listen: [ListenAddress] = []
    var data: String
    /// The home folder whose agents' transcripts the local desktop offers; nil: the user's own, with the agents' variables.
    var home: String?
    var isDemo = false
    var offersLocalDesktop = true
    var security: Security = .off
    /// `/prefix` without a slash at the end; empty at the root of a host.
    var basePath = ""
    var logsJSON = false
    /// The address that links carry; nil: the address a request came in on.
    var publicURL: String?
    /// Peers whose `Forwarded` and `X-Forwarded-*` fields are believed.
    var trustedProxies: [AddressBlock] = []

    static let syntax = CommandSyntax(
        name: "serve",
        summary: "Starts the dashboard: one page for the agent sessions of all your computers.",
        options: [
            .init(
                name: "--listen",
                value: "ADDRESS",
                help: "HOST:PORT or unix:PATH; may be given several times (default 127.0.0.1:8420)."
            ),
            .init(
                name: "--data",
                value: "DIR",
                help: "Where accounts, shares and tokens are kept (default ~/.local/share/wheelhouse)."
            ),
            .init(
                name: "--home",
                value: "DIR",
                help: "The home folder whose sessions this computer offers (default: yours)."
            ),
            .init(name: "--no-local-desktop", value: nil, help: "Do not offer this computer's own sessions."),
            .init(
                name: "--demo",
                value: nil,
                help: "Add scripted desktops, to look around without sessions of your own."
            ),
            .init(name: "--tls", value: "MODE", help: "off, auto, or CERT.pem,KEY.pem (default off)."),
            .init(name: "--base-path", value: "/PREFIX", help: "The path below which a proxy serves the dashboard."),
            .init(
                name: "--public-url",
                value: "URL",
                help: "The address to put into links, when a proxy or container hides it."
            ),
            .init(
                name: "--trusted-proxy",
                value: "ADDRESS",
                help: "A proxy whose X-Forwarded-* fields are believed; may be given several times."
            ),
            .init(name: "--log", value: "FORMAT", help: "text or json (default text)."),
        ],
        notes: [
            "Open the printed pairing link in a browser to sign in. For other computers of the LAN: --listen 0.0.0.0:8420.",
            "Exit codes: 0 drained after SIGTERM, 64 usage, 69 address in use, 73 cannot create the data folder, 78 bad configuration.",
        ]
    )

    init(_ options: Options) throws(UsageError) {
        data = options.value("--data") ?? Environment.dataFolder
        home = options.value("--home").map(Environment.absolute)
        isDemo = options.has("--demo")
        offersLocalDesktop = !options.has("--no-local-desktop")
        for text in options.values("--trusted-proxy") {
            guard let block = AddressBlock(parsing: text) else {
                throw UsageError(message: "--trusted-proxy \(text) is neither an address, ADDRESS/BITS, nor unix")
            }
            trustedProxies.append(block)
        }
        for text in options.values("--listen") {
            guard let address = ListenAddress(parsing: text) else {
                if text.hasPrefix("unix:/"), text.utf8.count > 100 {
                    throw UsageError(message: "--listen \(text): the path of a socket is at most 107 bytes long")
                }
                throw UsageError(
                    message: "--listen \(text) is neither HOST:PORT (with [..] round an IPv6 address) nor unix:PATH"
                )
            }
            listen.append(address)
        }
        if listen.isEmpty { listen = [.tcp(host: "127.0.0.1", port: 8420)] }

        switch options.value("--tls") ?? "off" {
        case "off": security = .off
        case "auto": security = .automatic
        case let pair:
            let files = pair.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            guard files.count == 2, files.allSatisfy({ !$0.isEmpty }) else {
                throw UsageError(message: "--tls \(pair) is none of off, auto and CERT.pem,KEY.pem")
            }
            security = .files(certificate: files[0], key: files[1])
        }
        if let path = options.value("--base-path"), path != "/" {
            let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            guard path.hasPrefix("/"), !parts.contains(where: { ["", ".", ".."].contains($0) }),
                path.utf8.allSatisfy(ServeConfiguration.isPathByte)
            else {
                throw UsageError(
                    message:
                        "--base-path \(path) must look like /prefix: a slash first, none last, no lone dots, spaces or escapes"
                )
            }
            basePath = path
        }
        if let url = options.value("--public-url") {
            guard let address = HTTPURL(url), [.http, .https].contains(address.scheme), !url.contains("?"),
                !url.contains("#")
            else {
                throw UsageError(message: "--public-url \(url) must look like https://host or https://host:port/prefix")
            }
            publicURL = url.hasSuffix("/") ? String(url.dropLast()) : url
        }
        switch options.value("--log") ?? "text" {
        case "text": logsJSON = false
        case "json": logsJSON = true
        case let other: throw UsageError(message: "--log \(other) is neither text nor json")
        }
    }

    /// Names among the addresses listened on: the dashboard answers to them.
    var listenedNames: [String] {
        listen.compactMap { if case .tcp(let host, _) = $0 { host } else { nil } }
    }

    private static func isPathByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
