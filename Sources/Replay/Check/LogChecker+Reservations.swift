/// Reservations: each has at most one ride, of its own passenger, and ends once.
extension LogChecker {
    struct Reserved: Equatable {
        var passenger: String
        var zone = ""
        var ride: String?
        var isAssigned = false
        /// Be it that it was given back since.
        var wasAssigned = false
        var isOver = false
    }

    /// False: the event is another one.
    mutating func takeReservationEvent(_ event: LoggedEvent) -> Bool {
        guard event.type.hasPrefix("reservation.") else { return false }
        guard let name = event.reservation, let passenger = event.passenger else {
            report(.log, "\(event.type) names no reservation or no passenger")
            return true
        }
        guard event.type != "reservation.made" else {
            made(name, passenger, event)
            return true
        }
        guard let known = reservations[name] else {
            report(.reservation, "\(event.type) of reservation \(name), which nobody has made")
            return true
        }
        if known.isOver { report(.reservation, "\(event.type) of reservation \(name), which is over") }
        if known.passenger != passenger {
            report(.reservation, "reservation \(name) of \(known.passenger) is said to be of \(passenger)")
        }
        switch event.type {
        case "reservation.searching": searching(name, event.ride)
        case "reservation.assigned":
            if reservations[name]?.wasAssigned == false { reservationScore.assigned += 1 }
            reservations[name]?.isAssigned = true
            reservations[name]?.wasAssigned = true
            if known.ride != event.ride || rides[event.ride ?? ""]?.driver != event.driver {
                report(
                    .reservation, "reservation \(name) is assigned to \(event.driver ?? "nobody"), who has not its ride"
                )
            }
        case "reservation.cancelled": reservations[name]?.isOver = true
        case "reservation.failed":
            reservations[name]?.isOver = true
            guard !known.wasAssigned else { break }
            if hadOneNear(known.zone, event.timeMs) {
                reservationScore.failedNear += 1
            } else {
                reservationScore.failedAlone += 1
            }
        default: return false
        }
        return true
    }

    private mutating func made(_ name: String, _ passenger: String, _ event: LoggedEvent) {
        if reservations[name] != nil { report(.reservation, "reservation \(name) is made twice") }
        if event.goesNowhere { report(.reservation, "reservation \(name) is to go where it begins") }
        reservations[name] = Reserved(passenger: passenger, zone: event.zone ?? "")
    }

    /// In the last ten minutes a taxi waited in the zone or beside it.
    private func hadOneNear(_ zone: String, _ nowMs: Int64) -> Bool {
        neighbours[zone, default: []].union([zone]).contains { zone in
            queues[zone]?.isEmpty == false || emptiedMs[zone].map { nowMs - $0 <= 600_000 } == true
        }
    }

    private mutating func searching(_ name: String, _ ride: String?) {
        // Its driver has given it back: it searches again for the same.
        let isGivenBack = reservations[name]?.isAssigned == true && rides[ride ?? ""]?.driver == nil
        if let other = reservations[name]?.ride, other != ride || !isGivenBack {
            report(.reservation, "reservation \(name) has the ride \(other) already")
        }
        guard let ride, rides[ride]?.passenger == reservations[name]?.passenger else {
            return report(.reservation, "reservation \(name) searches for a ride that is not its passenger's")
        }
        if let other = reservations.first(where: { $0.key != name && $0.value.ride == ride })?.key {
            report(.reservation, "ride \(ride) is that of reservations \(other) and \(name)")
        }
        reservations[name]?.ride = ride
        reservations[name]?.isAssigned = false
    }
}
