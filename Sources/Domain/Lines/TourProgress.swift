/// One tour on its line, from the fixes that its bus sends: how far it is, which stops it has passed or left out, how late
/// it is, and when it will be at the stops to come.
public struct TourProgress: Sendable {
    /// What one fix brought.
    public struct Change: Equatable, Sendable {
        /// Index of the stop that the bus is at or comes to, when that has changed.
        public var next: Int?
        /// Stops that were passed while the bus was off its route.
        public var skipped: [Int] = []
        /// The bus is behind where it was believed to be: `next` may be before the old one.
        public var isBack = false
    }

    /// When a tour is at a stop.
    public struct Arrival: Equatable, Sendable {
        /// Of the stop in the pattern.
        public var index: Int
        /// Unix ms: the middle, and the bounds within which it is in 8 of 10 cases, where they are known.
        public var at: Int64
        public var early: Int64?
        public var late: Int64?
    }

    public private(set) var track: TourTrack
    private let times: [StopTime]
    private let base: Int64
    private var wasOffRoute = false

    /// Nil when the shape has no length.
    ///
    /// - Parameters:
    ///   - trip: of this pattern; nil outside the schedule.
    ///   - base: what the trip's times count from, Unix seconds.
    ///   - expected: metres along the shape where the bus was last, if it has been on its way before.
    public init?(
        pattern: LinePattern, trip: LineTrip?, base: Int64, expected: Double? = nil,
        settings: TourTrack.Settings = TourTrack.Settings()
    ) {
        guard let shape = LineShape(pattern.shape), !pattern.stops.isEmpty else { return nil }
        track = TourTrack(shape: shape, stops: pattern.stops.map(\.distance), expected: expected, settings: settings)
        times = trip.map(\.times).flatMap { $0.count == pattern.stops.count ? $0 : nil } ?? []
        self.base = base
    }

    /// Metres along the shape; nil as long as no fix lay on it.
    public var distance: Double? { track.distance }
    public var isOffRoute: Bool { track.isOffRoute }

    /// Takes a fix that the position filter has accepted.
    public mutating func moved(to fix: Fix) -> Change {
        let before = track.nextStop
        var change = Change()
        switch track.moved(to: fix.point, at: fix.at) {
        case .moved(let from, let to):
            if wasOffRoute {
                change.skipped = (before..<max(before, track.nextStop)).filter {
                    let entry = track.passages.entry(of: $0)
                    return $0 > 0 && entry > from && entry <= to
                }
            }
        case .relocated: change.isBack = true
        case .ignored, .beside, .reversed: break
        }
        if track.nextStop != before { change.next = track.nextStop }
        wasOffRoute = track.isOffRoute
        return change
    }

    /// How late the bus is by its last fix on the way, seconds; negative when it is early. Nil without a schedule.
    public var delay: Int? {
        guard !times.isEmpty, let distance = track.distance, let at = track.at else { return nil }
        let stop = track.nextStop
        let time = Double(at) / 1000 - Double(base)
        let isLast = stop == times.count - 1
        if stop == 0 { return max(0, Int(time) - times[0].departure) }
        if distance >= track.passages.entry(of: stop) {
            // It may stand at its last stop for long.
            if isLast, let arrival = track.passages.arrivals[stop] {
                return Int(Double(arrival) / 1000 - Double(base)) - times[stop].arrival
            }
            let planned = times[stop]
            return Int(time) < planned.arrival
                ? Int(time) - planned.arrival : max(0, Int(time) - (isLast ? planned.arrival : planned.departure))
        }
        let stops = track.passages.stops
        let way = stops[stop] - stops[stop - 1]
        let part = way > 0 ? min(1, max(0, (distance - stops[stop - 1]) / way)) : 1
        let from = Double(times[stop - 1].departure)
        return Int((time - from - part * (Double(times[stop].arrival) - from)).rounded())
    }

    /// When it will be at the stops from index `next` on. Empty without a schedule, and before the first fix.
    public func arrivals(from next: Int, now: Int64) -> [Arrival] {
        guard let delay else { return [] }
        return (max(next, track.nextStop)..<max(next, times.count)).compactMap { index in
            guard index < times.count else { return nil }
            let planned = (base + Int64(times[index].arrival + delay)) * 1000
            return Arrival(index: index, at: max(now, planned))
        }
    }
}
