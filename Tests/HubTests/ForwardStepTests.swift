import Testing

@testable import Hub

/// When the machine's clock was set forward, and what ends by it is to be looked at once more.
@Suite struct ForwardStepTests {
    /// Which of these looks, a second after the other, find a step; `ahead`: of the steady clock, ms.
    private func steps(_ ahead: [Int64]) -> [Int] {
        var step = ForwardStep(machine: ahead[0], steady: 0)
        var found: [Int] = []
        for (second, ahead) in ahead.enumerated() {
            let steady = Int64(second) * 1_000
            if step.isNew(machine: steady + ahead, steady: steady) { found.append(second) }
        }
        return found
    }

    @Test func `a clock that runs on is in step, whatever it was when it was first read`() {
        #expect(steps([1_700_000_000_000, 1_700_000_000_003, 1_699_999_999_990, 1_700_000_000_400]) == [])
    }

    @Test func `a step is found once, and the next one is another`() {
        #expect(steps([0, 90_000_000, 90_000_000, 90_002_000, 90_002_000]) == [1, 3])
    }

    @Test func `small steps add up`() {
        #expect(steps([0, 400, 800, 1_200, 1_600, 2_000, 2_400]) == [3, 6])
    }

    @Test func `a step back is none, and what follows it goes by where the clock was then`() {
        #expect(steps([0, -3_600_000, -3_600_000, 0]) == [3])
    }
}
