import Glibc

/// A logarithmic axis over some values.
struct LogAxis {
    struct Tick {
        var value: Double
        var isDecade: Bool
        var isLabelled: Bool
    }

    private let low: Double
    private let high: Double
    private let length: Double

    /// - Parameter values: what has to have room, above 0; none is as if there were a 1.
    init(values: [Double], length: Double) {
        let low = log10(values.min() ?? 1)
        let high = log10(values.max() ?? 1)
        // Some room at both ends; at least a factor of 4 in all.
        let room = max(0.08 * (high - low), (0.6 - (high - low)) / 2, 0.05)
        self.low = low - room
        self.high = high + room
        self.length = length
    }

    /// From the axis' beginning.
    func place(_ value: Double) -> Double { (log10(value) - low) / (high - low) * length }

    /// 1, 2, …, 9 times each power of ten inside; labelled are the powers, and 2 and 5 where there are few of them.
    var ticks: [Tick] {
        var ticks: [Tick] = []
        let isShort = high - low < 2
        for power in Int(low.rounded(.down))...Int(high.rounded(.up)) {
            for digit in 1...9 {
                let value = Double(digit) * pow(10, Double(power))
                guard log10(value) >= low, log10(value) <= high else { continue }
                let isLabelled = digit == 1 || isShort && (digit == 2 || digit == 5)
                ticks.append(Tick(value: value, isDecade: digit == 1, isLabelled: isLabelled))
            }
        }
        return ticks
    }
}
