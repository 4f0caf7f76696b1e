// A ride from its request to its one end (I2–I4, R5, R9–R12, C11).
extension LogChecker {
    /// False when it is an event of another kind.
    mutating func takeRideEvent(_ event: LoggedEvent) -> Bool {
        guard event.type.hasPrefix("ride.") else { return false }
        guard let name = event.ride else {
            report(.log, "\(event.type) names no ride")
            return true
        }
        if event.type == "ride.requested" {
            requested(name, event)
            return true
        }
        guard let ride = rides[name] else {
            report(.log, "\(event.type) of ride \(name), which was never requested")
            return true
        }
        if ride.phase == .over {
            report(.outcome, "\(event.type) of ride \(name), which is over (\(ride.outcome ?? ""))")
            return true
        }
        switch event.type {
        case "ride.searching": searching(name, event)
        case "ride.near": alerted(name, 500, event.driver)
        case "ride.arrived":
            alerted(name, 20, event.driver)
            rides[name]?.arrivedMs = event.timeMs
        case "ride.driver_lost": missing(name, true, event.driver)
        case "ride.driver_back": missing(name, false, event.driver)
        case "ride.pickup_moved":
            if ride.phase != .accepted { report(.state, "the pickup of ride \(name) moves, but it is \(ride.phase)") }
        case "ride.aboard": aboard(name, event.driver)
        case "ride.ended":
            becomesTrip(name, event)
            over(name, "ended", from: [.aboard], event.driver)
        case "ride.noshow":
            noShow(name, ride, event)
            over(name, "noshow", from: [.accepted], event.driver)
        case "ride.cancelled": over(name, "cancelled", from: [.searching, .accepted, .aboard], event.driver)
        case "ride.failed": over(name, "failed", from: [.searching], nil)
        default: return false
        }
        return true
    }

    private mutating func requested(_ name: String, _ event: LoggedEvent) {
        guard let passenger = event.passenger, let zone = event.zone else {
            return report(.log, "ride.requested names no passenger or no zone")
        }
        if rides[name] != nil { return report(.log, "ride \(name) is requested twice") }
        if let other = open[passenger] {
            report(.oneRequestPerPassenger, "passenger \(passenger) requests ride \(name); ride \(other) is open")
        }
        checkMayAsk(passenger, event)
        rides[name] = Ride(
            passenger: passenger, zone: zone, passengers: event.passengers ?? 1, needs: Set(event.needs),
            order: nextOrder())
        open[passenger] = name
        waiting[zone, default: []].insert(name)
    }

    private mutating func searching(_ name: String, _ event: LoggedEvent) {
        guard var ride = rides[name] else { return }
        if event.reason == "waiting" || event.reason == "asked_again" {
            if ride.phase != .searching {
                report(.outcome, "ride \(name) waits for who comes, but does not search a driver")
            }
            if event.reason == "asked_again" { ride.asked = [] }
        } else if event.reason == "next_round" {
            guard ride.phase == .searching, event.round == ride.round + 1 else {
                return report(.outcome, "ride \(name) goes into round \(event.round ?? 0) from round \(ride.round)")
            }
            if let ended = ride.askedUntilMs, event.timeMs - ended < roundPauseMs {
                report(
                    .offer,
                    "ride \(name) goes into the next round \(event.timeMs - ended) ms after its last offer, not \(roundPauseMs)"
                )
            }
            ride.round += 1
            ride.asked = []
        } else {
            // Its driver gave it back, or is lost: searched again.
            guard ride.phase == .accepted, let driver = ride.driver else {
                return report(.acceptance, "ride \(name) is given back, but nobody had it")
            }
            free(driver, of: name)
            ride.driver = nil
            ride.phase = .searching
            ride.asked = [driver]
            ride.gaveBack.insert(driver)
            ride.askedUntilMs = event.timeMs
            waiting[ride.zone, default: []].insert(name)
        }
        rides[name] = ride
    }

    private mutating func alerted(_ name: String, _ rung: Int, _ driver: String?) {
        guard let ride = rides[name] else { return }
        if ride.phase != .accepted || ride.driver != driver {
            return report(
                .alert, "ride \(name) is alerted (\(rung) m) by \(driver ?? "nobody"), who is not on its way to it")
        }
        let isNew = rung == 500 ? ride.rung == 0 : ride.rung == 500
        if !isNew, !ride.isFromBefore {
            report(.alert, "ride \(name) is alerted at \(rung) m after \(ride.rung) m")
        }
        rides[name]?.rung = rung
    }

    /// Its passenger is told that the driver is lost while it is away, and that it is back when it is not.
    private mutating func missing(_ name: String, _ isMissing: Bool, _ driverName: String?) {
        guard let ride = rides[name], let driverName else { return }
        let driver = drivers[driverName] ?? Driver()
        if ride.phase != .accepted || ride.driver != driverName {
            report(.alert, "ride \(name): its passenger is told of \(driverName), who is not on its way to it")
        } else if driver.isAway != isMissing || (driver.isMissing == isMissing && !ride.isFromBefore) {
            report(
                .alert,
                "ride \(name): its passenger is told that \(driverName) is \(isMissing ? "lost" : "back"), and it was so before, or is not"
            )
        }
        drivers[driverName]?.isMissing = isMissing
    }

    /// A driver can only say that nobody came when the taxi has been at the pickup for `noShowWaitMs`.
    private mutating func noShow(_ name: String, _ ride: Ride, _ event: LoggedEvent) {
        guard let arrived = ride.arrivedMs else {
            if !ride.isFromBefore { report(.noShow, "ride \(name): nobody came, but the taxi was never there") }
            return
        }
        if event.timeMs - arrived < noShowWaitMs {
            report(.noShow, "ride \(name): nobody came within \(event.timeMs - arrived) ms of \(noShowWaitMs)")
        }
    }

    private mutating func aboard(_ name: String, _ driver: String?) {
        guard let ride = rides[name] else { return }
        if ride.phase != .accepted || ride.driver != driver {
            report(.oneDriverPerRide, "ride \(name): aboard of \(driver ?? "nobody"), who is not on its way to it")
        }
        rides[name]?.phase = .aboard
    }

    private mutating func over(_ name: String, _ outcome: String, from phases: [Phase], _ driver: String?) {
        guard let ride = rides[name] else { return }
        if !phases.contains(ride.phase) {
            report(.outcome, "ride \(name) is \(outcome), but was \(ride.phase)")
        }
        if let driver, ride.driver != driver {
            report(
                .oneDriverPerRide,
                "ride \(name) is \(outcome) by \(driver), but its driver is \(ride.driver ?? "nobody")")
        }
        if let mine = ride.driver { free(mine, of: name) }
        rides[name]?.phase = .over
        rides[name]?.outcome = outcome
        rides[name]?.driver = nil
        waiting[ride.zone]?.remove(name)
        if open[ride.passenger] == name { open[ride.passenger] = nil }
    }

    private mutating func free(_ driver: String, of ride: String) {
        if drivers[driver]?.ride == ride { drivers[driver]?.ride = nil }
    }
}
