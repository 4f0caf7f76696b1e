public import EventLoop

/// Many WebSocket clients on one event loop: real clients for replaying traces, load and tests.
///
/// Everything is called, and calls back, on the loop's thread. What is sent in a turn goes out in one write at its end.
/// Pings are answered by themselves.
public final class WebSocketClient {
    /// The server agreed.
    public var onOpen: (ConnectionID) -> Void = { _ in }
    /// A whole message; the bytes are valid during the call only.
    public var onMessage: (ConnectionID, UnsafeRawBufferPointer, _ isText: Bool) -> Void = { _, _, _ in }
    /// The server asked for a sign of life, which has been given unless `answersPings` is false.
    public var onPing: (ConnectionID) -> Void = { _ in }
    /// The server has answered a ping.
    public var onPong: (ConnectionID) -> Void = { _ in }
    /// Once for each `connect`, opened or not, never from within a call to this object: the server's code and reason;
    /// 1005 when it gave none; 1006 when it was lost, aborted or refused, with the cause in words ("HTTP 403: …").
    public var onClose: (ConnectionID, _ code: UInt16, _ reason: String) -> Void = { _, _, _ in }

    /// False plays a client that has gone without saying so.
    public var answersPings = true
    /// Has the kernel note when bytes arrive, for those who measure. Takes effect on connections made from then on.
    public var stampsArrivals = false
    /// When the last of the bytes that are being handed out arrived in the kernel, Unix nanoseconds. 0: not known, because
    /// `stampsArrivals` is false or the connection is under TLS.
    public internal(set) var arrivedAt: Int64 = 0
    /// Connections in any phase.
    public var count: Int { connections.count }

    let loop: EventLoop
    let maxMessageBytes: Int
    var connections = SlotTable<ClientConnection>()
    var dirty: [ConnectionID] = []
    var untoldCloses: [(ConnectionID, UInt16, String)] = []
    var random: MaskingRandom
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    let tls: ClientTLS
    private let deadlines: LoopTimer
    private var wheel: TimerWheel
    private let connectTimeoutMs: UInt64
    private var resolved: [String: SocketAddress] = [:]

    /// - Parameters:
    ///   - connectTimeoutMs: from `connect` until the server has agreed.
    /// - Throws: `ServerError` when the file of `trust` can't be used.
    public init(
        loop: EventLoop, trust: ClientTrust = .system, maxMessageBytes: Int = 64 << 20,
        connectTimeoutMs: UInt64 = 20_000
    ) throws {
        loop.preconditionOnLoop()
        self.loop = loop
        self.maxMessageBytes = maxMessageBytes
        self.connectTimeoutMs = connectTimeoutMs
        tls = try ClientTLS(trust)
        random = MaskingRandom()
        wheel = TimerWheel(slots: 256, startingAt: loop.now / Self.tickMs)
        deadlines = LoopTimer(loop)
        deadlines.start(afterMs: Self.tickMs, repeatMs: Self.tickMs) { [unowned self] in self.tick() }
        loop.atEndOfTurn { [weak self] in self?.endTurn() }
    }

    deinit { scratch.deallocate() }

    /// Begins to connect. Ends in `onOpen` or `onClose`.
    ///
    /// - Parameters:
    ///   - bearer: a token for `Authorization: Bearer`.
    ///   - headers: further ones, such as `Origin`.
    ///   - source: the local address to come from; loopback has many, when one has no ports left.
    ///   - resuming: a session of TLS with this server that is to be resumed; where that can't be, a new one begins.
    /// - Throws: `ServerError` for a URL that is none, a host that has no address, or when no socket can be had.
    @discardableResult
    public func connect(
        url text: String, subprotocol: String? = nil, bearer: String? = nil,
        headers: [(name: String, value: String)] = [], source: String? = nil, resuming session: TLSSession? = nil
    ) throws -> ConnectionID {
        guard let url = ClientURL(text) else { throw ServerError("not a ws:// or wss:// URL: \(text)") }
        let address = try resolve(url.host, url.port)
        let from = try source.map { try resolve($0, 0) }
        let key = Self.base64(Self.nonce())
        var request = "GET \(url.target) HTTP/1.1\r\nHost: \(url.hostHeader)\r\nUpgrade: websocket\r\n"
        request += "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\n"
        if let subprotocol { request += "Sec-WebSocket-Protocol: \(subprotocol)\r\n" }
        if let bearer { request += "Authorization: Bearer \(bearer)\r\n" }
        for (name, value) in headers { request += "\(name): \(value)\r\n" }

        let connection = try connections.insert { id in
            try ClientConnection(
                id: id, url: url, accept: Handshake.accept(key), socket: ClientSocket(to: address, from: from),
                session: session, loop: loop, maxMessageBytes: maxMessageBytes)
        }
        if stampsArrivals { connection.socket.stampArrivals() }
        connection.outbound = Array((request + "\r\n").utf8)
        let id = connection.id
        connection.poll.start(for: .writable) { [unowned self] in self.ready(id, $0) }
        wheel.schedule(id.rawValue, at: (loop.now + connectTimeoutMs) / Self.tickMs + 1)
        return id
    }

    /// 16 bytes that nobody can guess (RFC 6455 4.1), from the system's generator.
    private static func nonce() -> [UInt8] {
        let bytes = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
        return withUnsafeBytes(of: bytes) { Array($0) }
    }

    /// Sends a text message. False: the connection is not open.
    @discardableResult
    public func send(_ id: ConnectionID, _ text: String) -> Bool {
        var text = text
        return text.withUTF8 { send(id, .text, UnsafeRawBufferPointer($0)) }
    }

    /// Sends a text message, which must be UTF-8.
    @discardableResult
    public func send(_ id: ConnectionID, text: [UInt8]) -> Bool { text.withUnsafeBytes { send(id, .text, $0) } }

    @discardableResult
    public func send(_ id: ConnectionID, binary: [UInt8]) -> Bool { binary.withUnsafeBytes { send(id, .binary, $0) } }

    /// At most 125 bytes of payload.
    @discardableResult
    public func ping(_ id: ConnectionID, _ payload: [UInt8] = []) -> Bool {
        payload.withUnsafeBytes { send(id, .ping, UnsafeRawBufferPointer(rebasing: $0.prefix(125))) }
    }

    /// The session of TLS of a connection, to be resumed by a later one; nil: plain, or the server has given no ticket so far.
    public func session(_ id: ConnectionID) -> TLSSession? { connections[id]?.socket.session }

    /// Whether a connection has resumed the session that it was given.
    public func isResumed(_ id: ConnectionID) -> Bool { connections[id]?.socket.isResumed ?? false }

    /// Bytes that wait to be written to this connection, masked and framed.
    public func bytesQueued(_ id: ConnectionID) -> Int {
        connections[id].map { $0.outbound.count - $0.written } ?? 0
    }

    /// Sends a close frame, and waits for the server's until it ends the stream.
    public func close(_ id: ConnectionID, code: UInt16 = 1000, reason: String = "") {
        guard let connection = connections[id] else { return }
        guard connection.phase == .open else { return end(connection, 1006, "closed before it was open") }
        Frame.close(code, reason).bytes.withUnsafeBytes { frame in
            append(connection, .close, UnsafeRawBufferPointer(rebasing: frame.dropFirst(2)))
        }
        connection.phase = .closing
        wheel.schedule(id.rawValue, at: (loop.now + connectTimeoutMs) / Self.tickMs + 1)
    }

    /// Cuts the connection without a close frame, as a lost link does.
    public func abort(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        end(connection, 1006, "aborted")
    }

    /// Cuts all connections; `onClose` is not called any more.
    public func shutdown() {
        for connection in connections.elements { end(connection, 1006, "shut down") }
        untoldCloses = []
        deadlines.close()
    }

    // MARK: Inner

    func opened(_ connection: ClientConnection) {
        wheel.cancel(connection.id.rawValue)
        onOpen(connection.id)
    }

    /// Ends a connection in whatever phase, once.
    func end(_ connection: ClientConnection, _ code: UInt16, _ reason: String) {
        guard connection.phase != .ended else { return }
        connection.phase = .ended
        connection.poll.close()
        wheel.cancel(connection.id.rawValue)
        connections.remove(connection.id)
        untoldCloses.append((connection.id, code, reason))
        loop.wantAnotherTurn()
    }

    private static var tickMs: UInt64 { 250 }

    private func tick() {
        for raw in wheel.advance(to: loop.now / Self.tickMs) {
            guard let connection = connections[ConnectionID(rawValue: raw)] else { continue }
            end(connection, 1006, connection.phase == .closing ? "no close frame in time" : "no answer in time")
        }
    }

    private func resolve(_ host: String, _ port: Int) throws -> SocketAddress {
        let name = "\(host) \(port)"
        if let known = resolved[name] { return known }
        let address = try SocketAddress(host: host, port: port)
        resolved[name] = address
        return address
    }

    private static func base64(_ bytes: [UInt8]) -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var value = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
            var quad: [UInt8] = []
            for index in 0..<4 {
                quad.insert(index < 3 - group.count ? 61 : digits[Int(value & 63)], at: 0)
                value >>= 6
            }
            text += quad
        }
        return String(decoding: text, as: UTF8.self)
    }
}
