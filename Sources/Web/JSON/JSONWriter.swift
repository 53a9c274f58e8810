// Writes JSON text straight into bytes. The caller keeps the order of calls right; commas are put in by the writer.

/// Builds compact JSON text.
///
/// ```swift
/// var writer = JSONWriter()
/// writer.beginObject()
/// writer.member("type", "heartbeat")
/// writer.key("payload"); writer.beginObject(); writer.endObject()
/// writer.endObject()
/// send(writer.bytes)
/// ```
package struct JSONWriter: Sendable {
    /// What was written so far.
    package private(set) var bytes: [UInt8]
    /// A value was written at this level, so that another one needs a comma before it.
    private var needsComma = false

    package init(capacity: Int = 256) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Forgets what was written and keeps the memory.
    package mutating func reset() {
        bytes.removeAll(keepingCapacity: true)
        needsComma = false
    }

    // MARK: Structure

    package mutating func beginObject() { open(UInt8(ascii: "{")) }
    package mutating func endObject() { close(UInt8(ascii: "}")) }
    package mutating func beginArray() { open(UInt8(ascii: "[")) }
    package mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The key of the member whose value is written next.
    ///
    /// `name` is written as it is: it must need no escapes.
    package mutating func key(_ name: StaticString) {
        comma()
        needsComma = false
        bytes.append(UInt8(ascii: "\""))
        unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// The key of the member whose value is written next.
    @_disfavoredOverload
    package mutating func key(_ name: String) {
        comma()
        needsComma = false
        quote(name)
        bytes.append(UInt8(ascii: ":"))
    }

    // MARK: Values

    package mutating func string(_ text: String) {
        comma()
        needsComma = true
        quote(text)
    }

    /// A string given as its bytes, which must be UTF-8.
    package mutating func string(utf8 text: [UInt8]) {
        comma()
        needsComma = true
        unsafe text.withUnsafeBytes { unsafe quote($0) }
    }

    package mutating func integer(_ value: Int) { integer(Int64(value)) }

    package mutating func integer(_ value: Int64) {
        comma()
        needsComma = true
        digits(value)
    }

    /// The shortest spelling that reads back as `value`; infinity and NaN, which JSON lacks, become `null`.
    package mutating func double(_ value: Double) { self.value(JSON(value)) }

    package mutating func bool(_ value: Bool) { literal(value ? "true" : "false") }
    package mutating func null() { literal("null") }

    /// A value that is JSON text already.
    package mutating func raw(_ json: [UInt8]) {
        comma()
        needsComma = true
        bytes += json
    }

    /// A value that is JSON text already.
    package mutating func raw(_ json: ArraySlice<UInt8>) {
        comma()
        needsComma = true
        bytes += json
    }

    /// A whole value.
    package mutating func value(_ value: JSON) {
        switch value {
        case .null: null()
        case .bool(let flag): bool(flag)
        case .integer(let number): integer(number)
        case .number(let literal): raw(Array(literal.utf8))
        case .string(let text): string(text)
        case .array(let elements):
            beginArray()
            for element in elements { self.value(element) }
            endArray()
        case .object(let members):
            beginObject()
            for member in members {
                key(member.key)
                self.value(member.value)
            }
            endObject()
        }
    }

    // MARK: Members

    package mutating func member(_ name: StaticString, _ value: String) { key(name); string(value) }
    package mutating func member(_ name: StaticString, _ value: Int) { key(name); integer(value) }
    package mutating func member(_ name: StaticString, _ value: Int64) { key(name); integer(value) }
    package mutating func member(_ name: StaticString, _ value: Bool) { key(name); bool(value) }
    package mutating func member(_ name: StaticString, _ value: JSON) { key(name); self.value(value) }

    /// Writes the member unless the value is nil.
    package mutating func member(_ name: StaticString, ifPresent value: String?) {
        if let value { member(name, value) }
    }
    /// Writes the member unless the value is nil.
    package mutating func member(_ name: StaticString, ifPresent value: Int?) { if let value { member(name, value) } }
    /// Writes the member unless the value is nil.
    package mutating func member(_ name: StaticString, ifPresent value: Int64?) { if let value { member(name, value) } }
    /// Writes the member unless the value is nil.
    package mutating func member(_ name: StaticString, ifPresent value: Bool?) { if let value { member(name, value) } }

    // MARK: Bytes

    @inline(__always)
    private mutating func comma() { if needsComma { bytes.append(UInt8(ascii: ",")) } }

    private mutating func open(_ bracket: UInt8) {
        comma()
        needsComma = false
        bytes.append(bracket)
    }

    private mutating func close(_ bracket: UInt8) {
        needsComma = true
        bytes.append(bracket)
    }

    private mutating func literal(_ spelling: StaticString) {
        comma()
        needsComma = true
        unsafe bytes.append(
            contentsOf: UnsafeBufferPointer(start: spelling.utf8Start, count: spelling.utf8CodeUnitCount)
        )
    }

    private mutating func digits(_ value: Int64) {
        if value >= 0, value < 10 {
            bytes.append(UInt8(ascii: "0") + UInt8(value))
            return
        }
        // Int64.min has 19 digits and a sign.
        unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = value.magnitude
            var start = 20
            repeat {
                let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                unsafe digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: remainder)
                rest = quotient
            } while rest > 0
            if value < 0 {
                start -= 1
                unsafe digits[start] = UInt8(ascii: "-")
            }
            unsafe bytes.append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    private mutating func quote(_ text: String) {
        var text = text
        text.withUTF8 { unsafe quote(UnsafeRawBufferPointer($0)) }
    }

    /// Writes a string with its quotes: runs that need no escape are copied whole.
    private mutating func quote(_ text: UnsafeRawBufferPointer) {
        bytes.append(UInt8(ascii: "\""))
        var scanner = unsafe JSONScanner(text, from: 0)
        while scanner.index < scanner.count {
            let start = scanner.index
            let special = scanner.plainEnd()
            if special > start { unsafe bytes.append(contentsOf: scanner.slice(start..<special)) }
            guard special < scanner.count else { break }
            escape(scanner.byte(special))
            scanner.index = special + 1
        }
        bytes.append(UInt8(ascii: "\""))
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let low = byte & 0x0F
            bytes += "u00".utf8
            bytes.append(UInt8(ascii: "0") + (byte >> 4))
            bytes.append(low < 10 ? UInt8(ascii: "0") + low : UInt8(ascii: "a") + low - 10)
        }
    }
}

extension JSONScanner {
    /// The offset of the next byte from `index` on that a JSON string may not hold as it is; `count` when there is none.
    @inline(__always)
    func plainEnd() -> Int {
        var place = index
        while place + 8 <= count {
            let found = JSONScanner.specials(word(place))
            if found != 0 { return place + found.trailingZeroBitCount >> 3 }
            place += 8
        }
        while place < count {
            let byte = byte(place)
            if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return place }
            place += 1
        }
        return count
    }
}
