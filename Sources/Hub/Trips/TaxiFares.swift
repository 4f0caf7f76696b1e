import Domain
import RedisLink
import Settings

/// What taxis cost, by the settings: before a ride, and at its end. Used on the worker's loop; asks nobody.
final class TaxiFares {
    private let services: WorkerServices
    private let learning: TravelLearning

    /// On the straight way that an estimate looks for tolls on: a place each 100 m, and no more than these.
    private static let mostPlaces = 200
    private static let placeMetres = 100.0

    init(_ services: WorkerServices, _ learning: TravelLearning) {
        self.services = services
        self.learning = learning
    }

    /// What is expected of a way that begins at `time`, Unix ms. `fare`: nil where none is set.
    struct Estimate {
        let fare: TaxiFare?
        let metres: Int
        let seconds: Int
    }

    /// passengers: more than may ride are refused elsewhere, and no fare is reckoned for them.
    func estimate(
        from pickup: GeoPoint, to goal: GeoPoint, passengers: Int, at time: Int64, isReserved: Bool = false
    ) -> Estimate {
        let metres = Int(services.settings.detour.metres(from: pickup, to: goal).rounded())
        let seconds = Int(learning.seconds(from: pickup, to: goal, at: time).rounded())
        let trip = TaxiTrip(
            metres: metres, seconds: seconds, passengers: min(passengers, services.settings.dispatch.maxPassengers),
            isReserved: isReserved,
            zones: tolls(from: pickup, to: goal))
        return Estimate(
            fare: fare(of: trip, from: zone(of: pickup), to: zone(of: goal), at: time), metres: metres,
            seconds: seconds)
    }

    /// Of a trip that is over. `meter`: the answer of `trip_meter`.
    func fare(of meter: TripMeter, to zone: String?) -> TaxiFare? {
        fare(of: meter.trip, from: meter.zone, to: zone, at: meter.boardedAt)
    }

    private func fare(of trip: TaxiTrip, from: String?, to: String?, at time: Int64) -> TaxiFare? {
        guard services.settings.fares.areSet else { return nil }
        let local = time / 1000 + Int64(services.catalog.time.offset(at: time / 1000))
        return services.settings.fares.fare(of: trip, from: from, to: to, at: Int((local % 86_400 + 86_400) % 86_400))
    }

    private func zone(of point: GeoPoint) -> String? { services.zones.id(of: point) }

    /// Zones with a toll that the straight way comes into.
    private func tolls(from pickup: GeoPoint, to goal: GeoPoint) -> [String] {
        guard services.settings.fares.areSet, !services.settings.fares.tolls.isEmpty else { return [] }
        let tolls = services.settings.fares.tollsByZone
        let own = zone(of: pickup)
        let count = min(Self.mostPlaces, max(1, Int(pickup.distance(to: goal) / Self.placeMetres)))
        var found: [String] = []
        for place in 1...count {
            let part = Double(place) / Double(count)
            let point = GeoPoint(
                lat: pickup.lat + (goal.lat - pickup.lat) * part, lon: pickup.lon + (goal.lon - pickup.lon) * part)
            if let zone = zone(of: point), zone != own, tolls[zone] != nil, !found.contains(zone) { found.append(zone) }
        }
        return found
    }
}

/// What the meter of a taxi says of the ride that it is on.
struct TripMeter {
    let ride: String
    let trip: TaxiTrip
    /// Hub ms.
    let boardedAt: Int64
    /// Of the pickup.
    let zone: String?

    /// Nil: the answer of `trip_meter` that there is no such ride.
    init?(_ reply: RedisReply) {
        guard let parts = reply.array, parts.count == 8, let ride = parts[0].text,
            let metres = Int(parts[1].text ?? ""),
            let seconds = Int(parts[2].text ?? ""), let boardedAt = Int64(parts[3].text ?? "")
        else { return nil }
        self.ride = ride
        self.boardedAt = boardedAt
        zone = parts[5].text
        let tolls = (parts[6].text ?? "").split(separator: "\n").map(String.init)
        trip = TaxiTrip(
            metres: metres, seconds: seconds, passengers: Int(parts[4].text ?? "") ?? 1,
            isReserved: parts[7].text == "1", zones: tolls)
    }
}

extension TaxiFare {
    /// As trip.lua keeps it: `f320`, a part on a line, of a toll its zone behind.
    var text: String {
        parts.map { part in
            let sign = part.name == .toll ? "z" : String(part.name.rawValue.prefix(1))
            return sign + String(part.amount) + (part.zone.map { " " + $0 } ?? "")
        }.joined(separator: "\n")
    }
}
