// Request methods: case-sensitive tokens (RFC 9110 §9.1).

/// A method that this server knows, or that a client sends.
package struct HTTPMethod: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    package let name: String

    package init(stringLiteral name: String) { self.name = name }
    package var description: String { name }

    package static let get: HTTPMethod = "GET"
    package static let head: HTTPMethod = "HEAD"
    package static let post: HTTPMethod = "POST"
    package static let put: HTTPMethod = "PUT"
    package static let patch: HTTPMethod = "PATCH"
    package static let delete: HTTPMethod = "DELETE"
    package static let options: HTTPMethod = "OPTIONS"

    /// Whether a request of this method asks for nothing to be changed (RFC 9110 §9.2.1).
    package var isSafe: Bool { self == .get || self == .head || self == .options }

    /// The method that these bytes name; nil when the server does not know it. No memory is taken.
    static func known(_ bytes: Span<UInt8>) -> HTTPMethod? {
        func matches(_ name: StaticString) -> Bool {
            guard name.utf8CodeUnitCount == bytes.count else { return false }
            for index in bytes.indices where unsafe bytes[index] != name.utf8Start[index] { return false }
            return true
        }
        if matches("GET") { return .get }
        if matches("POST") { return .post }
        if matches("HEAD") { return .head }
        if matches("PUT") { return .put }
        if matches("PATCH") { return .patch }
        if matches("DELETE") { return .delete }
        if matches("OPTIONS") { return .options }
        return nil
    }
}
