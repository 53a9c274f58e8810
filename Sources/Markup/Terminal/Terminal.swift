// Terminal output (ECMA-48 control sequences) to HTML, by classes only. Called for command output in timelines and by
// `wheelhouse ansi`. Shows what a terminal would show at the end of the output: overwritten lines once, colours, links that
// are safe; titles, cursor journeys and half-sent sequences are dropped, and no control character reaches the page.

/// Renders terminal output.
package enum Terminal {
    /// Classed HTML of terminal output, without an element around it.
    ///
    /// Linear in its length. Classes: `a-bold a-dim a-italic a-underline a-blink a-inverse a-hidden a-strike a-overline`,
    /// `a-fg-0` … `a-fg-255` and `a-bg-0` … `a-bg-255` (xterm's palette: true colours become the nearest of it), `a-link`
    /// on links, `a-notice` for a sentence of ours.
    ///
    /// - Parameter output: raw bytes; invalid UTF-8 becomes U+FFFD, binary data a notice. Beyond
    ///   ``TerminalLimits/outputBytes`` only the end is shown, with a notice.
    package static func html(_ output: [UInt8]) -> HTML {
        var input = output[...]
        var notice = HTML()
        if input.count > TerminalLimits.outputBytes {
            let cut = input.count - TerminalLimits.outputBytes
            input = input.suffix(TerminalLimits.outputBytes)
            if let line = input.firstIndex(of: UInt8(ascii: "\n")) { input = input[(line + 1)...] }
            notice = "<span class=\"a-notice\">\(cut) bytes before this are not shown</span>\n"
        }
        if isBinary(input.prefix(TerminalLimits.binarySample)) {
            return "<span class=\"a-notice\">binary output, \(output.count) bytes</span>"
        }
        var screen = TerminalScreen()
        unsafe input.withUnsafeBufferPointer { buffer in
            unsafe screen.read(Bytes(buffer))
        }
        return notice + HTML(rendered: screen.finish())
    }

    /// Whether bytes are data rather than text: a NUL among them, or too many bytes that text does not have.
    private static func isBinary(_ sample: ArraySlice<UInt8>) -> Bool {
        var odd = 0
        for byte in sample {
            if byte == 0 { odd += 8 }
            if byte < 0x20, byte != 0x1B, byte != 0x08, byte != 0x07, !byte.isSpace, byte != 0x0E, byte != 0x0F {
                odd += 1
            }
        }
        return odd * 16 > max(sample.count, 64)
    }
}

/// The bounds of the terminal renderer.
package enum TerminalLimits {
    /// Of longer output only the last part is shown.
    package static let outputBytes = 8 << 20
    /// How much of the beginning decides whether output is binary.
    static let binarySample = 4096
    /// A line that is rewritten in place (carriage return, backspace) is edited up to this many cells; beyond, it goes on as text.
    package static let lineCells = 4096
    /// A longer link is text only.
    static let linkBytes = 2048
    /// Different addresses in one output; further ones are text only.
    static let links = 10_000
    /// Bytes of overwritten cells that are kept before they are thrown away.
    static let poolBytes = 1 << 20
    /// Parameters of one control sequence; later ones are ignored.
    static let parameters = 32
    /// An unfinished string sequence is given up after this many bytes.
    static let sequenceBytes = 1 << 16
}
