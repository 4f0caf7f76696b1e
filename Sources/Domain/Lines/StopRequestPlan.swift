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
        /// Of a line that is driven on request: the place is in none of its areas.
        case outsideArea
        /// It had to be asked for by then, Unix seconds; or can be only from then on.
        case bookedTooLate(until: Int64)
        case bookedTooEarly(from: Int64)
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
    public var passes: [String: [Double]] = [:]
    /// Likewise the index of the first of the pattern's stops behind each pass; none for a stop of the line, where the bus
    /// stops anyway.
    public var nextStops: [String: [Int]] = [:]
    /// Whether the line passes it again for this time, should the bus have gone by on its present round.
    public var comesAgain = false
    /// The place is on no way of the line, and is fetched from all the same: any bus of the line can.
    public var isOnDemand = false

    /// `at` and `now` in Unix ms, `at` nil for as soon as possible.
    public init(
        _ place: Place, at: Int64?, now: Int64, on line: Line, of catalog: Catalog, time: CityTime, rules: Rules
    ) throws(Refusal) {
        point = place.point
        let at = at ?? now
        guard at >= now - 60_000 else { throw .past }
        guard at - now <= rules.maxAheadMs else { throw .tooFarAhead }
        let onItsWay: Refusal
        do throws(Refusal) {
            try plan(place, at: at, now: now, on: line, of: catalog, time: time, rules: rules)
            return
        } catch {
            onItsWay = error
        }
        guard !line.onDemand.isEmpty else { throw onItsWay }
        do throws(Refusal) {
            try OnDemandPlan.check(
                place, at: at / 1000, now: now / 1000, on: line, services: catalog.services, time: time)
            if let hours = rules.hours { try Self.check(hours, at / 1000, time) }
        } catch {
            throw error == .outsideArea && !line.patterns.isEmpty ? onItsWay : error
        }
        passes = [:]
        nextStops = [:]
        isOnDemand = true
    }

    /// On the way of the line.
    private mutating func plan(
        _ place: Place, at: Int64, now: Int64, on line: Line, of catalog: Catalog, time: CityTime, rules: Rules
    ) throws(Refusal) {
        passes = try Self.passes(of: place, on: line, within: rules.offRoute)
        if case .point = place {
            for pattern in line.patterns {
                nextStops[pattern.id] = passes[pattern.id]?.map { pass in
                    pattern.stops.firstIndex { $0.distance > pass } ?? pattern.stops.count
                }
            }
        }
        let timetable = LineTimetable(line, catalog.services, time)
        try Self.checkHours(at / 1000, timetable, time, rules)
        comesAgain =
            timetable.isEmpty
            ? at - now > rules.roundMs
            : timetable.passes(passes, startingAfter: now / 1000, passingFrom: at / 1000 - rules.earlySeconds)
    }

    /// Passes of a place whose distances from it differ by less are as good as each other, metres.
    private static let alike = 50.0

    /// By pattern id the distances along its shape at which the line passes a place, rising; a stop only where it is one of
    /// the pattern's, a point within so many metres. Throws `notServed` or `offRoute`.
    public static func passes(
        of place: Place, on line: Line, within reach: Double
    ) throws(Refusal) -> [String: [Double]] {
        var passes: [String: [Double]] = [:]
        var nearest = Double.infinity
        for pattern in line.patterns {
            var found: [Double] = []
            switch place {
            case .stop(let stop): found = pattern.stops.filter { $0.stop == stop.id }.map(\.distance)
            case .point(let point):
                guard let shape = LineShape(pattern.shape) else { continue }
                let best = shape.nearest(to: point).offset
                nearest = min(nearest, best)
                // Another street of a loop may be within reach, too: nobody walks to the farther one.
                found = shape.matches(of: point, within: min(reach, best + alike)).map(\.distance)
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
            try check(hours, at, time)
        } else if !timetable.isEmpty, !timetable.runs(at: at) {
            throw .outsideHours(timetable.hours(on: time.date(at: at)))
        }
    }

    private static func check(_ hours: ClosedRange<Int>, _ at: Int64, _ time: CityTime) throws(Refusal) {
        let second = Int(at - time.start(of: time.date(at: at)))
        guard hours.contains(second) else { throw .outsideHours(hours) }
    }
}
