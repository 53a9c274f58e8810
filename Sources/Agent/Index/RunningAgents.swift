// Which agents run right now, by the files that Claude Code keeps for each of its processes. A file is believed only when its
// process lives and is the one that wrote it. Rules: agent-transcripts, section 1.5.
package import Desktops
import Glibc

/// The live processes of Claude Code, by session id.
package struct RunningAgents: Sendable, Equatable {
    package var states: [String: SessionState] = [:]

    package init() {}

    /// Reads `sessions/<pid>.json` below the agent's folder.
    ///
    /// - Parameter processes: where processes show themselves, `/proc`.
    package static func read(claude: String, processes: String = "/proc") -> RunningAgents {
        var running = RunningAgents()
        let folder = "\(claude)/sessions"
        guard Folder.isReal(folder) else { return running }
        for name in Folder.names(folder) where name.hasSuffix(".json") {
            // Beside each lies `<pid>.….key`, a secret: only plain numbers are opened.
            let number = name.dropLast(5)
            guard !number.isEmpty, number.allSatisfy({ $0.isASCII && $0.isNumber }),
                let bytes = SmallFile.read("\(folder)/\(name)", limit: 64 << 10)
            else { continue }
            running.note(bytes.span, processes)
        }
        return running
    }

    private static let pid = Key("pid"), procStart = Key("procStart")
    private static let busy = Key("busy"), idle = Key("idle"), waiting = Key("waiting")

    private mutating func note(_ bytes: Span<UInt8>, _ processes: String) {
        let start = Scan.skipBlanks(bytes, 0, bytes.count)
        guard start < bytes.count, let end = Scan.endOfValue(bytes, start, bytes.count) else { return }
        let object = start..<end
        guard let pid = Scan.int(bytes, Scan.member(bytes, object, Self.pid)), pid > 1,
            let session = Scan.string(bytes, Scan.member(bytes, object, Names.sessionId)),
            let born = Self.startTime(of: pid, processes)
        else { return }
        if let told = Scan.member(bytes, object, Self.procStart) {
            let text = Scan.string(bytes, told) ?? Scan.int(bytes, told).map(String.init)
            guard text == nil || text == born else { return }
        }
        switch Scan.key(bytes, Scan.member(bytes, object, Names.status)) {
        case Self.busy: states[session] = .running
        case Self.waiting: states[session] = .waitingApproval
        case Self.idle: if states[session] == nil { states[session] = .idle }
        default: break
        }
    }

    /// Field 22 of `/proc/PID/stat`; nil when there is no such process.
    private static func startTime(of pid: Int, _ processes: String) -> String? {
        let descriptor = unsafe open("\(processes)/\(pid)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 2_048)
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return nil }
        // The name in brackets may hold anything: the fields begin behind the last bracket, with number 3.
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let bracket = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: bracket)...].split(separator: " ")
        return fields.count > 19 ? String(fields[19]) : nil
    }
}
