import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Wire

/// How a session reads what it missed and goes live: after hello, and when the subscription was lost.
extension Sessions {
    /// Reads what a session missed and goes live without a hole or a double: the partition is subscribed first, what is
    /// pushed from then on is held, the history is read up to a position, and of what was held only the later is sent.
    /// `then` is called with true before anything is sent, or with false when Redis could not be asked.
    func catchUp(_ session: Session, _ identity: Identity, then: @escaping (Bool) -> Void) {
        session.phase = .catchingUp
        session.isBehind = !subscriber.isUp
        readers.add(session, to: identity.channel)
        readers.whenSubscribed(identity.channel) {
            guard !session.isGreeted else { return self.sayHello(session, identity, then) {} }
            let turns = session.position.isEmpty ? self.hellos : self.resumptions
            let isTaken = turns.add(session.budget) { ended in
                guard self.isCatchingUp(session) else {
                    then(false)
                    return false
                }
                if let debt = self.budgets.debt(of: session) {
                    session.refusal = debt
                    then(false)
                    return false
                }
                self.sayHello(session, identity, then, ended: ended)
                return true
            }
            guard !isTaken else { return }
            session.refusal = ErrorReply(
                code: .rateLimited, detail: "Several hellos of this subject wait for their turn; say it again then.",
                retryAfterMs: 1_000)
            then(false)
        }
    }

    private func sayHello(
        _ session: Session, _ identity: Identity, _ then: @escaping (Bool) -> Void, ended: @escaping () -> Void
    ) {
        guard self.isCatchingUp(session) else {
            ended()
            return then(false)
        }
        let arguments: FunctionArguments = [
            "role": RedisArgument(identity.role.rawValue), "subject": RedisArgument(identity.subject),
            "session": RedisArgument(session.name), "worker": RedisArgument(self.services.name),
            "seen": RedisArgument(session.position), "kind": RedisArgument(identity.kind.text.description),
            "seats": RedisArgument(identity.seats ?? self.settings.vehicles.minibusSeats),
            "again": session.isGreeted ? "1" : "",
        ]
        session.hasMissedState = false
        self.functions.call("session_hello", arguments) { result in
            self.wasAnswered(result, session, identity, then, ended)
        }
    }

    private func wasAnswered(
        _ result: Result<RedisReply, RedisFailure>, _ session: Session, _ identity: Identity,
        _ then: @escaping (Bool) -> Void, _ ended: @escaping () -> Void
    ) {
        let answer = if case .success(let reply) = result { HelloReply(reply) } else { nil as HelloReply? }
        if let answer { charge(session, identity, answer.entries[...], snapshotBytes: answer.snapshotBytes.count) }
        guard isCatchingUp(session) else {
            failed(session, identity)
            ended()
            return then(false)
        }
        if case .refused(let code, let detail, let wait) = RedisFunctions.answer(result) {
            session.refusal = ErrorReply(
                code: ErrorCode(rawValue: code) ?? .forbidden, detail: detail, retryAfterMs: wait)
            if session.isGreeted { close(session, .forbidden) }
            ended()
            return then(false)
        }
        if case .failure(.server(let text)) = result { log.error("hello failed: \(text)") }
        guard let reply = answer else {
            // It may have been carried out all the same.
            failed(session, identity)
            ended()
            return then(false)
        }
        guard let last = reply.lastOfSome else {
            goLive(session, identity, reply, then)
            return ended()
        }
        readRest(of: identity.channel, after: last, reply) { whole in
            defer { ended() }
            if let whole { self.charge(session, identity, whole.entries.dropFirst(reply.entries.count)) }
            guard self.isCatchingUp(session), let whole else {
                self.failed(session, identity)
                return then(false)
            }
            self.goLive(session, identity, whole, then)
        }
    }

    /// What a function would give at five times the cost: the entries after `last`, which was its last one, up to its position. Should `last`
    /// be gone meanwhile, it is a gap. Calls `then` with nil if Redis did not answer.
    private func readRest(
        of channel: String, after last: String, _ reply: HelloReply, _ then: @escaping (HelloReply?) -> Void
    ) {
        commands.send([
            "XRANGE", RedisArgument(keys.history(channel)), RedisArgument(last), RedisArgument(reply.position),
        ]) { result in
            if case .failure(.server(let text)) = result { self.log.error("a history can't be read: \(text)") }
            guard case .success(let rest) = result else { return then(nil) }
            then(reply.completed(with: rest))
        }
    }

    /// What was read for a hello is paid by who said it, also when its connection is gone meanwhile: the session has its subject's
    /// budget no more then.
    private func charge(
        _ session: Session, _ identity: Identity, _ entries: ArraySlice<Push>, snapshotBytes: Int = 0
    ) {
        guard !session.isGreeted else { return }
        let history = CommandPrice.resumed(entries.count, bytes: entries.reduce(0) { $0 + $1.data.count })
        budgets.charge(
            history + CommandPrice.snapshot(bytes: snapshotBytes), ofReader: Budgets.key(of: identity.claims))
    }

    private func isCatchingUp(_ session: Session) -> Bool { sessions.has(session) && session.phase == .catchingUp }

    private func failed(_ session: Session, _ identity: Identity) {
        for capability in capabilities { capability.helloFailed(session, identity) }
    }

    private func goLive(_ session: Session, _ identity: Identity, _ reply: HelloReply, _ then: (Bool) -> Void) {
        for capability in capabilities { capability.caughtUp(session, identity, reply) }
        // The greeting's seq is where the client stands before what it missed has been sent.
        if reply.mode == .fresh || reply.mode == .gap { session.position = reply.position }
        then(true)
        session.position = reply.position
        switch reply.mode {
        case .resumed, .oldest:
            for entry in reply.entries where entry.type != "opened" {
                metrics.events.increment()
                send(
                    session,
                    Encode.event(
                        channel: identity.channel, seq: entry.seq, type: entry.type, time: entry.time, data: entry.data)
                )
            }
            let isNeeded = capabilities.contains { $0.needsSnapshot(identity, reply) }
            if reply.mode == .oldest || isNeeded { sendSnapshot(session, identity, reply) }
        case .gap:
            send(session, Encode.gap(channel: identity.channel))
            sendSnapshot(session, identity, reply)
        case .fresh:
            sendSnapshot(session, identity, reply)
        }
        session.phase = .live
        for capability in capabilities { capability.wentLive(session) }
        handleWaiting(session)
    }

    /// What came while the session caught up; the phase says how each is answered.
    func handleWaiting(_ session: Session) {
        let waiting = session.waiting
        session.waiting = []
        for message in waiting { route(message, session) }
    }

    private func sendSnapshot(_ session: Session, _ identity: Identity, _ reply: HelloReply) {
        send(session, Encode.snapshot(channel: identity.channel, time: now(), data: reply.snapshotBytes))
    }

    func subscriptionLost() {
        log.warning("the subscription connection to Redis is lost; reconnecting")
        for session in sessions.all { session.isBehind = true }
    }

    /// The subscription was lost and is back: whatever was pushed in between must be read from the histories.
    func subscriptionBack() {
        log.info("subscribed to Redis", metadata: ["sessions": "\(sessions.all.count)"])
        sessions.catchUpAll()
        catchUpSome()
    }

    /// A few at a time: a storm of histories would only make everyone wait.
    func catchUpSome() {
        while catchingUp < Self.atOnce, subscriber.isUp, commands.isUp, let session = sessions.nextToCatchUp() {
            guard sessions.has(session), session.phase == .live, let identity = session.identity else { continue }
            catchingUp += 1
            catchUp(session, identity) { isDone in
                self.catchingUp -= 1
                if !isDone, self.isCatchingUp(session) {
                    session.phase = .live
                    session.isBehind = true
                    self.sessions.catchUpAgain([session])
                    self.handleWaiting(session)
                }
            }
        }
    }
}
