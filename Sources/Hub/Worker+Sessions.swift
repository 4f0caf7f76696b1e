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
extension Worker {
    func opened(_ connection: ConnectionID, _ info: WebSocketServer.OpenInfo) {
        sessionNumber += 1
        let session = Session(
            connection: connection, name: "\(name).\(sessionNumber)", bearer: info.bearerToken,
            budget: Budget(key: "", bucket: bucket(for: nil)),
            encoding: info.subprotocol == ProtobufWire.subprotocol ? .protobuf : .json)
        sessions[connection] = session
        scheduleHello(session)
    }

    private func scheduleHello(_ session: Session) {
        guard session.phase != .closing else { return }
        let due = loop.now + UInt64(settings.server.helloTimeoutMs)
        deadlines.schedule(session.connection.rawValue, at: (due + 999) / 1000)
    }

    func closed(_ connection: ConnectionID, _ code: UInt16) {
        guard let session = sessions.removeValue(forKey: connection) else { return }
        session.phase = .closing
        deadlines.cancel(connection.rawValue)
        metrics.closed(code)
        endFeeds(session)
        leaveBudget(session)
        guard let identity = session.identity else { return }
        leaveLinks(session, identity)
        closedTopics(session)
        stopReading(identity.channel, session)
        if let taxi = session.taxi { stopReading(Channel.vehicle(taxi), session) }
        if let bus = session.bus { closedBus(session, bus) }
        guard let driver = session.driver else { return }
        driver.sessions.removeAll { $0 === session }
        // It may be back in a moment, on another worker, which then must know where it is.
        if driver.isDirty { flushPositions() }
        if let other = driver.sessions.last(where: { $0.phase != .closing }) {
            toCatchUp.append(other)
            catchUpSome()
        } else if driver.sessions.isEmpty {
            drivers[driver.subject] = nil
            owe("gone", [RedisArgument(driver.subject), RedisArgument(driver.registered)])
        }
    }

    func close(_ session: Session, _ code: CloseCode, _ reason: String? = nil) {
        session.phase = .closing
        server.close(session.connection, code: code.rawValue, reason: reason ?? code.reason)
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

    func hello(_ session: Session, _ id: Int64?, token: String?, resume: [(channel: String, seq: String)]) {
        guard session.phase == .silent else {
            return refuse(session, id, .badMessage, "This connection has said hello already.")
        }
        guard clock.isSet else { return refuse(session, id, .unavailable, "The hub is starting; say hello again.") }
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
            claims = try verifier.verify(text, nowMs: EventLoop.wallClock())
        } catch {
            metrics.tokensRefused.increment()
            refuse(session, id, error == .wrongCity ? .forbidden : .unauthenticated, "\(error)")
            return close(session, error == .wrongCity ? .forbidden : .unauthenticated)
        }
        server.welcome(session.connection)
        let hasChannel = claims.role == .driver || claims.role == .busDriver || claims.role == .passenger
        let identity = Identity(
            claims: claims, channel: hasChannel ? "\(claims.role.rawValue):\(claims.subject)" : "",
            expiresAt: (claims.expiresAt + Int64(settings.tokens.leewayS)) * 1000)
        let price = CommandPrice.of(.hello(token: nil, resume: resume))
        guard joinBudget(session, id, identity, price: price) else { return }
        session.identity = identity
        session.resume = resume
        guard hasChannel else {
            session.phase = .live
            session.isGreeted = true
            checkDeadline(session.connection.rawValue)
            reply(session, id, greeting(identity, session), to: .hello)
            return resumeTopics(session)
        }
        let seen = resume.first { $0.channel == identity.channel }?.seq ?? ""
        session.position = seen == "0" ? StreamPosition.zero.text : seen
        catchUp(session, identity) { isDone in
            guard isDone else {
                session.identity = nil
                self.leaveBudget(session)
                self.leaveLinks(session, identity)
                if session.phase != .closing { session.phase = .silent }
                self.stopReading(identity.channel, session)
                self.scheduleHello(session)
                self.refuse(session, id, .unavailable, "The hub can't reach its store now; say hello again.")
                return self.carryOutWaiting(session)
            }
            session.isGreeted = true
            self.checkDeadline(session.connection.rawValue)
            self.reply(session, id, self.greeting(identity, session), to: .hello)
            self.resumeTopics(session)
        }
    }

    private func greeting(_ identity: Identity, _ session: Session) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("session", session.name)
        json.member("role", identity.role.rawValue)
        json.member("subject", identity.subject)
        json.member("city", settings.city.id)
        json.key("channels")
        json.beginArray()
        if !identity.channel.isEmpty { json.string(identity.channel) }
        if let taxi = session.taxi { json.string(Channel.vehicle(taxi)) }
        let topics = session.resume.filter {
            Channel.isShared($0.channel) && denial(of: $0.channel, to: identity.role) == nil
        }
        for topic in topics { json.string(topic.channel) }
        json.endArray()
        json.member("heartbeat_s", Int64((settings.server.pingMs + 999) / 1000))
        json.member("time", now())
        json.key("seq")
        json.beginObject()
        if !identity.channel.isEmpty {
            json.key(escaping: identity.channel)
            json.string(session.position)
        }
        for topic in topics {
            guard let position = StreamPosition(client: topic.seq) else { continue }
            json.key(escaping: topic.channel)
            json.string(position.text)
        }
        json.endObject()
        json.endObject()
        return json.bytes
    }

    // MARK: catching up

    /// Reads what the session missed and goes live without a hole or a double: the partition is subscribed first, what is
    /// pushed from then on is held, the history is read up to a position, and of what was held only the later is sent.
    /// `then` is called with true before anything is sent, or with false when Redis could not be asked.
    private func catchUp(_ session: Session, _ identity: Identity, then: @escaping (Bool) -> Void) {
        session.phase = .catchingUp
        session.isBehind = !subscriber.isUp
        startReading(identity.channel, session)
        whenSubscribed(identity.channel) {
            guard self.sessions[session.connection] === session, session.phase == .catchingUp else {
                return then(false)
            }
            let arguments: [RedisArgument] = [
                RedisArgument(identity.role.rawValue), RedisArgument(identity.subject), RedisArgument(session.name),
                RedisArgument(self.name), RedisArgument(session.position),
                RedisArgument(identity.kind.text.description),
                RedisArgument(identity.seats ?? self.settings.vehicles.minibusSeats),
            ]
            self.dispatch.call("hello", arguments) { result in
                guard self.sessions[session.connection] === session, session.phase == .catchingUp else {
                    self.forget(session, identity)
                    return then(false)
                }
                if case .failure(.server(let text)) = result { self.log.error("hello failed: \(text)") }
                guard case .success(let reply) = result, let caught = Caught(reply) else {
                    // It may have been carried out all the same.
                    self.forget(session, identity)
                    return then(false)
                }
                self.goLive(session, identity, caught, then)
            }
        }
    }

    /// Redis may hold a session for a driver's that is not: the driver is given back to its other one, or is away.
    private func forget(_ session: Session, _ identity: Identity) {
        guard identity.role == .driver, session.driver == nil else { return }
        if let other = drivers[identity.subject]?.sessions.last(where: { $0.phase == .live }) {
            toCatchUp.append(other)
        } else {
            owe("gone", [RedisArgument(identity.subject), RedisArgument(session.name)])
        }
    }

    private func goLive(_ session: Session, _ identity: Identity, _ caught: Caught, _ then: (Bool) -> Void) {
        if identity.role == .driver { adopt(session, identity, caught) }
        if identity.role == .busDriver { adoptTour(session, identity, caught) }
        if identity.role == .passenger { adoptRide(session, caught.snapshot) }
        if !session.isGreeted {
            session.budget.bucket.charge(CommandPrice.missed(caught.entries.count), at: Int64(loop.now))
        }
        // The greeting's seq is where the client stands before what it missed has been sent.
        if caught.mode == .fresh || caught.mode == .gap { session.position = caught.position }
        then(true)
        session.position = caught.position
        switch caught.mode {
        case .resumed, .oldest:
            for entry in caught.entries where entry.type != "opened" {
                metrics.events.increment()
                send(
                    session,
                    Encode.event(
                        channel: identity.channel, seq: entry.seq, type: entry.type, time: entry.time, data: entry.data)
                )
            }
            // The history does not keep the list of stops that each of these events had (stops.tell_driver).
            let hasLists = identity.role == .busDriver && caught.entries.contains { $0.type.hasPrefix("stop.") }
            if caught.mode == .oldest || hasLists { sendSnapshot(session, identity, caught) }
        case .gap:
            send(session, Encode.gap(channel: identity.channel))
            sendSnapshot(session, identity, caught)
        case .fresh:
            sendSnapshot(session, identity, caught)
        }
        session.phase = .live
        if let driver = session.driver, driver.isMinibus { proposeStops(driver) }
        if session.isBehind {
            // Lost while it caught up; or still lost, and then it is caught up again when all are.
            if subscriber.isUp { toCatchUp.append(session) }
        } else {
            let held = session.held
            session.held = []
            for push in held {
                var frames = SharedFrames()
                deliver(push, to: session, &frames)
            }
        }
        carryOutWaiting(session)
    }

    /// What came while the session caught up; the phase says how each is answered.
    private func carryOutWaiting(_ session: Session) {
        let waiting = session.waiting
        session.waiting = []
        for message in waiting { carryOut(message, for: session) }
    }

    private func sendSnapshot(_ session: Session, _ identity: Identity, _ caught: Caught) {
        send(session, Encode.snapshot(channel: identity.channel, time: now(), data: caught.snapshotBytes))
    }

    func subscriptionsAreLost() {
        log.warning("the subscription connection to Redis is lost; reconnecting")
        for session in sessions.values { session.isBehind = true }
        for following in followed.values {
            following.isCurrent = false
            following.wasInterrupted = following.isReading
        }
        topicsMayHaveMissed()
        linesMayHaveMissed()
    }

    /// The subscription was lost and is back: whatever was pushed in between must be read from the histories.
    func subscriptionsAreBack() {
        log.info("subscribed to Redis", metadata: ["sessions": "\(sessions.count)"])
        toCatchUp = sessions.values.filter { $0.phase == .live && $0.identity?.channel.isEmpty == false }
        catchUpSome()
        refreshFollowing()
        readTopics()
        readLines()
        readCatalog()
    }

    /// A few at a time: a storm of histories would only make everyone wait.
    func catchUpSome() {
        let atOnce = 200
        while catchingUp < atOnce, subscriber.isUp, commands.isUp, let session = toCatchUp.popLast() {
            guard sessions[session.connection] === session, session.phase == .live, let identity = session.identity
            else {
                continue
            }
            catchingUp += 1
            catchUp(session, identity) { isDone in
                self.catchingUp -= 1
                if !isDone, self.sessions[session.connection] === session, session.phase == .catchingUp {
                    session.phase = .live
                    session.isBehind = true
                    self.toCatchUp.append(session)
                    self.carryOutWaiting(session)
                }
            }
        }
    }

    // MARK: readers

    func startReading(_ channel: String, _ session: Session) {
        guard !(readers[channel] ?? []).contains(where: { $0 === session }) else { return }
        readers[channel, default: []].append(session)
    }

    func stopReading(_ channel: String, _ session: Session) {
        readers[channel]?.removeAll { $0 === session }
        if readers[channel]?.isEmpty == true { readers[channel] = nil }
    }

    /// Calls `body` once Redis has confirmed the subscription of the channel's partition: at once if it has.
    func whenSubscribed(_ channel: String, _ body: @escaping () -> Void) {
        let partition = Channel.partition(channel)
        guard !subscribed.contains(partition) else { return body() }
        subscribing[partition, default: []].append(body)
        guard subscribing[partition]?.count == 1 else { return }
        subscriber.subscribe([keys.push(partition)]) {
            self.subscribed.insert(partition)
            for body in self.subscribing.removeValue(forKey: partition) ?? [] { body() }
        }
    }

    /// A call whose effect must come about: made now, and again at each tick until Redis has answered.
    func owe(_ function: String, _ arguments: [RedisArgument]) {
        dispatch.call(function, arguments) { result in
            switch result {
            case .success: break
            case .failure(.server(let text)): self.log.error("\(function) failed: \(text)")
            case .failure: self.owed.append((function, arguments))
            }
        }
    }
}
