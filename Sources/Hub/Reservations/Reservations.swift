import Domain
import RedisLink
import Settings
import Wire

/// Taxis for a time ahead. What is asked gets its zone and its time on the city's clock here; all else is decided in reservation.lua,
/// where the sweep has the search begin.
final class Reservations: Capability {
    let services: WorkerServices
    private let fares: TaxiFares

    init(_ services: WorkerServices, _ fares: TaxiFares) {
        self.services = services
        self.fares = fares
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .reservations(let command) = message.command else { return false }
        let who = RedisArgument(identity.subject)
        switch command {
        case .make(let wish): make(wish, message, session, who)
        case .list: list("reservation_list", ["passenger": who], message, session)
        case .cancel(let id):
            call(
                "reservation_cancel",
                [
                    "passenger": who, "reservation": RedisArgument(id), "key": RedisArgument(message.key ?? ""),
                    "by": RedisArgument(by(message, session)),
                ], message, session)
        }
        return true
    }

    private func make(_ wish: Reservation, _ message: ClientMessage, _ session: Session, _ who: RedisArgument) {
        // The time zone comes with the lines.
        guard catalog.isKnown else {
            return refuse(session, message.id, .unavailable, "The city's clock is being loaded; try again in a moment.")
        }
        let pickup = GeoPoint(lat: wish.pickup.lat, lon: wish.pickup.lon)
        switch zones.place(of: pickup) {
        case .refused(let code, let detail): refuse(session, message.id, code, detail)
        case .zone(let zone):
            let local = catalog.time.dateTime(at: wish.at)
            let fare = fares.estimate(
                from: pickup, to: GeoPoint(lat: wish.destination.lat, lon: wish.destination.lon),
                passengers: wish.passengers, at: wish.at, isReserved: true
            ).fare
            call(
                "reservation_make",
                [
                    "passenger": who, "reservation": RedisArgument(RandomID.make("v_")), "zone": RedisArgument(zone),
                    "lat": RedisArgument(wish.pickup.lat), "lon": RedisArgument(wish.pickup.lon),
                    "to_lat": RedisArgument(wish.destination.lat), "to_lon": RedisArgument(wish.destination.lon),
                    "passengers": RedisArgument(wish.passengers),
                    "needs": RedisArgument((wish.needs ?? []).joined(separator: " ")),
                    // Who has planned ahead is not let down by a border.
                    "near": RedisArgument(zones.around(pickup, rings: max(1, settings.dispatch.neighbours))),
                    "at": RedisArgument(wish.at),
                    "local": RedisArgument(local), "time_zone": RedisArgument(catalog.current.timeZone),
                    "key": RedisArgument(message.key ?? ""), "by": RedisArgument(by(message, session)),
                    "payment": wish.payment == .digital ? "digital" : "",
                    "estimate": fare.map { RedisArgument("\($0.amount) \(settings.vehicles.currency)") } ?? "",
                ], message, session)
        }
    }
}
