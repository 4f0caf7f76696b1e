import Domain
import EventLoop
import RedisLink
import Settings
import Tokens
import WebSocketServer
import Wire

/// How much of a worker one subject may take. Used on the worker's loop.
final class Budgets {
    private let services: WorkerServices
    /// What subjects may still do, by `<role>:<subject>`, and those without a connection: looked at each second.
    private var bySubject: [String: Budget] = [:]
    private var idle: Set<String> = []

    init(_ services: WorkerServices) { self.services = services }

    private var now: Int64 { Int64(services.loop.now) }

    /// Whose budget it is.
    static func key(of claims: TokenClaims) -> String {
        (claims.isGuest ? guest : "\(claims.role.rawValue):") + claims.subject
    }

    /// Of who drives a bus, whichever of its connections has sent the position.
    static func key(ofBus driver: String) -> String { "\(Role.busDriver.rawValue):\(driver)" }

    /// Of who follows a ride by a link: as if it were a guest of its network. `link`: a text that tells it from others; `network`: a mark.
    static func key(ofFollower link: String, network: String) -> String { "\(guest)guest-\(network)-\(link)" }

    /// Of a guest's budget that of all guests of its network, as each of them may be a new one in a moment; nil for all others.
    static func group(of key: String) -> String? {
        guard key.hasPrefix(guest) else { return nil }
        return guests
            + key.utf8.dropFirst(guest.utf8.count).split(separator: UInt8(ascii: "-"), maxSplits: 2).prefix(2)
            .map { String(Substring($0)) }.joined(separator: "-")
    }

    private static let guest = "guest:"
    private static let guests = "guests:"
    /// So many passengers' worth have the guests of one network.
    private static let guestShares = 4.0

    /// Those who speak for many may send more, and who has not said who it is has little to say.
    private func bucket(for key: String) -> TokenBucket {
        let server = services.settings.server
        if key.hasPrefix(Self.guests) {
            return TokenBucket(
                capacity: Double(server.commandsBurst) * Self.guestShares,
                perSecond: Double(server.commandsPerSecond) * Self.guestShares)
        }
        let role = Role(rawValue: String(key.prefix { $0 != ":" }))
        if role == .operator || role == .service {
            let rate = Double(server.serviceCommandsPerSecond)
            return TokenBucket(capacity: rate, perSecond: rate)
        }
        let burst = Double(server.commandsBurst)
        let isStranger = role == nil && !key.hasPrefix(Self.guest)
        return TokenBucket(
            capacity: isStranger ? max(1, burst / 4) : burst, perSecond: Double(server.commandsPerSecond))
    }

    /// What is read of a subject's connections: as much as anybody needs, and four times the commands that one may send. Guests of a network
    /// have so much together.
    private func pieces(for key: String) -> Int {
        let shares = key.hasPrefix(Self.guests) ? Self.guestShares : 1
        return Int(min(max(Self.pieces * shares, 4 * bucket(for: key).perSecond), 1e9))
    }

    private static let pieces = 500.0

    private func make(_ key: String, group: Budget? = nil) -> Budget {
        Budget(
            key: key, bucket: bucket(for: key),
            inbound: InboundRate(perSecond: pieces(for: key), group: group?.inbound), group: group)
    }

    /// Of a connection that has not said hello.
    func ofStranger() -> Budget { make("") }

    /// What the subject has, whatever it comes over.
    func budget(of identity: Identity) -> Budget { budget(ofReader: Self.key(of: identity.claims)) }

    /// From hello on a connection pays from what its subject has. False: that is not enough for a hello; it was refused and the
    /// connection closed, as new connections are how to go on in spite of a limit.
    func join(_ session: Session, _ id: Int64?, _ identity: Identity, price: Double) -> Bool {
        let budget = budget(of: identity)
        guard mayJoin(budget, identity) else {
            let detail =
                "A worker takes \(services.settings.server.maxConnectionsPerService) connections of one "
                + "\(identity.role.rawValue): close those that nobody needs, or share one."
            services.outbox.refuse(session, id, ErrorReply(code: .rateLimited, detail: detail, retryAfterMs: 30_000))
            services.outbox.close(session, .overloaded)
            return false
        }
        guard budget.take(min(price, budget.bucket.capacity), at: now) else {
            refuse(session, id, budget, price: price)
            services.outbox.close(session, .rateLimited)
            return false
        }
        budget.sessions += 1
        session.budget = budget
        services.server.welcome(session.connection, sharing: budget.inbound, asGuest: identity.isGuest)
        return true
    }

    /// Of others Redis counts the connections (`session_hello`), and the oldest makes room.
    private func mayJoin(_ budget: Budget, _ identity: Identity) -> Bool {
        let most = services.settings.server.maxConnectionsPerService
        return most == 0 || !identity.channel.isEmpty || budget.sessions < most
    }

    /// Its connection is closed, or its hello failed.
    func leave(_ session: Session) {
        let budget = session.budget
        guard !budget.key.isEmpty else { return }
        session.budget = ofStranger()
        budget.sessions -= 1
        if budget.sessions == 0 { idle.insert(budget.key) }
    }

    /// Once a second: a budget that is full again says no more than a new one does, if nothing of its subject is under way.
    func forgetIdle() {
        for key in idle {
            guard let budget = bySubject[key], budget.sessions == 0 else {
                idle.remove(key)
                continue
            }
            guard budget.bucket.isFull(at: now), budget.areReadingsPaid(at: now), budget.alarms.isFull(at: now),
                budget.inbound.isAtRest
            else { continue }
            forget(budget)
            idle.remove(key)
        }
    }

    private func forget(_ budget: Budget) {
        bySubject[budget.key] = nil
        guard let group = budget.group else { return }
        group.sessions -= 1
        if group.sessions == 0 { idle.insert(group.key) }
    }

    /// The settings are others.
    func renew() {
        for session in services.sessions.all { renew(session.budget) }
        for budget in bySubject.values where budget.sessions == 0 {
            if budget.inbound.isAtRest { forget(budget) } else { renew(budget) }
        }
        for budget in bySubject.values where budget.key.hasPrefix(Self.guests) { renew(budget) }
    }

    private func renew(_ budget: Budget) {
        budget.renew(bucket(for: budget.key))
        budget.inbound.perSecond = pieces(for: budget.key)
    }

    /// Takes the price of a message. Faster than the limit is refused; more than twice as fast for long is closed. `reading`: what
    /// it took to find out what the message is, which is paid for a refused one, too.
    func take(_ price: Double, of session: Session, _ id: Int64?, reading: Double = 1) -> Bool {
        let budget = session.budget
        guard !budget.take(min(price, budget.bucket.capacity), at: now) else { return true }
        if budget.refusals.take(min(reading, budget.refusals.capacity), at: now) {
            refuse(session, id, budget, price: price)
        } else {
            // Nor is it welcome at once over another connection.
            budget.bucket.charge(budget.bucket.capacity, at: now)
            if session.onReply != nil { refuse(session, id, budget, price: price) }
            services.outbox.close(session, .rateLimited)
        }
        return false
    }

    /// Why the subject has to wait that has been charged more than it had; nil: it owes nothing.
    func debt(of session: Session) -> ErrorReply? {
        session.budget.wait(for: 0, at: now) > 0 ? refusal(session.budget, price: 1) : nil
    }

    /// Takes what a command has turned out to cost, or its refusal, whatever is left: the next commands wait for it.
    func charge(_ price: Double, to session: Session) { charge(price, to: session.budget) }

    /// What work has turned out to cost, when it is done. A budget that is full and without a connection is forgotten, and made anew for the
    /// same subject: what was held while the work was under way may be nobody's any more.
    func charge(_ price: Double, to budget: Budget) { current(budget).charge(price, at: now) }

    /// Of what was taken for such work.
    func giveBack(_ price: Double, to budget: Budget) { current(budget).giveBack(price) }

    /// What the subject of a budget has now; a stranger's is its connection's alone.
    private func current(_ budget: Budget) -> Budget {
        budget.key.isEmpty ? budget : self.budget(ofReader: budget.key)
    }

    /// Takes one of the alarms that are free of the rate; false: it has to be paid for.
    func takeAlarm(of session: Session) -> Bool { session.budget.alarms.take(1, at: now) }
    func takeAlarm(ofReader reader: String) -> Bool { budget(ofReader: reader).alarms.take(1, at: now) }

    /// Takes what a message turns out to cost besides what was taken for it, `paid`. With too little left it is refused, has cost
    /// nothing, and the wait that is told is that for all of it. No price is more than a full bucket.
    func take(_ price: Double, besides paid: Double, of session: Session, _ id: Int64?) -> Bool {
        let budget = session.budget
        let more = min(price, budget.bucket.capacity - paid)
        guard !budget.take(more, at: now) else { return true }
        budget.giveBack(paid)
        return take(more + paid, of: session, id)
    }

    /// Takes what the cells of a channel cost besides what was taken for its command: see ``Budget/take(cells:at:)``.
    func take(cells price: Double, besides paid: Double, of session: Session, _ id: Int64?) -> Bool {
        let wait = session.budget.wait(forCells: price, at: now)
        guard wait == 0 else {
            let error = ErrorReply(
                code: .rateLimited, detail: session.budget.debt + "; subscribe again then.",
                retryAfterMs: wait)
            services.outbox.refuse(session, id, error)
            return false
        }
        guard take(session.budget.atOnce(ofCells: price), besides: paid, of: session, id) else { return false }
        session.budget.oweRest(ofCells: price, at: now)
        return true
    }

    /// Takes the price of what is read over HTTP without a session. Nil: it is paid.
    /// - Parameter reader: `<role>:<subject>`.
    func take(_ price: Double, ofReader reader: String) -> ErrorReply? {
        let budget = budget(ofReader: reader)
        if budget.take(min(price, budget.bucket.capacity), at: now) { return nil }
        return refusal(budget, price: price)
    }

    func charge(_ price: Double, ofReader reader: String) { budget(ofReader: reader).charge(price, at: now) }

    /// What figures or records have turned out to cost. `fillings`: see ``TokenBucket/charge(_:at:most:)``.
    func charge(_ price: Double, forReadingsOf reader: String, most fillings: Double) {
        budget(ofReader: reader).owe(price, for: .tables, at: now, most: fillings)
    }

    /// Why who owes for figures, records or a map has to wait with the next figures or records, though `price` was taken when its question came:
    /// that is given back. Nil: it owes nothing.
    func debt(forReadingsOf reader: String, givingBack price: Double) -> ErrorReply? {
        let budget = budget(ofReader: reader)
        let wait = budget.readings.wait(for: 0, at: now)
        guard wait > 0 else { return nil }
        budget.giveBack(min(price, budget.bucket.capacity))
        return ErrorReply(
            code: .rateLimited, detail: budget.debt + "; ask again then.", retryAfterMs: wait)
    }

    /// - Parameter key: `<role>:<subject>`.
    func budget(ofReader key: String) -> Budget {
        let budget =
            bySubject[key]
            ?? make(key, group: Self.group(of: key).map { self.budget(ofReader: $0) })
        bySubject[key] = budget
        if budget.sessions == 0 { idle.insert(key) }
        return budget
    }

    private func refuse(_ session: Session, _ id: Int64?, _ budget: Budget, price: Double) {
        services.outbox.refuse(session, id, refusal(budget, price: price))
    }

    private func refusal(_ budget: Budget, price: Double) -> ErrorReply {
        let bucket = budget.bucket
        let detail =
            "At most \(Int(bucket.perSecond)) commands a second, \(Int(bucket.capacity)) at once; some count more than once."
        return ErrorReply(
            code: .rateLimited, field: ErrorReply.field(in: detail), detail: detail,
            retryAfterMs: max(1, budget.wait(for: min(price, bucket.capacity), at: now)))
    }
}

/// What a subject's commands ask of Redis counts, until it is answered.
extension Budget: RedisAsker {
    func commandSent() { inbound.asked() }

    func commandAnswered() { inbound.answered() }
}
