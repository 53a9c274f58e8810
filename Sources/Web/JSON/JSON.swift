// A JSON value as a whole, for control messages, settings and tests. Hot paths use `JSONReader` and `JSONWriter`.

import Glibc  // rounding a Double needs libm at link time

/// A JSON value (RFC 8259).
///
/// Strings and numbers are kept exactly.
package enum JSON: Sendable, Equatable {
    case null
    case bool(Bool)
    /// A number without fraction and exponent in the range of Int64.
    case integer(Int64)
    /// Any other number, spelled as it was.
    case number(String)
    case string(String)
    case array([JSON])
    case object(JSONObject)

    /// Reads exactly one value with white space around it.
    ///
    /// Strict RFC 8259, without a byte order mark; of a repeated key the last value wins; a lone surrogate in an escape
    /// becomes U+FFFD.
    /// - Parameter depthLimit: nested arrays and objects that are allowed.
    package init(parsing bytes: [UInt8], depthLimit: Int = JSONLimits.depth) throws(JSONError) {
        var reader = JSONReader(bytes, depthLimit: depthLimit)
        self = try reader.value()
        try reader.finish()
    }

    /// Compact JSON text.
    package func encoded() -> [UInt8] {
        var writer = JSONWriter()
        writer.value(self)
        return writer.bytes
    }

    package var isNull: Bool { self == .null }
    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }
    package var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
    package var object: JSONObject? { if case .object(let members) = self { members } else { nil } }

    /// The number, when its value is an integer; `1.0` and `1e3` are.
    package var int: Int? {
        switch self {
        case .integer(let value): Int(value)
        case .number(let literal): Double(literal).flatMap { abs($0) <= 0x1p53 ? Int(exactly: $0) : nil }
        default: nil
        }
    }

    /// The number, when a `Double` holds it without becoming infinite.
    package var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let literal): Double(literal).flatMap { $0.isFinite ? $0 : nil }
        default: nil
        }
    }

    /// The member of an object; nil for other values and missing members.
    package subscript(key: String) -> JSON? { object?[key] }

    /// The element of an array; nil for other values and outside its bounds.
    package subscript(index: Int) -> JSON? {
        guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
        return elements[index]
    }
}

extension JSON: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByStringInterpolation,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(nilLiteral: ()) { self = .null }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = JSON(value) }
    package init(stringLiteral value: String) { self = .string(value) }
    package init(arrayLiteral elements: JSON...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSON)...) {
        var object = JSONObject()
        for (key, value) in elements { object[key] = value }
        self = .object(object)
    }

    package init(_ value: Int) { self = .integer(Int64(value)) }
    package init(_ value: String) { self = .string(value) }
    package init(_ value: Bool) { self = .bool(value) }

    /// The shortest literal that reads back as `value`; JSON has no infinity and no NaN, they become `null`.
    package init(_ value: Double) {
        if !value.isFinite {
            self = .null
        } else if let integer = Int64(exactly: value), abs(value) <= 0x1p53, value != 0 || value.sign == .plus {
            self = .integer(integer)
        } else {
            self = .number("\(value)")
        }
    }
}

extension JSONScanner {
    /// Reads the next value as a whole.
    ///
    /// Recursion is bounded by `depthLeft`; the error of its end names no limit.
    mutating func value(depthLeft: Int) throws(JSONError) -> JSON {
        switch try next() {
        case UInt8(ascii: "\""): return .string(text(try string()))
        case UInt8(ascii: "{"):
            guard depthLeft > 0 else { throw .tooDeep(limit: 0) }
            return .object(try object(depthLeft: depthLeft - 1))
        case UInt8(ascii: "["):
            guard depthLeft > 0 else { throw .tooDeep(limit: 0) }
            return .array(try array(depthLeft: depthLeft - 1))
        case UInt8(ascii: "t"): try literal("true"); return .bool(true)
        case UInt8(ascii: "f"): try literal("false"); return .bool(false)
        case UInt8(ascii: "n"): try literal("null"); return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = try number()
            if let integer = number.integer { return .integer(integer) }
            return unsafe .number(String(decoding: slice(number.range), as: UTF8.self))
        default: throw .unexpectedByte(offset: index)
        }
    }

    private mutating func object(depthLeft: Int) throws(JSONError) -> JSONObject {
        index += 1
        var object = JSONObject()
        var isFirst = true
        while try nextMember(closing: UInt8(ascii: "}"), isFirst: isFirst) {
            isFirst = false
            guard try next() == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: index) }
            let key = text(try string())
            try pass(UInt8(ascii: ":"))
            object[key] = try value(depthLeft: depthLeft)
        }
        return object
    }

    private mutating func array(depthLeft: Int) throws(JSONError) -> [JSON] {
        index += 1
        var elements: [JSON] = []
        while try nextMember(closing: UInt8(ascii: "]"), isFirst: elements.isEmpty) {
            elements.append(try value(depthLeft: depthLeft))
        }
        return elements
    }
}
