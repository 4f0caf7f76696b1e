/// Tries ``WaitAdvice`` on recorded cabs: at each place where one of them became free, a cab that stays in the zone is compared with one
/// that goes where it is advised.
///
/// Neither was there, so what would have become of it is told by the others: it gets the first ride of the zone, from when it is there
/// on, that went to a cab which was not there before it. So it goes by turn, as at a stand, and takes no ride from who came before it.
public struct WaitAdviceTrial: Sendable {
    /// What one cab did. Times are Unix seconds; the zone is an index; outside of all zones is nil.
    public struct Cab: Sendable {
        public struct Moment: Sendable {
            public let at: Int
            public let zone: Int?
            public let point: GeoPoint

            public init(at: Int, zone: Int?, point: GeoPoint) {
                self.at = at
                self.zone = zone
                self.point = point
            }
        }

        public var pickups: [Moment] = []
        public var dropOffs: [Moment] = []
        /// When it was free, and where.
        public var free: [(from: Int, to: Int, zone: Int?)] = []

        public init() {}
    }

    /// Of places where cabs became free: how many, how many of them were advised to go, and the mean time to the next ride, seconds.
    public struct Score: Sendable {
        public fileprivate(set) var places = 0
        public fileprivate(set) var advised = 0
        fileprivate var stay = 0.0
        fileprivate var go = 0.0
        fileprivate var advisedStay = 0.0
        fileprivate var advisedGo = 0.0
        fileprivate var real = (seconds: 0.0, count: 0)

        /// All of them: that stayed, that followed the advice where there was one, and what the recorded cabs needed themselves.
        public var meanStay: Double { stay / Double(max(1, places)) }
        public var meanGo: Double { go / Double(max(1, places)) }
        public var meanReal: Double { real.seconds / Double(max(1, real.count)) }
        /// Of those alone that were advised to go.
        public var meanAdvisedStay: Double { advisedStay / Double(max(1, advised)) }
        public var meanAdvisedGo: Double { advisedGo / Double(max(1, advised)) }
    }

    public private(set) var score = Score()

    /// Later than this no ride counts, seconds.
    private static let longest = 7200
    private let rides: [[(at: Int, cab: Int)]]
    private let waiting: [[Set<Int>]]
    private let start: Int
    private let judged: [Cab]

    /// - Parameter demand: for who becomes free at a Unix second: learned from other cabs, other days or other hours; `scale`: how many requests
    ///   are expected for each that it tells of.
    /// - Parameter local: seconds of the city's clock since 1970, of a Unix second.
    public init(
        judge cabs: [Cab], zones middles: [GeoPoint], demand: (Int) -> ZoneDemand, scale: Double, factor: Double,
        reach: Double, speed: Double, local: (Int) -> Int64
    ) {
        judged = cabs
        let times = cabs.flatMap { $0.free.flatMap { [$0.from, $0.to] } + $0.pickups.map(\.at) }
        start = times.min() ?? 0
        let minutes = ((times.max() ?? 0) - start) / 60 + 1
        var rides = [[(at: Int, cab: Int)]](repeating: [], count: middles.count)
        var waiting = [[Set<Int>]](repeating: [Set<Int>](repeating: [], count: minutes), count: middles.count)
        for (index, cab) in cabs.enumerated() {
            for pickup in cab.pickups {
                if let zone = pickup.zone { rides[zone].append((pickup.at, index)) }
            }
            for span in cab.free {
                guard let zone = span.zone, span.to > span.from else { continue }
                for minute in ((span.from - start) / 60)...((span.to - start - 1) / 60) {
                    waiting[zone][minute].insert(index)
                }
            }
        }
        self.rides = rides.map { $0.sorted { ($0.at, $0.cab) < ($1.at, $1.cab) } }
        self.waiting = waiting
        for (index, cab) in cabs.enumerated() {
            for free in cab.dropOffs {
                guard let zone = free.zone else { continue }
                let outlook = ZoneOutlook(demand(free.at), local: local(free.at))
                let places = middles.indices.map { other in
                    let expected = outlook["\(other)"]
                    return WaitAdvice.Place(
                        zone: "\(other)", middle: middles[other], expected: expected.now * scale,
                        later: expected.later * scale, waiting: ahead(of: index, in: other, at: free.at).count)
                }
                var advice = WaitAdvice(places, reach: reach, speed: speed)
                let driver = WaitAdvice.Waiting(
                    driver: "", zone: "\(zone)", rank: places[zone].waiting + 1, point: free.point)
                let best = advice.advise([driver], factor: factor).first?.to
                judge(index, free, zone, best, speed)
            }
        }
    }

    private func ahead(of cab: Int, in zone: Int, at time: Int) -> Set<Int> {
        let minute = (time - start) / 60
        guard waiting[zone].indices.contains(minute) else { return [] }
        return waiting[zone][minute].subtracting([cab])
    }

    /// Seconds from `free` on to the first ride of one who is in a zone from `time` on.
    private func next(_ cab: Int, in zone: Int, from time: Int, since free: Int) -> Double {
        let before = ahead(of: cab, in: zone, at: time)
        let ride = rides[zone].first { $0.at > time && $0.cab != cab && !before.contains($0.cab) }
        return Double(min(Self.longest, (ride?.at ?? .max / 2) - free))
    }

    private mutating func judge(
        _ cab: Int, _ free: Cab.Moment, _ zone: Int, _ best: WaitAdvice.Choice?, _ speed: Double
    ) {
        let stay = next(cab, in: zone, from: free.at, since: free.at)
        var go = stay
        if let best, let other = Int(best.place.zone) {
            go = next(cab, in: other, from: free.at + Int(best.metres / speed), since: free.at)
            score.advised += 1
            score.advisedStay += stay
            score.advisedGo += go
        }
        score.places += 1
        score.stay += stay
        score.go += go
        if let real = judged[cab].pickups.first(where: { $0.at > free.at }) {
            score.real.seconds += Double(min(Self.longest, real.at - free.at))
            score.real.count += 1
        }
    }
}
