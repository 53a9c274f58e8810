// The device link's text frames as values (protocol document, section 2.2). Parts that this layer only carries (params,
// results, event payloads) stay JSON text, so that a relay passes them on unread and an intake can check a lease first.

/// A question, as it travels from a phone over the relay to a desktop (section 3.1).
package struct RPCRequest: Sendable, Equatable {
    package var id: String
    package var method: String
    /// JSON text of an object.
    package var params: [UInt8]
    package var key: String?
    package var traceparent: String?
    /// phone to relay: must equal the connection's target when given.
    package var target: String?
    /// relay to desktop: the asking phone's device id, and its account.
    package var client: String?
    package var user: String?

    package init(id: String, method: String, params: [UInt8], key: String? = nil, traceparent: String? = nil) {
        self.id = id
        self.method = method
        self.params = params
        self.key = key
        self.traceparent = traceparent
    }
}

/// Why a question was not answered with a result.
package struct RPCError: Error, Sendable, Equatable {
    package var code: Int
    package var message: String

    package init(code: Int, message: String) {
        self.code = code
        self.message = message
    }
}

/// An answer.
package struct RPCResponse: Sendable, Equatable {
    package var id: String
    /// desktop to relay: whom it is for.
    package var client: String?
    /// JSON text, or an error.
    package var outcome: Result<[UInt8], RPCError>
    /// Further answers to the same question follow when false.
    package var isFinal = true
    package var traceparent: String?

    package init(id: String, client: String?, outcome: Result<[UInt8], RPCError>, traceparent: String?) {
        self.id = id
        self.client = client
        self.outcome = outcome
        self.traceparent = traceparent
    }
}

/// Something that happened.
package struct LinkEvent: Sendable, Equatable {
    package var type: String
    /// JSON text of an object.
    package var payload: [UInt8]
    /// relay to client: the number in the receiver's stream; nil for one that is not counted.
    package var id: Int?
    /// relay to client: the device that sent it; nil for the relay itself.
    package var source: String?
    /// relay to client: milliseconds since 1970 when the relay took it.
    package var at: Int64?

    package init(type: String, payload: [UInt8], id: Int? = nil, source: String? = nil, at: Int64? = nil) {
        self.type = type
        self.payload = payload
        self.id = id
        self.source = source
        self.at = at
    }
}

/// The first frame of a client.
package struct LinkRegistration: Sendable, Equatable {
    package var device: String
    package var name: String
    /// `1.6`; nil from clients that are older than the field.
    package var version: String?
    package var target: String?
    package var session: String?
    package var token: String?
    package var lastEvent: Int?

    package init(device: String, name: String, version: String? = LinkMessage.protocolVersion, target: String? = nil) {
        self.device = device
        self.name = name
        self.version = version
        self.target = target
    }
}

/// What a relay says about a session: all parts may be missing.
package struct LinkSession: Sendable, Equatable {
    package var session: String?
    package var token: String?
    /// RFC 3339.
    package var expiresAt: String?

    package init(session: String? = nil, token: String? = nil, expiresAt: String? = nil) {
        self.session = session
        self.token = token
        self.expiresAt = expiresAt
    }
}

/// A relay's complaint.
package struct LinkFailure: Sendable, Equatable {
    package var code: String
    package var message: String
    /// The question that it concerns, when the relay says so.
    package var request: String?
    /// Milliseconds since 1970, for the relay's own messages.
    package var at: Int64 = 0

    package init(code: String, message: String, request: String? = nil, at: Int64 = 0) {
        self.code = code
        self.message = message
        self.request = request
        self.at = at
    }
}

/// A client's sign of life.
package struct LinkHeartbeat: Sendable, Equatable {
    package var activeSession: String?
    /// desktop: always `online`.
    package var status: String?

    package init(activeSession: String? = nil, status: String? = nil) {
        self.activeSession = activeSession
        self.status = status
    }
}

/// One text frame.
package enum LinkMessage: Sendable, Equatable {
    package static let protocolVersion = "1.6"

    case register(LinkRegistration)
    case registered(LinkSession)
    case resumed(LinkSession)
    case session(LinkSession)
    case error(LinkFailure)
    case heartbeat(LinkHeartbeat)
    case ping
    case pong
    case request(RPCRequest)
    case response(RPCResponse)
    case event(LinkEvent)
    case acknowledge(lastEvent: Int)
    /// `terminal.binary.bind`, `.bound`, `.unbind`: the verb and the terminal's id.
    case terminal(verb: String, session: String, payload: [UInt8])
}

/// Why a frame was refused.
///
/// `code` is what a relay answers (section 2.5).
package enum LinkMessageError: Error, Sendable, Equatable {
    case invalidJson
    case unknownMessageType(String)
    case missingPayload
    /// A key with `_` (R38), or a member of the wrong shape.
    case invalidPayload(String)
    case invalidRpcPayload
    case missingMethod

    package var code: String {
        switch self {
        case .invalidJson: "invalidJson"
        case .unknownMessageType: "unknownMessageType"
        case .missingPayload, .invalidPayload: "invalidPayload"
        case .invalidRpcPayload: "invalidRpcPayload"
        case .missingMethod: "missingMethod"
        }
    }
}
