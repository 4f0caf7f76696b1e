import Domain
import EventLoop
import RedisLink
import Settings
import Wire

/// What an operator asks and does by hand. The functions decide; each act has its entry in the audit.
final class Office: Capability {
    let services: WorkerServices

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .office(let command) = message.command else { return false }
        let who = RedisArgument(identity.subject)
        let key = RedisArgument(message.key ?? "")
        switch command {
        case .queue(let zone):
            guard let set = zones.set, set.zones.contains(where: { $0.id == zone }) else {
                refuse(
                    session, message.id, .notFound, "field `zone`: \(settings.city.id) has no zone \(zone).",
                    field: "zone")
                return true
            }
            inLists(message, session) { ended in
                self.read(QueueListing(zone: zone), message, session, ended)
                return true
            }
        case .driver(let driver): call("office_driver", ["driver": RedisArgument(driver)], message, session)
        case .ride(let ride): call("office_ride", ["ride": RedisArgument(ride)], message, session)
        case .remove(let driver, let reason):
            call(
                "office_remove",
                ["operator": who, "driver": RedisArgument(driver), "reason": RedisArgument(reason), "key": key],
                message, session)
        case .put(let driver, let zone, let rank, let reason):
            put(driver, zone, rank, reason, message, session, identity)
        case .offer(let ride, let driver):
            call(
                "office_offer",
                ["operator": who, "ride": RedisArgument(ride), "driver": RedisArgument(driver), "key": key],
                message, session)
        case .reassign(let ride, let driver, let reason):
            call(
                "office_reassign",
                [
                    "operator": who, "ride": RedisArgument(ride), "driver": RedisArgument(driver ?? ""),
                    "reason": RedisArgument(reason), "key": key,
                ], message, session)
        case .cancel(let trip, let reason):
            let (what, id) = trip.named
            call(
                "office_cancel",
                ["operator": who, "what": what, "id": id, "reason": RedisArgument(reason), "key": key],
                message, session)
        case .end(let trip, let reason):
            let (what, id) = trip.named
            call(
                "office_end",
                ["operator": who, "what": what, "id": id, "reason": RedisArgument(reason), "key": key],
                message, session)
        case .block(let role, let subject, let reason, let until):
            call(
                "office_block",
                [
                    "operator": who, "role": RedisArgument(role.rawValue), "subject": RedisArgument(subject),
                    "reason": RedisArgument(reason), "till": RedisArgument(until ?? 0), "key": key,
                ], message, session)
        case .unblock(let role, let subject):
            call(
                "office_unblock",
                [
                    "operator": who, "role": RedisArgument(role.rawValue), "subject": RedisArgument(subject),
                    "key": key,
                ], message, session)
        case .endSession: return false
        case .audit(let from, let limit):
            list(
                "office_audit", ["from": RedisArgument(from ?? ""), "limit": RedisArgument(limit)], message, session)
        }
        return true
    }

    /// The next piece of a queue, and then the rest.
    private func read(
        _ listing: QueueListing, _ message: ClientMessage, _ session: Session, _ ended: @escaping () -> Void
    ) {
        let (began, budget) = (loop.now, session.budget)
        let arguments: FunctionArguments = [
            "zone": RedisArgument(listing.zone), "before": RedisArgument(listing.read),
        ]
        functions.call("office_queue", arguments) { result in
            self.metrics.commandTook(milliseconds: self.loop.now - began)
            let piece = self.elements(result, of: "office_queue")
            self.services.budgets.charge(CommandPrice.queued((piece?.count ?? 0) / 2), to: budget)
            guard self.sessions.has(session) else { return ended() }
            var listing = listing
            guard let piece, let isOver = listing.add(piece) else {
                ended()
                return self.answer(.unavailable, to: message, session)
            }
            if !isOver { return self.read(listing, message, session, ended) }
            ended()
            self.answer(.ok(listing.json), to: message, session)
        }
    }

    /// The driver's worker may be another one: where the driver is says Redis, which zone that is this worker. What is wrong with it is
    /// told by the function, so that a repeated command gets its first reply.
    private func put(
        _ driver: String, _ zone: String?, _ rank: Int?, _ reason: String, _ message: ClientMessage, _ session: Session,
        _ identity: Identity
    ) {
        functions.command("office_driver", ["driver": RedisArgument(driver)]) { answer in
            guard self.sessions.has(session) else { return }
            var place = ZoneLookup.Place.refused(.noPosition, "its position is not known")
            if case .ok(let json) = answer, let position = GeoPoint((try? JSONValue(parsing: json))?["position"]) {
                place = self.zones.place(of: position)
            }
            var (found, code, detail) = ("", "", "")
            switch place {
            case .zone(let id): found = id
            case .refused(let why, let text): (code, detail) = (why.rawValue, text)
            }
            self.call(
                "office_put",
                [
                    "operator": RedisArgument(identity.subject), "driver": RedisArgument(driver),
                    "zone": RedisArgument(found), "code": RedisArgument(code), "detail": RedisArgument(detail),
                    "wanted": RedisArgument(zone ?? ""), "rank": rank.map { RedisArgument($0) } ?? "",
                    "reason": RedisArgument(reason), "key": RedisArgument(message.key ?? ""),
                ], message, session)
        }
    }
}

extension OfficeCommand.Trip {
    /// What the functions call it, and its id.
    fileprivate var named: (RedisArgument, RedisArgument) {
        switch self {
        case .ride(let id): ("ride", RedisArgument(id))
        case .booking(let id): ("booking", RedisArgument(id))
        case .reservation(let id): ("reservation", RedisArgument(id))
        }
    }
}
