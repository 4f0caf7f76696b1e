import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import Tokens
import WebSocketServer
import Wire
import WireProtobuf

/// Connections: opened, identified, caught up with what they missed, closed.
final class Sessions: PushListener {
    let services: WorkerServices
    /// All capabilities, told in this order.
    var capabilities: [any Capability] = []
    /// Handles a message that waited while its session caught up.
    var route: (ClientMessage, Session) -> Void = { _, _ in }

    var budgets: Budgets { services.budgets }
    private var number = 0
    /// Seconds at which a connection must have said hello, or its token ends; when they were last looked at, ms of the loop.
    private var deadlines = TimerWheel()
    /// Those whose time has come, or may have, and whether it was noticed too late: a crowd that came at once is late at once, and closing 5,000
    /// took 56 ms.
    private var overdue: [(id: UInt64, isOurFault: Bool)] = []
    private static let deadlinesPerSlice = 64
    private var lastSecond: UInt64
    private var forwardStep = ForwardStep(
        machine: EventLoop.wallClock(), steady: Int64(EventLoop.currentTime()))
    var catchingUp = 0
    let leavePace: LoopTimer
    /// How many catch up at once.
    static let atOnce = 200
    /// Hellos by turns, as what they cost is known afterwards: a full snapshot takes Redis a millisecond or two, a full history one, and the
    /// worker five.
    let hellos = SubjectTurns(most: 8, mostOfSubject: 8)
    let resumptions = SubjectTurns(most: 2, mostOfSubject: 8)

    init(_ services: WorkerServices) {
        self.services = services
        leavePace = LoopTimer(services.loop)
        lastSecond = services.loop.now
        services.sessions.onDue = { self.catchUpSome() }
    }

    func opened(_ connection: ConnectionID, _ info: WebSocketServer.OpenInfo) {
        number += 1
        let session = Session(
            connection: connection, name: "\(services.name).\(number)", bearer: info.bearerToken,
            budget: budgets.ofStranger(),
            encoding: info.subprotocol == ProtobufWire.subprotocol ? .protobuf : .json)
        sessions.add(session)
        scheduleHello(session)
    }

    private func scheduleHello(_ session: Session) {
        guard session.phase != .closing else { return }
        let due = loop.now + UInt64(settings.server.helloTimeoutMs)
        deadlines.schedule(session.connection.rawValue, at: (due + 999) / 1000)
    }

    /// silentMs: since it was heard last.
    func closed(_ connection: ConnectionID, _ code: UInt16, silentMs: UInt64) {
        guard let session = sessions.remove(connection) else { return }
        session.phase = .closing
        deadlines.cancel(connection.rawValue)
        metrics.closed(code)
        for capability in capabilities { capability.closed(session) }
        budgets.leave(session)
        guard let identity = session.identity else { return }
        let silent = max(session.leastSilentMs, Int(silentMs) + Self.underWayMs)
        // Who has not left may have slept, and not have seen what was sent.
        leaveLinks(session, identity, silentMs: Self.leftBehind.contains(code) ? silent : nil)
        readers.remove(session, from: identity.channel)
    }

    /// The codes with which a phone that sleeps may lose its connection: the link's own end, and the hub's that are nobody's fault or wish.
    private static let leftBehind = Set(
        [1006] + [CloseCode.serviceRestart, .overloaded, .tokenExpired, .slowConsumer].map(\.rawValue))
    /// What was sent so long before it was heard last may have been under way to it.
    private static let underWayMs = 10_000

    /// It does not count among its subject's connections any more (`session_left`).
    private func leaveLinks(_ session: Session, _ identity: Identity, silentMs: Int? = nil) {
        guard !identity.channel.isEmpty, settings.server.maxConnectionsPerSubject > 0 || settings.push.isOn else {
            return
        }
        functions.retryUntilDone(
            "session_left",
            [
                "channel": RedisArgument(identity.channel), "session": RedisArgument(session.name),
                "silent_ms": silentMs.map { RedisArgument($0) } ?? "",
            ])
    }

    /// One's own channel is read since hello.
    func handle(_ message: ClientMessage, _ session: Session, _ identity: Identity) -> Bool {
        switch message.command {
        case .channels(.subscribe(let channel, _, _)) where channel == identity.channel:
            reply(session, message.id, Self.channelReply(channel), to: message.command.name)
        case .channels(.unsubscribe(let channel)) where channel == identity.channel:
            refuse(
                session, message.id, .forbidden, "field `channel`: one's own channel can't be left.", field: "channel")
        default: return false
        }
        return true
    }

    /// Another connection of the same subject has taken the place of the session that the push names, or a bus its subject's name.
    func onPublish(_ push: Push) -> Bool {
        guard push.seq.isEmpty, push.type == "replaced" || push.type == "name_taken" else { return false }
        for session in readers[push.channel] ?? [] where session.name == push.meta && session.phase != .closing {
            if push.type == "replaced" {
                close(session, .replaced)
            } else {
                close(session, .forbidden, CloseCode.nameTakenReason)
            }
        }
        return true
    }

    func tick() { catchUpSome() }

    func slice(_ number: Int) {
        let due = overdue.prefix(Self.deadlinesPerSlice)
        overdue.removeFirst(due.count)
        for deadline in due { checkDeadline(deadline.id, isOurFault: deadline.isOurFault) }
    }

    func second() {
        budgets.forgetIdle()
        // A loop that was held up finds its timers before its sockets: who said hello meanwhile is still to be read.
        let wasHeldUp = loop.now - lastSecond > 2_000
        lastSecond = loop.now
        overdue += deadlines.advance(to: loop.now / 1000).map { ($0, wasHeldUp) }
        // Deadlines are of the loop's clock, and tokens end by the machine's.
        if forwardStep.isNew(machine: EventLoop.wallClock(), steady: Int64(EventLoop.currentTime())) {
            overdue += sessions.all.filter(\.isGreeted).map { ($0.connection.rawValue, false) }
        }
    }

    /// Looks at the connections whose time has come: no hello in time, or a token that has ended. A hello that was not read
    /// yet (`isOurFault`), or is being carried out, is not late.
    func checkDeadline(_ id: UInt64, isOurFault: Bool = false) {
        guard let session = sessions[ConnectionID(rawValue: id)], session.phase != .closing else { return }
        guard let identity = session.identity, session.isGreeted else {
            if isOurFault || session.identity != nil { return scheduleHello(session) }
            return close(session, .helloTimeout)
        }
        let left = identity.expiresAt - EventLoop.wallClock()
        if left <= 0 { return close(session, .tokenExpired) }
        deadlines.schedule(id, at: loop.now / 1000 + UInt64(left + 999) / 1000)
    }

    // MARK: hello

    func hello(_ session: Session, _ id: Int64?, token: String?, resume: [ResumePoint]) {
        guard session.phase == .silent else { return renew(session, id, token: token, resume: resume) }
        guard services.clock.isSet, services.knowsRevoked else {
            return refuse(session, id, .unavailable, "The hub is starting; say hello again.")
        }
        guard commands.isUp, subscriber.isUp else {
            return refuse(session, id, .unavailable, "The hub can't reach its store now; say hello again.")
        }
        guard let text = token ?? session.bearer else {
            refuse(session, id, .unauthenticated, "field `token`: expected a token; make one with `kerbside token`.")
            return close(session, .unauthenticated)
        }
        session.bearer = nil
        let claims: TokenClaims
        do {
            claims = try services.claims(of: text)
        } catch {
            refuse(session, id, error == .wrongCity ? .forbidden : .unauthenticated, "\(error)")
            return close(session, error == .wrongCity ? .forbidden : .unauthenticated)
        }
        let hasChannel = claims.role == .driver || claims.role == .busDriver || claims.role == .passenger
        let identity = Identity(
            claims: claims, channel: hasChannel ? "\(claims.role.rawValue):\(claims.subject)" : "",
            expiresAt: (claims.expiresAt + Int64(settings.tokens.leewayS)) * 1000)
        let price = CommandPrice.of(.session(.hello(token: nil, resume: resume)))
        guard budgets.join(session, id, identity, price: price) else { return }
        session.identity = identity
        session.resume = resume
        guard hasChannel else {
            session.phase = .live
            return greet(session, id, identity)
        }
        let seen = resume.first { $0.channel == identity.channel }?.seq ?? ""
        session.position = seen == "0" ? StreamPosition.zero.text : seen
        catchUp(session, identity) { isDone in
            guard isDone else {
                session.identity = nil
                self.budgets.leave(session)
                self.leaveLinks(session, identity)
                if session.phase != .closing { session.phase = .silent }
                self.readers.remove(session, from: identity.channel)
                self.scheduleHello(session)
                if let refusal = session.refusal {
                    self.refuse(session, id, refusal)
                    return self.close(session, refusal.code == .rateLimited ? .rateLimited : .forbidden)
                }
                self.refuse(session, id, .unavailable, "The hub can't reach its store now; say hello again.")
                return self.handleWaiting(session)
            }
            self.greet(session, id, identity)
        }
    }

    private func greet(_ session: Session, _ id: Int64?, _ identity: Identity) {
        session.isGreeted = true
        checkDeadline(session.connection.rawValue)
        reply(session, id, greeting(identity, session), to: "hello")
        for capability in capabilities { capability.greeted(session, identity) }
        session.resume = []
    }

    func greeting(_ identity: Identity, _ session: Session) -> [UInt8] {
        var channels = capabilities.flatMap { $0.greeting(session, identity) }
        if !identity.channel.isEmpty {
            channels.insert(GreetedChannel(name: identity.channel, seq: session.position), at: 0)
        }
        var json = JSONWriter()
        json.beginObject()
        json.member("session", session.name)
        json.member("role", identity.role.rawValue)
        json.member("subject", identity.subject)
        json.member("city", settings.city.id)
        json.key("channels")
        json.beginArray()
        for channel in channels { json.string(channel.name) }
        json.endArray()
        json.member("heartbeat_s", Int64((settings.server.pingMs + 999) / 1000))
        json.member("time", now())
        json.key("seq")
        json.beginObject()
        for channel in channels {
            guard let seq = channel.seq else { continue }
            json.key(escaping: channel.name)
            json.string(seq)
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }
}
