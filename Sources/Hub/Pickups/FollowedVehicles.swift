import Domain
import WebSocketServer
import Wire

/// A passenger follows the vehicle that comes for it, of its ride or of its booking: it reads that vehicle's channel, and is told on
/// its own how long it takes.
final class FollowedVehicles: DeliveryListener {
    let services: WorkerServices
    /// Shows a vehicle on a passenger's map, and takes it off again. isTold: Redis tells of it already, from now on.
    var show: (_ vehicle: String, Session, _ isTold: Bool) -> Void = { _, _, _ in }
    var hide: (_ vehicle: String, Session) -> Void = { _, _ in }

    private var passengers: [ConnectionID: Followed] = [:]

    private struct Followed {
        var vehicle: String?
        /// The confirmed booking of a seat, whose ETA is meant for this passenger.
        var booking: String?
        /// When the position was measured by which it was told an ETA last, hub ms: none goes back behind it.
        var measuredAt: Int64 = 0
    }

    init(_ services: WorkerServices) { self.services = services }

    func vehicle(of session: Session) -> String? { passengers[session.connection]?.vehicle }

    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        guard identity.role == .passenger else { return }
        let booking = reply.snapshot["booking"]
        let isConfirmed = booking?["state"].map { $0 != "pending" && $0 != "searching" } ?? false
        passengers[session.connection, default: Followed()].booking = isConfirmed ? booking?["booking"]?.text : nil
        follow(
            session,
            reply.snapshot["ride"]?["taxi"]?.text ?? (isConfirmed ? booking?["vehicle"]?.text : nil))
    }

    func greeting(_ session: Session, _ identity: Identity) -> [GreetedChannel] {
        vehicle(of: session).map { [GreetedChannel(name: Channel.vehicle($0))] } ?? []
    }

    func delivered(_ push: Push, to session: Session) {
        guard !push.seq.isEmpty, passengers[session.connection] != nil else { return }
        switch push.type {
        case "ride.accepted":
            guard let data = try? JSONValue(parsing: push.data) else { return }
            follow(session, data["taxi"]?.text, isTold: true)
        case "ride.ended", "ride.cancelled", "ride.failed", "ride.searching": follow(session, nil)
        case "seat.confirmed":
            guard let data = try? JSONValue(parsing: push.data) else { return }
            passengers[session.connection]?.booking = data["booking"]?.text
            follow(session, data["vehicle"]?.text)
        case "seat.ended", "seat.cancelled":
            passengers[session.connection]?.booking = nil
            follow(session, nil)
        default: break
        }
    }

    /// The ETA is published on the vehicle's channel, which only its passengers read, and is told on the passenger's.
    func delivery(of push: Push, to session: Session) -> Delivery? {
        guard push.type == "ride.eta" || push.type == "seat.eta" else { return nil }
        guard let known = passengers[session.connection], let meta = ETAMeta(push.meta) else { return .no }
        if push.type == "seat.eta", meta.booking != known.booking { return .no }
        // The driver's other link, half open, may tell what is no more.
        guard meta.measuredAt >= known.measuredAt else { return .no }
        passengers[session.connection]?.measuredAt = meta.measuredAt
        return .on(session.identity?.channel ?? "")
    }

    func closed(_ session: Session) {
        guard let known = passengers.removeValue(forKey: session.connection), let vehicle = known.vehicle else {
            return
        }
        readers.remove(session, from: Channel.vehicle(vehicle))
    }

    /// Reads the channel of that vehicle and of no other.
    private func follow(_ session: Session, _ vehicle: String?, isTold: Bool = false) {
        let old = passengers[session.connection]?.vehicle
        guard old != vehicle else { return }
        if let old {
            readers.remove(session, from: Channel.vehicle(old))
            passengers[session.connection]?.vehicle = nil
            hide(old, session)
        }
        passengers[session.connection]?.vehicle = vehicle
        passengers[session.connection]?.measuredAt = 0
        guard let vehicle else { return }
        readers.add(session, to: Channel.vehicle(vehicle))
        show(vehicle, session, isTold)
    }
}
