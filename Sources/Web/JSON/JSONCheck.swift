// Is it JSON at all? For messages that are passed on unread (the relay), without building anything.

extension JSON {
    /// Checks that `bytes` are exactly one JSON value in valid UTF-8.
    ///
    /// Without recursion, nothing is built.
    ///
    /// - Parameter depthLimit: nested arrays and objects that are allowed.
    package static func check(_ bytes: [UInt8], depthLimit: Int = JSONLimits.depth) throws(JSONError) {
        try unsafe bytes.withUnsafeBufferPointer { (buffer) throws(JSONError) in
            var scanner = unsafe JSONScanner(UnsafeRawBufferPointer(buffer), from: 0)
            try scanner.checkValue(depthLimit: depthLimit)
            try scanner.finish()
        }
    }
}

extension JSONScanner {
    /// Passes the next value and checks all of its grammar.
    fileprivate mutating func checkValue(depthLimit: Int) throws(JSONError) {
        // The closing brackets that are awaited, innermost last.
        var closing: [UInt8] = []
        while true {
            switch try next() {
            case UInt8(ascii: "\""): _ = try string()
            case UInt8(ascii: "{"):
                guard closing.count < depthLimit else { throw .tooDeep(limit: depthLimit) }
                index += 1
                guard try next() == UInt8(ascii: "}") else {
                    closing.append(UInt8(ascii: "}"))
                    try passKey()
                    continue
                }
                index += 1
            case UInt8(ascii: "["):
                guard closing.count < depthLimit else { throw .tooDeep(limit: depthLimit) }
                index += 1
                guard try next() == UInt8(ascii: "]") else {
                    closing.append(UInt8(ascii: "]"))
                    continue
                }
                index += 1
            case UInt8(ascii: "t"): try literal("true")
            case UInt8(ascii: "f"): try literal("false")
            case UInt8(ascii: "n"): try literal("null")
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try number()
            default: throw .unexpectedByte(offset: index)
            }
            // A value has ended: leave the containers that end with it.
            while let bracket = closing.last {
                let byte = try next()
                index += 1
                if byte == UInt8(ascii: ",") {
                    if bracket == UInt8(ascii: "}") { try passKey() }
                    break
                }
                guard byte == bracket else { throw .unexpectedByte(offset: index - 1) }
                closing.removeLast()
            }
            if closing.isEmpty { return }
        }
    }

    private mutating func passKey() throws(JSONError) {
        guard try next() == UInt8(ascii: "\"") else { throw .unexpectedByte(offset: index) }
        _ = try string()
        try pass(UInt8(ascii: ":"))
    }
}
