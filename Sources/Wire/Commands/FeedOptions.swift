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

    /// Without the destination.
    static let fields = Fields(
        Field.optional(
            "filter",
            ObjectKind(expected: "an object with kind, state, seats or route", fields: FeedFilter.fields),
            absent: FeedFilter()),
        Field.optional("max_rate", NumberKind(WireLimits.feedRate, "messages a second, 0.05 to 20")),
        make: { FeedOptions(filter: $0, maxRate: $1) }, take: { ($0.filter, $0.maxRate) })
}

extension FeedFilter {
    static let fields = Fields(
        Field.optional(
            "kind",
            WordsKind(expected: "a list of taxi, minibus, bus") {
                VehicleKind(text: $0).map(VehicleKinds.init)
            } texts: { kinds in
                VehicleKind.allCases.filter { kinds.contains(VehicleKinds($0)) }.map(\.text)
            }),
        Field.optional(
            "state",
            WordsKind(expected: "a list of available, busy, unavailable") {
                VehicleState(text: $0).map(VehicleStates.init)
            } texts: { states in
                VehicleState.allCases.filter { states.contains(VehicleStates($0)) }.map(\.text)
            }),
        Field.optional("seats", .party), Field.optional("route", RouteKind()),
        make: { FeedFilter(kinds: $0, states: $1, seats: $2, route: $3) },
        take: { ($0.kinds, $0.states, $0.seats, $0.route) })
}
