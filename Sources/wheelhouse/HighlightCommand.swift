// `wheelhouse highlight` and `wheelhouse ansi`: the renderers on standard input, for scripts and measurements (DESIGN §11).

import Markup

enum HighlightCommand {
    private static let syntax = CommandSyntax(
        name: "highlight",
        summary: "Highlights source code from standard input as HTML.",
        options: [
            .init(name: "--language", value: "L", help: "A language or one of its other names: swift, py, c++, sh …"),
            .init(name: "--tokens", value: nil, help: "Print a table instead: byte offset, byte length, class."),
            .init(name: "--list", value: nil, help: "Print the languages that are known."),
        ]
    )

    /// - Returns: the exit status: 0, or 64 when the arguments or the language are not known.
    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, syntax) { options in
            if options.has("--list") {
                for known in Highlight.Language.all { print(known.id) }
                return ExitCode.ok
            }
            guard let name = options.value("--language"), let language = Highlight.language(alias: name) else {
                let fault =
                    options.value("--language").map { "\($0) is no language that is known" } ?? "--language is needed"
                complain("wheelhouse highlight: \(fault). Try `wheelhouse highlight --list`, or --help.")
                return ExitCode.usage
            }
            let code = StandardInput.readAll()
            guard options.has("--tokens") else {
                StandardOutput.write(Highlight.html(code, language: language).bytes)
                return ExitCode.ok
            }
            var lines: [UInt8] = []
            for token in Highlight.tokens(code, language: language.id) {
                lines += "\(token.offset)\t\(token.length)\t\(token.kind.name)\n".utf8
            }
            StandardOutput.write(lines)
            return ExitCode.ok
        }
    }
}

enum AnsiCommand {
    private static let syntax = CommandSyntax(
        name: "ansi",
        summary: "Turns terminal output from standard input into HTML."
    )

    /// - Returns: the exit status: 0, or 64 when there are arguments.
    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, syntax) { _ in
            StandardOutput.write(Terminal.html(StandardInput.readAll()).bytes)
            return ExitCode.ok
        }
    }
}
