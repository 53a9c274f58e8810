// sources: Sources/Markup Tests/Fuzz/Support
// Any text: the chat rendering is well-formed and holds only what chat may hold, whatever the pieces it came in; the
// reference rendering takes any extensions. Byte 0 chooses the extensions and the size of pieces.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size > 0 else { return 0 }
    let choice = data[0]
    let text = String(decoding: UnsafeBufferPointer(start: data + 1, count: size - 1), as: UTF8.self)
    let extensions = Markdown.Extension.allCases.enumerated().filter { choice >> $0.offset & 1 == 1 }.map(\.element)
    _ = Markdown.specHTML(text, extensions: Set(extensions))

    let fresh = Markdown.html(text)
    checkWellFormed(fresh.bytes, isFragment: false)

    var stream = MarkdownStream()
    var closed: [HTML] = []
    var rest = text.unicodeScalars[...]
    while !rest.isEmpty {
        stream.append(String(String.UnicodeScalarView(rest.prefix(1 + Int(choice >> 4)))))
        rest = rest.dropFirst(1 + Int(choice >> 4))
        guard let update = stream.update() else { continue }
        closed += update.closed
        checkWellFormed(update.tail.bytes, isFragment: true)
    }
    let completion = stream.finish()
    for (number, html) in completion.replaced { closed[number] = html }
    var whole = HTML()
    for html in closed + completion.closed { whole += html }
    precondition(whole == fresh, "a stream ends differently from a fresh render")
    return 0
}
