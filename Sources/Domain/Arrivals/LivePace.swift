/// How a bus got on in the last minutes, against what was expected: its live delay, to be carried forward.
///
/// Two sums that forget with a time constant of 20 minutes: seconds that it took, and seconds that were expected.
public struct LivePace: Equatable, Sendable {
    /// Time constant, seconds.
    static let memory = 1200.0
    /// Counts like so many seconds driven as expected, so that the first metres don't decide.
    static let prior = 120.0

    /// Seconds that the way took, and seconds that were expected for it. The state to keep.
    public private(set) var elapsed: Double
    public private(set) var expected: Double

    public init(elapsed: Double = 0, expected: Double = 0) {
        self.elapsed = elapsed
        self.expected = expected
    }

    /// The bus took `elapsed` seconds for a way that was expected to take `expected`.
    public mutating func moved(elapsed took: Double, expected usual: Double) {
        guard took > 0, took.isFinite, usual >= 0, usual.isFinite else { return }
        // 1 / (1 + x) for e^−x: as good here.
        let kept = 1 / (1 + took / LivePace.memory)
        elapsed = elapsed * kept + took
        expected = expected * kept + usual
    }

    /// Seconds taken for each that was expected: above 1 when the bus is slow.
    public var ratio: Double { (elapsed + LivePace.prior) / (expected + LivePace.prior) }
}
