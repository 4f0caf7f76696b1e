/// How a feed is to be sent.
public struct FeedOptions: Equatable, Sendable {
    public var filter: FeedFilter
    /// Messages a second at most, 0.05…20; nil: as often as the hub sends them.
    public var maxRate: Double?
    /// Of a `watch`: of vehicles on routes only those that pass its place and then this one.
    public var destination: Place?

    public init(filter: FeedFilter = FeedFilter(), maxRate: Double? = nil, destination: Place? = nil) {
        self.filter = filter
        self.maxRate = maxRate
        self.destination = destination
    }
}

extension VehicleState {
    /// From its text in a message.
    public init?(text: String) {
        guard let known = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = known
    }
}

extension VehicleKind {
    /// From its text in a message.
    public init?(text: String) {
        guard let known = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = known
    }
}

extension Freshness {
    /// From its text in a message.
    public init?(text: String) {
        guard let known = Self.allCases.first(where: { $0.text.description == text }) else { return nil }
        self = known
    }
}

extension VehicleStates {
    public static let available = VehicleStates(.available)
    public static let busy = VehicleStates(.busy)
    public static let unavailable = VehicleStates(.unavailable)
}

extension VehicleKinds {
    public static let taxi = VehicleKinds(.taxi)
    public static let minibus = VehicleKinds(.minibus)
    public static let bus = VehicleKinds(.bus)
}
