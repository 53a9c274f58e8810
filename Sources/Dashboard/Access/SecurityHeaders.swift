// What every answer carries besides its content: what the browser may load, who may frame it, what leaks nowhere.

import Web

enum SecurityHeaders {
    /// What kind of answer it is.
    enum Kind {
        /// A page of ours.
        case page
        /// A page that a share's holder reads: nothing of it is kept or told.
        case share
        /// Data for programs, fragments, redirects.
        case data
        /// Bytes that an agent or a person made: never a page, never a script.
        case foreign
        /// Our own scripts, styles, fonts: also for the opaque frame.
        case asset
    }

    static func add(to response: inout HTTPResponse, kind: Kind, host: String?, isSecure: Bool) {
        func set(_ name: String, _ value: String) {
            if response.fields[name] == nil { response.fields.set(name, value) }
        }
        set("X-Content-Type-Options", "nosniff")
        // Not below other names of this host: other ports may speak plain HTTP, but this one does not any more.
        if isSecure { set("Strict-Transport-Security", "max-age=2592000") }
        switch kind {
        case .page, .share:
            set("Content-Security-Policy", page(host: host))
            set("X-Frame-Options", "DENY")
            set("Cross-Origin-Opener-Policy", "same-origin")
            set("Permissions-Policy", "camera=(), geolocation=(), payment=(), usb=()")
            set("Cache-Control", kind == .share ? "no-store" : "private, no-cache")
            // Under `no-referrer` browsers send `Origin: null` with our own forms, and on plain HTTP nothing else tells them
            // from a stranger's. Other sites learn nothing from either.
            set("Referrer-Policy", kind == .share ? "no-referrer" : "same-origin")
            if kind == .share { set("X-Robots-Tag", "noindex, nofollow") }
        case .data:
            set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
            set("Cache-Control", "no-store")
            set("Referrer-Policy", "no-referrer")
        case .foreign:
            set(
                "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"
            )
            set("Cross-Origin-Resource-Policy", "same-origin")
            set("Referrer-Policy", "no-referrer")
        case .asset:
            set("Cross-Origin-Resource-Policy", "cross-origin")
            set("Access-Control-Allow-Origin", "*")
            set("Referrer-Policy", "no-referrer")
        }
    }

    /// The policy of our pages: our own files and nothing inline.
    private static func page(host: String?) -> String {
        // Older browsers do not count a WebSocket to the same host as 'self'. Only harmless characters go into the policy.
        let isPlain =
            host?.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: ":"),
                    UInt8(ascii: "["), UInt8(ascii: "]"):
                    true
                default: false
                }
            } ?? false
        let sockets = isPlain ? host.map { " ws://\($0) wss://\($0)" } ?? "" : ""
        return "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
            + "media-src 'self'; connect-src 'self'\(sockets); form-action 'self'; frame-src 'self'; worker-src 'self'; "
            + "manifest-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    }
}
