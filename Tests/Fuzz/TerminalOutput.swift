// sources: Sources/Markup
// Any bytes as terminal output: no control character may reach the page, elements must be balanced, only classes and safe
// links may be written.

nonisolated(unsafe) var sink = 0

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let html = Terminal.html(Array(UnsafeBufferPointer(start: data, count: size))).text
    for scalar in html.unicodeScalars {
        let isAllowed =
            scalar == "\n" || scalar == "\t" || (scalar.value >= 0x20 && !(0x7F...0x9F).contains(scalar.value))
        precondition(isAllowed, "a control character is left")
    }
    var open: [Substring] = []
    for piece in html.utf8.split(separator: UInt8(ascii: "<"), omittingEmptySubsequences: false).dropFirst() {
        let tag = Substring(piece.prefix { $0 != UInt8(ascii: ">") })
        precondition(piece.contains(UInt8(ascii: ">")), "a tag is not closed")
        if tag.hasPrefix("/") {
            precondition(open.popLast() == tag.dropFirst(), "elements are not balanced")
        } else {
            precondition(
                tag.hasPrefix("span class=\"a-")
                    || tag.hasPrefix(
                        "a class=\"a-link\" rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"http"
                    )
                    || tag.hasPrefix(
                        "a class=\"a-link\" rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"mailto:"
                    ),
                "another element: \(tag)"
            )
            open.append(tag.prefix { $0 != " " })
        }
    }
    precondition(open.isEmpty, "an element is left open")
    sink &+= html.utf8.count
    return 0
}
