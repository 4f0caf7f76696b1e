internal import COpenSSL
internal import Glibc

/// Paths of a PEM certificate (with its chain, the server's own first) and of its PEM private key.
public struct TLSFiles: Sendable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// Throws `ServerError` unless both can be read, belong together and are valid now. Changes nothing.
    public func check() throws {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw ServerError("OpenSSL is out of memory") }
        defer { SSL_CTX_free(context) }
        try install(into: context)
    }

    /// Puts the pair into an SSL_CTX, which uses it for new connections.
    func install(into context: OpaquePointer) throws {
        for path in [certificate, key] where access(path, R_OK) != 0 {
            throw ServerError("cannot read \(path): \(String(cString: strerror(errno)))")
        }
        ERR_clear_error()
        guard kb_ctx_set_ciphers(context) == 1 else {
            throw ServerError("OpenSSL lacks the ciphers: \(opensslReason())")
        }
        guard kb_ctx_set_groups(context) == 1 else {
            throw ServerError("OpenSSL lacks the groups of keys: \(opensslReason())")
        }
        kb_ctx_allow_partial_writes(context)
        guard SSL_CTX_use_certificate_chain_file(context, certificate) == 1 else {
            throw ServerError("\(certificate) is not a PEM certificate: \(opensslReason())")
        }
        guard SSL_CTX_use_PrivateKey_file(context, key, SSL_FILETYPE_PEM) == 1 else {
            throw ServerError("\(key) is not the private key of \(certificate): \(opensslReason())")
        }
        guard SSL_CTX_check_private_key(context) == 1 else {
            throw ServerError("\(key) does not belong to \(certificate): \(opensslReason())")
        }
        let leaf = SSL_CTX_get0_certificate(context)
        guard X509_cmp_current_time(X509_get0_notAfter(leaf)) > 0 else {
            throw ServerError("\(certificate) has expired")
        }
        guard X509_cmp_current_time(X509_get0_notBefore(leaf)) < 0 else {
            throw ServerError("\(certificate) is not valid yet: is the clock right?")
        }
    }
}

/// The oldest error that OpenSSL has queued on this thread, in its words.
func opensslReason() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: text)
}
