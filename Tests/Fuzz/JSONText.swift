// sources: Sources/Web/JSON Sources/Web/WebSocket
// Any bytes: the checker, the value reader, the pull reader and the key scan must agree, and values must read back.

nonisolated(unsafe) var sink = 0

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    let isJSON = (try? JSON.check(bytes)) != nil
    let value = try? JSON(parsing: bytes)
    precondition((value != nil) == isJSON, "checker and reader disagree")

    var skipping = JSONReader(bytes)
    let isSkipped = (try? skipping.skip()) != nil && (try? skipping.finish()) != nil
    precondition(isSkipped || !isJSON, "a value cannot be skipped")
    sink &+= SnakeCaseKey.found(in: bytes) ? 1 : 0

    guard let value else { return 0 }
    let again = try? JSON(parsing: value.encoded())
    precondition(again == value, "a value does not read back")
    var pulling = JSONReader(bytes)
    var hasUnderscore = false
    precondition(pull(&pulling, &hasUnderscore) == value, "the pull reader reads another value")
    precondition(SnakeCaseKey.found(in: bytes) == hasUnderscore, "the key scan is wrong")
    return 0
}

/// The value, read call by call; notes whether any key, also a repeated one, holds an underscore.
private func pull(_ reader: inout JSONReader, _ hasUnderscore: inout Bool) -> JSON? {
    switch try? reader.peek() {
    case .object:
        var object = JSONObject()
        guard (try? reader.enterObject()) != nil else { return nil }
        while let key = (try? reader.nextKey()) ?? nil {
            hasUnderscore = hasUnderscore || key.string.utf8.contains(UInt8(ascii: "_"))
            guard let value = pull(&reader, &hasUnderscore) else { return nil }
            object[key.string] = value
        }
        return .object(object)
    case .array:
        var array: [JSON] = []
        guard (try? reader.enterArray()) != nil else { return nil }
        while (try? reader.nextElement()) == true {
            guard let value = pull(&reader, &hasUnderscore) else { return nil }
            array.append(value)
        }
        return .array(array)
    case .string: return (try? reader.string()).map(JSON.string)
    case .bool: return (try? reader.bool()).map(JSON.bool)
    case .null: return (try? reader.null()) == true ? .null : nil
    case .number: return try? reader.value()
    case nil: return nil
    }
}
