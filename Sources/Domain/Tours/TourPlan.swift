/// Which run of its line a bus begins: the one that its driver asked for, or that of the schedule that is nearest in time.
public struct TourPlan: Equatable, Sendable {
    /// Index in the line's patterns; nil: it is driven on request only, so there is no way.
    public var pattern: Int?
    /// Index in the line's trips; nil: a run outside the schedule.
    public var trip: Int?
    /// What the trip's times count from, Unix seconds; 0 without a trip.
    public var base: Int64

    public enum Refusal: Error, Equatable, Sendable {
        case noPattern
        case noTrip
        /// The trip is one of another pattern.
        case notOfPattern
        /// The line has neither a pattern nor areas.
        case nothingToDrive
    }

    /// Further than this from its scheduled start a run that nobody asked for by its id is none of the schedule, seconds.
    static let nearSeconds: Int64 = 7_200

    /// - Parameters:
    ///   - pattern: the id that was asked for, if any.
    ///   - trip: likewise.
    ///   - now: Unix seconds.
    public static func choose(
        on line: Line, pattern: String?, trip: String?, services: [String: Service], time: CityTime, now: Int64
    ) throws(Refusal) -> TourPlan {
        let wanted = pattern.flatMap { id in line.patterns.firstIndex { $0.id == id } }
        if pattern != nil, wanted == nil { throw .noPattern }
        guard !line.patterns.isEmpty else {
            if line.onDemand.isEmpty { throw .nothingToDrive }
            if trip != nil { throw .noTrip }
            return TourPlan(pattern: nil, trip: nil, base: 0)
        }
        if let trip {
            guard let index = line.trips.firstIndex(where: { $0.id == trip }) else { throw .noTrip }
            let run = line.trips[index]
            if let wanted, wanted != run.pattern { throw .notOfPattern }
            // It may be driven on a day that is not its own.
            let base = bases(of: run, services: services, time: time, now: now)
                .min { abs(begin(run, $0) - now) < abs(begin(run, $1) - now) }
            return TourPlan(pattern: run.pattern, trip: index, base: base ?? time.start(of: time.date(at: now)))
        }
        var best: (trip: Int, base: Int64, away: Int64)?
        for (index, run) in line.trips.enumerated() where wanted == nil || run.pattern == wanted {
            for base in bases(of: run, services: services, time: time, now: now) {
                let away = abs(begin(run, base) - now)
                if away <= nearSeconds, away < best?.away ?? .max { best = (index, base, away) }
            }
        }
        guard let best else { return TourPlan(pattern: wanted ?? 0, trip: nil, base: 0) }
        return TourPlan(pattern: line.trips[best.trip].pattern, trip: best.trip, base: best.base)
    }

    /// When its trip begins by the schedule, Unix seconds.
    public func start(on line: Line) -> Int64? { trip.map { Self.begin(line.trips[$0], base) } }

    /// What the times of a trip may count from around now: yesterday's, today's and tomorrow's run.
    private static func bases(
        of trip: LineTrip, services: [String: Service], time: CityTime, now: Int64
    ) -> [Int64] {
        guard let service = services[trip.service] else { return [] }
        let today = time.date(at: now)
        return (-1...1).compactMap { offset -> Int64? in
            let date = today + offset
            guard service.runs(on: date) else { return nil }
            let start = time.start(of: date)
            // Of many runs the nearest.
            return trip.starts.map { start + Int64($0) }.min { abs(begin(trip, $0) - now) < abs(begin(trip, $1) - now) }
        }
    }

    private static func begin(_ trip: LineTrip, _ base: Int64) -> Int64 {
        base + Int64(trip.times.first?.departure ?? 0)
    }
}
