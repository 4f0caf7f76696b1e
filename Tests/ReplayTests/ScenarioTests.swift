import ClientSupport
import Domain
import Testing

@testable import Replay

@Suite struct ScenarioTests {
    let limits = RecordedScript.Limits()

    func script(_ fixes: [(Int64, Double, Bool?)]) -> RecordedScript {
        RecordedScript(
            fixes: fixes.map { TraceFix(timeMs: $0.0, place: point(45 + $0.1 / 1000, 9), occupied: $0.2) },
            limits: limits)
    }

    @Test func recordedFixesComeAsTheyAreAndOthersBetweenThemAreMarked() {
        var script = script([(0, 0, false), (60_000, 6, false), (80_000, 6, false)])
        var times: [(Int64, Bool)] = []
        var at: Int64 = -1
        while let fix = script.next(after: at) {
            times.append((fix.offsetMs, fix.isInterpolated))
            at = fix.offsetMs
        }
        #expect(times.map(\.0) == [0, 30_000, 60_000, 80_000])
        #expect(times.map(\.1) == [false, true, false, false])
        #expect(abs(script.next(after: 0)!.place.lat - 45.003) < 1e-9)
    }

    @Test func aJumpIsNotSoftened() {
        var script = script([(0, 0, false), (60_000, 50, false)])
        #expect(script.next(after: 0)?.offsetMs == 60_000)
    }

    @Test func meterAndHolesSayWhatTheDriverDoes() {
        let script = script([
            (0, 0, false), (60_000, 1, true), (120_000, 1, false), (2_000_000, 1, false), (2_060_000, 1, false),
        ])
        #expect(
            [-1, 0, 59_999, 60_000, 120_000, 1_999_999, 2_000_000, 2_060_000].map(script.duty) == [
                .offShift, .free, .free, .hired, .offShift, .offShift, .free, .offShift,
            ])
    }

    @Test func afterARideSomeFixesComeCloseTogether() {
        var script = script([(0, 0, false), (60_000, 6, false), (120_000, 12, false)])
        script.resume(at: 31_000)
        var at: Int64 = 30_999
        var times: [Int64] = []
        while let fix = script.next(after: at) {
            times.append(fix.offsetMs)
            at = fix.offsetMs
        }
        #expect(times == [31_000, 35_000, 39_000, 60_000, 90_000, 120_000])
    }

    @Test func turnedOnMetersArePassengers() throws {
        let fixes = [
            (0, 0, false), (60_000, 1, true), (120_000, 5, true), (180_000, 9, false), (240_000, 9, true),
            (300_000, 12, true),
        ]
        .map { TraceFix(timeMs: 1_000_000 + $0.0, place: point(45 + Double($0.1) / 1000, 9), occupied: $0.2) }
        let trace = Trace(vehicles: [TraceVehicle(name: "cab 7/ü", fixes: fixes)])
        let scenario = try TraceScenario.make(
            trace, window: TraceWindow(startMs: 1_000_000, lengthMs: 250_000), options: .init(vehicles: 5))
        #expect(scenario.drivers.map(\.subject) == ["t-cab_7___"])
        #expect(scenario.planned.map(\.subject) == ["p-t-cab_7___-1", "p-t-cab_7___-2"])
        #expect(scenario.planned.map(\.offsetMs) == [60_000, 240_000])
        #expect(scenario.planned.map(\.pickup) == [point(45.001, 9), point(45.009, 9)])
        // The second meter is never turned off: where it was seen last counts.
        #expect(scenario.planned.map(\.destination) == [point(45.009, 9), point(45.012, 9)])
    }

    @Test func aRecordingWithoutAMeterGetsInventedPassengers() throws {
        let fixes = (0..<100).map { TraceFix(timeMs: Int64($0) * 60_000, place: point(45 + Double($0) / 1000, 9)) }
        let trace = Trace(vehicles: [TraceVehicle(name: "a", fixes: fixes)])
        let window = TraceWindow(startMs: 0, lengthMs: 3_600_000)
        let scenario = try TraceScenario.make(trace, window: window, options: .init())
        #expect(scenario.planned.count == 10)
        #expect(scenario.planned == (try TraceScenario.make(trace, window: window, options: .init())).planned)
        for plan in scenario.planned {
            let there = point(45 + Double(plan.offsetMs) / 60_000_000, 9)
            #expect(plan.pickup.distance(to: there) < 500)
        }
    }

    @Test(.enabled(if: hasTestData, noData)) func anHourOfSanFrancisco() throws {
        let bytes = try #require(testData(cabspotting))
        let trace = try Trace.read(bytes)
        let window = TraceWindow.busiest(in: trace, lengthMs: 3_600_000)
        let scenario = try TraceScenario.make(trace, window: window, options: .init(vehicles: 200))
        #expect(scenario.drivers.count == 200)
        #expect(scenario.planned.count > 300)
        #expect(scenario.planned.allSatisfy { (0..<3_600_000).contains($0.offsetMs) })
        #expect(Set(scenario.planned.map(\.subject)).count == scenario.planned.count)
        #expect(
            try TraceScenario.make(trace, window: window, options: .init(vehicles: 200)).planned == scenario.planned)
    }

    @Test func aDriveKeepsItsSpeedAndArrives() {
        let end = point(45, 9).moved(northMetres: 100, eastMetres: 0)
        let way = TimedWay(path: [point(45, 9), end], speed: 10)
        let drive = Drive(way: way, startMs: 1000, fixEveryMs: 4000, accuracy: 6)
        var at: Int64 = 1000
        var fixes: [PlannedFix] = []
        for _ in 0..<5 {
            fixes.append(drive.next(after: at))
            at = fixes.last!.offsetMs
        }
        #expect(abs(drive.arrivalMs - 11_000) <= 1)
        #expect(fixes.map(\.offsetMs) == [5000, 9000, drive.arrivalMs, 13_000, 17_000])
        #expect(abs(fixes[0].place.distance(to: point(45, 9)) - 40) < 0.1)
        #expect(fixes[2].place == end && fixes[3].place == end && fixes[3].speed == 0)
    }

    @Test("V1: as many reserve as is asked for, so long before, and all come in the order in which they ask")
    func reserving() {
        let planned = (0..<400).map { number in
            PlannedRide(
                offsetMs: Int64(number) * 60_000, subject: "p\(number)", pickup: point(45, 9),
                destination: point(45.01, 9), passengers: 1)
        }
        let scenario = TaxiScenario(drivers: [], planned: planned, summary: "")
        let range: ClosedRange<Int64> = 600_000...3_600_000
        #expect(scenario.passengers(reserving: 0, ahead: range, seed: 1) == planned)
        let passengers = scenario.passengers(reserving: 0.5, ahead: range, seed: 1)
        #expect(passengers.count == 400 && passengers.map(\.asksMs) == passengers.map(\.asksMs).sorted())
        let ahead = passengers.filter { $0.aheadMs != nil }
        #expect((150...250).contains(ahead.count) && ahead.allSatisfy { $0.asksMs >= 0 })
        #expect(ahead.allSatisfy { range.contains($0.aheadMs ?? 0) })
        // Who comes in the first ten minutes can't have.
        #expect(ahead.allSatisfy { $0.offsetMs >= 600_000 })
    }

    @Test func aCityIsTheSameForTheSameSeed() {
        let bounds = ZoneBounds(south: 45.44, west: 9.15, north: 45.48, east: 9.21)
        let zoneOf = { (place: GeoPoint) in
            place.lat > 45.44 && place.lat < 45.48 && place.lon > 9.15 && place.lon < 9.21
                ? "\(Int((place.lat - 45.44) / 0.01))-\(Int((place.lon - 9.15) / 0.015))" : nil
        }
        var options = CityScenario.Options()
        options.durationMs = 600_000
        let scenario = CityScenario.make(bounds: bounds, options: options, zoneOf: zoneOf)
        #expect(scenario.drivers == CityScenario.make(bounds: bounds, options: options, zoneOf: zoneOf).drivers)
        #expect(scenario.planned == CityScenario.make(bounds: bounds, options: options, zoneOf: zoneOf).planned)
        options.seed = 2
        #expect(scenario.planned != CityScenario.make(bounds: bounds, options: options, zoneOf: zoneOf).planned)

        #expect(scenario.drivers.count == 60)
        // One a second in the busiest hour, for ten minutes: 600 ± 5 σ.
        #expect((477...723).contains(scenario.planned.count))
        #expect(scenario.planned.allSatisfy { zoneOf($0.pickup) != nil && zoneOf($0.destination) != nil })
        #expect(scenario.planned.allSatisfy { $0.pickup.distance(to: $0.destination) < 420 })
        #expect(zip(scenario.planned, scenario.planned.dropFirst()).allSatisfy { $0.offsetMs <= $1.offsetMs })
    }

    @Test func aCruiserStaysNearItsStandAndDrivesNoFasterThanItCan() {
        let grid = StreetGrid(origin: point(45.46, 9.18), block: 110)
        let stand = grid.crossing(from: point(45.46, 9.18), north: 3, east: -2)
        var script = CruiseScript(
            grid: grid, stands: [stand], start: stand, speed: 10, fixEveryMs: 3000, random: SeededRandom(seed: 7))
        var last = script.next(after: 0)
        var moved = false
        for _ in 0..<600 {
            let fix = script.next(after: last.offsetMs)
            #expect(fix.offsetMs > last.offsetMs)
            let metres = fix.place.distance(to: last.place)
            #expect(metres * 1000 <= 10.1 * Double(fix.offsetMs - last.offsetMs))
            #expect(fix.place.distance(to: stand) < 500)
            moved = moved || metres > 5
            last = fix
        }
        #expect(moved)
    }

    @Test func demandFollowsTheHour() {
        #expect(DayCurve.demand(atHour: 18.5) == 1)
        #expect(DayCurve.demand(atHour: 27.5) == DayCurve.demand(atHour: 3.5))
        #expect(DayCurve.demand(atHour: 3.5) < 0.2)
    }
}
