// What a tool's block says in one line, and which of its inputs are a command or a path. Both agents' tools.
import Desktops

enum ToolText {
    /// Fills `input`, `command`, `path` and `title` of a tool block from the tool's name and its input object.
    static func describe(_ line: Span<UInt8>, name: String, input: Range<Int>?, _ block: inout Block) {
        if let input { block.input = cut(Scan.text(line, input)) }
        guard let input, Scan.kind(line, input) == .object else {
            block.title = SessionFacts.oneLine(plain(name))
            return
        }
        func text(_ key: Key) -> String? { Scan.prefix(line, Scan.member(line, input, key), limit: 8_000) }
        block.command = command(line, Scan.member(line, input, Names.command) ?? Scan.member(line, input, Names.cmd))
        block.path = text(Names.file_path) ?? text(Names.notebookPath) ?? text(Names.path)
        let words =
            text(Names.description) ?? block.command ?? block.path ?? text(Names.pattern) ?? text(Names.query)
            ?? text(Names.url) ?? text(Names.subject) ?? text(Names.prompt)
        block.title = words.map { SessionFacts.oneLine($0) } ?? plain(name)
    }

    /// A command line: a string, or an array whose shell wrapper (`bash -lc`) is left away.
    static func command(_ line: Span<UInt8>, _ value: Range<Int>?) -> String? {
        if let text = Scan.string(line, value) { return text }
        guard let value, Scan.kind(line, value) == .array else { return nil }
        var words: [String] = []
        var elements = Scan.Elements(value)
        while let element = elements.next(line), words.count < 1_000 {
            if let word = Scan.string(line, element) { words.append(word) }
        }
        if words.count == 3, words[0].hasSuffix("sh"), words[1] == "-lc" || words[1] == "-c" { return words[2] }
        return words.joined(separator: " ")
    }

    /// `mcp__server__tool` as people read it.
    static func plain(_ name: String) -> String {
        guard name.hasPrefix("mcp__"), let split = Tags.range(of: "__", in: name.dropFirst(5)) else { return name }
        return "\(name[name.index(name.startIndex, offsetBy: 5)..<split.lowerBound]): \(name[split.upperBound...])"
    }

    static func cut(_ text: String) -> String {
        guard text.utf8.count > TranscriptLimits.toolInput else { return text }
        return Body.excerpt(Array(text.utf8), limit: TranscriptLimits.toolInput, end: TranscriptLimits.bodyEnd).text
    }
}
