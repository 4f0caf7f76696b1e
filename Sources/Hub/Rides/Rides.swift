import Domain
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Taxis: ride requests, offers, rides, and the drivers who are free for them.
final class Rides: DeliveryListener {
    let services: WorkerServices
    let positions: Positions
    let requests: OpenRequests
    let queues: QueueRanks
    let fares: TaxiFares
    private let learning: TravelLearning

    private var drivers: [String: TaxiDriver] = [:]
    private static let pickup = PickupKind(
        alert: "ride_alert", eta: "ride.eta", idField: "ride", vehicleField: "taxi", isShared: false)

    init(
        _ services: WorkerServices, _ positions: Positions, _ requests: OpenRequests, _ learning: TravelLearning,
        _ fares: TaxiFares
    ) {
        self.fares = fares
        self.services = services
        self.learning = learning
        self.positions = positions
        self.requests = requests
        queues = QueueRanks(services)
    }

    // MARK: commands

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .rides(let command) = message.command else { return false }
        switch identity.role {
        case .driver: return handleDriver(command, message, session)
        case .passenger: return handlePassenger(command, message, session, identity)
        default: return false
        }
    }

    private func handleDriver(_ command: RideCommand, _ message: ClientMessage, _ session: Session) -> Bool {
        guard let vehicle = positions.vehicle(of: session) else { return false }
        let who = RedisArgument(vehicle.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .driverAvailable:
            // Refused by the function, not here: a repeated command gets its first reply, wherever the driver now is.
            switch positions.place(of: vehicle) {
            case .zone(let zone):
                call(
                    "driver_available",
                    ["driver": who, "zone": RedisArgument(zone), "key": key, "code": "", "detail": ""], message, session
                )
            case .refused(let code, let detail):
                call(
                    "driver_available",
                    [
                        "driver": who, "zone": "", "key": key, "code": RedisArgument(code.rawValue),
                        "detail": RedisArgument(detail),
                    ], message,
                    session)
            }
        case .driverUnavailable: call("driver_unavailable", ["driver": who, "key": key], message, session)
        case .offerSeen(let ride): call("offer_seen", ["driver": who, "ride": RedisArgument(ride)], message, session)
        case .offerAccept(let ride):
            let eta = requests.secondsToPickup(ride, of: vehicle).map { RedisArgument($0) } ?? ""
            metrics.accepts.increment()
            // The passenger is told where the taxi is: the position that it has sent last, not that of the last tick.
            positions.flush(vehicle)
            call(
                "offer_accept", ["driver": who, "ride": RedisArgument(ride), "key": key, "eta_s": eta], message, session
            ) { reply in
                // The push may come after the driver's next fixes. A repeated command's reply is of an offer that is over.
                if let ride = reply["ride"]?.text, self.requests.has(ride, of: vehicle) {
                    self.becomeBusy(vehicle, reply)
                }
            }
        case .offerDecline(let ride):
            call("offer_decline", ["driver": who, "ride": RedisArgument(ride), "key": key], message, session) { reply in
                if let ride = reply["ride"]?.text { self.requests.end(ride, of: vehicle) }
            }
        case .rideAboard(let ride, let passengers):
            let count = passengers.map { RedisArgument($0) } ?? ""
            // Whether it is at the pickup is judged by where it is, not by where the last tick had it.
            positions.flush(vehicle)
            call(
                "ride_aboard", ["driver": who, "ride": RedisArgument(ride ?? ""), "passengers": count, "key": key],
                message, session
            ) { reply in
                // A repeated command's reply may be of an earlier ride.
                if let driver = self.drivers[vehicle.subject], case .busy(var ride) = driver.duty,
                    ride.id == reply["ride"]?.text
                {
                    ride.board()
                    driver.duty = .busy(ride)
                }
            }
        case .rideEnd(let ride, let payment): end(ride, payment, vehicle, message, session)
        case .rideNoshow(let ride):
            // Whether it stands at the pickup goes by the position that it has sent last, not by that of the last tick.
            positions.flush(vehicle)
            call("ride_noshow", ["driver": who, "ride": RedisArgument(ride ?? ""), "key": key], message, session)
        case .rideCancel(let ride):
            call(
                "ride_cancel",
                [
                    "role": "driver", "subject": who, "ride": RedisArgument(ride ?? ""), "key": key,
                    "zone": RedisArgument(zone(of: vehicle)),
                ],
                message,
                session)
        case .rideRequest, .rideSearch, .rideShare, .rideUnshare: return false
        }
        return true
    }

    private func handlePassenger(
        _ command: RideCommand, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) -> Bool {
        let who = RedisArgument(identity.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .rideRequest(let lat, let lon, let passengers, let destination, let needs, let wait, let payment):
            let pickup = GeoPoint(lat: lat, lon: lon)
            switch zones.place(of: pickup) {
            case .refused(let code, let detail): refuse(session, message.id, code, detail)
            case .zone(let zone):
                metrics.requests.increment()
                let estimate = destination.flatMap { goal in
                    fares.estimate(
                        from: pickup, to: GeoPoint(lat: goal.lat, lon: goal.lon), passengers: passengers, at: now()
                    ).fare
                }
                call(
                    "ride_request",
                    [
                        "passenger": who, "ride": RedisArgument(RandomID.make("r_")), "zone": RedisArgument(zone),
                        "lat": RedisArgument(lat), "lon": RedisArgument(lon), "passengers": RedisArgument(passengers),
                        "to_lat": destination.map { RedisArgument($0.lat) } ?? "",
                        "to_lon": destination.map { RedisArgument($0.lon) } ?? "", "key": key,
                        "by": RedisArgument(by(message, session)),
                        "needs": RedisArgument((needs ?? []).joined(separator: " ")),
                        "near": RedisArgument(zones.around(pickup, rings: settings.dispatch.neighbours)),
                        "wait": wait ? "1" : "", "payment": payment == .digital ? "digital" : "",
                        "estimate": estimate.map { RedisArgument("\($0.amount) \(settings.vehicles.currency)") } ?? "",
                    ], message, session)
            }
        case .rideCancel(let ride):
            call(
                "ride_cancel",
                [
                    "role": "passenger", "subject": who, "ride": RedisArgument(ride ?? ""), "key": key, "zone": "",
                    "by": RedisArgument(by(message, session)),
                ], message, session)
        case .rideSearch(let ride):
            call(
                "ride_search",
                [
                    "passenger": who, "ride": RedisArgument(ride ?? ""), "key": key,
                    "by": RedisArgument(by(message, session)),
                ], message, session)
        case .driverAvailable, .driverUnavailable, .offerSeen, .offerAccept, .offerDecline, .rideAboard, .rideEnd,
            .rideNoshow, .rideShare, .rideUnshare:
            return false
        }
        return true
    }

    // MARK: what the worker knows of its drivers

    /// A ride is over; a repeated command's reply may be of an earlier one.
    func ended(_ reply: JSONValue, _ vehicle: VehicleTrack) {
        guard let driver = drivers[vehicle.subject], case .busy(let ride) = driver.duty, ride.id == reply["ride"]?.text
        else { return }
        learning.learn(from: ride.way.finished, of: vehicle.subject)
        driver.duty = .unavailable
    }

    /// The state that Redis has of a driver.
    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        guard identity.role == .driver, let vehicle = positions.vehicle(of: session) else { return }
        let driver = drivers[vehicle.subject] ?? TaxiDriver(self, vehicle)
        drivers[vehicle.subject] = driver
        let snapshot = reply.snapshot
        // A minibus' open request is the business of `Seats`.
        if !vehicle.isMinibus {
            requests.end(of: vehicle)
            if let ride = snapshot["offer"]?["ride"]?.text { requests.begin(ride, meta: reply.meta, of: vehicle) }
        }
        switch snapshot["state"]?.text {
        case "available": becomeAvailable(vehicle, snapshot["zone"]?.text)
        case "busy": becomeBusy(vehicle, snapshot["ride"])
        default: driver.duty = reply.isLost ? .lost : .unavailable
        }
    }

    func closed(_ session: Session) {
        guard let identity = session.identity, identity.role == .driver,
            positions.vehicle(identity.subject) == nil
        else { return }
        drivers[identity.subject] = nil
        requests.forget(identity.subject)
        queues.forget(identity.subject)
    }

    /// An event on the driver's channel changes what the worker knows.
    func delivered(_ push: Push, to session: Session) {
        guard !push.seq.isEmpty, let vehicle = positions.vehicle(of: session), let driver = drivers[vehicle.subject],
            let data = try? JSONValue(parsing: push.data)
        else { return }
        switch push.type {
        case "queue.joined": becomeAvailable(vehicle, data["zone"]?.text)
        case "queue.left":
            switch data["reason"]?.text {
            case "moved": break
            case "unavailable", "undelivered", "operator": driver.duty = .unavailable
            default: driver.duty = .lost
            }
        case "offer.made": requests.begin(data["ride"]?.text ?? "", meta: push.meta, of: vehicle)
        case "offer.withdrawn": requests.end(of: vehicle)
        case "ride.assigned": becomeBusy(vehicle, data)
        case "ride.pickup_moved":
            guard case .busy(var ride) = driver.duty, ride.id == data["ride"]?.text,
                let place = GeoPoint(data["position"])
            else { return }
            ride.move(to: place)
            driver.duty = .busy(ride)
            if let fix = vehicle.lastFix { approach(driver, vehicle, fix, after: nil) }
        case "ride.cancelled": if case .busy = driver.duty { driver.duty = .unavailable }
        default: break
        }
    }

    private func becomeAvailable(_ vehicle: VehicleTrack, _ zone: String?) {
        guard let zone, let driver = drivers[vehicle.subject] else { return }
        driver.zone = zone
        watchZone(of: driver)
        driver.duty = .available
        queues.joined(vehicle, zone)
    }

    private func becomeBusy(_ vehicle: VehicleTrack, _ ride: JSONValue?) {
        requests.end(of: vehicle)
        queues.left(vehicle)
        guard let driver = drivers[vehicle.subject], let ride,
            let new = PickupApproach(ride, id: "ride", radii: settings.radii, eta: settings.etaRules)
        else { return }
        if case .busy(var known) = driver.duty, known.id == new.id {
            if new.isAboard { known.board() }
            known.move(to: new.pickup)
            driver.duty = .busy(known)
            return
        }
        driver.duty = .busy(new)
        if let fix = vehicle.lastFix { approach(driver, vehicle, fix, after: nil) }
    }
}

/// What a worker knows of a taxi driver that is connected to it.
final class TaxiDriver: VehicleFollower {
    enum Duty {
        case unavailable
        /// Out of its queue against its will; the first good fix in a zone brings it back.
        case lost
        case available
        case busy(PickupApproach)
    }

    var duty = Duty.unavailable
    /// The zone of its queue while available, and whether it is about to leave it.
    var zone: String?
    var tracker: ZoneTracker?
    /// A function was called for this driver's zone and has not answered.
    var isMoving = false
    /// The ride, and the zone of the last fix on it, where zones have tolls.
    var tollPlace = ""
    private let rides: Rides

    /// Follows the vehicle from now on.
    init(_ rides: Rides, _ vehicle: VehicleTrack) {
        self.rides = rides
        vehicle.followers.append(self)
    }

    func moved(_ vehicle: VehicleTrack, to fix: Fix, _ accepted: PositionFilter.Accepted, isTold: Bool) {
        guard isTold else { return }
        rides.approach(self, vehicle, fix, after: accepted.previous)
        if !vehicle.isMinibus { rides.crossZones(self, vehicle, fix) }
    }

    func stands(_ vehicle: VehicleTrack, at fix: Fix) { rides.approach(self, vehicle, fix, after: nil) }
}

// MARK: - on the road

extension Rides {
    /// The ladder and the ETA of the ride that the driver is on.
    func approach(_ driver: TaxiDriver, _ vehicle: VehicleTrack, _ fix: Fix, after previous: Fix?) {
        guard case .busy(var ride) = driver.duty else { return }
        if ride.isAboard {
            if previous != nil { ride.ride(fix.point, measuredAt: vehicle.heardAt) }
            noteToll(driver, vehicle, ride, fix)
        } else if approach(&ride, Self.pickup, vehicle, fix, after: previous, learning) {
            learning.learn(from: ride.way.finished, of: vehicle.subject)
        }
        driver.duty = .busy(ride)
    }

    /// The id of the zone where a driver is; empty when outside, `?` when unknown, which is not the same.
    func zone(of vehicle: VehicleTrack) -> String {
        guard let fix = vehicle.lastFix else { return "?" }
        switch zones.set.lookup(fix.point) {
        case .zone(let index): return zones.set?.zones[index].id ?? "?"
        case .outside: return ""
        case .unknown: return "?"
        }
    }

    func settingsChanged() {
        for driver in drivers.values { watchZone(of: driver) }
    }

    /// The tracker of the queue that the driver is in; none when its zone is not among the present ones.
    private func watchZone(of driver: TaxiDriver) {
        driver.tracker = driver.zone.flatMap { zones.set?.index(ofID: $0) }.map { ZoneTracker(zone: $0) }
    }

    func crossZones(_ driver: TaxiDriver, _ vehicle: VehicleTrack, _ fix: Fix) {
        guard let set = zones.set, !driver.isMoving else { return }
        switch driver.duty {
        case .available:
            guard driver.tracker != nil else {
                // Its zone is no more since the zones were reloaded.
                if case .zone(let zone) = zones.place(of: fix.point) {
                    change(
                        driver, vehicle, "driver_move",
                        ["driver": RedisArgument(vehicle.subject), "zone": RedisArgument(zone)])
                } else {
                    change(driver, vehicle, "driver_outside", ["driver": RedisArgument(vehicle.subject)])
                }
                return
            }
            switch driver.tracker?.update(fix, zones: set, settings: settings.zoneRules) {
            case .leave?: change(driver, vehicle, "driver_outside", ["driver": RedisArgument(vehicle.subject)])
            case .switch(let index)?:
                change(
                    driver, vehicle, "driver_move",
                    ["driver": RedisArgument(vehicle.subject), "zone": RedisArgument(set.zones[index].id)])
            default: break
            }
        case .lost:
            guard case .zone(let zone) = zones.place(of: fix.point) else { return }
            change(
                driver, vehicle, "driver_recover",
                ["driver": RedisArgument(vehicle.subject), "zone": RedisArgument(zone)])
        default: break
        }
    }

    /// Calls a function that changes the driver's queue; what came of it arrives as a push on the driver's channel.
    private func change(
        _ driver: TaxiDriver, _ vehicle: VehicleTrack, _ function: String, _ arguments: FunctionArguments
    ) {
        driver.isMoving = true
        functions.call(function, arguments) { result in
            driver.isMoving = false
            switch result {
            case .success(let reply):
                // Not now: it is still of the zone that it was of.
                if function == "driver_move", reply.int == 0 { self.watchZone(of: driver) }
                if function == "driver_recover", reply.int == 0, case .lost = driver.duty { driver.duty = .unavailable }
            case .failure(let failure):
                if case .server(let text) = failure { self.log.error("\(function) failed: \(text)") }
                // It has not moved: the next fixes count anew.
                self.watchZone(of: driver)
            }
        }
    }
}
