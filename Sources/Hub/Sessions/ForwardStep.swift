/// Finds that the machine's clock was set forward, by a clock that nobody sets. So it is after the machine has slept, which that clock does not
/// count. Pure.
struct ForwardStep {
    /// Between the readings of both clocks a busy machine may take a moment, ms.
    private static let leastMs: Int64 = 1_000

    /// The least that the machine's clock was ahead of the other since the last step, ms.
    private var least: Int64

    init(machine: Int64, steady: Int64) { least = machine - steady }

    /// Takes a look. Answers whether the machine's clock has gained more than a second since it was last told, or set back.
    ///
    /// - Parameters:
    ///   - machine: its time in ms.
    ///   - steady: ms of the other clock at the same moment.
    mutating func isNew(machine: Int64, steady: Int64) -> Bool {
        let ahead = machine - steady
        let isStep = ahead > least + Self.leastMs
        least = isStep ? ahead : min(least, ahead)
        return isStep
    }
}
