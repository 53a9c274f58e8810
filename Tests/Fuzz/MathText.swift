// sources: Sources/Markup Tests/Fuzz/Support
// Any TeX becomes well-formed MathML, or is shown as its source.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    guard size <= MarkdownLimits.formulaBytes else { return 0 }
    let tex = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
    checkWellFormed(Math.html(tex, isDisplay: size % 2 == 0).bytes, isFragment: false)
    return 0
}
