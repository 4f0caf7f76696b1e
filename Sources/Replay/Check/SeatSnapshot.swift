import ClientSupport
import Wire

/// What Redis holds of a city's minibuses and of the bookings of their seats at one moment.
struct SeatSnapshot: Equatable {
    struct Vehicle: Equatable {
        var isOnline: Bool
        /// It has sent a position, and so can be seen.
        var isPlaced = false
        var capacity: Int
        /// Taken or promised; held for those who wait for an answer; free, as everybody is shown.
        var taken: Int
        var held: Int
        var seats: Int
        /// The booking that the driver is asked for.
        var asking: String?
        /// Those whose turn has not come, and those confirmed and aboard, both in their order.
        var queue: [String] = []
        var bookings: [String] = []
    }

    struct Booking: Equatable {
        /// waiting | offered | confirmed | aboard | ended | declined | cancelled
        var state: String
        var passenger: String
        var driver: String
        var passengers: Int
        /// Its part of what is taken.
        var seats: Int

        var isUnanswered: Bool { state == "waiting" || state == "offered" }
        var isTaken: Bool { state == "confirmed" || state == "aboard" }
    }

    var vehicles: [String: Vehicle] = [:]
    var bookings: [String: Booking] = [:]
    /// Passenger → its open booking.
    var booked: [String: String] = [:]
    /// Bookings whose time for an answer runs.
    var holds: Set<String> = []
}

extension SeatSnapshot {
    /// Out of the answer of `BusSnapshot.script`. Nil when it isn't one.
    init?(_ root: JSONValue) {
        guard let vehicles = root["vehicles"]?.members, let bookings = root["bookings"]?.members else { return nil }
        func names(_ text: String?) -> [String] { (text ?? "").split(separator: " ").map(String.init) }
        for (name, fields) in vehicles {
            func number(_ field: String) -> Int? { fields.text(field).flatMap { Int($0) } }
            // Connected for the first time, and without seats yet.
            guard let capacity = number("capacity") else { continue }
            guard let taken = number("taken"), let held = number("held"), let seats = number("seats") else {
                return nil
            }
            self.vehicles[name] = Vehicle(
                isOnline: fields.text("state") == "available", isPlaced: fields.text("lat") != nil, capacity: capacity,
                taken: taken, held: held,
                seats: seats, asking: fields.text("asking"), queue: names(fields.text("queue")),
                bookings: names(fields.text("bookings")))
        }
        for (name, fields) in bookings {
            guard let state = fields.text("state"), let passenger = fields.text("passenger"),
                let driver = fields.text("driver"), let count = fields.text("passengers").flatMap({ Int($0) }),
                let seats = fields.text("seats").flatMap({ Int($0) })
            else { return nil }
            self.bookings[name] = Booking(
                state: state, passenger: passenger, driver: driver, passengers: count, seats: seats)
        }
        for (name, booking) in root["booked"]?.members ?? [:] { booked[name] = booking.text }
        holds = Set(names(root.text("holds")))
    }
}
