// What `wheelhouse serve` tells the dashboard, and what the dashboard itself remembers over restarts.

package import Store
import Wire

/// The settings of one dashboard.
package struct SiteConfiguration: Sendable {
    /// `/prefix` without a slash at its end; empty at the root of a host.
    package var basePath = ""
    /// The address that links carry, without a slash at its end; nil: the address that a request came in on.
    package var publicURL: String?
    /// Names by which the dashboard may be asked, beside `localhost` and addresses in digits: this machine's own, a proxy's.
    package var hostNames: [String] = []
    /// The folder that holds `Public/` and `config/`.
    package var resources: String
    package var version = ""

    package init(resources: String) { self.resources = resources }
}

/// What tells this server from others, made at the first start.
package struct SiteIdentity: Sendable {
    /// Marks this server's entry in the cookie.
    package let instance: String
    /// This server's device id on the device link, a lower-case UUID.
    package let device: String
    /// Signs the addresses of media in shares.
    let mediaKey: [UInt8]

    /// Reads the identity, or makes one and keeps it.
    package init(in database: Database) throws(StoreError) {
        instance = try database.value(of: .instanceID, orKeep: RandomBytes.alphanumeric(8))
        device = try database.value(of: .deviceID, orKeep: RandomBytes.uuid())
        let key = try database.value(of: .mediaKey, orKeep: Digest.hex(RandomBytes.bytes(32)))
        mediaKey = Array(key.utf8)
    }
}
