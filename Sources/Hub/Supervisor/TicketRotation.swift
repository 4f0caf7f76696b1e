import EventLoop
import Glibc
import Logging
import Settings
import WebSocketServer

/// Keeps the keys of TLS tickets for all workers: a new one in time, and none longer than its tickets live. Used on the
/// supervisor's loop.
final class TicketRotation {
    private let settings: Settings
    private let log: Logger
    private let timer: LoopTimer
    private var keys: TicketKeys?

    /// The file has its keys when this returns. Settings of TLS count until the next start.
    init(_ settings: Settings, loop: EventLoop, log: Logger) throws(HubFailure) {
        self.settings = settings
        self.log = log
        timer = LoopTimer(loop)
        guard let lifeS = TicketFile.lifeS(settings) else {
            unlink(TicketFile.path(settings.data.dir))
            return
        }
        // Those of the hub that ran here before.
        let known = try? TicketFile.read(settings, lifeS: lifeS)
        let keys = (known ?? TicketKeys(lifeS: lifeS, at: TicketFile.now)).renewed(at: TicketFile.now)
        try TicketFile.write(keys, settings)
        self.keys = keys
        let everyMs = UInt64(keys.periodS) * 250
        timer.start(afterMs: everyMs, repeatMs: everyMs) { [unowned self] in self.renew() }
    }

    func close() { timer.close() }

    private func renew() {
        guard let renewed = keys?.renewed(at: TicketFile.now), renewed != keys else { return }
        do {
            try TicketFile.write(renewed, settings)
            keys = renewed
        } catch {
            // Tickets are sealed by the old key meanwhile.
            log.error("new keys for TLS tickets: \(error)")
        }
    }
}
