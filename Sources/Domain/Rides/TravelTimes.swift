import Glibc

/// How long a vehicle needs from one place to another, learned from the ways that vehicles of the city have finished.
///
/// Without a road network. A law says it by the straight distance. What was seen corrects it, as factors that are multiplied: of
/// the distance, of the hour, of the hour of the week, and of pairs of squares that the way leads from and to, of 5 km and less.
/// Each is moved by what all of them together left unexplained, the less the more it has seen (stochastic gradient descent).
/// Squares lie in two grids, half a square apart, whose mean counts: no factor jumps at an edge. `kerbside eta-accuracy taxis`
/// tries it.
public struct TravelTimes: Sendable {
    /// Seconds by straight metres, in a city of `usualSpeed`; in between as a power of the distance. Medians of what 121 cabs
    /// had left to their passengers' goals, San Francisco 2008; up to 200 m what is left to a person at the kerb.
    static let law: [(metres: Double, seconds: Double)] = [
        (10, 4), (20, 8), (50, 22), (100, 38), (200, 66), (400, 120), (1_000, 230), (2_000, 365), (4_000, 570),
        (8_000, 780), (16_000, 1_000), (32_000, 1_600),
    ]
    /// m/s: 25 km/h, which the setting `eta.speed_kmh` is by itself.
    public static let usualSpeed = 25 / 3.6

    /// Squares, metres.
    static let sizes: [Double] = [5_000, 2_500, 1_500, 1_000, 600, 400]
    /// A factor moves as if so many places had been seen before the first.
    static let prior: Float = 20
    /// And as if at most so many had been seen: a pair of squares, and what all ways share.
    static let remembered: Float = 6_000
    static let rememberedOfAll: Float = 20_000
    /// Whatever took so many times as long as by the law, or as short, was something else.
    static let farthest = 4.0
    /// No place of a way says more than this, as a natural logarithm: one that had an errand on its way counts like any slow one.
    static let heard: Float = 0.25
    /// What is told lies this much below the middle: who waits is to be there when the vehicle comes, and errors in percent are
    /// the smallest there.
    static let told = 0.95
    /// How much the vehicle's own speed of the last minutes counts: a power of it. Little, as tried: streets ahead are others.
    static let ownPace = 0.12
    /// Ways below this say nothing: metres of a straight line, and seconds.
    static let leastMetres = 30.0
    static let leastSeconds = 15.0
    /// 2^20 cells of 8 bytes hold all pairs of squares. A pair's cell is found by its hash; that two pairs share one is rare, and
    /// mends itself.
    private static let bits: UInt64 = 20

    /// A factor's natural logarithm, and how many places moved it.
    private struct Cell {
        var effect: Float = 0
        var count: Float = 0

        mutating func move(_ rest: Float, remembered: Float) {
            count = min(count + 1, remembered)
            effect += rest / (count + prior)
        }
    }

    private var distances = [Cell](repeating: Cell(), count: 40)
    private var hours = [Cell](repeating: Cell(), count: 24)
    private var hoursOfWeek = [Cell](repeating: Cell(), count: 168)
    /// Empty until something was learned.
    private var pairs: [Cell] = []
    private var spread = ETASpread(prior: [(early: 0.6, likely: 1, late: 1.6)], remembered: 2_000)
    /// How many were learned.
    public private(set) var ways = 0

    public init() {}

    /// Seconds from one place to another. `speed` is that of the city, m/s; `hour` of the week, 0…167, from Monday 0:00; `pace`
    /// is how the vehicle itself moved in the last minutes.
    public func seconds(
        from start: GeoPoint, to end: GeoPoint, hour: Int, speed: Double = TravelTimes.usualSpeed,
        pace: RecentPace? = nil
    ) -> Double {
        let metres = start.distance(to: end)
        let law = TravelTimes.law(metres: metres) * TravelTimes.usualSpeed / speed
        let own = pace.map { pow($0.speed(expected: speed) / speed, -TravelTimes.ownPace) } ?? 1
        guard ways > 0 else { return law * own }
        return law * own * TravelTimes.told * exp(correction(Way(start, end, metres, hour)))
    }

    /// Between which seconds eight of ten lie that are expected to take so many.
    public func bounds(_ seconds: Double) -> (early: Double, late: Double) {
        let bounds = spread.seconds(seconds)
        return (min(seconds, bounds.early), max(seconds, bounds.late))
    }

    /// Takes in a way that is finished: each of its places says how long it took from there to the end. `hour` gives the hour of
    /// the week of a Unix ms.
    public mutating func learn(
        _ way: TravelledWay, speed: Double = TravelTimes.usualSpeed, hour: (Int64) -> Int
    ) {
        guard let end = way.places.last else { return }
        if pairs.isEmpty { pairs = [Cell](repeating: Cell(), count: 1 << TravelTimes.bits) }
        var seen: [(expected: Double, took: Double)] = []
        for place in way.places.dropLast() {
            let took = Double(end.at - place.at) / 1000
            let metres = place.point.distance(to: end.point)
            guard took >= TravelTimes.leastSeconds, metres >= TravelTimes.leastMetres else { continue }
            let leg = Way(place.point, end.point, metres, hour(place.at))
            let law = TravelTimes.law(metres: metres) * TravelTimes.usualSpeed / speed
            let ratio = took / law
            guard ratio < TravelTimes.farthest, ratio > 1 / TravelTimes.farthest else { continue }
            if ways > 0 { seen.append((law * TravelTimes.told * exp(correction(leg)), took)) }
            note(leg, log(ratio))
        }
        spread.learn(seen)
        ways += 1
    }

    /// Straight distance to seconds.
    static func law(metres: Double) -> Double {
        guard metres > law[0].metres else { return law[0].seconds * max(0, metres) / law[0].metres }
        let above = law.firstIndex { $0.metres >= metres } ?? law.count - 1
        let (low, high) = (law[above - 1], law[above])
        let power = log(high.seconds / low.seconds) / log(high.metres / low.metres)
        return low.seconds * pow(metres / low.metres, power)
    }

    // MARK: factors

    /// One way, and where its factors stand.
    private struct Way {
        let distance: Int
        let hour: Int
        private let start: PlanePoint
        private let end: PlanePoint

        init(_ start: GeoPoint, _ end: GeoPoint, _ metres: Double, _ hour: Int) {
            // Half octaves from 16 m on.
            distance = min(39, max(0, Int((log2(max(16, metres) / 16) * 2))))
            self.hour = min(167, max(0, hour))
            self.start = Way.metres(start)
            self.end = Way.metres(end)
        }

        /// In metres, of a belt of one degree of latitude: its edges are edges of squares, too.
        private static func metres(_ point: GeoPoint) -> PlanePoint {
            let narrower = cos(point.lat.rounded() * .pi / 180)
            return PlanePoint(
                x: point.lon * GeoPoint.metresPerDegree * narrower, y: point.lat * GeoPoint.metresPerDegree)
        }

        /// The cell of the pair of squares of that size in the first or the second grid.
        func cell(_ size: Int, _ grid: Int) -> Int {
            let (width, shift) = (TravelTimes.sizes[size], Double(grid) / 2)
            var hash = UInt64(size * 2 + grid)
            for part in [start.x, start.y, end.x, end.y] {
                hash ^= UInt64(bitPattern: Int64((part / width + shift).rounded(.down)))
                // SplitMix64's steps: every bit counts for every other.
                hash = (hash ^ (hash >> 30)) &* 0xBF58_476D_1CE4_E5B9
                hash = (hash ^ (hash >> 27)) &* 0x94D0_49BB_1331_11EB
                hash ^= hash >> 31
            }
            return Int(hash >> (64 - TravelTimes.bits))
        }
    }

    private func correction(_ way: Way) -> Double {
        var sum = distances[way.distance].effect + hours[way.hour % 24].effect + hoursOfWeek[way.hour].effect
        for size in TravelTimes.sizes.indices {
            sum += (pairs[way.cell(size, 0)].effect + pairs[way.cell(size, 1)].effect) / 2
        }
        return Double(sum)
    }

    /// `value` is what the factors should have come to, as a logarithm.
    private mutating func note(_ way: Way, _ value: Double) {
        let rest = max(-TravelTimes.heard, min(TravelTimes.heard, Float(value - correction(way))))
        distances[way.distance].move(rest, remembered: TravelTimes.rememberedOfAll)
        hours[way.hour % 24].move(rest, remembered: TravelTimes.rememberedOfAll)
        hoursOfWeek[way.hour].move(rest, remembered: TravelTimes.remembered)
        for size in TravelTimes.sizes.indices {
            for grid in 0..<2 { pairs[way.cell(size, grid)].move(rest, remembered: TravelTimes.remembered) }
        }
    }
}
