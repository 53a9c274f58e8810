// Device link, rule R38: no object key at any depth may hold an underscore; values may. One pass over the bytes.

/// Looks for object keys with an underscore.
package enum SnakeCaseKey {
    /// Whether any object key in `json` holds `_`, spelled plainly or as an escape.
    ///
    /// `json` must be well-formed; of other text the answer means nothing.
    package static func found(in json: [UInt8]) -> Bool {
        unsafe json.withUnsafeBytes { unsafe found(in: $0) }
    }

    /// Whether any object key in `json` holds `_`, spelled plainly or as an escape.
    package static func found(in json: UnsafeRawBufferPointer) -> Bool {
        var text = unsafe JSONScanner(json, from: 0)
        while let start = text.passNextQuote() {
            guard (try? text.passString()) != nil else { return false }
            let end = text.index - 1
            // A string is a key exactly when a colon follows.
            guard (try? text.next()) == UInt8(ascii: ":") else { continue }
            if text.holdsUnderscore(start..<end) { return true }
        }
        return false
    }
}

extension JSONScanner {
    /// Moves behind the next quote.
    ///
    /// Outside strings every quote opens one.
    fileprivate mutating func passNextQuote() -> Int? {
        while index < count {
            index += 1
            if byte(index - 1) == UInt8(ascii: "\"") { return index }
        }
        return nil
    }

    /// Whether the string `range` holds U+005F.
    fileprivate func holdsUnderscore(_ range: Range<Int>) -> Bool {
        var place = range.lowerBound
        while place < range.upperBound {
            switch byte(place) {
            case UInt8(ascii: "_"): return true
            case UInt8(ascii: "\\"):
                if place + 6 <= range.upperBound, byte(place + 1) == UInt8(ascii: "u"),
                    byte(place + 2) == UInt8(ascii: "0"), byte(place + 3) == UInt8(ascii: "0"),
                    byte(place + 4) == UInt8(ascii: "5"), byte(place + 5) | 0x20 == UInt8(ascii: "f")
                {
                    return true
                }
                place += 2
            default: place += 1
            }
        }
        return false
    }
}
