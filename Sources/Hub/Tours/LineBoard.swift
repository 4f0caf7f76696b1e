import RedisLink
import WebSocketServer
import Wire

/// The running tours of a line with readers here, each as Redis told it last. Used on the worker's loop only; it ends with
/// its last reader.
final class LineBoard {
    /// A tour's state: the revision orders what is read and what is pushed.
    struct Bus {
        let revision: Int64
        /// JSON of the state `bus`.
        let data: [UInt8]
        /// What its trip's times count from, Unix seconds.
        let base: Int64
        /// When its last position came, hub ms; 0: none has.
        let heard: Int64
    }

    let channel: String
    private(set) var buses: [String: Bus] = [:]
    var readers: [ConnectionID: LineReader] = [:]
    /// Was read after its subscription was confirmed, and that has held since.
    var isCurrent = false
    var isReading = false
    /// Pushed while it was read.
    var held: [Push] = []
    /// Who waits for it to be read, and is told nothing after that.
    var waiting: [(LineBoard?) -> Void] = []
    /// How many ticks it has had no readers.
    var ticksUnread = 0
    /// Some readers wait for a snapshot.
    var hasLaggards = false
    /// The tours whose state was told since the last tick: what comes of them until the next is kept, the newest of each.
    private var told: Set<String> = []
    private var kept: [String: Push] = [:]

    init(_ channel: String) { self.channel = channel }

    var line: String { String(channel.dropFirst(Channel.lines.count)) }

    /// What the function `line_state` answers, in place of all that was known. False when it is not of that form.
    func replace(_ reply: RedisReply) -> Bool {
        guard let fields = reply.array, fields.count % 5 == 0 else { return false }
        buses = [:]
        kept = [:]
        for index in stride(from: 0, to: fields.count, by: 5) {
            guard let tour = fields[index].text, let revision = fields[index + 1].int,
                let data = fields[index + 2].bytes
            else { return false }
            buses[tour] = Bus(
                revision: revision, data: data, base: fields[index + 3].int ?? 0, heard: fields[index + 4].int ?? 0)
        }
        return true
    }

    /// Takes up a push of the state `bus`. False: it is known, or older than what is.
    func apply(_ push: Push) -> Bool {
        let parts = push.meta.split(separator: " ")
        // A hub of an older version at the same Redis does not say the last two.
        let isWhole = parts.count == 5
        guard isWhole || parts.count == 3, let revision = Int64(parts[1]) else { return false }
        let tour = String(parts[0])
        let known = buses[tour]
        if let known, known.revision >= revision { return false }
        let bus = Bus(
            revision: revision, data: push.data, base: (isWhole ? Int64(parts[3]) : known?.base) ?? 0,
            heard: (isWhole ? Int64(parts[4]) : known?.heard) ?? 0)
        buses[tour] = parts[2] == "running" ? bus : nil
        return true
    }

    /// Takes up a push and answers it, if it is to be told now.
    func admit(_ push: Push) -> Push? {
        guard apply(push) else { return nil }
        let tour = String(push.meta.prefix { $0 != " " })
        if told.insert(tour).inserted { return push }
        kept[tour] = push
        return nil
    }

    /// At a tick: what was kept. It is told now.
    func takeKept() -> [Push] {
        let pushes = kept.keys.sorted().compactMap { kept[$0] }
        told = Set(kept.keys)
        kept = [:]
        return pushes
    }

    func endWait(with board: LineBoard?) {
        let waited = waiting
        waiting = []
        for body in waited { body(board) }
    }

    /// JSON of the snapshot's data.
    var snapshot: [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("line", line)
        json.key("buses")
        json.beginArray()
        for tour in buses.keys.sorted() { json.raw(buses[tour]?.data ?? []) }
        json.endArray()
        json.endObject()
        return json.bytes
    }
}

/// One connection that reads a line.
final class LineReader {
    let session: Session
    /// It has not been told all that is there, or was too slow for what came: it gets the whole when it can take it.
    var needsSnapshot = true

    init(_ session: Session) { self.session = session }
}
