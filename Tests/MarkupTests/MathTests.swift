// Formulas: what is one, and the MathML that it becomes.

import Markup
import Testing

@Suite("Math", .timeLimit(.minutes(1)))
struct MathTests {
    /// The content of the only formula of a text.
    private func mathML(_ tex: String) -> String {
        let html = Markdown.html("```math\n\(tex)\n```").text
        guard let start = html.range(of: "\"><mrow>"), let end = html.range(of: "</mrow></math>", backwards: true)
        else {
            return html
        }
        return String(html[start.upperBound..<end.lowerBound])
    }

    @Test(
        "TeX as MathML Core",
        arguments: [
            ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
            ("x_i^{n+1}", "<msubsup><mi>x</mi><mi>i</mi><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow></msubsup>"),
            ("f'^2", "<msup><mi>f</mi><mrow><mrow><mo>′</mo></mrow><mn>2</mn></mrow></msup>"),
            (#"\frac12"#, "<mfrac><mn>1</mn><mn>2</mn></mfrac>"),
            (#"\frac{a}{b}"#, "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
            (#"{a \over b}"#, "<mrow><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow>"),
            (#"\sqrt[3]{x}"#, "<mroot><mi>x</mi><mn>3</mn></mroot>"),
            (#"\sqrt x"#, "<msqrt><mi>x</mi></msqrt>"),
            (#"\sum_{i}^n"#, "<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>"),
            (#"\int_0^1"#, "<msubsup><mo>∫</mo><mn>0</mn><mn>1</mn></msubsup>"),
            (#"\sum\nolimits_i"#, "<msub><mo>∑</mo><mi>i</mi></msub>"),
            (#"\int\limits_a"#, "<munder><mo>∫</mo><mi>a</mi></munder>"),
            (
                #"\lim_x"#,
                "<munder><mo movablelimits=\"true\" lspace=\"0\" rspace=\"0.167em\">lim</mo><mi>x</mi></munder>"
            ),
            (#"\alpha\le\Gamma"#, "<mi>α</mi><mo>≤</mo><mi mathvariant=\"normal\">Γ</mi>"),
            (
                #"\mathbb{R}\mathcal L\mathbf{x}"#,
                "<mi mathvariant=\"normal\">ℝ</mi><mi mathvariant=\"normal\">ℒ</mi><mi mathvariant=\"normal\">𝐱</mi>"
            ),
            (#"\mathrm{max}"#, "<mi>max</mi>"),
            (#"\text{if } x"#, "<mtext>if\u{A0}</mtext><mi>x</mi>"),
            (
                #"\left( x \right]"#,
                "<mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">(</mo><mi>x</mi><mo stretchy=\"true\" fence=\"true\" form=\"postfix\">]</mo></mrow>"
            ),
            (
                #"\left. x \right|"#,
                "<mrow><mi>x</mi><mo stretchy=\"true\" fence=\"true\" form=\"postfix\">|</mo></mrow>"
            ),
            (
                #"\begin{matrix}a&b\\c&d\end{matrix}"#,
                "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>"
            ),
            (
                #"\begin{aligned}a&=b\\\end{aligned}"#,
                "<mtable class=\"tex-aligned\" displaystyle=\"true\"><mtr><mtd class=\"tex-right\"><mi>a</mi></mtd><mtd class=\"tex-left\"><mo>=</mo><mi>b</mi></mtd></mtr></mtable>"
            ),
            (#"\hat x"#, "<mover accent=\"true\"><mi>x</mi><mo stretchy=\"false\">^</mo></mover>"),
            (#"\overbrace{x}^n"#, "<mover><mover><mi>x</mi><mo stretchy=\"true\">⏞</mo></mover><mi>n</mi></mover>"),
            (#"a\not= b"#, "<mi>a</mi><mo>≠</mo><mi>b</mi>"),
            (
                #"\binom nk"#,
                "<mrow><mo stretchy=\"true\" fence=\"true\" form=\"prefix\">(</mo><mfrac linethickness=\"0\"><mi>n</mi><mi>k</mi></mfrac><mo stretchy=\"true\" fence=\"true\" form=\"postfix\">)</mo></mrow>"
            ),
            (
                #"\foo{x}<y"#,
                "<mtext class=\"md-math-unknown\">\\foo</mtext><mrow><mi>x</mi></mrow><mo>&lt;</mo><mi>y</mi>"
            ),
            (
                #"\href{javascript:x}"#,
                "<mtext class=\"md-math-unknown\">\\href</mtext><mrow><mi>j</mi><mi>a</mi><mi>v</mi><mi>a</mi><mi>s</mi><mi>c</mi><mi>r</mi><mi>i</mi><mi>p</mi><mi>t</mi><mo>:</mo><mi>x</mi></mrow>"
            ),
            ("a } b", "<mi>a</mi><mo stretchy=\"false\">}</mo><mi>b</mi>"),
            (#"\frac{a"#, "<mfrac><mi>a</mi><mrow></mrow></mfrac>"),
        ]
    )
    func renders(tex: String, expected: String) { #expect(mathML(tex) == expected) }

    @Test(
        "a formula in running text",
        arguments: [
            "$x^2$", "($x$)", "\"$x=y$\",", #"\(x\)"#, #"\(\alpha + 1\)"#, "$5$", "$5x + 2 = 17$", "$\\$$", "$${a}$$",
            #"\[ a = b \]"#,
        ]
    )
    func inline(text: String) { #expect(Markdown.html("so \(text) then").text.contains("<math"), "\(text)") }

    @Test(
        "money, variables and escaped brackets are no formulas",
        arguments: [
            "costs $5 and $10", "from $5 to 10$ or so", "a lone $ sign", "US$5 and A$6", "$HOME and $PATH",
            "$HOME/$USER",
            "${a}:${b}", "$(pwd) and $(ls)", "between $1,000 and $2,000", "$5k and $6k", "$3/month or $30/year",
            "`$x$`",
            "echo $$ and $$", #"\[not a link\]"#, #"\(like this one\)"#, "$a$b", "x$y$", "$5 `a` 6$", "$ x$", "$x $",
        ]
    )
    func prose(text: String) { #expect(!Markdown.html("so \(text) then").text.contains("<math"), "\(text)") }

    @Test func `display formulas may look like lists inside`() {
        let html = Markdown.html("text:\n$$\na\n- b\n+ c\n$$\nmore").text
        #expect(html.contains("<div class=\"md-math\"><math display=\"block\""))
        #expect(!html.contains("<ul>"))
        #expect(html.hasSuffix("<p>more</p>\n"))
    }

    @Test func `a formula that does not end before a blank line is text`() {
        #expect(Markdown.html("$$\na\n\nb\n$$").text.hasPrefix("<p>$$\na</p>"))
    }

    @Test func `a formula nested too deep is shown as its source`() {
        let deep = String(repeating: "{", count: 100) + "x"
        #expect(Markdown.html("```math\n\(deep)\n```").text.contains("<code class=\"md-math-source\">{{{"))
        let flat = String(repeating: "{", count: 30) + "x" + String(repeating: "}", count: 30)
        #expect(Markdown.html("```math\n\(flat)\n```").text.contains("<math"))
    }

    @Test func `a formula longer than the limit is code`() {
        let long = String(repeating: "x", count: 20_001)
        #expect(Markdown.html("```math\n\(long)\n```").text.hasPrefix("<figure class=\"code\" data-language=\"math\">"))
    }

    @Test func `the source is at hand for copying`() {
        #expect(Markdown.html("$a<b$").text.contains("<math data-tex=\"a&lt;b\">"))
    }
}

extension String {
    /// Where `part` stands first, or last.
    fileprivate func range(of part: String, backwards: Bool = false) -> Range<Index>? {
        let starts = backwards ? Array(indices.reversed()) : Array(indices)
        for start in starts where self[start...].hasPrefix(part) {
            return start..<index(start, offsetBy: part.count)
        }
        return nil
    }
}
