import Domain
import EventLoop
import Logging
public import Settings
import Tokens
import WebSocketServer
import Wire

/// SIGHUP: zones, limits, keys and certificates, without dropping a connection that may stay.
extension Worker {
    /// The supervisor has tried everything before; what fails here all the same leaves everything as it was.
    public func reload(_ new: Settings) {
        let fresh: TokenVerifier
        do {
            let newZones = try CityZones.load(new)
            fresh = try TokenVerifier(new)
            if server.hasTLS { try server.reloadCertificate() }
            zones = newZones
        } catch {
            return log.error("not reloaded, everything stays as it was: \(error)")
        }
        board.rezone { self.zoneOf($0) }
        server.limits = Self.limits(new)
        settings = new
        renewBudgets()
        rewatchZones()
        log.logLevel = HubLog.level(new.log)
        startTicks()
        for driver in drivers.values { watchZone(of: driver) }
        let old = verifier
        verifier = fresh
        sendAwayUnaccepted(provedBy: old)
        log.info("settings reloaded", metadata: ["zones": "\(zones?.zones.count ?? 0)"])
    }

    /// Closes the connections whose tokens count no more: their key is gone or may not give their role any more, or they
    /// were revoked. Over half of `server.drain_ms`, so that the rest is not run over when they come back.
    private func sendAwayUnaccepted(provedBy old: TokenVerifier) {
        let leaving = sessions.values.filter { session in
            guard session.phase != .closing, let identity = session.identity else { return false }
            // `old` is not what proved those that an earlier reload has left to leave.
            return session.mustLeave || !verifier.stillAccepts(identity.claims, provedBy: old)
        }
        for session in leaving { session.mustLeave = true }
        leavePace.stop()
        guard !leaving.isEmpty, !isDraining else { return }
        log.notice("tokens count no more, and their connections are closed", metadata: ["count": "\(leaving.count)"])
        let rounds = 10
        let share = (leaving.count + rounds - 1) / rounds
        var next = 0
        leavePace.start(afterMs: 0, repeatMs: UInt64(max(1, settings.server.drainMs / (2 * rounds)))) {
            for session in leaving[next..<min(next + share, leaving.count)] where session.phase != .closing {
                self.close(session, .unauthenticated, "the token counts no more: get a new one")
            }
            next += share
            if next >= leaving.count { self.leavePace.stop() }
        }
    }
}
