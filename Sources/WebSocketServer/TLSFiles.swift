internal import COpenSSL
internal import EventLoop
internal import Glibc

/// Paths of a PEM certificate (with its chain, the server's own first) and of its PEM private key.
public struct TLSFiles: Sendable {
    public var certificate: String
    public var key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }

    /// From when until when a certificate is good, Unix s.
    public struct Validity: Equatable, Sendable {
        public let from: Int64
        public let until: Int64

        public init(from: Int64, until: Int64) { (self.from, self.until) = (from, until) }

        /// Why clients refuse it at that time, Unix s, to be put behind its name; nil: they don't.
        public func fault(at time: Int64) -> String? {
            if time >= until { return "has expired" }
            return time < from ? "is not valid yet: is the clock right?" : nil
        }
    }

    /// Throws `ServerError` unless both can be read, belong together and are valid now. Changes nothing.
    public func check() throws {
        guard let fault = try validity().fault(at: EventLoop.wallClock() / 1000) else { return }
        throw ServerError("\(certificate) \(fault)")
    }

    /// Throws `ServerError` unless both can be read and belong together, whatever the time is. Changes nothing.
    public func validity() throws -> Validity {
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw ServerError("OpenSSL is out of memory") }
        defer { SSL_CTX_free(context) }
        return try install(into: context)
    }

    /// Puts the pair into an SSL_CTX, which uses it for new connections. One that has expired is put in, too.
    @discardableResult
    func install(into context: OpaquePointer) throws -> Validity {
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
        var (from, until) = (tm(), tm())
        guard ASN1_TIME_to_tm(X509_get0_notBefore(leaf), &from) == 1,
            ASN1_TIME_to_tm(X509_get0_notAfter(leaf), &until) == 1
        else { throw ServerError("\(certificate) does not say when it is valid") }
        return Validity(from: Int64(timegm(&from)), until: Int64(timegm(&until)))
    }
}

/// The oldest error that OpenSSL has queued on this thread, in its words.
func opensslReason() -> String {
    let code = ERR_get_error()
    ERR_clear_error()
    guard code != 0, let text = ERR_reason_error_string(code) else { return "no reason given" }
    return String(cString: text)
}
