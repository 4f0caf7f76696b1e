// Who is asked, in which order, and how it ends (FIFO, R2–R6, C28).
extension LogChecker {
    /// False when it is an event of another kind.
    mutating func takeOfferEvent(_ event: LoggedEvent) -> Bool {
        guard event.type.hasPrefix("offer.") || event.type == "ride.accepted" else { return false }
        guard let ride = event.ride, let driver = event.driver else {
            report(.log, "\(event.type) names no ride or no driver")
            return true
        }
        guard rides[ride] != nil else {
            report(.log, "\(event.type) of ride \(ride), which was never requested")
            return true
        }
        switch event.type {
        case "offer.made": made(ride, driver, event)
        case "offer.seen":
            if rides[ride]?.phase != .offered(to: driver) {
                report(.offer, "driver \(driver) sees an offer of ride \(ride) that is not open to it")
            }
        case "offer.declined", "offer.expired", "offer.undelivered", "offer.withdrawn": closed(ride, driver, event)
        case "ride.accepted": accepted(ride, driver)
        default: report(.log, "an unknown type of event: \(event.type)")
        }
        return true
    }

    private mutating func made(_ name: String, _ driverName: String, _ event: LoggedEvent) {
        guard var ride = rides[name] else { return }
        switch ride.phase {
        case .searching: break
        case .offered(let other):
            report(.offer, "ride \(name) is offered to \(driverName) while it is open to \(other)")
        case .accepted, .aboard, .over: report(.offer, "ride \(name) is offered, but does not search a driver")
        }
        if let round = event.round, round != ride.round {
            report(.offer, "ride \(name) is offered in round \(round), but is in round \(ride.round)")
        }
        if let other = drivers[driverName]?.offer {
            report(.offer, "driver \(driverName) is offered ride \(name) while the offer of ride \(other) is open")
        }
        // Whom the office chooses need not be the next.
        if event.reason == "operator" {
            if drivers[driverName]?.zone == nil {
                report(.queueOrder, "ride \(name) is offered to \(driverName), who stands in no queue")
            }
        } else if event.reason == "neighbour" {
            checkNobody(in: ride.zone, for: name, ride, before: driverName)
        } else {
            checkTurn(of: driverName, for: name, ride)
            checkTurn(ofRide: name, ride, with: driverName)
        }
        ride.phase = .offered(to: driverName)
        ride.asked.insert(driverName)
        rides[name] = ride
        waiting[ride.zone]?.remove(name)
        drivers[driverName, default: Driver()].offer = name
    }

    /// Whether a driver can be asked for a ride: present, free, with room, not asked in this round, and not the one who gave it
    /// back.
    private func isEligible(_ name: String, for ride: Ride) -> Bool {
        guard let driver = drivers[name] else { return false }
        return !driver.isAway && driver.offer == nil && driver.seats ?? .max >= ride.passengers
            && !ride.asked.contains(name) && !ride.gaveBack.contains(name) && has(name, ride.needs)
    }

    /// Whether a driver and its car have all that a ride needs.
    private func has(_ name: String, _ needs: Set<String>) -> Bool {
        needs.isEmpty
            || needs.isSubset(of: driverHas[name, default: []].union(carHas[carOf[name] ?? name, default: []]))
    }

    /// A record of a driver or a car was written, or removed. False: the event is another one.
    mutating func takeRecordEvent(_ event: LoggedEvent) -> Bool {
        switch event.type {
        case "vehicle.registered", "vehicle.removed": carHas[event.vehicle ?? ""] = Set(event.capabilities)
        case "driver.registered", "driver.removed":
            driverHas[event.driver ?? ""] = Set(event.capabilities)
            carOf[event.driver ?? ""] = event.vehicle
        default: return false
        }
        return true
    }

    /// Who is asked from another zone stands in its queue, and nobody of the ride's own zone could be asked.
    private mutating func checkNobody(in zone: String, for rideName: String, _ ride: Ride, before name: String) {
        if !isEligible(name, for: ride) || drivers[name]?.zone == nil || drivers[name]?.zone == zone {
            report(.queueOrder, "ride \(rideName) is offered to \(name) of another zone, who can't be asked for it")
        }
        if let other = queues[zone, default: [:]].keys.first(where: { isEligible($0, for: ride) }) {
            report(.queueOrder, "ride \(rideName) is offered to \(name) of another zone; \(other) was passed over")
        }
    }

    /// Of those of the queue that can be asked, the first one is.
    private mutating func checkTurn(of name: String, for rideName: String, _ ride: Ride) {
        let queue = queues[ride.zone, default: [:]]
        guard let score = queue[name] else {
            return report(
                .queueOrder,
                "ride \(rideName) is offered to \(name), who does not stand in the queue of zone \(ride.zone)")
        }
        if drivers[name]?.isAway == true {
            report(.queueOrder, "ride \(rideName) is offered to \(name), who is away")
        }
        if ride.asked.contains(name) {
            report(.queueOrder, "ride \(rideName) is offered to \(name) twice in round \(ride.round)")
        }
        if ride.gaveBack.contains(name) {
            report(.queueOrder, "ride \(rideName) is offered to \(name), who gave it back")
        }
        if let seats = drivers[name]?.seats, seats < ride.passengers {
            report(.queueOrder, "ride \(rideName) of \(ride.passengers) is offered to \(name) with \(seats) free seats")
        }
        if !has(name, ride.needs) {
            report(.queueOrder, "ride \(rideName) is offered to \(name), who lacks something of \(ride.needs)")
        }
        let passed = queue.filter { $0.value < score && isEligible($0.key, for: ride) }
        if let first = passed.min(by: { $0.value < $1.value }) {
            report(
                .queueOrder,
                "ride \(rideName) is offered to \(name) (place \(score)) of zone \(ride.zone); \(first.key) (place \(first.value)) was passed over"
            )
        }
    }

    /// Of the rides of the zone that this driver could have been asked for, the first one is.
    private mutating func checkTurn(ofRide name: String, _ ride: Ride, with driver: String) {
        for other in waiting[ride.zone, default: []] where other != name {
            guard let earlier = rides[other], earlier.order < ride.order, isEligible(driver, for: earlier) else {
                continue
            }
            report(
                .requestOrder, "ride \(name) is offered to \(driver); ride \(other) of zone \(ride.zone) came earlier")
        }
    }

    private mutating func closed(_ name: String, _ driver: String, _ event: LoggedEvent) {
        guard var ride = rides[name] else { return }
        guard ride.phase == .offered(to: driver) else {
            return report(.offer, "\(event.type) of ride \(name) by \(driver), to whom it is not offered")
        }
        ride.phase = .searching
        ride.askedUntilMs = event.timeMs
        // Whom the office took the offer from has not answered, and may be asked again.
        if event.reason == "operator" { ride.asked.remove(driver) }
        rides[name] = ride
        waiting[ride.zone, default: []].insert(name)
        drivers[driver, default: Driver()].offer = nil
    }

    private mutating func accepted(_ name: String, _ driver: String) {
        guard var ride = rides[name] else { return }
        if let other = ride.driver {
            report(.oneDriverPerRide, "ride \(name) is accepted by \(driver), but has the driver \(other)")
        }
        if let other = drivers[driver]?.ride {
            report(.oneDriverPerRide, "driver \(driver) accepts ride \(name) and serves ride \(other)")
        }
        if ride.phase != .offered(to: driver) {
            report(.acceptance, "driver \(driver) accepts ride \(name), which is not offered to it")
        }
        ride.phase = .accepted
        ride.driver = driver
        ride.rung = 0
        ride.arrivedMs = nil
        ride.acceptances += 1
        ride.asked = []
        rides[name] = ride
        waiting[ride.zone]?.remove(name)
        drivers[driver, default: Driver()].offer = nil
        drivers[driver, default: Driver()].ride = name
    }
}
