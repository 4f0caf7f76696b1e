import Domain
import RedisLink

/// The Redis keys of one city that are used outside the functions; all carry the city's hash tag, so a city lives in one slot.
struct Keys: Sendable {
    /// `{city}:`
    let prefix: String

    init(city: String) { prefix = "{\(city)}:" }

    /// Hash: the settings and the clock that the functions read; the one key that every function declares.
    var settings: String { prefix + "settings" }
    /// Stream: every domain event.
    var events: String { prefix + "events" }
    /// Stream: what is to be pushed to people who have no connection (waking.lua).
    var wakings: String { prefix + "wakings" }
    /// Stream: what operators did (audit.lua).
    var audit: String { prefix + "audit" }
    /// Hash: which version of the catalog is in use, and when each of its lists changed last (catalog.lua).
    var catalog: String { prefix + "catalog" }
    /// A part of a version of the catalog.
    func catalog(_ version: String, _ part: String) -> String { prefix + "catalog:\(version):\(part)" }
    /// Pub/sub: `read <version>` before a version is taken into use, `use <version> <time>` when it is.
    var catalogNews: String { prefix + "catalog-news" }
    /// List: the last tours of a line that are over, the latest at the end, as `FinishedTour` writes them.
    func finishedTours(_ line: String) -> String { prefix + "line:\(line):finished" }
    /// Stream: the latest ways that taxis finished, as `TravelledWay` writes them.
    var travelled: String { prefix + "travelled" }
    /// Pub/sub: what clients of streams have said to another worker than the one that has them.
    func said(to worker: String) -> String { prefix + "said:" + worker }
    /// Hash: the figures of all lines of a day (figures.lua).
    func statistics(_ date: String) -> String { prefix + "figures:" + date }
    /// Hash: the figures of taxis of a day, by hour and zone (taxi_figures.lua).
    func taxis(_ date: String) -> String { prefix + "taxis:" + date }
    /// Hash: the figures of seats of a day, by hour and route (seat_figures.lua).
    func seats(_ date: String) -> String { prefix + "seats:" + date }
    /// Hash: who asked for seats in vain on a day, by the cells from which and to which (seat_figures.lua).
    func vain(_ date: String) -> String { prefix + "vain:" + date }
    /// Stream: what was told on a hub channel, as long as it is kept.
    func history(_ channel: String) -> String { prefix + "ch:" + channel }
    /// Pub/sub: what is told on the hub channels of a partition.
    func push(_ partition: String) -> String { prefix + "push:" + partition }
    /// Pub/sub: what is shown of the vehicles of a cell, or of all with `city` for the cell.
    func feed(_ cell: String) -> String { prefix + "feed:" + cell }
    /// Sorted set: the available drivers of a zone by arrival number.
    func queue(_ zone: String) -> String { prefix + "queue:" + zone }
    /// Sorted set: `<role> <subject>` by the second before which its tokens count no more (office_sessions.lua).
    var revoked: String { prefix + "revoked" }
    /// Sorted set of one, `latest`: the latest second of the clock by which the hub signs (revocations.lua).
    var signed: String { prefix + "signed" }
    /// String: when and by which attempt an invitation was accepted (`Acceptance`); it is gone when the invitation is long no longer good.
    func invitation(_ id: String) -> String { prefix + "invitation:" + id }
    /// Hash: a vehicle's last position and what its driver does.
    func vehicle(_ id: String) -> String { prefix + "vehicle:" + id }
}

/// Hub channels: `driver:<id>`, `bus_driver:<id>`, `passenger:<id>`, `vehicle:<id>`, `zone:<id>`, `near`, `city`, `catalog`,
/// `office`, `topic:<name>`, `line:<id>`, `events:<pattern>`.
enum Channel {
    /// Pub/sub partitions of channels with many readers: few wide Redis channels, so that a worker subscribes to at most these.
    private static let partitions: UInt32 = 64

    /// The partition of a channel; the functions compute the same (`partition` in core.lua). All people and vehicles have one, so that
    /// all that a transition tells goes out with one PUBLISH; every worker follows it.
    static func partition(_ channel: String) -> String {
        guard hasEvents(channel), channel != office else { return "people" }
        var hash: UInt32 = 0
        for byte in channel.utf8 { hash = hash &* 31 &+ UInt32(byte) }
        return String(hash % partitions)
    }

    static func vehicle(_ id: String) -> String { "vehicle:" + id }
    /// Whose channel it is; nil if it is no driver's.
    static func driver(of channel: String) -> String? {
        let prefix = "driver:"
        return channel.hasPrefix(prefix) ? String(channel.dropFirst(prefix.count)) : nil
    }
    /// The circle that a client watches.
    static let near = "near"
    /// To workers, not to clients: the queue of a zone (`meta`) has changed, and why (`data`).
    static let queues = "queues"
    /// Whose connections the office has ended (office_sessions.lua), for the workers alone.
    static let ended = "sessions"
    /// What Redis had lost of what the office has revoked, and has again (office_sessions.lua), for the workers alone.
    static let revocations = "revocations"

    /// What the hub itself tells of lines and buses; read as topics are.
    static let catalog = "catalog"
    /// What operators are told, who alone may read it. Seldom, and at once: it goes with what people are told.
    static let office = "office"

    /// Whether it is a channel of events with many readers: a topic, or one of the hub's own.
    static func isShared(_ channel: String) -> Bool {
        channel == catalog || channel == office || channel.hasPrefix(lines) || isTopic(channel)
    }

    /// Whether its name is that of a channel of events with many readers, whatever its rest looks like.
    static func hasEvents(_ channel: String) -> Bool {
        channel == catalog || channel == office || channel.hasPrefix(lines) || channel.hasPrefix(topics)
    }

    /// Whether it is a shared event channel: `topic:` and 1 to 64 of `A-Z a-z 0-9 _ . -`.
    static func isTopic(_ channel: String) -> Bool {
        channel.hasPrefix(topics) && Catalog.isID(String(channel.dropFirst(topics.count)))
            && !channel.dropFirst(topics.count).contains(":")
    }

    /// Whether it is `vehicle:` and an id as tokens and catalogs have them.
    static func isVehicle(_ channel: String) -> Bool {
        channel.hasPrefix(vehicle("")) && Catalog.isID(String(channel.dropFirst(vehicle("").count)))
    }

    /// The city's events that match a pattern, as `events:ride.*`; for operators and services.
    static let events = "events:"

    static let topics = "topic:"

    /// Topics whose names begin so are read and written by operators and services only.
    static let privateTopics = topics + "private"

    static func isPrivate(_ channel: String) -> Bool {
        channel == privateTopics || channel.hasPrefix(privateTopics + ".")
    }

    /// The first words of the types of the hub's own events and states (`ride.accepted`). A topic of such a name would be silent:
    /// what happens is told on people's own channels, on lines, and in the city's log.
    static let eventFamilies: Set<String> = [
        "advice", "caller", "catalog", "driver", "notify", "offer", "papers", "payment", "queue", "reliability",
        "report", "reservation", "ride", "route", "schedule", "seat", "seats", "sos", "stop", "tour", "trip",
    ]

    /// Whether a topic has the name of an event of the hub, or would have if there were such an event.
    static func isNamedAsEvent(_ channel: String) -> Bool {
        let words = channel.dropFirst(topics.count).split(
            separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        return words.count == 2 && isTopic(channel) && eventFamilies.contains(String(words[0]))
    }

    static func line(_ id: String) -> String { lines + id }
    static let lines = "line:"
}

/// A place in a channel's history: the id of a Redis stream entry. Clients see it as an opaque text.
struct StreamPosition: Comparable, Hashable, Sendable {
    let milliseconds: UInt64
    let number: UInt64

    /// Before every entry: a reading from here begins with the oldest that is kept.
    static let zero = StreamPosition(milliseconds: 0, number: 0)

    /// As a client may say where to begin: a `seq` that it was given, or `0` or `0-0` for the oldest that is kept.
    init?(client text: String) {
        if text == "0" { self = .zero } else { self.init(text.utf8) }
    }

    private init(milliseconds: UInt64, number: UInt64) {
        self.milliseconds = milliseconds
        self.number = number
    }

    /// As Redis and clients have it.
    var text: String { "\(milliseconds)-\(number)" }

    /// Nil when the bytes are not `<digits>-<digits>`.
    init?(_ bytes: some Sequence<UInt8>) {
        var first: UInt64?
        var value: UInt64 = 0
        var digits = 0
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "-") where first == nil && digits > 0:
                first = value
                (value, digits) = (0, 0)
            case 48...57 where digits < 19:
                value = value * 10 + UInt64(byte - 48)
                digits += 1
            default: return nil
            }
        }
        guard let first, digits > 0 else { return nil }
        milliseconds = first
        number = value
    }

    static func < (a: Self, b: Self) -> Bool { (a.milliseconds, a.number) < (b.milliseconds, b.number) }
}

/// One record of a partition's message: `channel \n seq \n type \n time \n meta \n JSON of data`, as `push` in core.lua writes it.
/// State (positions, ETA) has an empty seq. `meta` is for the worker and is never sent on.
struct Push {
    let channel: String
    let seq: String
    /// `seq`, where it is one.
    let position: StreamPosition?
    let type: String
    let time: Int64
    let meta: String
    let data: [UInt8]

    /// Calls `body` with each record of a partition's message: each stands after its length in bytes and a line break. What is not of that
    /// form (another program publishes there) ends it.
    static func each(in message: UnsafeRawBufferPointer, _ body: (Push) -> Void) {
        var rest = message[...]
        while let end = rest.firstIndex(of: 10), let length = number(rest[..<end]).map(Int.init),
            length < rest.endIndex - end
        {
            let record = rest[(end + 1)...].prefix(length)
            if let push = Push(UnsafeRawBufferPointer(rebasing: record)) { body(push) }
            rest = rest[record.endIndex...]
        }
    }

    /// Nil when the payload is not of that form.
    private init?(_ payload: UnsafeRawBufferPointer) {
        var start = 0
        func next() -> Slice<UnsafeRawBufferPointer>? {
            guard let end = payload[start...].firstIndex(of: 10) else { return nil }
            defer { start = end + 1 }
            return payload[start..<end]
        }
        guard let channel = next(), let seq = next(), let type = next(), let digits = next(), let meta = next(),
            let time = Self.number(digits)
        else { return nil }
        self.channel = String(decoding: channel, as: UTF8.self)
        self.seq = String(decoding: seq, as: UTF8.self)
        position = StreamPosition(seq)
        self.type = String(decoding: type, as: UTF8.self)
        self.time = time
        self.meta = String(decoding: meta, as: UTF8.self)
        data = [UInt8](payload[start...])
    }

    /// Nil: they are no number of up to 18 digits.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Int64? {
        guard 1...18 ~= digits.count else { return nil }
        var value: Int64 = 0
        for digit in digits {
            guard 48...57 ~= digit else { return nil }
            value = value * 10 + Int64(digit - 48)
        }
        return value
    }

    init(channel: String, seq: String, type: String, time: Int64, meta: String, data: [UInt8]) {
        self.channel = channel
        self.seq = seq
        position = StreamPosition(seq.utf8)
        self.type = type
        self.time = time
        self.meta = meta
        self.data = data
    }

    /// From an entry of a channel's history as XRANGE gives it; nil if it is none.
    init?(entry: RedisReply, on channel: String) {
        guard let seq = entry[0].text, let type = entry[1]["type"].text, let time = entry[1]["time"].int,
            let data = entry[1]["data"].bytes
        else { return nil }
        self.init(channel: channel, seq: seq, type: type, time: time, meta: "", data: data)
    }

    /// A message with this record, for state that a worker publishes itself.
    var encoded: [UInt8] {
        let record = Array("\(channel)\n\(seq)\n\(type)\n\(time)\n\(meta)\n".utf8) + data
        return Array("\(record.count)\n".utf8) + record
    }
}
