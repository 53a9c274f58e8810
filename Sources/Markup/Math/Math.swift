// TeX formulas as MathML Core. `Markdown` calls it for what `MathSpans` and math fences found; `MathParser` reads,
// `MathWriter` writes. Browsers draw it without a script or a font of ours.

enum Math {
    /// A formula as a `<math>` element with its source at hand for copying; the source as code when it is nested too
    /// deep.
    ///
    /// - Parameters:
    ///   - source: TeX without its delimiters, at most ``MarkdownLimits/formulaBytes``.
    ///   - isDisplay: on a line of its own rather than in running text.
    static func html(_ source: String, isDisplay: Bool) -> HTML {
        let tex = source.hasSuffix("\n") ? String(source.dropLast()) : source
        var parser = MathParser(tex)
        guard let nodes = try? parser.parse() else { return "<code class=\"md-math-source\">\(tex)</code>" }
        var writer = MathWriter(capacity: tex.utf8.count * 16 + 128)
        writer.output.append(isDisplay ? "<math display=\"block\" data-tex=\"" : "<math data-tex=\"")
        writer.output.appendEscaped(Array(tex.utf8))
        writer.output.append("\"><mrow>")
        writer.write(nodes)
        writer.output.append("</mrow></math>")
        return HTML(rendered: writer.output.array())
    }
}
