internal import CLibwebsockets
internal import COpenSSL
internal import EventLoop
internal import Glibc

/// What a `SocketContext` tells its owner. All on the loop's thread.
protocol SocketOwner: AnyObject {
    /// Bytes came, inside TLS. They may be changed in place. False closes the socket.
    func read(_ id: ConnectionID, _ bytes: UnsafeMutableRawBufferPointer) -> Bool
    /// What libwebsockets held back has gone out, or room was asked for. False closes the socket.
    func writable(_ id: ConnectionID) -> Bool
    /// A read under TLS, or a step of its handshake, gave nothing, as what is there of the next record is a part of it. May come from within
    /// any call of OpenSSL's.
    func readInVain(_ id: ConnectionID)
    /// The peer's part of the TLS handshake is done. As `readInVain`; once.
    func shookHands(_ id: ConnectionID)
    /// The socket is gone. Once for each adopted socket.
    func closed(_ id: ConnectionID)
}

/// One libwebsockets context and vhost on our loop: adopted sockets as raw byte streams, plain or under TLS.
///
/// A socket's user pointer is its `ConnectionID`, never an object: a late callback finds an empty slot.
final class SocketContext {
    /// The size of one write of ready-made frames. Scratch of the server, not of a connection.
    static let scratchBytes = 65_536
    /// The most of one read, and the payload of a TLS record: less, and OpenSSL would keep the rest of a record, of which the
    /// kernel tells nothing.
    static let readBytes = 16_384
    /// What OpenSSL keeps of a record that is there in part, and as much of one that has not gone out whole. It gives both back
    /// (`SSL_MODE_RELEASE_BUFFERS`).
    static let recordMemory = 17_408
    /// What it keeps of a handshake that is under way.
    static let handshakeMemory = 45_056

    private let loop: EventLoop
    private var context: OpaquePointer?
    private var vhost: OpaquePointer?
    private var timer: LoopTimer?
    fileprivate let owner: any SocketOwner
    /// The pair that is put into the vhost while it is made, and the vhost's SSL_CTX, which libwebsockets owns.
    fileprivate var tls: TLSFiles?
    fileprivate var tlsContext: OpaquePointer?
    /// Ours: holds the pair of the last reload, nil before the first. A context keeps one pair per kind of key, so an RSA pair
    /// put beside an EC pair would leave the old one in use; handshakes take theirs from here instead.
    fileprivate var renewed: OpaquePointer?
    fileprivate let tickets: SessionTickets?
    fileprivate var tlsError: (any Error)?
    /// Sockets whose memory libwebsockets has not freed yet.
    fileprivate var liveSockets = 0
    /// libwebsockets 4.1 on libuv closes the descriptor of its event pipe twice while a context is destroyed; a thread that
    /// opens something in between would lose it. These have lower numbers, and are free by then: it gets one of them.
    private var spares: [Int32]

    /// Without `tickets` no session of TLS is resumed.
    init(loop: EventLoop, owner: any SocketOwner, tls: TLSFiles?, tickets: TicketKeys?, handshakeTimeoutMs: UInt64)
        throws
    {
        loop.preconditionOnLoop()
        self.loop = loop
        self.owner = owner
        self.tls = tls
        self.tickets = tickets.map(SessionTickets.init)
        spares = (0..<16).map { _ in open("/dev/null", O_RDONLY | O_CLOEXEC) }
        lws_set_log_level(Int32(LLL_ERR), nil)
        context = kb_create_context(
            loop.rawLoop, Unmanaged.passUnretained(self).toOpaque(), UInt32(Self.readBytes),
            UInt32((handshakeTimeoutMs + 999) / 1000))
        guard context != nil else {
            throw ServerError("libwebsockets cannot start on libuv: is libwebsockets-evlib-uv installed?")
        }
        vhost = kb_create_vhost(
            context, onSocketEvent, tls == nil ? 0 : 1, kb_tls_options(), UInt32(Self.readBytes))
        guard vhost != nil else {
            let error = tlsError
            destroy {}
            throw error ?? ServerError("libwebsockets cannot make a vhost")
        }
        // libwebsockets looks for the vhost by its SSL_CTX, and ends the process where a connection has another one, as after a reload.
        if let tlsContext { kb_ctx_ignore_server_name(tlsContext) }
    }

    deinit {
        for spare in spares { close(spare) }
    }

    /// Hands a connected descriptor over, which libwebsockets owns from now on. nil: it failed and has been closed;
    /// `closed` may have been called from within.
    func adopt(_ descriptor: Int32, as id: ConnectionID) -> OpaquePointer? {
        guard let socket = kb_adopt_raw(vhost, descriptor, UInt(id.rawValue)) else { return nil }
        kb_no_timeout(socket)
        if let ssl = lws_get_ssl(socket) { watchReads(ssl, of: socket, as: id) }
        return socket
    }

    /// libwebsockets says nothing of a read that gives nothing. In such a read OpenSSL asks the kernel once in vain for what a record lacks:
    /// the BIO between them tells of it. When it can be had the handshake has begun, and waits already, or is done: the peer may be that quick.
    private func watchReads(_ ssl: OpaquePointer, of socket: OpaquePointer, as id: ConnectionID) {
        let transport = SSL_get_wbio(ssl)
        BIO_set_callback_arg(transport, UnsafeMutablePointer(socket))
        BIO_set_callback_ex(transport, onTransportCall)
        if SSL_is_init_finished(ssl) == 1 {
            owner.shookHands(id)
        } else if SSL_want(ssl) == SSL_READING {
            owner.readInVain(id)
        }
    }

    /// The descriptor of a socket whose handshake waits for the hello to be repeated: libwebsockets reads nothing of it, nor
    /// watches it, before `resumeHandshake`. nil: it does not wait.
    func pauses(_ socket: OpaquePointer) -> Int32? {
        guard let ssl = lws_get_ssl(socket), SSL_get_ex_data(ssl, pausedIndex) != nil else { return nil }
        let descriptor = lws_get_socket_fd(socket)
        lws_rx_flow_control(socket, 0)
        SSL_set_rfd(ssl, descriptor)
        return descriptor
    }

    /// Goes on with a handshake that pauses. False: the socket is of no more use.
    func resumeHandshake(_ socket: OpaquePointer) -> Bool {
        guard let ssl = lws_get_ssl(socket) else { return false }
        ERR_clear_error()
        let result = SSL_accept(ssl)
        guard result == 1 || SSL_get_error(ssl, result) == SSL_ERROR_WANT_READ else { return false }
        lws_rx_flow_control(socket, 1)
        return true
    }

    /// Records of data that came since this was asked last, at least one; without TLS one.
    static func takeRecords(of socket: OpaquePointer?) -> Int {
        guard let socket, let ssl = lws_get_ssl(socket) else { return 1 }
        let count = Int(bitPattern: SSL_get_ex_data(ssl, dataRecordsIndex))
        SSL_set_ex_data(ssl, dataRecordsIndex, nil)
        return max(count, 1)
    }

    /// Whether OpenSSL keeps a part of a record that has come.
    static func hasPartOfRecord(_ socket: OpaquePointer?) -> Bool {
        guard let socket, let ssl = lws_get_ssl(socket) else { return false }
        return kb_ssl_has_part_of_record(ssl) == 1
    }

    /// Whether the session of TLS was resumed.
    func isResumed(_ socket: OpaquePointer) -> Bool {
        guard let ssl = lws_get_ssl(socket) else { return false }
        return SSL_session_reused(ssl) == 1
    }

    /// New connections use this pair, once it is found good. Otherwise throws `ServerError` and changes nothing.
    func reload(_ tls: TLSFiles) throws -> TLSFiles.Validity {
        guard tlsContext != nil else { throw ServerError("this server has no TLS") }
        guard let context = SSL_CTX_new(TLS_server_method()) else { throw ServerError("OpenSSL is out of memory") }
        let validity: TLSFiles.Validity
        do {
            validity = try tls.install(into: context)
        } catch {
            SSL_CTX_free(context)
            throw error
        }
        prepare(context)
        // Each connection that uses it has its own reference.
        SSL_CTX_free(renewed)
        renewed = context
        self.tls = tls
        return validity
    }

    /// Tickets are sealed by these from now on. Only where there were some from the beginning.
    func renew(_ keys: TicketKeys) { tickets?.keys = keys }

    /// Closes every socket and frees the context, from a timer of ours, as this may be called from one of
    /// libwebsockets' callbacks, and in two phases, as libuv's handles need turns to close.
    /// Keeps itself alive until it is done.
    func destroy(_ completion: @escaping () -> Void) {
        guard let context else { return completion() }
        self.context = nil
        vhost = nil
        let timer = LoopTimer(loop)
        self.timer = timer
        var isClosing = false
        // When the last socket is gone libwebsockets closes its timer and its idle handle: two turns more.
        var turnsLeft = 3
        timer.start(afterMs: 0, repeatMs: 1) {
            guard isClosing else {
                isClosing = true
                for spare in self.spares { close(spare) }
                self.spares = []
                return lws_context_destroy(context)
            }
            guard self.liveSockets <= 0 else { return }
            turnsLeft -= 1
            guard turnsLeft == 0 else { return }
            timer.close()
            self.timer = nil
            lws_context_destroy(context)
            SSL_CTX_free(self.renewed)
            self.renewed = nil
            completion()
        }
    }
}

/// The most that a list of a hello may have, bytes, by the number of its extension: each key that is offered is looked up in
/// the list of groups, and both lists are the client's. No client that we know of has more than 4 keys (two of them of 1,200
/// bytes) and 20 groups. Of tickets it has one or two; each that is shown is opened, 3.5 µs, until one is good.
private let mostOfExtension = [
    UInt32(TLSEXT_TYPE_key_share): 4_096, UInt32(TLSEXT_TYPE_supported_groups): 256, UInt32(TLSEXT_TYPE_psk): 4_096,
]

/// Each hello, before OpenSSL looks into its extensions.
private func judgeHello(
    _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?, _ argument: UnsafeMutableRawPointer?
) -> Int32 {
    for (type, most) in mostOfExtension {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        guard SSL_client_hello_get0_ext(ssl, type, &bytes, &count) == 1, count > most else { continue }
        alert?.pointee = SSL_AD_DECODE_ERROR
        return SSL_CLIENT_HELLO_ERROR
    }
    return SSL_CLIENT_HELLO_SUCCESS
}

/// In each handshake, before a certificate is chosen. `owner` outlives the vhost whose context calls this.
private func chooseCertificate(_ ssl: OpaquePointer?, _ owner: UnsafeMutableRawPointer?) -> Int32 {
    let context = Unmanaged<SocketContext>.fromOpaque(owner!).takeUnretainedValue()
    if let renewed = context.renewed { SSL_set_SSL_CTX(ssl, renewed) }
    return 1
}

/// Changes of keys that a connection may ask for in its life: whoever keeps the rules of the ciphers asks after gigabytes.
private let mostKeyUpdates = 16
private let keyUpdatesIndex = kb_ssl_new_index()

/// Records of a connection's life that carry no data of the application: a handshake has some ten of them. Each costs some
/// 10 µs, and OpenSSL works off all that are there in one call.
private let mostBareRecords = 64
private let bareRecordsIndex = kb_ssl_new_index()
/// The others, since they were counted last; some of them may be empty.
private let dataRecordsIndex = kb_ssl_new_index()

/// A server's hello with this in the place of its random asks for another of the client (RFC 8446 4.1.3): its first 8 bytes,
/// and where they stand.
private let retryRandom: UInt64 = 0xCF21_AD74_E59A_6111
private let randomOffset = 6
private let pausedIndex = kb_ssl_new_index()

/// Each message and record of TLS.
private func watchMessages(
    _ isSent: Int32, _ version: Int32, _ type: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ ssl: OpaquePointer?,
    _ argument: UnsafeMutableRawPointer?
) {
    guard count > 0, let bytes else { return }
    let first = Int32(bytes.load(as: UInt8.self))
    switch (type, first) {
    // Of TLS 1.3 the outer type says nothing: the inner one comes after it.
    case (SSL3_RT_HEADER, _), (SSL3_RT_INNER_CONTENT_TYPE, _):
        guard isSent == 0 else { break }
        if first != SSL3_RT_APPLICATION_DATA {
            limit(bareRecordsIndex, to: mostBareRecords, ssl)
            if type == SSL3_RT_INNER_CONTENT_TYPE { add(-1, to: dataRecordsIndex, ssl) }
        } else if type == SSL3_RT_HEADER {
            add(1, to: dataRecordsIndex, ssl)
        }
    case (SSL3_RT_HANDSHAKE, SSL3_MT_KEY_UPDATE) where isSent == 0:
        limit(keyUpdatesIndex, to: mostKeyUpdates, ssl)
    // The last message that a handshake waits for. libwebsockets would watch the socket from then on.
    case (SSL3_RT_HANDSHAKE, SSL3_MT_FINISHED) where isSent == 0:
        tellOwner(SSL_get_wbio(ssl)) { $0.shookHands($1) }
    case (SSL3_RT_HANDSHAKE, SSL3_MT_SERVER_HELLO) where isSent == 1 && count >= randomOffset + 8:
        let random = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: randomOffset, as: UInt64.self))
        if random == retryRandom { pause(ssl) }
    default: break
    }
}

/// OpenSSL would read on at once, and take the memory that a hello announces, 130 KB at the most: what it reads from is empty
/// until `adopt` is done. The socket stays behind it, as libwebsockets asks OpenSSL which descriptor it has to close.
private func pause(_ ssl: OpaquePointer?) {
    guard let nothing = BIO_new(BIO_s_mem()), let socket = SSL_get_rbio(ssl) else { return }
    BIO_up_ref(socket)
    BIO_push(nothing, socket)
    SSL_set0_rbio(ssl, nothing)
    SSL_set_ex_data(ssl, pausedIndex, UnsafeMutableRawPointer(bitPattern: 1))
}

/// Counts what OpenSSL works off, and answers, as much as has come within one read: beyond the limit the stream counts as
/// ended, and the read, or the handshake, returns.
private func limit(_ index: Int32, to most: Int, _ ssl: OpaquePointer?) {
    if add(1, to: index, ssl) > most { SSL_set_shutdown(ssl, SSL_RECEIVED_SHUTDOWN) }
}

/// How many there are then.
@discardableResult
private func add(_ more: Int, to index: Int32, _ ssl: OpaquePointer?) -> Int {
    let count = Int(bitPattern: SSL_get_ex_data(ssl, index)) + more
    SSL_set_ex_data(ssl, index, UnsafeMutableRawPointer(bitPattern: count))
    return count
}

/// The one callback of libwebsockets: finds the owner, passes on what concerns it.
private func onSocketEvent(
    _ socket: OpaquePointer?, _ reason: lws_callback_reasons, _ user: UnsafeMutableRawPointer?,
    _ data: UnsafeMutableRawPointer?, _ count: Int
) -> Int32 {
    guard let opaque = lws_context_user(lws_get_context(socket)) else { return 0 }
    let context = Unmanaged<SocketContext>.fromOpaque(opaque).takeUnretainedValue()
    switch reason {
    case LWS_CALLBACK_OPENSSL_LOAD_EXTRA_SERVER_VERIFY_CERTS:
        return context.setUp(tlsContext: OpaquePointer(user)) ? 0 : 1
    case LWS_CALLBACK_RAW_RX:
        guard let data else { return -1 }
        kb_no_timeout(socket)
        return context.owner.read(socketID(socket), UnsafeMutableRawBufferPointer(start: data, count: count)) ? 0 : -1
    case LWS_CALLBACK_RAW_WRITEABLE:
        return context.owner.writable(socketID(socket)) ? 0 : -1
    case LWS_CALLBACK_RAW_CLOSE:
        context.owner.closed(socketID(socket))
    case LWS_CALLBACK_WSI_CREATE:
        context.liveSockets += 1
    case LWS_CALLBACK_WSI_DESTROY:
        context.liveSockets -= 1
    default: break
    }
    return 0
}

/// Each call of the BIO between OpenSSL and the kernel, before and after it. Its answer is left as it is.
private func onTransportCall(
    _ transport: OpaquePointer?, _ call: Int32, _ bytes: UnsafePointer<CChar>?, _ size: Int, _ number: Int32,
    _ detail: Int, _ result: Int32, _ count: UnsafeMutablePointer<Int>?
) -> Int {
    if call == BIO_CB_READ | BIO_CB_RETURN, result <= 0, kb_bio_may_retry(transport) == 1 {
        tellOwner(transport) { $0.readInVain($1) }
    }
    return Int(result)
}

private func tellOwner(_ transport: OpaquePointer?, _ tell: (any SocketOwner, ConnectionID) -> Void) {
    guard let socket = BIO_get_callback_arg(transport).map(OpaquePointer.init),
        let opaque = lws_context_user(lws_get_context(socket))
    else { return }
    tell(Unmanaged<SocketContext>.fromOpaque(opaque).takeUnretainedValue().owner, socketID(socket))
}

private func socketID(_ socket: OpaquePointer?) -> ConnectionID {
    ConnectionID(rawValue: UInt64(kb_tag(socket)))
}

extension SocketContext {
    /// What holds for connections of the first pair and of later ones: a hello that is repeated is judged by the latter.
    fileprivate func prepare(_ context: OpaquePointer) {
        SessionTickets.install(tickets, into: context)
        SSL_CTX_set_client_hello_cb(context, judgeHello, nil)
    }

    fileprivate func setUp(tlsContext: OpaquePointer?) -> Bool {
        guard let tlsContext, let tls else { return true }
        do {
            try tls.install(into: tlsContext)
            prepare(tlsContext)
            _ = kb_ctx_skip_no_early_data(tlsContext)
            SSL_CTX_set_cert_cb(tlsContext, chooseCertificate, Unmanaged.passUnretained(self).toOpaque())
            SSL_CTX_set_msg_callback(tlsContext, watchMessages)
            self.tlsContext = tlsContext
            return true
        } catch {
            tlsError = error
            return false
        }
    }
}
