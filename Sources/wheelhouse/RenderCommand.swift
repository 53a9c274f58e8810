// `wheelhouse render`: the renderers on standard input, for tests and scripts (DESIGN §11; JSON-lines as the Markdown
// conformance and HTML-safety suites speak it).

import Markup
import Web

enum RenderCommand {
    /// What the input is.
    private enum Kind: String, CaseIterable { case markdown, html, svg, mermaid, ansi, text, json }

    private struct Settings {
        var kind = Kind.markdown
        var isSpec = false
        var isStream = false
        var extensions: Set<Markdown.Extension> = []
    }

    private static let syntax = CommandSyntax(
        name: "render",
        summary: "Turns text from standard input into the HTML that the product shows for it.",
        options: [
            .init(name: "--kind", value: "KIND", help: "markdown (default), html, svg, mermaid, ansi, text or json."),
            .init(name: "--stream", value: nil, help: "Feed Markdown in small pieces, as an answer arrives."),
            .init(
                name: "--spec",
                value: nil,
                help: "The reference output of CommonMark and GFM instead, raw HTML kept."
            ),
            .init(
                name: "--extensions",
                value: "A,B",
                help: "With --spec: table, strikethrough, autolink, tagfilter, tasklist, footnotes."
            ),
            .init(
                name: "--jsonl",
                value: nil,
                help: "A JSON object with the text per line in, one with the HTML per line out."
            ),
        ]
    )

    /// - Returns: the exit status: 0, or 64 when the arguments are wrong.
    static func run(_ arguments: [String]) -> Int32 {
        Options.parse(arguments, syntax) { options in
            guard let kind = Kind(rawValue: options.value("--kind") ?? "markdown") else {
                complain(
                    "wheelhouse render: --kind is one of \(Kind.allCases.map(\.rawValue).joined(separator: ", ")); see --help."
                )
                return ExitCode.usage
            }
            let names = options.value("--extensions")?.split(separator: ",").map(String.init) ?? []
            let settings = Settings(
                kind: kind,
                isSpec: options.has("--spec"),
                isStream: options.has("--stream"),
                extensions: extensions(names)
            )
            if options.has("--jsonl") {
                renderLines(settings)
            } else {
                StandardOutput.write(render(StandardInput.readAll(), settings))
            }
            return ExitCode.ok
        }
    }

    private static func extensions(_ names: [String]) -> Set<Markdown.Extension> {
        Set(names.compactMap(Markdown.Extension.init))
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
        for line in StandardInput.readAll().split(separator: UInt8(ascii: "\n")) {
            var html: [UInt8] = []
            if let request = try? JSON(parsing: Array(line)) {
                var settings = settings
                if let names = request["extensions"]?.array {
                    settings.extensions = extensions(names.compactMap(\.string))
                }
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
        StandardOutput.write(output)
    }
}
