/// One tour on its line, from the fixes that its bus sends: how far it is, which stops it has passed or left out, how late
/// it is, and when it will be at the stops to come.
public struct TourProgress: Sendable {
    /// What one fix brought.
    public struct Change: Equatable, Sendable {
        /// Index of the stop that the bus is at or comes to, when that has changed.
        public var next: Int?
        /// Stops that were passed while the bus was off its route.
        public var skipped: [Int] = []
        /// Stops that were left, with how late by the schedule, seconds; only those for which both times are known.
        public var left: [Left] = []
        /// The bus is behind where it was believed to be: `next` may be before the old one.
        public var isBack = false

        public init(next: Int? = nil, skipped: [Int] = [], left: [Left] = [], isBack: Bool = false) {
            self.next = next
            self.skipped = skipped
            self.left = left
            self.isBack = isBack
        }
    }

    public struct Left: Equatable, Sendable {
        public var stop: Int
        /// Negative when it was too early.
        public var delay: Int

        public init(stop: Int, delay: Int) {
            self.stop = stop
            self.delay = delay
        }
    }

    public private(set) var tour: LineTour
    /// Of the pattern, by index.
    public let stops: [String]
    private let times: [StopTime]?
    private let schedule: [LineETA.ScheduledStop]?
    private var eta: LineETA
    private var hour: Int?
    /// Where it was when its worker took it up.
    private let expected: Double?
    private var wasOffRoute = false

    /// Nil when the shape has no length, or the pattern no stops.
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
        let places = StopPlaces(pattern.stops.map(\.distance))
        stops = pattern.stops.map(\.stop)
        self.expected = expected
        tour = LineTour(track: TourTrack(shape: shape, stops: places, expected: expected, settings: settings))
        times = trip.map(\.times).flatMap { $0.count == places.count ? $0 : nil }
        schedule = times?.map {
            LineETA.ScheduledStop(
                arrival: (base + Int64($0.arrival)) * 1000, departure: (base + Int64($0.departure)) * 1000)
        }
        eta = LineETA(
            places: places, segments: SegmentTimes().segments(stops: stops, places: places, schedule: times, hour: 0),
            schedule: schedule)
    }

    /// Metres along the shape; nil as long as no fix lay on it.
    public var distance: Double? { tour.track.distance }
    public var isOffRoute: Bool { tour.track.isOffRoute }

    /// A bus that waits for its time does so within so many metres of its first stop.
    static let terminus = 150.0

    /// As long as the bus has not begun its way: so far along the shape it still is at its first stop. Nil once it has.
    ///
    /// Before its departure by the schedule it may stand a little further on; else who has left the stop is on its way.
    public var start: Double? {
        guard stops.count > 1 else { return nil }
        let places = tour.track.passages.places
        if let place = tour.track.distance ?? expected {
            let reach = places.stops[0] + Self.terminus
            let isEarly = schedule.flatMap { schedule in tour.track.at.map { $0 < schedule[0].departure } } ?? false
            if isEarly, place <= reach { return reach }
            if place >= places.exit(0) { return nil }
        }
        return places.exit(0)
    }

    /// What is usual on this line at an hour of the local day; asked for whenever the hour has changed.
    public mutating func expect(hour now: Int, _ usual: () -> LineKnowledge) {
        guard hour != now else { return }
        hour = now
        eta = usual().eta(stops: stops, places: eta.places, schedule: schedule, hour: now)
    }

    /// More is known of the line than before: `expect` is to ask again.
    public mutating func forgetHour() { hour = nil }

    /// What a line learns from this tour when it is over.
    public var finished: (stops: [String], passages: StopPassages, schedule: [LineETA.ScheduledStop]?) {
        (stops, tour.track.passages, schedule)
    }

    /// Takes a fix that the position filter has accepted.
    public mutating func moved(to fix: Fix) -> Change {
        let before = tour.track.nextStop
        var change = Change()
        switch tour.moved(to: fix.point, at: fix.at, eta: eta) {
        case .moved(let from, let to):
            if wasOffRoute {
                change.skipped = (before..<max(before, tour.track.nextStop)).filter {
                    let entry = eta.places.entry($0)
                    return entry > from && entry <= to
                }
            }
        case .relocated: change.isBack = true
        case .ignored, .beside, .reversed: break
        }
        if tour.track.nextStop != before { change.next = tour.track.nextStop }
        for stop in before..<max(before, tour.track.nextStop) {
            guard let left = tour.track.passages.departures[stop], let schedule else { continue }
            change.left.append(Left(stop: stop, delay: Int((left - schedule[stop].departure) / 1000)))
        }
        wasOffRoute = tour.track.isOffRoute
        return change
    }

    /// When each stop is to be left by the schedule, the last one reached: Unix seconds. Nil without a schedule.
    public var due: [Int]? {
        guard let schedule, let last = schedule.last else { return nil }
        return schedule.dropLast().map { Int($0.departure / 1000) } + [Int(last.arrival / 1000)]
    }

    /// How late the bus is by its last fix on the way, seconds; negative when it is early. Nil without a schedule.
    public var delay: Int? {
        guard let schedule, let distance = tour.track.distance, let at = tour.track.at else { return nil }
        let last = schedule.count - 1
        // How long it stands at its last stop is no delay.
        if tour.track.nextStop == last, let arrival = tour.track.passages.arrivals[last] {
            return Int((arrival - schedule[last].arrival) / 1000)
        }
        // Nor is it early before it begins.
        if tour.track.nextStop == 0 { return max(0, Int((at - schedule[0].departure) / 1000)) }
        return eta.delay(distance: distance, at: at).map { Int($0.rounded()) }
    }

    /// When it will be at the stops that it has not left. Empty before the first fix on the way.
    ///
    /// - Parameter calls: where it is to stop besides.
    public func arrivals(calls: [LineETA.Call] = [], now: Int64) -> [LineETA.StopETA] {
        tour.bus(calls: calls).map { eta.stops(ahead: $0, now: now) } ?? []
    }

    /// When it will be where on its way (`LineETA.course`). Empty before the first fix on the way.
    public func course(now: Int64) -> [LineETA.Crossing] { tour.bus().map { eta.course(ahead: $0, now: now) } ?? [] }

    /// When it will be at a point so many metres along; nil when it has passed it, or nobody knows where it is.
    public func arrival(at distance: Double, calls: [LineETA.Call] = [], now: Int64) -> ETA? {
        tour.bus(calls: calls).flatMap { eta.point(at: distance, ahead: $0, now: now) }
    }
}
