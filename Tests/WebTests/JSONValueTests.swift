// The JSON value and its accessors (RFC 8259), and the checker that builds nothing.

import Testing
import Web

@Suite("JSON values")
struct JSONValueTests {
    @Test(
        "texts that RFC 8259 allows read back as the same value",
        arguments: [
            ("null", .null), (" true ", true), ("[]", []), ("{}", [:]), ("[1,-2,[3]]", [1, -2, [3]]),
            ("9223372036854775807", .integer(.max)), ("-9223372036854775808", .integer(.min)),
            ("9223372036854775808", .number("9223372036854775808")), ("-0", .number("-0")),
            ("1.50", .number("1.50")), ("1E+2", .number("1E+2")),
            (#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00""#, "a\"\\/\u{8}\u{C}\n\r\té😀"),
            (#""\ud800x""#, "\u{FFFD}x"), (#""\udc00\ud800""#, "\u{FFFD}\u{FFFD}"), (#""\u0000""#, "\0"),
            (#"{"a":1,"b":{"c":[null]}}"#, ["a": 1, "b": ["c": [nil]]]),
            (#"{"a":1,"a":2}"#, ["a": 2]), ("\"\u{2028}\"", "\u{2028}"),
        ] as [(String, JSON)]
    )
    func reads(text: String, expected: JSON) throws {
        let value = try JSON(parsing: Array(text.utf8))
        #expect(value == expected)
        #expect(try JSON(parsing: value.encoded()) == expected)
        try JSON.check(Array(text.utf8))
    }

    @Test(
        "texts that RFC 8259 forbids are refused by the reader and by the checker",
        arguments: [
            "", " ", "[", "]", "[1,]", "[,1]", "[1 2]", "[1}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}",
            "01", "-", "-01", "1.", ".5", "1e", "1e+", "+1", "0x1", "NaN", "Infinity", "tru", "truee", "nul", "'a'",
            "\"a", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"a\tb\"", "\"a\nb\"", "1 2", "[]]", "{}}",
            "\u{FEFF}1", "[1]\0", "\u{A0}1", "/*a*/1",
        ]
    )
    func refuses(text: String) {
        #expect(throws: JSONError.self) { try JSON(parsing: Array(text.utf8)) }
        #expect(throws: JSONError.self) { try JSON.check(Array(text.utf8)) }
    }

    @Test(
        "strings that are not UTF-8 are refused",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82],
            [0xFF],
        ]
            as [[UInt8]]
    )
    func refusesInvalidUTF8(bytes: [UInt8]) {
        let text = [UInt8(ascii: "\"")] + bytes + [UInt8(ascii: "\"")]
        #expect(throws: JSONError.invalidUTF8(offset: 1)) { try JSON(parsing: text) }
        #expect(throws: JSONError.invalidUTF8(offset: 1)) { try JSON.check(text) }
    }

    @Test("nesting is allowed up to the limit and refused one beyond", arguments: ["[", "{\"a\":"])
    func nesting(opening: String) throws {
        func text(_ depth: Int) -> [UInt8] {
            let closing = opening == "[" ? "]" : "}"
            return Array(
                (String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)).utf8
            )
        }
        _ = try JSON(parsing: text(JSONLimits.depth))
        try JSON.check(text(JSONLimits.depth))
        #expect(throws: JSONError.tooDeep(limit: 512)) { try JSON(parsing: text(513)) }
        #expect(throws: JSONError.tooDeep(limit: 512)) { try JSON.check(text(513)) }
        #expect(throws: JSONError.tooDeep(limit: 2)) { try JSON(parsing: text(3), depthLimit: 2) }
    }

    @Test func `accessors answer nil for other kinds`() throws {
        let value: JSON = [
            "text": "t", "count": 3, "half": 0.5, "whole": .number("2.0"), "flag": true, "list": [1, 2], "none": nil,
        ]
        #expect(value["text"]?.string == "t")
        #expect(value["count"]?.int == 3)
        #expect(value["half"]?.double == 0.5)
        #expect(value["half"]?.int == nil)
        #expect(value["whole"]?.int == 2)
        #expect(value["flag"]?.bool == true)
        #expect(value["list"]?[1]?.int == 2)
        #expect(value["list"]?[2] == nil)
        #expect(value["none"]?.isNull == true)
        #expect(value["missing"] == nil)
        #expect(value["text"]?.int == nil)
        #expect(JSON.number("1e999").double == nil)
    }

    @Test func `objects keep the order of their members and stay right above the linear size`() throws {
        var object = JSONObject()
        for number in 0..<40 { object["k\(number)"] = JSON(number) }
        object["k3"] = nil
        object["k7"] = "seven"
        #expect(object.count == 39)
        #expect(object.keys.prefix(4) == ["k0", "k1", "k2", "k4"])
        #expect(object["k39"] == 39)
        #expect(object["k3"] == nil)
        #expect(object["k7"] == "seven")
        for number in 4..<40 { object["k\(number)"] = nil }
        #expect(object.keys == ["k0", "k1", "k2"])
        object["new"] = 1
        #expect(object["new"] == 1)
        #expect(["a": 1, "b": 2] as JSONObject == ["b": 2, "a": 1])
    }

    @Test func `an object of many repeated keys is read in linear time`() throws {
        var text = Array("{".utf8)
        for number in 0..<100_000 { text += "\"key\(number % 50_000)\":\(number),".utf8 }
        text += "\"last\":true}".utf8
        let object = try #require(try JSON(parsing: text).object)
        #expect(object.count == 50_001)
        #expect(object["key7"] == 50_007)
    }

    @Test func `doubles are written so that they read back`() throws {
        for number in [0.1, -0.0, 1e21, .leastNonzeroMagnitude, 1.7976931348623157e308, 123456789.125] {
            let value = try JSON(parsing: JSON(number).encoded())
            #expect(value.double == number)
            #expect(value.double?.sign == number.sign)
        }
        #expect(JSON(Double.infinity) == .null)
        #expect(JSON(3.0) == 3)
    }
}
