/// How good forecasts were, by two measures.
///
/// **Mean absolute percentage error** over horizons of 3 minutes and more: |forecast − truth| ÷ (truth − now).
///
/// **The ETA Accuracy Benchmark** of TransitApp, Swiftly and others, after a method of IBI Group
/// (github.com/TransitApp/ETA-Accuracy-Benchmark, README, read in 2026): a forecast belongs to the bucket of the time that
/// really passed until the bus came, the buckets' ends excluded, and is accurate when the bus came within the bucket's
/// bounds around the forecast, bounds included:
///
/// | minutes ahead | earliest | latest |
/// | --- | --- | --- |
/// | 0–3 | 30 s before | 90 s after |
/// | 3–6 | 60 s | 150 s |
/// | 6–10 | 60 s | 210 s |
/// | 10–15 | 90 s | 270 s |
///
/// The score is the plain mean of the four buckets' shares.
public struct ETAAccuracy: Sendable {
    public struct Bucket: Sendable {
        /// Minutes that really passed until the bus came, the end excluded.
        public let minutes: Range<Int>
        /// The bus may come so many seconds before and after the forecast.
        let early: Double
        let late: Double
        public private(set) var accurate = 0
        public private(set) var total = 0

        /// 0…1; nil without any forecast.
        public var share: Double? { total == 0 ? nil : Double(accurate) / Double(total) }

        init(_ minutes: Range<Int>, early: Double, late: Double) {
            self.minutes = minutes
            self.early = early
            self.late = late
        }

        mutating func add(_ lateness: Double) {
            total += 1
            if lateness >= -early, lateness <= late { accurate += 1 }
        }
    }

    /// Horizons below this, seconds, are not counted in the percentage.
    public static let leastHorizon = 180.0

    public private(set) var buckets = [
        Bucket(0..<3, early: 30, late: 90), Bucket(3..<6, early: 60, late: 150), Bucket(6..<10, early: 60, late: 210),
        Bucket(10..<15, early: 90, late: 270),
    ]
    private var errors = 0.0
    /// How many forecasts the percentage is of.
    public private(set) var count = 0

    public init() {}

    /// A forecast of `forecast` seconds ahead, when `truth` seconds really passed. What lies in the past is not counted.
    public mutating func add(forecast: Double, truth: Double) {
        guard truth >= 0, forecast.isFinite else { return }
        if truth >= ETAAccuracy.leastHorizon {
            errors += abs(forecast - truth) / truth
            count += 1
        }
        let minutes = Int(truth / 60)
        if let bucket = buckets.firstIndex(where: { $0.minutes.contains(minutes) }) {
            buckets[bucket].add(truth - forecast)
        }
    }

    /// 0.2 is 20 %; nil without forecasts.
    public var meanAbsolutePercentageError: Double? { count == 0 ? nil : errors / Double(count) }

    /// 0…1; nil while a bucket is empty.
    public var score: Double? {
        let shares = buckets.compactMap(\.share)
        return shares.count == buckets.count ? shares.reduce(0, +) / Double(shares.count) : nil
    }
}
