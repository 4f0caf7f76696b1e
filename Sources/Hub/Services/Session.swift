import Domain
import Settings
import Tokens
import WebSocketServer
import Wire

/// Who a connection is, once its token was read.
struct Identity {
    let claims: TokenClaims
    /// Its own channel, role and subject: `driver:T345`; empty for roles that have none.
    let channel: String
    /// Unix ms of real time, the leeway included.
    let expiresAt: Int64

    var role: Role { claims.role }
    var subject: String { claims.subject }
    var isGuest: Bool { claims.isGuest }

    /// The passenger in whose name an operator asks.
    func asking(for caller: Caller) -> Identity {
        let claims = TokenClaims(
            subject: caller.subject, role: .passenger, city: claims.city, issuedAt: claims.issuedAt,
            expiresAt: claims.expiresAt)
        return Identity(claims: claims, channel: "passenger:\(caller.subject)", expiresAt: expiresAt)
    }

    /// Of a driver: what it drives, and a minibus' seats if the token says.
    var kind: VehicleKind { claims.kind }
    var seats: Int? { claims.seats }
}

/// One connection of a client, from its upgrade to its close; or one command over HTTP, from its request to its reply. Used on the worker's loop only; it ends when `onClose` came.
/// What a capability knows of it is kept by the capability, by its connection.
final class Session {
    enum Phase {
        /// Has not identified itself: only `hello` is taken.
        case silent
        /// Its history is being read; what is pushed meanwhile is held, so that nothing is lost and nothing comes twice.
        case catchingUp
        case live
        /// Its close was asked for: nothing more is taken from it.
        case closing
    }

    let connection: ConnectionID
    /// Names this connection in Redis: `<worker>.<number>`.
    let name: String
    /// How its messages are encoded, both ways: by the subprotocol that was agreed.
    let encoding: FeedEncoding
    /// From the `Authorization` header of the upgrade; used by `hello` if it brings no token of its own.
    var bearer: String?
    var identity: Identity?
    /// Its hello was answered with ok.
    var isGreeted = false
    var phase = Phase.silent
    /// The seq of the last event sent on its own channel.
    var position = ""
    var held: [Push] = []
    /// Messages that came while it caught up, carried out in order once it is live.
    var waiting: [ClientMessage] = []
    /// The subscription has been down since it caught up last: pushes may be missing, so what comes is held until the
    /// history was read again. Sending a push that comes after a missing one would pass over the missing one for good.
    var isBehind = false
    /// Redis was asked how things stand, and a state came before the answer had been dealt with: whether the answer has it nobody knows.
    var hasMissedState = false
    /// Its token counts no more: it is closed when its turn comes, whatever is reloaded meanwhile.
    var mustLeave = false
    /// For so long it may have been silent, whatever was heard of it, ms.
    var leastSilentMs = 0
    /// Why Redis has refused its hello.
    var refusal: ErrorReply?
    /// Its own until hello, then its subject's.
    var budget: Budget
    /// What hello was asked to resume, until its greeting has gone out.
    var resume: [ResumePoint] = []
    /// How many channels besides its own it has asked for: at most `WireLimits.feedChannels`.
    var channels = 0
    /// Types of states that it does not want to be told (`notify.set`).
    var mutedStates: Set<String> = []
    /// Of one command over HTTP: takes what is replied to it, and there is no connection. Nil: a WebSocket.
    let onReply: ((Result<[UInt8], ErrorReply>) -> Void)?

    init(connection: ConnectionID, name: String, bearer: String?, budget: Budget, encoding: FeedEncoding) {
        self.connection = connection
        self.name = name
        self.bearer = bearer
        self.budget = budget
        self.encoding = encoding
        onReply = nil
    }

    /// One command over HTTP, of somebody whose token was read.
    init(of identity: Identity, budget: Budget, onReply: @escaping (Result<[UInt8], ErrorReply>) -> Void) {
        connection = ConnectionID(rawValue: .max)
        name = ""
        self.identity = identity
        self.budget = budget
        encoding = .json
        phase = .live
        self.onReply = onReply
    }
}

/// The open sessions of a worker. Used on its loop.
final class SessionTable {
    private var byConnection = ConnectionTable<Session>()
    /// Sessions that must be told anew how things stand, after a loss of the subscription or when another connection of their
    /// subject has gone.
    private var toCatchUp: [Session] = []
    /// Has some of them catch up.
    var onDue: () -> Void = {}

    var count: Int { byConnection.count }

    var all: some Collection<Session> { byConnection.elements }

    subscript(connection: ConnectionID) -> Session? { byConnection[connection] }

    /// Whether the session's connection is still open. One over HTTP takes its reply whenever it comes.
    func has(_ session: Session) -> Bool { byConnection[session.connection] === session || session.onReply != nil }

    func add(_ session: Session) { byConnection[session.connection] = session }

    func remove(_ connection: ConnectionID) -> Session? { byConnection.remove(connection) }

    /// At the next tick, or earlier when `isUrgent`.
    func catchUpAgain(_ sessions: some Sequence<Session>, isUrgent: Bool = false) {
        toCatchUp += sessions
        if isUrgent { onDue() }
    }

    /// All that are live and have a channel of their own.
    func catchUpAll() {
        toCatchUp = byConnection.elements.filter { $0.phase == .live && $0.identity?.channel.isEmpty == false }
    }

    func nextToCatchUp() -> Session? { toCatchUp.popLast() }
}
