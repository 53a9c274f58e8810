// Small payloads of which one or two members matter.
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

/// `device-status`: a device of the account came or left.
enum DeviceStatus {
    static func read(_ payload: [UInt8]) -> (device: String, status: String)? {
        guard let json = try? JSON(parsing: payload), let device = json["deviceId"]?.string,
            let status = json["status"]?.string
        else { return nil }
        return (device, status)
    }
}
