import ClientSupport
import Domain

/// A fix that a vehicle will send.
struct PlannedFix: Equatable {
    /// Hub milliseconds since the scenario began.
    var offsetMs: Int64
    var place: GeoPoint
    /// m/s
    var speed: Double?
    /// Degrees from north.
    var heading: Double?
    /// Metres.
    var accuracy: Double?
    /// False only for what was recorded: all else is counted apart.
    var isInterpolated: Bool
}

/// What a vehicle's script says it does at a time, as long as it is on none of our rides.
enum ScriptDuty: Equatable {
    /// Free for passengers.
    case free
    /// Its recorded meter is on: another passenger is aboard.
    case hired
    /// Nothing is recorded for long: the driver has gone home.
    case offShift
}

/// A passenger to come.
struct PlannedRide: Equatable {
    /// Hub milliseconds since the scenario began.
    var offsetMs: Int64
    var subject: String
    var pickup: GeoPoint
    var destination: GeoPoint
    var passengers: Int
    /// How long before the time the taxi is reserved, ms; nil: it is asked for at the time.
    var aheadMs: Int64?

    /// When the passenger asks.
    var asksMs: Int64 { offsetMs - (aheadMs ?? 0) }
}

/// What one driver does when left alone: either a recorded day or an invented one.
enum DriverScript: Equatable {
    case recorded(RecordedScript)
    case cruising(CruiseScript)

    /// The next fix after a time; nil when there is none any more.
    mutating func next(after offsetMs: Int64) -> PlannedFix? {
        switch self {
        case .recorded(var script):
            let fix = script.next(after: offsetMs)
            self = .recorded(script)
            return fix
        case .cruising(var script):
            let fix = script.next(after: offsetMs)
            self = .cruising(script)
            return fix
        }
    }

    /// The vehicle is its own again after a ride, which ended at `here`.
    mutating func resume(at offsetMs: Int64, from here: GeoPoint) {
        switch self {
        case .recorded(var script):
            script.resume(at: offsetMs)
            self = .recorded(script)
        case .cruising(var script):
            script.resume(at: offsetMs, from: here)
            self = .cruising(script)
        }
    }

    func duty(at offsetMs: Int64) -> ScriptDuty {
        switch self {
        case .recorded(let script): script.duty(at: offsetMs)
        case .cruising: .free
        }
    }

    /// The way from one place to another on a ride. `speed`: of who has no recording to go by, m/s.
    func way(
        from start: GeoPoint, to end: GeoPoint, _ leg: RecordedWays.Leg, speed: Double, _ random: inout SeededRandom
    ) -> TimedWay {
        switch self {
        case .recorded(let script):
            script.ways?.way(from: start, to: end, leg, speed: speed, &random)
                ?? TimedWay(path: [start, end], speed: speed)
        case .cruising(let script): TimedWay(path: script.grid.route(from: start, to: end), speed: speed)
        }
    }

    /// It drives as was recorded, where it can.
    var isRecorded: Bool { if case .recorded = self { true } else { false } }
}

/// Drivers, and the passengers that will come, in the order of their time.
struct TaxiScenario {
    struct Driver: Equatable {
        var subject: String
        var script: DriverScript
    }

    var drivers: [Driver]
    var planned: [PlannedRide]
    /// One line for people: what is played.
    var summary: String

    /// Those who come, in the order in which they ask. By the odds some of them have reserved, so long ahead (ms): not who comes so
    /// early that there was no time for it.
    func passengers(reserving odds: Double, ahead: ClosedRange<Int64>, seed: UInt64) -> [PlannedRide] {
        guard odds > 0 else { return planned }
        return planned.map { plan in
            var random = SeededRandom(seed: seed, part: "reserving of \(plan.subject)")
            guard random.chance(odds), plan.offsetMs >= ahead.lowerBound else { return plan }
            var plan = plan
            plan.aheadMs = random.milliseconds(ahead.lowerBound...min(ahead.upperBound, plan.offsetMs))
            return plan
        }.sorted { ($0.asksMs, $0.subject) < ($1.asksMs, $1.subject) }
    }
}
