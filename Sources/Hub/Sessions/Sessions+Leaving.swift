import EventLoop
import Logging
import Settings
import Tokens
import WebSocketServer
import Wire

/// Who is sent away: all when the worker ends, and those whose tokens count no more.
extension Sessions {
    /// No new connections, the present ones are sent away over `server.drain_ms` with a time to come back at, then `finished` is
    /// called.
    func drain(finished: @escaping () -> Void) {
        let leaving = Array(sessions.all)
        log.notice("draining", metadata: ["connections": "\(leaving.count)"])
        var rounds = 0
        sendAway(leaving) { session in
            guard !session.mustLeave else { return self.leaveForGood(session) }
            let retry = Int.random(in: 0...max(1, self.settings.server.reconnectSpreadMs))
            self.close(session, .serviceRestart, CloseCode.restartReason(retryMs: retry))
        } isDone: {
            rounds += 1
            // A socket that is cut before the peer has answered may take the close frame with it.
            let isDone = self.sessions.all.isEmpty && !self.functions.hasPendingCalls && self.server.socketCount == 0
            guard isDone || rounds > Self.leavingRounds else { return false }
            finished()
            return true
        }
    }

    /// In so many portions over half of `server.drain_ms` connections are sent away.
    private static let leavingRounds = 10

    /// `isDone` is asked in each round after the last portion.
    private func sendAway(_ leaving: [Session], _ close: @escaping (Session) -> Void, isDone: @escaping () -> Bool) {
        let share = max(1, (leaving.count + Self.leavingRounds - 1) / Self.leavingRounds)
        var next = 0
        let interval = UInt64(max(1, settings.server.drainMs / (2 * Self.leavingRounds)))
        leavePace.start(afterMs: 0, repeatMs: interval) {
            for session in leaving[min(next, leaving.count)..<min(next + share, leaving.count)] { close(session) }
            next += share
            if next >= leaving.count, isDone() { self.leavePace.stop() }
        }
    }

    /// The keys or revocations are others than those of `old`: the connections whose tokens count no more are closed, slowly, so
    /// that the rest is not run over when they come back.
    func sendAwayUnaccepted(provedBy old: TokenVerifier) {
        let leaving = sessions.all.filter { session in
            guard session.phase != .closing, let identity = session.identity else { return false }
            // `old` is not what proved those that an earlier reload has left to leave.
            return session.mustLeave || !services.verifier.stillAccepts(identity.claims, provedBy: old)
        }
        for session in leaving { session.mustLeave = true }
        // All are sent away already, and these with the code that is theirs.
        guard !services.isDraining else { return }
        leavePace.stop()
        guard !leaving.isEmpty else { return }
        log.notice("tokens count no more, and their connections are closed", metadata: ["count": "\(leaving.count)"])
        sendAway(leaving) { session in
            guard session.phase != .closing else { return }
            self.leaveForGood(session)
        } isDone: {
            true
        }
    }

    /// The office ends a person's connections; revoked: its token counts no more.
    func end(_ role: Role, _ subject: String, isRevoked: Bool, reason: String) {
        for session in Array(sessions.all) where session.phase != .closing {
            guard let identity = session.identity, identity.role == role, identity.subject == subject else { continue }
            let text = CloseCode.text(
                isRevoked ? "the office has revoked the token: " : "ended by the office: ", reason)
            close(session, isRevoked ? .unauthenticated : .forbidden, text)
        }
    }

    private func leaveForGood(_ session: Session) {
        close(session, .unauthenticated, "the token counts no more: get a new one")
    }
}
