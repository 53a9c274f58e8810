// Reads a command's arguments against the options it declares, and prints its `--help` from the same table.
// Every command of this program parses with it, so that unknown flags and missing values fail alike: exit code 64.

/// Exit codes of the program (`sysexits.h`), the contract with scripts.
enum ExitCode {
    static let ok: Int32 = 0
    static let failure: Int32 = 1
    static let usage: Int32 = 64
    static let unavailable: Int32 = 69
    static let cannotCreate: Int32 = 73
    static let configuration: Int32 = 78
}

/// Why the arguments were refused, as a sentence for the person who typed them.
struct UsageError: Error {
    let message: String
}

/// What a command accepts.
struct CommandSyntax {
    struct Option {
        /// With the dashes: `--listen`.
        let name: String
        /// How the value is called in the help text; nil for a flag.
        let value: String?
        let help: String
    }

    /// `serve`, `desktop`, …
    let name: String
    /// One sentence.
    let summary: String
    /// Names of the positional arguments, in order; all are required.
    var operands: [String] = []
    var options: [Option] = []
    /// Paragraphs shown below the options.
    var notes: [String] = []

    /// The text of `wheelhouse NAME --help`.
    var help: String {
        let usage = (["wheelhouse", name] + operands + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
        let rows =
            options.map { option in
                (option.name + (option.value.map { " " + $0 } ?? ""), option.help)
            } + [("--help", "Show this text.")]
        let width = rows.map(\.0.count).max() ?? 0
        let table = rows.map { left, right in
            "  " + left + String(repeating: " ", count: width - left.count + 2) + right
        }
        return (["\(summary)", "", "Usage: \(usage)", ""] + table + notes.flatMap { ["", $0] }).joined(separator: "\n")
    }
}

/// The arguments of one call, checked.
struct Options {
    private var given: [(name: String, value: String)] = []
    private(set) var operands: [String] = []

    /// Accepts `--name value`, `--name=value` and `--flag`; `--` ends the options.
    init(_ arguments: [String], syntax: CommandSyntax) throws(UsageError) {
        var rest = arguments[...]
        var onlyOperands = false
        while let argument = rest.popFirst() {
            if onlyOperands || !argument.hasPrefix("-") || argument == "-" {
                operands.append(argument)
                continue
            }
            if argument == "--" {
                onlyOperands = true
                continue
            }
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            guard let option = syntax.options.first(where: { $0.name == name }) else {
                throw UsageError(message: "unknown option \(name)")
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError(message: "\(name) takes no value") }
                given.append((name, ""))
            } else if parts.count == 2 {
                given.append((name, String(parts[1])))
            } else if let value = rest.popFirst() {
                given.append((name, value))
            } else {
                throw UsageError(message: "\(name) needs a value")
            }
        }
        guard operands.count == syntax.operands.count else {
            let wanted = syntax.operands.isEmpty ? "no arguments" : syntax.operands.joined(separator: " ")
            throw UsageError(
                message: "expected \(wanted), got \(operands.isEmpty ? "none" : operands.joined(separator: " "))"
            )
        }
    }

    /// The last value given for `name`.
    func value(_ name: String) -> String? { given.last { $0.name == name }?.value }
    func values(_ name: String) -> [String] { given.filter { $0.name == name }.map(\.value) }
    func has(_ name: String) -> Bool { given.contains { $0.name == name } }

    /// Parses the arguments, or prints the help or the fault and answers the exit code instead.
    static func parse(_ arguments: [String], _ syntax: CommandSyntax, _ body: (Options) -> Int32) -> Int32 {
        if arguments.contains("--help") || arguments.contains("-h") {
            print(syntax.help)
            return ExitCode.ok
        }
        do throws(UsageError) {
            return body(try Options(arguments, syntax: syntax))
        } catch {
            complain("wheelhouse \(syntax.name): \(error.message)\nTry `wheelhouse \(syntax.name) --help`.")
            return ExitCode.usage
        }
    }
}
