// The TLS settings that `--tls` asks for, and the words for what is wrong with them.

import Wire

/// Why `--tls` cannot be done, as a sentence for the person at the terminal.
struct CertificateFault: Error {
    let sentence: String
}

enum Certificates {
    /// nil for `--tls off`. Blocks on the disk: before the first listener, and on SIGHUP.
    static func context(_ configuration: ServeConfiguration) throws(CertificateFault) -> TLSContext? {
        switch configuration.security {
        case .off: return nil
        case .files(let certificate, let key): return try server(certificate, key)
        case .automatic:
            let files = try local(configuration)
            return try server(files.certificate, files.key)
        }
    }

    /// The local authority's certificate, which people install as trusted; nil unless `--tls auto`.
    static func authority(_ configuration: ServeConfiguration) -> String? {
        configuration.security == .automatic ? configuration.data + "/tls/ca.pem" : nil
    }

    private static func local(_ configuration: ServeConfiguration) throws(CertificateFault) -> LocalAuthority.Files {
        let folder = configuration.data + "/tls"
        do throws(Errno) {
            try Folders.makePrivate(folder)
        } catch {
            throw CertificateFault(sentence: "cannot make \(folder): \(error)")
        }
        do throws(LocalAuthorityError) {
            return try LocalAuthority.prepare(folder: folder, names: LocalAuthority.ownNames())
        } catch {
            switch error {
            case .file(let path, let reason): throw CertificateFault(sentence: "cannot use \(path): \(reason)")
            case .invalidName(let name): throw CertificateFault(sentence: "\(name) cannot stand in a certificate")
            case .failed(let reason): throw CertificateFault(sentence: reason)
            }
        }
    }

    private static func server(_ certificate: String, _ key: String) throws(CertificateFault) -> TLSContext {
        do throws(TLSError) {
            return try TLSContext.server(certificate: certificate, key: key)
        } catch {
            switch error {
            case .unusableCertificate(let reason):
                throw CertificateFault(sentence: "\(certificate) cannot be used: \(reason)")
            case .unusableKey(let reason):
                throw CertificateFault(sentence: "\(key) does not fit \(certificate): \(reason)")
            case .unusableAuthorities(let reason), .untrusted(let reason), .failed(let reason):
                throw CertificateFault(sentence: reason)
            }
        }
    }
}
