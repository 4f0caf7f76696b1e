internal import COpenSSL
internal import Glibc

/// What `wss://` certificates a client accepts.
public enum ClientTrust: Sendable {
    /// Those of the system's authorities.
    case system
    /// Those signed by the PEM certificates in this file.
    case file(String)
    /// All, unchecked: for tests.
    case anything
}

/// A session of TLS that a client can resume with the same server, by the ticket that it was given.
public final class TLSSession {
    fileprivate let session: OpaquePointer

    /// That of a connection; nil: it has none, or no ticket has come.
    init?(of ssl: OpaquePointer) {
        guard let session = SSL_get1_session(ssl) else { return nil }
        self.session = session
        if SSL_SESSION_is_resumable(session) != 1 { return nil }
    }

    deinit { SSL_SESSION_free(session) }
}

/// The TLS settings that all connections of one client share.
final class ClientTLS {
    private let context: OpaquePointer
    private let checksName: Bool

    init(_ trust: ClientTrust) throws {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw ServerError("OpenSSL is out of memory") }
        self.context = context
        // OpenSSL writes without MSG_NOSIGNAL: a server that has gone must be an error, not the end of the process.
        signal(SIGPIPE, SIG_IGN)
        _ = kb_ctx_require_tls12(context)
        kb_ctx_allow_partial_writes(context)
        switch trust {
        case .system:
            checksName = true
            SSL_CTX_set_default_verify_paths(context)
        case .file(let path):
            checksName = true
            ERR_clear_error()
            guard SSL_CTX_load_verify_file(context, path) == 1 else {
                throw ServerError("\(path) has no certificates of authorities: \(opensslReason())")
            }
        case .anything: checksName = false
        }
        SSL_CTX_set_verify(context, checksName ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nil)
    }

    deinit { SSL_CTX_free(context) }

    /// The TLS side of a connected descriptor; freed with SSL_free. nil: out of memory.
    func start(_ descriptor: Int32, host: String, resuming session: TLSSession?) -> OpaquePointer? {
        guard let ssl = SSL_new(context) else { return nil }
        SSL_set_fd(ssl, descriptor)
        let isNumeric = host.contains(":") || host.utf8.allSatisfy { $0 == 46 || (48...57).contains($0) }
        if !isNumeric { _ = kb_ssl_set_server_name(ssl, host) }
        if checksName {
            if isNumeric {
                X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host)
            } else {
                SSL_set1_host(ssl, host)
            }
        }
        if let session { SSL_set_session(ssl, session.session) }
        SSL_set_connect_state(ssl)
        return ssl
    }
}
