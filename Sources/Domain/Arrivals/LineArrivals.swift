/// When a line's buses come to a place: those on their way by the ETA, the others by the schedule. Pure.
public enum LineArrivals {
    /// A running tour, as far as it matters to a place.
    public struct Tour: Equatable, Sendable {
        public var id: String
        public var bus: String
        /// A pattern's id; empty on a line that is driven on request only.
        public var pattern: String
        /// A trip's id, and what its times count from (Unix seconds); empty for a run outside the schedule.
        public var trip: String
        public var base: Int64
        /// Whether it is known where on its way it is: the schedule has no say then.
        public var isKnown: Bool
        /// Ahead of it, rising.
        public var passes: [Pass]

        public init(
            id: String, bus: String, pattern: String, trip: String = "", base: Int64 = 0, isKnown: Bool,
            passes: [Pass] = []
        ) {
            self.id = id
            self.bus = bus
            self.pattern = pattern
            self.trip = trip
            self.base = base
            self.isKnown = isKnown
            self.passes = passes
        }
    }

    /// One time at which a tour comes by.
    public struct Pass: Equatable, Sendable {
        /// Metres along the shape from the bus to the place.
        public var distance: Double
        public var eta: ETA

        public init(distance: Double, eta: ETA) {
            self.distance = distance
            self.eta = eta
        }
    }

    /// One line of the answer.
    public struct Arrival: Equatable, Sendable {
        /// Nil where no bus is on this run yet.
        public var tour: Tour?
        /// Index in the line's patterns.
        public var pattern: Int
        /// A trip's id; nil for a run outside the schedule.
        public var trip: String?
        /// Unix ms.
        public var at: Int64
        /// Nil: `at` is of the schedule.
        public var pass: Pass?
    }

    /// The next that come, by time, at most `count`; of the schedule those within `ahead` seconds.
    ///
    /// - Parameters:
    ///   - places: by pattern id, metres along its shape (`StopRequestPlan.passes`).
    ///   - now: Unix ms.
    public static func next(
        _ count: Int, at places: [String: [Double]], on line: LineIndex, tours: [Tour], time: CityTime, now: Int64,
        ahead: Int64
    ) -> [Arrival] {
        var arrivals: [Arrival] = []
        let patterns = Dictionary(
            line.line.patterns.enumerated().map { ($1.id, $0) }, uniquingKeysWith: { first, _ in first })
        for tour in tours {
            guard tour.isKnown, let pattern = patterns[tour.pattern] else { continue }
            let trip = tour.trip.isEmpty ? nil : tour.trip
            for pass in tour.passes {
                arrivals.append(Arrival(tour: tour, pattern: pattern, trip: trip, at: pass.eta.likely, pass: pass))
            }
        }
        let second = now / 1000
        var left = count
        LineTimetable(line, time).visit(passing: places, from: second, to: second + ahead) { run in
            let tour = tours.first { $0.trip == run.trip && $0.base == run.base }
            if tour?.isKnown == true { return true }
            arrivals.append(
                Arrival(tour: tour, pattern: run.pattern, trip: run.trip, at: run.second * 1000, pass: nil))
            left -= 1
            return left > 0
        }
        return Array(arrivals.sorted { ($0.at, $0.trip ?? "") < ($1.at, $1.trip ?? "") }.prefix(count))
    }
}
