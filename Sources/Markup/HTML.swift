// The only way text becomes part of a page: literal parts are static, everything else is escaped where it is put in.

/// UTF-8 bytes of well-formed HTML.
///
/// Text that is interpolated is escaped; only another `HTML` goes in as it is.
///
/// Attribute values must stand in double quotes. URLs must be checked (``SafeURL``) before they are interpolated.
package struct HTML: ExpressibleByStringInterpolation, Sendable, Equatable {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var bytes: [UInt8] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            bytes.reserveCapacity(literalCapacity + 24 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: StaticString) {
            literal.withUTF8Buffer { unsafe bytes += $0 }
        }

        package mutating func appendInterpolation(_ text: String) { HTML.escape(text, into: &bytes) }
        package mutating func appendInterpolation(_ number: some BinaryInteger) { bytes += String(number).utf8 }
        package mutating func appendInterpolation(_ html: HTML) { bytes += html.bytes }
        package mutating func appendInterpolation(_ html: HTML?) { if let html { bytes += html.bytes } }
        package mutating func appendInterpolation(_ list: [HTML]) { for html in list { bytes += html.bytes } }
    }

    package private(set) var bytes: [UInt8]

    package init() { bytes = [] }
    package init(stringLiteral literal: StaticString) { bytes = literal.withUTF8Buffer { unsafe Array($0) } }
    package init(stringInterpolation: StringInterpolation) { bytes = stringInterpolation.bytes }

    /// Escaped text.
    package init(text: String) {
        bytes = []
        HTML.escape(text, into: &bytes)
    }

    /// Bytes that a renderer of this module made and escaped itself.
    ///
    /// Internal: nobody outside `Markup` can forge HTML.
    init(rendered bytes: [UInt8]) { self.bytes = bytes }

    /// A JSON text as a script element that no browser runs: `<`, `>` and `&` become escapes inside strings, so that
    /// the data cannot end the element.
    ///
    /// - Parameter json: one encoded JSON value.
    package init(dataScript json: [UInt8]) {
        bytes = Array("<script type=\"application/json\">".utf8)
        for byte in json {
            switch byte {
            case UInt8(ascii: "<"): bytes += "\\u003c".utf8
            case UInt8(ascii: ">"): bytes += "\\u003e".utf8
            case UInt8(ascii: "&"): bytes += "\\u0026".utf8
            default: bytes.append(byte)
            }
        }
        bytes += "</script>".utf8
    }

    package var isEmpty: Bool { bytes.isEmpty }
    package var text: String { String(decoding: bytes, as: UTF8.self) }

    package static func + (left: HTML, right: HTML) -> HTML { HTML(rendered: left.bytes + right.bytes) }
    package static func += (left: inout HTML, right: HTML) { left.bytes += right.bytes }

    /// Appends `text` with `&`, `<`, `>`, `"` and `'` as references; NUL becomes U+FFFD.
    ///
    /// Linear.
    static func escape(_ text: String, into bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += "&amp;".utf8
            case UInt8(ascii: "<"): bytes += "&lt;".utf8
            case UInt8(ascii: ">"): bytes += "&gt;".utf8
            case UInt8(ascii: "\""): bytes += "&quot;".utf8
            case UInt8(ascii: "'"): bytes += "&#39;".utf8
            case 0: bytes += "\u{FFFD}".utf8
            default: bytes.append(byte)
            }
        }
    }
}
