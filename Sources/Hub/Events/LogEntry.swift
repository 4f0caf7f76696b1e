import Domain
import RedisLink
import WebSocketServer
import Wire

/// One event of the city's log. What is made of it is made when its first reader needs it, and shared. Used on the worker's loop.
final class LogEntry {
    let position: StreamPosition
    let type: String
    /// Unix ms of hub time.
    let time: Int64
    /// JSON object.
    private let data: [UInt8]
    private let seq: String
    /// What it takes to read and send it, bytes. What is only for the records comes with it.
    let size: Int
    /// The data without what is personal. Of an event or a field that this version's catalogue does not have nobody knows what it is.
    private lazy var common: [UInt8] = {
        let fields = EventCatalogue.kind(type)?.common ?? []
        return data.withUnsafeBytes { JSONMembers.only(fields, of: $0) }
    }()

    /// From an entry as XRANGE and XREAD give it; nil if it is none of the log's.
    init?(_ entry: RedisReply) {
        let fields = entry[1]
        guard let seq = entry[0].text, let position = StreamPosition(seq.utf8), let type = fields["type"].text,
            let time = fields["time"].int, let data = fields["data"].bytes
        else { return nil }
        self.position = position
        self.seq = seq
        self.type = type
        self.time = time
        self.data = data
        size = data.count + (fields["recorded"].bytes?.count ?? 0) + 100
    }

    func passes(_ selection: EventSelection) -> Bool {
        selection.filters.isEmpty || data.withUnsafeBytes { selection.passes($0) }
    }

    /// The message on a channel.
    func json(channel: String, withPersonal: Bool) -> [UInt8] {
        Encode.event(channel: channel, seq: seq, type: type, time: time, data: withPersonal ? data : common)
    }
}

/// A page of the log, or what has come: entries in order.
struct LogPage {
    /// What they follow.
    let start: StreamPosition
    /// Some that should follow what was asked for are gone.
    let isGap: Bool
    let entries: [LogEntry]
    /// How many there were to read, and where the log has been read up to, whatever became of them.
    let count: Int
    let end: StreamPosition

    /// As the function `events_read` answers. Nil when the reply is not of that form.
    init?(_ reply: RedisReply) {
        guard let start = Self.position(.array([reply[0]])), let gap = reply[1].int,
            let entries = reply[2].array
        else { return nil }
        self.start = start
        isGap = gap == 1
        self.entries = entries.compactMap(LogEntry.init)
        count = entries.count
        end = Self.position(entries.last) ?? start
    }

    /// As XRANGE answers that begins with an entry that was read before. Nil if that is gone.
    init?(after position: StreamPosition, _ reply: RedisReply) {
        guard let entries = reply.array, Self.position(entries.first) == position else { return nil }
        start = position
        isGap = false
        self.entries = entries.dropFirst().compactMap(LogEntry.init)
        count = entries.count - 1
        end = Self.position(entries.last) ?? position
    }

    private static func position(_ entry: RedisReply?) -> StreamPosition? {
        entry?[0].bytes.flatMap { StreamPosition($0) }
    }

    var bytes: Int { entries.reduce(0) { $0 + $1.size } }
}
