// Every bound of this module, in one place.

/// Bounds on what peers can make us hold or do.
package enum Limits {
    /// An `Authorization` field of an upgrade.
    package static let credentialBytes = 4_096
}
