// Single members of small payloads.
import Web

/// Reads one member and passes over the rest.
enum JSONNumber {
    static func member(_ name: StaticString, of payload: [UInt8]) throws(JSONError) -> Int? {
        var reader = JSONReader(payload)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if key.isEqual(to: name) { return try reader.optionalInt() }
            try reader.skip()
        }
        return nil
    }
}
