import Domain
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Minibuses: what a passenger books, what a driver answers, and the bookings and the way of the drivers that are connected here.
final class Seats: DeliveryListener {
    let services: WorkerServices
    let positions: Positions
    let requests: OpenRequests
    let patterns: RoutePatterns
    let fares: SeatFares
    private let learning: TravelLearning
    /// The routes of minibuses, for `seat.request`, and the catalog that they are of.
    var routes: (index: PathIndex, version: String)?
    /// What the last `seat.request` paid for the minibuses that it has looked at: the next one begins with as much.
    var searchPrice = CommandPrice.minibuses(Seats.looked, bytes: 0)
    let searches = SubjectTurns(most: Seats.underWay, mostOfSubject: Seats.waiting)

    private var minibuses: [String: Minibus] = [:]
    private static let pickup = PickupKind(
        alert: "seat_alert", eta: "seat.eta", idField: "booking", vehicleField: "vehicle", isShared: true)

    init(
        _ services: WorkerServices, _ positions: Positions, _ requests: OpenRequests, _ patterns: RoutePatterns,
        _ learning: TravelLearning, _ fares: SeatFares
    ) {
        self.services = services
        self.positions = positions
        self.requests = requests
        self.patterns = patterns
        self.learning = learning
        self.fares = fares
    }

    // MARK: commands

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        // A minibus is asked by offers, too.
        if case .rides(.offerSeen(let booking)) = message.command, Self.isBooking(booking) {
            return seen(booking, message, session)
        }
        guard case .seats(let command) = message.command else { return false }
        if case .vehicleGet(let vehicle) = command {
            getVehicle(vehicle, message, session, identity)
            return true
        }
        switch identity.role {
        case .driver: return handleDriver(command, message, session)
        case .passenger: return handlePassenger(command, message, session, identity)
        default: return false
        }
    }

    private func handlePassenger(
        _ command: SeatCommand, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) -> Bool {
        switch command {
        case .seatBook(let request): book(request, message, session, identity)
        case .seatRequest(let pickup, let destination, let passengers, let payment):
            search(pickup, destination, passengers, payment, message, session, identity)
        case .seatCancel(let booking):
            call(
                "seat_cancel",
                [
                    "role": "passenger", "subject": RedisArgument(identity.subject),
                    "booking": RedisArgument(booking ?? ""), "key": RedisArgument(message.key ?? ""),
                    "by": RedisArgument(by(message, session)),
                ], message, session)
        case .seatsSet, .routeSet, .seatAccept, .seatDecline, .seatAboard, .seatEnd, .vehicleGet: return false
        }
        return true
    }

    private func seen(_ booking: String, _ message: ClientMessage, _ session: Session) -> Bool {
        guard let vehicle = positions.vehicle(of: session), minibuses[vehicle.subject] != nil else { return false }
        call(
            "seat_seen", ["driver": RedisArgument(vehicle.subject), "booking": RedisArgument(booking)], message, session
        )
        return true
    }

    private func handleDriver(_ command: SeatCommand, _ message: ClientMessage, _ session: Session) -> Bool {
        guard let vehicle = positions.vehicle(of: session), let minibus = minibuses[vehicle.subject] else {
            return false
        }
        let who = RedisArgument(vehicle.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .seatAccept(let booking):
            let eta = requests.secondsToPickup(booking, of: vehicle).map { RedisArgument($0) } ?? ""
            // The passenger is told where the vehicle is: the position that it has sent last, not that of the last tick.
            positions.flush(vehicle)
            call(
                "seat_accept", ["driver": who, "booking": RedisArgument(booking), "key": key, "eta_s": eta], message,
                session)
        case .seatDecline(let booking):
            call("seat_decline", ["driver": who, "booking": RedisArgument(booking), "key": key], message, session) {
                reply in
                if let booking = reply["booking"]?.text { self.requests.end(booking, of: vehicle) }
            }
        case .seatCancel(nil):
            refuse(
                session, message.id, .badMessage,
                "field `booking`: expected the id of the booking to cancel, as seat.requested has it", field: "booking")
        case .seatCancel(let booking?):
            // Whether it has waited at the pickup goes by the position that it has sent last.
            positions.flush(vehicle)
            call(
                "seat_cancel",
                ["role": "driver", "subject": who, "booking": RedisArgument(booking), "key": key], message,
                session)
        case .seatAboard(let booking, let passengers):
            call(
                "seat_aboard",
                [
                    "driver": who, "booking": RedisArgument(booking),
                    "passengers": passengers.map { RedisArgument($0) } ?? "", "key": key,
                ], message, session)
        case .seatEnd(let booking, let payment):
            call(
                "seat_end",
                [
                    "driver": who, "booking": RedisArgument(booking), "key": key,
                    "payment": RedisArgument(payment?.rawValue ?? ""),
                    "clock": RedisArgument(catalog.time.dateTime(at: now())),
                ], message, session)
        case .seatsSet(let taken, let reason):
            call(
                "seats_set",
                [
                    "driver": who, "taken": RedisArgument(taken), "seats": RedisArgument(settings.vehicles.taxiSeats),
                    "key": key, "why": RedisArgument(reason ?? ""),
                ], message, session)
        case .routeSet(let route, let way): setRoute(route, way, message, session, vehicle, minibus)
        case .seatBook, .seatRequest, .vehicleGet: return false
        }
        return true
    }

    private static func isBooking(_ id: String) -> Bool { id.hasPrefix("b_") }

    /// Looks at the vehicle's announced way first: whether it leads there, how far that is, and what it costs. What is wrong
    /// with it is told by the function, so that a repeated command gets its first reply.
    private func book(_ request: SeatRequest, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        let pickup = GeoPoint(request.pickup)
        let destination = GeoPoint(request.destination)
        fares.look(at: request.vehicle, for: identity) { result in
            guard self.sessions.has(session) else { return }
            guard case .success(let view) = result else {
                return self.refuse(
                    session, message.id, .unavailable,
                    "The hub can't reach its store now; send it again with the same key.")
            }
            let ride = self.fares.way(from: pickup, to: destination, in: view)
            let fare = self.fares.fare(
                of: ride, from: pickup, to: destination, in: view, passengers: request.passengers)
            self.call(
                "seat_book",
                [
                    "passenger": RedisArgument(identity.subject), "booking": RedisArgument(RandomID.make("b_")),
                    "vehicle": RedisArgument(request.vehicle), "lat": RedisArgument(pickup.lat),
                    "lon": RedisArgument(pickup.lon), "to_lat": RedisArgument(destination.lat),
                    "to_lon": RedisArgument(destination.lon), "passengers": RedisArgument(request.passengers),
                    "way_m": RedisArgument(Int(ride.metres.rounded())),
                    "fare": fare.map { RedisArgument($0) } ?? "",
                    "currency": RedisArgument(self.settings.vehicles.currency), "key": RedisArgument(message.key ?? ""),
                    "code": RedisArgument(ride.refusal?.code.rawValue ?? ""),
                    "detail": RedisArgument(ride.refusal?.detail ?? ""),
                    "pickup_m": ride.distance.map { RedisArgument(Int($0.rounded())) } ?? "",
                    "detour_m": ride.detour.map { RedisArgument(Int($0.rounded())) } ?? "",
                    "by": RedisArgument(self.by(message, session)),
                    "payment": request.payment == .digital ? "digital" : "",
                    "zone": RedisArgument(self.zones.id(of: pickup) ?? ""),
                ], message, session)
        }
    }

    private func getVehicle(_ vehicle: String, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        let arguments: FunctionArguments = [
            "vehicle": RedisArgument(vehicle), "role": RedisArgument(identity.role.rawValue),
            "subject": RedisArgument(identity.subject), "along": "",
        ]
        functions.call("seat_view", arguments) { result in
            guard self.sessions.has(session) else { return }
            switch result {
            case .success(let reply):
                guard let json = reply.bytes, !json.isEmpty else {
                    return self.refuse(session, message.id, .notFound, "There is no minibus \(vehicle).")
                }
                self.reply(session, message.id, json, to: message.command.name)
            case .failure:
                self.refuse(session, message.id, .unavailable, "The hub can't reach its store now; ask again.")
            }
        }
    }

    private func setRoute(
        _ route: String?, _ way: AnnouncedWay?, _ message: ClientMessage, _ session: Session, _ vehicle: VehicleTrack,
        _ minibus: Minibus
    ) {
        let json = Self.json(way)
        // Told with it, so that nobody sees the vehicle for a moment as if it were at the beginning.
        let along = progress(of: minibus, vehicle, on: route, AnnouncedPath(try? JSONValue(parsing: json)))?.text ?? ""
        call(
            "route_set",
            [
                "driver": RedisArgument(vehicle.subject), "route": RedisArgument(route ?? ""),
                "key": RedisArgument(message.key ?? ""), "way": RedisArgument(json), "along": RedisArgument(along),
            ], message, session
        ) { reply in
            self.go(minibus, vehicle, on: reply["route"]?.text, AnnouncedPath(reply["way"]))
            if vehicle.lastFix != nil { self.positions.markDirty(vehicle) }
            self.proposeStops(minibus, vehicle)
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

    // MARK: what the worker knows of its drivers

    /// The bookings and the way that Redis has of a driver.
    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        guard identity.role == .driver, let vehicle = positions.vehicle(of: session) else { return }
        let minibus = minibuses[vehicle.subject] ?? Minibus(self, vehicle)
        minibuses[vehicle.subject] = minibus
        let snapshot = reply.snapshot
        let known = Set((snapshot["bookings"]?.elements ?? []).compactMap { $0["booking"]?.text })
        minibus.bookings.removeAll { !known.contains($0.pickup.id) }
        if vehicle.isMinibus {
            go(minibus, vehicle, on: snapshot["route"]?.text, AnnouncedPath(snapshot["way"]), known: reply.along)
        }
        for booking in snapshot["bookings"]?.elements ?? [] { assigned(booking, minibus, vehicle) }
        if vehicle.isMinibus {
            requests.end(of: vehicle)
            if let booking = snapshot["request"]?["booking"]?.text {
                requests.begin(booking, meta: reply.meta, of: vehicle)
            }
        }
        minibus.stopsTold = nil
    }

    func wentLive(_ session: Session) {
        guard let vehicle = positions.vehicle(of: session), vehicle.isMinibus, let minibus = minibuses[vehicle.subject]
        else { return }
        proposeStops(minibus, vehicle)
    }

    func closed(_ session: Session) {
        guard let identity = session.identity, identity.role == .driver,
            positions.vehicle(identity.subject) == nil
        else { return }
        minibuses[identity.subject] = nil
    }

    /// An event on the driver's channel about its bookings.
    func delivered(_ push: Push, to session: Session) {
        guard push.type.hasPrefix("seat."), !push.seq.isEmpty, let vehicle = positions.vehicle(of: session),
            let minibus = minibuses[vehicle.subject], let data = try? JSONValue(parsing: push.data)
        else { return }
        let booking = data["booking"]?.text ?? ""
        switch push.type {
        case "seat.requested": requests.begin(booking, meta: push.meta, of: vehicle)
        case "seat.withdrawn": requests.end(of: vehicle)
        case "seat.assigned":
            requests.end(of: vehicle)
            assigned(data, minibus, vehicle)
        case "seat.aboard":
            guard let index = minibus.bookings.firstIndex(where: { $0.pickup.id == booking }) else { return }
            minibus.bookings[index].pickup.board()
        case "seat.pickup_moved":
            guard let index = minibus.bookings.firstIndex(where: { $0.pickup.id == booking }),
                let place = GeoPoint(data["position"])
            else { return }
            minibus.bookings[index].pickup.move(to: place)
            if let fix = vehicle.lastFix { approach(minibus, vehicle, fix, after: nil) }
        case "seat.ended", "seat.cancelled": minibus.bookings.removeAll { $0.pickup.id == booking }
        default: return
        }
        proposeStops(minibus, vehicle)
    }

    private func assigned(_ booking: JSONValue, _ minibus: Minibus, _ vehicle: VehicleTrack) {
        guard let destination = GeoPoint(booking["destination"]),
            let new = PickupApproach(booking, id: "booking", radii: settings.radii, eta: settings.etaRules)
        else { return }
        if let index = minibus.bookings.firstIndex(where: { $0.pickup.id == new.id }) {
            if new.isAboard { minibus.bookings[index].pickup.board() }
            minibus.bookings[index].pickup.move(to: new.pickup)
            return
        }
        minibus.bookings.append(Minibus.Booking(pickup: new, destination: destination))
        if let fix = vehicle.lastFix { approach(minibus, vehicle, fix, after: nil) }
    }

    // MARK: on the way

    /// The ladders and the ETAs of those who wait for this vehicle.
    func approach(_ minibus: Minibus, _ vehicle: VehicleTrack, _ fix: Fix, after previous: Fix?) {
        for index in minibus.bookings.indices where !minibus.bookings[index].pickup.isAboard {
            approach(&minibus.bookings[index].pickup, Self.pickup, vehicle, fix, after: previous, learning)
        }
    }

    /// The order of stops, told to the driver when it is another one than before.
    private func proposeStops(_ minibus: Minibus, _ vehicle: VehicleTrack) {
        let asked = minibus.bookings.map {
            BookingStops(
                booking: $0.pickup.id, pickup: $0.pickup.isAboard ? nil : $0.pickup.pickup, destination: $0.destination)
        }
        let stops = MinibusStops.order(asked, from: vehicle.lastFix?.point, way: minibus.way)
        guard stops != minibus.stopsTold ?? [] else { return }
        minibus.stopsTold = stops
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
        for session in vehicle.sessions where session.phase == .live {
            let channel = session.identity?.channel ?? ""
            send(session, Encode.state(channel: channel, type: "seat.stops", time: now(), data: json.bytes))
        }
    }
}

extension AnnouncedPath {
    /// As `route.set` has announced it; nil when there is none.
    init?(_ json: JSONValue?) {
        guard let json, let start = GeoPoint(json["start"]), let end = GeoPoint(json["end"]) else { return nil }
        self.init([start] + (json["via"]?.elements ?? []).compactMap { GeoPoint($0) } + [end])
    }
}
