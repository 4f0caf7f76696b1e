import ClientSupport
import Domain
import GTFS

/// A citizen's wish to be picked up by a bus of its line.
struct PlannedStop: Equatable {
    /// Hub ms at which it asks.
    var askMs: Int64
    var place: GeoPoint
    /// Hub ms at which it wants to be fetched.
    var pickupMs: Int64
    var passengers: Int
}

/// Recorded buses with their drivers, and citizens who watch their lines. Times are Unix ms as recorded, and the hub's
/// clock shows the same: timetables are of that day.
struct BusScenario {
    struct Driver: Equatable {
        var subject: String
        var bus: String
        var runs: [RecordedBuses.Run]
    }

    struct Citizen: Equatable {
        var subject: String
        var line: String
        /// By `askMs`.
        var planned: [PlannedStop]
    }

    var drivers: [Driver]
    var citizens: [Citizen]
    /// Of each bus.
    var seats: Int
    var minibuses = MinibusScenario()
    var window: TraceWindow
    /// One line for people: what is played.
    var summary: String
}

extension BusScenario {
    /// Drivers go on behind the window for so long, until all is over.
    private static let marginMs: Int64 = 1_800_000

    /// Throws what is wrong with what was asked for.
    static func make(_ buses: ScenarioSource.Buses, seed: UInt64) throws(RunError) -> BusScenario {
        let window = try buses.window()
        guard (1...99).contains(buses.seats) else { throw RunError("\(buses.seats) seats: 1 to 99 can be counted") }
        let names = Set(window.busiestVehicles(of: buses.trace, count: buses.vehicles).map(\.name))
        let drivers = buses.recorded.vehicles.filter { names.contains($0.id) }.map { vehicle in
            Driver(
                subject: "b-\(vehicle.id)", bus: vehicle.id,
                runs: vehicle.runs.filter {
                    $0.fixes[$0.fixes.count - 1].at > window.startMs && $0.fixes[0].at < window.endMs + marginMs
                })
        }
        let runs = drivers.flatMap(\.runs).filter { $0.fixes[0].at < window.endMs }
        let lines = Set(runs.map(\.line)).sorted()
        guard !lines.isEmpty else { throw RunError("the recording: no bus was on its way in the window asked for") }
        let citizens = (0..<buses.citizens).map { index in
            let line = lines[index % lines.count]
            var random = SeededRandom(seed: seed, part: "wishes of citizen \(index)")
            return Citizen(
                subject: "c-\(index + 1)", line: line,
                planned: planned(
                    on: runs.filter { $0.line == line }, in: window, perHour: buses.requestsPerHour, &random))
        }
        let minibuses = MinibusScenario.make(buses, behind: drivers, in: window, seed: seed)
        let from = TimeText.clock(ofMs: window.startMs, offsetMinutes: buses.utcOffsetMinutes)
        let to = TimeText.clock(ofMs: window.endMs, offsetMinutes: buses.utcOffsetMinutes)
        return BusScenario(
            drivers: drivers, citizens: citizens, seats: buses.seats, minibuses: minibuses, window: window,
            summary:
                "\(drivers.count) recorded buses on \(runs.count) trips of \(lines.count) lines, recorded \(from)–\(to)"
                + " local time, \(citizens.count) citizens, \(citizens.reduce(0) { $0 + $1.planned.count }) requests,"
                + " \(minibuses.drivers.count) minibuses behind them, \(minibuses.riders.count) riders,"
                + " \(minibuses.plannedCount) bookings")
    }

    /// At random times, each for a place where a bus on its way will be in some minutes.
    private static func planned(
        on runs: [RecordedBuses.Run], in window: TraceWindow, perHour: Double, _ random: inout SeededRandom
    ) -> [PlannedStop] {
        guard perHour > 0 else { return [] }
        var planned: [PlannedStop] = []
        var time = window.startMs
        while true {
            time += max(60_000, Int64(random.waiting(mean: 3_600_000 / perHour)))
            guard time < window.endMs else { return planned }
            let onTheWay = runs.filter { $0.fixes[0].at <= time && $0.fixes[$0.fixes.count - 1].at > time + 300_000 }
            guard let run = onTheWay.randomElement(using: &random),
                let here = run.fixes.last(where: { $0.at <= time })?.point
            else { continue }
            let ahead = run.fixes.filter {
                (time + 180_000...time + 720_000).contains($0.at) && $0.point.distance(to: here) > 500
            }
            guard let fix = ahead.randomElement(using: &random) else { continue }
            let passengers = random.party()
            planned.append(PlannedStop(askMs: time, place: fix.point, pickupMs: fix.at, passengers: passengers))
        }
    }
}
