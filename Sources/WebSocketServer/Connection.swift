internal import EventLoop

/// One socket of a server, from accept to close. A plain object of the loop's thread.
final class Connection {
    enum Phase {
        /// Requests are read, until one of them is an upgrade.
        case http
        case open
        /// No messages any more: the close frame or the last response goes out, then the socket is shut.
        case closing
    }

    /// What a closing connection waits for, in this order.
    enum Farewell {
        /// The queue to go out; then the peer's close frame.
        case peer
        /// The queue to go out; then the peer's end of the stream. What it sends is thrown away.
        case end
        /// Our side of the stream is shut.
        case shut
    }

    enum Awaited {
        case nothing
        /// Of a stranger: what it sends next. `come`: it is there, and is to be read in its share.
        case more, come
        /// The kernel's, for more of an answer, or of what is sent to a stranger.
        case room
    }

    let id: ConnectionID
    let address: PeerAddress
    /// With whom it takes turns: its network, or that of the client for whom a proxy last asked.
    var network: PeerAddress
    /// The `struct lws *`; nil before it is adopted and after it is closed.
    var socket: OpaquePointer?
    /// Of a plain socket, while there is one; −1 under TLS.
    var descriptor: Int32 = -1
    /// Under TLS, until the handshake begins; again while a repeated hello is awaited.
    var arrival: Arrival?

    /// Under TLS, from the beginning of the handshake until something has come through it.
    var isShakingHands = false

    var phase = Phase.http
    var farewell = Farewell.peer
    var http: HTTPReader?
    /// A request waits for its answer: the next ones wait for it.
    var isAsking = false
    /// In the list of those whose next request, or messages that have waited, are to be read at the end of a turn; or it
    /// waits for answers to what its subject has asked.
    var isResuming = false
    /// A WebSocket of which nobody knows yet whose it is, and what has come of it to be read at the end of a turn.
    var isStranger = false
    /// Anybody may be a guest, and as often as it likes: it makes room in a full server.
    var isGuest = false
    /// It is sent events of an answer in place of frames, and reads nothing.
    var isStream = false
    /// Until somebody answers for it: empty records in its life, and reads since its last request.
    var emptyRecords = EmptyRecords()
    var reads = 0
    /// What it has together with others, once somebody answers for it. It is held back until more may be read.
    var inbound: InboundRate?
    var isHeldBack = false
    var unread: [UInt8] = []
    /// libwebsockets does not watch its socket: what came last waits for its share, or the crowd watches it.
    var isPaused = false
    /// What it waits for in the crowd; its watch there, once it has waited.
    var awaited = Awaited.nothing
    var watch: CrowdPoll.Watch?
    /// What `WebSocketServer.strangersBytes` has of it, and what `unfinishedBytes` has. One of them is 0.
    var heldBytes = 0
    var unfinishedBytes = 0
    /// In the list of those who held the most, and are to leave: nothing more is read of it. What
    /// `WebSocketServer.leavingBytes` has of it.
    var isLeaving = false
    var leavingBytes = 0
    /// Requests read so far.
    var requests = 0
    /// An answer is going out, this fast: no request is read until it is out.
    var answer: AnswerPace?
    /// In the list of those with an answer, or who are unknown and waited for room, of which more can be written.
    var isAnswering = false
    var frames: FrameParser
    /// What was left by a flush, and what came since while something was; then the run of frames that came after it.
    var outbound = OutboundQueue()
    var run = FrameRuns.empty
    /// Bytes of both.
    var queuedBytes = 0
    /// In the line of those to be written to, and in that of those who are sent something as one of many.
    var isDirty = false
    var isDirtyOfMany = false
    /// In the list of those that have something which may wait for the coalescing timer.
    var isWaiting = false
    /// The last flush left something in the queue.
    var isBehind = false
    /// The kernel took less than it was given: nothing is tried again before it has room.
    var isBlocked = false
    /// Answers the latest ping of those that came in one read, or while it was behind.
    var latestPong: Frame?
    /// How much of the queue's beginning may stand in a TLS record that has not gone out whole: it has to follow.
    var committed = 0
    /// `WebSocketServer.held` has this record.
    var holdsRecord = false
    /// `WebSocketServer.now`: when the reader took something last, or fell behind.
    var lastTaken: UInt64 = 0
    /// Control frames heard in the second `controlSecond`.
    var controlFrames = 0
    var controlSecond: UInt64 = 0

    /// Bytes that came while it was closing.
    var thrownAway = 0

    /// `WebSocketServer.now`: when something came from the peer; for HTTP, when a request or an answer was completed.
    var lastHeard: UInt64
    /// The same: when a piece of a request came; of a guest, when a message did.
    var lastPiece: UInt64 = 0
    var lastPing: UInt64 = 0
    var pingEvery: UInt64
    var deadAfter: UInt64
    /// Not given up before, however long it was silent: `deadAfter` was changed.
    var graceUntil: UInt64 = 0

    init(id: ConnectionID, address: PeerAddress, limits: ServerLimits, now: UInt64) {
        self.id = id
        self.address = address
        network = address.network
        http = HTTPReader(maxHeadBytes: limits.maxHeadBytes, maxBodyBytes: limits.maxBodyBytes)
        frames = FrameParser(
            expectsMask: true, maxMessageBytes: min(limits.maxMessageBytes, limits.maxStrangerMessageBytes))
        lastHeard = now
        pingEvery = limits.pingEveryMs
        deadAfter = limits.deadAfterMs
    }
}
