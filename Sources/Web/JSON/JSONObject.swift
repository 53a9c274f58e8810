// The members of a JSON object in the order in which they were written.

/// An ordered list of members with unique keys.
package struct JSONObject: Sendable, Equatable, ExpressibleByDictionaryLiteral, Sequence {
    package typealias Member = (key: String, value: JSON)

    private var members: [Member] = []
    /// Where each key stands; kept only above ``JSONLimits/linearMembers`` members.
    private var places: [String: Int] = [:]

    package init() {}

    /// Of a key that is given twice, the last value wins.
    package init(dictionaryLiteral elements: (String, JSON)...) {
        for (key, value) in elements { self[key] = value }
    }

    package var count: Int { members.count }
    package var isEmpty: Bool { members.isEmpty }
    package var keys: [String] { members.map(\.key) }

    package func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }

    /// The member's value.
    ///
    /// Setting replaces it in its place or adds it at the end; nil removes it.
    package subscript(key: String) -> JSON? {
        get { place(of: key).map { members[$0].value } }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (nil, let value?): add(key, value)
            case (let place?, nil):
                members.remove(at: place)
                places = [:]
                if members.count > JSONLimits.linearMembers { index() }
            case (nil, nil): break
            }
        }
    }

    private func place(of key: String) -> Int? {
        if members.count > JSONLimits.linearMembers { return places[key] }
        return members.firstIndex { $0.key == key }
    }

    private mutating func add(_ key: String, _ value: JSON) {
        members.append((key, value))
        if places.isEmpty {
            if members.count > JSONLimits.linearMembers { index() }
        } else {
            places[key] = members.count - 1
        }
    }

    private mutating func index() {
        for (place, member) in members.enumerated() { places[member.key] = place }
    }

    /// Equal members, in any order (RFC 8259 section 4: an object is unordered).
    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        left.count == right.count && left.members.allSatisfy { right[$0.key] == $0.value }
    }
}
