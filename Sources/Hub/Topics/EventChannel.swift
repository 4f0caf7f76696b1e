import Domain
import RedisLink
import WebSocketServer
import Wire

/// One event of a shared channel: encoded when the first of its readers needs it, and then shared by all.
final class ChannelEvent {
    let position: StreamPosition
    /// It only marks where an empty history begins, and is told to nobody.
    let isMark: Bool
    private let push: Push
    /// The message, and what it was made into for those who read it.
    private(set) lazy var json = Encode.event(
        channel: push.channel, seq: push.seq, type: push.type, time: push.time, data: push.data)
    var frames = SharedFrames()

    init(_ push: Push, at position: StreamPosition) {
        self.push = push
        self.position = position
        isMark = push.type == EventChannel.mark
    }
}

/// What one connection reads of a topic. Used on the worker's loop only.
final class ChannelReading: SharedReading {
    enum Phase {
        /// The history must be read for it.
        case joining
        /// Was sent a part of what it missed, and is given time to take it.
        case paced
        /// Was sent more than the live readers: what is pushed up to its position is not for it.
        case ahead
        case live
        case ended
    }

    let topic: EventChannel
    let session: Session
    /// What reads for it is paid from here, also when its connection is gone meanwhile.
    let budget: Budget
    var phase = Phase.joining
    /// Nil: nothing, it begins where the history ends. Of a live reading the topic's position counts.
    var position: StreamPosition?
    /// Its place can't be in the history.
    var isLost: Bool
    var asks: [Int64]
    var index = 0
    fileprivate var group: Int { session.encoding == .json ? 0 : 1 }

    /// - Parameter since: the seq seen last, as the client has it, or `0`; nil begins now.
    init(_ topic: EventChannel, _ session: Session, since: String?, asks: [Int64]) {
        self.topic = topic
        self.session = session
        budget = session.budget
        self.asks = asks
        position = since.flatMap { StreamPosition(client: $0) }
        isLost = since != nil && position == nil
    }

    /// Where it stands; nil as long as nobody knows.
    var known: StreamPosition? { phase == .live ? topic.position : position }
}

/// The live readings of one encoding.
struct ReadingGroup {
    let encoding: FeedEncoding
    fileprivate var live = LiveReadings<ChannelReading>()

    init(_ encoding: FeedEncoding) { self.encoding = encoding }

    var connections: [ConnectionID] { live.connections }
    /// In the same order.
    var readings: [ChannelReading] { live.readings }
}

/// A shared event channel with readers here. Used on the worker's loop only; it ends with its last reading.
///
/// All live readers stand at one position, so an event that is pushed costs each of them nothing but its place in the
/// outbound queue.
final class EventChannel {
    /// The type of an entry that is no event: an earlier build put one into an empty topic, and it lives for `history_ttl_s`.
    static let mark = "opened"

    let channel: String
    /// Readings of any phase but ended.
    var count = 0
    /// The live readers have been sent everything up to here, and nothing after it.
    var position = StreamPosition.zero
    /// The live readings by encoding: JSON, protobuf.
    private(set) var groups = [ReadingGroup(.json), ReadingGroup(.protobuf)]
    private(set) var ahead: [ChannelReading] = []
    var joining: [ChannelReading] = []
    /// Pushes may have been missed: the live readers go on from the history, not from what is pushed.
    var isBehind = false
    /// Waits for its turn to be read, or is being read.
    var isDue = false
    /// Its history is being read: what is pushed meanwhile is held, for those who get the history.
    var isReading = false
    var held: [ChannelEvent] = []

    init(_ channel: String) { self.channel = channel }

    var needsReading: Bool { !joining.isEmpty || isBehind && hasLive }

    var hasLive: Bool { groups.contains { !$0.connections.isEmpty } }

    /// Takes up a reading that was sent everything up to its position, and everything held.
    func enter(_ reading: ChannelReading) {
        guard let its = reading.position else { return }
        if !hasLive, ahead.isEmpty { position = its }
        guard its > position else { return add(reading) }
        reading.phase = .ahead
        ahead.append(reading)
    }

    /// Makes those of the readings that are ahead live whose position is such.
    func admit(_ isSuch: (StreamPosition) -> Bool) { for reading in ahead.takeOut(isSuch) { add(reading) } }

    private func add(_ reading: ChannelReading) {
        reading.phase = .live
        groups[reading.group].live.add(reading)
    }

    /// Takes a live reading out that has been sent everything up to this position: it goes on from the history.
    func setBack(_ reading: ChannelReading, to position: StreamPosition) {
        groups[reading.group].live.remove(reading)
        // It may have come up to the live ones beyond that.
        reading.position = max(position, reading.position ?? position)
    }

    /// Pushes may be missing from now on: nobody goes on but from the history.
    func fallBehind() {
        isBehind = true
        for reading in ahead { reading.phase = .joining }
        joining += ahead
        ahead = []
    }

    /// Takes a reading out, wherever it is. A command of it that waits for an answer still gets it.
    func leave(_ reading: ChannelReading) {
        guard reading.phase != .ended else { return }
        switch reading.phase {
        case .live: groups[reading.group].live.remove(reading)
        case .ahead: ahead.removeAll { $0 === reading }
        case .joining where reading.asks.isEmpty: joining.removeAll { $0 === reading }
        default: break
        }
        reading.phase = .ended
        count -= 1
    }
}

/// What the function `topic_read` answers: a part of a history, for readers wherever they stand in it.
struct HistoryPage {
    /// Where the history ends.
    let newest: StreamPosition
    /// In order, from the oldest of the places that were asked for; a part of them if there are many.
    private(set) var events: [ChannelEvent]
    private let there: Set<StreamPosition>

    /// `places` as they were asked for. Nil when the reply is not of that form.
    init?(_ reply: RedisReply, _ channel: String, places: [StreamPosition]) {
        guard let newest = reply[0].bytes.flatMap(StreamPosition.init), let there = reply[1].array,
            there.count == places.count, let entries = reply[2].array
        else { return nil }
        self.newest = newest
        self.there = Set(zip(places, there).filter { $0.1.int == 1 }.map(\.0))
        events = Self.events(entries, channel)
    }

    private static func events(_ entries: [RedisReply], _ channel: String) -> [ChannelEvent] {
        entries.compactMap { entry in
            Push(entry: entry, on: channel).flatMap { push in push.position.map { ChannelEvent(push, at: $0) } }
        }
    }

    /// Where its events end and how many more may fit, if others follow them and it has less than so many bytes; `most`: entries.
    func next(upTo bytes: Int, most: Int) -> (last: StreamPosition, count: Int)? {
        guard let last = events.last?.position, last < newest else { return nil }
        let size = events.reduce(0) { $0 + $1.json.count }
        guard size < bytes else { return nil }
        return (last, min(most, max(1, (bytes - size) * events.count / size)))
    }

    /// With the events that follow, as XRANGE answers that begins with the last one. If that is gone, nothing is added: the next reading finds
    /// the gap.
    func completed(with rest: RedisReply, _ channel: String) -> HistoryPage {
        let more = Self.events(rest.array ?? [], channel)
        guard let last = events.last, more.first?.position == last.position else { return self }
        var page = self
        page.events += more.dropFirst()
        return page
    }

    /// Whether the entry is still in the history: then so is everything that follows it.
    func has(_ position: StreamPosition) -> Bool { there.contains(position) }

    /// What follows a position that is there, up to so many bytes but one event at least; and the position reached.
    func part(after position: StreamPosition, upTo bytes: Int) -> (events: [ChannelEvent], reached: StreamPosition) {
        var part: [ChannelEvent] = []
        var size = 0
        for event in events where event.position > position {
            if event.isMark { continue }
            size += event.json.count
            guard size <= bytes || part.isEmpty else { return (part, part.last?.position ?? position) }
            part.append(event)
        }
        let isAll = events.isEmpty || (events.last?.position ?? newest) >= newest
        return (part, isAll ? newest : part.last?.position ?? position)
    }
}

/// The topics with readers here, and what is to be done for them.
final class EventChannels {
    var byChannel: [String: EventChannel] = [:]
    /// To be read, oldest first, and how many are being read.
    var due: [EventChannel] = []
    var underWay = 0
    /// Could not be read; tried again at the next tick.
    var failed: [EventChannel] = []
    /// How often the subscription was lost.
    var losses = 0
    /// Readings that are sent the next part of what they missed when they have taken the last.
    var paced: [ChannelReading] = []

    /// The topic of a channel, made if nobody reads it yet.
    func topic(_ channel: String) -> EventChannel {
        if let known = byChannel[channel] { return known }
        let topic = EventChannel(channel)
        byChannel[channel] = topic
        return topic
    }
}
