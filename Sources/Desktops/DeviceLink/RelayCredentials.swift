// What a client of the relay must show before its upgrade is answered 101 (protocol document, sections 1.1 and 2.1, RS1).
// A pure function of header fields; whether the token is good is the caller's question to the store.

/// Why an upgrade was refused: answer 401 and nothing more.
package enum RelayCredentialError: Error, Sendable, Equatable {
    case missingToken
    /// `X-Device-ID` is missing or no UUID.
    case invalidDevice
    /// `X-Token-Binding` is not the lower-case device id.
    case bindingMismatch
    /// `X-Client-Type` is neither `mobile` nor `desktop`.
    case invalidClientType
    /// A phone without a valid `X-Target-Desktop-Device-ID`.
    case invalidTarget
}

/// The credentials of one upgrade request.
package struct RelayCredentials: Sendable, Equatable {
    /// The bearer token; compare its digest with the stored one, and that it belongs to this device (or to none yet).
    package var token: String
    package var identity: RelayIdentity

    /// Reads the credentials from an upgrade request's header fields.
    ///
    /// - Parameter field: the first value of a header field by its name, any letter case.
    package static func check(_ field: (String) -> String?) throws(RelayCredentialError) -> RelayCredentials {
        guard let authorization = field("Authorization"), authorization.utf8.count <= Limits.credentialBytes else {
            throw .missingToken
        }
        let parts = authorization.split(separator: " ", omittingEmptySubsequences: true)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { throw .missingToken }
        guard let named = field("X-Device-ID"), let device = DeviceID.normalized(named) else { throw .invalidDevice }
        guard field("X-Token-Binding") == device else { throw .bindingMismatch }
        guard let role = field("X-Client-Type").flatMap(RelayIdentity.Role.init(rawValue:)) else {
            throw .invalidClientType
        }
        var identity = RelayIdentity(device: device, role: role)
        if role == .phone {
            guard let target = field("X-Target-Desktop-Device-ID").flatMap(DeviceID.normalized) else {
                throw .invalidTarget
            }
            identity.target = target
        }
        return RelayCredentials(token: String(parts[1]), identity: identity)
    }
}

/// Device ids: UUIDs, compared in lower case.
package enum DeviceID {
    /// The id in lower case; nil unless it has the form 8-4-4-4-12 hex digits.
    package static func normalized(_ text: String) -> String? {
        let bytes = Array(text.utf8)
        guard bytes.count == 36 else { return nil }
        for (index, byte) in bytes.enumerated() {
            switch index {
            case 8, 13, 18, 23:
                guard byte == UInt8(ascii: "-") else { return nil }
            default:
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
                    UInt8(ascii: "A")...UInt8(ascii: "F"):
                    break
                default: return nil
                }
            }
        }
        return text.lowercased()
    }
}
