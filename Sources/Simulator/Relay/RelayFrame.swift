// Frames of the device link as a relay writes them, and the ways in which a bad one spoils them (sections 2.2, 2.5 and
// 3.1).

import Web

enum RelayFrame {
    /// An error at the root of a frame (section 2.5).
    static func error(_ code: String, _ message: String, wall: Int64) -> JSON {
        ["type": "error", "code": .string(code), "message": .string(message), "timestamp": .string(time(wall))]
    }

    static func event(_ type: String, _ payload: JSON, id: Int, source: String?, wall: Int64) -> JSON {
        [
            "type": "event", "eventId": JSON(id), "sourceDeviceId": source.map(JSON.string) ?? .null,
            "targetDeviceId": .null, "timestamp": .string(time(wall)),
            "payload": ["eventType": .string(type), "payload": payload],
        ]
    }

    /// The relay's own answer when there is no desktop (section 2.4): id and trace id of the question.
    static func offline(_ question: JSON, parent: UInt64) -> JSON {
        let trace = question["traceparent"]?.string.flatMap(traceID)
        return [
            "type": "rpc.response",
            "payload": [
                "id": question["id"] ?? .null, "result": .null,
                "error": ["code": -32010, "message": "Desktop is offline"], "isFinal": true,
                "traceparent": trace.map { .string(traceparent($0, parent)) } ?? .null,
            ],
        ]
    }

    /// RFC 3339 in UTC with milliseconds, for times from 1970 on.
    static func time(_ wall: Int64) -> String {
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
        }
        let wall = max(0, wall)
        var day = wall / 86_400_000
        var year: Int64 = 1_970
        func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }
        while day >= (isLeap(year) ? 366 : 365) {
            day -= isLeap(year) ? 366 : 365
            year += 1
        }
        var month: Int64 = 1
        for length: Int64 in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30] {
            guard day >= length else { break }
            day -= length
            month += 1
        }
        let seconds = wall / 1_000 % 86_400
        let clock = "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day + 1, 2))T\(clock).\(padded(wall % 1_000, 3))Z"
    }

    /// The trace id of a W3C trace context.
    static func traceID(_ text: String) -> String? {
        let parts = text.split(separator: "-").map(String.init)
        guard parts.count == 4, parts[1].utf8.count == 32, parts[2].utf8.count == 16 else { return nil }
        return parts[1]
    }

    static func traceparent(_ trace: String, _ parent: UInt64) -> String { "00-\(trace)-\(hex(max(1, parent)))-01" }

    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// The frame as a deed leaves it; deeds that do not change bytes leave it alone.
    static func spoiled(_ frame: JSON, by deed: RelayFault.Deed, _ random: inout SeededGenerator) -> [UInt8] {
        switch deed {
        case .garbage(let bytes): return bytes
        case .oversize(let size):
            let bytes = frame.encoded()
            // White space behind a value is JSON still.
            return bytes + [UInt8](repeating: UInt8(ascii: " "), count: max(0, size - bytes.count))
        case .wrongTrace:
            return changed(frame, "traceparent", .string(traceparent(hex(random.next()) + hex(random.next() | 1), 7)))
        case .noTrace: return changed(frame, "traceparent", nil)
        case .malformedTrace: return changed(frame, "traceparent", "00-xyz-1-01")
        case .unknownID: return changed(frame, "id", .string("never-asked-\(hex(random.next()))"))
        case .neverFinal: return changed(frame, "isFinal", false)
        default: return frame.encoded()
        }
    }

    private static func changed(_ frame: JSON, _ member: String, _ value: JSON?) -> [UInt8] {
        guard var root = frame.object, var payload = root["payload"]?.object else { return frame.encoded() }
        payload[member] = value
        root["payload"] = .object(payload)
        return JSON.object(root).encoded()
    }
}
