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
    /// Of a driver: what it drives, and a minibus' seats if the token says.
    var kind: VehicleKind { claims.kind }
    var seats: Int? { claims.seats }
}

/// One connection of a client, from its upgrade to its close. Used on the worker's loop only; it ends when `onClose` came.
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
    /// Its token counts no more: it is closed when its turn comes, whatever is reloaded meanwhile.
    var mustLeave = false
    /// Its own until hello, then its subject's.
    var budget: Budget
    /// Refused for their rate since the last one that was not.
    var refusedInARow = 0
    /// Of a driver: shared by all of this driver's connections to this worker.
    var driver: DriverTrack?
    /// Of a bus driver: likewise.
    var bus: BusTrack?
    /// The shared event channels that it reads.
    var topics: [TopicReading] = []
    /// What hello was asked to resume, until its greeting has gone out.
    var resume: [(channel: String, seq: String)] = []
    /// What it watches, by channel.
    var feeds: [String: Feed] = [:]
    /// Where its circle is to be next, and from when on it may move again, ms of the loop.
    var nextCircle: Circle?
    var circleDueAt: UInt64 = 0
    /// Of a passenger: the taxi of the accepted ride, whose channel is followed.
    var taxi: String?
    /// Of a passenger: the confirmed booking of a seat, whose ETA is meant for it.
    var booking: String?
    /// When the position was measured by which the passenger was told an ETA last, hub ms: none goes back behind it.
    var etaMeasuredAt: Int64 = 0
    /// It does not want to be told when the time of arrival changes.
    var mutesETA = false

    init(connection: ConnectionID, name: String, bearer: String?, budget: Budget, encoding: FeedEncoding) {
        self.connection = connection
        self.name = name
        self.bearer = bearer
        self.budget = budget
        self.encoding = encoding
    }
}

/// What a worker knows of a driver whose connection it holds: the truth is in Redis; this is what judging its fixes needs.
/// Used on the worker's loop only; it ends with the driver's last connection to this worker.
final class DriverTrack {
    enum Duty {
        case unavailable
        /// Out of its queue against its will; the first good fix in a zone brings it back.
        case lost
        case available
        case busy(RideTrack)
    }

    let subject: String
    var sessions: [Session] = []
    /// The session that Redis knows this driver by: the last one for which `hello` was answered.
    var registered = ""
    var filter = PositionFilter()
    var zones: ZoneTracker?
    var duty = Duty.unavailable
    /// The zone of its queue while available.
    var zone: String?
    /// The last accepted fix; whether it waits to be sent to Redis, and when the one before was, ms of the loop.
    var lastFix: Fix?
    /// When it was measured, hub time in ms: when it came, unless it was stored on the device.
    var heardAt: Int64 = 0
    /// It was measured just then, and is good enough for fences: nobody is told from another that the driver is near.
    var isLastFixSure = false
    /// Another worker's session of this driver sent the latest position (Redis decides, `speak` in presence.lua): nothing is told of
    /// it from here.
    var isSuperseded = false
    var isDirty = false
    /// The `at` of the last fix that was neither refused nor doubted.
    var sentAt: Int64?
    /// The number of the slice in which Redis was told of its position last.
    var flushedSlice = -Worker.slicesPerTick
    /// The pickup of the offer that it has, for the ETA at acceptance; never sent to it before.
    var offerPickup: (ride: String, pickup: GeoPoint)?
    /// The rank told last.
    var rank: (zone: String, rank: Int, size: Int)?
    /// False of a bus whose id maps can't show.
    var isShown = true
    /// It waits in no queue, and serves bookings instead of a ride, in the order in which they came.
    var isMinibus = false
    var bookings: [BookingTrack] = []
    var way: AnnouncedPath?
    var route: String?
    /// How far it is along them, and the catalog that its route was looked up in.
    var progress: PathProgress?
    var progressVersion = ""
    /// `PathProgress.text`; empty when nobody knows, and of a taxi.
    var along = ""
    /// The order of stops told last.
    var stopsTold: [MinibusStop]?
    /// A function was called for this driver's zone and has not answered.
    var isMoving = false

    init(subject: String) { self.subject = subject }
}

/// The ride that a driver is on.
struct RideTrack {
    let ride: String
    let pickup: GeoPoint
    var isAboard: Bool
    var ladder: ProximityLadder
    var eta: ETAReporter
    /// How it gets on, on this ride.
    var pace = RecentPace()
}
