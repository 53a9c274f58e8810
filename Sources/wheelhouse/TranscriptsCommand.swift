// `wheelhouse transcripts`: what the agent of this computer sees, transcript by transcript. For measuring, and for people who
// miss a session and ask why.

import Agent
import Desktops
import Glibc
import Web

enum TranscriptsCommand {
    private static let syntax = CommandSyntax(
        name: "transcripts",
        summary: "Lists the agents' sessions on this computer and counts what is in them.",
        options: [
            .init(name: "--home", value: "DIR", help: "A folder with .claude and .codex instead of your own."),
            .init(name: "--json", value: nil, help: "One JSON object, keyed by transcript."),
        ]
    )

    /// - Returns: the exit status: 0, or 64 for wrong arguments.
    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, syntax) { options in
            let roots = AgentRoots(home: options.value("--home"), environment: DesktopCommand.environment())
            let counts = Census.take(roots, now: Int64(time(nil)) * 1_000)
            print(options.has("--json") ? json(counts) : table(counts))
            return ExitCode.ok
        }
    }

    private static func json(_ counts: [TranscriptCount]) -> String {
        var writer = JSONWriter(capacity: 1 << 16)
        writer.beginObject()
        for count in counts {
            let session = count.summary
            writer.key(session.transcript)
            writer.beginObject()
            writer.key("id")
            writer.string(session.id)
            writer.key("nativeId")
            writer.string(session.nativeID)
            writer.key("agent")
            writer.string(session.agent.rawValue)
            writer.key("title")
            writer.string(session.title)
            writer.key("cwd")
            writer.string(session.project)
            writer.key("model")
            writer.string(session.model ?? "")
            writer.key("version")
            writer.string(session.agentVersion ?? "")
            writer.key("state")
            writer.string(session.state.rawValue)
            writer.key("bytes")
            writer.integer(Int64(count.size))
            writer.key("records")
            writer.integer(Int64(count.records))
            writer.key("badLines")
            writer.integer(Int64(count.badLines))
            writer.key("unknown")
            writer.integer(Int64(count.unknown))
            writer.key("malformed")
            writer.integer(Int64(count.malformed))
            writer.key("blocks")
            writer.beginObject()
            for kind in BlockKind.allCases {
                guard let number = count.blocks[kind] else { continue }
                writer.key(kind.rawValue)
                writer.integer(Int64(number))
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func table(_ counts: [TranscriptCount]) -> String {
        guard !counts.isEmpty else { return "No sessions of Claude Code or Codex were found." }
        return counts.map { count in
            let blocks = BlockKind.allCases.compactMap { kind in count.blocks[kind].map { "\($0) \(kind.rawValue)" } }
            return """
                \(count.summary.title)
                  \(count.summary.transcript)
                  \(count.size) bytes, \(count.records) records: \(blocks.joined(separator: ", "))
                """
        }.joined(separator: "\n")
    }
}
