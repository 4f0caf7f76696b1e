import ClientSupport
import Domain
import GTFS
import Wire

/// A passenger's wish to ride in a minibus. Times are hub ms.
struct PlannedBooking: Equatable {
    var askMs: Int64
    var vehicle: String
    var pickup: GeoPoint
    var destination: GeoPoint
    /// When the vehicle will be at the pickup.
    var pickupMs: Int64
    var passengers: Int
}

/// Minibus taxis and those who book seats in them. Each goes where a recorded bus went, some minutes behind it: the roads
/// and the pace are real.
struct MinibusScenario: Equatable {
    struct Driver: Equatable {
        var subject: String
        var runs: [RecordedBuses.Run]
    }

    struct Rider: Equatable {
        var subject: String
        /// The vehicle whose seats it watches.
        var watches: String?
        /// By `askMs`.
        var planned: [PlannedBooking]
    }

    var drivers: [Driver] = []
    var riders: [Rider] = []
    /// Of each minibus.
    var seats = 0

    var plannedCount: Int { riders.reduce(0) { $0 + $1.planned.count } }
}

extension MinibusScenario {
    private static let behindMs: ClosedRange<Int64> = 60_000...300_000
    /// A minibus takes up its way in the window, so that all of it can be checked.
    private static let shortestRideMs: Int64 = 120_000
    /// From a booking to the vehicle's coming.
    private static let aheadMs: ClosedRange<Int64> = 90_000...600_000

    static func make(
        _ buses: ScenarioSource.Buses, behind drivers: [BusScenario.Driver], in window: TraceWindow, seed: UInt64
    ) -> MinibusScenario {
        let followed = drivers.filter { driver in
            driver.runs.contains { $0.fixes[0].at < window.endMs }
        }.prefix(buses.minibuses)
        let minibuses = followed.enumerated().map { index, driver in
            var random = SeededRandom(seed: seed, part: "way of minibus \(index)")
            let behindMs = random.milliseconds(behindMs)
            return Driver(
                subject: "m-\(index + 1)",
                runs: driver.runs.map { run in
                    var moved = run
                    for index in moved.fixes.indices { moved.fixes[index].at += behindMs }
                    return moved
                })
        }
        let riders = (0..<(minibuses.isEmpty ? 0 : buses.riders)).map { index in
            var random = SeededRandom(seed: seed, part: "wishes of rider \(index)")
            return Rider(
                subject: "r-\(index + 1)", watches: minibuses[index % minibuses.count].subject,
                planned: planned(among: minibuses, in: window, perHour: buses.bookingsPerHour, &random))
        }
        return MinibusScenario(drivers: minibuses, riders: riders, seats: buses.minibusSeats)
    }

    /// At random times, each in a vehicle that is on its way, from where it comes by soon to where it comes by later.
    private static func planned(
        among drivers: [Driver], in window: TraceWindow, perHour: Double, _ random: inout SeededRandom
    ) -> [PlannedBooking] {
        guard perHour > 0 else { return [] }
        var planned: [PlannedBooking] = []
        var time = window.startMs
        while true {
            time += max(10_000, Int64(random.waiting(mean: 3_600_000 / perHour)))
            guard time < window.endMs else { return planned }
            let onTheWay = drivers.flatMap { driver in driver.runs.map { (driver.subject, $0.fixes) } }
                .filter { $0.1[0].at <= time && $0.1[$0.1.count - 1].at > time + aheadMs.lowerBound + shortestRideMs }
            guard let (vehicle, fixes) = onTheWay.randomElement(using: &random) else { continue }
            let lastMs = fixes[fixes.count - 1].at - shortestRideMs
            let pickups = fixes.filter {
                $0.at >= time + aheadMs.lowerBound && $0.at <= min(lastMs, time + aheadMs.upperBound)
            }
            guard let pickup = pickups.randomElement(using: &random),
                let destination = fixes.filter({ $0.at >= pickup.at + shortestRideMs }).randomElement(using: &random)
            else { continue }
            var plan = PlannedBooking(
                askMs: time, vehicle: vehicle, pickup: pickup.point, destination: destination.point,
                pickupMs: pickup.at, passengers: random.party())
            plan.mistake(&random)
            planned.append(plan)
        }
    }
}

extension PlannedBooking {
    /// Some ask for what can't be had: the other way, from where the vehicle never comes, or a vehicle that there is not.
    fileprivate mutating func mistake(_ random: inout SeededRandom) {
        switch random.fraction() {
        case ..<0.04: swap(&pickup, &destination)
        case ..<0.06: pickup = pickup.moved(northMetres: 4_000, eastMetres: 4_000)
        case ..<0.07: vehicle = "m-none"
        default: break
        }
    }

    var request: Command {
        .seats(
            .seatBook(
                SeatRequest(
                    vehicle: vehicle, pickup: Place(pickup), destination: Place(destination), passengers: passengers)))
    }
}

extension AnnouncedWay {
    /// That of a recorded run, by its positions: nil with fewer than two.
    init?(_ run: RecordedBuses.Run) {
        guard let first = run.fixes.first, let last = run.fixes.last, run.fixes.count > 1 else { return nil }
        let between = run.fixes.dropFirst().dropLast()
        let count = min(between.count, WireLimits.wayPoints)
        let via = (0..<count).map { between[between.startIndex + ($0 * 2 + 1) * between.count / (2 * count)].point }
        self.init(start: Place(first.point), via: via.map { Place($0) }, end: Place(last.point))
    }
}
