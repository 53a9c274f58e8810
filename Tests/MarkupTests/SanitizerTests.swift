// The sanitiser: what stays, what goes, and that nothing can be smuggled past it.

import Markup
import Testing

@Suite("Sanitiser", .timeLimit(.minutes(1)))
struct SanitizerTests {
    @Test(
        "keeps plain content and writes it anew",
        arguments: [
            ("<p>a &amp; <B>b</B></p>", "<p>a &amp; <b>b</b></p>"),
            ("a < b & c", "a &lt; b &amp; c"),
            ("<ul><li>x<li>y</ul>", "<ul><li>x<li>y</li></li></ul>"),
            (
                "<a href='https://a.b/?x=1&amp;y'>l</a>",
                "<a href=\"https://a.b/?x=1&amp;y\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">l</a>"
            ),
            ("<td colspan=2 rowspan=9999 style=x>", "<td colspan=\"2\"></td>"),
            ("<details open><summary>s</summary>t</details>", "<details open><summary>s</summary>t</details>"),
            (
                "<img src='data:image/png;base64,AA' alt='\"'>",
                "<img class=\"md-picture\" src=\"data:image/png;base64,AA\" alt=\"&quot;\">"
            ),
            ("</p></div>x", "x"),
            ("<b><i>x</b>y", "<b><i>x</i></b>y"),
            ("a<br/>b<hr>", "a<br>b<hr>"),
            ("&copy; &nosuch; &#106;", "© &amp;nosuch; j"),
        ]
    )
    func keeps(fragment: String, expected: String) { #expect(Sanitizer.html(fragment).text == expected) }

    @Test(
        "drops what runs, loads, overlays or takes a name",
        arguments: [
            ("<script>alert(1)</script>x", "x"),
            ("<style>*{}</style>x", "x"),
            ("<svg><a xlink:href=javascript:x><svg></svg>y</svg>x", "x"),
            ("<math><mtext><table><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=x&gt;\">", ""),
            ("<p onclick=x id=location name=cookie class=c style=position:fixed>x</p>", "<p>x</p>"),
            ("<a href=\"java\nscript:x\">x</a>", "<span>x</span>"),
            ("<a href=\" javascript:x\">x</a>", "<span>x</span>"),
            ("<a href=//evil.example>x</a>", "<span>x</span>"),
            ("<iframe src=x>y</iframe>x", "x"),
            ("<form action=x><input><button>b</button></form>", "b"),
            ("<!-- <b>x</b> -->y", "y"),
            ("<!--><b>x</b>-->", "<b>x</b>--&gt;"),
            ("<!doctype html><?xml ?>x", "x"),
            ("<scr<script>ipt>x</scr</script>ipt>", "ipt&gt;xipt&gt;"),
            (
                "<img src=https://a.b/c.png alt=cat onerror=x>",
                "<a class=\"md-picture\" href=\"https://a.b/c.png\" rel=\"noopener noreferrer nofollow\" target=\"_blank\">cat</a>"
            ),
            ("<template><script>x</script></template>y", "y"),
            ("<textarea></textarea><svg onload=x>", ""),
            ("<b", "&lt;b"),
            ("<a title=\"x", "&lt;a title=&quot;x"),
        ]
    )
    func drops(fragment: String, expected: String) { #expect(Sanitizer.html(fragment).text == expected) }

    @Test func `nesting ends at its limit and keeps the text`() {
        let html = Sanitizer.html(String(repeating: "<div>", count: 200) + "x").text
        #expect(html.components(of: "<div>") == 100)
        #expect(html.components(of: "</div>") == 100)
        #expect(html.contains("x"))
    }

    @Test func `SVG is shown as source for a sandboxed frame`() {
        #expect(
            Sandboxed.placeholder("<svg onload=x>", .svg).text
                == "<figure class=\"sandbox\" data-sandbox=\"svg\"><pre><code>&lt;svg onload=x&gt;</code></pre></figure>"
        )
    }

    @Test(
        "addresses",
        arguments: [
            ("https://a.b/ c\"", "https://a.b/%20c%22"), ("HTTP://a", "HTTP://a"), ("mailto:a@b.c", "mailto:a@b.c"),
            ("javascript:x", nil), (" https://a.b", nil), ("//a.b", nil), ("a/b", nil),
            ("data:image/png;base64,AA", nil),
            ("https://", nil), ("mailto:", nil),
        ] as [(String, String?)]
    )
    func address(text: String, expected: String?) { #expect(SafeURL(text)?.text == expected) }

    @Test(
        "addresses of pictures",
        arguments: [
            ("data:image/png;base64,AA", true), ("DATA:IMAGE/webp;base64,AA", true),
            ("data:image/svg+xml;base64,AA", false),
            ("data:text/html,x", false), ("https://a.b/c", true), ("blob:x", false),
        ]
    )
    func pictureAddress(text: String, isGood: Bool) { #expect((SafeURL(image: text) != nil) == isGood) }
}
