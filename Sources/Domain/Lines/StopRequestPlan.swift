/// Where and when a line can stop for somebody. Pure: the catalog and the times are given.
///
/// Which of the line's buses can still stop there is decided where it is known where they are (stop.lua), by the distances
/// along their shapes that are found here.
public struct StopRequestPlan: Equatable, Sendable {
    /// What the settings say.
    public struct Rules: Sendable {
        /// A place may be so far from the line's way, metres.
        public var offRoute = 300.0
        /// Seconds of the day between which requests are taken; nil: as the line's schedule has it.
        public var hours: ClosedRange<Int>?
        /// A pickup later than this is not on the bus's present round, ms.
        public var roundMs: Int64 = 3_600_000
        /// A bus this much before the wanted time still is the one that is meant, seconds.
        public var earlySeconds: Int64 = 900
        /// How far ahead a request may be, ms.
        public var maxAheadMs: Int64 = 604_800_000

        public init() {}
    }

    public enum Refusal: Error, Equatable, Sendable {
        /// Metres to the line's way.
        case offRoute(Double)
        /// Seconds of the day; nil: the line does not run on that day.
        case outsideHours(ClosedRange<Int>?)
        case past
        case tooFarAhead
        /// The line does not come by this stop.
        case notServed(String)
    }

    public enum Place: Equatable, Sendable {
        case stop(Stop)
        case point(GeoPoint)

        var point: GeoPoint {
            switch self {
            case .stop(let stop): stop.point
            case .point(let point): point
            }
        }
    }

    public var point: GeoPoint
    /// By pattern id: the distances along its shape at which it passes the place, rising. A loop may pass it twice.
    public var passes: [String: [Double]]
    /// Whether the line passes it again for this time, should the bus have gone by on its present round.
    public var comesAgain: Bool

    /// `at` and `now` in Unix ms, `at` nil for as soon as possible.
    public init(
        _ place: Place, at: Int64?, now: Int64, on line: Line, of catalog: Catalog, time: CityTime, rules: Rules
    ) throws(Refusal) {
        point = place.point
        let at = at ?? now
        guard at >= now - 60_000 else { throw .past }
        guard at - now <= rules.maxAheadMs else { throw .tooFarAhead }
        passes = try Self.passes(of: place, on: line, rules)
        let timetable = LineTimetable(line, catalog.services, time)
        try Self.checkHours(at / 1000, timetable, time, rules)
        comesAgain =
            timetable.isEmpty
            ? at - now > rules.roundMs
            : timetable.passes(passes, startingAfter: now / 1000, passingFrom: at / 1000 - rules.earlySeconds)
    }

    private static func passes(of place: Place, on line: Line, _ rules: Rules) throws(Refusal) -> [String: [Double]] {
        var passes: [String: [Double]] = [:]
        var nearest = Double.infinity
        for pattern in line.patterns {
            var found: [Double] = []
            switch place {
            case .stop(let stop): found = pattern.stops.filter { $0.stop == stop.id }.map(\.distance)
            case .point(let point):
                let (near, distances) = pattern.passes(of: point, within: rules.offRoute)
                nearest = min(nearest, near)
                found = distances
            }
            if !found.isEmpty { passes[pattern.id] = found }
        }
        if passes.isEmpty {
            switch place {
            case .stop(let stop): throw .notServed(stop.id)
            case .point: throw .offRoute(nearest)
            }
        }
        return passes
    }

    private static func checkHours(
        _ at: Int64, _ timetable: LineTimetable, _ time: CityTime, _ rules: Rules
    ) throws(Refusal) {
        if let hours = rules.hours {
            let second = Int(at - time.start(of: time.date(at: at)))
            guard hours.contains(second) else { throw .outsideHours(hours) }
        } else if !timetable.isEmpty, !timetable.runs(at: at) {
            throw .outsideHours(timetable.hours(on: time.date(at: at)))
        }
    }
}

extension LinePattern {
    /// Between two passes of a place the shape goes away from it by at least this, metres.
    private static var apart: Double { 75 }

    /// The nearest that the shape comes to a point, and the distances along it of the passes within `reach` metres, each at
    /// its nearest place.
    func passes(of point: GeoPoint, within reach: Double) -> (nearest: Double, along: [Double]) {
        var nearest = Double.infinity
        var along: [Double] = []
        // Coming nearer: the best so far. Going away: how far it has gone.
        var best: (distance: Double, along: Double)? = (Double.infinity, 0)
        var top = 0.0
        func see(_ distance: Double, at place: Double) {
            nearest = min(nearest, distance)
            if let pass = best {
                if distance < pass.distance { best = (distance, place) }
                guard distance > pass.distance + Self.apart else { return }
                if pass.distance <= reach { along.append(pass.along) }
                best = nil
                top = distance
            } else {
                top = max(top, distance)
                if distance < top - Self.apart { best = (distance, place) }
            }
        }
        var start = 0.0
        for (from, to) in zip(shape, shape.dropFirst()) {
            let length = from.distance(to: to)
            let approach = Approach(to: point, from: from, to: to)
            see(approach.distance, at: start + approach.fraction * length)
            start += length
            see(to.distance(to: point), at: start)
        }
        if let pass = best, pass.distance <= reach { along.append(pass.along) }
        return (nearest, along)
    }
}
