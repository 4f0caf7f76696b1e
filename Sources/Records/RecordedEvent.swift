import Wire

/// The place of an entry in the event log, as Redis names it: `<ms>-<number>`.
public struct EventID: Comparable, Sendable, CustomStringConvertible {
    /// When it was written, ms by the clock of Redis.
    public let ms: Int64
    public let number: Int64

    public static let zero = EventID(ms: 0, number: 0)

    public init(ms: Int64, number: Int64) {
        self.ms = ms
        self.number = number
    }

    public init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let ms = Int64(parts[0]), let number = Int64(parts[1]) else { return nil }
        self.init(ms: ms, number: number)
    }

    public var description: String { "\(ms)-\(number)" }

    /// The same order as one number, for columns: a million entries in a millisecond, till the year 2248.
    var rank: Int64 { ms << 20 | min(number, 0xF_FFFF) }

    public static func < (a: EventID, b: EventID) -> Bool { (a.ms, a.number) < (b.ms, b.number) }
}

/// An entry of the event log.
public struct RecordedEvent: Sendable {
    public let id: EventID
    public let type: String
    /// Hub ms.
    public let time: Int64
    let data: JSONValue

    /// Nil when the data is no JSON object.
    public init?(id: EventID, type: String, time: Int64, json: [UInt8]) {
        guard let data = try? JSONValue(parsing: json), data.members != nil else { return nil }
        self.id = id
        self.type = type
        self.time = time
        self.data = data
    }

    /// Without NUL, which PostgreSQL does not take.
    func text(_ field: String) -> SQLValue {
        guard let text = data[field]?.text else { return .null }
        return .text(text.utf8.contains(0) ? text.replacing("\0", with: "") : text)
    }
    func whole(_ field: String) -> SQLValue { SQLValue(data[field]?.integer) }
    func number(_ field: String) -> SQLValue { SQLValue(data[field]?.double) }
    /// An object as its JSON.
    func json(_ field: String) -> SQLValue { data[field].map { .text($0.description) } ?? .null }
    var now: SQLValue { .integer(time) }
}
