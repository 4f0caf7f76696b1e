/// A count that only grows: of messages, bytes, refusals. For the thread of its ``Metrics`` alone.
public final class Counter {
    // Unchecked because all access is from one thread and none spans a call: so an increment is one add in memory.
    @exclusivity(unchecked) @usableFromInline var count: UInt64 = 0

    init() {}

    /// Adds one.
    @inlinable public func increment() { count &+= 1 }

    /// Adds what was counted; a negative amount counts as nothing.
    @inlinable public func add(_ amount: Int) { count &+= amount > 0 ? UInt64(amount) : 0 }

    /// The count since the process began.
    public var value: UInt64 { count }
}

/// A value that goes up and down: of connections, queued bytes. For the thread of its ``Metrics`` alone.
public final class Gauge {
    // Unchecked because all access is from one thread and none spans a call.
    @exclusivity(unchecked) @usableFromInline var current: Double = 0

    init() {}

    @inlinable public func set(_ value: Double) { current = value }
    @inlinable public func set(_ value: Int) { current = Double(value) }
    @inlinable public func add(_ amount: Int) { current += Double(amount) }

    public var value: Double { current }
}

/// How often values fell into fixed ranges, for quantiles over any time. For the thread of its ``Metrics`` alone.
public final class Histogram {
    /// Upper ends of the ranges, rising; what lies above the last is counted too.
    public let bounds: [Double]
    // Owned here and freed with the histogram; an array would check its index and its uniqueness at each observation.
    private let counts: UnsafeMutablePointer<UInt64>
    private let limits: UnsafeMutablePointer<Double>
    // Unchecked because all access is from one thread and none spans a call.
    @exclusivity(unchecked) private(set) var sum: Double = 0

    /// Seconds, from half a millisecond, where an offer's way through the hub lies, to ten seconds, its life.
    public static let seconds: [Double] = [
        0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
    ]

    init(bounds: [Double]) {
        self.bounds = bounds
        counts = .allocate(capacity: bounds.count + 1)
        counts.initialize(repeating: 0, count: bounds.count + 1)
        limits = .allocate(capacity: max(1, bounds.count))
        limits.initialize(from: bounds, count: bounds.count)
    }

    deinit {
        counts.deallocate()
        limits.deallocate()
    }

    /// Counts a value, in the base unit of the metric. A value that is no number is left out.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        var index = 0
        while index < bounds.count && value > limits[index] { index += 1 }
        counts[index] &+= 1
        sum += value
    }

    /// Counts a duration, in a metric of seconds.
    public func observe(nanoseconds: UInt64) { observe(Double(nanoseconds) / 1_000_000_000) }

    /// Counts a duration, in a metric of seconds.
    public func observe(milliseconds: Int64) { observe(Double(milliseconds) / 1_000) }

    /// Values counted in each range; the last is what lies above all bounds.
    public var buckets: [UInt64] { Array(UnsafeBufferPointer(start: counts, count: bounds.count + 1)) }

    /// Values counted.
    public var count: UInt64 { buckets.reduce(0, &+) }
}
