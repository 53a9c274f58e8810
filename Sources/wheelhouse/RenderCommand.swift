// `wheelhouse render`: the renderers on standard input, for tests and scripts (DESIGN §11; JSON-lines as the Markdown
// conformance and HTML-safety suites speak it).

import Glibc
import Markup
import Web

enum RenderCommand {
    /// What the input is.
    private enum Kind: String, CaseIterable { case markdown, html, svg, mermaid, ansi, text, json }

    private struct Settings {
        var kind = Kind.markdown
        var isSpec = false
        var isStream = false
        var isLines = false
        var extensions: Set<Markdown.Extension> = []
    }

    private static let usage = """
        usage: wheelhouse render [--kind markdown|html|svg|mermaid|ansi|text|json] [--stream] [--jsonl] < input
               wheelhouse render --spec [--extensions table,strikethrough,autolink,tagfilter,tasklist,footnotes] [--jsonl] < input
        """

    /// - Returns: the exit status: 0, or 64 when the arguments are wrong.
    static func run(_ arguments: [String]) -> Int32 {
        if arguments.contains("--help") {
            write(Array((usage + "\n").utf8), to: STDOUT_FILENO)
            return 0
        }
        var settings = Settings()
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--spec": settings.isSpec = true
            case "--stream": settings.isStream = true
            case "--jsonl": settings.isLines = true
            case "--kind":
                guard let name = rest.popFirst(), let kind = Kind(rawValue: name) else { return fail("--kind needs a kind") }
                settings.kind = kind
            case "--extensions":
                guard let names = rest.popFirst() else { return fail("--extensions needs names") }
                settings.extensions = extensions(names.split(separator: ",").map(String.init))
            default: return fail("unknown argument \(argument)")
            }
        }
        if settings.isLines {
            renderLines(settings)
        } else {
            write(render(readAll(), settings), to: STDOUT_FILENO)
        }
        return 0
    }

    private static func extensions(_ names: [String]) -> Set<Markdown.Extension> {
        Set(names.compactMap(Markdown.Extension.init))
    }

    private static func fail(_ problem: String) -> Int32 {
        write(Array("wheelhouse render: \(problem)\n\(usage)\n".utf8), to: STDERR_FILENO)
        return 64
    }

    // MARK: One text

    private static func render(_ input: [UInt8], _ settings: Settings) -> [UInt8] {
        if settings.isSpec { return Markdown.specHTML(utf8: input, extensions: settings.extensions) }
        if settings.kind == .ansi { return Terminal.html(input).bytes }
        return render(String(decoding: input, as: UTF8.self), settings).bytes
    }

    private static func render(_ text: String, _ settings: Settings) -> HTML {
        switch settings.kind {
        case .markdown: settings.isStream ? streamed(text) : Markdown.html(text)
        case .html: Sanitizer.html(text)
        case .svg: Sandboxed.placeholder(text, .svg)
        case .mermaid: Mermaid.placeholder(text) ?? "<pre><code>\(text)</code></pre>"
        case .ansi: Terminal.html(Array(text.utf8))
        case .text: "<span title=\"\(text)\">\(text)</span>"
        case .json: HTML(dataScript: JSON.string(text).encoded())
        }
    }

    /// The text as if it came in pieces of a few characters.
    private static func streamed(_ text: String) -> HTML {
        var stream = MarkdownStream()
        var rest = Substring(text)
        while !rest.isEmpty {
            stream.append(String(rest.prefix(5)))
            rest = rest.dropFirst(5)
            _ = stream.update()
        }
        _ = stream.finish()
        return stream.html
    }

    // MARK: JSON lines

    /// Answers each line `{"markdown", "extensions"}` or `{"kind", "text"}` with a line `{"html"}`.
    private static func renderLines(_ settings: Settings) {
        var output: [UInt8] = []
        for line in readAll().split(separator: UInt8(ascii: "\n")) {
            var html: [UInt8] = []
            if let request = try? JSON(parsing: Array(line)) {
                var settings = settings
                if let names = request["extensions"]?.array { settings.extensions = extensions(names.compactMap(\.string)) }
                if let kind = request["kind"]?.string.flatMap(Kind.init) { settings.kind = kind }
                let text = request["markdown"]?.string ?? request["text"]?.string ?? ""
                html = render(Array(text.utf8), settings)
            }
            var writer = JSONWriter(capacity: html.count + 32)
            writer.beginObject()
            writer.key("html")
            writer.string(utf8: html)
            writer.endObject()
            output += writer.bytes
            output.append(UInt8(ascii: "\n"))
        }
        write(output, to: STDOUT_FILENO)
    }

    // MARK: Input and output

    private static func readAll() -> [UInt8] {
        var all: [UInt8] = []
        var status = stat()
        if unsafe fstat(STDIN_FILENO, &status) == 0, status.st_size > 0 { all.reserveCapacity(Int(status.st_size) + 1) }
        var piece = [UInt8](repeating: 0, count: 1 << 18)
        while true {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(STDIN_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return all }
            all += piece[..<count]
        }
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { buffer in
                unsafe Glibc.write(descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            done += count
        }
    }
}
