// The pull reader, the writer and the key scan of rule R38.

import Testing
import Web

@Suite("JSON reader and writer")
struct JSONReaderTests {
    @Test func `reads what is asked for and skips the rest`() throws {
        let text =
            #" {"type":"event", "skip":{"deep":[[[{"}":"]"}]]],"n":-1.5e3}, "n":7,"list":[1, 2,3],"none":null,"on":true} "#
        var reader = JSONReader(Array(text.utf8))
        var seen: [String] = []
        try reader.enterObject()
        while let key = try reader.nextKey() {
            seen.append(key.string)
            switch key {
            case "type": #expect(try reader.string() == "event")
            case "n": #expect(try reader.int() == 7)
            case "list":
                var list: [Int] = []
                try reader.enterArray()
                while try reader.nextElement() { list.append(try reader.int()) }
                #expect(list == [1, 2, 3])
            case "none": #expect(try reader.optionalString() == nil)
            case "on": #expect(try reader.optionalBool() == true)
            default: try reader.skip()
            }
        }
        try reader.finish()
        #expect(seen == ["type", "skip", "n", "list", "none", "on"])
    }

    @Test(
        "a key equals only its own literal",
        arguments: [
            "", "a", "1234567", "12345678", "123456789", String(repeating: "x", count: 32),
            String(repeating: "x", count: 33),
        ]
    )
    func keys(name: String) throws {
        for padding in ["", String(repeating: " ", count: 40)] {
            var reader = JSONReader(Array("{\"\(name)\":1\(padding)}".utf8))
            try reader.enterObject()
            let key = try #require(try reader.nextKey())
            #expect(key.string == name)
            #expect(key.isEqual(to: "123456789") == (name == "123456789"))
            #expect(key.isEqual(to: "12345678") == (name == "12345678"))
            #expect(key.isEqual(to: "a") == (name == "a"))
            #expect(key.isEqual(to: "") == (name == ""))
            #expect(key.isEqual(to: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") == (name.count == 32))
            #expect(key.isEqual(to: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx") == (name.count == 33))
        }
    }

    @Test func `keys with escapes are compared after decoding`() throws {
        var reader = JSONReader(Array(#"{"t\u0079pe":1}"#.utf8))
        try reader.enterObject()
        let key = try #require(try reader.nextKey())
        #expect(key.isEqual(to: "type"))
    }

    @Test(
        "wrong kinds and broken structure are errors",
        arguments: [
            #"{"a":"x"}"#, #"{"a" 1}"#, #"{"a":1 "b":2}"#, #"{"a":1,}"#, #"{,"a":1}"#, #"{"a":1"#, "[1]", #"{"a":1.5}"#,
            #"{"a":1}x"#,
        ]
    )
    func errors(text: String) {
        #expect(throws: JSONError.self) {
            var reader = JSONReader(Array(text.utf8))
            try reader.enterObject()
            while try reader.nextKey() != nil { _ = try reader.int() }
            try reader.finish()
        }
    }

    @Test func `a skipped value may be deeper than the limit`() throws {
        let depth = 200_000
        var text = Array("[".utf8)
        text += [UInt8](repeating: UInt8(ascii: "["), count: depth)
        text += [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        text += ",5]".utf8
        var reader = JSONReader(text)
        try reader.enterArray()
        #expect(try reader.nextElement())
        #expect(try reader.rawRange() == 1..<2 * depth + 1)
        #expect(try reader.nextElement())
        #expect(try reader.int() == 5)
        #expect(try !reader.nextElement())
    }

    @Test func `entering counts the depth that is open, not the containers seen`() throws {
        var reader = JSONReader(Array("[[],[],[[]]]".utf8), depthLimit: 2)
        try reader.enterArray()
        for _ in 0..<2 {
            #expect(try reader.nextElement())
            try reader.enterArray()
            #expect(try !reader.nextElement())
        }
        #expect(try reader.nextElement())
        try reader.enterArray()
        #expect(try reader.nextElement())
        #expect(throws: JSONError.tooDeep(limit: 2)) { try reader.enterArray() }
    }

    @Test func `a raw range is the value without the space around it and can be read by itself`() throws {
        let bytes = Array(#"{"payload" :  {"a": [1, "}"]} ,"b":1}"#.utf8)
        var reader = JSONReader(bytes)
        try reader.enterObject()
        _ = try reader.nextKey()
        let range = try reader.rawRange()
        #expect(String(decoding: bytes[range], as: UTF8.self) == #"{"a": [1, "}"]}"#)
        var inner = JSONReader(bytes, range: range)
        #expect(try inner.value() == ["a": [1, "}"]])
        try inner.finish()
        #expect(try reader.nextKey()?.string == "b")
    }

    @Test(
        "integers are read from every spelling that is one",
        arguments: [
            ("1.0", 1), ("1e3", 1000), ("-0", 0), ("-5", -5), ("1.5", nil), ("9223372036854775808", nil),
            ("1e400", nil),
        ]
            as [(String, Int?)]
    )
    func integers(text: String, expected: Int?) {
        var reader = JSONReader(Array(text.utf8))
        #expect((try? reader.int()) == expected)
    }

    @Test func `cutting a text anywhere never traps and never succeeds`() throws {
        let text = Array(#"{"a":[1,-2.5e+3,"x\u00e9\n😀",true,false,null,{"b":{}}],"c":"d"}"#.utf8)
        for length in 0..<text.count {
            let part = Array(text[..<length])
            #expect(throws: JSONError.self) { try JSON(parsing: part) }
            #expect(throws: JSONError.self) { try JSON.check(part) }
            var reader = JSONReader(part)
            #expect(throws: JSONError.self) { try reader.skip() }
        }
    }

    @Test func `the writer puts commas and escapes where they belong`() throws {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("a", "q\"\\\n\r\t\u{1}\u{1F}é😀\u{7F}")
        writer.key("list")
        writer.beginArray()
        writer.integer(0)
        writer.integer(Int64.min)
        writer.bool(true)
        writer.null()
        writer.double(0.25)
        writer.beginObject()
        writer.endObject()
        writer.raw(Array("[1]".utf8))
        writer.endArray()
        writer.key(String("dyn\"amic"))
        writer.string(utf8: Array("x".utf8))
        writer.member("absent", ifPresent: nil as Int?)
        writer.endObject()
        let expected =
            #"{"a":"q\"\\\n\r\t\u0001\u001fé😀\#u{7F}","list":[0,-9223372036854775808,true,null,0.25,{},[1]],"dyn\"amic":"x"}"#
        #expect(String(decoding: writer.bytes, as: UTF8.self) == expected)
        try JSON.check(writer.bytes)
    }

    @Test(
        "R38: a key with an underscore is found at any depth, a value with one is not",
        arguments: [
            (#"{"a_b":1}"#, true), (#"{"a":{"b":[{"c_":1}]}}"#, true), (#"[[[[[{"_":{}}]]]]]"#, true),
            (#"{"a\u005fb":1}"#, true), (#"{"a\u005Fb" :1}"#, true), (#"{"a\\u005fb":1}"#, false),
            (#"{"a":"b_c"}"#, false), (#"{"a":"\"x_y\":1"}"#, false), (#"["a_b","c_d"]"#, false), (#""a_b""#, false),
            (#"{"a":"{\"b_c\":1}"}"#, false), ("{}", false), (#"{"aB":["x_y",{"c":"_"}]}"#, false),
        ]
    )
    func snakeCase(text: String, expected: Bool) {
        #expect(SnakeCaseKey.found(in: Array(text.utf8)) == expected)
    }
}
