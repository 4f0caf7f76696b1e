/// Tries the forecasts on recorded tours: learns from all that was recorded before a time, then forecasts at every fix
/// after it, without learning more, and compares with when the stops were really passed.
public struct LineETATrial: Sendable {
    /// A recorded tour.
    public struct Tour: Sendable {
        public var id: String
        /// Tours of the same line learn from each other.
        public var line: String
        public var shape: LineShape
        public var places: StopPlaces
        /// Ids of the pattern's stops.
        public var stops: [String]
        /// One per stop, Unix ms.
        public var schedule: [LineETA.ScheduledStop]
        /// By time, Unix ms.
        public var fixes: [(point: GeoPoint, at: Int64)]
        /// When stops were really passed: the bus was still there or before at `after`, and had left at `by`, Unix ms.
        public var passed: [(stop: Int, after: Int64, by: Int64)]

        public init(
            id: String, line: String, shape: LineShape, places: StopPlaces, stops: [String],
            schedule: [LineETA.ScheduledStop], fixes: [(point: GeoPoint, at: Int64)] = [],
            passed: [(stop: Int, after: Int64, by: Int64)] = []
        ) {
            self.id = id
            self.line = line
            self.shape = shape
            self.places = places
            self.stops = stops
            self.schedule = schedule
            self.fixes = fixes
            self.passed = passed
        }
    }

    /// What people are told, the arrival, against when the recorded bus came within 30 m of the stop.
    public private(set) var arrivals = HorizonScores()
    /// The departure against when the stop was passed.
    public private(set) var departures = HorizonScores()
    /// The same by the measure of the benchmark: likely departures against the truth.
    public private(set) var forecast = ETAAccuracy()
    /// The same stops at the same times by the schedule alone: when it says, or now if that is past.
    public private(set) var baseline = ETAAccuracy()
    /// Fixes after the split, and those of them that lay on the way: forecasts are judged there.
    public private(set) var fixes = 0
    public private(set) var fixesOnTheWay = 0
    /// Stops really ahead that were believed to be passed, so that nothing was forecast.
    public private(set) var missed = 0
    public private(set) var toursLearned = 0
    public private(set) var toursJudged = 0

    private var knowledge: [String: LineKnowledge] = [:]

    /// `split` in Unix ms; `hour` gives the local hour of a time.
    public init(_ tours: [Tour], split: Int64, hour: (Int64) -> Int) {
        for tour in tours.sorted(by: { ($0.fixes.last?.at ?? 0, $0.id) < ($1.fixes.last?.at ?? 0, $1.id) }) {
            learn(tour, until: split, hour)
        }
        for tour in tours { judge(tour, from: split, hour) }
    }

    private mutating func learn(_ tour: Tour, until split: Int64, _ hour: (Int64) -> Int) {
        var track = TourTrack(shape: tour.shape, stops: tour.places)
        for fix in tour.fixes where fix.at < split { _ = track.moved(to: fix.point, at: fix.at) }
        guard track.passages.arrivals.contains(where: { $0 != nil }) else { return }
        knowledge[tour.line, default: LineKnowledge()].learn(
            stops: tour.stops, passages: track.passages, schedule: tour.schedule, hour: hour)
        toursLearned += 1
    }

    private mutating func judge(_ tour: Tour, from split: Int64, _ hour: (Int64) -> Int) {
        guard let end = tour.fixes.last?.at, end >= split, !tour.passed.isEmpty else { return }
        toursJudged += 1
        var whole = TourTrack(shape: tour.shape, stops: tour.places)
        for fix in tour.fixes { _ = whole.moved(to: fix.point, at: fix.at) }
        let came = whole.passages.arrivals
        var follow = LineTour(track: TourTrack(shape: tour.shape, stops: tour.places))
        var known: (hour: Int, eta: LineETA)?
        for fix in tour.fixes {
            let now = hour(fix.at)
            let eta = known?.hour == now ? known?.eta : nil
            let usual =
                eta
                ?? knowledge[tour.line, default: LineKnowledge()].eta(
                    stops: tour.stops, places: tour.places, schedule: tour.schedule, hour: now)
            known = (now, usual)
            let step = follow.moved(to: fix.point, at: fix.at, eta: usual)
            guard fix.at >= split else { continue }
            fixes += 1
            switch step {
            case .moved, .relocated: break
            case .ignored, .beside, .reversed: continue
            }
            fixesOnTheWay += 1
            if let bus = follow.bus() { judge(tour, usual.stops(ahead: bus, now: fix.at), came: came, now: fix.at) }
        }
    }

    private mutating func judge(_ tour: Tour, _ ahead: [LineETA.StopETA], came: [Int64?], now: Int64) {
        guard let first = ahead.first?.stop else { return }
        func seconds(_ time: Int64) -> Double { Double(time - now) / 1000 }
        func add(_ eta: ETA, _ truth: Int64, to scores: inout HorizonScores) {
            scores.add(seconds(eta.likely), (seconds(eta.early), seconds(eta.late)), took: seconds(truth))
        }
        // The first stop is only left.
        for eta in ahead where eta.stop > 0 {
            if let came = came[eta.stop] { add(eta.arrival, came, to: &arrivals) }
        }
        for passed in tour.passed where passed.after >= now {
            guard passed.stop >= first else {
                missed += 1
                continue
            }
            let eta = ahead[passed.stop - first].departure
            let truth = (passed.after + passed.by) / 2
            add(eta, truth, to: &departures)
            forecast.add(forecast: seconds(eta.likely), truth: seconds(truth))
            let scheduled = max(now, tour.schedule[passed.stop].departure)
            baseline.add(forecast: seconds(scheduled), truth: seconds(truth))
        }
    }
}
