import Domain
import Logging
import RedisLink
import Settings
import Wire

/// Notices of an operator to many people. Redis tells them in portions, one after the other, until all have been told: whichever worker
/// is there goes on with what another one began.
final class Broadcasts: Capability {
    let services: WorkerServices
    /// There may be somebody who has not been told yet.
    private var isTelling = true
    private var isUnderWay = false

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .broadcasts(.broadcast(let to, let zone, let text)) = message.command else { return false }
        if let zone {
            guard to == .drivers else {
                refuse(
                    session, message.id, .badMessage,
                    "field `zone`: only drivers stand in the queue of a zone; leave it out, or send it to drivers",
                    field: "zone")
                return true
            }
            guard let set = zones.set, set.zones.contains(where: { $0.id == zone }) else {
                refuse(
                    session, message.id, .notFound, "field `zone`: \(settings.city.id) has no zone \(zone).",
                    field: "zone")
                return true
            }
        }
        call(
            "broadcast_send",
            [
                "operator": RedisArgument(identity.subject), "id": RedisArgument(RandomID.make("n_")),
                "to": RedisArgument(to.rawValue), "zone": RedisArgument(zone ?? ""), "text": RedisArgument(text),
                "key": RedisArgument(message.key ?? ""),
            ], message, session
        ) { _ in self.isTelling = true }
        return true
    }

    func slice(_ number: Int) {
        guard isTelling, !isUnderWay, commands.isUp else { return }
        isUnderWay = true
        functions.call("broadcast_tell") { result in
            self.isUnderWay = false
            switch result {
            case .success(let reply): self.isTelling = reply.int == 1
            // It is tried again within a second.
            case .failure(.server(let text)):
                self.isTelling = false
                self.log.error("broadcast_tell failed: \(text)")
            case .failure: break
            }
        }
    }

    /// What another worker began, and left when it died.
    func second() { isTelling = true }
}
