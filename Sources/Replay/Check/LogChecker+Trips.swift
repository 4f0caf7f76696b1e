/// Trips: one receipt and one fare each, payments that move as they may, and one rating per side.
extension LogChecker {
    static let moves: [String: Set<String>] = [
        "pending": ["paid", "failed"], "failed": ["paid", "pending"], "paid": ["refunded"],
    ]

    /// Of a ride that has ended. Its one end is looked at with the others.
    mutating func becomesTrip(_ name: String, _ event: LoggedEvent) {
        guard let receipt = event.receipt else {
            if event.paymentState != nil { report(.trip, "ride \(name) is paid, and has no receipt") }
            return
        }
        if let other = receipts.updateValue(name, forKey: receipt) {
            report(.trip, "receipt \(receipt) is that of \(other) and of \(name)")
        }
        rides[name]?.receipt = receipt
        rides[name]?.paymentState = event.paymentState
    }

    /// False: the event is another one.
    mutating func takeTripEvent(_ event: LoggedEvent) -> Bool {
        guard event.type == "payment.changed" || event.type == "trip.rated" else { return false }
        // One that ended before the log begins is not known; those of bookings are SeatLogChecker's.
        guard let name = event.ride, let ride = rides[name] else { return event.ride != nil || event.booking != nil }
        guard ride.phase == .over, ride.receipt != nil else {
            report(.trip, "\(event.type) of ride \(name), which is no trip")
            return true
        }
        if event.type == "trip.rated" {
            if rides[name]?.ratedBy.insert(event.by ?? "").inserted == false {
                report(.trip, "trip \(name) is rated twice by its \(event.by ?? "nobody")")
            }
        } else if let old = ride.paymentState, let new = event.paymentState {
            if Self.moves[old]?.contains(new) != true {
                report(.trip, "the payment of \(name) goes from \(old) to \(new)")
            }
            rides[name]?.paymentState = new
        }
        return true
    }
}
