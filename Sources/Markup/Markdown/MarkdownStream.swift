// A chat message while it is being written. Top-level blocks that can change no more are rendered once and handed over;
// only the unfinished end is read again. What an update costs does not depend on the length of the message.

/// Markdown that arrives in pieces.
///
/// Append what comes, ask for an ``update()`` as often as the page is painted, and ``finish()`` at the end. A message
/// is shown as its closed blocks in order, then the tail.
package struct MarkdownStream: Sendable {
    /// What changed since the last update.
    package struct Update: Sendable, Equatable {
        /// Blocks that are final now.
        ///
        /// They come after those of earlier updates.
        package var closed: [HTML] = []
        /// What follows the closed blocks for the time being.
        ///
        /// It replaces the tail of the last update.
        package var tail = HTML()
    }

    /// What is left to do when the message is complete.
    package struct Completion: Sendable, Equatable {
        /// Closed blocks, by their number from 0, that look different in the light of what came later: a link or
        /// footnote defined at the end.
        package var replaced: [Int: HTML] = [:]
        /// The blocks that were in the tail, and the footnotes.
        package var closed: [HTML] = []
    }

    private let dialect: Dialect
    /// The message so far, line ends normalised.
    private var source: [UInt8] = []
    private var endsInCarriageReturn = false
    /// Where the tail begins.
    private var tailStart = 0
    /// Length of the source at the last update, and when the tail was last rendered.
    private var renderedLength = -1
    private var closed: [HTML] = []
    private var references = References()
    private var names = HeadingNames()
    private var paddedCells = 0
    /// Something was defined that blocks in front of it may refer to.
    private var needsFreshRender = false

    package init(options: Markdown.Options = .chat) { dialect = Dialect(options: options) }

    /// Bytes of the message so far.
    package var byteCount: Int { source.count }

    /// Takes the next piece.
    ///
    /// Costs as much as copying it.
    package mutating func append(_ text: String) {
        let start = source.count
        source += text.utf8
        if start == 0, source.starts(with: Markdown.byteOrderMark) { source.removeFirst(Markdown.byteOrderMark.count) }
        let isClean = source[start...].allSatisfy { $0 != ASCII.carriageReturn && $0 != 0 }
        guard !isClean || endsInCarriageReturn else { return }
        let piece = Array(source[start...])
        source.removeSubrange(start...)
        for byte in piece {
            switch byte {
            case ASCII.carriageReturn: source.append(ASCII.lineFeed)
            case ASCII.lineFeed where endsInCarriageReturn: break
            case 0: source += "\u{FFFD}".utf8
            default: source.append(byte)
            }
            endsInCarriageReturn = byte == ASCII.carriageReturn
        }
    }

    /// What changed since the last update.
    ///
    /// - Returns: nil when nothing came, or so little that reading a very long tail again does not pay yet
    ///   (``MarkdownLimits/eagerTail``): total work stays linear.
    package mutating func update() -> Update? {
        let tail = source.count - tailStart
        let news = source.count - max(renderedLength, 0)
        guard news > 0 || renderedLength < 0 else { return nil }
        if tail > MarkdownLimits.eagerTail, news < tail / 8 { return nil }
        renderedLength = source.count

        var update = Update()
        let start = tailStart
        let (next, html) = Self.withTail(of: source, from: start) { view in
            let shown = GrowingText.withoutMarkerLine(view, view.count)
            var blocks = BlockParser(view, dialect: dialect, references: references)
            blocks.isGrowing = true
            var whole = view.count
            while whole > 0, view[whole - 1] != ASCII.lineFeed { whole -= 1 }
            blocks.parse(from: 0, to: whole)
            // Everything but the last open block is final, and so are the definitions it held.
            let firstOpen = blocks.open.count > 1 ? Int(blocks.open[1]) : -1
            let open = firstOpen >= 0 ? Int(blocks.nodes[firstOpen].sourceLine) : whole
            let next = min(open, blocks.provisionalStart)
            let carried = next == open ? blocks.references : references
            if shown > whole { blocks.parse(from: whole, to: shown) }
            blocks.finish()
            needsFreshRender = needsFreshRender || blocks.hasDefinitions
            // What is closed already must not be shown as if it went on.
            let last = blocks.nodes[0].lastChild
            blocks.isGrowing = last >= 0 && Int(blocks.nodes[Int(last)].sourceLine) >= next

            var renderer = BlockRenderer(blocks)
            renderer.names = names
            var index = Int(renderer.blocks.nodes[0].firstChild)
            while index >= 0, Int(renderer.blocks.nodes[index].sourceLine) < next {
                renderer.output.removeAll()
                renderer.render(block: index)
                update.closed.append(HTML(rendered: renderer.output.array()))
                index = Int(renderer.blocks.nodes[index].next)
            }
            names = renderer.names
            references = carried
            paddedCells += renderer.paddedCellCount
            renderer.output.removeAll()
            while index >= 0 {
                renderer.render(block: index)
                index = Int(renderer.blocks.nodes[index].next)
            }
            return (next, renderer.output.array())
        }
        tailStart = start + next
        closed += update.closed
        update.tail = HTML(rendered: html)
        return update
    }

    /// Ends the message, so that what is shown equals ``Markdown/html(_:options:)``.
    ///
    /// When links or footnotes were defined, the whole of it is read once more; else only the tail.
    package mutating func finish() -> Completion {
        var completion = Completion()
        if !needsFreshRender, let blocks = tailBlocks() {
            completion.closed = blocks
            closed += blocks
            tailStart = source.count
            return completion
        }
        let fresh = Markdown.blocks(source, dialect)
        for (index, html) in fresh.enumerated() {
            if index >= closed.count {
                completion.closed.append(html)
            } else if html != closed[index] {
                completion.replaced[index] = html
            }
        }
        closed = fresh
        tailStart = source.count
        return completion
    }

    /// The tail as final blocks; nil when it defines something, or tables were padded so much that the limit may count.
    private mutating func tailBlocks() -> [HTML]? {
        Self.withTail(of: source, from: tailStart) { view in
            var blocks = BlockParser(view, dialect: dialect)
            blocks.parse()
            blocks.finish()
            guard !blocks.hasDefinitions else { return nil }
            var renderer = BlockRenderer(blocks)
            renderer.names = names
            let result = renderer.renderBlocks()
            return paddedCells + renderer.paddedCellCount > MarkdownLimits.paddedCells ? nil : result
        }
    }

    /// The whole message as it is shown after ``finish()``.
    package var html: HTML {
        var all = HTML()
        for block in closed { all += block }
        return all
    }

    private static func withTail<Result>(of source: [UInt8], from start: Int, _ body: (ByteView) -> Result) -> Result {
        unsafe source.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else {
                let empty: StaticString = " "
                return body(unsafe ByteView(empty.utf8Start, count: 0))
            }
            return body(unsafe ByteView(base + start, count: buffer.count - start))
        }
    }
}
