import Testing

@testable import Domain

@Suite("The clock of a device, by the hub's")
struct DeviceClockTests {
    private static let start: Int64 = 1_800_000_000_000

    /// Seconds after the start at which fixes were measured, as the hub has it. fixes: by the device's clock, and when they came.
    /// changing: each comes to another worker.
    private func times(_ fixes: [(at: Double, heard: Double)], changing: Bool = false) -> [Double] {
        var clock = DeviceClock()
        return fixes.map { fix in
            if changing { clock = DeviceClock(text: clock.text) }
            let measured = clock.time(
                of: Self.start + Int64(fix.at * 1000), heardAt: Self.start + Int64(fix.heard * 1000), longest: 300_000)
            return (Double(measured - Self.start) / 100).rounded() / 10
        }
    }

    /// Each 10 s by the hub's clock, so many seconds behind it.
    private func steady(from: Int, to: Int, behind: Double) -> [(at: Double, heard: Double)] {
        stride(from: from, through: to, by: 10).map { (Double($0) - behind, Double($0)) }
    }

    @Test("B12: a clock that is behind makes nothing earlier, from its first fix on")
    func behind() {
        for behind in [0.0, 0.3, 40, 290] {
            #expect(times(steady(from: 0, to: 600, behind: behind)) == stride(from: 0, through: 600, by: 10).map { $0 })
        }
    }

    @Test(
        "M14: a batch after a tunnel was measured in it, with a right clock and with one that is behind",
        arguments: [0.0, 200])
    func tunnel(behind: Double) {
        let batch = stride(from: 40.0, through: 280, by: 10).map { (at: $0 - behind, heard: 282.0) }
        let found = times(steady(from: 0, to: 30, behind: behind) + batch + steady(from: 290, to: 300, behind: behind))
        #expect(found == stride(from: 0, through: 300, by: 10).map { $0 })
    }

    @Test(
        "M14: so it is on another worker, which was told what is known; where nothing is, it was measured when it came")
    func elsewhere() {
        let batch = [(-160.0, 50.0), (-155, 50.1), (-150, 50.2)]
        #expect(times([(-200, 0)] + batch, changing: true) == [0, 40, 45, 50])
        #expect(times(batch) == [50, 50.1, 50.2])
        for text in ["", "/", "a/b/c", "1/2"] { #expect(DeviceClock(text: text).text == "//0") }
    }

    @Test(
        "B12: a clock that is set back, or was silent and then behind, is known by the hub's within two minutes",
        arguments: [false, true])
    func set(changing: Bool) {
        func times(_ fixes: [(at: Double, heard: Double)]) -> [Double] { self.times(fixes, changing: changing) }
        let back = times(steady(from: 0, to: 60, behind: 0) + steady(from: 70, to: 200, behind: 100))
        // At once by who had the fix before it.
        #expect(
            back.suffix(3) == [180, 190, 200] && (changing || back == stride(from: 0, through: 200, by: 10).map { $0 }))
        let silent = times(steady(from: 0, to: 60, behind: 0) + steady(from: 360, to: 600, behind: 290))
        #expect(silent.dropFirst(7).first == 70)
        #expect(silent.suffix(12) == stride(from: 490, through: 600, by: 10).map { $0 })
        // Longer than anything is stored.
        let long = times(steady(from: 0, to: 60, behind: 0) + steady(from: 1000, to: 1020, behind: 480))
        #expect(long.suffix(3) == [1000, 1010, 1020])
    }

    @Test("B12: a clock that runs slowly is behind by no more than the last two minutes made it")
    func slow() {
        let fixes = stride(from: 0.0, through: 2000, by: 5).map { (at: $0 * 0.8, heard: $0) }
        let found = times(fixes)
        for (fix, measured) in zip(fixes, found) { #expect(fix.heard - measured <= 120 * 0.2 + 1) }
    }

    @Test("times rise with each fix, also of those that come within a millisecond")
    func rises() {
        var clock = DeviceClock()
        let found = [0, 1000, 2000, 2500].map {
            clock.time(of: Self.start - 250_000 + $0, heardAt: Self.start, longest: 300_000)
        }
        #expect(found == [0, 1, 2, 3].map { Self.start + $0 })
    }

    @Test("the hub's clock is set back by an hour: fixes are measured by it from then on")
    func hubSetBack() {
        let found = times(steady(from: 3600, to: 3700, behind: 0) + steady(from: 0, to: 60, behind: 0))
        #expect(found.suffix(7) == [0, 10, 20, 30, 40, 50, 60])
    }
}
