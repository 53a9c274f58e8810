// The program: one binary whose first argument chooses the command. Start reading at ServeCommand.

import Glibc

let commands: [(name: String, summary: String, run: ([String]) -> Int32)] = [
    ("serve", "start the dashboard", ServeCommand.run),
    ("desktop", "offer this computer's sessions to a dashboard", DesktopCommand.run),
    ("pair", "print a link that signs a browser in", PairCommand.run),
    ("desktop-token", "print a token for `wheelhouse desktop`", DesktopTokenCommand.run),
    ("share", "print a read-only link to one session", ShareCommand.run),
    ("backup", "copy the data of a running dashboard", BackupCommand.run),
    ("doctor", "check this machine and a data folder", DoctorCommand.run),
    ("transcripts", "list the sessions that this computer would offer", TranscriptsCommand.run),
    ("render", "turn text on standard input into the product's HTML", RenderCommand.run),
    ("highlight", "highlight source code on standard input", HighlightCommand.run),
    ("ansi", "turn terminal output on standard input into HTML", AnsiCommand.run),
]

let width = commands.map(\.name.count).max() ?? 0
let overview = """
    Wheelhouse: the agent sessions of all your computers on one page.

    Usage: wheelhouse COMMAND [options]

    \(commands.map { $0.name + String(repeating: " ", count: width - $0.name.count + 2) + $0.summary }.map { "  " + $0 }.joined(separator: "\n"))

    `wheelhouse COMMAND --help` explains a command. Most people start with `wheelhouse serve`.
    """

let arguments = Array(CommandLine.arguments.dropFirst())
switch arguments.first {
case "--help", "-h", "help":
    print(overview)
    exit(ExitCode.ok)
case "--version":
    print("wheelhouse \(version)")
    exit(ExitCode.ok)
case let name?:
    guard let command = commands.first(where: { $0.name == name }) else {
        complain("wheelhouse: there is no command \(name). Try `wheelhouse --help`.")
        exit(ExitCode.usage)
    }
    exit(command.run(Array(arguments.dropFirst())))
case nil:
    complain(overview)
    exit(ExitCode.usage)
}
