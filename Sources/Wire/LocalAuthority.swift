// `--tls auto`: an authority of one's own and a certificate for this machine's names and addresses, in a folder. The
// authority stays, so that trusting it once is enough; the certificate is made anew when a name changes or its end nears.
import COpenSSL
import Glibc

package enum LocalAuthorityError: Error, Equatable {
    /// A file in the folder cannot be read or written.
    case file(path: String, Errno)
    /// A name that cannot stand in a certificate.
    case invalidName(String)
    /// OpenSSL's sentence.
    case failed(String)
}

package enum LocalAuthority {
    /// Paths of PEM files.
    package struct Files: Sendable, Equatable {
        /// What people install as trusted.
        package let authority: String
        package let certificate: String
        package let key: String
    }

    /// Days until a new authority ends.
    private static let authorityDays = 3_650
    /// Days until a new certificate ends: browsers refuse ones that live longer than 398 days.
    private static let certificateDays = 397
    /// Days before its end when a certificate is replaced.
    private static let renewalDays = 30

    /// Makes what is missing, outdated, or for other names. Blocks on the disk.
    ///
    /// - Parameters:
    ///   - folder: exists, and is closed to others.
    ///   - names: DNS names and numeric addresses that browsers will ask for.
    package static func prepare(folder: String, names: [String]) throws(LocalAuthorityError) -> Files {
        let files = Files(
            authority: folder + "/ca.pem",
            certificate: folder + "/server.pem",
            key: folder + "/server.key"
        )
        let authorityKey = folder + "/ca.key"
        let alternatives = try subjectAlternatives(names)
        let authority: Pair
        if let kept = read(files.authority, authorityKey), kept.isValid(days: certificateDays) {
            authority = kept
        } else {
            authority = try makeAuthority()
            try write(authority, files.authority, authorityKey)
        }
        if let kept = read(files.certificate, files.key), kept.isValid(days: renewalDays), kept.isSigned(by: authority),
            (try? readFile(folder + "/names")) == alternatives
        {
            return files
        }
        let server = try makeServer(alternatives, by: authority)
        try write(server, files.certificate, files.key)
        try writeFile(folder + "/names", Array(alternatives.utf8), mode: 0o600)
        return files
    }

    /// The names and addresses under which this machine can be reached from itself and its neighbours.
    package static func ownNames() -> [String] {
        var names = ["localhost", "127.0.0.1", "::1"]
        let host = hostName
        if isDNSName(host) {
            names.append(host)
            if !host.contains(".") { names.append(host + ".local") }
        }
        return names + Sockets.interfaceAddresses().map(\.host)
    }

    private static var hostName: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, unsafe gethostname(base, 255) == 0 else { return "" }
            return unsafe String(cString: base).lowercased()
        }
    }

    // MARK: Names

    /// Names in the words of a `subjectAltName` extension.
    private static func subjectAlternatives(_ names: [String]) throws(LocalAuthorityError) -> String {
        var parts: [String] = []
        for name in names {
            if let address = SocketAddress(numeric: name) {
                parts.append("IP:\(address.host)")
            } else if isDNSName(name) {
                parts.append("DNS:\(name)")
            } else {
                throw .invalidName(name)
            }
        }
        return parts.joined(separator: ",")
    }

    /// Letters, digits, hyphens and dots only: a comma would be another name.
    private static func isDNSName(_ name: String) -> Bool {
        !name.isEmpty && name.utf8.count <= 253 && !name.hasPrefix(".")
            && name.utf8.allSatisfy {
                switch $0 {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E: true
                default: false
                }
            }
    }

    // MARK: Certificates

    /// A certificate and its key.
    @safe private final class Pair {
        let certificate: OpaquePointer
        let key: OpaquePointer

        init(certificate: OpaquePointer, key: OpaquePointer) {
            unsafe self.certificate = certificate
            unsafe self.key = key
        }

        deinit {
            unsafe X509_free(certificate)
            unsafe EVP_PKEY_free(key)
        }

        /// Whether it is valid now and for so many days more.
        func isValid(days: Int) -> Bool {
            var end = time(nil) + days * 86_400
            return unsafe X509_cmp_time(X509_get0_notAfter(certificate), &end) > 0
                && X509_cmp_current_time(X509_get0_notBefore(certificate)) < 0
        }

        func isSigned(by other: Pair) -> Bool { unsafe X509_verify(certificate, other.key) == 1 }
    }

    private static func makeAuthority() throws(LocalAuthorityError) -> Pair {
        let pair = try makePair(name: "Wheelhouse local authority", days: authorityDays)
        try add(NID_basic_constraints, "critical,CA:TRUE,pathlen:0", to: pair, issuer: pair)
        try add(NID_key_usage, "critical,keyCertSign,cRLSign", to: pair, issuer: pair)
        try add(NID_subject_key_identifier, "hash", to: pair, issuer: pair)
        try sign(pair, issuer: pair)
        return pair
    }

    private static func makeServer(_ alternatives: String, by authority: Pair) throws(LocalAuthorityError) -> Pair {
        let pair = try makePair(name: "Wheelhouse", days: certificateDays)
        try add(NID_basic_constraints, "critical,CA:FALSE", to: pair, issuer: authority)
        try add(NID_key_usage, "critical,digitalSignature", to: pair, issuer: authority)
        try add(NID_ext_key_usage, "serverAuth", to: pair, issuer: authority)
        try add(NID_subject_alt_name, alternatives, to: pair, issuer: authority)
        try add(NID_authority_key_identifier, "keyid", to: pair, issuer: authority)
        try sign(pair, issuer: authority)
        return pair
    }

    private static func makePair(name: String, days: Int) throws(LocalAuthorityError) -> Pair {
        guard let key = unsafe copenssl_generate_p256(), let certificate = unsafe X509_new() else {
            throw .failed(TLSContext.takeErrors())
        }
        let pair = unsafe Pair(certificate: unsafe certificate, key: unsafe key)
        unsafe X509_set_version(certificate, 2)
        let serial = unsafe BN_bin2bn([0x40 | RandomBytes.bytes(1)[0] >> 2] + RandomBytes.bytes(15), 16, nil)
        unsafe BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(certificate))
        unsafe BN_free(serial)
        // An hour back: clocks of a local network differ.
        unsafe X509_gmtime_adj(X509_getm_notBefore(certificate), -3_600)
        unsafe X509_gmtime_adj(X509_getm_notAfter(certificate), days * 86_400)
        unsafe X509_set_pubkey(certificate, key)
        let subject = unsafe X509_get_subject_name(certificate)
        unsafe X509_NAME_add_entry_by_txt(
            subject,
            "CN",
            MBSTRING_FLAG | 1,
            Array(name.utf8),
            Int32(name.utf8.count),
            -1,
            0
        )
        return pair
    }

    private static func add(
        _ extensionID: Int32,
        _ value: String,
        to pair: Pair,
        issuer: Pair
    ) throws(LocalAuthorityError) {
        guard unsafe copenssl_add_extension(pair.certificate, issuer.certificate, extensionID, value) == 1 else {
            throw .failed(TLSContext.takeErrors())
        }
    }

    private static func sign(_ pair: Pair, issuer: Pair) throws(LocalAuthorityError) {
        unsafe X509_set_issuer_name(pair.certificate, X509_get_subject_name(issuer.certificate))
        guard unsafe X509_sign(pair.certificate, issuer.key, EVP_sha256()) > 0 else {
            throw .failed(TLSContext.takeErrors())
        }
    }

    // MARK: Files

    private static func read(_ certificatePath: String, _ keyPath: String) -> Pair? {
        guard let certificateText = try? readFile(certificatePath), let keyText = try? readFile(keyPath) else {
            return nil
        }
        let certificateInput = unsafe BIO_new_mem_buf(certificateText, Int32(certificateText.utf8.count))
        defer { unsafe BIO_free(certificateInput) }
        let keyInput = unsafe BIO_new_mem_buf(keyText, Int32(keyText.utf8.count))
        defer { unsafe BIO_free(keyInput) }
        guard let certificate = unsafe PEM_read_bio_X509(certificateInput, nil, nil, nil) else { return nil }
        guard let key = unsafe PEM_read_bio_PrivateKey(keyInput, nil, nil, nil) else {
            unsafe X509_free(certificate)
            return nil
        }
        let pair = unsafe Pair(certificate: unsafe certificate, key: unsafe key)
        return unsafe X509_check_private_key(certificate, key) == 1 ? pair : nil
    }

    private static func write(_ pair: Pair, _ certificatePath: String, _ keyPath: String) throws(LocalAuthorityError) {
        try writeFile(
            keyPath,
            unsafe pem { unsafe PEM_write_bio_PrivateKey($0, pair.key, nil, nil, 0, nil, nil) },
            mode: 0o600
        )
        try writeFile(certificatePath, unsafe pem { unsafe PEM_write_bio_X509($0, pair.certificate) }, mode: 0o644)
    }

    private static func pem(_ body: (OpaquePointer?) -> Int32) -> [UInt8] {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { return [] }
        defer { unsafe BIO_free(output) }
        guard unsafe body(output) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: 16_384)
        let count = unsafe BIO_read(output, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(max(0, Int(count))))
    }

    private static func readFile(_ path: String) throws(LocalAuthorityError) -> String {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .file(path: path, .current) }
        defer { close(descriptor) }
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        guard count >= 0 else { throw .file(path: path, .current) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    /// Written beside and renamed, so that a crash leaves the old file or the new one.
    private static func writeFile(_ path: String, _ bytes: [UInt8], mode: mode_t) throws(LocalAuthorityError) {
        guard !bytes.isEmpty else { throw .failed("nothing to write to \(path)") }
        let draft = path + ".new"
        unsafe unlink(draft)
        let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard descriptor >= 0 else { throw .file(path: path, .current) }
        let count = unsafe Glibc.write(descriptor, bytes, bytes.count)
        let isSafe = fsync(descriptor) == 0
        close(descriptor)
        guard count == bytes.count, isSafe, unsafe rename(draft, path) == 0 else { throw .file(path: path, .current) }
    }
}
