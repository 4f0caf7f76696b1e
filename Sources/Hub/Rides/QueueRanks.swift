import EventLoop
import RedisLink
import Settings
import Telemetry
import Wire

/// Drivers are told their ranks: a zone's at most once a tick, and all zones spread over the tick. Told together, a busy city's
/// ranks would hold up every offer for the milliseconds that hundreds of sends take.
final class QueueRanks: PushListener {
    let services: WorkerServices
    private let pace: LoopTimer
    /// Zones whose queue changed since its ranks were told, and why; in the order in which they will be.
    private var changed: [String: String] = [:]
    private var zonesToTell: [String] = []
    /// When a zone's ranks were told last, ms of the loop.
    private var toldAt: [String: UInt64] = [:]
    /// The waiting drivers that are connected here, and what each was told last.
    private var drivers: [String: (vehicle: VehicleTrack, told: Rank?)] = [:]

    private struct Rank: Equatable {
        let zone: String
        let rank: Int
        let size: Int
    }

    /// Between two portions of ranks, ms.
    private static let sliceMs: UInt64 = 10

    init(_ services: WorkerServices) {
        self.services = services
        pace = LoopTimer(services.loop)
    }

    /// A zone's queue has changed.
    func onPublish(_ push: Push) -> Bool {
        guard push.channel == Channel.queues else { return false }
        changed(push.meta, String(decoding: push.data, as: UTF8.self))
        return true
    }

    func joined(_ vehicle: VehicleTrack, _ zone: String) {
        let known = drivers[vehicle.subject]?.told
        drivers[vehicle.subject] = (vehicle, known?.zone == zone ? known : nil)
        changed(zone, changed[zone] ?? "joined")
    }

    /// The next rank that it is told is news.
    func left(_ vehicle: VehicleTrack) { drivers[vehicle.subject]?.told = nil }

    /// It is not connected here any more.
    func forget(_ subject: String) { drivers[subject] = nil }

    private func changed(_ zone: String, _ reason: String) {
        guard changed.updateValue(reason, forKey: zone) == nil else { return }
        zonesToTell.append(zone)
        if zonesToTell.count == 1 { pace.start(afterMs: 0, repeatMs: Self.sliceMs) { self.tellSome() } }
    }

    private func tellSome() {
        guard commands.isUp else { return }
        let tick = UInt64(settings.positions.tickMs)
        let slices = max(1, Int(tick / Self.sliceMs))
        var left = (zonesToTell.count + slices - 1) / slices
        var later: [String] = []
        for zone in zonesToTell {
            guard left > 0, loop.now >= toldAt[zone, default: 0] + tick, let reason = changed.removeValue(forKey: zone)
            else {
                later.append(zone)
                continue
            }
            left -= 1
            toldAt[zone] = loop.now
            tell(zone, reason)
        }
        zonesToTell = later
        if later.isEmpty { pace.stop() }
    }

    /// One reading of the queue, and the new rank to those of its drivers that are connected here.
    private func tell(_ zone: String, _ reason: String) {
        commands.send(["ZRANGE", RedisArgument(keys.queue(zone)), 0, -1]) { result in
            guard case .success(let reply) = result, let queue = reply.array else { return }
            // What the zone saw while it was read may stand in the answer already.
            let reason = self.changed[zone] ?? reason
            for (index, member) in queue.enumerated() {
                guard let id = member.text, let driver = self.drivers[id] else { continue }
                let rank = Rank(zone: zone, rank: index + 1, size: queue.count)
                guard driver.told != rank else { continue }
                // One that catches up is not told; when it has caught up it joins again, and the queue is read again.
                let isHeard = !driver.vehicle.sessions.contains { $0.phase == .catchingUp }
                self.drivers[id]?.told = isHeard ? rank : nil
                self.tell(driver.vehicle, rank, reason)
            }
        }
    }

    private func tell(_ vehicle: VehicleTrack, _ rank: Rank, _ reason: String) {
        var json = JSONWriter()
        json.beginObject()
        json.member("zone", rank.zone)
        json.member("rank", Int64(rank.rank))
        json.member("size", Int64(rank.size))
        json.member("reason", reason)
        json.endObject()
        metrics.rankMoves.increment()
        for session in vehicle.sessions where session.phase == .live {
            let channel = session.identity?.channel ?? ""
            send(session, Encode.state(channel: channel, type: "queue.rank", time: now(), data: json.bytes))
        }
    }
}
