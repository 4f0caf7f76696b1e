import Domain
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
            call("office_queue", ["zone": RedisArgument(zone)], message, session)
        case .driver(let driver): call("office_driver", ["driver": RedisArgument(driver)], message, session)
        case .ride(let ride): call("office_ride", ["ride": RedisArgument(ride)], message, session)
        case .remove(let driver, let reason):
            call(
                "office_remove",
                ["operator": who, "driver": RedisArgument(driver), "reason": RedisArgument(reason), "key": key],
                message, session)
        case .cancel(let ride, let reason):
            call(
                "office_cancel",
                ["operator": who, "ride": RedisArgument(ride), "reason": RedisArgument(reason), "key": key],
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
        case .audit(let from, let limit):
            call(
                "office_audit", ["from": RedisArgument(from ?? ""), "limit": RedisArgument(limit)], message, session)
        }
        return true
    }
}
