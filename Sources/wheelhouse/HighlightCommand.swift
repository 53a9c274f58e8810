// `wheelhouse highlight` and `wheelhouse ansi`: the renderers on standard input, for scripts and measurements (DESIGN §11).

import Glibc
import Markup

/// `wheelhouse highlight --language L [--tokens]`: source on standard input, HTML (or a table of tokens) on standard output.
enum HighlightCommand {
    /// - Returns: the exit status: 0, or 64 when the arguments or the language are not known.
    static func run(_ arguments: [String]) -> Int32 {
        var language: String?
        var printsTokens = false
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--language", "--lang", "-l":
                guard let name = rest.popFirst() else { return usage("--language needs a name") }
                language = name
            case "--tokens": printsTokens = true
            case "--list":
                for known in Highlight.Language.all { write("\(known.id)\n") }
                return 0
            default: return usage("unknown argument \(argument)")
            }
        }
        guard let language else { return usage("a language is needed") }
        guard let known = Highlight.language(alias: language) else { return usage("unknown language \(language)") }
        let code = StandardInput.readAll()
        if printsTokens {
            var lines: [UInt8] = []
            for token in Highlight.tokens(code, language: known.id) {
                lines += "\(token.offset)\t\(token.length)\t\(token.kind.name)\n".utf8
            }
            write(lines)
        } else {
            write(Highlight.html(code, language: known).bytes)
        }
        return 0
    }

    private static func usage(_ problem: String) -> Int32 {
        write(
            "wheelhouse highlight: \(problem)\nusage: wheelhouse highlight --language L [--tokens] | --list\n",
            to: STDERR_FILENO
        )
        return 64
    }
}

/// `wheelhouse ansi`: terminal output on standard input, HTML on standard output.
enum AnsiCommand {
    /// - Returns: the exit status: 0, or 64 when there are arguments.
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.isEmpty else {
            write("usage: wheelhouse ansi < output\n", to: STDERR_FILENO)
            return 64
        }
        write(Terminal.html(StandardInput.readAll()).bytes)
        return 0
    }
}

/// All of standard input.
private enum StandardInput {
    /// The bytes until the end; what was read so far when reading fails.
    static func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }
}

private func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) { write(Array(text.utf8), to: descriptor) }

private func write(_ bytes: [UInt8], to descriptor: Int32 = STDOUT_FILENO) {
    var done = 0
    while done < bytes.count {
        let count = unsafe bytes.withUnsafeBytes {
            unsafe Glibc.write(descriptor, $0.baseAddress?.advanced(by: done), $0.count - done)
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        done += count
    }
}
