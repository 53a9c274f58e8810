// Header fields: an ordered list with names that ignore case (RFC 9110 §5). Fields of a request stay where they were
// received until somebody asks for one; fields of an answer are a short list.

/// The fields of one message.
package struct HTTPFields: Sendable, ExpressibleByDictionaryLiteral {
    private enum Storage: Sendable {
        case list([(name: String, value: String)])
        case received(ReceivedHead)
    }

    private var storage: Storage

    package init() { storage = .list([]) }

    package init(dictionaryLiteral elements: (String, String)...) {
        storage = .list(elements.map { (name: $0.0, value: $0.1) })
    }

    init(received head: ReceivedHead) { storage = .received(head) }

    /// The value of the first field of that name. Setting replaces all of that name; nil removes them.
    package subscript(name: String) -> String? {
        get {
            switch storage {
            case .list(let list): list.first { Self.matches($0.name, name) }?.value
            case .received(let head): head.value(of: name)
            }
        }
        set {
            if let newValue { set(name, newValue) } else { remove(name) }
        }
    }

    /// All values of that name, in order.
    package func values(_ name: String) -> [String] {
        all.filter { Self.matches($0.name, name) }.map(\.value)
    }

    /// Every field in its order.
    package var all: [(name: String, value: String)] {
        switch storage {
        case .list(let list): list
        case .received(let head): head.all
        }
    }

    /// Calls `body` for every field in its order, without making a list.
    func forEach(_ body: (_ name: String, _ value: String) -> Void) {
        switch storage {
        case .list(let list): for field in list { body(field.name, field.value) }
        case .received(let head): for field in head.all { body(field.name, field.value) }
        }
    }

    package var count: Int {
        switch storage {
        case .list(let list): list.count
        case .received(let head): head.fields.count
        }
    }

    /// Adds a field behind the others. Characters that could end the line are replaced by spaces.
    package mutating func add(_ name: String, _ value: String) {
        var list = all
        storage = .list([])
        list.append((name, Self.safe(value)))
        storage = .list(list)
    }

    /// Puts one field in the place of all of that name.
    package mutating func set(_ name: String, _ value: String) {
        remove(name)
        add(name, value)
    }

    package mutating func remove(_ name: String) {
        var list = all
        storage = .list([])
        list.removeAll { Self.matches($0.name, name) }
        storage = .list(list)
    }

    /// Whether a list-valued field (such as `Connection`) has this member, in any case.
    package func hasToken(_ token: String, in name: String) -> Bool {
        values(name).contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { part in
                var part = part
                while let first = part.first, first.isHTTPSpace { part.removeFirst() }
                while let last = part.last, last.isHTTPSpace { part.removeLast() }
                return part.count == token.utf8.count
                    && zip(part, token.utf8).allSatisfy { $0.lowercased == $1.lowercased }
            }
        }
    }

    private static func matches(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && zip(left.utf8, right.utf8).allSatisfy { $0.lowercased == $1.lowercased }
    }

    private static func safe(_ value: String) -> String {
        let isSafe = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        if isSafe { return value }
        return String(decoding: value.utf8.map { $0 < 0x20 || $0 == 0x7F ? 0x20 : $0 }, as: UTF8.self)
    }
}

/// A message head as it was received: its bytes and where the fields lie in them. Shared by all copies of its message.
final class ReceivedHead: Sendable {
    let bytes: [UInt8]
    let fields: [FieldRange]

    /// Not on any actor: a closure made on one would have its executor checked at each call.
    nonisolated init(copying bytes: Span<UInt8>, fields: [FieldRange]) {
        self.bytes = unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) }
        self.fields = fields
    }

    init(bytes: [UInt8], fields: [FieldRange]) {
        self.bytes = bytes
        self.fields = fields
    }

    func text(_ range: Range<Int>) -> String {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            unsafe String(decoding: UnsafeBufferPointer(rebasing: buffer[range]), as: UTF8.self)
        }
    }

    func value(of name: String) -> String? {
        let length = name.utf8.count
        for field in fields where field.name.count == length {
            if zip(bytes[field.name], name.utf8).allSatisfy({ $0.lowercased == $1.lowercased }) {
                return text(field.value)
            }
        }
        return nil
    }

    var all: [(name: String, value: String)] { fields.map { (text($0.name), text($0.value)) } }
}
