import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire
import WireProtobuf

/// Where a client's message enters: read, checked against the rate and the role, handed to its function.
extension Worker {
    func receive(_ connection: ConnectionID, _ bytes: UnsafeRawBufferPointer, _ isText: Bool) {
        guard let session = sessions[connection], session.phase != .closing else { return }
        guard isText == (session.encoding == .json) else {
            return close(session, .unsupportedData, isText ? "only binary messages are understood" : nil)
        }
        metrics.messages.increment()
        let isStranger = session.identity == nil
        if isStranger, bytes.count > CommandPrice.strangersBytes {
            return close(session, .messageTooBig, "say hello first, with at most \(CommandPrice.strangersBytes) bytes")
        }
        let least =
            isStranger
            ? session.budget.bucket.capacity / CommandPrice.strangersMessages : CommandPrice.size(bytes.count)
        switch session.encoding == .json ? decode(bytes) : protobuf.decode(bytes) {
        case .refused(let id, let error):
            guard isWithinRate(session, id, price: max(1, least)) else { return }
            refuse(session, id, error)
        case .message(let message):
            let price = max(CommandPrice.of(message.command), least)
            guard isWithinRate(session, message.id, price: price) else { return }
            carryOut(message, for: session)
        }
    }

    func carryOut(_ message: ClientMessage, for session: Session) {
        if case .hello(let token, let resume) = message.command {
            return hello(session, message.id, token: token, resume: resume)
        }
        guard let identity = session.identity, session.phase != .silent else {
            return refuse(session, message.id, .unauthenticated, "Say hello with a token first.")
        }
        if session.phase == .catchingUp {
            guard session.waiting.count < settings.server.commandsBurst else {
                return refuse(session, message.id, .unavailable, "The hub is reading what you missed; send it again.")
            }
            return session.waiting.append(message)
        }
        if case .position(let fix) = message.command {
            if let bus = session.bus { return position(fix, message.id, session, bus) }
            guard let driver = session.driver else { return forbid(session, message, identity) }
            return position(fix, message.id, session, driver)
        }
        switch message.command {
        case .publish(let channel, let type, let data):
            return publish(channel, type, data, message, session, identity)
        case .subscribe(let channel, _, let since) where channel == Channel.catalog:
            return subscribeTopic(channel, since: since, message, session)
        case .unsubscribe(let channel) where channel == Channel.catalog:
            return unsubscribeTopic(channel, message, session)
        case .subscribe(let channel, _, let since) where channel.hasPrefix(Channel.topics):
            return subscribeTopic(channel, since: since, message, session)
        case .subscribe(let channel, _, let since) where channel.hasPrefix(Channel.lines):
            return subscribeLine(channel, since: since, message, session)
        case .unsubscribe(let channel) where channel.hasPrefix(Channel.topics) || channel.hasPrefix(Channel.lines):
            return unsubscribeTopic(channel, message, session)
        case .watch(let lat, let lon, let radius, let options): watch(lat, lon, radius, options, message, session)
        case .unwatch: unwatch(message, session)
        case .vehicleGet(let vehicle): vehicleGet(vehicle, message, session)
        case .lineEta(let line, let place): lineETA(line, at: place, message, session)
        case .notifySet(let wishes): setWishes(wishes, message, session, identity)
        case .subscribe(let channel, let options, _): subscribe(channel, options, message, session, identity)
        case .unsubscribe(let channel): unsubscribe(channel, message, session, identity)
        default:
            switch identity.role {
            case .driver: carryOut(message, session, session.driver, identity)
            case .passenger: carryOut(message, session, identity)
            case .busDriver: carryOut(message, session, session.bus, identity)
            case .operator: carryOutForOperator(message, session, identity)
            default: forbid(session, message, identity)
            }
        }
    }

    func forbid(_ session: Session, _ message: ClientMessage, _ identity: Identity) {
        refuse(
            session, message.id, .forbidden,
            "The command \(message.command.name.rawValue) is not for the role \(identity.role.rawValue).")
    }

    // MARK: drivers

    private func carryOut(_ message: ClientMessage, _ session: Session, _ driver: DriverTrack?, _ identity: Identity) {
        guard let driver else { return forbid(session, message, identity) }
        if carryOutSeats(message, session, driver) { return }
        let who = RedisArgument(driver.subject)
        let key = RedisArgument(message.key ?? "")
        switch message.command {
        case .driverAvailable:
            // Refused by the function, not here: a repeated command gets its first reply, wherever the driver now is.
            switch placeOf(driver) {
            case .zone(let zone): call("available", [who, RedisArgument(zone), key, "", ""], message, session)
            case .refused(let code, let detail):
                call(
                    "available", [who, "", key, RedisArgument(code.rawValue), RedisArgument(detail)], message, session)
            }
        case .driverUnavailable: call("unavailable", [who, key], message, session)
        case .offerSeen(let ride): call("seen", [who, RedisArgument(ride)], message, session)
        case .offerAccept(let ride):
            let eta = etaAtAcceptance(driver, ride).map { RedisArgument($0) } ?? ""
            metrics.accepts.increment()
            // The passenger is told where the taxi is: the position that it has sent last, not that of the last tick.
            if driver.isDirty { flushPositions() }
            call("accept", [who, RedisArgument(ride), key, eta], message, session) { reply in
                // The push may come after the driver's next fixes. A repeated command's reply is of an offer that is over.
                if driver.offerPickup?.ride == reply["ride"]?.text { self.becomeBusy(driver, reply) }
            }
        case .offerDecline(let ride):
            call("decline", [who, RedisArgument(ride), key], message, session) { reply in
                if driver.offerPickup?.ride == reply["ride"]?.text { self.offerEnded(driver) }
            }
        case .rideAboard(let ride, let passengers):
            let count = passengers.map { RedisArgument($0) } ?? ""
            call("aboard", [who, RedisArgument(ride ?? ""), count, key], message, session) { reply in
                // A repeated command's reply may be of an earlier ride.
                if case .busy(var track) = driver.duty, track.ride == reply["ride"]?.text {
                    track.isAboard = true
                    driver.duty = .busy(track)
                }
            }
        case .rideEnd(let ride):
            call("finish", [who, RedisArgument(ride ?? ""), RedisArgument(zoneOf(driver)), key], message, session) {
                reply in
                if case .busy(let track) = driver.duty, track.ride == reply["ride"]?.text { driver.duty = .unavailable }
            }
        case .rideNoshow(let ride): call("noshow", [who, RedisArgument(ride ?? ""), key], message, session)
        case .rideCancel(let ride):
            call(
                "cancel", ["driver", who, RedisArgument(ride ?? ""), key, RedisArgument(zoneOf(driver))], message,
                session)
        default: forbid(session, message, identity)
        }
    }

    // MARK: passengers

    private func carryOut(_ message: ClientMessage, _ session: Session, _ identity: Identity) {
        let who = RedisArgument(identity.subject)
        let key = RedisArgument(message.key ?? "")
        switch message.command {
        case .rideRequest(let lat, let lon, let passengers, let destination):
            switch lookUp(GeoPoint(lat: lat, lon: lon)) {
            case .refused(let code, let detail): refuse(session, message.id, code, detail)
            case .zone(let zone):
                metrics.requests.increment()
                var arguments = [who, RedisArgument(RandomID.make("r_")), RedisArgument(zone)]
                arguments += [RedisArgument(lat), RedisArgument(lon), RedisArgument(passengers)]
                arguments += destination.map { [RedisArgument($0.lat), RedisArgument($0.lon)] } ?? ["", ""]
                call("request", arguments + [key], message, session)
            }
        case .stopRequest(let request): requestStop(request, message, session, identity)
        case .stopCancel(let request): cancelStop(request, message, session, identity)
        case .rideCancel(let ride):
            call("cancel", ["passenger", who, RedisArgument(ride ?? ""), key, ""], message, session)
        case .rideSearch(let ride): call("search", [who, RedisArgument(ride ?? ""), key], message, session)
        case .seatBook(let request): book(request, message, session, identity)
        case .seatCancel(let booking):
            call("seat_cancel", ["passenger", who, RedisArgument(booking ?? ""), key], message, session)
        default: forbid(session, message, identity)
        }
    }

    // MARK: channels

    /// One's own channel is read since hello; the others are feeds.
    private func subscribe(
        _ channel: String, _ options: FeedOptions, _ message: ClientMessage, _ session: Session, _ identity: Identity
    ) {
        if channel == identity.channel { return reply(session, message.id, Self.channelReply(channel), to: .subscribe) }
        guard !subscribeFeed(channel, options, message, session, identity) else { return }
        refuse(
            session, message.id, .forbidden,
            "field `channel`: \(channel) is not yours to read, or there is no such channel.", field: "channel")
    }

    private func unsubscribe(_ channel: String, _ message: ClientMessage, _ session: Session, _ identity: Identity) {
        guard channel != identity.channel else {
            return refuse(
                session, message.id, .forbidden, "field `channel`: one's own channel can't be left.", field: "channel")
        }
        endFeed(channel, session)
        reply(session, message.id, Self.channelReply(channel), to: .unsubscribe)
    }

    static func channelReply(_ channel: String) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("channel", channel)
        json.endObject()
        return json.bytes
    }

    // MARK: calling

    /// Calls the function of a command and sends its answer as the one reply to the message.
    func call(
        _ function: String, _ arguments: [RedisArgument], _ message: ClientMessage, _ session: Session,
        then: ((JSONValue) -> Void)? = nil
    ) {
        let began = loop.now
        dispatch.command(function, arguments) { answer in
            self.metrics.commandTook(milliseconds: self.loop.now - began)
            if let then, case .ok(let json) = answer, let reply = try? JSONValue(parsing: json) { then(reply) }
            guard self.sessions[session.connection] === session else { return }
            self.answer(answer, to: message, session)
        }
    }

    private func answer(_ answer: Dispatch.Answer, to message: ClientMessage, _ session: Session) {
        switch answer {
        case .ok(let json): reply(session, message.id, json, to: message.command.name)
        case .refused(let code, let detail, let retryAfterMs):
            refuse(session, message.id, ErrorCode(rawValue: code) ?? .internal, detail, retryAfterMs: retryAfterMs)
        case .unavailable:
            refuse(
                session, message.id, .unavailable, "The hub can't reach its store now; send it again with the same key."
            )
        case .failed(let text):
            log.error("\(message.command.name.rawValue) failed: \(text)")
            refuse(session, message.id, .internal, "The hub could not carry out \(message.command.name.rawValue).")
        }
    }
}
