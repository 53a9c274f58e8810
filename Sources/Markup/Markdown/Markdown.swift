// Markdown to HTML: the entry points. CommonMark 0.31.2 with the GFM extensions; see `MarkdownOptions` for the
// dialects. Text goes through `BlockParser` (lines to blocks) and `BlockRenderer` (blocks to HTML); both are linear in
// its size.

package enum Markdown {
    /// A chat message as HTML that is safe in any page: raw HTML is shown as typed, links lead only to web and mail
    /// addresses, nothing loads by itself.
    package static func html(_ source: String, options: Options = .chat) -> HTML {
        HTML(rendered: render(Array(source.utf8), Dialect(options: options)))
    }

    /// The same for UTF-8 bytes; invalid ones must have been replaced.
    package static func html(utf8 source: [UInt8], options: Options = .chat) -> HTML {
        HTML(rendered: render(source, Dialect(options: options)))
    }

    /// Exactly the reference output of cmark-gfm with the given extensions, raw HTML kept.
    ///
    /// Never for pages.
    package static func specHTML(_ source: String, extensions: Set<Extension>) -> [UInt8] {
        render(Array(source.utf8), Dialect(extensions: extensions))
    }

    /// The same for UTF-8 bytes.
    package static func specHTML(utf8 source: [UInt8], extensions: Set<Extension>) -> [UInt8] {
        render(source, Dialect(extensions: extensions))
    }

    private static func render(_ source: [UInt8], _ dialect: Dialect) -> [UInt8] {
        withPrepared(source) { view in
            var blocks = BlockParser(view, dialect: dialect)
            blocks.parse()
            blocks.finish()
            guard view.count > MarkdownLimits.copiedOutput else {
                var renderer = BlockRenderer(blocks)
                renderer.renderAll()
                return renderer.output.array()
            }
            var waiting: BlockParser? = consume blocks
            return ByteBuffer.array(capacity: view.count * 2) { output in
                guard let blocks = waiting.take() else { return output }
                var renderer = BlockRenderer(blocks, output: output)
                renderer.renderAll()
                return renderer.finished()
            }
        }
    }

    /// The top-level blocks of a message, each as HTML, then the footnotes; joined they are the message.
    static func blocks(_ source: [UInt8], _ dialect: Dialect) -> [HTML] {
        withPrepared(source) { view in
            var blocks = BlockParser(view, dialect: dialect)
            blocks.parse()
            blocks.finish()
            var renderer = BlockRenderer(blocks)
            var result = renderer.renderBlocks()
            renderer.renderFootnotes()
            if renderer.output.count > 0 { result.append(HTML(rendered: renderer.output.array())) }
            return result
        }
    }

    static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Calls `body` with the text as the parser needs it: line feeds as the only line ends, U+FFFD for NUL (CommonMark
    /// §2.3), no byte order mark.
    static func withPrepared<Result>(_ source: [UInt8], _ body: (ByteView) -> Result) -> Result {
        let isClean = unsafe source.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return true }
            let view = unsafe ByteView(start, count: bytes.count)
            return view.find(ASCII.carriageReturn, from: 0, to: view.count) == nil
                && view.find(0, from: 0, to: view.count) == nil
        }
        let text = isClean ? source : cleaned(source)
        let mark = text.starts(with: byteOrderMark) ? byteOrderMark.count : 0
        return unsafe text.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else {
                let empty: StaticString = " "
                return body(unsafe ByteView(empty.utf8Start, count: 0))
            }
            return body(unsafe ByteView(start + mark, count: bytes.count - mark))
        }
    }

    private static func cleaned(_ source: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(source.count)
        var previous: UInt8 = 0x20
        for byte in source {
            switch byte {
            case ASCII.carriageReturn: result.append(ASCII.lineFeed)
            case ASCII.lineFeed where previous == ASCII.carriageReturn: break
            case 0: result += "\u{FFFD}".utf8
            default: result.append(byte)
            }
            previous = byte
        }
        return result
    }
}
