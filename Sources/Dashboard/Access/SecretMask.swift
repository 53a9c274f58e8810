// Secrets that must not leave through a share: keys and tokens with a known shape, values assigned to names that say
// "secret", passwords in URLs, private keys. A net with wide meshes: it helps against mistakes, it is no proof. One pass over
// the bytes, linear.

package import Desktops

package enum SecretMask {
    /// What a secret becomes.
    package static let mark = "[masked]"

    /// A block without secrets in anything that is shown.
    package static func masked(_ block: Block) -> Block {
        var block = block
        block.text = masked(block.text)
        block.title = block.title.map(masked)
        block.input = block.input.map(masked)
        block.command = block.command.map(masked)
        block.patch = block.patch.map(masked)
        block.decision = block.decision.map(masked)
        block.options = block.options.map(masked)
        block.items = block.items.map { TodoItem(text: masked($0.text), state: $0.state) }
        return block
    }

    /// The text with every secret replaced by ``mark``.
    package static func masked(_ text: String) -> String {
        var scanner = Scanner(bytes: Array(text.utf8))
        return scanner.run() ?? text
    }
}

/// Prefixes of issued tokens, and the fewest bytes that such a token has in all.
private let tokenShapes: [(prefix: [UInt8], length: Int)] = [
    ("sk-", 20), ("sk_live_", 20), ("sk_test_", 20), ("rk_live_", 20), ("pk_live_", 20), ("whsec_", 20),
    ("ghp_", 30), ("gho_", 30), ("ghu_", 30), ("ghs_", 30), ("ghr_", 30), ("github_pat_", 30), ("glpat-", 20),
    ("xoxb-", 20), ("xoxp-", 20), ("xoxa-", 20), ("xoxs-", 20), ("xapp-", 20),
    ("AKIA", 20), ("ASIA", 20), ("AIza", 35), ("ya29.", 20), ("eyJ", 30), ("npm_", 30), ("pypi-", 30), ("hf_", 30),
    ("dop_v1_", 30), ("SG.", 30), ("shpat_", 30), ("lin_api_", 30), ("sntrys_", 30), ("dckr_pat_", 20), ("tskey-", 20),
    ("AGE-SECRET-KEY-", 30),
].map { (Array($0.0.utf8), $0.1) }

/// Parts of names whose values are secrets.
private let secretNames: [[UInt8]] = [
    "apikey", "api_key", "api-key", "secret", "token", "passwd", "password", "passphrase", "access_key", "accesskey",
    "access-key", "private_key", "privatekey", "credential", "auth_key", "connectionstring", "connection_string",
].map { Array($0.utf8) }

private struct Scanner {
    let bytes: [UInt8]
    private var output: [UInt8] = []
    private var copied = 0
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// The masked text; nil when there is nothing to mask.
    mutating func run() -> String? {
        var isWordStart = true
        while index < count {
            let byte = self[index]
            if isWordStart, isWord(byte) {
                if maskToken() || maskBearer() || maskAssignment() { continue }
            } else if byte == UInt8(ascii: "-"), maskPrivateKey() {
                continue
            } else if byte == UInt8(ascii: ":"), maskAddress() {
                continue
            }
            isWordStart = !isWord(byte)
            index += 1
        }
        guard copied > 0 else { return nil }
        output += bytes[copied...]
        return String(decoding: output, as: UTF8.self)
    }

    private var count: Int { bytes.count }
    private subscript(_ position: Int) -> UInt8 { bytes[position] }

    /// Replaces a range by the mark and goes on behind it.
    private mutating func mask(_ range: Range<Int>) {
        output += bytes[copied..<range.lowerBound]
        output += SecretMask.mark.utf8
        copied = range.upperBound
        index = range.upperBound
    }

    private func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// Bytes that tokens are made of: base64 in both alphabets, and the dots of a JWT.
    private func isToken(_ byte: UInt8) -> Bool {
        isWord(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "+")
            || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=") || byte == UInt8(ascii: "~")
    }

    private func matches(_ text: [UInt8], at start: Int) -> Bool {
        guard start + text.count <= count else { return false }
        for offset in text.indices where self[start + offset] != text[offset] { return false }
        return true
    }

    /// Where bytes that `holds` end.
    ///
    /// Never looks further than `limit`, so that a text cannot make us read it again and again.
    private func end(from start: Int, limit: Int = .max, while holds: (UInt8) -> Bool) -> Int {
        let last = limit < count - start ? start + limit : count
        var end = start
        while end < last, holds(self[end]) { end += 1 }
        return end
    }

    private mutating func maskToken() -> Bool {
        let first = self[index]
        for shape in tokenShapes where shape.prefix[0] == first && matches(shape.prefix, at: index) {
            let end = end(from: index, while: isToken)
            guard end - index >= shape.length else { return false }
            mask(index..<end)
            return true
        }
        return false
    }

    /// `Bearer …`, `Basic …`.
    private mutating func maskBearer() -> Bool {
        for word in ["Bearer ", "bearer ", "Basic ", "basic "] where matches(Array(word.utf8), at: index) {
            let start = index + word.utf8.count
            let end = end(from: start, while: isToken)
            guard end - start >= 12, hasDigit(start..<end) else { return false }
            mask(start..<end)
            return true
        }
        return false
    }

    private func hasDigit(_ range: Range<Int>) -> Bool {
        range.contains { self[$0] >= UInt8(ascii: "0") && self[$0] <= UInt8(ascii: "9") }
    }

    /// `API_KEY=…`, `"password": "…"`, `token: …`.
    private mutating func maskAssignment() -> Bool {
        let end = end(from: index, limit: 65) { isWord($0) || $0 == UInt8(ascii: "-") }
        // Longer words are no names.
        guard (4...64).contains(end - index) else { return false }
        let name = (index..<end).map { position -> UInt8 in
            let byte = self[position]
            return (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
        }
        guard secretNames.contains(where: { name.contains($0) }) else { return false }
        // A quote inside JSON inside a string is written `\"`.
        var position = end
        if position < count, self[position] == UInt8(ascii: "\\") { position += 1 }
        if position < count, self[position] == UInt8(ascii: "\"") || self[position] == UInt8(ascii: "'") {
            position += 1
        }
        position = self.end(from: position) { $0 == UInt8(ascii: " ") }
        guard position < count, self[position] == UInt8(ascii: "=") || self[position] == UInt8(ascii: ":") else {
            return false
        }
        let isAssigned = self[position] == UInt8(ascii: "=")
        position = self.end(from: position + 1) { $0 == UInt8(ascii: " ") }
        if position < count, self[position] == UInt8(ascii: "\\") { position += 1 }
        guard position < count else { return false }
        if self[position] == UInt8(ascii: "\"") || self[position] == UInt8(ascii: "'") {
            let quote = self[position]
            var last = self.end(from: position + 1) { $0 != quote && $0 != UInt8(ascii: "\n") }
            if self[last - 1] == UInt8(ascii: "\\") { last -= 1 }
            guard last - position > 4 else { return false }
            mask(position + 1..<last)
            return true
        }
        let last = self.end(from: position, limit: 4_096) {
            isToken($0) || $0 == UInt8(ascii: "!") || $0 == UInt8(ascii: "#") || $0 == UInt8(ascii: "%")
                || $0 == UInt8(ascii: "@")
        }
        // A call or an index is code, not a value.
        if last < count,
            [UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"), UInt8(ascii: "{")].contains(self[last])
        {
            return false
        }
        let length = last - position
        guard length >= 8 && hasDigit(position..<last) || length >= 24 || isAssigned && length >= 6 && end - index > 6
        else {
            return false
        }
        mask(position..<last)
        return true
    }

    /// `://user:password@host`.
    private mutating func maskAddress() -> Bool {
        guard matches(Array("://".utf8), at: index) else { return false }
        let start = index + 3
        let user = end(from: start) { isToken($0) && $0 != UInt8(ascii: "/") || $0 == UInt8(ascii: "%") }
        guard user < count, self[user] == UInt8(ascii: ":") else { return false }
        let last = end(from: user + 1) {
            $0 > 0x20 && $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "\"")
        }
        guard last < count, self[last] == UInt8(ascii: "@"), last > user + 1 else { return false }
        mask(user + 1..<last)
        return true
    }

    /// From `-----BEGIN … PRIVATE KEY-----` to the end of its `-----END` line, or of the text.
    private mutating func maskPrivateKey() -> Bool {
        guard matches(Array("-----BEGIN ".utf8), at: index) else { return false }
        let line = end(from: index, limit: 100) { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\\") }
        let marker = Array("PRIVATE KEY".utf8)
        guard (index..<line).contains(where: { matches(marker, at: $0) }) else { return false }
        let closing = Array("-----END ".utf8)
        var position = line
        while position < count, !matches(closing, at: position) { position += 1 }
        if position < count {
            position = end(from: position + closing.count) { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "\n") }
            position = end(from: position) { $0 == UInt8(ascii: "-") }
        }
        mask(index..<position)
        return true
    }
}
