// One language inside another: script in HTML, fences in Markdown, here-documents and `-c` programs in shell. The host's
// frame notes which language; the guest's frames lie above it until the host finds its own end mark.

/// What a host needs to run a guest.
enum Embedded {
    /// The note for a frame: a language's place in the list, plus 1; 0 when there is no such language.
    static func note(_ name: String) -> UInt8 {
        guard let index = Highlight.Language.index(named: name), index < Int(UInt8.max) else { return 0 }
        return UInt8(index + 1)
    }

    /// Runs the noted guest over `x.position..<end`.
    ///
    /// Its ground frame is at `base`. Without a guest the part is `kind`.
    static func run(_ x: inout Scanner, note: UInt8, to end: Int, base: Int, kind: Highlight.Kind = .plain) {
        guard end > x.position else { return }
        guard note > 0, base < HighlightLimits.nesting else {
            let start = x.position
            x.position = end
            x.emit(kind, from: start)
            return
        }
        x.run(Highlight.Language.at(Int(note) - 1), from: x.position, to: end, base: base)
    }

    /// Forgets the guest's frames.
    static func end(_ x: inout Scanner, base: Int) {
        if x.frames.count > base { x.frames.removeSubrange(base...) }
    }
}
