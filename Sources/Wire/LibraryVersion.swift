import COpenSSL

/// The OpenSSL that runs, as `OpenSSL 3.0.19 …`.
package enum OpenSSLLibrary {
    package static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
