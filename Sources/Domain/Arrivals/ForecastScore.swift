/// How good forecasts of one kind were: how far the likely time was off, and how often the truth lay within P10 and P90.
public struct ForecastScore: Sendable {
    private var errors = 0.0
    private var early = 0
    private var late = 0
    private var bounded = 0
    public private(set) var count = 0

    public init() {}

    /// Mean of |forecast - truth| / truth; nil without any.
    public var error: Double? { count == 0 ? nil : errors / Double(count) }
    /// The shares that came before P10, and after P90; nil without any.
    public var before: Double? { bounded == 0 ? nil : Double(early) / Double(bounded) }
    public var after: Double? { bounded == 0 ? nil : Double(late) / Double(bounded) }

    /// All in seconds from when it was forecast; `took` is the truth. Some forecasts have no bounds.
    public mutating func add(_ forecast: Double, _ bounds: (early: Double, late: Double)?, took: Double) {
        errors += abs(forecast - took) / took
        count += 1
        guard let bounds else { return }
        bounded += 1
        if took < bounds.early { early += 1 }
        if took > bounds.late { late += 1 }
    }
}

/// The same by horizon: of what really took 3 minutes and more.
public struct HorizonScores: Sendable {
    /// Where the buckets begin, seconds; the last has no end.
    public static let begins = [180.0, 360, 600, 900, 1800]

    public private(set) var all = ForecastScore()
    public private(set) var buckets = [ForecastScore](repeating: ForecastScore(), count: begins.count)

    public init() {}

    public mutating func add(_ forecast: Double, _ bounds: (early: Double, late: Double)?, took: Double) {
        guard let bucket = HorizonScores.begins.lastIndex(where: { $0 <= took }) else { return }
        all.add(forecast, bounds, took: took)
        buckets[bucket].add(forecast, bounds, took: took)
    }
}
