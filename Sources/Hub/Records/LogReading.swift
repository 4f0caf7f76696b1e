import Records
import RedisLink

/// The event log as it was at one moment: how much there is of it, and its next entries. Pure.
struct LogReading {
    /// Machine ms of Redis.
    var now: Int64
    /// Entries that the log has ever had, and those that it holds.
    var added: Int64 = 0
    var held: Int64 = 0
    /// The latest entry that there ever was; zero: none.
    var last = EventID.zero
    var entries: [Entry] = []
    /// The earliest entry that it holds; nil: none.
    var first: EventID?
    /// Since when they have been seen.
    var sightings = LogSightings()

    struct Entry: Equatable {
        var id: EventID
        var type: String
        var time: Int64
        var data: [UInt8]
    }

    /// What is to be recorded next.
    struct Plan {
        var entries: [Entry] = []
        var gap: RecordStore.Gap?
        /// Where the log is recorded up to then.
        var cursor: RecordStore.Cursor
        /// The log ends before what is recorded: it is to be read from its beginning.
        var mustRestart = false
        /// What is left: how many entries, and how old the first of them is, ms.
        var leftEntries: Int64 = 0
        var leftMs: Int64 = 0
    }

    /// Entries that have gone from its beginning.
    private var trimmed: Int64 { added - held }

    /// For how long an entry has been in the log, ms: by its id, or longer, if it has been seen for longer.
    func age(of id: EventID) -> Int64 { max(0, now - id.ms, sightings.age(of: id)) }

    /// The age of the first entry that is not recorded, ms.
    func oldest(_ cursor: RecordStore.Cursor?) -> Int64 {
        entries.first { $0.id != cursor?.id }.map { age(of: $0.id) } ?? 0
    }

    /// So far the last entry's id is ahead of Redis' clock, ms: that was set back.
    var aheadMs: Int64 { max(0, last.ms - now) }

    /// Whether another log than this has been recorded up to there: this one lacks the entry, though it reaches back to it, or ends before it. It
    /// was read after the cursor, and `entries` begin there. An empty log has nothing that says so.
    func isAnother(than cursor: RecordStore.Cursor) -> Bool {
        if last < cursor.id { return last != .zero }
        guard let first else { return false }
        return first <= cursor.id && entries.first?.id != cursor.id
    }

    /// - Parameters:
    ///   - cursor: how far the log is recorded; `entries` begin there, that entry included. Nil: they begin at the log's beginning.
    ///   - isAnew: they begin there although there is a cursor, as the log ends before it.
    ///   - settleMs: an entry younger than this may still be lost by a Redis that is killed.
    ///   - most: so many entries at once.
    func plan(after cursor: RecordStore.Cursor?, isAnew: Bool, settleMs: Int64, most: Int) -> Plan {
        var next = entries[...]
        var gap: RecordStore.Gap?
        var place = trimmed
        if let cursor, !isAnew {
            guard last >= cursor.id || last == .zero else { return Plan(cursor: cursor, mustRestart: true) }
            if next.first?.id == cursor.id {
                next = next.dropFirst()
                place = cursor.place
            } else if let first = next.first {
                (place, gap) = missed(cursor, first.id, next.count)
            } else {
                place = cursor.place
            }
        } else if let first = next.first {
            if let cursor {
                gap = .init(kind: .rewound, after: last, before: cursor.id, lost: nil)
            } else if trimmed > 0 {
                gap = .init(kind: .before, after: .zero, before: first.id, lost: trimmed)
            }
        }
        let settled = Array(next.prefix(most).prefix { age(of: $0.id) >= settleMs })
        let end = RecordStore.Cursor(id: settled.last?.id ?? cursor?.id ?? .zero, place: place + Int64(settled.count))
        let left = next.dropFirst(settled.count).first
        return Plan(
            entries: settled, gap: settled.isEmpty ? nil : gap, cursor: end, leftEntries: max(0, added - end.place),
            leftMs: left.map { age(of: $0.id) } ?? 0)
    }

    /// The cursor's entry is not in the log. Whether others between it and the next are missing, the counts tell.
    private func missed(
        _ cursor: RecordStore.Cursor, _ next: EventID, _ count: Int
    ) -> (place: Int64, gap: RecordStore.Gap?) {
        // What follows the cursor is all that the log holds: what is gone, is gone from its beginning.
        if Int64(count) == held || trimmed > cursor.place {
            let lost = trimmed - cursor.place
            if lost == 0 { return (trimmed, nil) }
            return (
                trimmed,
                .init(kind: lost > 0 ? .trimmed : .rewound, after: cursor.id, before: next, lost: lost > 0 ? lost : nil)
            )
        }
        return (
            min(cursor.place, added - Int64(count)), .init(kind: .rewound, after: cursor.id, before: next, lost: nil)
        )
    }
}

extension LogReading {
    /// The answer of EXEC to TIME, XINFO STREAM and XRANGE; nil when it is none.
    init?(_ reply: RedisReply) {
        guard let seconds = reply[0][0].int, let micros = reply[0][1].int else { return nil }
        now = seconds * 1000 + micros / 1000
        // A log without an entry is an error, as there is no key.
        guard reply[1].array != nil else { return }
        guard let added = reply[1]["entries-added"].int, let held = reply[1]["length"].int,
            let last = reply[1]["last-generated-id"].text.flatMap({ EventID($0) }), let entries = reply[2].array
        else { return nil }
        (self.added, self.held, self.last) = (added, held, last)
        self.entries = entries.compactMap(Entry.init)
        first = reply[1]["first-entry"][0].text.flatMap { EventID($0) }
    }
}

extension RedisConnection {
    /// Calls `then` with the log as it is, and at most `count` of its entries from an id on; nil: Redis does not say.
    func readLog(_ stream: String, from: String, count: Int, then: @escaping (LogReading?) -> Void) {
        send(["MULTI"]) { _ in }
        send(["TIME"]) { _ in }
        send(["XINFO", "STREAM", RedisArgument(stream)]) { _ in }
        send(["XRANGE", RedisArgument(stream), RedisArgument(from), "+", "COUNT", RedisArgument(count)]) { _ in }
        send(["EXEC"]) { result in
            guard case .success(let reply) = result else { return then(nil) }
            then(LogReading(reply))
        }
    }
}

extension LogReading.Entry {
    /// One that lacks a field has no data: it is passed over, and said to be.
    init?(_ entry: RedisReply) {
        guard let id = entry[0].text.flatMap({ EventID($0) }) else { return nil }
        guard let type = entry[1]["type"].text, let time = entry[1]["time"].int, let data = entry[1]["data"].bytes
        else {
            self.init(id: id, type: "", time: 0, data: [])
            return
        }
        self.init(id: id, type: type, time: time, data: Self.whole(data, entry[1]["recorded"].bytes))
    }

    /// The members of both objects: what is told of an event, and what is recorded besides.
    private static func whole(_ data: [UInt8], _ recorded: [UInt8]?) -> [UInt8] {
        guard let recorded, recorded.count > 2, data.last == UInt8(ascii: "}") else { return data }
        return data.dropLast() + (data.count > 2 ? [UInt8(ascii: ",")] : []) + recorded.dropFirst()
    }
}
