import ClientSupport
import Domain
import Testing

@testable import Replay

/// How the taxis of a replay drive on rides.
@Suite struct RecordedWaysTests {
    /// Metres east and north of a corner of the city.
    func place(_ east: Double, _ north: Double) -> GeoPoint {
        point(45, 9).moved(northMetres: north, eastMetres: east)
    }

    /// A cab that was hired on a way of so many metres east and north each minute, and free before and after.
    func cab(_ name: String, from startMs: Int64, _ places: [(Double, Double)]) -> TraceVehicle {
        let fixes = places.enumerated().map { index, at in
            TraceFix(timeMs: startMs + Int64(index) * 60_000, place: place(at.0, at.1), occupied: true)
        }
        let before = TraceFix(timeMs: startMs - 60_000, place: place(places[0].0, places[0].1), occupied: false)
        let after = TraceFix(timeMs: fixes.last!.timeMs + 60_000, place: fixes.last!.place, occupied: false)
        return TraceVehicle(name: name, fixes: [before] + fixes + [after])
    }

    /// 400 m to the east each minute, with a corner: to the north in the fourth minute.
    let corner: [(Double, Double)] = [(0, 0), (400, 0), (800, 0), (1200, 0), (1200, 400), (1600, 400)]
    let played = TraceWindow(startMs: 10_000_000, lengthMs: 3_600_000)

    func ways(_ vehicles: TraceVehicle...) -> RecordedWays {
        RecordedWays(Trace(vehicles: vehicles), playing: played)
    }

    func way(_ ways: RecordedWays, _ start: GeoPoint, _ end: GeoPoint, _ leg: RecordedWays.Leg = .toPickup) -> TimedWay
    {
        var random = SeededRandom(seed: 1)
        return ways.way(from: start, to: end, leg, speed: 10, &random)
    }

    @Test("A part of a recorded way is moved to where it must begin and end, and takes as long as it took")
    func part() {
        let found = way(ways(cab("a", from: 1_000_000, corner)), place(410, 30), place(1210, 420))
        #expect(found.isRecorded)
        #expect(found.places.first?.point == place(410, 30) && found.end == place(1210, 420))
        // From 400 m on to the corner and on: three minutes, but for the stretch.
        #expect(abs(Double(found.lengthMs) / 180_000 - 1) < 0.02)
        #expect(found.places.contains { $0.point.distance(to: place(1200, 20)) < 60 }, "by the corner, not straight")
        #expect(zip(found.places, found.places.dropFirst()).allSatisfy { $0.afterMs < $1.afterMs })
        let long = found.places.map { $0.afterMs }
        #expect(long.first == 0 && long.count > 10)
    }

    @Test("Where nobody drove so it is straight, at the pace of the recording")
    func straight() {
        let some = ways(cab("a", from: 1_000_000, corner))
        for (start, end) in [
            (place(5000, 0), place(5400, 800)), (place(1210, 420), place(410, 30)), (place(0, 0), place(60, 0)),
        ] {
            let found = way(some, start, end)
            #expect(!found.isRecorded && found.places.map(\.point) == [start, end])
            // 1,649 m of straight line in five minutes.
            let metres = start.distance(to: end)
            #expect(abs(Double(found.lengthMs) / 1000 - metres / (1649.2 / 300)) < 2)
        }
        let none = way(ways(), place(0, 0), place(500, 0))
        #expect(!none.isRecorded && abs(none.lengthMs - 50_000) < 100, "the speed that is given")
    }

    @Test("To a pickup nobody drives a way of the time that is played; a passenger's own way is driven with it")
    func ownWay() {
        let some = ways(cab("a", from: played.startMs + 600_000, corner))
        #expect(!way(some, place(0, 0), place(1600, 400)).isRecorded)
        let own = way(some, place(0, 0), place(1600, 400), .withPassenger)
        #expect(own.isRecorded && own.lengthMs == 300_000)
    }

    @Test("A cab that stood for long or went about is no example for one that is waited for")
    func errands() {
        let stood: [(Double, Double)] = [(0, 0), (400, 0), (410, 0), (410, 5), (405, 0), (410, 0), (800, 0), (1200, 0)]
        #expect(!way(ways(cab("a", from: 1_000_000, stood)), place(0, 0), place(1200, 0)).isRecorded)
        let about: [(Double, Double)] = [(0, 0), (400, 0), (400, 900), (800, 900), (800, 0), (1200, 0)]
        #expect(!way(ways(cab("a", from: 1_000_000, about)), place(0, 0), place(1200, 0)).isRecorded)
        #expect(way(ways(cab("a", from: 1_000_000, corner)), place(0, 0), place(1200, 0)).isRecorded)
        #expect(way(ways(cab("a", from: 1_000_000, about)), place(0, 0), place(1200, 0), .withPassenger).isRecorded)
    }

    @Test("The same seed takes the same way")
    func seeded() {
        let some = ways(
            cab("a", from: 1_000_000, corner), cab("b", from: 1_000_500, corner), cab("c", from: 1_000_900, corner))
        let found = way(some, place(20, 0), place(1590, 400))
        #expect(found.isRecorded && found == way(some, place(20, 0), place(1590, 400)))
    }

    @Test("San Francisco's cabs find a way for nine pickups in ten", .enabled(if: hasTestData, noData))
    func sanFrancisco() throws {
        let trace = try Trace.read(try #require(testData(cabspotting)))
        let window = TraceWindow.busiest(in: trace, lengthMs: 3_600_000)
        let scenario = try TraceScenario.make(trace, window: window, options: .init(vehicles: 200))
        guard case .recorded(let script) = scenario.drivers[0].script else { return }
        let some = try #require(script.ways)
        var own = 0
        var random = SeededRandom(seed: 1)
        for plan in scenario.planned {
            let found = some.way(from: plan.pickup, to: plan.destination, .withPassenger, speed: 10, &random)
            if found.isRecorded { own += 1 }
            #expect(found.places[0].point == plan.pickup && found.end == plan.destination)
        }
        #expect(Double(own) > 0.8 * Double(scenario.planned.count))
    }
}
