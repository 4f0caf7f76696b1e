import Histogram
package import Wire

/// Durations in microseconds, kept as a histogram: three digits, up to ten minutes.
package struct Latency: Sendable {
    private var histogram = Histogram<UInt32>(
        highestTrackableValue: 600_000_000, numberOfSignificantValueDigits: .three)

    package init() {}

    package mutating func record(_ microseconds: Int64) {
        _ = histogram.record(UInt64(min(600_000_000, max(0, microseconds))))
    }

    package var count: Int { Int(histogram.totalCount) }

    /// Milliseconds below which this share of them lies; nil when there are none.
    package func milliseconds(percentile: Double) -> Double? {
        count == 0 ? nil : Double(histogram.valueAtPercentile(percentile)) / 1000
    }

    /// `p50 1.2 ms, p99 3.4 ms`, or a dash.
    package func text(_ percentiles: Double...) -> String {
        if count == 0 { return "–" }
        return percentiles.map { share in
            let name = share == share.rounded() ? "\(Int(share))" : "\(share)"
            return "p\(name) \(milliseconds(percentile: share).map(Latency.short) ?? "–")"
        }.joined(separator: ", ")
    }

    private static func short(_ milliseconds: Double) -> String {
        milliseconds >= 10_000
            ? "\((milliseconds / 100).rounded() / 10) s"
            : "\(milliseconds >= 100 ? milliseconds.rounded() : (milliseconds * 100).rounded() / 100) ms"
    }

    package var json: JSONValue {
        func number(_ percentile: Double) -> JSONValue {
            milliseconds(percentile: percentile).map(JSONValue.number) ?? nil
        }
        return [
            "count": .number(Double(count)), "p50_ms": number(50), "p99_ms": number(99), "p99_9_ms": number(99.9),
            "max_ms": number(100),
        ]
    }
}
