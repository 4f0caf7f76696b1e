/// What a booking still asks of the driver.
public struct MinibusErrand: Equatable, Sendable {
    public var booking: String
    /// Nil once its passengers are aboard.
    public var pickup: GeoPoint?
    public var destination: GeoPoint

    public init(booking: String, pickup: GeoPoint?, destination: GeoPoint) {
        self.booking = booking
        self.pickup = pickup
        self.destination = destination
    }
}

/// Where passengers get on or off.
public struct MinibusStop: Equatable, Sendable {
    public var booking: String
    public var isPickup: Bool
    public var place: GeoPoint
}

/// The order of stops that is proposed to the driver (S7). On an announced way it is the order in which they come; without
/// one each booking is put in where it lengthens the tour least, its pickup always before its drop-off.
public enum MinibusStops {
    public static func order(_ errands: [MinibusErrand], from vehicle: GeoPoint?, way: MinibusWay?) -> [MinibusStop] {
        guard let way else { return inserted(errands, from: vehicle) }
        let stops = errands.flatMap(\.stops).map { (stop: $0, along: way.along($0.place)) }
        // Stable, so that a pickup stays before its drop-off where both are at one spot.
        return stops.enumerated().sorted { a, b in
            (a.element.along, a.offset) < (b.element.along, b.offset)
        }.map(\.element.stop)
    }

    private static func inserted(_ errands: [MinibusErrand], from vehicle: GeoPoint?) -> [MinibusStop] {
        var tour: [MinibusStop] = []
        for errand in errands {
            var best: (length: Double, tour: [MinibusStop])?
            for first in 0...tour.count {
                var trial = tour
                let stops = errand.stops
                trial.insert(stops[0], at: first)
                let places = stops.count == 1 ? first...first : (first + 1)...(tour.count + 1)
                for second in places {
                    var whole = trial
                    if stops.count == 2 { whole.insert(stops[1], at: second) }
                    let length = length(of: whole, from: vehicle)
                    if best.map({ length < $0.length }) ?? true { best = (length, whole) }
                }
            }
            tour = best?.tour ?? tour
        }
        return tour
    }

    private static func length(of tour: [MinibusStop], from vehicle: GeoPoint?) -> Double {
        var last = vehicle
        var length = 0.0
        for stop in tour {
            if let last { length += last.distance(to: stop.place) }
            last = stop.place
        }
        return length
    }
}

extension MinibusErrand {
    /// Pickup, if it is still to come, and drop-off.
    var stops: [MinibusStop] {
        let end = MinibusStop(booking: booking, isPickup: false, place: destination)
        guard let pickup else { return [end] }
        return [MinibusStop(booking: booking, isPickup: true, place: pickup), end]
    }
}
