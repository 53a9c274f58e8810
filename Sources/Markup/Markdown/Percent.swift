// Percent-encoding of link targets as cmark does it: what a URL may hold stays, everything else becomes `%XX`.

enum Percent {
    /// Appends a URL for a double-quoted attribute.
    static func append(_ url: [UInt8], to output: inout ByteBuffer) {
        for byte in url { append(byte, to: &output) }
    }

    static func append(_ view: ByteView, _ from: Int, _ to: Int, to output: inout ByteBuffer) {
        for position in from..<to { append(view[position], to: &output) }
    }

    @inline(__always)
    private static func append(_ byte: UInt8, to output: inout ByteBuffer) {
        switch byte {
        case UInt8(ascii: "&"): output.append("&amp;")
        case UInt8(ascii: "'"): output.append("&#x27;")
        case let byte where ASCII.isAlphanumeric(byte): output.append(byte)
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "("),
            UInt8(ascii: ")"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: "-"),
            UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="),
            UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "_"), UInt8(ascii: "~"):
            output.append(byte)
        default:
            output.append(UInt8(ascii: "%"))
            output.append(hexDigit(byte >> 4))
            output.append(hexDigit(byte & 15))
        }
    }

    /// ASCII that no URL may hold as it is.
    static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "}"), UInt8(ascii: "|"), UInt8(ascii: "^"), ASCII.backslash:
            true
        default: false
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
}
