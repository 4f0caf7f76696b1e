import Domain
import Logging
import RedisLink
import WebSocketServer
import Wire

/// Passengers who walk while a vehicle comes for them: `position` of a passenger moves the pickup, within the limits of walk.lua.
/// Nothing of it is kept here but how to judge the next one.
final class Walkers: Capability {
    let services: WorkerServices
    private let positions: Positions
    private let followed: FollowedVehicles
    private var walkers: [ConnectionID: Walker] = [:]

    /// So often Redis is asked for one connection, ms of hub time.
    private static let everyMs: Int64 = 4_000

    private final class Walker {
        /// Shown to nobody.
        let track: VehicleTrack
        var askedAt: Int64?

        init(_ subject: String) {
            track = VehicleTrack(subject: subject)
            track.isShown = false
        }
    }

    init(_ services: WorkerServices, _ positions: Positions, _ followed: FollowedVehicles) {
        self.services = services
        self.positions = positions
        self.followed = followed
    }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .position(let fix) = message.command, identity.role == .passenger else { return false }
        guard followed.vehicle(of: session) != nil else {
            walkers[session.connection] = nil
            answer("no_pickup", message, session)
            return true
        }
        let walker = walkers[session.connection] ?? Walker(identity.subject)
        walkers[session.connection] = walker
        guard let judged = positions.judge(fix, message.id, session, of: walker.track) else { return true }
        guard let accepted = judged.accepted else {
            positions.answer(judged, message.id, session)
            return true
        }
        if !accepted.isForFences || !accepted.isLive {
            answer(accepted.isLive ? "inaccurate" : "old", message, session)
        } else if let askedAt = walker.askedAt, now() - askedAt < Self.everyMs {
            answer("soon", message, session)
        } else {
            walker.askedAt = now()
            move(judged.fix, message, session, identity)
        }
        return true
    }

    private func move(_ fix: Fix, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        let place = fix.point
        functions.call(
            "pickup_walk",
            [
                "passenger": RedisArgument(identity.subject), "lat": RedisArgument(place.lat),
                "lon": RedisArgument(place.lon), "least_m": RedisArgument(Int(2 * fix.effectiveAccuracy)),
            ]
        ) { result in
            guard self.sessions.has(session) else { return }
            switch result {
            case .success(let reply): self.answer(reply.text ?? "", message, session)
            case .failure(let failure):
                if case .server(let text) = failure { self.log.error("pickup_walk failed: \(text)") }
                self.refuse(session, message.id, .unavailable, "The hub can't reach its store now; send the next fix.")
            }
        }
    }

    /// `ignored`: why the pickup stays; empty: it has moved.
    private func answer(_ ignored: String, _ message: ClientMessage, _ session: Session) {
        guard message.id != nil else { return }
        var json = JSONWriter()
        json.beginObject()
        if !ignored.isEmpty { json.member("ignored", ignored) }
        json.endObject()
        reply(session, message.id, json.bytes, to: "position")
    }

    func closed(_ session: Session) { walkers[session.connection] = nil }

    /// The history of a driver's channel has that a pickup moved, the snapshot where to.
    func needsSnapshot(_ identity: Identity, _ reply: HelloReply) -> Bool {
        identity.role == .driver && reply.entries.contains { $0.type.hasSuffix(".pickup_moved") }
    }
}
