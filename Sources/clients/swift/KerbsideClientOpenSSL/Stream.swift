import COpenSSL
import Glibc

/// Why there is no link, or no more.
struct StreamError: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }

    /// Of the last call of the system.
    static func system(_ what: String) -> StreamError {
        StreamError("\(what): \(String(cString: strerror(errno)))")
    }
}

/// A socket that waits for nobody, with TLS or without. Of one thread.
final class Stream {
    enum Wait {
        case none
        case read
        case write
    }

    let descriptor: Int32
    private var ssl: OpaquePointer?

    /// Takes a connected socket over.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if let ssl {
            SSL_shutdown(ssl)
            SSL_free(ssl)
        }
        Glibc.close(descriptor)
    }

    /// From now on with TLS: `handshake` follows. `authorities`: a file (PEM) of those who are trusted, instead of the
    /// system's.
    func secure(host: String, authorities: String?) throws {
        guard let context = SSL_CTX_new(TLS_client_method()) else { throw tlsError() }
        defer { SSL_CTX_free(context) }
        let isTrusting =
            if let authorities {
                SSL_CTX_load_verify_locations(context, authorities, nil)
            } else {
                SSL_CTX_set_default_verify_paths(context)
            }
        guard isTrusting == 1, kb_ctx_require_tls12(context) == 1 else { throw tlsError() }
        kb_ctx_allow_partial_writes(context)
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        guard let ssl = SSL_new(context) else { throw tlsError() }
        self.ssl = ssl
        let isAddress = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host) == 1
        if !isAddress {
            guard SSL_set1_host(ssl, host) == 1, kb_ssl_set_server_name(ssl, host) == 1 else { throw tlsError() }
        }
        guard SSL_set_fd(ssl, descriptor) == 1 else { throw tlsError() }
    }

    /// For what it waits; none: it is done.
    func handshake() throws -> Wait {
        guard let ssl else { return .none }
        ERR_clear_error()
        let result = SSL_connect(ssl)
        if result == 1 { return .none }
        let verdict = SSL_get_verify_result(ssl)
        if verdict != X509_V_OK {
            throw StreamError("TLS: \(String(cString: X509_verify_cert_error_string(Int(verdict))))")
        }
        return try wait(ssl, result)
    }

    /// What has come; nil at the end. With nothing: for what it waits.
    func read() throws -> (bytes: ArraySlice<UInt8>, wait: Wait)? {
        var buffer = [UInt8](repeating: 0, count: 16_384)
        guard let ssl else {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 { return (buffer[..<count], .none) }
            if count == 0 { return nil }
            if errno == EAGAIN || errno == EINTR { return ([], .read) }
            throw StreamError.system("read")
        }
        ERR_clear_error()
        let count = SSL_read(ssl, &buffer, Int32(buffer.count))
        if count > 0 { return (buffer[..<Int(count)], .none) }
        if SSL_get_error(ssl, count) == SSL_ERROR_ZERO_RETURN { return nil }
        return ([], try wait(ssl, count))
    }

    /// How many bytes have gone; with none: for what it waits.
    func write(_ bytes: [UInt8]) throws -> (count: Int, wait: Wait) {
        guard let ssl else {
            let count = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return (count, .none) }
            if errno == EAGAIN || errno == EINTR { return (0, .write) }
            throw StreamError.system("write")
        }
        ERR_clear_error()
        let count = SSL_write(ssl, bytes, Int32(min(bytes.count, 1 << 20)))
        return count > 0 ? (Int(count), .none) : (0, try wait(ssl, count))
    }

    private func wait(_ ssl: OpaquePointer, _ result: Int32) throws -> Wait {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .read
        case SSL_ERROR_WANT_WRITE: return .write
        case SSL_ERROR_SYSCALL where ERR_peek_error() == 0: throw StreamError("the connection was cut")
        default: throw tlsError()
        }
    }

    private func tlsError() -> StreamError {
        let code = ERR_get_error()
        return StreamError("TLS: " + (ERR_reason_error_string(code).map { String(cString: $0) } ?? "failed"))
    }
}
