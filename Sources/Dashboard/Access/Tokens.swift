// Making the secrets that let somebody in, with just the database: the server and the commands `pair`, `desktop-token` and
// `share` use the same functions. Only SHA-256 hashes are kept; the secret is returned once.

package import Store
import Wire

package enum Tokens {
    /// A fresh secret of 256 bits for URLs and cookies.
    package static func fresh() -> String { RandomBytes.urlToken(bytes: 32) }
    /// What the database keeps of a secret.
    package static func hash(_ secret: String) -> [UInt8] { Digest.sha256(Array(secret.utf8)) }
    /// A fresh id that is no secret.
    package static func id() -> String { Digest.hex(RandomBytes.bytes(8)) }
}

/// Links that let one browser in.
package enum Pairing {
    /// Opens a way in and returns the path below the base URL: `pair/CODE`.
    ///
    /// - Parameters:
    ///   - person: the id of the person whom the browser will act for; nil for a new one, or the owner.
    ///   - now: milliseconds since 1970.
    package static func newLink(
        role: Role,
        person: String? = nil,
        name: String = "",
        in database: Database,
        now: Int64
    ) throws(StoreError) -> String {
        // 20 letters and digits: 119 bits, still short enough for a QR code that a phone reads from a terminal.
        let code = RandomBytes.alphanumeric(20)
        try database.addPairingCode(hash: Tokens.hash(code), role: role, person: person, name: name, now: now)
        return "pair/\(code)"
    }
}

/// Tokens with which desktops dial in.
package enum DesktopTokens {
    /// Makes one; the secret is `whd_` and 43 characters.
    package static func make(name: String, in database: Database, now: Int64) throws(StoreError) -> String {
        let secret = "whd_" + Tokens.fresh()
        try database.addDesktopToken(hash: Tokens.hash(secret), id: Tokens.id(), name: name, now: now)
        return secret
    }

    /// The line to run on the other computer.
    package static func command(server: String, token: String) -> String {
        "wheelhouse desktop --server \(server) --token \(token)"
    }
}

/// Tokens with which programs use the API.
package enum APITokens {
    package static func make(label: String, person: Person, in database: Database, now: Int64) throws(StoreError)
        -> String
    {
        let secret = "wha_" + Tokens.fresh()
        try database.addAPIToken(hash: Tokens.hash(secret), id: Tokens.id(), person: person, label: label, now: now)
        return secret
    }
}

/// Links to one session.
package enum ShareLinks {
    /// What a link allows.
    package struct Wish: Sendable {
        /// The session's public id.
        package var session: String
        package var title: String
        package var createdBy: String
        /// Milliseconds, from ``DashboardLimits/shortestShare`` to ``DashboardLimits/longestShare``.
        package var lifetime: Int64 = DashboardLimits.usualShare
        package var hidesOutput = false
        package var password: String?

        package init(session: String, title: String, createdBy: String) {
            self.session = session
            self.title = title
            self.createdBy = createdBy
        }
    }

    /// Makes a share and returns its path below the base URL: `share/TOKEN`, with a token of 256 bits.
    package static func make(_ wish: Wish, in database: Database, now: Int64) throws(StoreError) -> String {
        guard (DashboardLimits.shortestShare...DashboardLimits.longestShare).contains(wish.lifetime) else {
            throw .refused("a share lives from 1 hour to 30 days.")
        }
        let token = Tokens.fresh()
        let share = Share(
            id: Tokens.id(),
            session: wish.session,
            title: Words.line(wish.title),
            createdBy: wish.createdBy,
            createdAt: now,
            expiresAt: now + wish.lifetime,
            hidesOutput: wish.hidesOutput
        )
        let password = wish.password.map { text in
            let salt = RandomBytes.bytes(16)
            return SharePassword(salt: salt, hash: stretched(text, salt: salt))
        }
        try database.add(share, hash: Tokens.hash(token), password: password)
        return "share/\(token)"
    }

    /// PBKDF2 with HMAC-SHA-256 (RFC 8018 section 5.2), one block: what makes guessing a short password slow.
    ///
    /// Takes some tens of milliseconds: off the loop.
    package static func stretched(_ password: String, salt: [UInt8], rounds: Int = 50_000) -> [UInt8] {
        let key = Array(password.utf8)
        var block = Digest.hmacSHA256(key: key, message: salt + [0, 0, 0, 1])
        var result = block
        for _ in 1..<max(1, rounds) {
            block = Digest.hmacSHA256(key: key, message: block)
            for index in result.indices { result[index] ^= block[index] }
        }
        return result
    }

    /// `1h`, `90m`, `7d` or a number of seconds; nil for anything else.
    package static func lifetime(_ text: String) -> Int64? {
        guard let last = text.last else { return nil }
        let unit: Int64? =
            switch last {
            case "m": 60_000
            case "h": 3_600_000
            case "d": 86_400_000
            case "0"..."9": nil
            default: 0
            }
        guard unit != 0, let count = Int64(unit == nil ? text[...] : text.dropLast()), (1...10_000_000).contains(count)
        else {
            return nil
        }
        return count * (unit ?? 1_000)
    }
}
