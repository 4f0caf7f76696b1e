/// What Redis holds of minibuses at a run's end, and what the clients have, against what the log tells.
enum SeatEndCheck {
    /// One rider client at the end of a run.
    struct Rider {
        var subject: String
        var asks: [RiderMachine.Ask]
        var view: VehicleView?
        var hasPending: Bool
        var receipts: ChannelReceipts
    }

    // MARK: State

    static func state(_ log: SeatLogChecker, _ end: SeatSnapshot) -> [Violation] {
        var found: [Violation] = []
        func add(_ rule: Violation.Rule, _ message: String) { found.append(Violation(rule: rule, message: message)) }
        for (name, vehicle) in end.vehicles.sorted(by: { $0.key < $1.key }) {
            let mine = end.bookings.filter { $0.value.driver == name }
            let held = mine.values.filter(\.isUnanswered).reduce(0) { $0 + $1.passengers }
            let booked = mine.values.filter(\.isTaken).reduce(0) { $0 + $1.seats }
            if vehicle.held != held || booked > vehicle.taken || vehicle.taken + held > vehicle.capacity
                || vehicle.seats != vehicle.capacity - vehicle.taken
            {
                add(
                    .seats,
                    "\(name) has \(vehicle.capacity) seats: \(vehicle.taken) taken, \(vehicle.held) held, \(vehicle.seats) free; its bookings have \(booked), and \(held) wait"
                )
            }
            let waiting = vehicle.queue + (vehicle.asking.map { [$0] } ?? [])
            if Set(waiting) != Set(mine.filter(\.value.isUnanswered).keys)
                || Set(vehicle.bookings) != Set(mine.filter(\.value.isTaken).keys)
            {
                add(
                    .state,
                    "\(name) is asked for \(waiting) and has taken \(vehicle.bookings); its bookings are \(mine)")
            }
            guard let logged = log.vehicles[name] else { continue }
            if (logged.taken, logged.held, logged.isOnline) != (vehicle.taken, vehicle.held, vehicle.isOnline) {
                add(
                    .state,
                    "\(name) has \(vehicle.taken) taken and \(vehicle.held) held, online \(vehicle.isOnline); by the log \(logged.taken) and \(logged.held), \(logged.isOnline)"
                )
            }
        }
        for id in Set(log.bookings.keys).union(end.bookings.keys).sorted() {
            let (logged, held) = (log.bookings[id], end.bookings[id])
            let state = held?.state ?? "gone"
            if logged.map({ name(of: $0.phase) }) != state, held != nil || logged?.outcome == nil {
                add(.state, "booking \(id) is \(state), by the log \(logged.map { "\($0.phase)" } ?? "unknown")")
            }
            guard let held else { continue }
            if held.isUnanswered != end.holds.contains(id) {
                add(
                    .state,
                    "booking \(id) is \(state), and its time to be answered \(held.isUnanswered ? "does not run" : "runs")"
                )
            }
            if (held.isUnanswered || held.isTaken) != (end.booked[held.passenger] == id) {
                add(
                    .state,
                    "booking \(id) is \(state); passenger \(held.passenger) has \(end.booked[held.passenger] ?? "none")"
                )
            }
        }
        return found
    }

    private static func name(of phase: SeatLogChecker.Phase) -> String {
        switch phase {
        case .waiting: "waiting"
        case .asked: "offered"
        case .confirmed: "confirmed"
        case .aboard: "aboard"
        case .over(let outcome): outcome
        }
    }

    // MARK: What is seen

    /// Who watches a minibus sees it with its free seats if it is online, and else not (M1, M3, M5).
    static func views(_ riders: [Rider], _ end: SeatSnapshot) -> [Violation] {
        riders.compactMap { rider in
            guard let view = rider.view, let vehicle = end.vehicles[view.vehicle] else { return nil }
            let wanted =
                vehicle.isOnline && vehicle.isPlaced
                ? VehicleView.Shown(state: "available", seats: vehicle.seats) : nil
            guard view.shown != .some(wanted) else { return nil }
            return Violation(
                rule: .line,
                message:
                    "\(rider.subject): \(view.vehicle) is shown as \(view.shown.map { "\($0 as Any)" } ?? "nothing"), and is \(wanted as Any)"
            )
        }
    }

    // MARK: What was told

    /// Both sides of every booking were told what became of it, once each.
    static func told(
        _ riders: [Rider], drivers: [String: ChannelReceipts], log: SeatLogChecker
    ) -> [Violation] {
        var found: [Violation] = []
        func add(_ message: String) { found.append(Violation(rule: .told, message: message)) }
        let clients = Dictionary(riders.map { ($0.subject, $0) }, uniquingKeysWith: { first, _ in first })
        for rider in riders {
            if rider.hasPending || rider.asks.contains(where: { $0.outcome == nil }) {
                add("rider \(rider.subject) was never told what became of a booking")
            }
            for id in rider.asks.compactMap(\.booking) where log.bookings[id] == nil {
                add("rider \(rider.subject) was told of booking \(id), which the log doesn't know")
            }
        }
        for (id, booking) in log.bookings.sorted(by: { $0.key < $1.key }) where !booking.isFromBefore {
            if let rider = clients[booking.passenger] {
                if !rider.asks.contains(where: { $0.booking == id }) {
                    add("booking \(id) was made for rider \(rider.subject), who did not book so often")
                }
                compare(id, rider.subject, rider.receipts, passengerSide(booking), add)
            }
            if let receipts = drivers[booking.driver] {
                compare(id, booking.driver, receipts, driverSide(booking), add)
            }
        }
        for (driver, count) in log.changes.sorted(by: { $0.key < $1.key }) {
            guard let receipts = drivers[driver] else { continue }
            let told = receipts.events.count { $0.type == "seats.changed" }
            if told != count { add("\(driver)'s seats changed \(count) times, and it was told \(told) times") }
        }
        return found
    }

    /// Type → how often it must have come.
    private static func passengerSide(_ booking: SeatLogChecker.Booking) -> [String: Int] {
        var wanted = ["seat.pending": 1, "seat.confirmed": booking.confirmations]
        for end in ["declined", "cancelled", "ended"] { wanted["seat." + end] = booking.outcome == end ? 1 : 0 }
        return wanted
    }

    private static func driverSide(_ booking: SeatLogChecker.Booking) -> [String: Int] {
        let wasTaken = booking.confirmations > 0
        return [
            "seat.requested": booking.asked, "seat.withdrawn": booking.withdrawn,
            "seat.assigned": booking.confirmations,
            "seat.cancelled": wasTaken && booking.outcome == "cancelled" ? 1 : 0,
            "seat.ended": booking.outcome == "ended" ? 1 : 0,
        ]
    }

    private static func compare(
        _ id: String, _ subject: String, _ receipts: ChannelReceipts, _ wanted: [String: Int], _ add: (String) -> Void
    ) {
        let told = receipts.events.filter { $0.booking == id }.map(\.type)
        for (type, count) in wanted.sorted(by: { $0.key < $1.key }) where told.count(where: { $0 == type }) != count {
            add("booking \(id): \(subject) must have had \(type) \(count) times; it was told \(told)")
        }
    }
}
