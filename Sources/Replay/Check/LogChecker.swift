/// Replays the hub's event log and holds every step of it against the rules. Pure.
///
/// Begin with the state at the log's beginning, `take` every event, `finish` with the state at its end.
struct LogChecker {
    struct Driver: Equatable {
        var zone: String?
        var isAway = false
        var offer: String?
        var ride: String?
        /// Free ones; nil: nobody has said.
        var seats: Int?
        /// Those who wait for it were told that it is away.
        var isMissing = false
        /// The place that it may get back: where it stood when it accepted, or was lost.
        var kept: Place?
        /// Since when it is kept, hub ms.
        var keptSince: Int64 = 0
        /// Was there when the log began, with a past that it does not tell; until it first joins or leaves a queue.
        var isFromBefore = false
    }

    struct Place: Equatable {
        var zone: String
        var score: Double
    }

    enum Phase: Equatable {
        case searching
        case offered(to: String)
        case accepted
        case aboard
        case over
    }

    struct Ride: Equatable {
        var passenger: String
        var zone: String
        var phase = Phase.searching
        var driver: String?
        var round = 1
        var asked: Set<String> = []
        /// Who gave it back: never asked for it again.
        var gaveBack: Set<String> = []
        var passengers = 1
        /// What the vehicle must have.
        var needs: Set<String> = []
        /// When its last offer ended, or it was given back, and when its taxi was at the pickup; hub ms.
        var askedUntilMs: Int64?
        var arrivedMs: Int64?
        /// In the order of arrival.
        var order: Int
        /// The highest alert that was told of the present driver: 0, 500 or 20.
        var rung = 0
        var acceptances = 0
        var outcome: String?
        /// It has ended with the passenger aboard, with a receipt.
        var receipt: String?
        var paymentState: String?
        /// Who has rated the other one: `passenger`, `driver`.
        var ratedBy: Set<String> = []
        /// Requested before the log began.
        var isFromBefore = false
    }

    private(set) var violations: [Violation] = []
    private(set) var events: [LoggedEvent] = []
    var drivers: [String: Driver] = [:]
    var rides: [String: Ride] = [:]
    var queues: [String: [String: Double]] = [:]
    var reservations: [String: Reserved] = [:]
    var reservationScore = ReservationScore()
    /// The zones beside each zone.
    let neighbours: [String: Set<String>]
    /// Of `driver:…` and `passenger:…`.
    var blocks: [String: Block] = [:]
    /// Zone → when the last one left its queue, hub ms.
    var emptiedMs: [String: Int64] = [:]
    /// Receipt → trip.
    var receipts: [String: String] = [:]
    /// What cars and drivers have by their records, and who drives a car that is not named like it.
    var carHas: [String: Set<String>] = [:]
    var driverHas: [String: Set<String>] = [:]
    var carOf: [String: String] = [:]
    /// Passenger → ride.
    var open: [String: String] = [:]
    /// Zone → rides that wait there for an offer.
    var waiting: [String: Set<String>] = [:]
    let noShowWaitMs: Int64
    let roundPauseMs: Int64
    /// For so long a place is kept.
    let recoveryMs: Int64
    private var requests = 0
    /// Drivers whose state changed in the present step: looked at when it is complete.
    var touched: Set<String> = []
    private var step: Int64 = 0

    init(from start: HubSnapshot = HubSnapshot(), neighbours: [String: Set<String>] = [:]) {
        self.neighbours = neighbours
        queues = start.queues
        noShowWaitMs = start.noShowWaitMs
        roundPauseMs = start.roundPauseMs
        recoveryMs = start.recoveryMs
        for (name, vehicle) in start.vehicles {
            drivers[name] = Driver(
                isAway: vehicle.isAway, offer: vehicle.offer, ride: vehicle.ride, seats: vehicle.seats,
                isFromBefore: true)
        }
        for (zone, members) in start.queues {
            for name in members.keys { drivers[name, default: Driver(isFromBefore: true)].zone = zone }
        }
        for (name, ride) in start.rides where ride.isOpen {
            let phase: Phase =
                switch ride.state {
                case "offered": .offered(to: ride.offeredTo ?? "")
                case "accepted": .accepted
                case "aboard": .aboard
                default: .searching
                }
            rides[name] = Ride(
                passenger: ride.passenger, zone: ride.zone, phase: phase, driver: ride.driver, round: ride.round,
                asked: ride.asked, gaveBack: ride.gaveBack, passengers: ride.passengers, arrivedMs: ride.arrivedMs,
                order: ride.order, isFromBefore: true)
            requests = max(requests, ride.order)
            open[ride.passenger] = name
            if phase == .searching { waiting[ride.zone, default: []].insert(name) }
        }
    }

    mutating func take(_ event: LoggedEvent) {
        if event.step != step {
            settle()
            step = event.step
        }
        events.append(event)
        if let driver = event.driver { touched.insert(driver) }
        // What else an operator did is told by the events of those whom it concerns.
        if !takeBlockEvent(event), !takeQueueEvent(event), !takeOfferEvent(event), !takeRideEvent(event),
            !takeRecordEvent(event),
            !takeReservationEvent(event), !takeTripEvent(event)
        {
            report(.log, "an unknown type of event: \(event.type)")
        }
    }

    mutating func report(_ rule: Violation.Rule, _ message: String) {
        violations.append(Violation(rule: rule, message: message, eventID: events.last?.id))
    }

    mutating func add(_ found: [Violation]) { violations += found }

    mutating func nextOrder() -> Int {
        requests += 1
        return requests
    }

    /// A step is complete: what must never be seen from outside is looked for.
    mutating func settle() {
        for name in touched {
            guard let driver = drivers[name] else { continue }
            checkMayWait(name, in: driver.zone, at: step)
            if let ride = driver.ride, let zone = driver.zone {
                report(.queueMembership, "driver \(name) serves ride \(ride) and stands in the queue of zone \(zone)")
            }
            if let ride = driver.ride, rides[ride]?.driver != name {
                report(.busyWithOneRide, "driver \(name) is busy with ride \(ride), which is not its own")
            }
            if let ride = driver.offer, rides[ride]?.phase != .offered(to: name) {
                report(.offer, "driver \(name) has an open offer of ride \(ride), which is not offered to it")
            }
        }
        touched.removeAll(keepingCapacity: true)
    }

    /// The entry at which a violation showed, between the ones around it.
    func context(of violation: Violation, around: Int = 4) -> [LoggedEvent] {
        guard let id = violation.eventID, let index = events.firstIndex(where: { $0.id == id }) else { return [] }
        return Array(events[max(0, index - around)..<min(events.count, index + around + 1)])
    }
}
