// Which handler answers a request: a tree of path segments, asked once per request, before its body is read.
package import Wire

/// The segments of a path that stood for names in the pattern.
package struct Parameters: Sendable, Equatable {
    private var list: [(name: String, value: String)] = []

    package init() {}

    /// The decoded segment that stood for `:name`, or the rest of the path that stood for `*name`; nil when the pattern has
    /// no such name.
    package subscript(_ name: String) -> String? { list.first { $0.name == name }?.value }

    mutating func add(_ name: String, _ value: String) { list.append((name, value)) }

    package static func == (left: Parameters, right: Parameters) -> Bool {
        left.list.elementsEqual(right.list) { $0.name == $1.name && $0.value == $1.value }
    }
}

/// The table of what a server answers. Filled before it listens.
///
/// Patterns: `/s/:id/raw` (a name stands for one segment that is not empty), `/files/*path` (for the rest, which may be
/// empty). Literal segments win over names, names over rests; there is no going back, so patterns that share a beginning
/// share a meaning.
@Loop package final class Router {
    package typealias Handler = @Loop (HTTPRequest, Parameters) -> HTTPAnswer

    /// A handler and what it takes.
    package final class Route: Sendable {
        package let methods: [HTTPMethod]
        /// Bytes of the largest body; a request with a larger one is refused before it is read.
        package let bodyLimit: Int
        let names: [String]
        package let handler: Handler

        init(methods: [HTTPMethod], bodyLimit: Int, names: [String], handler: @escaping Handler) {
            self.methods = methods
            self.bodyLimit = bodyLimit
            self.names = names
            self.handler = handler
        }
    }

    package enum Match {
        case route(Route, Parameters)
        /// The path exists; these are its methods.
        case otherMethods([HTTPMethod])
        case none
    }

    private final class Node {
        var literals: [(segment: [UInt8], node: Node)] = []
        var name: Node?
        var rest: [Route] = []
        var routes: [Route] = []
    }

    private let root = Node()
    /// Answers when no pattern matches; a plain 404 when there is none.
    package var notFound: (@Loop (HTTPRequest) -> HTTPResponse)?

    package init() {}

    /// Adds a route for several methods. GET answers HEAD as well; OPTIONS answers itself.
    ///
    /// - Parameter bodyLimit: bytes; 0 takes no body at all.
    package func on(_ methods: [HTTPMethod], _ pattern: String, bodyLimit: Int = 0, _ handler: @escaping Handler) {
        precondition(pattern.hasPrefix("/"), "a pattern starts with a slash: \(pattern)")
        var node = root
        var names: [String] = []
        let segments = pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
        for (index, segment) in segments.enumerated() {
            if segment.hasPrefix("*") {
                precondition(index == segments.count - 1, "a rest ends its pattern: \(pattern)")
                names.append(String(segment.dropFirst()))
                node.rest.append(Route(methods: methods, bodyLimit: bodyLimit, names: names, handler: handler))
                return
            }
            if segment.hasPrefix(":") {
                names.append(String(segment.dropFirst()))
                let next = node.name ?? Node()
                node.name = next
                node = next
            } else {
                let bytes = Array(segment.utf8)
                if let known = node.literals.first(where: { $0.segment == bytes }) {
                    node = known.node
                } else {
                    let next = Node()
                    node.literals.append((bytes, next))
                    node = next
                }
            }
        }
        node.routes.append(Route(methods: methods, bodyLimit: bodyLimit, names: names, handler: handler))
    }

    /// Adds a route for one method.
    package func on(_ method: HTTPMethod, _ pattern: String, bodyLimit: Int = 0, _ handler: @escaping Handler) {
        on([method], pattern, bodyLimit: bodyLimit, handler)
    }

    /// The route of a method and a path.
    package func match(_ method: HTTPMethod, _ path: Span<UInt8>) -> Match {
        var node = root
        var segments: [Range<Int>] = []
        // Where the innermost rest on the way would start.
        var rest: (routes: [Route], start: Int, segments: Int)?
        var position = 1
        while true {
            if !node.rest.isEmpty { rest = (node.rest, position, segments.count) }
            var end = position
            while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
            if let next = literal(in: node, path, position..<end) {
                node = next
            } else if let next = node.name, end > position {
                segments.append(position..<end)
                node = next
            } else {
                return choose(rest, method, path, segments)
            }
            if end == path.count { break }
            position = end + 1
        }
        if node.routes.isEmpty {
            if !node.rest.isEmpty { rest = (node.rest, path.count, segments.count) }
            return choose(rest, method, path, segments)
        }
        return choose(node.routes, method, path, segments)
    }

    private func literal(in node: Node, _ path: Span<UInt8>, _ range: Range<Int>) -> Node? {
        for (segment, next) in node.literals where segment.count == range.count {
            var index = 0
            while index < segment.count, segment[index] == path[range.lowerBound + index] { index += 1 }
            if index == segment.count { return next }
        }
        return nil
    }

    private func choose(
        _ rest: (routes: [Route], start: Int, segments: Int)?,
        _ method: HTTPMethod,
        _ path: Span<UInt8>,
        _ segments: [Range<Int>]
    ) -> Match {
        guard let rest else { return .none }
        return choose(
            rest.routes,
            method,
            path,
            Array(segments.prefix(rest.segments)) + [min(rest.start, path.count)..<path.count]
        )
    }

    private func choose(
        _ routes: [Route],
        _ method: HTTPMethod,
        _ path: Span<UInt8>,
        _ segments: [Range<Int>]
    ) -> Match {
        let wanted = method == .head ? HTTPMethod.get : method
        for route in routes where route.methods.contains(method) || route.methods.contains(wanted) {
            var parameters = Parameters()
            for index in segments.indices { parameters.add(route.names[index], text(path.extracting(segments[index]))) }
            return .route(route, parameters)
        }
        var allowed: [HTTPMethod] = []
        for method in routes.flatMap(\.methods) where !allowed.contains(method) { allowed.append(method) }
        if allowed.contains(.get), !allowed.contains(.head) { allowed.append(.head) }
        if !allowed.contains(.options) { allowed.append(.options) }
        return .otherMethods(allowed)
    }

    private func text(_ bytes: Span<UInt8>) -> String {
        unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
}
