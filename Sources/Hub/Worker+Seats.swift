import Domain
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Minibuses: what a passenger books, what a driver answers, and the bookings that a worker tracks for its drivers.
extension Worker {
    // MARK: commands of passengers

    /// Looks at the vehicle's announced way first: whether it leads there, how far that is, and what it costs. What is wrong
    /// with it is told by the function, so that a repeated command gets its first reply.
    func book(_ request: SeatRequest, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        let pickup = GeoPoint(request.pickup)
        let destination = GeoPoint(request.destination)
        let asking = [
            RedisArgument(request.vehicle), RedisArgument(identity.role.rawValue), RedisArgument(identity.subject), "1",
        ]
        dispatch.call("seat_view", asking) { result in
            guard self.sessions[session.connection] === session else { return }
            guard case .success(let reply) = result else {
                return self.refuse(
                    session, message.id, .unavailable,
                    "The hub can't reach its store now; send it again with the same key.")
            }
            let view = reply.bytes.flatMap { try? JSONValue(parsing: $0) }
            let ride = self.measure(from: pickup, to: destination, in: view)
            let fare = FareTable(self.settings.vehicles.fares).fare(route: view?["route"]?.text, metres: ride.metres)
            let (code, detail) = ride.refusal ?? ("", "")
            self.call(
                "seat_book",
                [
                    RedisArgument(identity.subject), RedisArgument(RandomID.make("b_")), RedisArgument(request.vehicle),
                    RedisArgument(pickup.lat), RedisArgument(pickup.lon), RedisArgument(destination.lat),
                    RedisArgument(destination.lon), RedisArgument(request.passengers),
                    RedisArgument(Int(ride.metres.rounded())),
                    fare.map { RedisArgument($0 * request.passengers) } ?? "",
                    RedisArgument(self.settings.vehicles.currency), RedisArgument(message.key ?? ""),
                    RedisArgument(code), RedisArgument(detail),
                    ride.distance.map { RedisArgument(Int($0.rounded())) } ?? "",
                    ride.detour.map { RedisArgument(Int($0.rounded())) } ?? "",
                ], message, session)
        }
    }

    /// What a booking asks of a minibus, in metres: along the announced way, or else by road as the ETA has it.
    private struct SeatRide {
        /// From the pickup to the destination.
        var metres: Double
        /// From where the vehicle is to the pickup; nil: nobody knows where it is.
        var distance: Double?
        /// How much more the vehicle has to drive than its way has; nil: it has announced none.
        var detour: Double?
        /// Why it can't be booked: code, detail.
        var refusal: (String, String)?
    }

    private func measure(from pickup: GeoPoint, to destination: GeoPoint, in view: JSONValue?) -> SeatRide {
        func byRoad(_ from: GeoPoint, _ to: GeoPoint) -> Double {
            let straight = from.distance(to: to)
            return straight * estimator.detour(metres: straight)
        }
        let place = GeoPoint(view?["position"])
        var ride = SeatRide(metres: byRoad(pickup, destination), distance: place.map { byRoad($0, pickup) })
        guard let way = Self.way(view?["way"]) else { return ride }
        let code = ErrorCode.notAvailable.rawValue
        switch way.fit(from: pickup, to: destination, reach: settings.vehicles.wayM) {
        case .fits(let metres, let from, let detour):
            ride.metres = metres
            ride.detour = detour
            // Behind the pickup it must turn round: by road.
            if let place, let along = view?["along"]?.text.flatMap({ Double($0) }), along <= from {
                ride.distance = max(from - along, place.distance(to: pickup))
            }
        case .pickupIsFar(let metres):
            ride.refusal = (code, "field `pickup`: the vehicle's way passes \(Int(metres)) m from there.")
        case .destinationIsFar(let metres):
            ride.refusal = (code, "field `destination`: the vehicle's way passes \(Int(metres)) m from there.")
        case .isBackwards: ride.refusal = (code, "The vehicle goes the other way.")
        }
        return ride
    }

    func vehicleGet(_ vehicle: String, _ message: ClientMessage, _ session: Session) {
        guard let identity = session.identity else { return }
        let arguments = [
            RedisArgument(vehicle), RedisArgument(identity.role.rawValue), RedisArgument(identity.subject),
        ]
        dispatch.call("seat_view", arguments) { result in
            guard self.sessions[session.connection] === session else { return }
            switch result {
            case .success(let reply):
                guard let json = reply.bytes, !json.isEmpty else {
                    return self.refuse(session, message.id, .notFound, "There is no minibus \(vehicle).")
                }
                self.reply(session, message.id, json, to: .vehicleGet)
            case .failure:
                self.refuse(session, message.id, .unavailable, "The hub can't reach its store now; ask again.")
            }
        }
    }

    static func isBooking(_ id: String) -> Bool { id.hasPrefix("b_") }

    // MARK: commands of drivers

    /// Whether it was one of a minibus' commands.
    func carryOutSeats(_ message: ClientMessage, _ session: Session, _ driver: DriverTrack) -> Bool {
        let who = RedisArgument(driver.subject)
        let key = RedisArgument(message.key ?? "")
        switch message.command {
        case .offerSeen(let booking) where Self.isBooking(booking):
            call("seat_seen", [who, RedisArgument(booking)], message, session)
        case .seatAccept(let booking):
            let eta = etaAtAcceptance(driver, booking).map { RedisArgument($0) } ?? ""
            // The passenger is told where the vehicle is: the position that it has sent last, not that of the last tick.
            if driver.isDirty { flushPositions() }
            call("seat_accept", [who, RedisArgument(booking), key, eta], message, session)
        case .seatDecline(let booking):
            call("seat_decline", [who, RedisArgument(booking), key], message, session) { reply in
                if driver.offerPickup?.ride == reply["booking"]?.text { self.offerEnded(driver) }
            }
        case .seatCancel(let booking):
            call("seat_cancel", ["driver", who, RedisArgument(booking ?? "-"), key], message, session)
        case .seatAboard(let booking, let passengers):
            call(
                "seat_aboard",
                [who, RedisArgument(booking), passengers.map { RedisArgument($0) } ?? "", key], message, session)
        case .seatEnd(let booking): call("seat_end", [who, RedisArgument(booking), key], message, session)
        case .seatsSet(let taken, let reason):
            call(
                "seats_set",
                [
                    who, RedisArgument(taken), RedisArgument(settings.vehicles.taxiSeats), key,
                    RedisArgument(reason ?? ""),
                ], message, session)
        case .routeSet(let route, let way): setRoute(route, way, message, session, driver)
        default: return false
        }
        return true
    }

    private func setRoute(
        _ route: String?, _ way: AnnouncedWay?, _ message: ClientMessage, _ session: Session, _ driver: DriverTrack
    ) {
        let json = Self.json(way)
        // Told with it, so that nobody sees the vehicle for a moment as if it were at the beginning.
        let along = progress(of: driver, on: route, Self.way(try? JSONValue(parsing: json)))?.text ?? ""
        call(
            "route_set",
            [
                RedisArgument(driver.subject), RedisArgument(route ?? ""), RedisArgument(message.key ?? ""),
                RedisArgument(json), RedisArgument(along),
            ], message, session
        ) { reply in
            self.go(driver, on: reply["route"]?.text, Self.way(reply["way"]))
            if driver.lastFix != nil { self.soil(driver) }
            self.proposeStops(driver)
        }
    }

    private static func json(_ way: AnnouncedWay?) -> [UInt8] {
        guard let way else { return [] }
        var json = JSONWriter()
        json.beginObject()
        way.encode(into: &json)
        json.endObject()
        return json.bytes
    }

    /// As `route.set` has announced it; nil when there is none.
    static func way(_ json: JSONValue?) -> AnnouncedPath? {
        guard let json, let start = GeoPoint(json["start"]), let end = GeoPoint(json["end"]) else { return nil }
        return AnnouncedPath([start] + (json["via"]?.elements ?? []).compactMap { GeoPoint($0) } + [end])
    }

    // MARK: what a worker tracks

    /// The bookings and the way that Redis has of a driver, after hello or a loss of the link.
    func adoptBookings(_ driver: DriverTrack, _ snapshot: JSONValue, meta: String, along: String) {
        driver.isMinibus = snapshot["kind"]?.text == VehicleKind.minibus.text.description
        let known = Set((snapshot["bookings"]?.elements ?? []).compactMap { $0["booking"]?.text })
        driver.bookings.removeAll { !known.contains($0.ride.ride) }
        if driver.isMinibus { go(driver, on: snapshot["route"]?.text, Self.way(snapshot["way"]), known: along) }
        for booking in snapshot["bookings"]?.elements ?? [] { assigned(booking, to: driver) }
        if let booking = snapshot["request"]?["booking"]?.text { offered(booking, meta: meta, to: driver) }
        driver.stopsTold = nil
    }

    /// An event on the driver's channel about its bookings.
    func noticedSeats(_ type: String, _ data: JSONValue, meta: String, by driver: DriverTrack) {
        let booking = data["booking"]?.text ?? ""
        switch type {
        case "seat.requested": offered(booking, meta: meta, to: driver)
        case "seat.withdrawn": offerEnded(driver)
        case "seat.assigned":
            offerEnded(driver)
            assigned(data, to: driver)
        case "seat.aboard":
            guard let index = driver.bookings.firstIndex(where: { $0.ride.ride == booking }) else { return }
            driver.bookings[index].ride.isAboard = true
        case "seat.ended", "seat.cancelled": driver.bookings.removeAll { $0.ride.ride == booking }
        default: return
        }
        proposeStops(driver)
    }

    private func assigned(_ booking: JSONValue, to driver: DriverTrack) {
        guard let id = booking["booking"]?.text, let pickup = GeoPoint(booking["pickup"]),
            let destination = GeoPoint(booking["destination"])
        else { return }
        let isAboard = booking["state"]?.text == "aboard"
        if let index = driver.bookings.firstIndex(where: { $0.ride.ride == id }) {
            driver.bookings[index].ride.isAboard = driver.bookings[index].ride.isAboard || isAboard
            return
        }
        let notified = booking["notified"]?.double.flatMap { ProximityRung(rawValue: Int($0)) } ?? .none
        let ride = RideTrack(
            ride: id, pickup: pickup, isAboard: isAboard, ladder: ProximityLadder(restored: notified, radii: radii),
            eta: ETAReporter(settings: etaRules))
        driver.bookings.append(BookingTrack(ride: ride, destination: destination))
        if let fix = driver.lastFix { approachBookings(driver, fix, after: nil) }
    }

    // MARK: on the way

    /// The ladders and the ETAs of those who wait for this vehicle.
    func approachBookings(_ driver: DriverTrack, _ fix: Fix, after previous: Fix?) {
        for index in driver.bookings.indices where !driver.bookings[index].ride.isAboard {
            let (events, eta) = advance(
                &driver.bookings[index].ride, to: fix, after: previous, isSure: driver.isLastFixSure)
            let ride = driver.bookings[index].ride
            alert("seat_alert", driver, ride, events)
            if let eta { publishETA(.seat, driver, ride, fix, seconds: eta) }
        }
    }

    /// The order of stops, told to the driver when it is another one than before.
    func proposeStops(_ driver: DriverTrack) {
        let bookings = driver.bookings.map {
            BookingStops(
                booking: $0.ride.ride, pickup: $0.ride.isAboard ? nil : $0.ride.pickup, destination: $0.destination)
        }
        let stops = MinibusStops.order(bookings, from: driver.lastFix?.point, way: driver.way)
        guard stops != driver.stopsTold ?? [] else { return }
        driver.stopsTold = stops
        var json = JSONWriter()
        json.beginObject()
        json.key("stops")
        json.beginArray()
        for stop in stops {
            json.beginObject()
            json.member("booking", stop.booking)
            json.member("what", stop.isPickup ? "pickup" : "drop_off")
            json.member("lat", stop.place.lat)
            json.member("lon", stop.place.lon)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        for session in driver.sessions where session.phase == .live {
            let channel = session.identity?.channel ?? ""
            send(session, Encode.state(channel: channel, type: "seat.stops", time: now(), data: json.bytes))
        }
    }
}

/// A confirmed booking of a minibus, as far as judging fixes needs it.
struct BookingTrack {
    /// Its way to the pickup; `ride` is the booking's id.
    var ride: RideTrack
    let destination: GeoPoint
}

extension GeoPoint {
    init(_ place: Place) { self.init(lat: place.lat, lon: place.lon) }

    /// Of an object with `lat` and `lon`.
    fileprivate init?(_ json: JSONValue?) {
        guard let lat = json?["lat"]?.double, let lon = json?["lon"]?.double else { return nil }
        self.init(lat: lat, lon: lon)
    }
}
