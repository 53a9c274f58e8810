// What every lexer must keep, whatever the input: all bytes appear once, tokens are in order, lines can be lexed one by one
// with the same result, and no input takes more than linear time.

import Glibc
import Markup
import Testing

/// The processor time of this thread that `body` takes.
func processorSeconds(_ body: () -> Void) -> Double {
    func now() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    let start = now()
    body()
    return now() - start
}

/// A small generator, so that a failure can be repeated.
struct Dice {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}

/// Text of an HTML fragment: tags dropped, references resolved.
func plainText(_ html: HTML) -> [UInt8] {
    var text: [UInt8] = []
    let bytes = html.bytes
    let references: [(String, String)] = [
        ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"),
    ]
    var index = 0
    while index < bytes.count {
        if bytes[index] == UInt8(ascii: "<") {
            while index < bytes.count, bytes[index] != UInt8(ascii: ">") { index += 1 }
            index += 1
        } else if bytes[index] == UInt8(ascii: "&"),
            let (name, value) = references.first(where: { bytes[index...].starts(with: $0.0.utf8) })
        {
            text += value.utf8
            index += name.utf8.count
        } else {
            text.append(bytes[index])
            index += 1
        }
    }
    return text
}

/// Pieces that open, close and confuse: what random code is made of.
let confusingPieces: [String] = [
    "\"", "'", "`", "\"\"\"", "'''", "/*", "*/", "//", "#", "--", "<!--", "-->", "{", "}", "(", ")", "[", "]", "${",
    "$(", "#{", "\\(", "\\", "\\\"",
    "\n", "\n", "\n    ", "\t", " ", "<<EOF\n", "EOF\n", "<<~A\n", "A\n", "```python\n", "```\n", "~~~\n", "r#\"",
    "\"#", "R\"x(", ")x\"", "f\"", "{{", "}}",
    "<div ", "<script>", "</script>", "<style>", "</style>", "<?php ", "?>", "<%", "%>", ">", "/", "/=", "<T>(", "=>",
    "a", "Abc", "ABC_D", "foo(", "0x1f", "1.5e3",
    "@x", "$y", ":z", "key: ", "key = ", "|\n", "run: |\n", "- ", "=begin\n", "=end\n", "=cut\n", "%w[", "q{", "s/a/b/",
    "$$", "\\begin{verbatim}", "\\end{verbatim}",
    "@@ -1 +1 @@\n", "+x\n", "-y\n", "if ", "case x in\n", "esac\n", "python -c \"", "jq '", "é", "\u{1F600}", "\0",
    "\r\n", "[[", "]]", "--[[", "(*", "*)", "{-", "-}",
    "#[a(", "'a ", "#if X\n", "#define A(b) \\\n", "<a b={c} d=\"e\">", "</a>", "<>", "</>", "url(", "!important", ";",
    ",", "$'", "$((", "))", "/**", "%{", "%}", "#=", "=#",
    "__END__\n", "---\n", "***\n", "RUN ", "FROM x\n", "a:\n\t@b\n", "~r/", "~w(", "|#", "#|", "@\"", "\"@", "<#", "#>",
    "$\"", "\"\"\"\"",
]

func confusingText(seed: UInt64, pieces: Int) -> String {
    var dice = Dice(state: seed)
    return (0..<pieces).map { _ in confusingPieces[dice.next(confusingPieces.count)] }.joined()
}

let languageNames = Highlight.Language.all.map(\.id)

@Suite("Highlighting keeps every byte", .timeLimit(.minutes(5)))
struct HighlightPropertyTests {
    @Test(arguments: languageNames) func `tokens are ascending, apart and inside the code`(language: String) {
        for seed in 1...60 as ClosedRange<UInt64> {
            let code = Array(confusingText(seed: seed, pieces: 60).utf8)
            var end = 0
            for token in Highlight.tokens(code, language: language) {
                #expect(token.offset >= end, "seed \(seed)")
                #expect(token.length > 0, "seed \(seed)")
                end = token.offset + token.length
            }
            #expect(end <= code.count, "seed \(seed)")
        }
    }

    @Test(arguments: languageNames) func `the text of the HTML is the code`(language: String) throws {
        for seed in 100...130 as ClosedRange<UInt64> {
            let code = confusingText(seed: seed, pieces: 80)
            let expected = Array(code.replacing("\0", with: "\u{FFFD}").utf8)
            #expect(plainText(Highlight.html(code, language: language)) == expected, "seed \(seed)")
        }
    }

    @Test(arguments: languageNames) func `line by line gives what the whole gives`(language: String) throws {
        let known = try #require(Highlight.language(alias: language))
        for seed in 200...260 as ClosedRange<UInt64> {
            let code = Array(confusingText(seed: seed, pieces: 60).utf8)
            let whole = classes(Highlight.tokens(code, language: language), count: code.count)
            var state = LineState()
            var pieces: [Highlight.Kind] = []
            for line in lines(code) {
                pieces += classes(Highlight.tokens(line: line, language: known, state: &state), count: line.count)
            }
            if let at = zip(whole, pieces).enumerated().first(where: { $1.0 != $1.1 })?.offset {
                let context = String(decoding: code[max(0, at - 60)..<min(code.count, at + 20)], as: UTF8.self)
                Issue.record(
                    "\(language), seed \(seed), byte \(at): \(whole[at]) as a whole, \(pieces[at]) by lines, after \(context.debugDescription)"
                )
                return
            }
        }
    }

    /// Inputs that make careless lexers look ahead again and again.
    static let hostile: [String] = [
        "/", "\"", "(", "[", "{", "<", "`", "${", "\"${", "\\", "'", "a<", "/[", "=(", "a:", "<a ", "<!", "#[", "<<A",
        "[a](", "**a", "`a`` ", "$(", "((", "/*", "{{",
        "x=(a", "=/[", "a = (", "\n\"", "<A\n", "- ", ": ", "|\n", "- - - ", "a.b.", "#{", "%(", "<<EOF\n", "'''", "$'",
        "\\begin{", "@", "func (", "*", "&a", "q{", "\t@", "[[",
    ]

    @Test(arguments: languageNames) func `thousands of unclosed things take linear time`(language: String) {
        // Processor time, so that a busy machine changes nothing; generous for a debug build. Quadratic work would take
        // more than ten times as long.
        for piece in Self.hostile {
            let code = [UInt8](String(repeating: piece, count: (8 << 10) / piece.utf8.count).utf8)
            let time = processorSeconds { _ = Highlight.tokens(code, language: language) }
            #expect(time < 1.5, "\(language): \(piece.debugDescription) took \(time) s")
        }
    }

    private func lines(_ code: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        var start = 0
        for (index, byte) in code.enumerated() where byte == UInt8(ascii: "\n") {
            lines.append(Array(code[start...index]))
            start = index + 1
        }
        if start < code.count { lines.append(Array(code[start...])) }
        return lines
    }

    private func classes(_ tokens: [Highlight.Token], count: Int) -> [Highlight.Kind] {
        var kinds = [Highlight.Kind](repeating: .plain, count: count)
        for token in tokens {
            for index in token.offset..<min(count, token.offset + token.length) { kinds[index] = token.kind }
        }
        return kinds
    }
}
