// What events of reservations change.
extension RecordedEvent {
    var ofReservation: Change? {
        let id = text("reservation")
        switch type {
        case "reservation.made":
            return Change(
                "reservations", id,
                [
                    "passenger": .set(text("passenger")), "zone": .set(text("zone")),
                    "passengers": .set(whole("passengers")), "from_lat": .set(number("lat")),
                    "from_lon": .set(number("lon")), "to_lat": .set(number("to_lat")), "to_lon": .set(number("to_lon")),
                    "payment": .set(text("payment")), "at": .set(whole("at")), "made_at": .set(now),
                ])
        case "reservation.searching":
            // Whoever had it has given it back.
            return Change(
                "reservations", id,
                [
                    "ride": .set(text("ride")), "searching_at": .first(now), "driver": .set(.null),
                    "assigned_at": .set(.null),
                ])
        case "reservation.assigned":
            return Change(
                "reservations", id,
                ["ride": .set(text("ride")), "driver": .set(text("driver")), "assigned_at": .set(now)])
        case "reservation.cancelled":
            return end(id, "cancelled", text("by"), text("reason"))
        case "reservation.failed": return end(id, "failed", .null, text("code"))
        default: return nil
        }
    }

    private func end(_ id: SQLValue, _ outcome: String, _ by: SQLValue, _ reason: SQLValue) -> Change {
        Change(
            "reservations", id,
            [
                "outcome": .set(.text(outcome)), "ended_at": .set(now), "ended_by": .set(by), "reason": .set(reason),
                "zone": .first(text("zone")), "passenger": .first(text("passenger")), "ride": .first(text("ride")),
            ])
    }
}
