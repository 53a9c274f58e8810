// The HTML value: text is escaped by construction.

import Markup
import Testing

@Suite("HTML", .timeLimit(.minutes(1)))
struct HTMLTests {
    @Test func `interpolated text is escaped, HTML goes in as it is`() {
        let name = "<b>\"'&\0"
        let inner: HTML = "<i>x</i>"
        let page: HTML = "<p title=\"\(name)\">\(inner)\(nil as HTML?)\([inner, inner])\(7)</p>"
        #expect(
            page.text == "<p title=\"&lt;b&gt;&quot;&#39;&amp;\u{FFFD}\"><i>x</i><i>x</i><i>x</i>7</p>"
        )
    }

    @Test func `data for scripts cannot end its element`() {
        let html = HTML(dataScript: Array("\"</script><!--&\"".utf8)).text
        #expect(html == "<script type=\"application/json\">\"\\u003c/script\\u003e\\u003c!--\\u0026\"</script>")
    }

    @Test func `pieces join`() {
        var html: HTML = "a"
        html += "b"
        #expect((html + HTML(text: "<")).text == "ab&lt;")
        #expect(HTML().isEmpty)
    }
}
