/// Where a driver who waits is likely to get a ride soonest: how long to drive there, and until the requests that are expected there have
/// taken who waits there already and one more.
public struct WaitAdvice: Sendable {
    /// What is known of a zone.
    public struct Place: Sendable {
        public let zone: String
        public let middle: GeoPoint
        /// Requests that are expected in the next 60 minutes, and in the 60 after them.
        public let expected, later: Double
        /// Who waits there, and who was advised to go there and is on the way.
        public var waiting: Int

        public init(zone: String, middle: GeoPoint, expected: Double, later: Double, waiting: Int) {
            self.zone = zone
            self.middle = middle
            self.expected = expected
            self.later = later
            self.waiting = waiting
        }
    }

    /// A zone as a driver sees it from where it is.
    public struct Choice: Sendable {
        public let place: Place
        /// To the middle of the zone, by the straight line.
        public let metres: Double
        /// Until a ride, the drive included.
        public let seconds: Double
    }

    /// Longer than this nobody can say, seconds.
    public static let longest = 7200.0
    /// What is gained by driving elsewhere must be as much, seconds: else it is not worth a word.
    public static let leastGain = 300.0

    private var places: [String: Place]
    /// Metres, and metres per second with all detours.
    private let reach, speed: Double

    public init(_ places: [Place], reach: Double, speed: Double) {
        self.places = Dictionary(places.map { ($0.zone, $0) }) { first, _ in first }
        self.reach = reach
        self.speed = speed
    }

    public subscript(zone: String) -> Place? { places[zone] }

    /// Seconds until the `rank`-th of a queue (from 1) gets a ride, at most ``longest``.
    public static func wait(rank: Int, expected: Double, later: Double) -> Double {
        let rank = Double(max(1, rank))
        if rank <= expected { return 3600 * rank / expected }
        if later > 0 { return min(longest, 3600 + 3600 * (rank - expected) / later) }
        return longest
    }

    /// Those within reach that are known to have requests, the best first; without `here`.
    public func choices(from point: GeoPoint, except here: String?) -> [Choice] {
        places.values.compactMap { place -> Choice? in
            let metres = point.distance(to: place.middle)
            guard place.zone != here, metres <= reach else { return nil }
            let wait = Self.wait(rank: place.waiting + 1, expected: place.expected, later: place.later)
            guard wait < Self.longest else { return nil }
            return Choice(place: place, metres: metres, seconds: metres / speed + wait)
        }.sorted { ($0.seconds, $0.place.zone) < ($1.seconds, $1.place.zone) }
    }

    /// A driver in a queue.
    public struct Waiting: Sendable {
        public let driver: String
        public let zone: String
        /// From 1.
        public let rank: Int
        public let point: GeoPoint

        public init(driver: String, zone: String, rank: Int, point: GeoPoint) {
            self.driver = driver
            self.zone = zone
            self.rank = rank
            self.point = point
        }
    }

    /// Whom to send where: those who wait longest first, and each where a ride is `factor` times as near in time as where it waits. Who was
    /// sent somewhere counts there for the next, so that not all go to one zone.
    public mutating func advise(_ drivers: [Waiting], factor: Double) -> [(
        driver: Waiting, seconds: Double, to: Choice
    )] {
        let staying = drivers.map { driver in
            let place = places[driver.zone]
            return (
                driver: driver,
                seconds: Self.wait(rank: driver.rank, expected: place?.expected ?? 0, later: place?.later ?? 0)
            )
        }
        var advised: [(driver: Waiting, seconds: Double, to: Choice)] = []
        for (driver, seconds) in staying.sorted(by: { ($0.seconds, $0.driver.driver) > ($1.seconds, $1.driver.driver) })
        {
            guard let best = choices(from: driver.point, except: driver.zone).first,
                best.seconds * factor <= seconds, seconds - best.seconds >= Self.leastGain
            else { continue }
            places[best.place.zone]?.waiting += 1
            advised.append((driver, seconds, best))
        }
        return advised
    }
}
