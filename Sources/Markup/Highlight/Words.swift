// A language's reserved words: a small open hash table over one pool of bytes, asked once per identifier.

/// Words and what they mean.
struct Words: Sendable {
    /// What a word announces about the name after it.
    enum Role: UInt8, Sendable {
        case none
        /// `func`, `def`: a function's name follows.
        case function
        /// `class`, `new`: a type's name follows.
        case type
        /// `return`, `case`: an expression follows, so that `/` begins a regular expression.
        case expression
        /// `import`, `package`: a name follows that is neither a call nor a type.
        case path
        /// `macro`-like words that name a constant or variable next.
        case name
    }

    struct Meaning: Sendable {
        var kind: Highlight.Kind
        var role: Role
    }

    private struct Entry { var start: UInt32, length: UInt32, meaning: Meaning }
    private var pool: [UInt8] = []
    private var entries: [Entry] = []
    /// Index of an entry plus 1, 0 for none; a power of two long, at most half full.
    private var slots: [UInt16] = [0]
    private var mask = 0
    private var longest = 0
    let ignoresCase: Bool

    /// - Parameter lists: words separated by spaces, by kind and role; the first list that holds a word counts.
    init(_ lists: [(kind: Highlight.Kind, role: Role, words: String)], ignoresCase: Bool = false) {
        self.ignoresCase = ignoresCase
        var seen = Set<String>()
        for (kind, role, text) in lists {
            for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
                let plain = ignoresCase ? word.lowercased() : String(word)
                guard seen.insert(plain).inserted else { continue }
                entries.append(
                    Entry(
                        start: UInt32(pool.count),
                        length: UInt32(plain.utf8.count),
                        meaning: Meaning(kind: kind, role: role)
                    )
                )
                pool += plain.utf8
                longest = max(longest, plain.utf8.count)
            }
        }
        var size = 16
        while size < entries.count * 3 { size *= 2 }
        slots = [UInt16](repeating: 0, count: size)
        mask = size - 1
        for (number, entry) in entries.enumerated() {
            var hash: UInt32 = 0
            for index in 0..<Int(entry.length) { hash = Words.mix(hash, pool[Int(entry.start) + index]) }
            var slot = Words.finish(hash) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = UInt16(number + 1)
        }
    }

    @inline(__always) static func mix(_ hash: UInt32, _ byte: UInt8) -> UInt32 { hash &* 31 &+ UInt32(byte) }
    @inline(__always) private static func finish(_ hash: UInt32) -> Int { Int(hash ^ (hash >> 9)) }

    /// The meaning of the word at `start..<end`, or `nil`.
    ///
    /// - Parameter hash: ``mix(_:_:)`` over the bytes (lower case when the table ignores case).
    @inline(__always)
    func meaning(_ source: Bytes, from start: Int, to end: Int, hash: UInt32) -> Meaning? {
        let length = end &- start
        guard length <= longest else { return nil }
        var slot = Words.finish(hash) & mask
        while true {
            let number = Int(slots[slot])
            if number == 0 { return nil }
            let entry = entries[number &- 1]
            if Int(entry.length) == length, equals(source, start, entry) { return entry.meaning }
            slot = (slot &+ 1) & mask
        }
    }

    /// The meaning of the word at `start..<end`, hashing it first.
    func meaning(_ source: Bytes, from start: Int, to end: Int) -> Meaning? {
        guard end - start <= longest else { return nil }
        var hash: UInt32 = 0
        for index in start..<end { hash = Words.mix(hash, ignoresCase ? source[index].lowered : source[index]) }
        return meaning(source, from: start, to: end, hash: hash)
    }

    @inline(__always) private func equals(_ source: Bytes, _ start: Int, _ entry: Entry) -> Bool {
        let from = Int(entry.start)
        for index in 0..<Int(entry.length) {
            let byte = ignoresCase ? source[start &+ index].lowered : source[start &+ index]
            if byte != pool[from &+ index] { return false }
        }
        return true
    }
}
