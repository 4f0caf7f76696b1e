import Domain
import WebSocketServer
import Wire

/// What one connection follows of the city's events: a channel. Used on the worker's loop.
final class EventReading: SharedReading {
    enum Phase {
        /// The log is to be read for it, or is being read.
        case reading
        /// Was sent a part of what it missed, and is given time to take it.
        case paced
        /// Was sent more than the live readers: what comes up to its position is not for it.
        case ahead
        case live
        case ended
    }

    /// Where the log is read on for it.
    enum Place {
        /// As its client said: a seq, a time, or empty for from now on. Whether something is missing is yet to be seen.
        case asked(String)
        /// After an entry that it was sent, or passed over.
        case after(StreamPosition)
    }

    let group: EventGroup
    let session: Session
    /// What reads for it is paid from here, also when its connection is gone meanwhile.
    let budget: Budget
    var phase = Phase.reading
    var place: Place
    var asks: [Int64]
    var index = 0

    init(_ group: EventGroup, _ session: Session, from since: String, asks: [Int64]) {
        self.group = group
        self.session = session
        budget = session.budget
        place = .asked(since)
        self.asks = asks
    }

    /// Where it stands, as far as that is known.
    var position: StreamPosition? {
        if case .after(let position) = place { position } else { nil }
    }
}

/// Those who get the same bytes: the same channel, encoding and scope.
final class EventGroup {
    struct Key: Hashable {
        let channel: String
        let encoding: FeedEncoding
        let isPersonal: Bool
    }

    let key: Key
    let selection: EventSelection
    /// Readings of any phase but ended.
    var count = 0
    private var live = LiveReadings<EventReading>()
    var connections: [ConnectionID] { live.connections }
    var readings: [EventReading] { live.readings }
    /// By type, as found out once.
    private var matching: [String: Bool] = [:]

    init(_ key: Key, _ selection: EventSelection) {
        self.key = key
        self.selection = selection
    }

    func add(_ reading: EventReading) {
        reading.phase = .live
        live.add(reading)
    }

    func remove(_ reading: EventReading) { live.remove(reading) }

    func wants(_ entry: LogEntry) -> Bool { matches(entry.type) && entry.passes(selection) }

    func matches(_ type: String) -> Bool {
        if let known = matching[type] { return known }
        let isMatch = selection.pattern.matches(type)
        matching[type] = isMatch
        return isMatch
    }

    func frame(_ entry: LogEntry, _ outbox: Outbox) -> Frame {
        outbox.frame(entry.json(channel: key.channel, withPersonal: key.isPersonal), key.encoding)
    }
}

/// Who follows what here. For each type of event it is found out once who gets it. Used on the worker's loop.
final class EventFollowers {
    private var groups: [EventGroup.Key: EventGroup] = [:]
    /// The groups whose pattern matches a type.
    private var byType: [String: [EventGroup]] = [:]
    /// Readings that were sent more than the live ones.
    private(set) var ahead: [EventReading] = []

    /// The group of a channel, made if nobody is in it yet.
    func group(_ key: EventGroup.Key, _ selection: EventSelection) -> EventGroup {
        if let known = groups[key] { return known }
        let group = EventGroup(key, selection)
        groups[key] = group
        byType = [:]
        return group
    }

    func leave(_ reading: EventReading) {
        guard reading.phase != .ended else { return }
        switch reading.phase {
        case .live: reading.group.remove(reading)
        case .ahead: ahead.removeAll { $0 === reading }
        default: break
        }
        reading.phase = .ended
        reading.group.count -= 1
        guard reading.group.count == 0, groups[reading.group.key] === reading.group else { return }
        groups[reading.group.key] = nil
        byType = [:]
    }

    /// Nobody waits for what comes.
    var isEmpty: Bool { ahead.isEmpty && groups.values.allSatisfy { $0.connections.isEmpty } }

    /// Those with live readers that want the event.
    func wanting(_ entry: LogEntry) -> [EventGroup] {
        let matching = byType[entry.type] ?? groups.values.filter { $0.matches(entry.type) }
        byType[entry.type] = matching
        return matching.filter { !$0.connections.isEmpty && entry.passes($0.selection) }
    }

    /// All live connections of each group.
    var live: some Sequence<EventGroup> { groups.values.lazy.filter { !$0.connections.isEmpty } }

    func addAhead(_ reading: EventReading) {
        reading.phase = .ahead
        ahead.append(reading)
    }

    /// Those that are ahead are so no more.
    func takeAhead() -> [EventReading] {
        defer { ahead = [] }
        return ahead
    }

    /// Makes those that are ahead live whose position is such.
    func admit(_ isSuch: (StreamPosition) -> Bool) {
        for reading in ahead.takeOut(isSuch) { reading.group.add(reading) }
    }
}
