import Domain
import EventLoop
import Logging
import RedisLink
import Settings
import Telemetry
import WebSocketServer
import Wire

/// Who follows the city's events here, and what they are sent.
///
/// A reading is sent what it missed by pages, one page of one reading at a time, and only as fast as its socket takes it. At the end of
/// the log it joins the live ones, for whom the tail is read (``LogTail``): if it is further than they are, it waits for them; if it is
/// less far, the next page brings it forward. A live one that does not take what it is sent goes back to pages, from where it is. So
/// there is no hole and no double, whatever comes meanwhile.
final class EventReadings: Capability {
    let services: WorkerServices
    private let followers = EventFollowers()
    private let tail: LogTail
    private var readings = SessionReadings<EventReading>()
    /// How many each subject has, over all its connections here.
    private var held: [ObjectIdentifier: Int] = [:]
    /// To be read, in turn.
    private var due: [EventReading] = []
    private var isReading = false
    /// Whose page was read last: of several subjects each has its turn, however many channels it follows.
    private var lastPaid: Budget?
    /// Could not be read; tried again at the next tick.
    private var failed: [EventReading] = []
    /// Sent a part of what they missed; they go on when they have taken it, and owe nothing.
    private var paced: [EventReading] = []
    private let pace: LoopTimer
    /// Seconds since nobody follows, while the log is still followed.
    private var idleSeconds = 0

    /// Entries of one page: some 20 KB. While it is read and sent nobody else is served, some 0.3 ms.
    private static let count = 96
    private static let firstCount = 16
    /// How often it is looked whether a reader has taken its part, ms.
    private static let paceMs: UInt64 = 5
    /// How long the log is followed for nobody: who subscribed and left again had a connection to Redis made each time, 0.4 ms in all.
    private static let lingersSeconds = 2

    init(_ services: WorkerServices) {
        self.services = services
        tail = LogTail(services)
        pace = LoopTimer(services.loop)
        tail.onEntries = { self.came($0) }
    }

    // MARK: who follows what

    /// Channels of one subject, over all its connections to this worker. Each that differs is matched and encoded on its own.
    static let most = 256

    func mayJoin(_ session: Session) -> Bool { held[ObjectIdentifier(session.budget), default: 0] < Self.most }

    func reading(of channel: String, _ session: Session) -> EventReading? {
        readings[session].first { $0.group.key.channel == channel }
    }

    /// Where a reading stands; nil as long as nobody knows.
    func position(of reading: EventReading) -> StreamPosition? {
        reading.phase == .live ? tail.position : reading.position
    }

    /// since: empty begins now; a seq, `0-0` or a time.
    func join(
        _ channel: String, _ selection: EventSelection, isPersonal: Bool, since: String, _ session: Session,
        asks: [Int64]
    ) {
        let key = EventGroup.Key(channel: channel, encoding: session.encoding, isPersonal: isPersonal)
        let reading = EventReading(followers.group(key, selection), session, from: since, asks: asks)
        readings.add(reading)
        held[ObjectIdentifier(reading.budget), default: 0] += 1
        reading.group.count += 1
        due.append(reading)
        readNext()
    }

    func end(_ reading: EventReading) {
        followers.leave(reading)
        readings.remove(reading)
        let subject = ObjectIdentifier(reading.budget)
        held[subject] = held[subject, default: 1] > 1 ? held[subject, default: 1] - 1 : nil
    }

    func closed(_ session: Session) {
        for reading in readings[session] {
            reading.asks = []
            end(reading)
        }
    }

    // MARK: live

    private func came(_ page: LogPage) {
        if page.isGap { tellGap() }
        var reached = page.start
        for entry in page.entries {
            followers.admit { $0 < entry.position }
            for group in followers.wanting(entry) { tell(entry, group, after: reached) }
            followers.admit { $0 == entry.position }
            reached = entry.position
        }
        followers.admit { $0 <= page.end }
    }

    private func tellGap() {
        for group in followers.live {
            let gap = outbox.frame(Encode.gap(channel: group.key.channel), group.key.encoding)
            for connection in group.connections { server.send(connection, gap, toMany: true) }
        }
        // Where these stand may be among what is gone.
        for reading in followers.takeAhead() {
            if let position = reading.position { reading.place = .asked(position.text) }
            readOn(reading)
        }
        readNext()
    }

    /// Who has not taken what it was sent is sent the rest by pages, as long as that takes.
    private func tell(_ entry: LogEntry, _ group: EventGroup, after position: StreamPosition) {
        let (server, frame, part) = (server, group.frame(entry, outbox), part)
        var slow: [EventReading] = []
        for (index, connection) in group.connections.enumerated() {
            if server.waitingBytes(connection) < part {
                server.sendSoon(connection, frame)
            } else {
                slow.append(group.readings[index])
            }
        }
        metrics.events.add(group.connections.count - slow.count)
        for reading in slow {
            group.remove(reading)
            reading.place = .after(position)
            goOnLater(reading)
        }
    }

    // MARK: what was missed

    func redisIsUp() { readNext() }

    func tick() {
        tail.tick()
        due += failed
        failed = []
        readNext()
    }

    func second() {
        idleSeconds = followers.isEmpty && tail.position != nil ? idleSeconds + 1 : 0
        if idleSeconds > Self.lingersSeconds { tail.stop() }
    }

    private func readNext() {
        guard !isReading, commands.isUp else { return }
        due.removeAll { $0.phase == .ended && $0.asks.isEmpty }
        guard !due.isEmpty else { return }
        isReading = true
        let reading = due.remove(at: due.firstIndex { $0.budget !== lastPaid } ?? 0)
        lastPaid = reading.budget
        read(reading)
    }

    private func read(_ reading: EventReading) {
        let count = max(16, min(Self.count, part / 256))
        switch reading.place {
        case .asked(let since):
            // A function finds the place, in which each entry costs five times as much: the others are read without one.
            let count = Self.firstCount
            let arguments: FunctionArguments = ["since": RedisArgument(since), "count": RedisArgument(count)]
            functions.call("events_read", arguments) { self.wasRead(reading, count, $0) { LogPage($0) } }
        case .after(let position):
            commands.send([
                "XRANGE", RedisArgument(keys.events), RedisArgument(position.text), "+", "COUNT",
                RedisArgument(count + 1),
            ]) { self.wasRead(reading, count, $0) { LogPage(after: position, $0) } }
        }
    }

    private func wasRead(
        _ reading: EventReading, _ count: Int, _ result: Result<RedisReply, RedisFailure>,
        _ page: (RedisReply) -> LogPage?
    ) {
        isReading = false
        defer { readNext() }
        guard case .success(let reply) = result else {
            if case .failure(.server(let text)) = result { log.error("the city's events can't be read: \(text)") }
            return couldNotRead(reading)
        }
        if let page = page(reply) { return take(page, isWhole: page.count < count, reading) }
        // Where it stood is gone: the function says what is missing.
        if let position = reading.position {
            reading.place = .asked(position.text)
            due.insert(reading, at: 0)
        }
    }

    /// A command is refused; what a hello resumed, or who has had a part, is tried again.
    private func couldNotRead(_ reading: EventReading) {
        guard !reading.asks.isEmpty else { return failed.append(reading) }
        for id in reading.asks {
            refuse(reading.session, id, .unavailable, "The hub can't reach its store now; subscribe again.")
        }
        reading.asks = []
        end(reading)
    }

    private func take(_ page: LogPage, isWhole: Bool, _ reading: EventReading) {
        let (session, group) = (reading.session, reading.group)
        services.budgets.charge(CommandPrice.missed(page.count, bytes: page.bytes), to: reading.budget)
        let json = Self.channelReply(group.key.channel, at: page.start)
        for id in reading.asks { reply(session, id, json, to: "subscribe") }
        reading.asks = []
        guard reading.phase != .ended else { return }
        if page.isGap { send(session, Encode.gap(channel: group.key.channel)) }
        reading.place = .after(page.start)
        // What waits for it of other channels comes first: all of them together are more than may wait.
        var room = part - server.waitingBytes(session.connection)
        for entry in page.entries {
            guard room > 0 else { return goOnLater(reading) }
            reading.place = .after(entry.position)
            guard group.wants(entry) else { continue }
            let frame = group.frame(entry, outbox)
            room -= frame.count
            server.send(session.connection, frame)
            metrics.events.increment()
        }
        reading.place = .after(page.end)
        if isWhole { enter(reading) } else { goOnLater(reading) }
    }

    /// A reading that was sent all that there was joins the live ones.
    private func enter(_ reading: EventReading) {
        guard let position = reading.position else { return }
        tail.start(after: position)
        guard let live = tail.position, position >= live else { return due.append(reading) }
        if position == live { reading.group.add(reading) } else { followers.addAhead(reading) }
    }

    /// How much a connection is sent before it has taken it, bytes: a quarter of what may wait for it.
    private var part: Int { settings.server.maxOutboundBytes / 4 }

    /// The rest of what it missed follows when it has taken this.
    private func goOnLater(_ reading: EventReading) {
        reading.phase = .paced
        guard !mayGoOn(reading) else { return readOn(reading) }
        paced.append(reading)
        if paced.count == 1 { pace.start(afterMs: Self.paceMs, repeatMs: Self.paceMs) { self.readOnAll() } }
    }

    /// Not while its subject owes for what it has read, nor while much waits for its connection.
    private func mayGoOn(_ reading: EventReading) -> Bool {
        let connection = reading.session.connection
        return server.isCaughtUp(connection) && server.waitingBytes(connection) < part / 2
            && reading.budget.wait(at: Int64(loop.now)) == 0
    }

    private func readOn(_ reading: EventReading) {
        reading.phase = .reading
        due.append(reading)
    }

    private func readOnAll() {
        let waiting = paced
        paced = []
        for reading in waiting where reading.phase == .paced {
            if mayGoOn(reading) { readOn(reading) } else { paced.append(reading) }
        }
        if paced.isEmpty { pace.stop() }
        readNext()
    }
}
