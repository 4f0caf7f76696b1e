/// Replays what the hub's event log tells of minibuses and of bookings of their seats, and holds every step of it against the
/// rules: no seat is sold twice, whatever is counted by hand (C47), and each booking has one outcome (C48). Pure.
///
/// Begin with the state at the log's beginning, `take` every event, `finish` with the state at its end.
struct SeatLogChecker {
    struct Vehicle: Equatable {
        /// Nil until the log has told it.
        var capacity: Int?
        /// What the log last said is taken, and what it must be by all that has happened.
        var told: Int?
        var taken = 0
        var held = 0
        var asking: String?
        var isOnline = false
        /// Confirmed and aboard, in the order in which they were made.
        var bookings: [String] = []
    }

    enum Phase: Equatable {
        case waiting, asked, confirmed, aboard
        case over(String)
    }

    struct Booking: Equatable {
        var passenger: String
        var driver: String
        var passengers: Int
        /// Its part of what is taken.
        var seats = 0
        var order: Int
        var phase = Phase.waiting
        /// How often the driver was asked for it, and how often that ended without the driver's own answer.
        var asked = 0
        var withdrawn = 0
        var confirmations = 0
        /// 0, 500 or 20: the last alert.
        var rung = 0
        var isFromBefore = false
        /// It has ended as a trip; who has rated it: `passenger`, `driver`.
        var receipt: String?
        var paymentState: String?
        var ratedBy: Set<String> = []

        var outcome: String? {
            if case .over(let outcome) = phase { outcome } else { nil }
        }
        var isUnanswered: Bool { phase == .waiting || phase == .asked }
    }

    private(set) var violations: [Violation] = []
    private(set) var vehicles: [String: Vehicle] = [:]
    private(set) var bookings: [String: Booking] = [:]
    /// Driver → how often its seats changed.
    private(set) var changes: [String: Int] = [:]
    /// Passenger → open booking.
    private var open: [String: String] = [:]
    private var touched: Set<String> = []
    private var step: Int64 = 0
    private var eventID: String?

    init(from start: SeatSnapshot = SeatSnapshot()) {
        for (name, vehicle) in start.vehicles {
            vehicles[name] = Vehicle(
                capacity: vehicle.capacity, told: vehicle.taken, taken: vehicle.taken, held: vehicle.held,
                asking: vehicle.asking, isOnline: vehicle.isOnline, bookings: vehicle.bookings)
        }
        let orders = start.vehicles.values.flatMap { $0.bookings + ($0.asking.map { [$0] } ?? []) + $0.queue }
        for (id, booking) in start.bookings {
            let phase: Phase =
                switch booking.state {
                case "waiting": .waiting
                case "offered": .asked
                case "confirmed": .confirmed
                case "aboard": .aboard
                default: .over(booking.state)
                }
            bookings[id] = Booking(
                passenger: booking.passenger, driver: booking.driver, passengers: booking.passengers,
                seats: booking.seats, order: (orders.firstIndex(of: id) ?? 0) - orders.count, phase: phase,
                isFromBefore: true)
        }
        open = start.booked
    }

    mutating func take(_ event: LoggedEvent) {
        if event.step != step {
            settle()
            step = event.step
        }
        eventID = event.id
        switch event.type {
        case "driver.online": if let driver = event.driver { vehicles[driver]?.isOnline = true }
        case "driver.offline": if let driver = event.driver { vehicles[driver]?.isOnline = false }
        case "seat.requested": requested(event)
        case "seat.seen": break
        case "seat.asked": asked(event)
        case "seat.undelivered": undelivered(event)
        case "seat.searching": wentOn(event)
        case "seat.confirmed": confirmed(event)
        case "seat.declined": declined(event)
        case "seat.cancelled": cancelled(event)
        case "seat.aboard": aboard(event)
        case "seat.ended": ended(event)
        case "seat.near": alerted(event, 500)
        case "seat.arrived": alerted(event, 20)
        case "seat.driver_lost", "seat.driver_back", "seat.pickup_moved":
            if let (id, booking) = known(event), booking.phase != .confirmed {
                report(.alert, "\(id) has \(event.type), but it is \(booking.phase)")
            }
        case "seats.changed": if event.tour == nil { counted(event) }
        case "seat.unmet": break
        case "payment.changed", "trip.rated": ofTrip(event)
        case "seats.clamped": report(.seats, "the hub's own books were wrong: \(event)")
        default: if event.type.hasPrefix("seat.") { report(.log, "an unknown type of event: \(event.type)") }
        }
    }

    private mutating func report(_ rule: Violation.Rule, _ message: String) {
        violations.append(Violation(rule: rule, message: message, eventID: eventID))
    }

    /// A step is complete: what must never be seen from outside is looked for.
    mutating func settle() {
        for name in touched {
            guard let vehicle = vehicles[name] else { continue }
            if let told = vehicle.told, told != vehicle.taken {
                report(
                    .seats, "\(name) tells of \(told) seats taken; by its bookings and counts it is \(vehicle.taken)")
            }
            let booked = vehicle.bookings.reduce(0) { $0 + (bookings[$1]?.seats ?? 0) }
            if vehicle.held < 0 || booked > vehicle.taken || vehicle.taken + vehicle.held > vehicle.capacity ?? .max {
                report(
                    .seats,
                    "\(name) has \(vehicle.capacity ?? -1) seats: \(vehicle.taken) are taken, \(booked) of them by bookings, \(vehicle.held) held"
                )
            }
        }
        touched.removeAll(keepingCapacity: true)
    }

    // MARK: Questions and answers

    private mutating func requested(_ event: LoggedEvent) {
        guard let id = event.booking, let driver = event.driver, let passenger = event.passenger,
            let passengers = event.passengers
        else { return report(.log, "seat.requested names no booking, driver, passenger or number") }
        if bookings[id] != nil { report(.outcome, "booking \(id) is made twice") }
        if let other = open[passenger] {
            report(.oneRequestPerPassenger, "passenger \(passenger) books \(id) while \(other) is open")
        }
        if vehicles[driver]?.isOnline != true { report(.offer, "\(id) is booked in \(driver), which is offline") }
        bookings[id] = Booking(
            passenger: passenger, driver: driver, passengers: passengers, order: bookings.count)
        open[passenger] = id
        vehicles[driver, default: Vehicle()].held += passengers
        touched.insert(driver)
    }

    private mutating func asked(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        if let other = vehicles[booking.driver]?.asking {
            report(.offer, "\(booking.driver) is asked for \(id) while it is asked for \(other)")
        }
        if booking.phase != .waiting { report(.offer, "\(id) is asked for, but it is \(booking.phase)") }
        vehicles[booking.driver]?.asking = id
        bookings[id]?.phase = .asked
        bookings[id]?.asked += 1
    }

    private mutating func undelivered(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        if booking.phase != .asked { report(.offer, "\(id) was not shown, but it is \(booking.phase)") }
        vehicles[booking.driver]?.asking = nil
        bookings[id]?.phase = .waiting
        bookings[id]?.withdrawn += 1
    }

    /// A request for any minibus goes on to the next one.
    private mutating func wentOn(_ event: LoggedEvent) {
        guard let (id, booking) = known(event), let driver = event.driver else { return }
        if !booking.isUnanswered { reportEnd(id, booking, event) }
        answered(id, booking)
        if booking.phase == .asked, event.reason != "declined" { bookings[id]?.withdrawn += 1 }
        bookings[id]?.phase = .waiting
        bookings[id]?.driver = driver
        vehicles[driver, default: Vehicle()].held += booking.passengers
        if vehicles[driver]?.isOnline != true { report(.offer, "\(id) goes on to \(driver), which is offline") }
        touched.insert(driver)
    }

    private mutating func confirmed(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        if booking.phase != .asked { report(.acceptance, "\(id) is confirmed, and was \(booking.phase)") }
        answered(id, booking)
        bookings[id]?.phase = .confirmed
        bookings[id]?.seats = booking.passengers
        bookings[id]?.confirmations += 1
        vehicles[booking.driver]?.taken += booking.passengers
        vehicles[booking.driver]?.bookings.append(id)
    }

    private mutating func declined(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        if booking.isUnanswered { answered(id, booking) } else { reportEnd(id, booking, event) }
        if booking.phase == .asked, event.reason != "declined" { bookings[id]?.withdrawn += 1 }
        close(id, booking, "declined")
    }

    /// It waits for no answer any more.
    private mutating func answered(_ id: String, _ booking: Booking) {
        if vehicles[booking.driver]?.asking == id { vehicles[booking.driver]?.asking = nil }
        vehicles[booking.driver]?.held -= booking.passengers
    }

    // MARK: On the way

    private mutating func aboard(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        if booking.phase != .confirmed { report(.acceptance, "\(id) is aboard, and was \(booking.phase)") }
        let passengers = event.passengers ?? booking.passengers
        vehicles[booking.driver]?.taken += passengers - booking.seats
        bookings[id]?.phase = .aboard
        bookings[id]?.seats = passengers
    }

    private mutating func ended(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        if booking.phase != .aboard { reportEnd(id, booking, event) }
        bookings[id]?.receipt = event.receipt
        bookings[id]?.paymentState = event.paymentState
        vehicles[booking.driver]?.taken -= booking.seats
        close(id, booking, "ended")
    }

    /// A payment, or stars, of a booking that is a trip. One that ended before the log begins is not known.
    private mutating func ofTrip(_ event: LoggedEvent) {
        guard let id = event.booking, let booking = bookings[id] else { return }
        guard booking.receipt != nil else { return report(.trip, "\(event.type) of booking \(id), which is no trip") }
        if event.type == "trip.rated" {
            if bookings[id]?.ratedBy.insert(event.by ?? "").inserted == false {
                report(.trip, "trip \(id) is rated twice by its \(event.by ?? "nobody")")
            }
        } else if let old = booking.paymentState, let new = event.paymentState {
            if LogChecker.moves[old]?.contains(new) != true {
                report(.trip, "the payment of \(id) goes from \(old) to \(new)")
            }
            bookings[id]?.paymentState = new
        }
    }

    private mutating func cancelled(_ event: LoggedEvent) {
        guard let (id, booking) = known(event) else { return }
        switch booking.phase {
        case .waiting, .asked:
            answered(id, booking)
            if booking.phase == .asked { bookings[id]?.withdrawn += 1 }
        case .confirmed, .aboard: vehicles[booking.driver]?.taken -= booking.seats
        case .over: reportEnd(id, booking, event)
        }
        close(id, booking, "cancelled")
    }

    private mutating func reportEnd(_ id: String, _ booking: Booking, _ event: LoggedEvent) {
        report(.outcome, "\(id) has \(event.type), and was \(booking.phase)")
    }

    private mutating func close(_ id: String, _ booking: Booking, _ outcome: String) {
        bookings[id]?.phase = .over(outcome)
        bookings[id]?.seats = 0
        vehicles[booking.driver]?.bookings.removeAll { $0 == id }
        if open[booking.passenger] == id { open[booking.passenger] = nil }
    }

    private mutating func alerted(_ event: LoggedEvent, _ rung: Int) {
        guard let (id, booking) = known(event) else { return }
        if booking.phase != .confirmed { report(.alert, "\(id) has \(event.type), but it is \(booking.phase)") }
        if booking.rung != 0, booking.rung <= rung { report(.alert, "\(id) has \(event.type) twice") }
        bookings[id]?.rung = rung
    }

    private mutating func known(_ event: LoggedEvent) -> (String, Booking)? {
        guard let id = event.booking, let booking = bookings[id] else {
            report(.log, "\(event.type) of booking \(event.booking ?? "none"), which was never made")
            return nil
        }
        touched.insert(booking.driver)
        return (id, booking)
    }

    // MARK: Counts

    private static let ofBookings: Set<String> = ["booked", "aboard", "ended", "cancelled"]

    private mutating func counted(_ event: LoggedEvent) {
        guard let driver = event.driver, let taken = event.taken, let free = event.seats, let reason = event.reason
        else {
            return report(.log, "seats.changed names no driver, number or reason")
        }
        touched.insert(driver)
        changes[driver, default: 0] += 1
        let vehicle = vehicles[driver] ?? Vehicle()
        if taken < 0 || free < 0 || taken + free != vehicle.capacity ?? taken + free {
            report(.seats, "\(driver) has \(vehicle.capacity ?? -1) seats: \(taken) taken and \(free) free")
        }
        if let told = vehicle.told, let delta = event.delta, told + delta != taken {
            report(.seats, "\(driver) goes from \(told) to \(taken) seats taken by \(delta)")
        }
        vehicles[driver, default: Vehicle()].told = taken
        vehicles[driver]?.capacity = taken + free
        if event.booking == nil || !Self.ofBookings.contains(reason) { byHand(driver, taken) }
    }

    /// The driver has counted: no booking contradicts, but what is promised to those who are to come. What is too little for
    /// those aboard is taken from the last.
    private mutating func byHand(_ driver: String, _ taken: Int) {
        vehicles[driver]?.taken = taken
        let mine = vehicles[driver]?.bookings ?? []
        var room = taken
        for id in mine where bookings[id]?.phase == .confirmed { room -= bookings[id]?.seats ?? 0 }
        if room < 0 { report(.seats, "\(driver) is counted down to \(taken), below what is promised") }
        let aboard = mine.filter { bookings[$0]?.phase == .aboard }
        for id in aboard.sorted(by: { bookings[$0]?.order ?? 0 > bookings[$1]?.order ?? 0 }) {
            let seats = min(bookings[id]?.seats ?? 0, max(0, room))
            bookings[id]?.seats = seats
            room -= seats
        }
    }

    // MARK: The end

    /// `mustBeOver`: every booking of the log has had time to end.
    mutating func finish(_ end: SeatSnapshot, mustBeOver: Bool) {
        settle()
        eventID = nil
        for (id, booking) in bookings.sorted(by: { $0.key < $1.key }) {
            if mustBeOver, !booking.isFromBefore, booking.outcome == nil {
                report(.outcome, "booking \(id) has no outcome: it is \(booking.phase)")
            }
        }
        for violation in SeatEndCheck.state(self, end) { violations.append(violation) }
    }
}
