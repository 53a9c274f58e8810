// Why a request is refused before any handler sees it. One case per reason that somebody can act on; the status follows.

/// A request that cannot be served as it came.
package enum HTTPRefusal: Error, Equatable, Sendable {
    // 400: the connection is closed as well, because where the next request starts is not certain.
    case malformedRequestLine, malformedTarget, malformedField, malformedHost
    case missingHost, repeatedHost
    case malformedLength, conflictingLength, malformedTransferEncoding
    case malformedChunk, malformedTrailer, malformedHandshake

    case timedOut
    case lengthRequired
    case bodyTooLarge
    case targetTooLong
    case unknownExpectation
    case misdirected
    case unsupportedWebSocketVersion, notAWebSocket
    case fieldsTooLarge
    case unknownMethod, unsupportedTransferCoding
    case overloaded
    case unsupportedVersion

    /// The status code of the answer (RFC 9110 §15, RFC 6585 §5).
    package var status: Int {
        switch self {
        case .malformedRequestLine, .malformedTarget, .malformedField, .malformedHost, .missingHost, .repeatedHost,
            .malformedLength, .conflictingLength, .malformedTransferEncoding, .malformedChunk, .malformedTrailer,
            .malformedHandshake:
            400
        case .timedOut: 408
        case .lengthRequired: 411
        case .bodyTooLarge: 413
        case .targetTooLong: 414
        case .unknownExpectation: 417
        case .misdirected: 421
        case .unsupportedWebSocketVersion, .notAWebSocket: 426
        case .fieldsTooLarge: 431
        case .unknownMethod, .unsupportedTransferCoding: 501
        case .overloaded: 503
        case .unsupportedVersion: 505
        }
    }
}
