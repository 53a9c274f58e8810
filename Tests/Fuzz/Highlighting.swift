// sources: Sources/Markup
// Any bytes in any language (the first byte chooses): tokens must be in order, the HTML must hold the code, and lexing line
// by line, cut at every line feed, must give what lexing the whole gives.

nonisolated(unsafe) var sink = 0

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    guard let first = bytes.first else { return 0 }
    let languages = Highlight.Language.all
    let language = languages[Int(first) % languages.count]
    let code = Array(bytes.dropFirst())

    let whole = kinds(Highlight.tokens(code, language: language.id), count: code.count)
    var state = LineState()
    var pieces: [Highlight.Kind] = []
    var start = 0
    while start < code.count {
        let end = code[start...].firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? code.count
        let line = Array(code[start..<end])
        pieces += kinds(Highlight.tokens(line: line, language: language, state: &state), count: line.count)
        start = end
    }
    precondition(whole == pieces, "\(language.id): lines and the whole differ")

    let html = Highlight.html(code, language: language).bytes
    precondition(
        text(html) == code.flatMap { $0 == 0 ? Array("\u{FFFD}".utf8) : [$0] },
        "\(language.id): bytes were lost"
    )
    sink &+= html.count
    return 0
}

private func kinds(_ tokens: [Highlight.Token], count: Int) -> [Highlight.Kind] {
    var kinds = [Highlight.Kind](repeating: .plain, count: count)
    var end = 0
    for token in tokens {
        precondition(token.offset >= end && token.length > 0, "tokens overlap")
        end = token.offset + token.length
        precondition(end <= count, "a token leaves the code")
        for index in token.offset..<end { kinds[index] = token.kind }
    }
    return kinds
}

private func text(_ html: [UInt8]) -> [UInt8] {
    let references: [(name: [UInt8], byte: UInt8)] = [
        (Array("&amp;".utf8), 38), (Array("&lt;".utf8), 60), (Array("&gt;".utf8), 62), (Array("&quot;".utf8), 34),
        (Array("&#39;".utf8), 39),
    ]
    var text: [UInt8] = []
    var index = 0
    while index < html.count {
        if html[index] == 60 {
            while html[index] != 62 { index += 1 }
            index += 1
        } else if html[index] == 38, let found = references.first(where: { html[index...].starts(with: $0.name) }) {
            text.append(found.byte)
            index += found.name.count
        } else {
            text.append(html[index])
            index += 1
        }
    }
    return text
}
