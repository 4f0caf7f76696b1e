import Domain
import Settings
import Wire

/// One feed of one connection: what is watched, and how often it may be told. Used on the worker's loop only; it ends with
/// its subscription.
final class Feed {
    let session: Session
    let subscription: FeedSubscription
    /// What must be followed in Redis for it.
    let sources: [FeedSource]
    /// Told at most once in so many ticks.
    let everyTicks: Int
    /// The share of `everyTicks` ticks in which it was told last: equal rates are told in the same ticks, so that they share.
    var slot = -1
    /// Its sources' state has not been read yet.
    var waitsFor = 0
    /// Nobody watches it any more, though its sources may not have been left yet.
    var hasEnded = false
    /// Among those whose snapshot is due, or will be in the next slice.
    var awaitsSnapshot = false
    /// Its slice and its place there, in `VehicleFeeds.feeds`.
    var slice = 0
    var index = 0
    /// Where its reader is and wants to go, if it has said so; and for how many of the index's ways it is decided whether they
    /// lead there.
    var journey: (from: GeoPoint, to: GeoPoint)?
    var waysDecided = 0
    /// As the client asked for it; nil when only its ride shows it.
    var asked: FeedOptions?

    init(_ session: Session, _ subscription: FeedSubscription, sources: [FeedSource], everyTicks: Int) {
        self.session = session
        self.subscription = subscription
        self.sources = sources
        self.everyTicks = everyTicks
    }
}

/// What a worker follows in Redis while a client watches it.
enum FeedSource: Hashable {
    case cell(CellID)
    case city
    case vehicle(String)
    /// The ways that vehicles announce, for those who watch with a destination.
    case ways
}

/// A source, and the following of it that is meant.
typealias Followed = (source: FeedSource, following: Following)

/// How far the following of a source has come.
final class Following {
    /// Feeds that need it.
    var count = 0
    /// When the last of them ended, ms of the loop.
    var leftAt: UInt64 = 0
    /// Nobody follows it any more by this following.
    var isLeft = false
    /// Redis has confirmed its subscription at least once.
    var isSubscribed = false
    /// Its state was read at least once.
    var wasRead = false
    /// Its state was read after the subscription was confirmed, and the subscription has held since.
    var isCurrent = false
    /// Its state is being read. What is heard of the city or of a single vehicle meanwhile is held and applied after it, in
    /// order, so that the later counts; the board itself knows what of a cell was heard since its reading began.
    var isReading = false
    /// Of a single vehicle: it waits to be read, and what is heard of it is applied at once.
    var isQueued = false
    /// The subscription was lost while it was being read.
    var wasInterrupted = false
    var held: [[UInt8]] = []
    /// Feeds that wait for its first state, some of which may have ended.
    var waiting: [Feed] = []
    /// Those of them that were not told yet whether they may follow it, as that depends on whether there is such a vehicle.
    var undecided: [(feed: Feed, message: ClientMessage)] = []
    /// Whose it is of `UnknownVehicles`; nil: it is none of them, or those who follow it are all undecided.
    var countedFor: Budget?
}

/// What one connection watches.
final class Watcher {
    let session: Session
    /// By channel.
    var feeds: [String: Feed] = [:]
    /// Where its circle is to be next, and from when on it may move again, ms of the loop.
    var nextCircle: Circle?
    var circleDueAt: UInt64 = 0
    /// It is among those whose circle is to move.
    var waitsToMove = false

    init(_ session: Session) { self.session = session }
}
