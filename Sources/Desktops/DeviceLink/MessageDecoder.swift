// Bytes of a text frame to a `LinkMessage`. Hostile input: the whole frame is checked first, keys with `_` are refused (R38).
import Web

extension LinkMessage {
    /// Reads one text frame.
    ///
    /// - Parameter isChecked: the bytes come from our own encoder in this process, so grammar and keys need no check.
    package init(parsing bytes: [UInt8], isChecked: Bool = false) throws(LinkMessageError) {
        if !isChecked {
            do { try JSON.check(bytes) } catch { throw .invalidJson }
            guard !SnakeCaseKey.found(in: bytes) else { throw .invalidPayload("a key holds an underscore") }
        }
        let frame: Frame
        do { frame = try Frame(bytes) } catch { throw .invalidPayload("a member has the wrong kind") }
        self = try LinkMessage.message(frame)
    }

    private static func message(_ frame: Frame) throws(LinkMessageError) -> LinkMessage {
        switch frame.type {
        case "heartbeat": return .heartbeat(try read(frame) { (reader) throws(JSONError) in try heartbeat(&reader) })
        case "pong": return .pong
        case "ping": return .ping
        case "event":
            let (type, payload) = try read(frame) { (reader) throws(JSONError) in try event(&reader) }
            guard let type, let payload else { throw .invalidPayload("an event needs eventType and payload") }
            return .event(LinkEvent(type: type, payload: payload, id: frame.eventID, source: frame.source))
        case "rpc.request":
            let request = try read(frame) { (reader) throws(JSONError) in try self.request(&reader) }
            guard let request else { throw .invalidRpcPayload }
            guard !request.method.isEmpty else { throw .missingMethod }
            return .request(request)
        case "rpc.response":
            let response = try read(frame) { (reader) throws(JSONError) in try self.response(&reader) }
            guard let response else { throw .invalidRpcPayload }
            return .response(response)
        case "register":
            let registration = try read(frame) { (reader) throws(JSONError) in try self.registration(&reader) }
            guard let registration else { throw .invalidPayload("missing deviceId") }
            return .register(registration)
        case "registered": return .registered(frame.session)
        case "resumed": return .resumed(frame.session)
        case "session": return .session(frame.session)
        case "error":
            return .error(
                LinkFailure(code: frame.code ?? "", message: frame.message ?? "", request: frame.request)
            )
        case "event-ack":
            let last = try read(frame) { (reader) throws(JSONError) in try acknowledged(&reader) }
            guard let last else { throw .invalidPayload("missing lastEventId") }
            return .acknowledge(lastEvent: last)
        case "terminal.binary.bind", "terminal.binary.bound", "terminal.binary.unbind":
            let session = try read(frame) { (reader) throws(JSONError) in try terminalSession(&reader) }
            guard let session, let payload = frame.payload else { throw .invalidPayload("missing sessionId") }
            return .terminal(
                verb: String(frame.type.dropFirst("terminal.binary.".count)),
                session: session,
                payload: Array(frame.bytes[payload])
            )
        default: throw .unknownMessageType(frame.type)
        }
    }

    /// Runs a reader over the frame's payload, which must be an object.
    private static func read<T>(
        _ frame: Frame,
        _ body: (inout JSONReader) throws(JSONError) -> T
    ) throws(LinkMessageError) -> T {
        guard let payload = frame.payload else { throw .missingPayload }
        var reader = JSONReader(frame.bytes, range: payload)
        do { return try body(&reader) } catch { throw .invalidPayload("a member has the wrong kind") }
    }

    // MARK: Payloads

    private static func heartbeat(_ reader: inout JSONReader) throws(JSONError) -> LinkHeartbeat {
        var heartbeat = LinkHeartbeat()
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "activeSessionId": heartbeat.activeSession = try reader.optionalString()
            case "status": heartbeat.status = try reader.optionalString()
            default: try reader.skip()
            }
        }
        return heartbeat
    }

    private static func event(_ reader: inout JSONReader) throws(JSONError) -> (type: String?, payload: [UInt8]?) {
        var type: String?
        var payload: [UInt8]?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "eventType": type = try reader.string()
            case "payload": payload = try reader.peek() == .object ? try reader.raw() : try skipped(&reader)
            default: try reader.skip()
            }
        }
        return (type, payload)
    }

    private static func skipped(_ reader: inout JSONReader) throws(JSONError) -> [UInt8]? {
        try reader.skip()
        return nil
    }

    private static func request(_ reader: inout JSONReader) throws(JSONError) -> RPCRequest? {
        var request = RPCRequest(id: "", method: "", params: Array("{}".utf8))
        var isGood = true
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "id": request.id = try reader.string()
            case "method": request.method = try reader.string()
            case "params":
                switch try reader.peek() {
                case .object: request.params = try reader.raw()
                case .null: try reader.skip()
                default:
                    isGood = false
                    try reader.skip()
                }
            case "idempotencyKey": request.key = try reader.optionalString()
            case "traceparent": request.traceparent = try reader.optionalString()
            case "targetDesktopDeviceId": request.target = try reader.optionalString()
            case "clientId": request.client = try reader.optionalString()
            case "userId": request.user = try reader.optionalString()
            default: try reader.skip()
            }
        }
        let names = [request.id, request.method, request.key ?? "", request.traceparent ?? ""]
        isGood = isGood && names.allSatisfy { $0.utf8.count <= Limits.nameBytes }
        return isGood ? request : nil
    }

    private static func response(_ reader: inout JSONReader) throws(JSONError) -> RPCResponse? {
        var id: String?
        var client: String?
        var result: [UInt8]?
        var error: RPCError?
        var isFinal = true
        var traceparent: String?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "id": id = try reader.optionalString()
            case "clientId": client = try reader.optionalString()
            case "result": result = try reader.raw()
            case "error": error = try reader.null() ? nil : try self.error(&reader)
            case "isFinal": isFinal = try reader.optionalBool() ?? true
            case "traceparent": traceparent = try reader.optionalString()
            default: try reader.skip()
            }
        }
        guard let id else { return nil }
        let outcome: Result<[UInt8], RPCError> = error.map { .failure($0) } ?? .success(result ?? Array("null".utf8))
        var response = RPCResponse(id: id, client: client, outcome: outcome, traceparent: traceparent)
        // An error always ends the call.
        response.isFinal = isFinal || error != nil
        return response
    }

    private static func error(_ reader: inout JSONReader) throws(JSONError) -> RPCError {
        var error = RPCError(code: RPCCode.internalError, message: "")
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "code": error.code = try reader.int()
            case "message": error.message = try reader.optionalString() ?? ""
            default: try reader.skip()
            }
        }
        return error
    }

    private static func registration(_ reader: inout JSONReader) throws(JSONError) -> LinkRegistration? {
        var registration = LinkRegistration(device: "", name: "", version: nil)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "deviceId": registration.device = try reader.string()
            case "deviceName": registration.name = try reader.optionalString() ?? ""
            case "relayProtocolVersion":
                registration.version =
                    try reader.peek() == .number ? try reader.numberLiteral() : try reader.optionalString()
            case "targetDesktopDeviceId": registration.target = try reader.optionalString()
            case "sessionId": registration.session = try reader.optionalString()
            case "resumeToken": registration.token = try reader.optionalString()
            case "lastEventId": registration.lastEvent = try reader.optionalInt()
            default: try reader.skip()
            }
        }
        return registration.device.isEmpty ? nil : registration
    }

    private static func acknowledged(_ reader: inout JSONReader) throws(JSONError) -> Int? {
        var last: Int?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if case "lastEventId" = key { last = try reader.optionalInt() } else { try reader.skip() }
        }
        return last
    }

    private static func terminalSession(_ reader: inout JSONReader) throws(JSONError) -> String? {
        var session: String?
        try reader.enterObject()
        while let key = try reader.nextKey() {
            if case "sessionId" = key { session = try reader.optionalString() } else { try reader.skip() }
        }
        return session
    }
}

/// The outermost object of a frame: its type, where its payload stands, and the members that some types keep at the root.
private struct Frame {
    var bytes: [UInt8]
    var type = ""
    var payload: Range<Int>?
    var session = LinkSession()
    var code: String?
    var message: String?
    var request: String?
    var eventID: Int?
    var source: String?

    init(_ bytes: [UInt8]) throws(JSONError) {
        self.bytes = bytes
        var reader = JSONReader(bytes)
        try reader.enterObject()
        while let key = try reader.nextKey() {
            switch key {
            case "type": type = try reader.string()
            case "payload": payload = try reader.rawRange()
            case "sessionId": session.session = try reader.optionalString()
            case "resumeToken": session.token = try reader.optionalString()
            case "expiresAt": session.expiresAt = try reader.optionalString()
            case "code": code = try reader.optionalString()
            case "message": message = try reader.optionalString()
            case "requestId": request = try reader.optionalString()
            case "eventId": eventID = try reader.optionalInt()
            case "sourceDeviceId": source = try reader.optionalString()
            default: try reader.skip()
            }
        }
        try reader.finish()
    }
}
