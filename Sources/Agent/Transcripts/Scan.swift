// Finds things in the bytes of one JSON record without building anything: where a value ends, which members an object has,
// what a string says. The readers of transcripts call it; most bytes of a transcript are passed over here and nowhere else.
// It is lenient where RFC 8259 is strict (control characters in strings, odd numbers), because a reader must survive
// anything, but brackets, strings and commas must be right, or the line is no record.

/// A name found in JSON, as a number that can be switched over.
///
/// Two names with one number do not occur among ours.
struct Key: Equatable {
    let hash: UInt64

    init(_ name: StaticString) {
        var state = Scan.hashStart(count: name.utf8CodeUnitCount)
        var word: UInt64 = 0
        var filled: UInt64 = 0
        name.withUTF8Buffer { buffer in
            for index in 0..<buffer.count {
                word |= UInt64(unsafe buffer[index]) << (filled * 8)
                filled += 1
                if filled == 8 {
                    state = Scan.hashStep(state, word)
                    word = 0
                    filled = 0
                }
            }
        }
        hash = filled > 0 ? Scan.hashStep(state, word) : state
    }

    init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
        hash = Scan.hash(bytes, range)
    }
}

/// What kind of JSON value begins with a byte.
enum ValueKind {
    case object, array, string, number, literal, none
}

/// One member of an object: the name between its quotes, and the value with its quotes or brackets.
struct Member {
    var name: Range<Int>
    var value: Range<Int>
}

enum Scan {
    // MARK: Hashes

    static func hashStart(count: Int) -> UInt64 { 0x9E37_79B9_7F4A_7C15 ^ UInt64(truncatingIfNeeded: count) }

    static func hashStep(_ state: UInt64, _ word: UInt64) -> UInt64 {
        let mixed = (state ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
        return mixed.high ^ mixed.low ^ (word &* 0xE703_7ED1_A0B4_28DB)
    }

    /// A 64-bit fingerprint of the bytes in `range`, the same in every run.
    static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
        var state = hashStart(count: range.count)
        var index = range.lowerBound
        let raw = unsafe bytes.bytes
        while index + 8 <= range.upperBound {
            // The bound was checked by the loop; the load itself checks it against the span again.
            state = unsafe hashStep(state, raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
            index += 8
        }
        guard index < range.upperBound else { return state }
        var word: UInt64 = 0
        var shift: UInt64 = 0
        while index < range.upperBound {
            word |= UInt64(bytes[index]) << shift
            shift += 8
            index += 1
        }
        return hashStep(state, word)
    }

    // MARK: Values

    static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A }

    static func skipBlanks(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
        var index = start
        while index < end, isBlank(bytes[index]) { index += 1 }
        return index
    }

    static func kind(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> ValueKind {
        guard let value, !value.isEmpty else { return .none }
        switch bytes[value.lowerBound] {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return .number
        default: return .literal
        }
    }

    /// The index behind the closing quote of the string whose content begins at `start`, or nil when it does not end.
    static func endOfString(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var index = start
        let raw = unsafe bytes.bytes
        let quote = SIMD16<UInt8>(repeating: UInt8(ascii: "\"")), slash = SIMD16<UInt8>(repeating: UInt8(ascii: "\\"))
        while index < end {
            while index + 16 <= end {
                let chunk = unsafe raw.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self)
                let hits = (chunk .== quote) .| (chunk .== slash)
                let lanes = unsafe unsafeBitCast(hits, to: SIMD2<UInt64>.self)
                if lanes[0] != 0 {
                    index += lanes[0].trailingZeroBitCount / 8
                    break
                }
                if lanes[1] != 0 {
                    index += 8 + lanes[1].trailingZeroBitCount / 8
                    break
                }
                index += 16
            }
            guard index < end else { return nil }
            switch bytes[index] {
            case UInt8(ascii: "\""): return index + 1
            case UInt8(ascii: "\\"): index += 2
            default: index += 1
            }
        }
        return nil
    }

    /// The index behind the value that begins at `start` (no blanks before it), or nil when it is broken.
    ///
    /// Depth costs nothing here: brackets are only counted, so 600 of them are as good as one.
    static func endOfValue(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
        guard start < end else { return nil }
        switch bytes[start] {
        case UInt8(ascii: "\""): return endOfString(bytes, start + 1, end)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var depth = 0
            var index = start
            while index < end {
                switch bytes[index] {
                case UInt8(ascii: "\""):
                    guard let next = endOfString(bytes, index + 1, end) else { return nil }
                    index = next
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    depth += 1
                    index += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    index += 1
                    if depth == 0 { return index }
                case 0: return nil
                default: index += 1
                }
            }
            return nil
        case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "-"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            var index = start + 1
            while index < end {
                switch bytes[index] {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."),
                    UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "E"):
                    index += 1
                default: return index
                }
            }
            return index
        default: return nil
        }
    }

    /// The members of an object, one after the other.
    struct Members {
        private var index: Int
        private let end: Int
        private var isFirst = true
        /// The object was not well-formed: what came before is good, nothing comes after.
        private(set) var isBroken = false
        /// The index behind the closing bracket, once `next` returned nil and `isBroken` is false.
        private(set) var endIndex: Int

        /// - Parameter object: begins at the opening bracket; may reach further than the closing one.
        init(_ object: Range<Int>) {
            index = object.lowerBound + 1
            end = object.upperBound
            endIndex = object.upperBound
        }

        mutating func next(_ bytes: Span<UInt8>) -> Member? {
            index = Scan.skipBlanks(bytes, index, end)
            guard index < end else { return fail() }
            if bytes[index] == UInt8(ascii: "}") {
                endIndex = index + 1
                return nil
            }
            if !isFirst {
                guard bytes[index] == UInt8(ascii: ",") else { return fail() }
                index = Scan.skipBlanks(bytes, index + 1, end)
            }
            isFirst = false
            guard index < end, bytes[index] == UInt8(ascii: "\""),
                let nameEnd = Scan.endOfString(bytes, index + 1, end)
            else { return fail() }
            let name = index + 1..<nameEnd - 1
            index = Scan.skipBlanks(bytes, nameEnd, end)
            guard index < end, bytes[index] == UInt8(ascii: ":") else { return fail() }
            index = Scan.skipBlanks(bytes, index + 1, end)
            guard let valueEnd = Scan.endOfValue(bytes, index, end) else { return fail() }
            let value = index..<valueEnd
            index = valueEnd
            return Member(name: name, value: value)
        }

        private mutating func fail() -> Member? {
            isBroken = true
            return nil
        }
    }

    /// The elements of an array, one after the other.
    ///
    /// A broken array ends early.
    struct Elements {
        private var index: Int
        private let end: Int
        private var isFirst = true

        init(_ array: Range<Int>) {
            index = array.lowerBound + 1
            end = array.upperBound
        }

        mutating func next(_ bytes: Span<UInt8>) -> Range<Int>? {
            index = Scan.skipBlanks(bytes, index, end)
            guard index < end, bytes[index] != UInt8(ascii: "]") else { return nil }
            if !isFirst {
                guard bytes[index] == UInt8(ascii: ",") else { return nil }
                index = Scan.skipBlanks(bytes, index + 1, end)
            }
            isFirst = false
            guard let valueEnd = Scan.endOfValue(bytes, index, end) else { return nil }
            let value = index..<valueEnd
            index = valueEnd
            return value
        }
    }

    /// The members of an object found in one pass, for objects that are asked for several of them.
    struct Fields {
        private var hashes: [UInt64] = []
        private var values: [Range<Int>] = []
        /// The object was not well-formed.
        private(set) var isBroken = true
        /// The index behind the closing bracket.
        private(set) var endIndex = 0

        init() {}

        /// - Parameter object: begins at the opening bracket; may reach further than the closing one.
        init(_ bytes: Span<UInt8>, _ object: Range<Int>?) {
            guard let object, Scan.kind(bytes, object) == .object else { return }
            hashes.reserveCapacity(12)
            values.reserveCapacity(12)
            var members = Members(object)
            while let member = members.next(bytes) {
                hashes.append(Key(bytes, member.name).hash)
                values.append(member.value)
            }
            isBroken = members.isBroken
            endIndex = members.endIndex
        }

        /// The value of the last member called `key`.
        subscript(key: Key) -> Range<Int>? {
            hashes.lastIndex(of: key.hash).map { values[$0] }
        }
    }

    /// The value of the last member called `key`; nil when `object` is no object or has no such member.
    static func member(_ bytes: Span<UInt8>, _ object: Range<Int>?, _ key: Key) -> Range<Int>? {
        guard let object, kind(bytes, object) == .object else { return nil }
        var found: Range<Int>?
        var members = Members(object)
        while let member = members.next(bytes) {
            if Key(bytes, member.name) == key { found = member.value }
        }
        return found
    }

    /// How many elements an array has.
    static func count(_ bytes: Span<UInt8>, _ array: Range<Int>?) -> Int {
        guard let array, kind(bytes, array) == .array else { return 0 }
        var total = 0
        var elements = Elements(array)
        while elements.next(bytes) != nil { total += 1 }
        return total
    }

    // MARK: Scalars

    /// A string's bytes between its quotes, as they stand in the file; nil when the value is no string.
    static func inner(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Range<Int>? {
        guard let value, kind(bytes, value) == .string, value.count >= 2 else { return nil }
        return value.lowerBound + 1..<value.upperBound - 1
    }

    static func key(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Key? {
        guard let text = inner(bytes, value) else { return nil }
        return Key(bytes, text)
    }

    static func isTrue(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Bool {
        guard let value, value.count == 4 else { return false }
        return bytes[value.lowerBound] == UInt8(ascii: "t")
    }

    static func isFalse(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Bool {
        guard let value, value.count == 5 else { return false }
        return bytes[value.lowerBound] == UInt8(ascii: "f")
    }

    static func isNull(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Bool {
        guard let value else { return true }
        return bytes[value.lowerBound] == UInt8(ascii: "n")
    }

    /// The whole part of a number; nil for what is no number or does not fit.
    static func int(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Int? {
        guard let value, kind(bytes, value) == .number else { return nil }
        var index = value.lowerBound
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        var total = 0
        while index < value.upperBound, case let digit = bytes[index] &- 0x30, digit < 10 {
            let (scaled, over) = total.multipliedReportingOverflow(by: 10)
            let (sum, overSum) = scaled.addingReportingOverflow(Int(digit))
            if over || overSum { return nil }
            total = sum
            index += 1
        }
        return isNegative ? -total : total
    }

    /// A decimal number in millionths; nil for what is no number or does not fit.
    static func millionths(_ bytes: Span<UInt8>, _ value: Range<Int>?) -> Int64? {
        guard let value, kind(bytes, value) == .number, let number = Double(text(bytes, value)),
            abs(number) < 1e12
        else { return nil }
        return Int64((number * 1e6).rounded())
    }

    /// Bytes as they stand, as text; wrong UTF-8 becomes U+FFFD.
    static func text(_ bytes: Span<UInt8>, _ range: Range<Int>) -> String {
        unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Compares bytes as they stand with an ASCII prefix.
    static func hasPrefix(_ bytes: Span<UInt8>, _ range: Range<Int>, _ prefix: StaticString) -> Bool {
        guard range.count >= prefix.utf8CodeUnitCount else { return false }
        return prefix.withUTF8Buffer { buffer in
            for offset in 0..<buffer.count where unsafe bytes[range.lowerBound + offset] != buffer[offset] {
                return false
            }
            return true
        }
    }
}
