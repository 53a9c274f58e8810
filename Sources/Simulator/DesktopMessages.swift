// Frames of the device link as a desktop writes them (sections 2.2 and 3.1), from the protocol document alone.

import Web

/// Text frames.
enum DesktopMessage {
    static func register(device: String, name: String) -> [UInt8] {
        frame("register") {
            $0.member("deviceId", device)
            $0.member("deviceName", name)
            $0.member("relayProtocolVersion", "1.6")
        }
    }

    static func heartbeat(load: Int, memory: Int, jobs: Int) -> [UInt8] {
        frame("heartbeat") {
            $0.member("status", "online")
            $0.member("cpuUsage", load)
            $0.member("memoryUsage", memory)
            $0.member("activeJobs", jobs)
        }
    }

    static func acknowledge(_ event: Int) -> [UInt8] {
        frame("event-ack") { $0.member("lastEventId", event) }
    }

    /// An event whose payload is JSON text already.
    static func event(_ type: String, _ payload: [UInt8]) -> [UInt8] {
        frame("event") {
            $0.member("eventType", type)
            $0.key("payload")
            $0.raw(payload)
        }
    }

    static func event(_ type: String, _ payload: JSON) -> [UInt8] { event(type, payload.encoded()) }

    /// The answer to a question, with the question's trace id and a parent id of our own.
    static func response(to question: Question, _ answer: Answer, parent: UInt64) -> [UInt8] {
        frame("rpc.response") {
            $0.member("clientId", ifPresent: question.client)
            $0.member("id", question.id)
            $0.key("result")
            switch answer {
            case .result(let result):
                $0.raw(result)
                $0.key("error")
                $0.null()
            case .failure(let code, let message):
                $0.null()
                $0.key("error")
                $0.value(["code": JSON(code), "message": .string(message)])
            }
            $0.member("isFinal", true)
            $0.member("traceparent", ifPresent: question.trace.map { "00-\($0)-\(hex(parent))-01" })
        }
    }

    private static func frame(_ type: String, _ payload: (inout JSONWriter) -> Void) -> [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        writer.member("type", type)
        writer.key("payload")
        writer.beginObject()
        payload(&writer)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(max(1, number), radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// What a desktop answers.
enum Answer: Sendable, Equatable {
    /// JSON text.
    case result([UInt8])
    case failure(Int, String)

    static func value(_ value: JSON) -> Answer { .result(value.encoded()) }
    static let success = Answer.value(["success": true])
    static let notFound = Answer.failure(-32002, "not found")
    static func invalid(_ reason: String) -> Answer { .failure(-32602, reason) }
}

/// An `rpc.request` as it reaches the desktop.
struct Question: Sendable {
    var id: String
    var method: String
    var params: JSONObject
    var key: String?
    var client: String?
    /// The trace id of a well-formed `traceparent`.
    var trace: String?

    /// nil when the payload has no id or no method, or its params are no object.
    init?(_ payload: JSON) {
        guard let id = payload["id"]?.string, let method = payload["method"]?.string, !method.isEmpty else {
            return nil
        }
        switch payload["params"] {
        case .object(let members)?: params = members
        case nil, .null?: params = [:]
        default: return nil
        }
        self.id = id
        self.method = method
        key = payload["idempotencyKey"]?.string
        client = payload["clientId"]?.string
        let parts = payload["traceparent"]?.string?.split(separator: "-").map(String.init) ?? []
        if parts.count == 4, parts[0] == "00", parts[1].utf8.count == 32 { trace = parts[1] }
    }
}
