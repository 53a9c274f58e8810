// W3C trace context of one question (device link section 3.1; rules R41, R42, RD9).
import Wire

/// `00-<trace id>-<parent id>-<flags>`.
package struct Traceparent: Sendable, Equatable {
    /// 32 lower-case hex digits, not all 0.
    package let trace: String
    /// 16 lower-case hex digits, not all 0.
    package let parent: String
    package let flags: String

    /// Reads the field; nil unless it has exactly the form of version 00.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 55, bytes.starts(with: Array("00-".utf8)), bytes[35] == UInt8(ascii: "-"),
            bytes[52] == UInt8(ascii: "-")
        else { return nil }
        func hex(_ range: Range<Int>, mayBeZero: Bool = false) -> String? {
            guard bytes[range].allSatisfy({ 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }) else { return nil }
            guard mayBeZero || bytes[range].contains(where: { $0 != 0x30 }) else { return nil }
            return String(decoding: bytes[range], as: UTF8.self)
        }
        guard let trace = hex(3..<35), let parent = hex(36..<52), let flags = hex(53..<55, mayBeZero: true) else {
            return nil
        }
        self.trace = trace
        self.parent = parent
        self.flags = flags
    }

    private init(trace: String, parent: String, flags: String) {
        self.trace = trace
        self.parent = parent
        self.flags = flags
    }

    /// A new trace.
    package static func random() -> Traceparent {
        Traceparent(trace: identifier(bytes: 16), parent: identifier(bytes: 8), flags: "01")
    }

    /// The same trace with a parent id of this side: what an answer carries.
    package func answering() -> Traceparent {
        Traceparent(trace: trace, parent: Traceparent.identifier(bytes: 8), flags: flags)
    }

    package var text: String { "00-\(trace)-\(parent)-\(flags)" }

    private static func identifier(bytes count: Int) -> String {
        var bytes = RandomBytes.bytes(count)
        // All zeros mean "none".
        if bytes.allSatisfy({ $0 == 0 }) { bytes[count - 1] = 1 }
        return Digest.hex(bytes)
    }
}
