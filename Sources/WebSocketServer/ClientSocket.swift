internal import COpenSSL
internal import Glibc

/// A non-blocking TCP socket of a client, plain or under TLS. Owns its descriptor.
struct ClientSocket: ~Copyable {
    enum Outcome {
        /// So many bytes went through; more may.
        case bytes(Int)
        /// Nothing goes before the descriptor is ready for this.
        case wait(forWriting: Bool)
        /// The peer has ended the stream (nil), or it broke.
        case ended(String?)
    }

    let descriptor: Int32
    /// What `connect` said at once, which the descriptor does not tell again.
    private let refusal: Int32
    private var ssl: OpaquePointer?

    /// Begins to connect. `source`: the local address to come from, or nil for the system's choice.
    init(to address: SocketAddress, from source: SocketAddress?) throws {
        (descriptor, refusal) = try Self.open(address, source)
    }

    private static func open(_ address: SocketAddress, _ source: SocketAddress?) throws -> (Int32, Int32) {
        // SOCK_NONBLOCK | SOCK_CLOEXEC.
        let descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | 0o2004000, 0)
        guard descriptor >= 0 else { throw ServerError("no socket: \(String(cString: strerror(errno)))") }
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if let source, source.withPointer({ Glibc.bind(descriptor, $0, $1) }) != 0 {
            let reason = String(cString: strerror(errno))
            Glibc.close(descriptor)
            throw ServerError("cannot come from that address: \(reason)")
        }
        let isRefused = address.withPointer { Glibc.connect(descriptor, $0, $1) } != 0 && errno != EINPROGRESS
        return (descriptor, isRefused ? errno : 0)
    }

    deinit {
        if let ssl {
            // Else the session of a connection that was cut could not be resumed.
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN)
            SSL_free(ssl)
        }
        Glibc.close(descriptor)
    }

    /// What became of connecting, once the descriptor is writable. nil: it is connected.
    func connectError() -> String? {
        var error = refusal
        guard error == 0 else { return String(cString: strerror(error)) }
        var size = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size)
        return error == 0 ? nil : String(cString: strerror(error))
    }

    mutating func startTLS(_ tls: ClientTLS, host: String, resuming session: TLSSession?) {
        ssl = tls.start(descriptor, host: host, resuming: session)
    }

    /// nil: plain, or the server has given no ticket so far.
    var session: TLSSession? { ssl.flatMap { TLSSession(of: $0) } }

    /// Whether the server took the ticket.
    var isResumed: Bool { ssl.map { SSL_session_reused($0) == 1 } ?? false }

    /// Goes on with the handshake; `.bytes` when it is done.
    func handshake() -> Outcome {
        guard let ssl else { return .bytes(0) }
        ERR_clear_error()
        let result = SSL_do_handshake(ssl)
        return result == 1 ? .bytes(0) : outcome(result)
    }

    func read(_ target: UnsafeMutableRawBufferPointer) -> Outcome {
        if let ssl {
            ERR_clear_error()
            let count = SSL_read(ssl, target.baseAddress, Int32(target.count))
            return count > 0 ? .bytes(Int(count)) : outcome(count)
        }
        let count = Glibc.recv(descriptor, target.baseAddress, target.count, 0)
        if count > 0 { return .bytes(count) }
        return count == 0 ? .ended(nil) : plainOutcome(forWriting: false)
    }

    /// Has the kernel note when what it hands out arrived.
    func stampArrivals() {
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, Self.stamps, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Reads, and sets `arrival` to when the last of it arrived, Unix nanoseconds; 0 under TLS, which does not tell.
    func read(_ target: UnsafeMutableRawBufferPointer, arrival: inout Int64) -> Outcome {
        arrival = 0
        guard ssl == nil else { return read(target) }
        return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { control in
            var place = iovec(iov_base: target.baseAddress, iov_len: target.count)
            let count = withUnsafeMutablePointer(to: &place) { place in
                var message = msghdr()
                message.msg_iov = place
                message.msg_iovlen = 1
                message.msg_control = control.baseAddress
                message.msg_controllen = control.count
                let count = Glibc.recvmsg(descriptor, &message, 0)
                if count > 0 { arrival = Self.stamp(control, message.msg_controllen) }
                return count
            }
            if count > 0 { return .bytes(count) }
            return count == 0 ? .ended(nil) : plainOutcome(forWriting: false)
        }
    }

    /// SO_TIMESTAMPNS, which is a macro of macros to the importer.
    private static let stamps: Int32 = 35

    /// The time in the control message, if that is what it holds: length, level, type, seconds, nanoseconds.
    private static func stamp(_ control: UnsafeMutableRawBufferPointer, _ count: Int) -> Int64 {
        guard count >= 32, control.load(fromByteOffset: 8, as: Int32.self) == SOL_SOCKET,
            control.load(fromByteOffset: 12, as: Int32.self) == stamps
        else { return 0 }
        return control.load(fromByteOffset: 16, as: Int64.self) * 1_000_000_000
            + control.load(fromByteOffset: 24, as: Int64.self)
    }

    func write(_ bytes: UnsafeRawBufferPointer) -> Outcome {
        if let ssl {
            ERR_clear_error()
            let count = SSL_write(ssl, bytes.baseAddress, Int32(clamping: bytes.count))
            return count > 0 ? .bytes(Int(count)) : outcome(count)
        }
        let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        return count >= 0 ? .bytes(count) : plainOutcome(forWriting: true)
    }

    /// Whether decrypted bytes are left, of which the kernel tells nothing any more.
    var hasPending: Bool { ssl.map { SSL_pending($0) > 0 } ?? false }

    private func plainOutcome(forWriting: Bool) -> Outcome {
        switch errno {
        case EAGAIN, EINTR: .wait(forWriting: forWriting)
        default: .ended(String(cString: strerror(errno)))
        }
    }

    private func outcome(_ result: Int32) -> Outcome {
        switch SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wait(forWriting: false)
        case SSL_ERROR_WANT_WRITE: return .wait(forWriting: true)
        case SSL_ERROR_ZERO_RETURN: return .ended(nil)
        default:
            let verified = SSL_get_verify_result(ssl)
            if verified != X509_V_OK {
                return .ended("TLS: \(String(cString: X509_verify_cert_error_string(verified)))")
            }
            return .ended("TLS: \(opensslReason())")
        }
    }
}

/// An address and port, as the kernel wants it.
struct SocketAddress {
    private var storage = sockaddr_storage()
    private var length: socklen_t = 0

    /// Looks a name up, which blocks: done once per host.
    init(host: String, port: Int) throws {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, String(port), &hints, &list)
        guard code == 0, let first = list?.pointee else {
            throw ServerError("cannot resolve \(host): \(String(cString: gai_strerror(code)))")
        }
        defer { freeaddrinfo(list) }
        length = first.ai_addrlen
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: first.ai_addr, count: Int(length)))
        }
    }

    var family: Int32 { storage.family }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafeBytes(of: storage) { body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), length) }
    }
}
