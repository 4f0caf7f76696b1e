import Domain
import RedisLink
import Settings
import Wire

/// What seats in a minibus cost and ask of it, by its route and the way that its driver has announced: before they are booked, and as they are.
/// Used on the worker's loop.
final class SeatFares {
    private let services: WorkerServices

    init(_ services: WorkerServices) { self.services = services }

    /// What a booking asks of a minibus, in metres: along the announced way, or else by road as the ETA has it.
    struct Way {
        /// From the pickup to the destination.
        var metres: Double
        /// From where the vehicle is to the pickup; nil: nobody knows where it is.
        var distance: Double?
        /// How much more the vehicle has to drive than its way has; nil: it has announced none.
        var detour: Double?
        /// Why it can't be booked.
        var refusal: (code: ErrorCode, detail: String)?
    }

    /// What a minibus is now (`seat_view`), as who asks may see it. Nil: there is no such minibus.
    func look(
        at vehicle: String, for identity: Identity, _ then: @escaping (Result<JSONValue?, RedisFailure>) -> Void
    ) {
        let arguments: FunctionArguments = [
            "vehicle": RedisArgument(vehicle), "role": RedisArgument(identity.role.rawValue),
            "subject": RedisArgument(identity.subject), "along": "1",
        ]
        services.functions.call("seat_view", arguments) { result in
            then(result.map { reply in reply.bytes.flatMap { try? JSONValue(parsing: $0) } })
        }
    }

    /// `view`: of the minibus.
    func way(from pickup: GeoPoint, to destination: GeoPoint, in view: JSONValue?) -> Way {
        func byRoad(_ from: GeoPoint, _ to: GeoPoint) -> Double {
            services.settings.detour.metres(from: from, to: to)
        }
        let place = GeoPoint(view?["position"])
        var ride = Way(metres: byRoad(pickup, destination), distance: place.map { byRoad($0, pickup) })
        guard let way = AnnouncedPath(view?["way"]) else { return ride }
        switch way.fit(from: pickup, to: destination, reach: services.settings.vehicles.wayM) {
        case .fits(let metres, let from, let detour):
            ride.metres = metres
            ride.detour = detour
            // Behind the pickup it must turn round: by road.
            if let place, let along = view?["along"]?.text.flatMap({ Double($0) }), along <= from {
                ride.distance = max(from - along, place.distance(to: pickup))
            }
        case .pickupIsFar(let metres):
            ride.refusal = (.notAvailable, "field `pickup`: the vehicle's way passes \(Int(metres)) m from there.")
        case .destinationIsFar(let metres):
            ride.refusal = (.notAvailable, "field `destination`: the vehicle's way passes \(Int(metres)) m from there.")
        case .isBackwards: ride.refusal = (.notAvailable, "The vehicle goes the other way.")
        }
        return ride
    }

    /// Of a party on a way in the minibus that `view` shows, hundredths; nil: none is set.
    func fare(of way: Way, from pickup: GeoPoint, to destination: GeoPoint, in view: JSONValue?, passengers: Int)
        -> Int?
    {
        fare(
            route: view?["route"]?.text, metres: paidMetres(way.metres, from: pickup, to: destination),
            passengers: passengers)
    }

    /// Of a party, hundredths; nil: none is set. `metres`: that are paid for.
    func fare(route: String?, metres: Double, passengers: Int) -> Int? {
        FareTable(services.settings.vehicles.fares).fare(route: route, metres: metres).map { $0 * passengers }
    }

    /// Of a way, what is paid for, metres: one that its driver has announced may wind, but nobody pays for more than twice the way
    /// by road.
    func paidMetres(_ metres: Double, from pickup: GeoPoint, to destination: GeoPoint) -> Double {
        min(metres, 2 * services.settings.detour.metres(from: pickup, to: destination))
    }
}
