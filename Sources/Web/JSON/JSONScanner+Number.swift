// Numbers of RFC 8259 section 6, the three literals, and values that are passed over without being read.

extension JSONScanner {
    /// A number as it stands in the text.
    struct RawNumber {
        var range: Range<Int>
        /// No fraction and no exponent.
        var isInteger: Bool
        /// The value, when it is an integer in the range of Int64 (and not -0, which has no integer).
        var integer: Int64?
    }

    /// Passes the number that comes next.
    mutating func number() throws(JSONError) -> RawNumber {
        let first = try next()
        guard first == UInt8(ascii: "-") || (first &- 0x30) < 10 else { throw .wrongKind(offset: index) }
        let start = index
        let isNegative = first == UInt8(ascii: "-")
        if isNegative { index += 1 }

        var magnitude: UInt64 = 0
        var overflows = false
        let digits = index
        while index < count, byte(index) &- 0x30 < 10 {
            let (product, high) = magnitude.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(byte(index) &- 0x30))
            overflows = overflows || high || carry
            magnitude = sum
            index += 1
        }
        guard index > digits else {
            guard index < count else { throw .endsEarly }
            throw .unexpectedByte(offset: index)
        }
        if byte(digits) == UInt8(ascii: "0"), index > digits + 1 { throw .unexpectedByte(offset: digits + 1) }

        var isInteger = true
        if index < count, byte(index) == UInt8(ascii: ".") {
            isInteger = false
            index += 1
            try passDigits()
        }
        if index < count, byte(index) | 0x20 == UInt8(ascii: "e") {
            isInteger = false
            index += 1
            if index < count, byte(index) == UInt8(ascii: "+") || byte(index) == UInt8(ascii: "-") { index += 1 }
            try passDigits()
        }
        var integer: Int64?
        if isInteger, !overflows {
            if !isNegative {
                integer = Int64(exactly: magnitude)
            } else if magnitude != 0, magnitude <= UInt64(Int64.max) + 1 {
                integer = Int64(truncatingIfNeeded: 0 &- magnitude)
            }
        }
        return RawNumber(range: start..<index, isInteger: isInteger, integer: integer)
    }

    private mutating func passDigits() throws(JSONError) {
        let start = index
        while index < count, byte(index) &- 0x30 < 10 { index += 1 }
        guard index > start else {
            guard index < count else { throw .endsEarly }
            throw .unexpectedByte(offset: index)
        }
    }

    /// Passes `true`, `false` or `null`, whose spelling starts at `index`.
    mutating func literal(_ spelling: StaticString) throws(JSONError) {
        let length = spelling.utf8CodeUnitCount
        guard index + length <= count else { throw .endsEarly }
        for offset in 0..<length {
            guard unsafe byte(index + offset) == spelling.utf8Start[offset] else {
                throw .unexpectedByte(offset: index + offset)
            }
        }
        index += length
    }

    /// Passes the next value by counting brackets: no recursion, no limit of nesting.
    ///
    /// Finds the value's end exactly in well-formed text. Of ill-formed text it notices only strings that are not closed,
    /// control characters in strings, and a text that ends early.
    mutating func skip() throws(JSONError) {
        var open = 0
        repeat {
            switch try next() {
            case UInt8(ascii: "\""):
                index += 1
                try passString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                index += 1
                open += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                guard open > 0 else { throw .unexpectedByte(offset: index) }
                index += 1
                open -= 1
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                guard open > 0 else { throw .unexpectedByte(offset: index) }
                index += 1
            case UInt8(ascii: "t"): try literal("true")
            case UInt8(ascii: "f"): try literal("false")
            case UInt8(ascii: "n"): try literal("null")
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try number()
            default: throw .unexpectedByte(offset: index)
            }
        } while open > 0
    }

    /// Passes the rest of a string whose opening quote is behind `index`, without looking into its escapes.
    @inline(__always)
    mutating func passString() throws(JSONError) {
        while true {
            while index + 8 <= count {
                let found = JSONScanner.specials(word(index))
                if found != 0 {
                    index += found.trailingZeroBitCount >> 3
                    break
                }
                index += 8
            }
            guard index < count else { throw .endsEarly }
            switch byte(index) {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"): index += 2
            case 0..<0x20: throw .unexpectedByte(offset: index)
            default: index += 1
            }
        }
    }
}
