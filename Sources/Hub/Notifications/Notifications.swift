import Domain
import EventLoop
import RedisLink
import WebSocketServer
import Wire

/// What people want to be told, and when (M8): quiet hours are of somebody's clock, which the functions can only read with
/// what a worker says of its time zone.
final class Notifications: DeliveryListener {
    let services: WorkerServices
    /// The clocks that people's quiet hours go by, by the names of their time zones, and when the functions are told of them
    /// next, ms of the loop.
    private var clocks: [String: CityTime] = [:]
    private var clocksDueAt: UInt64 = 0

    /// How often the functions are told what the clocks of the preferences' time zones show next, ms. Each telling holds until the
    /// clock has been put forward and back once more: months.
    private static let clocksMs: UInt64 = 600_000

    init(_ services: WorkerServices) { self.services = services }

    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        guard case .notifications(.notifySet(let preferences)) = message.command else { return false }
        set(preferences, message, session, identity)
        return true
    }

    // MARK: the ETA is a state, which is not told to who does not want it

    private static let etas: Set = ["ride.eta", "seat.eta", "stop.eta"]

    func caughtUp(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        if identity.role == .passenger { mute(session, reply.snapshot["notify"]) }
    }

    func delivered(_ push: Push, to session: Session) {
        guard push.type == "notify.changed", session.identity?.role == .passenger else { return }
        mute(session, try? JSONValue(parsing: push.data))
    }

    private func mute(_ session: Session, _ preferences: JSONValue?) {
        let mutesETA = preferences?["mute"]?.elements?.contains(.string("eta")) ?? false
        session.mutedStates = mutesETA ? Self.etas : []
    }

    // MARK: preferences

    /// Of whoever has a channel of its own.
    private func set(
        _ preferences: NotificationPreferences, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        var zone: (name: String, text: String) = ("", "")
        if let name = preferences.quiet?.timeZone {
            guard let time = timeOfClock(name) else {
                return refuse(
                    session, message.id, .badMessage,
                    "field `quiet.time_zone`: expected a time zone's name, as Europe/Berlin or UTC, got \"\(name)\"",
                    field: "quiet.time_zone")
            }
            zone = (name, time.text(now: now()))
        }
        call(
            "notify_set",
            [
                "channel": RedisArgument(identity.channel),
                "mute": RedisArgument(preferences.mute.texts.joined(separator: ",")),
                "quiet_from": preferences.quiet.map { RedisArgument($0.from) } ?? "",
                "quiet_to": preferences.quiet.map { RedisArgument($0.to) } ?? "",
                "key": RedisArgument(message.key ?? ""),
                "time_zone": RedisArgument(zone.name), "clock": RedisArgument(zone.text),
            ], message, session)
    }

    /// Nil: there is no such time zone. Files that are no clock of people are none.
    private func timeOfClock(_ name: String) -> CityTime? {
        if let known = clocks[name] { return known }
        guard !name.hasPrefix("right/"), !name.hasPrefix("posix"), name != "localtime",
            let time = CityTime(zone: name)
        else { return nil }
        clocks[name] = time
        return time
    }

    func second() {
        guard commands.isUp, services.clock.isSet, loop.now >= clocksDueAt else { return }
        clocksDueAt = loop.now + Self.clocksMs
        let arguments = clocks.flatMap { [RedisArgument($0.key), RedisArgument($0.value.text(now: now()))] }
        functions.call("notify_clocks", more: arguments) { result in
            guard let names = self.elements(result, of: "notify_clocks") else {
                self.clocksDueAt = 0
                return
            }
            let new = names.compactMap(\.text).filter { self.clocks[$0] == nil && self.timeOfClock($0) != nil }
            if !new.isEmpty { self.clocksDueAt = 0 }
        }
    }
}
