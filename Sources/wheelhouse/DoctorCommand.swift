// `wheelhouse doctor`: looks at what the dashboard and the agent need on this machine and says, line by line, what is well,
// what is not, and what to do about it. With `--ready URL` it is the container's health check instead.

import Agent
import Glibc
import Store
import Web
import Wire

enum DoctorCommand {
    private static let syntax = CommandSyntax(
        name: "doctor",
        summary: "Checks this machine and a data folder, and says what to do about what is wrong.",
        options: [
            .init(
                name: "--data",
                value: "DIR",
                help: "The data folder to look at (default ~/.local/share/wheelhouse)."
            ),
            .init(name: "--home", value: "DIR", help: "The home folder whose sessions are counted (default: yours)."),
            .init(
                name: "--ready",
                value: "URL",
                help: "Only ask a running dashboard whether it is ready; exit 0 when it is."
            ),
        ],
        notes: ["Exit codes: 0 all is well, 1 something needs attention."]
    )

    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, syntax) { options in
            if let url = options.value("--ready") { return ready(url) }
            var report = Report()
            libraries(&report)
            resources(&report)
            data(options.value("--data") ?? Environment.dataFolder, &report)
            sessions(options.value("--home"), &report)
            limits(&report)
            return report.isWell ? ExitCode.ok : ExitCode.failure
        }
    }

    private struct Report {
        private(set) var isWell = true

        func well(_ subject: String, _ finding: String) { print("ok       \(subject): \(finding)") }
        func note(_ subject: String, _ finding: String) { print("note     \(subject): \(finding)") }
        mutating func fault(_ subject: String, _ finding: String, advice: String) {
            isWell = false
            print("problem  \(subject): \(finding)\n         \(advice)")
        }
    }

    private static func libraries(_ report: inout Report) {
        report.well("Wheelhouse", version)
        report.well("OpenSSL", OpenSSLLibrary.version)
        report.well("SQLite", SQLiteLibrary.version)
    }

    private static func resources(_ report: inout Report) {
        guard let folder = Environment.resources() else {
            report.fault(
                "assets",
                "no Public/ folder above or beside the program",
                advice: "Set WHEELHOUSE_RESOURCES to the folder that holds Public/ and config/."
            )
            return
        }
        report.well("assets", folder)
        if unsafe access(folder + "/Public/vendor/mermaid.min.js", R_OK) == 0 {
            report.well("diagrams", "the Mermaid bundle is there")
        } else {
            report.note("diagrams", "no Mermaid bundle: sources are shown. scripts/fetch-vendor fetches it.")
        }
    }

    private static func data(_ folder: String, _ report: inout Report) {
        guard unsafe access(folder, F_OK) == 0 else {
            report.note("data", "\(folder) does not exist yet; `wheelhouse serve` makes it")
            return
        }
        do throws(StoreError) {
            let database = try Database(folder: folder)
            let desktops = try database.rememberedDesktops().count
            let tokens = try database.desktopTokens().count
            report.well("data", "\(folder) is writable; \(desktops) desktops known, \(tokens) desktop tokens")
            if let url = try database.value(of: .baseURL) { report.well("address", url) }
        } catch {
            report.fault("data", error.sentence, advice: "The dashboard does not start before this is mended.")
        }
    }

    private static func sessions(_ home: String?, _ report: inout Report) {
        let roots = AgentRoots(home: home, environment: DesktopCommand.environment())
        let found = roots.scan().transcripts
        if found.isEmpty {
            report.note("sessions", "none below \(([roots.claude] + roots.codex).joined(separator: ", "))")
        } else {
            report.well("sessions", "\(found.count) transcripts; `wheelhouse transcripts` lists them")
        }
    }

    private static func limits(_ report: inout Report) {
        var files = rlimit()
        unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &files)
        if files.rlim_cur < 4_096 {
            report.note("open files", "limit \(files.rlim_cur): raise it (ulimit -n) for more than some hundred tabs")
        } else {
            report.well("open files", "limit \(files.rlim_cur)")
        }
    }

    /// Asks `/readyz` of a running dashboard.
    private static func ready(_ url: String) -> Int32 {
        let gate = ExitGate()
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        Loop.spawn { @Loop in
            do throws(HTTPClientError) {
                let answer = try await HTTPClient.send(OutgoingRequest(url: base + "/readyz"), deadline: 3_000)
                if answer.status != 200 { complain("wheelhouse doctor: \(base) answers \(answer.status)") }
                gate.open(with: answer.status == 200 ? ExitCode.ok : ExitCode.failure)
            } catch {
                complain("wheelhouse doctor: \(base) is not ready: \(error)")
                gate.open(with: ExitCode.failure)
            }
        }
        return gate.wait()
    }
}
