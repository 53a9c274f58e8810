// Where the links of a page lead: below the base path, and for share viewers below their own link, so that nothing outside
// the shared session can be reached from it.

import Desktops
import Wire

/// The addresses that pages write.
///
/// Every path segment that comes from outside is percent-encoded here.
package struct Links: Sendable, Hashable {
    /// `/tools/wh` or nothing (BR-03a).
    package let base: String
    /// The token of the share whose viewer reads this; nil for members.
    package let share: String?
    /// `BASE/assets/DIGEST/`.
    let assets: String
    /// Signs addresses of media in shares, so that a holder reaches only what the shared session shows.
    private let mediaKey: [UInt8]

    package init(base: String = "", build: String = "none", mediaKey: [UInt8] = []) {
        self.base = base
        self.mediaKey = mediaKey
        share = nil
        assets = "\(base)/assets/\(build)/"
    }

    /// The same for a share's viewers.
    package func sharing(_ token: String) -> Links { Links(self, share: token) }

    private init(_ other: Links, share: String) {
        base = other.base
        assets = other.assets
        mediaKey = other.mediaKey
        self.share = share
    }

    func asset(_ path: String) -> String { assets + path }
    func page(_ path: String) -> String { base + path }
    func desktop(_ id: String) -> String { "\(base)/d/\(Links.encoded(id))" }

    /// The page of a session; a share has only its own.
    func session(_ id: String) -> String { share.map { "\(base)/share/\($0)" } ?? "\(base)/s/\(Links.encoded(id))" }

    func older(_ session: String, thread: String, before: Int) -> String {
        "\(self.session(session))?before=\(before)\(threadQuery(thread))"
    }

    func olderFragment(_ session: String, thread: String, before: Int) -> String {
        "\(self.session(session))/older?before=\(before)\(threadQuery(thread))"
    }

    func media(_ session: String, _ id: String) -> String {
        let address = "\(self.session(session))/media/\(Links.segment(id))"
        return share == nil ? address : "\(address)?k=\(mediaProof(id))"
    }

    /// What a share's address of media carries: only the server can make it.
    func mediaProof(_ id: String) -> String {
        let message = Array("\(share ?? "")\n\(id)".utf8)
        return String(Digest.hex(Digest.hmacSHA256(key: mediaKey, message: message)).prefix(32))
    }

    func body(_ session: String, _ block: Block) -> String {
        "\(self.session(session))/block/\(Links.segment(block.id))?seq=\(block.seq)\(threadQuery(block.thread))"
    }

    func download(_ session: String, _ block: Block) -> String {
        "\(self.session(session))/block/\(Links.segment(block.id))/download?seq=\(block.seq)\(threadQuery(block.thread))"
    }

    private func threadQuery(_ thread: String) -> String { thread == "main" ? "" : "&thread=\(Links.encoded(thread))" }

    /// An id of a desktop's as one path segment: such ids may hold slashes, which a decoded path would take for its own.
    package static func segment(_ id: String) -> String { Base64.encodeURL(Array(id.utf8)) }

    /// The id of a segment; nil for what ``segment(_:)`` never makes.
    package static func id(ofSegment segment: String) -> String? {
        Base64.decodeURL(segment).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Percent-encoded for one path segment or query value (RFC 3986: everything but unreserved characters).
    package static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        // A segment of dots alone would be removed as a path step.
        let encoded = String(decoding: bytes, as: UTF8.self)
        return encoded == "." ? "%2E" : encoded == ".." ? "%2E%2E" : encoded
    }
}

/// Element ids made from ids of desktops, which may hold anything: two different ids never give the same.
package enum ElementID {
    package static func block(_ id: String) -> String { "b-" + safe(id) }
    package static func children(_ id: String) -> String { "c-" + safe(id) }
    package static func row(_ session: String) -> String { "row-" + safe(session) }
    static func meta(_ session: String) -> String { "meta-" + safe(session) }
    static func desktop(_ id: String) -> String { "desktop-" + safe(id) }
    package static func sessions(desktop: String, project: String) -> String { "sessions-" + group(desktop, project) }
    static func project(desktop: String, project: String) -> String { "project-" + group(desktop, project) }

    /// Projects are told apart by desktop and folder, never by path alone (BR-21a).
    private static func group(_ desktop: String, _ project: String) -> String {
        String(Digest.hex(Digest.sha256(Array("\(desktop)\n\(project)".utf8))).prefix(16))
    }

    /// Letters, digits and `-` stay; every other byte becomes `_` and two hex digits; what is too long becomes a digest.
    package static func safe(_ id: String) -> String {
        guard id.utf8.count <= 80 else { return "_h" + String(Digest.hex(Digest.sha256(Array(id.utf8))).prefix(32)) }
        let digits = Array("0123456789abcdef".utf8)
        var bytes: [UInt8] = []
        for byte in id.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "_"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
