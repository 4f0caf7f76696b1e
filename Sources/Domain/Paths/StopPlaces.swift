/// Where the stops of a pattern begin and end along its way.
///
/// A bus is at a stop while it is within 30 m of it along the way, or within half the distance to the next stop, where
/// that is less. The first stop is only left, the last one only reached.
public struct StopPlaces: Equatable, Sendable {
    /// Half of the length of a stop, metres.
    public static let reach = 30.0

    /// Metres along the way, never falling; at least one.
    public let stops: [Double]

    public init(_ stops: [Double]) {
        precondition(!stops.isEmpty, "a pattern has stops")
        self.stops = stops
    }

    public var count: Int { stops.count }

    /// Metres along the way where the bus counts as having reached a stop.
    public func entry(_ stop: Int) -> Double {
        stop == 0 ? stops[0] : stops[stop] - min(StopPlaces.reach, (stops[stop] - stops[stop - 1]) / 2)
    }

    /// Metres along the way where it counts as having left it. At the last stop it never has.
    public func exit(_ stop: Int) -> Double {
        stop == stops.count - 1
            ? .infinity : stops[stop] + min(StopPlaces.reach, (stops[stop + 1] - stops[stop]) / 2)
    }

    /// The first stop that a bus so many metres along has not left.
    public func first(after distance: Double) -> Int {
        var low = 0
        var high = stops.count - 1
        while low < high {
            let middle = (low + high) / 2
            if exit(middle) <= distance { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
