import Glibc

/// A time of arrival with its bounds, Unix ms.
public struct ETA: Equatable, Sendable {
    /// One bus in ten comes before this (P10). Who must not miss the bus goes by it.
    public var early: Int64
    /// As many come before as after (P50): what is shown.
    public var likely: Int64
    /// One bus in ten comes after this (P90).
    public var late: Int64

    public init(early: Int64, likely: Int64, late: Int64) {
        self.early = early
        self.likely = likely
        self.late = late
    }
}

/// How far off forecasts were, learned from finished tours of buses or ways of taxis: turns seconds that are expected into P10,
/// P50 and P90.
///
/// Of each band of horizons it keeps how often which ratio of true to expected time occurred, in steps of 5 %. A sum of
/// medians is mostly too short, as delays have no counterpart; the P50 mends that, too.
public struct ETASpread: Equatable, Sendable {
    /// Middles of the bands, seconds ahead; a band reaches half way to its neighbours'. Between middles it is linear.
    static let middles: [Double] = [90, 270, 480, 750, 1350, 2700]
    /// Ratios are taken of times with so many seconds added: below a minute they would say nothing.
    static let offset = 30.0
    /// Before anything is known, by band. Buses are rarely much too early, and what they lose on one part of a long way they gain on
    /// another; a guess that four tours outweigh.
    public static let ofBuses = [
        (early: 0.75, likely: 1.0, late: 1.55), (0.78, 1, 1.48), (0.81, 1, 1.42), (0.84, 1, 1.34), (0.88, 1, 1.26),
        (0.91, 1, 1.2),
    ]
    static let priorTours = 4.0
    static let step = 0.05
    static let bins = 61

    private var tours = [Double](repeating: 0, count: middles.count)
    private var counts = [[Double]](repeating: Array(repeating: 0, count: bins), count: middles.count)

    /// Of each band, from what was counted.
    private var ratios: [Ratios]
    private let prior: [Ratios]
    /// What was learned before counts so much less with each tour.
    private let kept: Double

    private struct Ratios: Equatable, Sendable {
        var early: Double
        var likely: Double
        var late: Double
    }

    /// `prior`: the ratios of each band before anything is known; the last counts for the bands that follow. `remembered`: some
    /// so many tours are.
    public init(prior: [(early: Double, likely: Double, late: Double)] = ofBuses, remembered: Double = 50) {
        kept = 1 - 1 / remembered
        self.prior = ETASpread.middles.indices.map {
            let band = prior[min($0, prior.count - 1)]
            return Ratios(early: band.early, likely: band.likely, late: band.late)
        }
        ratios = self.prior
    }

    /// What seconds that are expected become.
    public func seconds(_ expected: Double) -> (early: Double, likely: Double, late: Double) {
        let middles = ETASpread.middles
        let above = middles.firstIndex { $0 >= expected } ?? middles.count
        let low = max(0, above - 1)
        let high = min(middles.count - 1, above)
        let part = high > low ? (expected - middles[low]) / (middles[high] - middles[low]) : 0
        func at(_ ratio: KeyPath<Ratios, Double>) -> Double {
            let mixed = ratios[low][keyPath: ratio] * (1 - part) + ratios[high][keyPath: ratio] * part
            return max(0, (expected + ETASpread.offset) * mixed - ETASpread.offset)
        }
        let likely = at(\.likely)
        return (min(at(\.early), likely), likely, max(at(\.late), likely))
    }

    /// Takes in a finished tour: what would have been forecast as it left each stop, against what came. `eta` is what was
    /// known before this tour, without spread; where that was mostly the schedule it says nothing of what follows.
    public mutating func learn(_ passages: StopPassages, forecast eta: LineETA) {
        var seen: [(expected: Double, took: Double)] = []
        var pace = LivePace()
        var before: (stop: Int, at: Int64)?
        for stop in 0..<(passages.places.count - 1) {
            guard let left = passages.departures[stop] else { continue }
            if let before {
                pace.moved(
                    elapsed: Double(left - before.at) / 1000,
                    expected: eta.usualSeconds(fromExit: before.stop, toExit: stop))
            }
            before = (stop, left)
            for later in (stop + 1)..<passages.places.count {
                guard let reached = passages.arrivals[later], reached > left, eta.isLearned(from: stop, to: later)
                else { continue }
                let expected = eta.paced(eta.usualSeconds(fromExit: stop, toEntry: later), pace)
                seen.append((expected, Double(reached - left) / 1000))
            }
        }
        learn(seen)
    }

    /// Takes in what was expected on one tour or way, and what it took, seconds.
    mutating func learn(_ forecasts: [(expected: Double, took: Double)]) {
        guard !forecasts.isEmpty else { return }
        var seen = [Bool](repeating: false, count: tours.count)
        var fresh = counts.map { $0.map { _ in 0.0 } }
        for (expected, took) in forecasts {
            let ratio = (took + ETASpread.offset) / (expected + ETASpread.offset)
            let band = ETASpread.band(expected)
            seen[band] = true
            fresh[band][ETASpread.bin(ratio)] += 1
        }
        for band in tours.indices where seen[band] {
            let sum = fresh[band].reduce(0, +)
            tours[band] = tours[band] * kept + 1
            // Each tour counts the same, however many stops it passed.
            for bin in 0..<ETASpread.bins {
                counts[band][bin] = counts[band][bin] * kept + fresh[band][bin] / sum
            }
        }
        calculate()
    }

    private mutating func calculate() {
        ratios = ETASpread.middles.indices.map {
            Ratios(
                early: quantile($0, 0.1, prior[$0].early), likely: quantile($0, 0.5, prior[$0].likely),
                late: quantile($0, 0.9, prior[$0].late))
        }
    }

    private static func band(_ seconds: Double) -> Int {
        var band = 0
        while band + 1 < middles.count, seconds > (middles[band] + middles[band + 1]) / 2 { band += 1 }
        return band
    }

    private static func bin(_ ratio: Double) -> Int {
        min(bins - 1, max(0, Int((log(ratio) / step).rounded()) + bins / 2))
    }

    /// The ratio below which a share of a band's forecasts lies, drawn towards `prior` while tours are few. A band without
    /// any goes by the nearest one that has some, the shorter one first.
    private func quantile(_ wanted: Int, _ share: Double, _ prior: Double) -> Double {
        let filled = tours.indices.filter { tours[$0] > 0 }
        guard let band = filled.min(by: { abs($0 - wanted) < abs($1 - wanted) }) else { return prior }
        let known = tours[band]
        var left = share * counts[band].reduce(0, +)
        var bin = 0
        while bin < ETASpread.bins - 1, counts[band][bin] < left {
            left -= counts[band][bin]
            bin += 1
        }
        let within = counts[band][bin] > 0 ? left / counts[band][bin] : 0.5
        let learned = exp((Double(bin - ETASpread.bins / 2) - 0.5 + within) * ETASpread.step)
        return (learned * known + prior * ETASpread.priorTours) / (known + ETASpread.priorTours)
    }
}
