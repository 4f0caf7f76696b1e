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
    private var hasSwept = false
    private var tidyDueAt: UInt64 = 0

    /// A worker that has not swept for so long is dead to the others, real ms.
    private static let deadAfterMs = 5_000
    /// Between two sweeps, ms of hub time; never less than 10 ms of real time.
    private static let sweepMs = 100.0
    private static let tidyMs: UInt64 = 10_000

    init(_ services: WorkerServices) {
        self.services = services
        timer = LoopTimer(services.loop)
        timer.start(afterMs: 0, repeatMs: UInt64(max(10, Self.sweepMs / services.settings.clock.scale))) {
            self.sweep()
        }
    }

    private func sweep() {
        guard commands.isUp, !isUnderWay else { return }
        isUnderWay = true
        // Days begin and end by the clock of the catalog's time zone.
        let isKnown = catalog.isKnown && services.clock.isSet
        let offset = isKnown ? RedisArgument(catalog.time.offset(at: now() / 1000)) : ""
        let zone = isKnown ? RedisArgument(catalog.time.text(now: now())) : ""
        functions.call(
            "city_sweep",
            [
                "worker": RedisArgument(services.name), "dead_ms": RedisArgument(Self.deadAfterMs),
                "utc_offset_s": offset, "clock": zone, "silent_ms": RedisArgument(settings.server.deadAfterMs),
            ]
        ) {
            result in
            self.isUnderWay = false
            switch result {
            case .success(let reply):
                self.services.store.served()
                if let hub = reply[0].int { self.services.clock.set(hub: hub, at: self.loop.now) }
                if reply[1].int == 1, self.hasSwept { self.services.takenForDead() }
                self.hasSwept = true
                self.metrics.alarms = (reply[2].int ?? 0, reply[3].int ?? 0)
            case .failure(.server(let text)): self.log.error("sweep failed: \(text)")
            case .failure: break
            }
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
