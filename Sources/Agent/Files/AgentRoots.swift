// Where the agents of this computer keep their sessions, and which files there are. Only what is named in agent-transcripts,
// sections 1.1 and 2.1, is ever looked at; symbolic links are not followed, so nothing leads out of these folders.
package import Desktops
import Glibc

/// The folders of the agents on one computer.
package struct AgentRoots: Sendable, Equatable {
    /// `~/.claude` and `~/.codex`; nil where there is no such folder (yet: they are looked for again at each scan).
    package var claude: String
    package var codex: [String]

    package init(claude: String, codex: [String]) {
        self.claude = claude
        self.codex = codex
    }

    /// - Parameters:
    ///   - home: a folder with `.claude` and `.codex` (or `claude` and `codex`); nil for the user's own and the agents'
    ///     environment variables.
    ///   - environment: of the process.
    package init(home: String?, environment: [String: String]) {
        if let home {
            func folder(_ name: String) -> String {
                let hidden = "\(home)/.\(name)", plain = "\(home)/\(name)"
                return !Folder.exists(hidden) && Folder.exists(plain) ? plain : hidden
            }
            self.init(claude: folder("claude"), codex: [folder("codex")])
            return
        }
        let home = environment["HOME"] ?? "/"
        let claude = environment["CLAUDE_CONFIG_DIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.claude"
        let codex = environment["CODEX_HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? "\(home)/.codex"
        self.init(claude: claude, codex: codex.split(separator: ",").map(String.init))
    }
}

/// A transcript on disk, by its name alone.
package struct FoundTranscript: Sendable, Equatable {
    package var path: String
    /// Below the agent's folder, beginning with `claude/` or `codex/`.
    package var relative: String
    package var agent: AgentKind
    package var isArchived = false
    /// Compressed by the agent: listed, not readable here.
    package var isCompressed = false
    /// A helper of Claude Code: its agent id, and its session's id when the folder says it.
    package var helper: String?
    package var helperSession: String?
    package var stamp: FileStamp

    package init(path: String, relative: String, agent: AgentKind, stamp: FileStamp) {
        self.path = path
        self.relative = relative
        self.agent = agent
        self.stamp = stamp
    }

    /// The session id that the file's name tells.
    package var nameID: String {
        var name = path.split(separator: "/").last.map(String.init) ?? ""
        for ending in [".zst", ".jsonl"] where name.hasSuffix(ending) { name.removeLast(ending.count) }
        if agent == .codex, name.hasPrefix("rollout-"), name.utf8.count > 36 { return String(name.suffix(36)) }
        return name
    }

    /// The folder in which Claude Code keeps long results of this transcript's session.
    var resultsFolder: String? {
        guard agent == .claudeCode else { return nil }
        if helper != nil, let end = Tags.range(of: "/subagents/", in: path[...]) {
            return path[..<end.lowerBound] + "/tool-results"
        }
        return path.hasSuffix(".jsonl") ? path.dropLast(6) + "/tool-results" : nil
    }
}

enum Folder {
    static func exists(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// A folder, and not a link to one.
    static func isReal(_ path: String) -> Bool {
        var status = stat()
        return unsafe lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
    }

    /// The names in a folder, without `.` and `..`; none when it cannot be read.
    static func names(_ path: String) -> [String] {
        guard let folder = unsafe opendir(path) else { return [] }
        defer { unsafe closedir(folder) }
        var names: [String] = []
        while let entry = unsafe readdir(folder), names.count < 100_000 {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

extension AgentRoots {
    /// What a scan found.
    package struct Findings: Sendable {
        package var transcripts: [FoundTranscript] = []
        /// Every folder in which a transcript may appear.
        package var folders: [String] = []
    }

    /// Walks the agents' folders.
    package func scan() -> Findings {
        var scan = Findings()
        scanClaude(&scan)
        for root in codex { scanCodex(root, &scan) }
        return scan
    }

    private func scanClaude(_ scan: inout Findings) {
        let projects = "\(claude)/projects"
        guard Folder.exists(claude) else { return }
        scan.folders.append(claude)
        guard Folder.isReal(projects) else { return }
        scan.folders.append(projects)
        for slug in Folder.names(projects) {
            let project = "\(projects)/\(slug)"
            guard Folder.isReal(project) else { continue }
            scan.folders.append(project)
            for name in Folder.names(project) {
                if name.hasSuffix(".jsonl") {
                    add(claude: "\(project)/\(name)", "claude/projects/\(slug)/\(name)", name, session: nil, &scan)
                } else if !name.contains(".") {
                    // A session's own folder: helpers, results.
                    let helpers = "\(project)/\(name)/subagents"
                    guard Folder.isReal("\(project)/\(name)") else { continue }
                    scan.folders.append("\(project)/\(name)")
                    scanHelpers(helpers, "claude/projects/\(slug)/\(name)/subagents", session: name, depth: 0, &scan)
                }
            }
        }
    }

    private func scanHelpers(_ folder: String, _ relative: String, session: String, depth: Int, _ scan: inout Findings)
    {
        guard depth < 4, Folder.isReal(folder) else { return }
        scan.folders.append(folder)
        for name in Folder.names(folder) {
            if name.hasPrefix("agent-"), name.hasSuffix(".jsonl") {
                add(claude: "\(folder)/\(name)", "\(relative)/\(name)", name, session: session, &scan)
            } else if !name.contains(".") {
                scanHelpers("\(folder)/\(name)", "\(relative)/\(name)", session: session, depth: depth + 1, &scan)
            }
        }
    }

    private func add(claude path: String, _ relative: String, _ name: String, session: String?, _ scan: inout Findings)
    {
        guard let stamp = FileStamp.of(path), scan.transcripts.count < TranscriptLimits.transcripts else { return }
        var found = FoundTranscript(path: path, relative: relative, agent: .claudeCode, stamp: stamp)
        if name.hasPrefix("agent-") {
            found.helper = String(name.dropFirst(6).dropLast(6))
            found.helperSession = session
        }
        scan.transcripts.append(found)
    }

    private func scanCodex(_ root: String, _ scan: inout Findings) {
        guard Folder.exists(root) else { return }
        scan.folders.append(root)
        scanRollouts("\(root)/sessions", "codex/sessions", depth: 0, isArchived: false, &scan)
        scanRollouts("\(root)/archived_sessions", "codex/archived_sessions", depth: 3, isArchived: true, &scan)
    }

    private func scanRollouts(
        _ folder: String,
        _ relative: String,
        depth: Int,
        isArchived: Bool,
        _ scan: inout Findings
    ) {
        guard depth < 4, Folder.isReal(folder) else { return }
        scan.folders.append(folder)
        for name in Folder.names(folder) {
            if name.hasPrefix("rollout-"), name.hasSuffix(".jsonl") || name.hasSuffix(".jsonl.zst") {
                let path = "\(folder)/\(name)"
                guard let stamp = FileStamp.of(path), scan.transcripts.count < TranscriptLimits.transcripts else {
                    continue
                }
                var found = FoundTranscript(path: path, relative: "\(relative)/\(name)", agent: .codex, stamp: stamp)
                found.isArchived = isArchived
                found.isCompressed = name.hasSuffix(".zst")
                scan.transcripts.append(found)
            } else if name.allSatisfy(\.isNumber) {
                scanRollouts(
                    "\(folder)/\(name)",
                    "\(relative)/\(name)",
                    depth: depth + 1,
                    isArchived: isArchived,
                    &scan
                )
            }
        }
    }
}
