// What events of taxis and of seats in minibuses change.
extension RecordedEvent {
    var ofTrip: Change? {
        let ride = text("ride")
        guard ride != .null else { return nil }
        switch type {
        case "ride.requested":
            return Change(
                "trips", ride,
                [
                    "passenger": .set(text("passenger")), "zone": .set(text("zone")),
                    "passengers": .set(whole("passengers")), "from_lat": .set(number("lat")),
                    "from_lon": .set(number("lon")), "to_lat": .set(number("to_lat")), "to_lon": .set(number("to_lon")),
                    "requested_at": .set(now),
                ])
        case "offer.made":
            return Change(
                "trips", ride, ["zone": .set(text("zone")), "offered_at": .first(now), "offers": .add(1)])
        case "ride.searching":
            guard text("reason") != .text("next_round") else { return Change("trips", ride, ["rounds": .add(1)]) }
            // It waits, or asks the same once more: nobody had it.
            guard text("driver") != .null else { return nil }
            return Change(
                "trips", ride,
                [
                    "driver": .set(.null), "accepted_at": .set(.null), "near_at": .set(.null),
                    "arrived_at": .set(.null), "given_back": .add(1),
                ])
        case "ride.accepted":
            return Change(
                "trips", ride,
                ["driver": .set(text("driver")), "passenger": .set(text("passenger")), "accepted_at": .set(now)])
        case "ride.near": return Change("trips", ride, ["near_at": .first(now)])
        case "ride.arrived": return Change("trips", ride, ["near_at": .first(now), "arrived_at": .first(now)])
        case "ride.aboard":
            return Change(
                "trips", ride,
                ["driver": .set(text("driver")), "aboard_at": .first(now), "aboard": .set(whole("passengers"))])
        case "ride.ended": return endOfTrip(ride, "ended")
        case "payment.changed": return payment("trips", ride)
        case "trip.rated": return Change("trips", ride, [:]).with(rating)
        case "ride.cancelled": return endOfTrip(ride, "cancelled")
        case "ride.noshow": return endOfTrip(ride, "noshow")
        case "ride.failed":
            return Change(
                "trips", ride, ["outcome": .set(.text("failed")), "ended_at": .set(now), "reason": .set(text("code"))])
        default: return nil
        }
    }

    /// `driver` and `passenger` are known, unless the log begins in the middle.
    private func endOfTrip(_ ride: SQLValue, _ outcome: String) -> Change {
        Change(
            "trips", ride,
            [
                "outcome": .set(.text(outcome)), "ended_at": .set(now), "ended_by": .set(text("by")),
                "reason": .set(text("reason") == .null ? text("text") : text("reason")),
                "driver": .first(text("driver")), "passenger": .first(text("passenger")),
            ]
        ).with(receipt)
    }

    /// What a trip has when it is over.
    private var receipt: Change.Fields {
        [
            ("receipt", .first(text("receipt"))), ("fare", .first(whole("amount"))),
            ("currency", .first(text("currency"))), ("payment", .first(text("payment"))),
            ("payment_state", .first(text("payment_state"))), ("local_time", .first(text("local"))),
            ("to_zone", .first(text("to_zone"))), ("distance_m", .first(number("distance_m"))),
            ("fare_parts", .first(json("parts"))), ("estimate", .first(whole("estimate"))),
            ("plate", .first(text("plate"))), ("driver_name", .first(text("driver_name"))),
            ("company", .first(text("company"))),
        ]
    }

    private func payment(_ table: String, _ id: SQLValue) -> Change {
        let reference = text("reference")
        return Change(table, id, ["payment_state": .set(text("payment_state"))])
            .with(reference == .null ? [] : [("payment_reference", .set(reference))])
    }

    /// Of the one whom it is about.
    private var rating: Change.Fields {
        let rated = text("by") == .text("driver") ? "passenger" : "driver"
        return [("stars_of_" + rated, .first(whole("stars"))), ("comment_on_" + rated, .first(text("text")))]
    }

    var ofBooking: Change? {
        let booking = text("booking")
        guard booking != .null else { return nil }
        switch type {
        case "seat.requested":
            return Change(
                "bookings", booking,
                [
                    "passenger": .set(text("passenger")), "driver": .set(text("driver")),
                    "zone": .set(text("zone")), "passengers": .set(whole("passengers")), "requested_at": .set(now),
                ])
        case "seat.searching":
            return Change("bookings", booking, ["driver": .set(text("driver"))])
        case "seat.asked":
            return Change("bookings", booking, ["driver": .set(text("driver")), "asked_at": .first(now)])
        case "seat.confirmed":
            return Change(
                "bookings", booking,
                [
                    "driver": .set(text("driver")), "passenger": .set(text("passenger")),
                    "passengers": .set(whole("passengers")), "confirmed_at": .set(now),
                ])
        case "seat.near": return Change("bookings", booking, ["near_at": .first(now)])
        case "seat.arrived": return Change("bookings", booking, ["near_at": .first(now), "arrived_at": .first(now)])
        case "seat.aboard":
            return Change("bookings", booking, ["aboard_at": .first(now), "aboard": .set(whole("passengers"))])
        case "seat.ended", "seat.declined", "seat.cancelled":
            return Change(
                "bookings", booking,
                [
                    "outcome": .set(.text(String(type.dropFirst("seat.".count)))), "ended_at": .set(now),
                    "ended_by": .set(text("by")), "reason": .set(text("reason")),
                    "driver": .set(text("driver")), "passenger": .first(text("passenger")),
                    "route": .first(text("route")),
                ]
            ).with(receipt)
        case "payment.changed": return payment("bookings", booking)
        case "trip.rated":
            return Change("bookings", booking, ["route_stars": .first(whole("route_stars"))]).with(rating)
        default: return nil
        }
    }
}
