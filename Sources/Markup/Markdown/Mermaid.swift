// The placeholder for a Mermaid diagram: its source, for a sandboxed frame to draw. Nothing of it is interpreted here.

package enum Mermaid {
    /// The figure that the page's scripts turn into a diagram; nil when the source is longer than Mermaid accepts
    /// (``MarkdownLimits/mermaidUnits`` UTF-16 units): then it is shown as code.
    package static func placeholder(_ source: String) -> HTML? {
        guard source.utf16.count <= MarkdownLimits.mermaidUnits else { return nil }
        return "<figure class=\"mermaid\" data-mermaid><pre><code>\(source)</code></pre></figure>"
    }

    static func placeholder(_ view: ByteView, _ from: Int, _ to: Int) -> HTML? {
        // A UTF-16 unit is at most three bytes of UTF-8.
        guard to - from <= 3 * MarkdownLimits.mermaidUnits else { return nil }
        return placeholder(view.string(from, to))
    }
}
