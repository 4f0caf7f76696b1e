import Domain
import Logging
import RedisLink
import Settings
import Wire

extension Rides {
    /// `ride.end`. Where taxis have fares, the meter is read first, the fare is worked out here, and the function that ends the ride writes
    /// it down: the arithmetic is that of estimates, in one place.
    func end(
        _ ride: String?, _ payment: PaymentMethod?, _ vehicle: VehicleTrack, _ message: ClientMessage,
        _ session: Session
    ) {
        let zone = zone(of: vehicle)
        guard settings.fares.areSet else {
            return finish(ride, payment, nil, nil, zone, vehicle, message, session)
        }
        // The way ends where the driver was last, not where the last tick had it.
        positions.flush(vehicle)
        functions.call(
            "trip_meter", ["driver": RedisArgument(vehicle.subject), "ride": RedisArgument(ride ?? "")]
        ) { result in
            guard self.sessions.has(session) else { return }
            switch result {
            case .success(let reply):
                let meter = TripMeter(reply)
                let fare = meter.flatMap { self.fares.fare(of: $0, to: zone == "?" || zone.isEmpty ? nil : zone) }
                self.finish(ride, payment, meter, fare, zone, vehicle, message, session)
            case .failure(let failure):
                if case .server(let text) = failure { self.log.error("trip_meter failed: \(text)") }
                self.refuse(
                    session, message.id, .unavailable,
                    "The hub can't reach its store now; send it again with the same key.")
            }
        }
    }

    private func finish(
        _ ride: String?, _ payment: PaymentMethod?, _ meter: TripMeter?, _ fare: TaxiFare?, _ zone: String,
        _ vehicle: VehicleTrack, _ message: ClientMessage, _ session: Session
    ) {
        call(
            "ride_finish",
            [
                "driver": RedisArgument(vehicle.subject), "ride": RedisArgument(ride ?? meter?.ride ?? ""),
                "zone": RedisArgument(zone), "key": RedisArgument(message.key ?? ""),
                "payment": RedisArgument(payment?.rawValue ?? ""),
                "clock": RedisArgument(catalog.time.dateTime(at: now())),
                "metres": meter.map { RedisArgument($0.trip.metres) } ?? "",
                "fare": fare.map { RedisArgument($0.amount) } ?? "",
                "currency": RedisArgument(settings.vehicles.currency), "parts": RedisArgument(fare?.text ?? ""),
            ], message, session
        ) { reply in self.ended(reply, vehicle) }
    }

    /// Of a fix that is worse, metres, nobody knows in which zone it is.
    private static let tollAccuracy = 50.0

    /// A taxi with a passenger has come into a zone: if that costs a toll, it is noted with the ride.
    func noteToll(_ driver: TaxiDriver, _ vehicle: VehicleTrack, _ ride: PickupApproach, _ fix: Fix) {
        guard !settings.fares.tolls.isEmpty, fix.effectiveAccuracy <= Self.tollAccuracy else { return }
        guard let zone = zones.id(of: fix.point) else { return }
        let place = "\(ride.id) \(zone)"
        guard place != driver.tollPlace else { return }
        driver.tollPlace = place
        guard settings.fares.tollsByZone[zone] != nil, zones.id(of: ride.pickup) != zone else { return }
        functions.retryUntilDone(
            "trip_toll",
            ["driver": RedisArgument(vehicle.subject), "ride": RedisArgument(ride.id), "zone": RedisArgument(zone)])
    }
}
