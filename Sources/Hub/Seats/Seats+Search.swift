import Domain
import RedisLink
import Settings
import WebSocketServer
import Wire

/// Seats in any minibus that goes there (`seat.request`): this worker judges those that are near, wherever their drivers are
/// connected, as Redis has where they are and the catalog is here. What comes of it Redis does (seat_search.lua).
extension Seats {
    /// How far from the pickup a minibus is looked for, metres; how many are looked at, and asked at most.
    static let looked = 64
    private static let (radius, asked) = (10_000, 16)

    func search(
        _ pickup: Place, _ destination: Place, _ passengers: Int, _ payment: PaymentMethod?, _ message: ClientMessage,
        _ session: Session, _ identity: Identity
    ) {
        let full = "\(Self.waiting) of your searches wait for their turn; send it again when they are answered."
        inTurn(searches, message, session, orRefuse: full) { ended in
            self.look(pickup, destination, passengers, payment, message, session, identity, ended)
        }
    }

    /// How many searches of one subject wait, and of all are under way at once: with 64 minibuses near each takes Redis some ms.
    static let (waiting, underWay) = (8, 2)

    /// Its turn has come. False: it was refused.
    private func look(
        _ pickup: Place, _ destination: Place, _ passengers: Int, _ payment: PaymentMethod?, _ message: ClientMessage,
        _ session: Session, _ identity: Identity, _ ended: @escaping () -> Void
    ) -> Bool {
        let near: FunctionArguments = [
            "lat": RedisArgument(pickup.lat), "lon": RedisArgument(pickup.lon), "radius_m": RedisArgument(Self.radius),
            "most": RedisArgument(Self.looked), "passenger": RedisArgument(identity.subject),
            "key": RedisArgument(message.key ?? ""), "by": RedisArgument(by(message, session)),
        ]
        // Paid as it begins, by what the last one has looked at, and made even when it is over, before the next ones have their turn. Who has a
        // half of the rate left may begin: the last one may have looked where there were many more.
        let budget = session.budget
        let price = min(searchPrice, budget.bucket.capacity / 2)
        let paid = CommandPrice.of(message.command)
        guard services.budgets.take(price, besides: paid, of: session, message.id) else { return false }
        functions.call("seat_near", near) { result in
            defer { ended() }
            guard case .success(let reply) = result else {
                guard self.sessions.has(session) else { return }
                return self.refuse(
                    session, message.id, .unavailable,
                    "The hub can't reach its store now; send it again with the same key.")
            }
            // Its key is known, or its operator has done too much: nothing was looked for.
            if reply.bytes?.first != UInt8(ascii: "[") {
                self.services.budgets.giveBack(price, to: budget)
                guard self.sessions.has(session) else { return }
                return self.answer(RedisFunctions.answer(.success(reply)), to: message, session)
            }
            let vehicles = reply.bytes.flatMap { try? JSONValue(parsing: $0) }?.elements ?? []
            self.searchPrice = CommandPrice.minibuses(vehicles.count, bytes: reply.bytes?.count ?? 0)
            let more = self.searchPrice - price
            if more < 0 {
                self.services.budgets.giveBack(-more, to: budget)
            } else {
                self.services.budgets.charge(more, to: budget)
            }
            guard self.sessions.has(session) else { return }
            let found = self.candidates(vehicles, from: GeoPoint(pickup), to: GeoPoint(destination))
            let able = found.filter { $0.free >= passengers }.prefix(Self.asked)
            let lines = able.map { self.line($0, passengers) }.joined(separator: "\n")
            self.call(
                "seat_request",
                [
                    "passenger": RedisArgument(identity.subject), "booking": RedisArgument(RandomID.make("b_")),
                    "lat": RedisArgument(pickup.lat), "lon": RedisArgument(pickup.lon),
                    "to_lat": RedisArgument(destination.lat), "to_lon": RedisArgument(destination.lon),
                    "passengers": RedisArgument(passengers),
                    "currency": RedisArgument(self.settings.vehicles.currency), "next": RedisArgument(lines),
                    "full": able.count < found.count ? "1" : "", "key": RedisArgument(message.key ?? ""),
                    "by": RedisArgument(self.by(message, session)),
                    "payment": payment == .digital ? "digital" : "",
                    "zone": RedisArgument(self.zones.id(of: GeoPoint(pickup)) ?? ""),
                ], message, session)
        }
        return true
    }

    /// A minibus that will pass the pickup and then go to the destination. Metres.
    private struct Candidate {
        let vehicle: String
        let route: String?
        let free: Int
        let ridden: Double
        /// What is paid for of that.
        let paid: Double
        let toPickup: Double
        /// Nil: its route says nothing of that.
        let detour: Double?
        /// What it has to drive for them, and what they ride for nothing.
        var metres: Double { toPickup + (detour ?? 0) + ridden - paid }
    }

    /// Those that go there, by how far they have to drive.
    private func candidates(_ vehicles: [JSONValue], from pickup: GeoPoint, to destination: GeoPoint) -> [Candidate] {
        let index = routeIndex()
        let byRoad = settings.detour.metres(from: pickup, to: destination)
        let places = vehicles.map { view -> [PathPlace] in
            guard view["way"] == nil, let vehicle = view["vehicle"]?.text else { return [] }
            return index.places(of: vehicle, route: view["route"]?.text, along: view["along"]?.text ?? "")
        }
        let leading = index.leading(from: pickup, to: destination, reach: settings.vehicles.wayM)
        let found = zip(vehicles, places).compactMap { view, places -> Candidate? in
            guard let vehicle = view["vehicle"]?.text, let place = GeoPoint(view["position"]) else { return nil }
            let free = Int(view["free"]?.double ?? 0)
            let route = view["route"]?.text
            if let way = AnnouncedPath(view["way"]) {
                guard
                    case .fits(let metres, let from, let detour) = way.fit(
                        from: pickup, to: destination, reach: settings.vehicles.wayM)
                else { return nil }
                let along = view["along"]?.text.flatMap { Double($0) } ?? 0
                guard along <= from + Self.passedMetres else { return nil }
                return Candidate(
                    vehicle: vehicle, route: route, free: free, ridden: metres,
                    paid: fares.paidMetres(metres, from: pickup, to: destination),
                    toPickup: max(from - along, place.distance(to: pickup)), detour: detour)
            }
            guard places.contains(where: { place in leading[place.way].map { place.step <= $0 } ?? false }) else {
                return nil
            }
            return Candidate(
                vehicle: vehicle, route: route, free: free, ridden: byRoad, paid: byRoad,
                toPickup: settings.detour.metres(from: place, to: pickup), detour: nil)
        }
        return found.sorted { ($0.metres, $0.vehicle) < ($1.metres, $1.vehicle) }
    }

    /// So far behind the pickup, metres, a minibus may still be standing there.
    private static let passedMetres = 50.0

    /// As `next_candidate` in seat.lua reads it.
    private func line(_ candidate: Candidate, _ passengers: Int) -> String {
        func whole(_ metres: Double?) -> String { metres.map { "\(Int($0.rounded()))" } ?? "-" }
        let fare = fares.fare(route: candidate.route, metres: candidate.paid, passengers: passengers)
        let price = fare.map { "\($0)" } ?? "-"
        return "\(candidate.vehicle) \(whole(candidate.ridden)) \(price) \(whole(candidate.toPickup)) "
            + whole(candidate.detour)
    }

    private func routeIndex() -> PathIndex {
        if let routes, routes.version == catalog.version { return routes.index }
        let index = PathIndex { self.patterns.of($0) }
        routes = (index, catalog.version)
        return index
    }
}
