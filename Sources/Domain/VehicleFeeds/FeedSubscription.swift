public import Wire

/// What a subscriber may see and wants to see. Subscribers with equal views share encoded bytes.
public struct FeedView: Hashable, Sendable {
    /// What the subscriber's role lets it see.
    public enum Visibility: Sendable, Hashable {
        /// Vehicles that can be had: passengers.
        case available
        /// Every vehicle: operators, services.
        case all
        /// Every state of the vehicle that carries, or comes for, the subscriber.
        case own
    }

    public var visibility: Visibility
    public var filter: FeedFilter
    /// The numbers of ways (`PathIndex`) that lead where the subscriber wants to go, each with the last step at which a vehicle
    /// has not passed it: of vehicles on routes only those that go one of them and have not. Nil: it has not said where.
    public var ways: [UInt16: UInt16]?

    public init(visibility: Visibility, filter: FeedFilter = FeedFilter(), ways: [UInt16: UInt16]? = nil) {
        self.visibility = visibility
        self.filter = filter
        self.ways = ways
    }

    private static func isOfUse(_ place: PathPlace, _ ways: [UInt16: UInt16]) -> Bool {
        guard let last = ways[place.way] else { return false }
        return place.step <= last
    }

    @inline(__always)
    func shows(_ traits: FeedTraits) -> Bool {
        if visibility == .available, traits.state != .available { return false }
        if let ways, traits.kind != .taxi, !traits.places.contains(where: { Self.isOfUse($0, ways) }) { return false }
        return filter.matches(
            kind: traits.kind, state: traits.state, seats: traits.seats < 0 ? nil : Int(traits.seats),
            route: traits.route)
    }
}

/// The form of a feed's messages.
public enum FeedEncoding: Sendable, Hashable { case json, protobuf }

/// The reader of one feed on one connection. On the loop of its board only.
public final class FeedSubscription {
    /// As the reader named it: `near`, `zone:14`, `vehicle:T345`, `city`.
    public let channel: String
    /// Set `sentTick` to nil with it: what was sent was of other scopes.
    public var scopes: [FeedScope]
    public private(set) var view: FeedView
    public let encoding: FeedEncoding
    /// The tick that the reader knows all of; nil when a snapshot is due.
    public var sentTick: Int?
    /// Of the view, computed once.
    private(set) var viewHash: Int
    let quotedChannel: [UInt8]

    public init(channel: String, scopes: [FeedScope], view: FeedView, encoding: FeedEncoding) {
        self.channel = channel
        self.scopes = scopes
        self.view = view
        self.encoding = encoding
        viewHash = view.hashValue
        var quoted: [UInt8] = []
        quoted.appendQuoted(channel)
        quotedChannel = quoted
    }

    /// The numbers of ways mean something else from now on: the reader gets a snapshot.
    public func forgetWays() {
        view.ways = [:]
        viewHash = view.hashValue
        sentTick = nil
    }

    /// More ways lead where it wants to go. Nothing that the reader was told changes, if no vehicle went one of them at the
    /// last tick.
    public func admit(_ ways: [UInt16: UInt16]) {
        view.ways?.merge(ways) { $1 }
        viewHash = view.hashValue
    }
}

/// A message that is encoded once for all readers that it fits.
public final class FeedMessage {
    /// The payload, without a frame's head.
    public let payload: [UInt8]
    /// Empty at first. The hub keeps the finished frame here, so that it too is made once.
    public var frame: [UInt8] = []

    init(_ payload: [UInt8]) { self.payload = payload }
}

/// What is to be sent to a subscription now.
public enum FeedOutput {
    /// The same object for all subscriptions with this scope, view, encoding and tick.
    case shared(FeedMessage)
    /// For this subscription alone; the payload is in `FeedBoard.scratch` until the next call.
    case own
}
