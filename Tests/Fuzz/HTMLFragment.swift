// sources: Sources/Markup Tests/Fuzz/Support
// Any fragment: what the sanitiser lets through is well-formed, and goes through it unchanged a second time.

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: data, count: size), as: UTF8.self)
    let once = Sanitizer.html(text)
    checkWellFormed(once.bytes, isFragment: false)
    checkWellFormed(Sanitizer.html(once.text).bytes, isFragment: false)
    return 0
}
