// The two byte containers of the Markdown renderer: a window to read from and a buffer to write to. All unsafe
// operations of `Markdown/` live here. Every read is checked against the window, so hostile text can at worst stop the
// program, never read past its end. The owner of the bytes (`Markdown.swift`) outlives every window on them.
import Glibc

/// A window of UTF-8 bytes.
///
/// Whoever makes one keeps the memory alive while it is used.
@safe struct ByteView {
    private let base: UnsafePointer<UInt8>
    let count: Int

    init(_ base: UnsafePointer<UInt8>, count: Int) {
        unsafe self.base = unsafe base
        self.count = count
    }

    @inline(__always)
    subscript(index: Int) -> UInt8 {
        precondition(UInt(bitPattern: index) < UInt(bitPattern: count))
        return unsafe base[index]
    }

    /// The byte at `index`, or 0 where there is none.
    ///
    /// NUL itself never occurs in prepared text.
    @inline(__always)
    func peek(_ index: Int) -> UInt8 {
        UInt(bitPattern: index) < UInt(bitPattern: count) ? unsafe base[index] : 0
    }

    /// The first position of `byte` in `from..<to`, or nil.
    @inline(__always)
    func find(_ byte: UInt8, from: Int, to: Int) -> Int? {
        precondition(from >= 0 && from <= to && to <= count)
        guard let hit = unsafe memchr(base + from, Int32(byte), to - from) else { return nil }
        return unsafe UnsafeRawPointer(hit) - UnsafeRawPointer(base)
    }

    /// The first position in `from..<to` whose byte is marked in `table`, or `to`.
    @inline(__always)
    func firstMarked(in table: ByteTable, from: Int, to: Int) -> Int {
        precondition(from >= 0 && from <= to && to <= count)
        return unsafe table.marks.withUnsafeBufferPointer { marks in
            var index = from
            while index < to, unsafe marks[Int(base[index])] == 0 { index += 1 }
            return index
        }
    }

    /// Like ``firstMarked(in:from:to:)`` for tables without small letters, spaces and non-ASCII: eight bytes at a time.
    @inline(__always)
    func firstInlineMark(in table: ByteTable, from: Int, to: Int) -> Int {
        precondition(from >= 0 && from <= to && to <= count)
        return unsafe table.marks.withUnsafeBufferPointer { marks in
            var index = from
            while index + 8 <= to {
                let word = unsafe UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self)
                var candidates = EightBytes.otherThanLettersAndSpaces(word)
                while candidates != 0 {
                    let hit = index + candidates.trailingZeroBitCount / 8
                    if unsafe marks[Int(base[hit])] != 0 { return hit }
                    candidates &= candidates &- 1
                }
                index += 8
            }
            while index < to, unsafe marks[Int(base[index])] == 0 { index += 1 }
            return index
        }
    }

    /// Whether `text` stands at `index`.
    @inline(__always)
    func starts(with text: StaticString, at index: Int, before end: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index >= 0, index + length <= end, end <= count else { return false }
        return unsafe memcmp(base + index, text.utf8Start, length) == 0
    }

    /// Whether `text` (lower case ASCII) stands at `index`, in any case.
    func startsIgnoringCase(with text: StaticString, at index: Int, before end: Int) -> Bool {
        let length = text.utf8CodeUnitCount
        guard index >= 0, index + length <= end, end <= count else { return false }
        for offset in 0..<length where unsafe ASCII.lower(base[index + offset]) != text.utf8Start[offset] {
            return false
        }
        return true
    }

    /// A copy of `from..<to`.
    func array(_ from: Int, _ to: Int) -> [UInt8] {
        precondition(from >= 0 && from <= to && to <= count)
        return unsafe Array(UnsafeBufferPointer(start: base + from, count: to - from))
    }

    /// A copy of `from..<to` as text.
    func string(_ from: Int, _ to: Int) -> String {
        precondition(from >= 0 && from <= to && to <= count)
        return unsafe String(decoding: UnsafeBufferPointer(start: base + from, count: to - from), as: UTF8.self)
    }

    /// For ``ByteBuffer`` alone: the address of a range that was checked.
    @inline(__always)
    fileprivate func pointer(_ from: Int, _ to: Int) -> UnsafePointer<UInt8> {
        precondition(from >= 0 && from <= to && to <= count)
        return unsafe base + from
    }
}

/// A set of byte values, looked up by index.
struct ByteTable: Sendable {
    fileprivate let marks: [UInt8]

    init(marking bytes: some Sequence<UInt8>) {
        var marks = [UInt8](repeating: 0, count: 256)
        for byte in bytes { marks[Int(byte)] = 1 }
        self.marks = marks
    }
}

/// Questions about eight bytes at once; an answer has the high bit of each byte set for which it is yes, and is exact
/// for the lowest such byte.
enum EightBytes {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    /// Bytes that are neither `a...z`, `{`, `|`, `}`, space (or `!` behind one) nor beyond ASCII.
    @inline(__always)
    static func otherThanLettersAndSpaces(_ word: UInt64) -> UInt64 {
        let low = word & ~highBits
        let fromSmallA = low &+ 0x1F * ones
        let fromTilde = low &+ 0x02 * ones
        let spaces = word ^ 0x20 * ones
        return ~(fromSmallA & ~fromTilde | word | (spaces &- ones) & ~spaces) & highBits
    }

    /// Bytes that are `"`, `&`, `<` or `>`: the two of a pair differ in one bit.
    @inline(__always)
    static func needingEscape(_ word: UInt64) -> UInt64 {
        let quotes = (word | 0x04 * ones) ^ 0x26 * ones
        let angles = (word | 0x02 * ones) ^ 0x3E * ones
        return ((quotes &- ones) & ~quotes | (angles &- ones) & ~angles) & highBits
    }
}

/// A growing run of bytes with cheap appends.
@safe struct ByteBuffer: ~Copyable {
    private var base: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    private(set) var count = 0
    /// The memory is somebody else's: not freed here.
    private var isBorrowed = false

    init(capacity: Int) {
        self.capacity = max(capacity, 64)
        unsafe base = UnsafeMutablePointer<UInt8>.allocate(capacity: self.capacity)
    }

    /// A buffer that begins in `memory` and moves out of it when that is full.
    init(borrowing memory: UnsafeMutableBufferPointer<UInt8>) {
        capacity = max(memory.count, 64)
        isBorrowed = memory.count >= 64
        if let start = memory.baseAddress, isBorrowed {
            unsafe base = start
        } else {
            unsafe base = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
            isBorrowed = false
        }
    }

    deinit { if !isBorrowed { unsafe base.deallocate() } }

    /// Makes an array of what `body` writes, without a copy when it fits into `capacity`.
    static func array(capacity: Int, _ body: (consuming ByteBuffer) -> ByteBuffer) -> [UInt8] {
        var overflow: [UInt8]?
        let fitting = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { memory, count in
            let buffer = body(unsafe ByteBuffer(borrowing: memory))
            if buffer.isBorrowed { count = buffer.count } else { overflow = buffer.array() }
        }
        return overflow ?? fitting
    }

    /// A window on what was written so far; valid until the next append.
    var view: ByteView { unsafe ByteView(base, count: count) }

    /// The last byte, or a line feed when nothing was written.
    var last: UInt8 { count > 0 ? unsafe base[count - 1] : ASCII.lineFeed }

    @inline(__always)
    private mutating func reserve(_ extra: Int) {
        if extra > capacity - count { grow(extra) }
    }

    @inline(never)
    private mutating func grow(_ extra: Int) {
        let wanted = max(capacity * 2, count + extra)
        let larger = UnsafeMutablePointer<UInt8>.allocate(capacity: wanted)
        unsafe larger.update(from: base, count: count)
        if !isBorrowed { unsafe base.deallocate() }
        isBorrowed = false
        unsafe base = larger
        capacity = wanted
    }

    @inline(__always)
    mutating func append(_ byte: UInt8) {
        reserve(1)
        unsafe base[count] = byte
        count += 1
    }

    @inline(__always)
    mutating func append(_ text: StaticString) {
        let length = text.utf8CodeUnitCount
        reserve(length)
        unsafe (base + count).update(from: text.utf8Start, count: length)
        count += length
    }

    @inline(__always)
    mutating func append(_ view: ByteView, _ from: Int, _ to: Int) {
        let start = unsafe view.pointer(from, to)
        reserve(to - from)
        unsafe memcpy(base + count, start, to - from)
        count += to - from
    }

    mutating func append(_ bytes: [UInt8]) {
        reserve(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { source in
            if let start = source.baseAddress { unsafe (base + count).update(from: start, count: source.count) }
        }
        count += bytes.count
    }

    mutating func append(string text: String) {
        for byte in text.utf8 { append(byte) }
    }

    mutating func append(decimal number: Int) { append(string: String(number)) }

    mutating func append(scalar: Unicode.Scalar) {
        let value = scalar.value
        if value < 0x80 {
            append(UInt8(value))
        } else if value < 0x800 {
            append(UInt8(0xC0 | value >> 6))
            append(UInt8(0x80 | value & 0x3F))
        } else {
            if value < 0x10000 {
                append(UInt8(0xE0 | value >> 12))
            } else {
                append(UInt8(0xF0 | value >> 18))
                append(UInt8(0x80 | value >> 12 & 0x3F))
            }
            append(UInt8(0x80 | value >> 6 & 0x3F))
            append(UInt8(0x80 | value & 0x3F))
        }
    }

    /// Forgets everything after the first `length` bytes.
    mutating func truncate(to length: Int) {
        precondition(length >= 0 && length <= count)
        count = length
    }

    mutating func removeAll() { count = 0 }

    /// Starts a new line unless one just began.
    @inline(__always)
    mutating func freshLine() {
        if count > 0, unsafe base[count - 1] != ASCII.lineFeed { append(ASCII.lineFeed) }
    }

    /// Appends text as HTML: `&`, `<`, `>` and `"` become references.
    ///
    /// Good inside double-quoted attributes too.
    mutating func appendEscaped(_ view: ByteView, _ from: Int, _ to: Int) {
        let source = unsafe view.pointer(from, to)
        let length = to - from
        reserve(length)
        var start = 0
        var index = 0
        while index < length {
            if index + 8 <= length {
                let word = unsafe UnsafeRawPointer(source + index).loadUnaligned(as: UInt64.self)
                let hits = EightBytes.needingEscape(word)
                if hits == 0 {
                    index += 8
                    continue
                }
                index += hits.trailingZeroBitCount / 8
            }
            let byte = unsafe source[index]
            if ASCII.needsEscape(byte) {
                unsafe memcpy(base + count, source + start, index - start)
                count += index - start
                switch byte {
                case UInt8(ascii: "&"): append("&amp;")
                case UInt8(ascii: "<"): append("&lt;")
                case UInt8(ascii: ">"): append("&gt;")
                default: append("&quot;")
                }
                start = index + 1
                reserve(length - start)
            }
            index += 1
        }
        unsafe memcpy(base + count, source + start, length - start)
        count += length - start
    }

    mutating func appendEscaped(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe appendEscaped(ByteView(start, count: source.count), 0, source.count)
        }
    }

    /// All bytes as an array.
    func array() -> [UInt8] { unsafe Array(UnsafeBufferPointer(start: base, count: count)) }
}

/// Byte values and classes of ASCII as CommonMark groups them.
enum ASCII {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let backslash: UInt8 = 0x5C

    @inline(__always) static func isSpaceOrTab(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// Space, tab, line feed, vertical tab, form feed, carriage return.
    @inline(__always) static func isWhitespace(_ byte: UInt8) -> Bool { byte == space || (byte >= 9 && byte <= 13) }

    @inline(__always) static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }
    @inline(__always) static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }
    @inline(__always) static func isAlphanumeric(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
    @inline(__always) static func isHexDigit(_ byte: UInt8) -> Bool { isDigit(byte) || (byte | 0x20) &- 0x61 < 6 }
    @inline(__always) static func lower(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    @inline(__always) static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }

    @inline(__always) static func needsEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""): true
        default: false
        }
    }
}
