import RedisLink
import Tokens
import Wire

/// What counts of passengers and drivers: no-shows, late cancellations, what was given back, and points. The functions of rides, seats and
/// stops count it in the steps in which it happens (reliability.lua); here it is read, and an operator sets it back.
final class Reliability: Capability {
    let services: WorkerServices

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .reliability(let command) = message.command else { return false }
        let who = RedisArgument(identity.subject)
        switch command {
        case .get:
            call("reliability_get", ["role": RedisArgument(identity.role.rawValue), "subject": who], message, session)
        case .of(let role, let subject):
            let readsAll = identity.role == .operator || identity.claims.scopes.contains(.personalEvents)
            call(
                "reliability_of",
                [
                    "role": RedisArgument(role.rawValue), "subject": RedisArgument(subject), "all": readsAll ? "1" : "",
                ], message, session)
        case .reset(let role, let subject, let reason):
            call(
                "reliability_reset",
                [
                    "operator": who, "role": RedisArgument(role.rawValue), "subject": RedisArgument(subject),
                    "reason": RedisArgument(reason), "key": RedisArgument(message.key ?? ""),
                ], message, session)
        }
        return true
    }
}
