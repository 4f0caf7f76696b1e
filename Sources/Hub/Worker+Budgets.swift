import Domain
import EventLoop
import RedisLink
import Settings
import WebSocketServer
import Wire

/// How much of a worker one subject may take.
extension Worker {
    /// Those who speak for many may send more, and who has not said who it is has little to say.
    func bucket(for role: Role?) -> TokenBucket {
        let server = settings.server
        if role == .operator || role == .service {
            let rate = Double(server.serviceCommandsPerSecond)
            return TokenBucket(capacity: rate, perSecond: rate)
        }
        let burst = Double(server.commandsBurst)
        return TokenBucket(
            capacity: role == nil ? max(1, burst / 4) : burst, perSecond: Double(server.commandsPerSecond))
    }

    /// From hello on a connection pays from what its subject has. False: that is not enough for a hello; it was refused and the
    /// connection closed, as new connections are how to go on in spite of a limit.
    func joinBudget(_ session: Session, _ id: Int64?, _ identity: Identity, price: Double) -> Bool {
        let key = "\(identity.role.rawValue):\(identity.subject)"
        let budget = budgets[key] ?? Budget(key: key, bucket: bucket(for: identity.role))
        budgets[key] = budget
        if budget.sessions == 0 { idleBudgets.insert(key) }
        guard budget.bucket.take(min(price, budget.bucket.capacity), at: Int64(loop.now)) else {
            refuseForRate(session, id, budget, price: price)
            close(session, .rateLimited)
            return false
        }
        budget.sessions += 1
        session.budget = budget
        return true
    }

    /// Its connection is closed, or its hello failed.
    func leaveBudget(_ session: Session) {
        let budget = session.budget
        guard !budget.key.isEmpty else { return }
        session.budget = Budget(key: "", bucket: bucket(for: nil))
        budget.sessions -= 1
        if budget.sessions == 0 { idleBudgets.insert(budget.key) }
    }

    /// Once a second: a budget that is full again says no more than a new one does.
    func forgetBudgets() {
        for key in idleBudgets {
            guard let budget = budgets[key], budget.sessions == 0 else {
                idleBudgets.remove(key)
                continue
            }
            guard budget.bucket.isFull(at: Int64(loop.now)) else { continue }
            budgets[key] = nil
            idleBudgets.remove(key)
        }
    }

    /// The settings are others.
    func renewBudgets() {
        for session in sessions.values { session.budget.bucket = bucket(for: session.identity?.role) }
        budgets = budgets.filter { $0.value.sessions > 0 }
    }

    /// Faster than the limit is refused; much faster for long is closed.
    func isWithinRate(_ session: Session, _ id: Int64?, price: Double = 1) -> Bool {
        let budget = session.budget
        if budget.bucket.take(min(price, budget.bucket.capacity), at: Int64(loop.now)) {
            session.refusedInARow = 0
            return true
        }
        session.refusedInARow += 1
        if session.refusedInARow > Int(budget.bucket.capacity) {
            // Nor is it welcome at once over another connection.
            budget.bucket.charge(budget.bucket.capacity, at: Int64(loop.now))
            close(session, .rateLimited)
        } else {
            refuseForRate(session, id, budget, price: price)
        }
        return false
    }

    private func refuseForRate(_ session: Session, _ id: Int64?, _ budget: Budget, price: Double) {
        let bucket = budget.bucket
        refuse(
            session, id, .rateLimited,
            "At most \(Int(bucket.perSecond)) commands a second, \(Int(bucket.capacity)) at once; some count more than once.",
            retryAfterMs: max(1, bucket.wait(for: min(price, bucket.capacity), at: Int64(loop.now))))
    }

    /// It does not count among its subject's connections any more (limits.lua).
    func leaveLinks(_ session: Session, _ identity: Identity) {
        guard !identity.channel.isEmpty, settings.server.maxConnectionsPerSubject > 0 else { return }
        owe("left", [RedisArgument(identity.channel), RedisArgument(session.name)])
    }

    /// Another connection of the same subject has taken the place of the session of this name.
    func replaced(_ name: String, on channel: String) {
        for session in readers[channel] ?? [] where session.name == name && session.phase != .closing {
            close(session, .replaced)
        }
    }
}
