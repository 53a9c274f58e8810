// Log lines on standard error: one write per line, as text for people or JSON for machines. Never secrets or prompts.
import Glibc

package enum Log {
    package enum Level: Int, Sendable, Comparable {
        case debug, info, notice, warning, error

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }

        fileprivate var name: String {
            switch self {
            case .debug: "debug"
            case .info: "info"
            case .notice: "notice"
            case .warning: "warning"
            case .error: "error"
            }
        }
    }

    private struct Settings {
        var isJSON = false
        var minimum = Level.info
    }

    private static let settings = Lock(Settings())

    /// Chooses the form of the lines and the least level that is written.
    package static func configure(json: Bool, minimum: Level) {
        settings.withLock { $0 = Settings(isJSON: json, minimum: minimum) }
    }

    /// Writes one line. Line breaks and control characters in the message or a value are escaped.
    package static func write(_ level: Level, _ message: String, _ fields: [(String, String)] = []) {
        let settings = settings.withLock { $0 }
        if level < settings.minimum { return }
        let line = settings.isJSON ? json(level, message, fields) : text(level, message, fields)
        write(line)
    }

    /// A line as it stands, without time and level: what scripts wait for, such as `listening on URL`.
    package static func announce(_ line: String) {
        write(Array(line.utf8) + [0x0A])
    }

    private static func write(_ line: [UInt8]) {
        unsafe line.withUnsafeBytes { bytes in
            var rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[...])
            while unsafe !rest.isEmpty {
                let count = unsafe Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if count < 0 {
                    if errno == EINTR { continue }
                    return
                }
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    private static func text(_ level: Level, _ message: String, _ fields: [(String, String)]) -> [UInt8] {
        var line = Array(timestamp().utf8)
        line += " \(level.name) ".utf8
        escape(message, into: &line, quotes: false)
        for (name, value) in fields {
            line += " \(name)=".utf8
            let isPlain =
                !value.isEmpty && value.utf8.allSatisfy { $0 > 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }
            if !isPlain { line.append(0x22) }
            escape(value, into: &line, quotes: true)
            if !isPlain { line.append(0x22) }
        }
        line.append(0x0A)
        return line
    }

    private static func json(_ level: Level, _ message: String, _ fields: [(String, String)]) -> [UInt8] {
        var line = Array(#"{"time":"\#(timestamp())","level":"\#(level.name)","message":""#.utf8)
        escape(message, into: &line, quotes: true)
        line.append(0x22)
        for (name, value) in fields {
            line += ",\"".utf8
            escape(name, into: &line, quotes: true)
            line += "\":\"".utf8
            escape(value, into: &line, quotes: true)
            line.append(0x22)
        }
        line += "}\n".utf8
        return line
    }

    private static func escape(_ text: String, into line: inout [UInt8], quotes: Bool) {
        let digits = Array("0123456789abcdef".utf8)
        for byte in text.utf8 {
            switch byte {
            case 0x22 where quotes, 0x5C where quotes: line += [0x5C, byte]
            case 0x00..<0x20, 0x7F: line += "\\u00".utf8 + [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            default: line.append(byte)
            }
        }
    }

    /// The time in UTC to the millisecond (RFC 3339).
    private static func timestamp() -> String {
        let now = Clock.wall()
        var seconds = time_t(now / 1_000)
        var parts = unsafe tm()
        unsafe gmtime_r(&seconds, &parts)
        func padded(_ number: some BinaryInteger, _ width: Int) -> String {
            let digits = String(number)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let day = unsafe "\(padded(parts.tm_year + 1900, 4))-\(padded(parts.tm_mon + 1, 2))-\(padded(parts.tm_mday, 2))"
        let hour = unsafe "\(padded(parts.tm_hour, 2)):\(padded(parts.tm_min, 2)):\(padded(parts.tm_sec, 2))"
        return "\(day)T\(hour).\(padded(now % 1_000, 3))Z"
    }
}
