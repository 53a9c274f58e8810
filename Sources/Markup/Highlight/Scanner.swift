// What every lexer works with: the bytes, a position, the tokens so far and the stack of open constructs. Lexers are
// functions over a Scanner; they never read outside the code because reading outside gives zero.

/// A view of the code that answers 0 outside its bounds, so that looking ahead needs no checks at the call.
///
/// It is used only while the buffer is borrowed; nothing keeps it.
@safe struct Bytes {
    private let base: UnsafePointer<UInt8>?
    /// Reading at or beyond this gives 0.
    let count: Int

    init(_ buffer: UnsafeBufferPointer<UInt8>) {
        unsafe base = buffer.baseAddress
        count = buffer.count
    }

    private init(base: UnsafePointer<UInt8>?, count: Int) {
        unsafe self.base = unsafe base
        self.count = count
    }

    @inline(__always) subscript(_ index: Int) -> UInt8 {
        guard UInt(bitPattern: index) < UInt(bitPattern: count), let base = unsafe base else { return 0 }
        return unsafe base[index]
    }

    /// The same bytes with the same positions, ending earlier.
    func upTo(_ end: Int) -> Bytes { unsafe Bytes(base: base, count: max(0, min(end, count))) }

    /// Copies a part into raw memory that has room for it.
    @inline(__always) func copy(from start: Int, count length: Int, to target: UnsafeMutablePointer<UInt8>) {
        guard start >= 0, length > 0, start + length <= count, let base = unsafe base else { return }
        unsafe target.update(from: base + start, count: length)
    }

    /// Calls `body` with a part of the bytes.
    @inline(__always) func withPart(from start: Int, to end: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Void) {
        guard start >= 0, start < end, end <= count, let base = unsafe base else { return }
        unsafe body(UnsafeBufferPointer(start: base + start, count: end - start))
    }

    /// Whether `text` stands at `index`.
    @inline(__always) func has(_ text: StaticString, at index: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index >= 0, index + length <= count, let base = unsafe base else { return false }
        let wanted = unsafe text.utf8Start
        for offset in 0..<length where unsafe base[index + offset] != wanted[offset] { return false }
        return true
    }

    /// Whether `text`, given in lower case, stands at `index` in any case of its ASCII letters.
    func hasFolded(_ text: StaticString, at index: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index >= 0, index + length <= count, let base = unsafe base else { return false }
        let wanted = unsafe text.utf8Start
        for offset in 0..<length where unsafe base[index + offset].lowered != wanted[offset] { return false }
        return true
    }

    /// Whether `text` stands at `index`.
    @inline(__always) func has(_ text: [UInt8], at index: Int) -> Bool {
        guard index >= 0, index + text.count <= count, let base = unsafe base else { return false }
        for offset in 0..<text.count where unsafe base[index + offset] != text[offset] { return false }
        return true
    }

    /// The position of the next `byte` at or after `start`, or the end.
    func next(_ byte: UInt8, from start: Int) -> Int {
        var index = max(0, start)
        guard let base = unsafe base else { return count }
        while index < count, unsafe base[index] != byte { index += 1 }
        return max(index, min(start, count))
    }

    /// The position of the first `byte` in a range, or `nil`.
    func next(_ byte: UInt8, in range: Range<Int>) -> Int? {
        for index in range where self[index] == byte { return index }
        return nil
    }

    /// Whether only blanks stand before `start` on its line (a bounded look).
    func isFirst(_ start: Int) -> Bool {
        var index = start
        while index > 0, start - index < 200, self[index - 1].isBlank { index -= 1 }
        return index == 0 || self[index - 1] == UInt8(ascii: "\n")
    }

    /// The position of the line feed that ends the line of `start`, or the end.
    func lineEnd(from start: Int) -> Int { next(UInt8(ascii: "\n"), from: start) }

    /// A 32-bit digest (FNV-1a) of a part: how a frame remembers a delimiter of any length.
    func digest(from start: Int, to end: Int) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        var index = start
        while index < end {
            hash = (hash ^ UInt32(self[index])) &* 16_777_619
            index += 1
        }
        return hash
    }
}

extension [UInt8] {
    /// Calls `body` with a view of the bytes that is good for that call only.
    func borrowed<Result>(_ body: (Bytes) -> Result) -> Result {
        unsafe withUnsafeBufferPointer { buffer in unsafe body(Bytes(buffer)) }
    }
}

extension UInt8 {
    @inline(__always) var lowered: UInt8 { self &- 65 < 26 ? self | 0x20 : self }
    @inline(__always) var isDigit: Bool { self &- 48 < 10 }
    @inline(__always) var isUpper: Bool { self &- 65 < 26 }
    @inline(__always) var isLower: Bool { self &- 97 < 26 }
    @inline(__always) var isLetter: Bool { (self | 0x20) &- 97 < 26 }
    @inline(__always) var isHexDigit: Bool { isDigit || (self | 0x20) &- 97 < 6 }
    /// A letter, a digit, `_` or a byte of a character beyond ASCII.
    @inline(__always) var isWord: Bool { isLetter || isDigit || self == 0x5F || self >= 0x80 }
    @inline(__always) var isWordStart: Bool { isLetter || self == 0x5F || self >= 0x80 }
    @inline(__always) var isBlank: Bool { self == 0x20 || self == 0x09 }
    @inline(__always) var isSpace: Bool { self == 0x20 || self &- 9 < 5 }
    /// Whether it is one of a few ASCII characters.
    @inline(__always) func isOne(of set: StaticString) -> Bool {
        let bytes = unsafe set.utf8Start
        for offset in 0..<set.utf8CodeUnitCount where unsafe bytes[offset] == self { return true }
        return false
    }
    @inline(__always) var isLineEnd: Bool { self == 0x0A || self == 0x0D }
}

/// One open construct: a string, a comment, an interpolation, an embedded language, or a language's own ground.
struct Frame: Hashable, Sendable {
    /// Which construct; each lexer has its own numbers, and 0 is its ground.
    var mode: UInt8
    /// A lexer's own note (which kind of string, which embedded language).
    var flag: UInt8 = 0
    /// A depth or a count of delimiters.
    var count: UInt16 = 0
    /// What came before, or the digest of a delimiter.
    var data: UInt32 = 0
}

/// What a line leaves behind for the next: the stack of open constructs, at most ``HighlightLimits/nesting`` deep.
package struct LineState: Hashable, Sendable {
    var frames: [Frame]

    init(frames: [Frame]) { self.frames = frames }
    /// The state before the first line.
    package init() { frames = [] }
}

/// A lexer's workplace.
struct Scanner {
    /// The bytes up to the end of the part that is lexed now.
    var source: Bytes
    var position = 0
    var tokens: [Highlight.Token] = []
    var frames: [Frame]

    init(_ source: Bytes, state: LineState) {
        self.source = source
        frames = state.frames
        tokens.reserveCapacity(min(source.count, HighlightLimits.chunkBytes) / 4 + 8)
    }

    /// Lexes a part that consists of whole lines, going on from the frames at hand.
    mutating func run(_ language: Highlight.Language, from start: Int, to end: Int, base: Int = 0) {
        let whole = source
        source = whole.upTo(end)
        position = start
        language.lex(&self, base)
        source = whole
        position = end
    }

    /// Adds the token from `start` to the present position; an empty one or a plain one is not noted.
    @inline(__always) mutating func emit(_ kind: Highlight.Kind, from start: Int) {
        emit(kind, from: start, to: position)
    }

    @inline(__always) mutating func emit(_ kind: Highlight.Kind, from start: Int, to end: Int) {
        if end > start, kind != .plain { tokens.append(Highlight.Token(start: start, end: end, kind: kind)) }
    }

    /// A `#!` line where a program begins.
    mutating func skipInterpreterLine() {
        guard source.has("#!", at: position) else { return }
        let start = position
        position = source.lineEnd(from: start)
        emit(.meta, from: start)
    }

    /// Opens a construct.
    ///
    /// False, and nothing opened, when the nesting is at its bound.
    mutating func push(_ frame: Frame) -> Bool {
        guard frames.count < HighlightLimits.nesting else { return false }
        frames.append(frame)
        return true
    }

    /// The index of the top frame of the language that has its ground at `base`: below the first frame that embeds another
    /// language (`isEmbedding`), or the last of all.
    func top(above base: Int, isEmbedding: (Frame) -> Bool) -> Int {
        var index = base
        while index + 1 < frames.count, !isEmbedding(frames[index]) { index += 1 }
        return index
    }
}
