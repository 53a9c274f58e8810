// One TLS connection on a non-blocking socket. `SocketStream` owns it and is the only caller.
import COpenSSL
import Glibc

@safe final class TLSSession {
    private let handle: OpaquePointer
    private var isEstablished = false
    private var isBroken = false
    private var peerEnded = false
    /// The last read stopped because the buffer was full: bytes may wait where epoll does not see them.
    private(set) var mayHoldMore = false

    /// - Parameter host: for a client: whom the certificate must name.
    init?(_ context: TLSContext, descriptor: Int32, host: String?) {
        guard let handle = unsafe SSL_new(context.handle) else { return nil }
        unsafe self.handle = handle
        guard unsafe SSL_set_fd(handle, descriptor) == 1 else { return nil }
        if context.isServer {
            unsafe SSL_set_accept_state(handle)
        } else {
            unsafe SSL_set_connect_state(handle)
            guard let host, expect(host) else { return nil }
        }
    }

    deinit { unsafe SSL_free(handle) }

    /// Names the host to the server (RFC 6066 §3) and binds the certificate to it.
    private func expect(_ host: String) -> Bool {
        let parameters = unsafe SSL_get0_param(handle)
        if SocketAddress(numeric: host) != nil { return unsafe X509_VERIFY_PARAM_set1_ip_asc(parameters, host) == 1 }
        unsafe X509_VERIFY_PARAM_set_hostflags(parameters, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
        return unsafe copenssl_set_server_name(handle, host) == 1
            && X509_VERIFY_PARAM_set1_host(parameters, host, 0) == 1
    }

    func handshake() -> SocketStream.Outcome {
        let result = unsafe SSL_do_handshake(handle)
        if result == 1 {
            isEstablished = true
            return .moved(0)
        }
        return outcome(of: result)
    }

    func receive(into buffer: UnsafeMutableRawBufferPointer) -> SocketStream.Outcome {
        if peerEnded { return .ended }
        var total = 0
        mayHoldMore = false
        while total < buffer.count {
            let result = unsafe SSL_read(
                handle,
                buffer.baseAddress.map { unsafe $0 + total },
                Int32(buffer.count - total)
            )
            if result > 0 {
                total += Int(result)
                continue
            }
            let stopped = outcome(of: result)
            if total == 0 { return stopped }
            if stopped == .ended { peerEnded = true }
            // Any other failure will show again at the next call.
            return .moved(total)
        }
        mayHoldMore = true
        return .moved(total)
    }

    func send(_ bytes: UnsafeRawBufferPointer) -> SocketStream.Outcome {
        if isBroken { return .failed(.system(.brokenPipe)) }
        var total = 0
        while total < bytes.count {
            let part = Int32(clamping: bytes.count - total)
            let result = unsafe SSL_write(handle, bytes.baseAddress.map { unsafe $0 + total }, part)
            if result <= 0 { return total > 0 ? .moved(total) : outcome(of: result) }
            total += Int(result)
        }
        return .moved(total)
    }

    /// Says that nothing follows (`close_notify`). Not after an error: the protocol forbids it.
    func sayGoodbye() {
        if isEstablished, !isBroken {
            unsafe SSL_shutdown(handle)
            ERR_clear_error()
        }
    }

    private func outcome(of result: Int32) -> SocketStream.Outcome {
        let systemError = Errno.current
        switch unsafe SSL_get_error(handle, result) {
        case SSL_ERROR_WANT_READ: return .blocked(.readable)
        case SSL_ERROR_WANT_WRITE: return .blocked(.writable)
        case SSL_ERROR_ZERO_RETURN: return .ended
        case SSL_ERROR_SYSCALL:
            isBroken = true
            ERR_clear_error()
            return .failed(.system(systemError))
        default:
            isBroken = true
            let verification = unsafe SSL_get_verify_result(handle)
            if verification != X509_V_OK, !isEstablished {
                ERR_clear_error()
                let reason = unsafe String(cString: X509_verify_cert_error_string(verification))
                return .failed(.tls(.untrusted(reason)))
            }
            return .failed(.tls(.failed(TLSContext.takeErrors())))
        }
    }
}
