/// What a booking still asks of the driver.
public struct BookingStops: Equatable, Sendable {
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
    public static func order(_ bookings: [BookingStops], from vehicle: GeoPoint?, way: AnnouncedPath?) -> [MinibusStop]
    {
        guard let way else { return inserted(bookings, from: vehicle) }
        let stops = bookings.flatMap(\.stops).map { (stop: $0, along: way.along($0.place)) }
        // Stable, so that a pickup stays before its drop-off where both are at one spot.
        return stops.enumerated().sorted { a, b in
            (a.element.along, a.offset) < (b.element.along, b.offset)
        }.map(\.element.stop)
    }

    /// `measure` is the distance between two places, metres.
    static func inserted(
        _ bookings: [BookingStops], from vehicle: GeoPoint?,
        measure: (GeoPoint, GeoPoint) -> Double = { $0.distance(to: $1) }
    ) -> [MinibusStop] {
        var tour = MinibusTour()
        for booking in bookings {
            let end = booking.stops[booking.stops.count - 1]
            let toEnd = tour.distances(to: end.place, from: vehicle, measure)
            if let pickup = booking.pickup {
                let toPickup = tour.distances(to: pickup, from: vehicle, measure)
                tour.insert(booking.stops[0], toPickup, before: end, toEnd, apart: measure(pickup, end.place))
            } else {
                tour.insert(end, toEnd)
            }
        }
        return tour.stops
    }
}

/// A tour that grows. A stop that is put in changes the legs beside it, so no other is measured again: a booking costs about
/// two distances for each stop, where measuring the whole tour for each pair of places stopped the worker for seconds.
///
/// A gap has the number of the stop behind it; the last one is behind all stops.
private struct MinibusTour {
    /// Lengths that differ by less are the same, metres: the first such place is taken.
    private static let sameMetres = 0.001

    private(set) var stops: [MinibusStop] = []
    /// Metres to each stop from what is before it; to the first one 0 where nobody knows the vehicle's place.
    private var legs: [Double] = []

    /// Metres to a place from what is before each gap; as in `legs`.
    func distances(
        to place: GeoPoint, from vehicle: GeoPoint?, _ measure: (GeoPoint, GeoPoint) -> Double
    ) -> [Double] {
        [vehicle.map { measure($0, place) } ?? 0] + stops.map { measure($0.place, place) }
    }

    /// Puts a stop in where that lengthens the tour least. `distances` are those to it.
    mutating func insert(_ stop: MinibusStop, _ distances: [Double]) {
        var best = (metres: Double.infinity, gap: 0)
        for gap in 0...stops.count {
            let metres = distances[gap] + detour(gap, distances)
            if metres < best.metres - Self.sameMetres { best = (metres, gap) }
        }
        put(stop, in: best.gap, distances[best.gap], rest(best.gap, distances))
    }

    /// Puts two stops in, the first somewhere before the second, which is `apart` metres from it.
    mutating func insert(
        _ first: MinibusStop, _ toFirst: [Double], before second: MinibusStop, _ toSecond: [Double], apart: Double
    ) {
        var best = (metres: Double.infinity, first: 0, second: 0)
        // The best gap for the second one behind that for the first.
        var behind = (metres: Double.infinity, gap: 0)
        for gap in (0...stops.count).reversed() {
            // Both in one gap, or else the second one farther on.
            var metres = toFirst[gap] + apart + detour(gap, toSecond)
            var other = gap
            let alone = toFirst[gap] + detour(gap, toFirst) + behind.metres
            if alone < metres - Self.sameMetres { (metres, other) = (alone, behind.gap) }
            if metres < best.metres + Self.sameMetres { best = (metres, gap, other) }
            let end = toSecond[gap] + detour(gap, toSecond)
            if end < behind.metres + Self.sameMetres { behind = (end, gap) }
        }
        put(second, in: best.second, toSecond[best.second], rest(best.second, toSecond))
        let next = best.first == best.second ? apart : rest(best.first, toFirst)
        put(first, in: best.first, toFirst[best.first], next)
    }

    /// From a place in a gap to the stop behind it; nil when there is none.
    private func rest(_ gap: Int, _ distances: [Double]) -> Double? { gap < stops.count ? distances[gap + 1] : nil }

    /// That, less the leg that is no longer driven.
    private func detour(_ gap: Int, _ distances: [Double]) -> Double {
        rest(gap, distances).map { $0 - legs[gap] } ?? 0
    }

    private mutating func put(_ stop: MinibusStop, in gap: Int, _ before: Double, _ after: Double?) {
        if let after { legs[gap] = after }
        stops.insert(stop, at: gap)
        legs.insert(before, at: gap)
    }
}

extension BookingStops {
    /// Pickup, if it is still to come, and drop-off.
    var stops: [MinibusStop] {
        let end = MinibusStop(booking: booking, isPickup: false, place: destination)
        guard let pickup else { return [end] }
        return [MinibusStop(booking: booking, isPickup: true, place: pickup), end]
    }
}
