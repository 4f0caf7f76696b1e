import Domain
import RedisLink
import Settings
import Tokens
import Wire

/// What a trip costs, and what remains of it: estimates, receipts, payments, ratings. All but the estimate is decided in trip.lua and
/// its neighbours.
final class Trips: Capability {
    let services: WorkerServices
    private let fares: TaxiFares
    private let seatFares: SeatFares
    private let learning: TravelLearning

    init(_ services: WorkerServices, _ fares: TaxiFares, _ seatFares: SeatFares, _ learning: TravelLearning) {
        self.services = services
        self.fares = fares
        self.seatFares = seatFares
        self.learning = learning
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .trips(let command) = message.command else { return false }
        let role = RedisArgument(identity.role.rawValue)
        let who = RedisArgument(identity.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .estimate(let question): estimate(question, message, session, identity)
        case .report(let trip, let state, let reference):
            guard identity.claims.scopes.contains(.payments) else {
                refuse(
                    session, message.id, .forbidden,
                    "What became of payments is said by a service whose token has the scope payments.")
                return true
            }
            call(
                "payment_report",
                [
                    "service": who, "trip": RedisArgument(trip), "state": RedisArgument(state.rawValue),
                    "reference": RedisArgument(reference ?? ""), "key": key,
                ], message, session)
        case .receipt(let trip):
            call("receipt_get", ["role": role, "subject": who, "trip": RedisArgument(trip)], message, session)
        case .rate(let trip, let stars, let comment, let routeStars):
            call(
                "trip_rate",
                [
                    "role": role, "subject": who, "trip": RedisArgument(trip), "stars": RedisArgument(stars),
                    "comment": RedisArgument(comment ?? ""), "key": key,
                    "route_stars": routeStars.map { RedisArgument($0) } ?? "",
                ], message, session)
        case .ratings(let person):
            guard let person = whose(person, message, session, identity) else { return true }
            call(
                "rating_get",
                [
                    "role": RedisArgument(person.role.rawValue), "subject": RedisArgument(person.subject),
                    "reader": role,
                ], message, session)
        case .list(let from, let limit, let person):
            guard let person = whose(person, message, session, identity) else { return true }
            let (side, subject) = (RedisArgument(person.role.rawValue), RedisArgument(person.subject))
            list(
                "trip_list",
                [
                    "role": side, "subject": subject, "from": RedisArgument(from ?? ""), "limit": RedisArgument(limit),
                    "reader": role,
                ], rest: { ("trip_rows", ["role": side, "subject": subject, "reader": role, "trips": $0]) }, message,
                session, price: { identity.role == .operator ? CommandPrice.listed($0) : 0 })
        }
        return true
    }

    /// Of whom the sender may ask; nil: it was refused.
    private func whose(
        _ person: TripPerson?, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) -> TripPerson? {
        guard identity.role != .operator else {
            if person == nil {
                refuse(
                    session, message.id, .badMessage,
                    "field `subject`: expected whose, with `role`, as operators have none of their own",
                    field: "subject")
            }
            return person
        }
        let own = TripPerson(role: identity.role == .driver ? .driver : .passenger, subject: identity.subject)
        guard person == nil || person == own else {
            refuse(
                session, message.id, .forbidden, "field `subject`: those of others are for operators.", field: "subject"
            )
            return nil
        }
        return own
    }

    private func estimate(
        _ question: FareQuestion, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        if let vehicle = question.vehicle { return estimateSeats(vehicle, question, message, session, identity) }
        let most = settings.dispatch.maxPassengers
        guard question.passengers <= most else {
            return refuse(
                session, message.id, .tooManyPassengers,
                "At most \(most) passengers can ride; got \(question.passengers).")
        }
        let pickup = GeoPoint(question.pickup)
        if case .refused(let code, let detail) = zones.place(of: pickup) {
            return refuse(session, message.id, code, detail)
        }
        let found = fares.estimate(
            from: pickup, to: GeoPoint(question.destination),
            passengers: question.passengers, at: question.at ?? now(), isReserved: question.isReserved)
        tell(found.fare.map { ($0.amount, $0.parts) }, found.metres, found.seconds, message, session)
    }

    /// What who books them now would be told: by the way that the minibus has announced.
    private func estimateSeats(
        _ vehicle: String, _ question: FareQuestion, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        let (pickup, destination) = (GeoPoint(question.pickup), GeoPoint(question.destination))
        seatFares.look(at: vehicle, for: identity) { result in
            guard self.sessions.has(session) else { return }
            guard case .success(let found) = result else {
                return self.refuse(session, message.id, .unavailable, "The hub can't reach its store now; ask again.")
            }
            guard let view = found else {
                return self.refuse(
                    session, message.id, .notFound, "There is no minibus \(vehicle).", field: "vehicle")
            }
            guard view["state"]?.text == "available" else {
                return self.refuse(session, message.id, .notAvailable, "Minibus \(vehicle) takes no passengers now.")
            }
            let seats = Int(view["capacity"]?.double ?? 0)
            guard question.passengers <= seats else {
                return self.refuse(
                    session, message.id, .tooManyPassengers,
                    "Minibus \(vehicle) has \(seats) seats; got \(question.passengers).")
            }
            let way = self.seatFares.way(from: pickup, to: destination, in: view)
            if let (code, detail) = way.refusal { return self.refuse(session, message.id, code, detail) }
            let amount = self.seatFares.fare(
                of: way, from: pickup, to: destination, in: view, passengers: question.passengers)
            let byRoad = self.settings.detour.metres(from: pickup, to: destination)
            // As fast as taxis, along its own way.
            let seconds =
                self.learning.seconds(from: pickup, to: destination, at: self.now())
                * (byRoad > 0 ? way.metres / byRoad : 1)
            self.tell(
                amount.map { ($0, []) }, Int(way.metres.rounded()), Int(seconds.rounded()),
                message, session)
        }
    }

    private func tell(
        _ fare: (amount: Int, parts: [TaxiFare.Part])?, _ metres: Int, _ seconds: Int, _ message: ClientMessage,
        _ session: Session
    ) {
        var json = JSONWriter()
        json.beginObject()
        json.key("fare")
        if let fare {
            write(fare.amount, fare.parts, &json)
        } else {
            json.null()
        }
        json.member("distance_m", Int64(metres))
        json.member("duration_s", Int64(seconds))
        json.key("is_estimate")
        json.bool(true)
        json.endObject()
        reply(session, message.id, json.bytes, to: message.command.name)
    }

    private func write(_ amount: Int, _ parts: [TaxiFare.Part], _ json: inout JSONWriter) {
        json.beginObject()
        json.member("amount", Int64(amount))
        json.member("currency", settings.vehicles.currency)
        if !parts.isEmpty {
            json.key("parts")
            json.beginArray()
            for part in parts {
                json.beginObject()
                json.member("name", part.name.rawValue)
                json.member("amount", Int64(part.amount))
                if let zone = part.zone { json.member("zone", zone) }
                json.endObject()
            }
            json.endArray()
        }
        json.endObject()
    }
}
