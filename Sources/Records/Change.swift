/// What an event changes in one row. The row is made when it is not there, so a log that begins in the middle gives what it has.
///
/// Each table has `city`, its key and `event`, the place of the latest event that changed the row: an event that is taken twice
/// changes nothing the second time.
struct Change: Equatable {
    enum Field: Equatable {
        /// Whatever stood there.
        case set(SQLValue)
        /// Unless something stands there.
        case first(SQLValue)
        /// On top of what stands there.
        case add(Int64)
    }

    let table: String
    let key: [(column: String, value: SQLValue)]
    let fields: Fields

    typealias Fields = [(column: String, field: Field)]

    init(_ table: String, _ id: SQLValue, _ fields: KeyValuePairs<String, Field>) {
        self.init(table, key: ["id": id], fields)
    }

    init(_ table: String, key: KeyValuePairs<String, SQLValue>, _ fields: KeyValuePairs<String, Field>) {
        self.table = table
        self.key = key.map { (column: $0.key, value: $0.value) }
        self.fields = fields.map { (column: $0.key, field: $0.value) }
    }

    private init(
        _ table: String, _ key: [(column: String, value: SQLValue)], _ fields: Fields
    ) {
        (self.table, self.key, self.fields) = (table, key, fields)
    }

    /// The same with further columns.
    func with(_ more: Fields) -> Change { Change(table, key, fields + more) }

    static func == (a: Change, b: Change) -> Bool { a.statement("", .zero) == b.statement("", .zero) }

    /// Which row it changes.
    struct Row: Hashable {
        let table: String
        let key: [SQLValue]
    }

    var row: Row { Row(table: table, key: key.map(\.value)) }

    /// What both do to their row, this one first; nil: no one change does that.
    func followed(by later: Change) -> Change? {
        var fields = fields
        for (column, field) in later.fields {
            guard let place = fields.firstIndex(where: { $0.column == column }) else {
                fields.append((column, field))
                continue
            }
            guard let both = fields[place].field.followed(by: field) else { return nil }
            fields[place].field = both
        }
        return Change(table, key, fields)
    }

    func statement(_ city: String, _ event: EventID) -> Statement {
        var values: [SQLValue] = [.text(city), .integer(event.rank)]
        var (columns, places, updates) = ("city, event", "$1, $2", "event = excluded.event")
        values.reserveCapacity(2 + key.count + fields.count)
        columns.reserveCapacity(160)
        places.reserveCapacity(80)
        updates.reserveCapacity(320)
        func place(_ column: String, _ value: SQLValue) {
            values.append(value)
            columns += ", " + column
            places += ", $\(values.count)"
        }
        for (column, value) in key { place(column, value) }
        for (column, field) in fields {
            switch field {
            case .set(let value):
                place(column, value)
                updates += ", \(column) = excluded.\(column)"
            case .first(let value):
                place(column, value)
                updates += ", \(column) = COALESCE(\(table).\(column), excluded.\(column))"
            case .add(let amount):
                place(column, .integer(amount))
                updates += ", \(column) = \(table).\(column) + excluded.\(column)"
            }
        }
        let names = (["city"] + key.map(\.column)).joined(separator: ", ")
        return Statement(
            """
            INSERT INTO \(table) (\(columns)) VALUES (\(places)) ON CONFLICT (\(names)) \
            DO UPDATE SET \(updates) WHERE \(table).event < excluded.event
            """, values)
    }
}

extension Change.Field {
    func followed(by later: Self) -> Self? {
        switch (self, later) {
        case (_, .set), (.first(.null), .first): later
        case (.set(.null), .first(let value)): .set(value)
        case (.set, .first), (.first, .first): self
        case (.set(.integer(let a)), .add(let b)): .set(.integer(a + b))
        case (.add(let a), .add(let b)): .add(a + b)
        case (.set, .add), (.first, .add), (.add, .first): nil
        }
    }
}

extension RecordedEvent {
    /// What it changes; nothing for most of what queues and vehicles do. Pure.
    var changes: [Change] {
        // What another version of the hub has written may name no row. That must not keep the rest from being recorded.
        all.filter { change in change.key.allSatisfy { $0.value != .null } }
    }

    private var all: [Change] {
        let family = type.prefix { $0 != "." }
        switch family {
        case "ride", "offer": return ofTrip.map { [$0] } ?? []
        case "payment", "trip": return (ofTrip ?? ofBooking).map { [$0] } ?? []
        case "seat": return ofBooking.map { [$0] } ?? []
        case "stop": return type == "stop.passed" ? ofPassage : ofStopRequest.map { [$0] } ?? []
        case "tour": return ofTour.map { [$0] } ?? []
        case "audit", "sos", "report", "notify": return ofOffice.map { [$0] } ?? []
        case "reservation": return ofReservation.map { [$0] } ?? []
        case "driver", "vehicle": return ofRegistry.map { [$0] } ?? []
        default: return []
        }
    }
}
