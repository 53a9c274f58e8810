// The placeholder for content that agents made and that may only run where it can reach nothing: SVG and whole HTML
// pages. The page's scripts put it into a frame with an opaque origin; until then, and without scripts, its source is
// shown.

package enum Sandboxed {
    /// What is inside the frame.
    package enum Content: String, Sendable { case svg, html }

    /// The source as text, marked for the frame.
    package static func placeholder(_ source: String, _ content: Content) -> HTML {
        "<figure class=\"sandbox\" data-sandbox=\"\(content.rawValue)\"><pre><code>\(source)</code></pre></figure>"
    }
}
