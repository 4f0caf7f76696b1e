import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Shared event channels: `publish`, `subscribe`, and what their readers are sent.
///
/// A reading begins like that of one's own channel: the partition is subscribed first, what is pushed from then on is held,
/// the history is read from the last `seq` on, then come the held ones that are newer. All readings of a topic that wait
/// are read with one call; live readings share the topic's position, and after a loss of the subscription they are brought
/// forward from it together.
extension Worker {
    /// What an event is when its publisher doesn't say.
    static let topicType = "message"
    /// Places of one call.
    static let topicPlaces = 100
    /// Calls at once: each may keep Redis from others for some milliseconds.
    static let topicCalls = 4
    /// Between two parts of what a connection missed, if it takes them, ms.
    static let topicPaceMs: UInt64 = 10

    // MARK: commands

    func publish(
        _ channel: String, _ type: String?, _ data: [UInt8], _ message: ClientMessage, _ session: Session,
        _ identity: Identity
    ) {
        guard identity.role == .operator || identity.role == .service else {
            return forbid(session, message, identity)
        }
        guard Channel.isTopic(channel) else { return refuseTopic(message, session) }
        if let denial = denial(of: channel, to: identity.role) { return refuse(session, message.id, denial) }
        let arguments = [
            RedisArgument("\(identity.role.rawValue):\(identity.subject)"), RedisArgument(channel),
            RedisArgument(type ?? Self.topicType), RedisArgument(data), RedisArgument(message.key ?? ""),
        ]
        call("publish", arguments, message, session)
    }

    func subscribeTopic(_ channel: String, since: String?, _ message: ClientMessage, _ session: Session) {
        guard Channel.isShared(channel) else { return refuseTopic(message, session) }
        if let denial = session.identity.flatMap({ denial(of: channel, to: $0.role) }) {
            return refuse(session, message.id, denial)
        }
        let known = session.topics.first { $0.topic.channel == channel }
        if let known, since == nil {
            // It stays where it is.
            if let position = known.known {
                return reply(session, message.id, Self.topicReply(channel, position), to: .subscribe)
            }
            if let id = message.id { known.asks.append(id) }
            return
        }
        guard known != nil || session.topics.count + session.feeds.count < WireLimits.feedChannels else {
            return refuse(
                session, message.id, .badMessage,
                "field `channel`: at most \(WireLimits.feedChannels) feeds and topics at once.", field: "channel")
        }
        guard commands.isUp, subscriber.isUp else {
            return refuse(session, message.id, .unavailable, "The hub can't reach its store now; subscribe again.")
        }
        if let known { end(known) }
        join(channel, since: since, session, asks: message.id.map { [$0] } ?? [])
    }

    func unsubscribeTopic(_ channel: String, _ message: ClientMessage, _ session: Session) {
        if let reading = session.topics.first(where: { $0.topic.channel == channel }) { end(reading) }
        reply(session, message.id, Self.channelReply(channel), to: .unsubscribe)
    }

    /// After the greeting: what its hello named is read on, one after the other as it takes them.
    func resumeTopics(_ session: Session) {
        let resume = session.resume
        session.resume = []
        var isFirst = true
        for (channel, seq) in resume where Channel.isShared(channel) {
            // Said without an id, as the hello itself has its reply.
            if let denial = session.identity.flatMap({ denial(of: channel, to: $0.role, field: "resume") }) {
                refuse(session, nil, denial)
            } else {
                join(channel, since: seq, session, asks: [], isPaced: !isFirst)
                isFirst = false
            }
        }
    }

    func closedTopics(_ session: Session) {
        for reading in session.topics {
            reading.asks = []
            end(reading)
        }
    }

    /// Why nobody, or not this role, may read and write a channel; nil: it may. What a hello resumes is held against it, too.
    func denial(of channel: String, to role: Role, field: String = "channel") -> ErrorReply? {
        if Channel.isNamedAsEvent(channel) {
            let type = channel.dropFirst(Channel.topics.count)
            return ErrorReply(
                code: .badMessage, field: field,
                detail:
                    "field `\(field)`: \(channel) has the name of the hub's own events, which are on no topic: people get theirs "
                    + "on their own channels and on lines, and `kerbside tail '\(type)'` shows all. Choose another name."
            )
        }
        if Channel.isPrivate(channel), role != .operator, role != .service {
            return ErrorReply(
                code: .forbidden, field: field,
                detail: "field `\(field)`: \(channel) is for operators and services, as all topics in private. are.")
        }
        if channel.hasPrefix(Channel.lines), catalog.isKnown {
            let line = String(channel.dropFirst(Channel.lines.count))
            if catalog.catalog.lines[line] == nil {
                return ErrorReply(
                    code: .notFound, field: field,
                    detail: "field `\(field)`: \(settings.city.id) has no line \(line).")
            }
        }
        return nil
    }

    private func refuseTopic(_ message: ClientMessage, _ session: Session) {
        refuse(
            session, message.id, .badMessage,
            "field `channel`: expected topic: and 1 to 64 characters of A-Z a-z 0-9 _ . -", field: "channel")
    }

    private static func topicReply(_ channel: String, _ position: StreamPosition) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("channel", channel)
        json.member("seq", position.text)
        json.endObject()
        return json.bytes
    }

    // MARK: readings

    private func join(_ channel: String, since: String?, _ session: Session, asks: [Int64], isPaced: Bool = false) {
        let topic = topics.topic(channel)
        let reading = TopicReading(topic, session, since: since, asks: asks)
        session.topics.append(reading)
        topic.count += 1
        guard !isPaced else { return pace(reading) }
        topic.joining.append(reading)
        readLater(topic)
    }

    private func end(_ reading: TopicReading) {
        reading.topic.leave(reading)
        leaveLine(reading.topic.channel, reading.session)
        reading.session.topics.removeAll { $0 === reading }
        forgetIfUnread(reading.topic)
    }

    private func forgetIfUnread(_ topic: Topic) {
        guard topic.count == 0, topic.joining.isEmpty, topics.byChannel[topic.channel] === topic else { return }
        topics.byChannel[topic.channel] = nil
    }

    // MARK: live

    /// A push on a topic that is read here.
    func told(_ push: Push, _ topic: Topic) {
        guard let position = push.position else { return }
        metrics.pushes.increment()
        let event = TopicEvent(push, at: position)
        if topic.isReading { topic.held.append(event) }
        // Behind, the next reading of the history has it.
        if !topic.isBehind { tell(event, topic) }
    }

    /// To all live readers, unless they had it from the history.
    private func tell(_ event: TopicEvent, _ topic: Topic) {
        guard event.position > topic.position else { return }
        topic.admit { $0 < event.position }
        topic.position = event.position
        for group in topic.groups where !group.connections.isEmpty {
            let (server, frame) = (server, frame(event, group.encoding))
            for connection in group.connections { server.sendSoon(connection, frame) }
            metrics.events.add(group.connections.count)
        }
        topic.admit { $0 == event.position }
    }

    private func frame(_ event: TopicEvent, _ encoding: FeedEncoding) -> Frame {
        if let known = event.frames[encoding] { return known }
        let frame = frame(event.json, encoding)
        event.frames[encoding] = frame
        return frame
    }

    // MARK: from the history

    /// The subscription is lost: until the histories were read, nothing that is pushed may be sent.
    func topicsMayHaveMissed() {
        topics.losses += 1
        for topic in topics.byChannel.values { topic.fallBehind() }
    }

    func readTopics() {
        for topic in topics.byChannel.values { readLater(topic) }
        readSomeTopics()
    }

    func readFailedTopics() {
        let failed = topics.failed
        topics.failed = []
        for topic in failed { readLater(topic) }
        readSomeTopics()
    }

    private func readLater(_ topic: Topic) {
        guard topic.needsReading, !topic.isDue else { return }
        topic.isDue = true
        topics.due.append(topic)
        readSomeTopics()
    }

    private func readSomeTopics() {
        while topics.underWay < Self.topicCalls, !topics.due.isEmpty, commands.isUp, subscriber.isUp {
            let topic = topics.due.removeFirst()
            guard topic.needsReading else {
                topic.isDue = false
                continue
            }
            topics.underWay += 1
            whenSubscribed(topic.channel) { self.read(topic) }
        }
    }

    private func read(_ topic: Topic) {
        var places: Set<StreamPosition> = topic.isBehind && topic.hasLive ? [topic.position] : []
        var batch: [TopicReading] = []
        var later: [TopicReading] = []
        for reading in topic.joining {
            guard places.count < Self.topicPlaces else {
                later.append(reading)
                continue
            }
            if let position = reading.position { places.insert(position) }
            batch.append(reading)
        }
        topic.joining = later
        topic.isReading = true
        topic.held = []
        let ordered = places.sorted()
        let losses = topics.losses
        let arguments =
            [RedisArgument(topic.channel), RedisArgument(topicPart)] + ordered.map { RedisArgument($0.text) }
        dispatch.call("topic", arguments) { result in
            self.topics.underWay -= 1
            topic.isReading = false
            topic.isDue = false
            self.wasRead(topic, batch, result, ordered, isWhole: losses == self.topics.losses)
            topic.held = []
            self.forgetIfUnread(topic)
            self.readSomeTopics()
        }
    }

    private func wasRead(
        _ topic: Topic, _ batch: [TopicReading], _ result: Result<RedisReply, RedisFailure>, _ places: [StreamPosition],
        isWhole: Bool
    ) {
        guard case .success(let reply) = result, let page = TopicPage(reply, topic.channel, places: places) else {
            if case .failure(.server(let text)) = result { log.error("topic failed: \(text)") }
            for reading in batch { couldNotRead(reading) }
            if topic.needsReading { topics.failed.append(topic) }
            return
        }
        guard isWhole else {
            // What was pushed meanwhile may be missing.
            topic.joining = batch + topic.joining
            return readLater(topic)
        }
        if topic.isBehind { bringForward(topic, page) }
        if !topic.isBehind { for event in topic.held { tell(event, topic) } }
        for reading in batch { bringForward(reading, page) }
        readLater(topic)
    }

    /// A command is refused; what a hello resumed is tried again.
    private func couldNotRead(_ reading: TopicReading) {
        guard !reading.asks.isEmpty else {
            if reading.phase != .ended { reading.topic.joining.append(reading) }
            return
        }
        for id in reading.asks {
            refuse(reading.session, id, .unavailable, "The hub can't reach its store now; subscribe again.")
        }
        reading.asks = []
        end(reading)
    }

    /// The live readers, after pushes may have been missed.
    private func bringForward(_ topic: Topic, _ page: TopicPage) {
        guard topic.hasLive else {
            topic.position = page.newest
            topic.isBehind = false
            return
        }
        guard page.has(topic.position) else {
            for group in topic.groups where !group.connections.isEmpty {
                let gap = frame(Encode.gap(channel: topic.channel), group.encoding)
                for connection in group.connections { server.send(connection, gap) }
            }
            topic.position = page.newest
            topic.isBehind = false
            return
        }
        let (events, reached) = page.part(after: topic.position, upTo: topicPart)
        for event in events {
            for group in topic.groups where !group.connections.isEmpty {
                let frame = frame(event, group.encoding)
                for connection in group.connections { server.send(connection, frame) }
                metrics.events.add(group.connections.count)
            }
        }
        topic.position = reached
        topic.isBehind = reached < page.newest
    }

    /// One reading: its command is answered, what it missed is sent, and it goes on live if that was all.
    private func bringForward(_ reading: TopicReading, _ page: TopicPage) {
        let session = reading.session
        let isGap = reading.isLost || reading.position.map { !page.has($0) } ?? false
        let start = isGap ? page.newest : reading.position ?? page.newest
        let (events, reached) = page.part(after: start, upTo: topicPart)
        let price = CommandPrice.missed(events.count, bytes: events.reduce(0) { $0 + $1.json.count })
        reading.budget.bucket.charge(price, at: Int64(loop.now))
        for id in reading.asks { reply(session, id, Self.topicReply(reading.topic.channel, start), to: .subscribe) }
        reading.asks = []
        guard reading.phase != .ended else { return }
        if isGap { send(session, Encode.gap(channel: reading.topic.channel)) }
        if reading.topic.channel.hasPrefix(Channel.lines) { joinLine(reading, isGap: isGap) }
        reading.isLost = false
        // What waits for it of other topics comes first: all of them together are more than may wait.
        guard events.isEmpty || server.waitingBytes(session.connection) < topicPart else {
            reading.position = start
            return pace(reading)
        }
        for event in events { server.send(session.connection, frame(event, session.encoding)) }
        metrics.events.add(events.count)
        reading.position = reached
        guard reached >= page.newest else { return pace(reading) }
        guard !reading.topic.isBehind else {
            // From here on nothing was held.
            reading.topic.joining.append(reading)
            return
        }
        for event in reading.topic.held where event.position > reached {
            server.send(session.connection, frame(event, session.encoding))
            metrics.events.increment()
            reading.position = event.position
        }
        reading.topic.enter(reading)
    }

    /// How much is read of a history at once, and how much a connection is sent before it has taken it, bytes: a quarter of
    /// what may wait for it.
    private var topicPart: Int { settings.server.maxOutboundBytes / 4 }

    // MARK: slow readers

    /// The rest of what it missed follows when it has taken this.
    private func pace(_ reading: TopicReading) {
        reading.phase = .paced
        topics.paced.append(reading)
        guard topics.paced.count == 1 else { return }
        topicPace.start(afterMs: Self.topicPaceMs, repeatMs: Self.topicPaceMs) { self.readOn() }
    }

    private func readOn() {
        var waiting: [TopicReading] = []
        var ready: [TopicReading] = []
        // One of a connection, and none while its subject owes for what it has read.
        var connections: Set<ConnectionID> = []
        for reading in topics.paced where reading.phase == .paced {
            let connection = reading.session.connection
            let mayGoOn = server.isCaughtUp(connection) && reading.budget.bucket.wait(at: Int64(loop.now)) == 0
            if mayGoOn, connections.insert(connection).inserted {
                ready.append(reading)
            } else {
                waiting.append(reading)
            }
        }
        topics.paced = waiting
        if waiting.isEmpty { topicPace.stop() }
        for reading in ready {
            reading.phase = .joining
            reading.topic.joining.append(reading)
        }
        for reading in ready { readLater(reading.topic) }
    }
}
