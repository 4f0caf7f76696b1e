import Domain
import EventLoop
import Logging
import RedisLink
import Settings

/// What Redis has to do by time, any worker may have it do: deadlines, and what is too old. The answer tells hub time.
final class Sweeps: Capability {
    let services: WorkerServices
    private let timer: LoopTimer
    private var isUnderWay = false
    /// When Redis was asked last, ms of the loop.
    private var askedAt: UInt64 = 0
    private var hasSwept = false
    /// When all is looked at again, and until when nothing is, as nobody waits for anything; ms of the loop.
    private var wholeDueAt: UInt64 = 0
    private var restsUntil: UInt64 = 0
    private var tidyDueAt: UInt64 = 0

    /// A worker that has not swept for so long is dead to the others, real ms.
    private static let deadAfterMs = 5_000
    /// Between two sweeps, ms of hub time; never less than 10 ms of real time.
    private static let sweepMs = 100.0
    /// Between two of all, ms of hub time. What comes between them looks at what people wait for to the moment: the rest is a dozen
    /// readings of what is hardly ever there, which took a hub at rest most of what it took of Redis.
    private static let wholeMs = 1_000.0
    /// While nobody waits for a deadline the next one is found after so long, ms of hub time: none is that near.
    private static let restMs = 500.0
    private static let tidyMs: UInt64 = 10_000

    init(_ services: WorkerServices) {
        self.services = services
        timer = LoopTimer(services.loop)
        timer.start(afterMs: 0, repeatMs: UInt64(max(10, Self.sweepMs / services.settings.clock.scale))) {
            self.sweep()
        }
    }

    private func sweep() {
        let isWholeDue = !hasSwept || loop.now >= wholeDueAt
        guard commands.isUp, !isUnderWay, isWholeDue || loop.now >= restsUntil else { return }
        isUnderWay = true
        askedAt = loop.now
        guard isWholeDue else { return sweepDeadlines() }
        wholeDueAt = loop.now + UInt64(Self.wholeMs / settings.clock.scale)
        // Days begin and end by the clock of the catalog's time zone.
        let isKnown = catalog.isKnown && services.clock.isSet
        let offset = isKnown ? RedisArgument(catalog.time.offset(at: now() / 1000)) : ""
        let zone = isKnown ? RedisArgument(catalog.time.text(now: now())) : ""
        functions.call(
            "city_sweep",
            [
                "worker": RedisArgument(services.name), "dead_ms": RedisArgument(Self.deadAfterMs),
                "utc_offset_s": offset, "clock": zone, "silent_ms": RedisArgument(settings.server.deadAfterMs),
                "fresh": RedisArgument(RandomID.make("")), "now_s": RedisArgument(EventLoop.wallClock() / 1000),
            ]
        ) { result in
            self.swept(result) { reply in
                self.goOn(reply[0], waiting: reply[4])
                if reply[1].int == 1, self.hasSwept { self.services.takenForDead() }
                self.hasSwept = true
                self.metrics.alarms = (reply[2].int ?? 0, reply[3].int ?? 0)
                self.metrics.starving = reply[5].int ?? 0
                if reply[6].int == 1 { self.wholeDueAt = 0 }
            }
        }
    }

    private func sweepDeadlines() {
        functions.call("city_deadlines") { result in
            self.swept(result) { reply in self.goOn(reply[0], waiting: reply[1]) }
        }
    }

    private func goOn(_ hub: RedisReply, waiting: RedisReply) {
        if let hub = hub.int, let back = services.clock.set(hub: hub, asked: askedAt, at: loop.now) {
            log.warning(
                "the machine's clock was set back: hub time goes on from there, and deadlines that were set before come later by as much",
                metadata: ["ms": "\(back)"])
        }
        guard waiting.int == 0 else { return }
        restsUntil = loop.now + UInt64(Self.restMs / settings.clock.scale)
    }

    private func swept(_ result: Result<RedisReply, RedisFailure>, _ take: (RedisReply) -> Void) {
        isUnderWay = false
        switch result {
        case .success(let reply):
            services.store.served()
            take(reply)
        case .failure(.server(let text)): log.error("sweep failed: \(text)")
        case .failure: break
        }
    }

    /// Done every ten: what the event log has that is too old goes, in parts.
    func second() {
        services.store.watchMemory()
        guard commands.isUp, loop.now >= tidyDueAt else { return }
        tidyDueAt = loop.now + Self.tidyMs
        functions.call("events_tidy") { result in
            if case .failure(.server(let text)) = result { self.log.error("events_tidy failed: \(text)") }
            // More of it may be due.
            if case .success(let reply) = result, reply.int ?? 0 > 0 { self.tidyDueAt = 0 }
        }
    }
}
