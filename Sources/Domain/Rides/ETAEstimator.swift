/// The time a vehicle needs to a point, without a road network: straight distance × detour ÷ speed.
public struct ETAEstimator: Sendable {
    public struct Settings: Sendable {
        /// Road distance over straight distance up to `nearMetres`, at `middleMetres`, and from `farMetres` on; linear in
        /// between. Short ways are the more crooked ones.
        public var detourNear = 1.5
        public var detourMiddle = 1.35
        public var detourFar = 1.25
        public var nearMetres = 1000.0
        public var middleMetres = 3000.0
        public var farMetres = 10_000.0
        /// Metres per second on the road, stops included: 25 km/h.
        public var speed = 25 / 3.6
        /// How far the vehicle's own recent speed may move the estimate, as factors of `speed`.
        public var slowest = 0.5
        public var fastest = 2.0

        public init() {}
    }

    public var settings: Settings

    public init(settings: Settings = Settings()) { self.settings = settings }

    /// Road over straight distance, for a straight distance in metres.
    public func detour(metres: Double) -> Double {
        func between(_ low: Double, _ high: Double, _ from: Double, _ to: Double) -> Double {
            from + (to - from) * (metres - low) / (high - low)
        }
        let (near, middle, far) = (settings.nearMetres, settings.middleMetres, settings.farMetres)
        if metres <= near { return settings.detourNear }
        if metres <= middle { return between(near, middle, settings.detourNear, settings.detourMiddle) }
        if metres <= far { return between(middle, far, settings.detourMiddle, settings.detourFar) }
        return settings.detourFar
    }

    /// Seconds for a straight distance in metres. `pace` is how the vehicle itself moved in the last minutes.
    public func seconds(metres: Double, pace: RecentPace? = nil) -> Double {
        let own = pace.map { $0.speed(expected: settings.speed) } ?? settings.speed
        let speed = min(settings.speed * settings.fastest, max(settings.speed * settings.slowest, own))
        return metres * detour(metres: metres) / speed
    }

    public func seconds(from vehicle: GeoPoint, to target: GeoPoint, pace: RecentPace? = nil) -> Double {
        seconds(metres: vehicle.distance(to: target), pace: pace)
    }
}

/// How fast one vehicle got on in the last minutes, blended with what is expected of any. Begins anew with each ride:
/// how long a taxi stood at its rank says nothing of the traffic.
public struct RecentPace: Sendable {
    /// What is older counts for less than half: the sums shrink by this time constant, seconds.
    static let memory = 300.0
    /// The expected speed counts like so many seconds of driving.
    static let priorSeconds = 120.0
    /// Standing for longer than this, seconds, is no traffic light: the rest isn't counted.
    static let longestStop = 90.0
    static let standingSpeed = 0.5

    private var metres = 0.0
    private var seconds = 0.0
    private var stopped = 0.0

    public init() {}

    /// The vehicle moved on from one accepted fix to the next.
    public mutating func moved(metres way: Double, seconds time: Double) {
        guard time > 0, way.isFinite else { return }
        var counted = time
        if way / time < RecentPace.standingSpeed {
            counted = max(0, min(time, RecentPace.longestStop - stopped))
            stopped += time
        } else {
            stopped = 0
        }
        // 1 / (1 + x) for e^−x: as good here, and never negative.
        let kept = 1 / (1 + counted / RecentPace.memory)
        metres = metres * kept + way * counted / time
        seconds = seconds * kept + counted
    }

    /// Metres per second.
    public func speed(expected: Double) -> Double {
        (metres + expected * RecentPace.priorSeconds) / (seconds + RecentPace.priorSeconds)
    }
}
