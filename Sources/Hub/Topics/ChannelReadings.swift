import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// The readers of shared event channels, and what they are sent.
///
/// A reading begins like that of one's own channel: the partition is subscribed first, what is pushed from then on is held,
/// the history is read from the last `seq` on, then come the held ones that are newer. All readings of a topic that wait
/// are read with one call; live readings share the topic's position, and after a loss of the subscription they are brought
/// forward from it together.
final class ChannelReadings: PushListener {
    let services: WorkerServices
    /// Told when a connection has been sent the events of a channel up to now, or leaves it: lines have states besides.
    var joined: (ChannelReading, _ isGap: Bool) -> Void = { _, _ in }
    var left: (_ channel: String, Session) -> Void = { _, _ in }

    private let topics = EventChannels()
    private var readings = SessionReadings<ChannelReading>()
    private let pace: LoopTimer

    /// Places of one call.
    private static let places = 100
    /// Calls at once: while Redis reads a page nobody else is served, and behind pages of all workers others wait longer still.
    private static let calls = 1
    /// How much one call reads of a history, bytes: the smaller, the shorter others wait.
    private static let page = 65_536
    /// And how many entries, as nobody knows how long they are.
    private static let entries = 128
    /// Between two parts of what a connection missed, if it takes them, ms.
    private static let paceMs: UInt64 = 10

    init(_ services: WorkerServices) {
        self.services = services
        pace = LoopTimer(services.loop)
    }

    // MARK: who reads what

    func reading(of channel: String, _ session: Session) -> ChannelReading? {
        readings[session].first { $0.topic.channel == channel }
    }

    /// How many connections read a channel here.
    func readers(of channel: String) -> Int { topics.byChannel[channel]?.count ?? 0 }

    func join(_ channel: String, since: String?, _ session: Session, asks: [Int64], isPaced: Bool = false) {
        let topic = topics.topic(channel)
        let reading = ChannelReading(topic, session, since: since, asks: asks)
        readings.add(reading)
        topic.count += 1
        guard !isPaced else { return goOnLater(reading) }
        topic.joining.append(reading)
        readLater(topic)
    }

    func end(_ reading: ChannelReading) {
        reading.topic.leave(reading)
        left(reading.topic.channel, reading.session)
        readings.remove(reading)
        forgetIfUnread(reading.topic)
    }

    private func forgetIfUnread(_ topic: EventChannel) {
        guard topic.count == 0, topic.joining.isEmpty, topics.byChannel[topic.channel] === topic else { return }
        topics.byChannel[topic.channel] = nil
    }

    func closed(_ session: Session) {
        for reading in readings[session] {
            reading.asks = []
            end(reading)
        }
    }

    // MARK: live

    /// A push on a topic that is read here.
    func onPublish(_ push: Push) -> Bool {
        guard let topic = topics.byChannel[push.channel] else { return false }
        guard let position = push.position else { return true }
        metrics.pushes.increment()
        let event = ChannelEvent(push, at: position)
        if topic.isReading { topic.held.append(event) }
        // Behind, the next reading of the history has it.
        if !topic.isBehind { tell(event, topic) }
        return true
    }

    /// To all live readers, unless they had it from the history.
    private func tell(_ event: ChannelEvent, _ topic: EventChannel) {
        guard event.position > topic.position else { return }
        topic.admit { $0 < event.position }
        let last = topic.position
        topic.position = event.position
        deliver(event, topic, after: last) { [server, part] in server.sendSoon($0, $1, belowBytes: part) }
        topic.admit { $0 == event.position }
    }

    /// To all live readers. Those for whom much waits, only as their turn to be written to has not come, go on from the history, as fast as
    /// they are written to; who does not take what it is sent is closed when too much waits.
    private func deliver(
        _ event: ChannelEvent, _ topic: EventChannel, after last: StreamPosition,
        _ send: (ConnectionID, Frame) -> WebSocketServer.SendResult
    ) {
        for group in topic.groups where !group.connections.isEmpty {
            let frame = frame(event, group.encoding)
            var late: [ChannelReading] = []
            for (index, connection) in group.connections.enumerated() {
                if case .waits = send(connection, frame) { late.append(group.readings[index]) }
            }
            metrics.events.add(group.connections.count - late.count)
            for reading in late {
                topic.setBack(reading, to: last)
                goOnLater(reading)
            }
        }
    }

    private func frame(_ event: ChannelEvent, _ encoding: FeedEncoding) -> Frame {
        if let known = event.frames[encoding] { return known }
        let frame = outbox.frame(event.json, encoding)
        event.frames[encoding] = frame
        return frame
    }

    // MARK: from the history

    /// The subscription is lost: until the histories were read, nothing that is pushed may be sent.
    func subscriptionLost() {
        topics.losses += 1
        for topic in topics.byChannel.values { topic.fallBehind() }
    }

    func subscriptionBack() {
        for topic in topics.byChannel.values { readLater(topic) }
        readSomeTopics()
    }

    func tick() {
        let failed = topics.failed
        topics.failed = []
        for topic in failed { readLater(topic) }
        readSomeTopics()
    }

    private func readLater(_ topic: EventChannel) {
        guard topic.needsReading, !topic.isDue else { return }
        topic.isDue = true
        topics.due.append(topic)
        readSomeTopics()
    }

    private func readSomeTopics() {
        while topics.underWay < Self.calls, !topics.due.isEmpty, commands.isUp, subscriber.isUp {
            let topic = topics.due.removeFirst()
            guard topic.needsReading else {
                topic.isDue = false
                continue
            }
            topics.underWay += 1
            readers.whenSubscribed(topic.channel) { self.read(topic) }
        }
    }

    private func read(_ topic: EventChannel) {
        var places: Set<StreamPosition> = topic.isBehind && topic.hasLive ? [topic.position] : []
        var batch: [ChannelReading] = []
        var later: [ChannelReading] = []
        // Who waits longest says where the page begins. The oldest place would be that of who begins anew again and again, and nobody who is
        // nearly through would come any further.
        let begin = places.first ?? topic.joining.lazy.compactMap(\.position).first
        for reading in topic.joining {
            guard places.count < Self.places, reading.position.map({ $0 >= begin ?? $0 }) ?? true else {
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
        readPage(of: topic.channel, ordered) { page in
            self.topics.underWay -= 1
            topic.isReading = false
            topic.isDue = false
            self.wasRead(topic, batch, page, isWhole: losses == self.topics.losses)
            topic.held = []
            self.forgetIfUnread(topic)
            self.readSomeTopics()
        }
    }

    /// A function finds the places and gives the first entries; the others are read without one, which costs a fifth. Nil: Redis did not
    /// answer.
    private func readPage(
        of channel: String, _ places: [StreamPosition], _ then: @escaping (HistoryPage?) -> Void
    ) {
        func failed(_ result: Result<RedisReply, RedisFailure>) {
            if case .failure(.server(let text)) = result { log.error("topic failed: \(text)") }
            then(nil)
        }
        let size = min(part, Self.page)
        let arguments: FunctionArguments = ["channel": RedisArgument(channel)]
        functions.call("topic_read", arguments, more: places.map { RedisArgument($0.text) }) { result in
            guard case .success(let reply) = result, let page = HistoryPage(reply, channel, places: places) else {
                return failed(result)
            }
            guard let (last, count) = page.next(upTo: size, most: Self.entries) else { return then(page) }
            self.commands.send([
                "XRANGE", RedisArgument(self.keys.history(channel)), RedisArgument(last.text),
                RedisArgument(page.newest.text), "COUNT", RedisArgument(count + 1),
            ]) { result in
                guard case .success(let reply) = result else { return failed(result) }
                then(page.completed(with: reply, channel))
            }
        }
    }

    private func wasRead(_ topic: EventChannel, _ batch: [ChannelReading], _ page: HistoryPage?, isWhole: Bool) {
        guard let page else {
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
    private func couldNotRead(_ reading: ChannelReading) {
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
    private func bringForward(_ topic: EventChannel, _ page: HistoryPage) {
        guard topic.hasLive else {
            topic.position = page.newest
            topic.isBehind = false
            return
        }
        guard page.has(topic.position) else {
            for group in topic.groups where !group.connections.isEmpty {
                let gap = outbox.frame(Encode.gap(channel: topic.channel), group.encoding)
                for connection in group.connections { server.send(connection, gap, toMany: true) }
            }
            topic.position = page.newest
            topic.isBehind = false
            return
        }
        let (events, reached) = page.part(after: topic.position, upTo: part)
        for event in events {
            deliver(event, topic, after: topic.position) { [server, part] in
                server.send($0, $1, toMany: true, belowBytes: part)
            }
            topic.position = event.position
        }
        topic.position = reached
        topic.isBehind = reached < page.newest
    }

    /// One reading: its command is answered, what it missed is sent, and it goes on live if that was all.
    private func bringForward(_ reading: ChannelReading, _ page: HistoryPage) {
        let session = reading.session
        let isGap = reading.isLost || reading.position.map { !page.has($0) } ?? false
        let start = isGap ? page.newest : reading.position ?? page.newest
        let (events, reached) = page.part(after: start, upTo: part)
        let price = CommandPrice.missed(events.count, bytes: events.reduce(0) { $0 + $1.json.count })
        services.budgets.charge(price, to: reading.budget)
        let json = Self.channelReply(reading.topic.channel, at: start)
        for id in reading.asks { reply(session, id, json, to: "subscribe") }
        reading.asks = []
        guard reading.phase != .ended else { return }
        if isGap { send(session, Encode.gap(channel: reading.topic.channel)) }
        joined(reading, isGap)
        reading.isLost = false
        // What waits for it of other topics comes first: all of them together are more than may wait.
        guard events.isEmpty || server.waitingBytes(session.connection) < part else {
            reading.position = start
            return goOnLater(reading)
        }
        for event in events { server.send(session.connection, frame(event, session.encoding)) }
        metrics.events.add(events.count)
        reading.position = reached
        guard reached >= page.newest else { return goOnLater(reading) }
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
    private var part: Int { settings.server.maxOutboundBytes / 4 }

    // MARK: slow readers

    /// The rest of what it missed follows when it has taken this.
    private func goOnLater(_ reading: ChannelReading) {
        reading.phase = .paced
        topics.paced.append(reading)
        guard topics.paced.count == 1 else { return }
        pace.start(afterMs: Self.paceMs, repeatMs: Self.paceMs) { self.readOn() }
    }

    private func readOn() {
        var waiting: [ChannelReading] = []
        var ready: [ChannelReading] = []
        // One of a connection, and none while its subject owes for what it has read.
        var connections: Set<ConnectionID> = []
        for reading in topics.paced where reading.phase == .paced {
            let connection = reading.session.connection
            let mayGoOn = server.isCaughtUp(connection) && reading.budget.wait(at: Int64(loop.now)) == 0
            if mayGoOn, connections.insert(connection).inserted {
                ready.append(reading)
            } else {
                waiting.append(reading)
            }
        }
        topics.paced = waiting
        if waiting.isEmpty { pace.stop() }
        for reading in ready {
            reading.phase = .joining
            reading.topic.joining.append(reading)
        }
        for reading in ready { readLater(reading.topic) }
    }
}
