// A `LinkMessage` to the bytes of a text frame. Throws on a key with `_` anywhere, before anything is sent (R38).
import Web

/// A payload holds a key with `_`: it must not leave.
package struct SnakeCaseKeyError: Error, Sendable, Equatable {
    package init() {}
}

extension LinkMessage {
    /// The frame's text.
    ///
    /// - Parameter isChecked: every carried part was looked through when it came in, as in a relay.
    package func encoded(isChecked: Bool = false) throws(SnakeCaseKeyError) -> [UInt8] {
        var writer = JSONWriter(capacity: 256 + carried)
        writer.beginObject()
        write(into: &writer)
        writer.endObject()
        let bytes = writer.bytes
        guard isChecked || !SnakeCaseKey.found(in: bytes) else { throw SnakeCaseKeyError() }
        return bytes
    }

    /// Bytes of the carried JSON text.
    private var carried: Int {
        switch self {
        case .request(let request): request.params.count
        case .response(let response): (try? response.outcome.get().count) ?? 0
        case .event(let event): event.payload.count
        default: 0
        }
    }

    private func write(into writer: inout JSONWriter) {
        switch self {
        case .register(let registration): LinkMessage.write(registration, into: &writer)
        case .registered(let session): LinkMessage.write(session, type: "registered", into: &writer)
        case .resumed(let session): LinkMessage.write(session, type: "resumed", into: &writer)
        case .session(let session): LinkMessage.write(session, type: "session", into: &writer)
        case .error(let failure):
            writer.member("type", "error")
            writer.member("code", failure.code)
            writer.member("message", failure.message)
            writer.member("requestId", ifPresent: failure.request)
            writer.member("timestamp", Timestamp.text(milliseconds: failure.at))
        case .heartbeat(let heartbeat):
            writer.member("type", "heartbeat")
            writer.key("payload")
            writer.beginObject()
            writer.member("status", ifPresent: heartbeat.status)
            writer.member("activeSessionId", ifPresent: heartbeat.activeSession)
            writer.endObject()
        case .ping: writer.member("type", "ping")
        case .pong: writer.member("type", "pong")
        case .request(let request): LinkMessage.write(request, into: &writer)
        case .response(let response): LinkMessage.write(response, into: &writer)
        case .event(let event): LinkMessage.write(event, into: &writer)
        case .acknowledge(let last):
            writer.member("type", "event-ack")
            writer.key("payload")
            writer.beginObject()
            writer.member("lastEventId", last)
            writer.endObject()
        case .terminal(let verb, _, let payload):
            writer.member("type", "terminal.binary.\(verb)")
            writer.key("payload")
            writer.raw(payload)
        }
    }

    private static func write(_ registration: LinkRegistration, into writer: inout JSONWriter) {
        writer.member("type", "register")
        writer.key("payload")
        writer.beginObject()
        writer.member("deviceId", registration.device)
        writer.member("deviceName", registration.name)
        writer.member("relayProtocolVersion", ifPresent: registration.version)
        writer.member("targetDesktopDeviceId", ifPresent: registration.target)
        writer.member("sessionId", ifPresent: registration.session)
        writer.member("resumeToken", ifPresent: registration.token)
        writer.member("lastEventId", ifPresent: registration.lastEvent)
        writer.endObject()
    }

    private static func write(_ session: LinkSession, type: String, into writer: inout JSONWriter) {
        writer.member("type", type)
        writer.member("sessionId", ifPresent: session.session)
        writer.member("resumeToken", ifPresent: session.token)
        writer.member("expiresAt", ifPresent: session.expiresAt)
    }

    private static func write(_ request: RPCRequest, into writer: inout JSONWriter) {
        writer.member("type", "rpc.request")
        writer.key("payload")
        writer.beginObject()
        writer.member("id", request.id)
        writer.member("method", request.method)
        writer.key("params")
        writer.raw(request.params)
        writer.member("idempotencyKey", ifPresent: request.key)
        writer.member("traceparent", ifPresent: request.traceparent)
        writer.member("targetDesktopDeviceId", ifPresent: request.target)
        writer.member("clientId", ifPresent: request.client)
        writer.member("userId", ifPresent: request.user)
        writer.endObject()
    }

    private static func write(_ response: RPCResponse, into writer: inout JSONWriter) {
        writer.member("type", "rpc.response")
        writer.key("payload")
        writer.beginObject()
        writer.member("clientId", ifPresent: response.client)
        writer.member("id", response.id)
        writer.key("result")
        switch response.outcome {
        case .success(let result):
            writer.raw(result)
            writer.key("error")
            writer.null()
        case .failure(let error):
            writer.null()
            writer.key("error")
            writer.beginObject()
            writer.member("code", error.code)
            writer.member("message", error.message)
            writer.endObject()
        }
        writer.member("isFinal", response.isFinal)
        writer.member("traceparent", ifPresent: response.traceparent)
        writer.endObject()
    }

    private static func write(_ event: LinkEvent, into writer: inout JSONWriter) {
        writer.member("type", "event")
        if let at = event.at {
            writer.member("eventId", ifPresent: event.id)
            writer.key("sourceDeviceId")
            if let source = event.source { writer.string(source) } else { writer.null() }
            writer.key("targetDeviceId")
            writer.null()
            writer.member("timestamp", Timestamp.text(milliseconds: at))
        }
        writer.key("payload")
        writer.beginObject()
        writer.member("eventType", event.type)
        writer.key("payload")
        writer.raw(event.payload)
        writer.endObject()
    }
}
