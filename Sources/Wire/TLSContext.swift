// The TLS settings that connections share, for both roles: 1.2 and 1.3 only, forward secrecy and AEAD only, HTTP/1.1 by
// ALPN. OpenSSL works on the socket itself (`SSL_set_fd`): no copy pumps.
import COpenSSL
import Glibc

/// Why a context could not be made, or a handshake failed.
package enum TLSError: Error, Equatable {
    /// The certificate file cannot be read, or holds no certificate. The text is OpenSSL's.
    case unusableCertificate(String)
    /// The key file cannot be read, or does not belong to the certificate.
    case unusableKey(String)
    /// The file of authorities cannot be read.
    case unusableAuthorities(String)
    /// The other end's certificate is not trusted, or is another host's. The text says which.
    case untrusted(String)
    /// Anything else that the protocol calls an error.
    case failed(String)
}

/// Settings, certificates and session tickets of one role. OpenSSL guards it with its own locks.
@safe package final class TLSContext: @unchecked Sendable {
    /// Which certificates a client believes.
    package enum Trust: Sendable {
        /// Those of the system's authorities.
        case system
        /// Those of the authorities in this PEM file.
        case authorities(file: String)
    }

    let handle: OpaquePointer
    let isServer: Bool

    private init(method: OpaquePointer?, isServer: Bool) {
        guard let handle = unsafe SSL_CTX_new(method) else { fatalError("out of memory") }
        unsafe self.handle = handle
        self.isServer = isServer
        unsafe copenssl_set_min_version(handle, TLS1_2_VERSION)
        // Writes may be cut and repeated from another place; idle sessions hold no buffers.
        let modes = SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS
        unsafe copenssl_set_mode(handle, Int(modes))
        unsafe copenssl_set_read_ahead(handle)
        unsafe SSL_CTX_set_cipher_list(handle, "ECDHE+AESGCM:ECDHE+CHACHA20")
        unsafe copenssl_set_groups(handle, "X25519:P-256:P-384")
    }

    deinit { unsafe SSL_CTX_free(handle) }

    /// A server's context.
    ///
    /// - Parameters:
    ///   - certificate: path of a PEM file: the server's certificate, then its chain.
    ///   - key: path of its private key in PEM.
    package static func server(certificate: String, key: String) throws(TLSError) -> TLSContext {
        let context = unsafe TLSContext(method: TLS_server_method(), isServer: true)
        unsafe copenssl_set_server_options(context.handle)
        guard unsafe SSL_CTX_use_certificate_chain_file(context.handle, certificate) == 1 else {
            throw .unusableCertificate(TLSContext.takeErrors())
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context.handle, key, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(context.handle) == 1
        else { throw .unusableKey(TLSContext.takeErrors()) }
        // Sessions live in tickets, not in memory.
        unsafe copenssl_set_cache_mode(context.handle, Int(SSL_SESS_CACHE_OFF))
        unsafe SSL_CTX_set_session_id_context(context.handle, "wheelhouse", 10)
        unsafe SSL_CTX_set_alpn_select_cb(
            context.handle,
            { _, chosen, length, offered, count, _ in
                // Two lists of length-prefixed names; ours has one. Nothing in common is an alert (RFC 7301 §3.2).
                let ours: StaticString = "\u{8}http/1.1"
                var output: UnsafeMutablePointer<UInt8>?
                let result = unsafe SSL_select_next_proto(
                    &output,
                    length,
                    ours.utf8Start,
                    UInt32(ours.utf8CodeUnitCount),
                    offered,
                    count
                )
                guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
                unsafe chosen?.pointee = UnsafePointer(output)
                return SSL_TLSEXT_ERR_OK
            },
            nil
        )
        return context
    }

    /// A client's context. The server must show a certificate that is trusted and names the host.
    package static func client(trust: Trust = .system) throws(TLSError) -> TLSContext {
        let context = unsafe TLSContext(method: TLS_client_method(), isServer: false)
        unsafe copenssl_set_client_options(context.handle)
        switch trust {
        case .system: unsafe SSL_CTX_set_default_verify_paths(context.handle)
        case .authorities(let file):
            guard unsafe SSL_CTX_load_verify_locations(context.handle, file, nil) == 1 else {
                throw .unusableAuthorities(TLSContext.takeErrors())
            }
        }
        unsafe SSL_CTX_set_verify(context.handle, SSL_VERIFY_PEER, nil)
        let protocols: [UInt8] = [8] + Array("http/1.1".utf8)
        unsafe SSL_CTX_set_alpn_protos(context.handle, protocols, UInt32(protocols.count))
        return context
    }

    /// A client's context with the system's authorities.
    package static let system = TLSContext.makeSystem()

    private static func makeSystem() -> TLSContext {
        do throws(TLSError) { return try client() } catch { fatalError("TLS cannot start: \(error)") }
    }

    /// OpenSSL's sentences about what went wrong last on this thread; forgotten by telling them.
    static func takeErrors() -> String {
        var sentences: [String] = []
        while sentences.count < 8 {
            let code = ERR_get_error()
            if code == 0 { break }
            if let reason = unsafe ERR_reason_error_string(code) {
                sentences.append(unsafe String(cString: reason))
            } else {
                sentences.append("error \(code)")
            }
        }
        ERR_clear_error()
        return sentences.isEmpty ? "no reason given" : sentences.joined(separator: "; ")
    }
}
