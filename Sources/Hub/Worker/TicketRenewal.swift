import EventLoop
import Logging
import WebSocketServer

/// Takes over the keys of TLS tickets that the supervisor makes in time.
final class TicketRenewal: Capability {
    let services: WorkerServices
    private var keys: TicketKeys?
    private var dueAt: UInt64 = 0
    private var isFailing = false

    init(_ services: WorkerServices) {
        self.services = services
        keys = services.tickets
    }

    func second() {
        guard let keys, loop.now >= dueAt else { return }
        dueAt = loop.now + UInt64(keys.lookEveryS) * 1000
        do {
            let fresh = try TicketFile.read(settings, lifeS: keys.lifeS)
            isFailing = false
            guard fresh != keys else { return }
            self.keys = fresh
            services.server.renewTickets(fresh)
        } catch {
            if !isFailing { log.warning("no new keys for TLS tickets: \(error)") }
            isFailing = true
        }
    }
}
