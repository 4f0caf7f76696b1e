import Testing

@testable import Replay

@Suite struct TraceWindowTests {
    /// Fixes each minute from hour 10 on, and five a minute between 12 and 13 (UTC).
    let trace = Trace(vehicles: [
        TraceVehicle(
            name: "a", fixes: (0..<300).map { TraceFix(timeMs: 36_000_000 + $0 * 60_000, place: point(45, 9)) }),
        TraceVehicle(
            name: "b", fixes: (0..<300).map { TraceFix(timeMs: 43_200_000 + $0 * 12_000, place: point(45, 9)) }),
        TraceVehicle(name: "c", fixes: [TraceFix(timeMs: 43_200_000, place: point(45, 9))]),
    ])

    @Test func theBusiestHourIsFound() {
        #expect(TraceWindow.busiest(in: trace, lengthMs: 3_600_000).startMs == 43_200_000)
    }

    @Test func anHourAskedForIsReadInItsOffset() throws {
        let window = try TraceWindow.from(clock: 13 * 60 + 30, offsetMinutes: 60, in: trace, lengthMs: 1_800_000)
        #expect(window == TraceWindow(startMs: 45_000_000, lengthMs: 1_800_000))
    }

    @Test func anHourBeforeTheRecordingMeansTheNextDay() {
        #expect(throws: TraceError.self) {
            try TraceWindow.from(clock: 8 * 60, offsetMinutes: 0, in: trace, lengthMs: 3_600_000)
        }
    }

    @Test func theBusiestVehiclesAreTaken() {
        let window = TraceWindow(startMs: 43_200_000, lengthMs: 3_600_000)
        #expect(window.busiestVehicles(of: trace, count: 5).map(\.name) == ["b", "a"])
        #expect(window.busiestVehicles(of: trace, count: 1).map(\.name) == ["b"])
    }

    @Test(arguments: [("90s", 90_000), ("1h", 3_600_000), ("1.5m", 90_000)] as [(String, Int64)])
    func spans(_ text: String, _ ms: Int64) { #expect(TimeText.span(text) == ms) }

    @Test(arguments: ["", "h", "-1h", "1d", "1"])
    func noSpans(_ text: String) { #expect(TimeText.span(text) == nil) }
}
