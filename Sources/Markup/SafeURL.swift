// Decides which addresses may become links and pictures. Markdown, the sanitiser, terminal links and pages ask here.
// An allow-list of schemes on the bytes as the browser will see them: nothing is decoded, nothing is repaired.

/// An address that may stand in `href` (or, with ``init(image:)``, in `src`).
///
/// Interpolate ``text`` into ``HTML``.
package struct SafeURL: Sendable, Equatable {
    /// The address, percent-encoded where a URL may not hold the byte.
    package let text: String

    /// Accepts `http://`, `https://` and `mailto:` addresses, in any case.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard SafeURL.isSafe(bytes) else { return nil }
        self.text = SafeURL.encoded(bytes)
    }

    /// Accepts `http://`, `https://` and base64 `data:` pictures (PNG, GIF, JPEG, WebP).
    package init?(image text: String) {
        let bytes = Array(text.utf8)
        guard SafeURL.isWeb(bytes) || SafeURL.isPicture(bytes) else { return nil }
        self.text = SafeURL.encoded(bytes)
    }

    static func isSafe(_ url: some RandomAccessCollection<UInt8>) -> Bool {
        isWeb(url) || starts(url, "mailto:") && url.count > 7
    }

    static func isSafe(_ view: ByteView, _ from: Int, _ to: Int) -> Bool { isSafe(view.array(from, to)) }

    static func isWeb(_ url: some RandomAccessCollection<UInt8>) -> Bool {
        starts(url, "https://") && url.count > 8 || starts(url, "http://") && url.count > 7
    }

    static func isPicture(_ url: some RandomAccessCollection<UInt8>) -> Bool {
        for type in ["png", "gif", "jpeg", "webp"] where starts(url, "data:image/" + type + ";base64,") { return true }
        return false
    }

    private static func starts(_ url: some RandomAccessCollection<UInt8>, _ prefix: String) -> Bool {
        url.count >= prefix.utf8.count && zip(url, prefix.utf8).allSatisfy { ASCII.lower($0) == $1 }
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        for byte in bytes {
            if byte <= ASCII.space || byte >= 0x7F || Percent.isForbidden(byte) {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
