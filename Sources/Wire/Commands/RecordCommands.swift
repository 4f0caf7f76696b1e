/// What is read of the city's records.
public enum RecordCommand: CommandGroup {
    case list(RecordQuestion)

    static let kinds: [CommandKind<RecordCommand>] = [
        CommandKind(
            "records.list", [.operator], .city, RecordQuestion.fields, make: RecordCommand.list,
            take: { if case .list(let question) = $0 { question } else { nil } })
    ]
}

/// Which records, the latest first.
public struct RecordQuestion: Equatable, Sendable {
    /// A kind's name is the value of the field `of`, and what `kerbside records` is asked for.
    public enum Kind: String, CaseIterable, Sendable {
        /// Of taxis.
        case rides
        /// Seats in minibuses.
        case bookings
        /// Stops of buses on request.
        case stops
        case reservations
        /// Of buses.
        case tours
        /// Calls for help (`sos`).
        case alarms
        /// Of incidents.
        case reports
    }

    public var of: Kind
    /// Only those of this driver, passenger, zone, line.
    public var driver: String?
    public var passenger: String?
    /// 1–64 bytes.
    public var zone: String?
    /// 1–64 visible ASCII characters.
    public var line: String?
    /// Only this one, by its id.
    public var record: String?
    /// At or after, and before: Unix ms by the hub's clock.
    public var startTime: Int64?
    public var endTime: Int64?
    /// Where the page begins, as `next` of the page before has it.
    public var from: String?
    /// 1–100.
    public var limit: Int

    public static let entries = 50

    public init(
        of: Kind, driver: String? = nil, passenger: String? = nil, zone: String? = nil, line: String? = nil,
        record: String? = nil, startTime: Int64? = nil, endTime: Int64? = nil, from: String? = nil, limit: Int = entries
    ) {
        (self.of, self.driver, self.passenger, self.zone, self.line) = (of, driver, passenger, zone, line)
        self.record = record
        (self.startTime, self.endTime, self.from, self.limit) = (startTime, endTime, from, limit)
    }

    private static let time = WholeKind<Int64>(
        0...32_503_680_000_000, "a time in Unix milliseconds before the year 3000")

    static let fields = Fields(
        Field.required(
            "of", ChoiceKind<Kind>(expected: "rides, bookings, stops, reservations, tours, alarms or reports")),
        Field.optional("driver", .word), Field.optional("passenger", .word),
        Field.optional(
            "zone", ProseKind(limit: WireLimits.identifierBytes, expected: "the id of a zone, 1 to 64 bytes")),
        Field.optional("line", .catalogID), Field.optional("record", .word), Field.optional("start_time", time),
        Field.optional("end_time", time),
        Field.optional("from", TextKind(.visible, upTo: 90, "the `next` of the page before")),
        Field.optional("limit", WholeKind<Int>(1...100, "a whole number from 1 to 100"), absent: entries),
        make: {
            RecordQuestion(
                of: $0, driver: $1, passenger: $2, zone: $3, line: $4, record: $5, startTime: $6, endTime: $7, from: $8,
                limit: $9)
        },
        take: {
            ($0.of, $0.driver, $0.passenger, $0.zone, $0.line, $0.record, $0.startTime, $0.endTime, $0.from, $0.limit)
        })
}
