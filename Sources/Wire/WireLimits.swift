// Every number that bounds something in `Wire`, with its unit.

package enum WireLimits {
    /// Addresses of one name that are tried.
    package static let addressesPerName = 8
}
