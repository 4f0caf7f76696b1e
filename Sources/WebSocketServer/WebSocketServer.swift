internal import CLibwebsockets
internal import DequeModule
public import EventLoop
internal import Glibc

/// A WebSocket and HTTP/1.1 server on one event loop.
///
/// Everything is called, and calls back, on the loop's thread. `onClose` never comes from within `send` or `close`,
/// but from a later callback or at the end of the turn, so that readers may be walked while sending to them.
public final class WebSocketServer {
    /// What is known of a client when its WebSocket opens.
    public struct OpenInfo: Sendable {
        /// Numeric, without port.
        public let remoteAddress: String
        /// The token of `Authorization: Bearer`, which is not checked here.
        public let bearerToken: String?
        /// The subprotocol agreed, if the server requires any.
        public let subprotocol: String?
        public let origin: String?
    }

    /// What became of a frame.
    public enum SendResult: Sendable {
        /// It goes out in order, at the end of this turn, or of a later one when its connection's turn comes and the reader takes it.
        case queued
        /// It would have exceeded `maxOutboundBytes`: what waited was dropped, and the connection is being closed.
        case overflow
        /// It is not queued: as much waits as was named, only as its connection's turn to be written to has not come.
        case waits
        /// There is no such open connection (any more).
        case gone
    }

    public var onOpen: (ConnectionID, OpenInfo) -> Void = { _, _ in }
    /// A whole message; the bytes are valid during the call only.
    public var onMessage: (ConnectionID, UnsafeRawBufferPointer, _ isText: Bool) -> Void = { _, _, _ in }
    public var onPong: (ConnectionID) -> Void = { _ in }
    /// Once for each opened connection, with the code that ended it: ours, or the peer's (1005: it gave none), or 1006
    /// when it was lost; and for how long it had been silent, ms. Nothing more comes of this id.
    public var onClose: (ConnectionID, _ code: UInt16, _ silentMs: UInt64) -> Void = { _, _, _ in }
    /// Every request that is not for the WebSocket, to be answered once, at once or later. `HEAD` is answered like `GET`; the
    /// body is left out by the server. Until then no other request of the same connection comes; an answer to one that is
    /// gone by then is dropped.
    public var onHTTP: (HTTPRequest, _ answer: @escaping (HTTPResponse) -> Void) -> Void = { _, answer in
        answer(.text(404, "Nothing is here."))
    }

    /// What a proxy named as its client (`realIPHeader`), and is no address: with each such request.
    public var onUnreadableClient: (String) -> Void = { _ in }

    /// Whether a WebSocket is a stranger's until `welcome`: what it sends is read in the share of a turn that requests have, and
    /// its messages are as short as a hello (`maxStrangerMessageBytes`).
    public var hasStrangers = false

    public var counters: ServerCounters { counts }
    /// WebSockets that are open.
    public internal(set) var connectionCount = 0
    /// Bytes that wait to be written, over all connections.
    public var bytesQueued: Int { queuedBytes }
    /// The memory that these take: what several connections wait for counts once.
    public var bytesHeld: Int { held.count }
    /// Sockets in any phase.
    public var socketCount: Int { connections.count }

    let loop: EventLoop
    /// What strangers may do. Changed while running, it counts for connections that open from then on.
    public var limits: ServerLimits {
        get { rules }
        set {
            rules = newValue
            pace.set(newValue.coalesceLoad)
        }
    }
    // What each frame touches is not public: that would cost a check of exclusive access at each touch.
    var rules: ServerLimits
    var counts = ServerCounters()
    var queuedBytes = 0
    /// The memory of what waits.
    var held = HeldBytes()
    let runs = FrameRuns()
    /// The last frame that went to a stream, and its event: one frame goes to many.
    var lastEvent: (frame: [UInt8], event: [UInt8])?
    /// Sockets that the process has descriptors for.
    let openable: Int
    let handshake: Handshake
    var connections = SlotTable<Connection>()
    /// Connections by address, of all servers that share the limit.
    let addresses: AddressCounts
    var newcomers = NewcomerLines()
    /// The same of those who are welcome as guests.
    var guests = NewcomerLines()
    /// Those to be written to when their turn comes, in order: who is sent something of its own, and those who are sent something as one of
    /// many. Who is in the second line may come into the first one, too.
    var dirty = Deque<ConnectionID>()
    var dirtyOfMany = Deque<ConnectionID>()
    /// Writes in one turn for each of these lines. Tests with few connections set less.
    var mostWrites = writesPerTurn
    /// Those whose next request is to be read, if it is there whole, and strangers who have sent something.
    var resuming = FairQueue()
    /// Subjects whose messages have come and wait for their share of a turn, each once; and the number of the present turn.
    var waitingSubjects = Deque<InboundRate>()
    var turn: UInt64 = 1
    /// Of whom too much was read: their next share comes when more may be.
    var heldBack: [Connection] = []
    var heldBackUnread: [Connection] = []
    /// Connections of which a record of TLS or a message of its handshake has come in part in this turn.
    var partly: [ConnectionID] = []
    /// Those with an answer, or who are unknown and waited for room, of which more can be written.
    var answering = FairQueue()
    /// Those with frames that wait for `coalesceTimer`, which runs while there are any.
    var waiting: [ConnectionID] = []
    let coalesceTimer: LoopTimer
    var pace = CoalescePace(used: CoalescePace.threadTime())
    /// Sockets that libwebsockets does not have yet, or does not watch: those of strangers.
    let crowd: CrowdPoll
    private static let crowdPerTurn = 64
    /// Those that libwebsockets is to take; and those whose handshake is to go on after a repeated hello.
    var arrived = FairQueue()
    var repeating = FairQueue()
    var handshakes = HandshakePace()
    /// Closes that the owner has to be told of at the end of the turn.
    var untoldCloses: [(ConnectionID, UInt16, UInt64)] = []
    /// Eighths of sockets that may still be ended in this turn; those that the wheel would have ended beyond them.
    var endingsLeft = otherEndings
    var late = Deque<ConnectionID>()
    /// Those who held the most, of strangers and of the others, and are to leave: each once.
    var leaving = Deque<ConnectionID>()
    /// Readers who are to leave as too much waits, those first who have taken nothing for the longest.
    var slowest = Deque<ConnectionID>()
    /// TLS handshakes that have begun and of which nothing has come, and whose they are: the oldest first, but behind the others those
    /// that were found to wait for us. Among these are some that are done.
    var handshakesUnderWay = 0
    var shaking = Deque<ConnectionID>()
    /// Memory of what strangers have sent and that is not done with, of requests that wait for their answers, and of parts of their TLS
    /// records, bytes.
    var strangersBytes = 0
    /// Of this, what strangers in `leaving` have: OpenSSL gives a part of a record back with the socket only.
    var leavingBytes = 0
    /// The same as `strangersBytes` of all others, but those in `leaving`.
    var unfinishedBytes = 0
    /// To how much those in `slowest` are to bring what waits.
    var heldGoal = 0
    /// Not looked for again before, ms.
    var nextRelief: UInt64 = 0
    /// Sockets closed, and what they left unsent (`bytesAsClosing`), since memory was last given back to the system; when that began, `now`.
    var closings = 0
    var lastGiveBack: UInt64 = 0
    var freedMemory = FreedMemory()
    /// A socket is being closed by us, and not because the peer has left.
    var isCutting = false
    var wheel: TimerWheel
    let wheelTimer: LoopTimer
    /// When the wheel was last turned, ms of the loop; and how long the loop was held up in all.
    var lastTick: UInt64
    var heldUpMs: UInt64 = 0
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: SocketContext.scratchBytes, alignment: 16)
    private(set) var sockets: SocketContext?
    let link = ServerLink()
    /// `shutdown` was called: its timers start no more.
    private(set) var isShutDown = false
    private var tls: TLSFiles?
    /// Whether it speaks TLS.
    public var hasTLS: Bool { tls != nil }
    /// Of the certificate that new connections get; nil: it speaks no TLS.
    public private(set) var certificateValidity: TLSFiles.Validity?
    private var listeners: [Listener] = []

    /// - Parameters:
    ///   - subprotocols: one of these must be offered by the client; empty: none is required.
    ///   - allowedOrigins: besides the server's own; `*` for all.
    ///   - tls: nil for plain text.
    ///   - path: the path of the WebSocket; nil: every path.
    ///   - tickets: what sessions of TLS are resumed by, shared with the other workers of a hub; nil: none is resumed.
    ///   - addresses: shared with the other workers of a hub; nil: this server counts for itself.
    /// - Throws: `ServerError` when the certificate can't be used, whatever the time is, or libwebsockets can't start.
    public init(
        loop: EventLoop, limits: ServerLimits = ServerLimits(), subprotocols: [String] = [],
        allowedOrigins: [String] = [], tls: TLSFiles? = nil, tickets: TicketKeys? = nil,
        path: String? = "/v1/connect", addresses: AddressCounts? = nil
    ) throws {
        loop.preconditionOnLoop()
        certificateValidity = try tls?.validity()
        self.addresses = try addresses ?? AddressCounts()
        self.loop = loop
        rules = limits
        pace.set(limits.coalesceLoad)
        self.tls = tls
        handshake = Handshake(path: path, subprotocols: subprotocols, allowedOrigins: allowedOrigins)
        wheel = TimerWheel(slots: 512, startingAt: loop.now / Self.tickMs)
        wheelTimer = LoopTimer(loop)
        lastTick = loop.now
        coalesceTimer = LoopTimer(loop)
        openable = ServerLimits.sockets(openFiles: Self.openFiles())
        crowd = try CrowdPoll(loop, perTurn: Self.crowdPerTurn)
        sockets = try SocketContext(
            loop: loop, owner: link, tls: tls, tickets: tickets, handshakeTimeoutMs: limits.headerTimeoutMs)
        wheelTimer.start(afterMs: Self.tickMs, repeatMs: Self.tickMs) { [unowned self] in self.tick() }
        link.server = self
        loop.atEndOfTurn { [link] in link.server?.endTurn() }
    }

    deinit {
        link.server = nil
        for listener in listeners { listener.close() }
        sockets?.destroy {}
        scratch.deallocate()
    }

    /// Begins to accept connections. May be called for several addresses. Returns the bound port (0 asks for any).
    @discardableResult
    public func listen(host: String, port: Int) throws -> Int {
        let listener = try Listener(loop: loop, host: host, port: port)
        listener.onAccept = { [unowned self] in self.accept($0, $1) }
        listener.onNoDescriptor = { [unowned self] in self.counts.refusedNoDescriptor += 1 }
        listeners.append(listener)
        return listener.port
    }

    /// Closes the listening sockets. Who is connected stays.
    public func stopAccepting() {
        for listener in listeners { listener.close() }
        listeners = []
    }

    /// Reads the certificate and key again. New connections use them; those that are open keep what they have.
    /// Throws `ServerError`, and goes on with the old pair, when the new one can't be used.
    public func reloadCertificate() throws {
        guard let tls, let sockets else { throw ServerError("this server has no TLS") }
        certificateValidity = try sockets.reload(tls)
    }

    /// Tickets of TLS sessions are sealed and opened by these keys from now on, if there were some from the beginning.
    public func renewTickets(_ keys: TicketKeys) { sockets?.renew(keys) }

    /// Writes to those whose turn had not come, and to those whose frames wait for others; cuts all connections and frees everything.
    /// `completion` is called on the loop when that is done. To part politely, close connections and wait for `socketCount` to be 0 before.
    public func shutdown(_ completion: @escaping () -> Void) {
        loop.preconditionOnLoop()
        stopAccepting()
        wheelTimer.close()
        coalesceTimer.close()
        isShutDown = true
        flushWaiting()
        flushAll()
        for connection in connections.elements where connection.arrival != nil { closed(connection.id) }
        guard let sockets else { return completion() }
        self.sockets = nil
        sockets.destroy { [self] in
            tellCloses()
            completion()
        }
    }

    // MARK: Accepting

    private func accept(_ descriptor: Int32, _ address: PeerAddress) {
        counts.accepted += 1
        if let status = admit(address) { return refuse(descriptor, status) }
        let connection = connections.insert {
            Connection(id: $0, address: address, limits: limits, now: now)
        }
        newcomers.append(connection.id, of: address, isNewcomer: isNewcomer)
        schedule(connection, afterMs: limits.headerTimeoutMs)
        awaitHello(connection, descriptor)
    }

    func adopt(_ connection: Connection, _ descriptor: Int32) {
        connection.socket = sockets?.adopt(descriptor, as: connection.id)
        if tls == nil, connection.socket != nil { connection.descriptor = descriptor }
        // Not adopted: unless libwebsockets has already told so, the slot is to be emptied here.
        if connection.socket == nil, connections[connection.id] != nil { closed(connection.id) }
    }

    var unixTime: Int { Int(EventLoop.wallClock() / 1000) }

    /// Says why on a plain socket, as far as that goes without waiting.
    private func refuse(_ descriptor: Int32, _ status: Int) {
        if tls == nil {
            var response = HTTPResponse.text(status, "Too many connections.")
            response.headers = [(name: "Retry-After", value: "10")]
            let bytes = response.head(keepsAlive: false, unixTime: unixTime) + response.body
            _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            Glibc.shutdown(descriptor, Int32(SHUT_WR))
        }
        Glibc.close(descriptor)
    }

    /// What the process may open.
    private static func openFiles() -> UInt {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        return limit.rlim_cur
    }
}
