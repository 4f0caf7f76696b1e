/// Follows one tour along the way of its pattern: turns fixes into metres along it, which never fall, and tells stops
/// that were reached, a bus beside its route, and one that drives the wrong way.
///
/// Several places of the way may explain a fix: a loop passes the same corner twice, a street is driven out and back.
/// Up to six explanations are kept, each with a cost: how far the fix lies beside the way, and how badly the way between
/// two explanations fits the way between the two fixes. The cheapest one is where the bus is.
public struct TourTrack: Sendable {
    public struct Settings: Sendable {
        /// Farther beside the way than this, metres, is off the route …
        public var offRouteMetres = 60.0
        /// … at so many fixes in a row.
        public var offRouteFixes = 2
        /// No bus is faster, m/s.
        public var topSpeed = 35.0

        public init() {}
    }

    /// What one fix showed.
    public enum Step: Equatable, Sendable {
        /// Not newer than the last fix, or no place on earth.
        case ignored
        /// Farther than 60 m beside the way. Nothing else changed.
        case beside
        /// On its way, so many metres along; `from` is the place before, equal to `to` at the first fix.
        case moved(from: Double, to: Double)
        /// On its way, going back along it. It stays where it was believed until it stops or turns.
        case reversed
        /// The bus is behind the place where it was believed: a wrong guess on a loop, or it turned round. What lies ahead
        /// of this place is ahead again.
        case relocated(from: Double, to: Double)
    }

    public let shape: LineShape
    public let settings: Settings
    /// When each stop was reached and left.
    public private(set) var passages: StopPassages
    /// Metres along the way; nil before the first fix that lies on it. Falls only in a step that says `relocated`.
    public private(set) var distance: Double?
    /// The time of the last fix on the way, Unix ms.
    public private(set) var at: Int64?
    /// Two fixes in a row lay farther than 60 m beside the way.
    public var isOffRoute: Bool { besideCount >= settings.offRouteFixes }
    /// It drives back along its own way: wrong direction, or the wrong variant of the line.
    public private(set) var isReversed = false

    /// Metres that a standing bus may seem to be behind the farthest place where it was seen.
    static let jitter = 60.0
    /// Farther back than this, metres, is not where the bus was a fix ago.
    static let smallStep = 15.0
    /// Going back so far in all is driving, not jitter, metres.
    static let reversal = 100.0

    private var besideCount = 0
    private var explanations: [Explanation] = []
    private var lastPoint: GeoPoint?
    private var lastAt: Int64?
    /// The last place of the cheapest explanation, which may be behind `distance`.
    private var place = 0.0
    private var wentBack = 0.0
    private let expected: Double?

    /// `expected` is where the bus should be, metres along, when that
    /// is known, as after a restart; otherwise it is looked for at the beginning first.
    public init(shape: LineShape, stops: StopPlaces, expected: Double? = nil, settings: Settings = Settings()) {
        self.shape = shape
        self.settings = settings
        self.expected = expected
        passages = StopPassages(places: stops)
    }

    /// The stop that the bus is at or comes to next.
    public var nextStop: Int { passages.next }

    /// Takes a fix that the position filter has accepted; `at` is its time, Unix ms.
    public mutating func moved(to point: GeoPoint, at time: Int64) -> Step {
        guard point.isUsable, lastAt.map({ time > $0 }) ?? true else { return .ignored }
        lastAt = time
        let matches = shape.matches(of: point, within: settings.offRouteMetres)
        guard !matches.isEmpty else {
            besideCount += 1
            return .beside
        }
        besideCount = 0
        explain(matches, point, time)
        defer {
            lastPoint = point
            at = time
            place = explanations[0].distance
        }
        return step(to: explanations[0].distance, time)
    }

    private mutating func step(to found: Double, _ time: Int64) -> Step {
        guard let distance, let since = at else {
            self.distance = found
            passages.start(at: found)
            return .moved(from: found, to: found)
        }
        if found >= distance - TourTrack.jitter {
            isReversed = false
            wentBack = 0
            let reached = max(distance, found)
            passages.moved(from: distance, at: since, to: reached, at: time)
            self.distance = reached
            return .moved(from: distance, to: reached)
        }
        if found < place - TourTrack.smallStep {
            wentBack += place - found
            if wentBack >= TourTrack.reversal { isReversed = true }
            return .reversed
        }
        isReversed = false
        wentBack = 0
        self.distance = found
        passages.relocated(to: found)
        return .relocated(from: distance, to: found)
    }

    /// One place that explains the fixes up to now.
    private struct Explanation {
        var distance: Double
        /// 0 for the best; about 1 for each thing that is a little odd.
        var cost: Double
    }

    private mutating func explain(_ matches: [ShapeMatch], _ point: GeoPoint, _ time: Int64) {
        var fresh: [Explanation] = []
        for match in matches {
            let beside = match.offset / 30
            fresh.append(
                Explanation(distance: match.distance, cost: cost(of: match.distance, point, time) + beside * beside / 2)
            )
        }
        fresh.sort { $0.cost < $1.cost }
        let best = fresh[0].cost
        explanations = fresh.prefix(6).compactMap {
            $0.cost - best < 12 ? Explanation(distance: $0.distance, cost: $0.cost - best) : nil
        }
    }

    /// The cost of being there after what was believed before. The past counts for less with every fix.
    private func cost(of distance: Double, _ point: GeoPoint, _ time: Int64) -> Double {
        guard let lastPoint, let at else {
            if let expected { return min(4, abs(distance - expected) / 250) }
            return 2 * distance / shape.length
        }
        let straight = shape.straight(lastPoint, point)
        let farthest = settings.topSpeed * Double(time - at) / 1000 + 100
        var best = Double.infinity
        for before in explanations {
            best = min(best, before.cost * 0.8 + transition(distance - before.distance, straight, farthest))
        }
        return best
    }

    /// How odd it is that so many metres along the way were driven, while the fixes are `straight` metres apart.
    private func transition(_ progress: Double, _ straight: Double, _ farthest: Double) -> Double {
        if progress > farthest { return 6 }
        if progress < -TourTrack.smallStep { return min(6, (-progress - TourTrack.smallStep) / 8) }
        let way = max(0, progress)
        let tooFar = max(0, way - 1.5 * straight - 60)
        let tooShort = max(0, straight - 40 - way)
        return min(5, (tooFar + tooShort) / 50)
    }
}
