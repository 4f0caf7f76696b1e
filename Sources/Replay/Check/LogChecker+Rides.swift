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
        case "ride.arrived": alerted(name, 20, event.driver)
        case "ride.aboard": aboard(name, event.driver)
        case "ride.ended": over(name, "ended", from: [.aboard], event.driver)
        case "ride.noshow": over(name, "noshow", from: [.accepted], event.driver)
        case "ride.cancelled": over(name, "cancelled", from: [.searching, .accepted], event.driver)
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
        rides[name] = Ride(passenger: passenger, zone: zone, order: nextOrder())
        open[passenger] = name
        waiting[zone, default: []].insert(name)
    }

    private mutating func searching(_ name: String, _ event: LoggedEvent) {
        guard var ride = rides[name] else { return }
        if event.reason == "next_round" {
            guard ride.phase == .searching, event.round == ride.round + 1 else {
                return report(.outcome, "ride \(name) goes into round \(event.round ?? 0) from round \(ride.round)")
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
