import Domain
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire
import WireProtobuf

/// What Redis tells this worker, and what this worker tells its clients.
extension Worker {
    /// A message of a subscribed Redis channel: a push, or the news that a zone's queue has changed.
    func heard(_ channel: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer) {
        if heardFeed(channel, payload) { return }
        if channel.elementsEqual(queuesChannel) {
            let parts = payload.split(separator: 10, maxSplits: 1)
            guard parts.count == 2 else { return }
            zoneChanged(String(decoding: parts[0], as: UTF8.self), String(decoding: parts[1], as: UTF8.self))
            return
        }
        if channel.elementsEqual(catalogChannel) { return heardCatalog(payload) }
        guard let push = Push(payload) else { return }
        if push.seq.isEmpty, let line = lines[push.channel] { return heardLine(push, line) }
        if let topic = topics.byChannel[push.channel] { return told(push, topic) }
        if push.seq.isEmpty, push.type == "record" { return heardWatched(push) }
        if push.seq.isEmpty, push.type == "replaced" { return replaced(push.meta, on: push.channel) }
        if push.seq.isEmpty, push.type == "speaker" { return noticedSpeaker(push) }
        guard let sessions = readers[push.channel] else { return }
        metrics.pushes.increment()
        var frames = SharedFrames()
        for session in sessions {
            if session.phase == .catchingUp || session.isBehind, !push.seq.isEmpty {
                session.held.append(push)
            } else {
                deliver(push, to: session, &frames)
            }
        }
    }

    /// Sends an event once and in order: what is not after the last one sent was read from the history already.
    /// A frame is encoded for the first reader of each encoding and shared by all.
    func deliver(_ push: Push, to session: Session, _ frames: inout SharedFrames) {
        guard let identity = session.identity, session.phase == .live else { return }
        if push.seq.isEmpty, !isWanted(push, session) { return }
        let shared = frames[session.encoding] ?? frame(encoded(push, for: identity), session.encoding)
        // The ETA goes out under each reader's own channel.
        if push.type != "ride.eta", push.type != "seat.eta" { frames[session.encoding] = shared }
        guard !push.seq.isEmpty else {
            _ = server.send(session.connection, shared)
            if push.type == "tour", let bus = session.bus { noticedTour(push, by: bus) }
            return
        }
        guard let position = push.position else { return }
        if let sent = StreamPosition(session.position.utf8), position <= sent { return }
        session.position = push.seq
        metrics.events.increment()
        _ = server.send(session.connection, shared)
        if let driver = session.driver { noticed(push, by: driver) }
        if push.type == "tour.ended", let bus = session.bus { noticedTour(push, by: bus) }
        if identity.role == .passenger { noticed(push, by: session) }
    }

    /// Whether a state is for this reader, and tells it something newer.
    private func isWanted(_ push: Push, _ session: Session) -> Bool {
        switch push.type {
        case "ride.eta", "seat.eta":
            guard !session.mutesETA, let meta = ETAMeta(push.meta) else { return false }
            if push.type == "seat.eta", meta.booking != session.booking { return false }
            // The driver's other link, half open, may tell what is no more.
            guard meta.measuredAt >= session.etaMeasuredAt else { return false }
            session.etaMeasuredAt = meta.measuredAt
            return true
        case "stop.eta": return !session.mutesETA
        default: return true
        }
    }

    /// The ETA is published on the vehicle's channel, which only its passenger reads, and is told on the passenger's.
    private func encoded(_ push: Push, for identity: Identity) -> [UInt8] {
        guard push.seq.isEmpty else {
            return Encode.event(
                channel: push.channel, seq: push.seq, type: push.type, time: push.time, data: push.data)
        }
        let channel = push.type == "ride.eta" || push.type == "seat.eta" ? identity.channel : push.channel
        return Encode.state(channel: channel, type: push.type, time: push.time, data: push.data)
    }

    /// Sends a message that was encoded as JSON, in the session's encoding.
    func send(_ session: Session, _ payload: [UInt8]) {
        _ = server.send(session.connection, frame(payload, session.encoding))
    }

    /// The frame of a message that was encoded as JSON; `command` is the one that a reply answers.
    func frame(_ json: [UInt8], _ encoding: FeedEncoding, replyTo command: CommandName? = nil) -> Frame {
        switch encoding {
        case .json: Frame.text(json)
        case .protobuf: Frame.binary(protobuf.encode(json: json, replyTo: command))
        }
    }

    /// The one reply to a command with this id, if it has one.
    func reply(_ session: Session, _ id: Int64?, _ json: [UInt8], to command: CommandName) {
        guard let id else { return }
        let payload = Encode.replyOK(id: id, json: json)
        _ = server.send(session.connection, frame(payload, session.encoding, replyTo: command))
    }

    func refuse(
        _ session: Session, _ id: Int64?, _ code: ErrorCode, _ detail: String, field: String? = nil,
        retryAfterMs: Int64? = nil
    ) {
        let field = field ?? ErrorReply.field(in: detail)
        refuse(session, id, ErrorReply(code: code, field: field, detail: detail, retryAfterMs: retryAfterMs))
    }

    func refuse(_ session: Session, _ id: Int64?, _ reply: ErrorReply) {
        metrics.refused(reply.code)
        send(session, Encode.error(id: id, reply))
    }

    // MARK: what a worker itself must know of its driver

    /// The state that Redis has of a driver, after hello or a loss of the link.
    func adopt(_ session: Session, _ identity: Identity, _ caught: Caught) {
        let driver = drivers[identity.subject] ?? DriverTrack(subject: identity.subject)
        drivers[identity.subject] = driver
        if !driver.sessions.contains(where: { $0 === session }) { driver.sessions.append(session) }
        session.driver = driver
        driver.registered = session.name
        driver.isSuperseded = false
        let snapshot = caught.snapshot
        offerEnded(driver)
        if let ride = snapshot["offer"]?["ride"]?.text { offered(ride, meta: caught.meta, to: driver) }
        switch snapshot["state"]?.text {
        case "available": becomeAvailable(driver, snapshot["zone"]?.text)
        case "busy": becomeBusy(driver, snapshot["ride"])
        default: driver.duty = caught.isLost ? .lost : .unavailable
        }
        adoptBookings(driver, snapshot, meta: caught.meta, along: caught.along)
        guard let (fix, heard) = caught.lastPosition else { return }
        expect(fix, heard, of: driver)
        if driver.lastFix == nil, now() - heard <= Int64(settings.dispatch.staleAfterMs) {
            driver.heardAt = heard
            driver.lastFix = fix
            // One that was stored is older; how good it was nobody keeps.
            driver.isLastFixSure = now() - heard <= filterLimits.replayDelayMs
        }
    }

    /// An event on the driver's channel changes what the worker tracks.
    private func noticed(_ push: Push, by driver: DriverTrack) {
        guard let data = try? JSONValue(parsing: push.data) else { return }
        switch push.type {
        case "queue.joined": becomeAvailable(driver, data["zone"]?.text)
        case "queue.left":
            let reason = data["reason"]?.text
            if reason != "moved" { driver.duty = reason == "unavailable" ? .unavailable : .lost }
        case "offer.made": offered(data["ride"]?.text ?? "", meta: push.meta, to: driver)
        case "offer.withdrawn": offerEnded(driver)
        case "ride.assigned": becomeBusy(driver, data)
        case "ride.cancelled": if case .busy = driver.duty { driver.duty = .unavailable }
        case let type where type.hasPrefix("seat."): noticedSeats(type, data, meta: push.meta, by: driver)
        default: break
        }
    }

    private func becomeAvailable(_ driver: DriverTrack, _ zone: String?) {
        guard let zone else { return }
        driver.zone = zone
        watchZone(of: driver)
        driver.duty = .available
        if driver.rank?.zone != zone { driver.rank = nil }
        zoneChanged(zone, changedZones[zone] ?? "joined")
    }

    func becomeBusy(_ driver: DriverTrack, _ ride: JSONValue?) {
        offerEnded(driver)
        driver.rank = nil
        guard let ride, let id = ride["ride"]?.text, let lat = ride["pickup"]?["lat"]?.double,
            let lon = ride["pickup"]?["lon"]?.double
        else { return }
        if case .busy(var track) = driver.duty, track.ride == id {
            track.isAboard = track.isAboard || ride["state"]?.text == "aboard"
            driver.duty = .busy(track)
            return
        }
        let notified = ride["notified"]?.double.flatMap { ProximityRung(rawValue: Int($0)) } ?? .none
        let track = RideTrack(
            ride: id, pickup: GeoPoint(lat: lat, lon: lon), isAboard: ride["state"]?.text == "aboard",
            ladder: ProximityLadder(restored: notified, radii: radii), eta: ETAReporter(settings: etaRules))
        driver.duty = .busy(track)
        if let fix = driver.lastFix { approach(driver, fix, after: nil) }
    }

    /// While an offer is open a dead link must be known within seconds, so that the next driver is asked.
    func offered(_ ride: String, meta: String, to driver: DriverTrack) {
        let parts = meta.split(separator: ",")
        if parts.count == 2, let lat = Double(parts[0]), let lon = Double(parts[1]) {
            driver.offerPickup = (ride, GeoPoint(lat: lat, lon: lon))
        }
        for session in driver.sessions {
            server.setPing(
                session.connection, everyMs: UInt64(settings.server.offerPingMs),
                deadAfterMs: UInt64(settings.server.offerDeadAfterMs))
        }
    }

    func offerEnded(_ driver: DriverTrack) {
        guard driver.offerPickup != nil else { return }
        driver.offerPickup = nil
        for session in driver.sessions {
            server.setPing(
                session.connection, everyMs: UInt64(settings.server.pingMs),
                deadAfterMs: UInt64(settings.server.deadAfterMs))
        }
    }

    // MARK: the passenger's taxi

    func adoptRide(_ session: Session, _ snapshot: JSONValue) {
        adoptWishes(session, snapshot["notify"])
        let booking = snapshot["booking"]
        let isConfirmed = booking?["state"].map { $0 != "pending" } ?? false
        session.booking = isConfirmed ? booking?["booking"]?.text : nil
        follow(session, snapshot["ride"]?["taxi"]?.text ?? (isConfirmed ? booking?["vehicle"]?.text : nil))
    }

    private func adoptWishes(_ session: Session, _ wishes: JSONValue?) {
        session.mutesETA = wishes?["mute"]?.elements?.contains(.string("eta")) ?? false
    }

    private func noticed(_ push: Push, by session: Session) {
        switch push.type {
        case "ride.accepted":
            guard let data = try? JSONValue(parsing: push.data) else { return }
            follow(session, data["taxi"]?.text)
        case "ride.ended", "ride.cancelled", "ride.failed", "ride.searching": follow(session, nil)
        case "notify.changed": adoptWishes(session, try? JSONValue(parsing: push.data))
        case "seat.confirmed":
            guard let data = try? JSONValue(parsing: push.data) else { return }
            session.booking = data["booking"]?.text
            follow(session, data["vehicle"]?.text)
        case "seat.ended", "seat.cancelled":
            session.booking = nil
            follow(session, nil)
        default: break
        }
    }

    /// Reads the channel of that vehicle and of no other.
    private func follow(_ session: Session, _ taxi: String?) {
        guard session.taxi != taxi else { return }
        if let old = session.taxi {
            stopReading(Channel.vehicle(old), session)
            leaveTaxi(old, session)
        }
        session.taxi = taxi
        session.etaMeasuredAt = 0
        guard let taxi else { return }
        startReading(Channel.vehicle(taxi), session)
        followTaxi(taxi, session)
    }
}

/// What readers' workers must know of an ETA.
struct ETAMeta {
    /// When the position was measured, hub ms.
    let measuredAt: Int64
    /// Whose it is in a minibus; empty of a taxi's ride.
    let booking: String

    init(measuredAt: Int64, booking: String) {
        self.measuredAt = measuredAt
        self.booking = booking
    }

    init?(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 1)
        guard let first = parts.first, let measuredAt = Int64(first) else { return nil }
        self.init(measuredAt: measuredAt, booking: parts.count == 2 ? String(parts[1]) : "")
    }

    var text: String { booking.isEmpty ? "\(measuredAt)" : "\(measuredAt) \(booking)" }
}

/// The frames of one message, each encoded when its first reader came.
struct SharedFrames {
    private var json: Frame?
    private var protobuf: Frame?

    subscript(encoding: FeedEncoding) -> Frame? {
        get { encoding == .json ? json : protobuf }
        set { if encoding == .json { json = newValue } else { protobuf = newValue } }
    }
}
