import Domain
import EventLoop
import RedisLink
import WebSocketServer
import Wire

/// What people want to be told, and when (M8): quiet hours are of somebody's clock, which the functions can only read with
/// what a worker says of its time zone.
extension Worker {
    /// How often the functions are told what the clocks of the wishes' time zones show next, ms. Each telling holds until the
    /// clock has been put forward and back once more: months.
    private static let clocksMs: UInt64 = 600_000

    /// Of whoever has a channel of its own.
    func setWishes(_ wishes: NotificationWishes, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        guard !identity.channel.isEmpty else { return forbid(session, message, identity) }
        var zone: (name: String, text: String) = ("", "")
        if let name = wishes.quiet?.timeZone {
            guard let time = timeOfClock(name) else {
                return refuse(
                    session, message.id, .badMessage,
                    "field `quiet.time_zone`: expected a time zone's name, as Europe/Berlin or UTC, got \"\(name)\"",
                    field: "quiet.time_zone")
            }
            zone = (name, zoneText(time))
        }
        call(
            "notify_set",
            [
                RedisArgument(identity.channel), RedisArgument(wishes.mute.texts.joined(separator: ",")),
                wishes.quiet.map { RedisArgument($0.from) } ?? "", wishes.quiet.map { RedisArgument($0.to) } ?? "",
                RedisArgument(message.key ?? ""), RedisArgument(zone.name), RedisArgument(zone.text),
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

    /// Once a second.
    func refreshClocks() {
        guard commands.isUp, clock.isSet, loop.now >= clocksDueAt else { return }
        clocksDueAt = loop.now + Self.clocksMs
        let arguments = clocks.flatMap { [RedisArgument($0.key), RedisArgument(zoneText($0.value))] }
        dispatch.call("notify_clocks", arguments) { result in
            guard let names = self.lines(result, "notify_clocks") else {
                self.clocksDueAt = 0
                return
            }
            let new = names.compactMap(\.text).filter { self.clocks[$0] == nil && self.timeOfClock($0) != nil }
            if !new.isEmpty { self.clocksDueAt = 0 }
        }
    }
}
