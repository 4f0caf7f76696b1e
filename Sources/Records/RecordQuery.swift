public import Wire

/// What is asked of the past of a city: rows of one kind, the latest first.
public struct RecordQuery: Equatable, Sendable {
    public typealias Kind = RecordQuestion.Kind

    /// By what rows can be chosen.
    public enum Filter: String, CaseIterable, Sendable {
        case driver
        case passenger
        case zone
        case line
        /// The row of this id.
        case record
    }

    /// Where a page of rows ends: behind this row.
    public struct Place: Equatable, Sendable, CustomStringConvertible {
        /// Hub ms.
        public let time: Int64
        public let id: String

        public init(time: Int64, id: String) { (self.time, self.id) = (time, id) }

        /// As ``description`` has it; nil: it is none.
        public init?(_ text: String) {
            let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, let time = Int64(parts[0]), !parts[1].isEmpty else { return nil }
            self.init(time: time, id: String(parts[1]))
        }

        public var description: String { "\(time):\(id)" }
    }

    public var kind: Kind
    public private(set) var filters: [Filter: String] = [:]
    /// At or after, hub ms, by the kind's time.
    public var from: Int64?
    /// Before, hub ms.
    public var to: Int64?
    /// Only what comes after this row.
    public var after: Place?
    public var limit: Int64 = 50
    /// Without rows whose beginning is not recorded: they have no time, and come last. What is left is found by an index.
    public var isTimed = false

    public init(_ kind: Kind) { self.kind = kind }

    /// Only rows with these; nil chooses nothing. Answers which of them rows of that kind can't be chosen by; nil: none.
    public mutating func choose(
        driver: String? = nil, passenger: String? = nil, zone: String? = nil, line: String? = nil, record: String? = nil
    ) -> Filter? {
        for (filter, value) in [
            (Filter.driver, driver), (.passenger, passenger), (.zone, zone), (.line, line), (.record, record),
        ] {
            guard let value else { continue }
            guard kind.condition(filter) != nil else { return filter }
            filters[filter] = value
        }
        return nil
    }

    /// Where a row of this query is; nil: it has no time.
    public func place(of row: [SQLValue]) -> Place? {
        let columns = kind.columns
        guard let at = columns.firstIndex(of: kind.time), let time = row[at].integer, let id = row[0].text else {
            return nil
        }
        return Place(time: time, id: id)
    }

    func statement(_ city: String, in database: any Database) -> Statement {
        let table = index.map { database.table(kind.table, by: $0) } ?? kind.table
        var sql = "SELECT \(kind.sources.joined(separator: ", ")) FROM \(table) WHERE city = $1"
        var values: [SQLValue] = [.text(city)]
        func only(_ before: String, _ value: SQLValue, _ behind: String = "") {
            guard value != .null else { return }
            values.append(value)
            sql += " AND \(before) $\(values.count)\(behind)"
        }
        for filter in Filter.allCases {
            if let (before, behind) = kind.condition(filter) { only(before, SQLValue(filters[filter]), behind) }
        }
        only("\(kind.time) >=", SQLValue(from))
        // The earlier end alone: of two an index may be entered at the later one. And as one comparison, which finds its place there.
        if let after, to.map({ after.time < $0 }) ?? true {
            values += [.integer(after.time), .text(after.id)]
            sql += " AND (\(kind.time), id) < ($\(values.count - 1), $\(values.count))"
        } else {
            only("\(kind.time) <", SQLValue(to))
        }
        if isTimed { sql += " AND \(kind.time) IS NOT NULL" }
        values.append(.integer(limit))
        // PostgreSQL's indexes have what has no time first, and would be of no use.
        // Those of a driver are found by its tours: in the order of the index by time all of the city's would be looked at.
        let plus = kind == .stops && filters[.driver] != nil ? "+" : ""
        sql += " ORDER BY \(plus)\(kind.time) DESC\(isTimed ? "" : " NULLS LAST"), id DESC LIMIT $\(values.count)"
        return Statement(sql, values)
    }

    /// By which rows are found: those of a person are the fewest. Nil: by their id.
    private var index: String? {
        guard filters[.record] == nil else { return nil }
        let filter = [Filter.passenger, .driver, .line, .zone].first { filters[$0] != nil }
        return "\(kind.table)_by_\(filter.map(kind.indexed) ?? "time")"
    }
}

extension RecordQuestion.Kind {
    /// Names and order of the columns of a row. Times are hub ms, amounts hundredths of the currency.
    public var columns: [String] {
        switch self {
        case .rides:
            [
                "id", "passenger", "driver", "zone", "passengers", "aboard", "from_lat", "from_lon", "to_lat", "to_lon",
                "requested_at", "offered_at", "accepted_at", "near_at", "arrived_at", "aboard_at", "ended_at",
                "outcome", "ended_by", "reason", "offers", "rounds", "given_back",
            ] + Self.paid
        case .bookings:
            [
                "id", "passenger", "driver", "route", "passengers", "aboard", "requested_at", "asked_at",
                "confirmed_at", "near_at", "arrived_at", "aboard_at", "ended_at", "outcome", "ended_by", "reason",
            ] + Self.paid + ["route_stars", "zone"]
        case .stops:
            [
                "id", "passenger", "line", "tour", "passengers", "lat", "lon", "stop", "wanted_at", "requested_at",
                "accepted_at", "near_at", "arrived_at", "ended_at", "outcome", "reason", "reopened", "driver",
            ]
        case .reservations:
            [
                "id", "passenger", "driver", "zone", "passengers", "from_lat", "from_lon", "to_lat", "to_lon",
                "payment", "at", "made_at", "searching_at", "assigned_at", "ride", "ended_at", "outcome", "ended_by",
                "reason",
            ]
        case .tours: ["id", "driver", "line", "bus", "pattern", "trip", "started_at", "ended_at", "reason"]
        case .alarms:
            [
                "id", "role", "subject", "ride", "booking", "tour", "vehicle", "text", "lat", "lon", "raised_at",
                "cancelled_at", "acknowledged_at", "acknowledged_by", "acknowledged_note", "closed_at", "closed_by",
                "closed_note",
            ]
        case .reports:
            [
                "id", "category", "text", "role", "subject", "ride", "vehicle", "sent_at", "closed_at", "closed_by",
                "closed_note",
            ]
        }
    }

    private static let paid = [
        "receipt", "fare", "currency", "payment", "payment_state", "stars_of_driver", "stars_of_passenger",
        "payment_reference", "estimate", "fare_parts", "local_time", "to_zone", "distance_m", "plate", "driver_name",
        "company", "comment_on_driver", "comment_on_passenger",
    ]

    var table: String {
        switch self {
        case .rides: "trips"
        case .stops: "stop_requests"
        case .bookings, .reservations, .tours, .alarms, .reports: rawValue
        }
    }

    /// The column by which rows are ordered.
    public var time: String {
        switch self {
        case .rides, .bookings, .stops: "requested_at"
        case .reservations: "at"
        case .tours: "started_at"
        case .alarms: "raised_at"
        case .reports: "sent_at"
        }
    }

    /// What is read for ``columns``.
    fileprivate var sources: [String] {
        columns.map { column in
            switch (self, column) {
            case (.stops, "passenger"): "citizen"
            case (.stops, "driver"):
                "(SELECT driver FROM tours WHERE tours.city = stop_requests.city AND tours.id = tour)"
            default: column
            }
        }
    }

    /// What the index is called after by which rows of a filter are found.
    fileprivate func indexed(_ filter: RecordQuery.Filter) -> String {
        switch (self, filter) {
        case (.stops, .driver): "tour"
        case (.stops, .passenger): "citizen"
        case (.alarms, _): "subject"
        default: filter.rawValue
        }
    }

    /// What stands before the value in a condition; nil: rows of this kind can't be chosen by it.
    fileprivate func condition(_ filter: RecordQuery.Filter) -> (before: String, behind: String)? {
        switch (self, filter) {
        case (_, .record): ("id = ", "")
        case (.stops, .driver): ("tour IN (SELECT id FROM tours WHERE city = $1 AND driver = ", ")")
        case (.stops, .passenger): ("citizen = ", "")
        case (.rides, .driver), (.rides, .passenger), (.rides, .zone), (.bookings, .driver), (.bookings, .passenger),
            (.bookings, .zone), (.reservations, .driver), (.reservations, .passenger), (.reservations, .zone),
            (.stops, .line), (.tours, .driver), (.tours, .line):
            (filter.rawValue + " = ", "")
        // Of one who has sent it.
        case (.alarms, .passenger): ("role = 'passenger' AND subject = ", "")
        case (.alarms, .driver): ("role IN ('driver', 'bus_driver') AND subject = ", "")
        default: nil
        }
    }
}

extension RecordQuery {
    /// A row as a JSON object. Columns without a value are left out.
    public func write(_ row: [SQLValue], into json: inout JSONWriter) {
        json.beginObject()
        for (column, value) in zip(kind.columns, row) where value != .null {
            json.key(escaping: column)
            switch value {
            case .null: json.null()
            case .integer(let number): json.integer(number)
            case .real(let number): json.double(number)
            // JSON itself.
            case .text(let text) where column == "fare_parts": json.raw(Array(text.utf8))
            case .text(let text): json.string(text)
            }
        }
        json.endObject()
    }
}

extension RecordStore {
    /// The rows that are asked for, with the columns of their kind.
    public func rows(_ query: RecordQuery) throws(DatabaseFailure) -> [[SQLValue]] {
        try database.read(query.statement(city, in: database))
    }

    /// How many trips there are, and how many of them are over.
    public func tripCounts() throws(DatabaseFailure) -> (all: Int64, over: Int64) {
        let rows = try database.rows(
            Statement("SELECT COUNT(*), COUNT(outcome) FROM trips WHERE city = $1", [.text(city)]))
        return (rows.first?[0].integer ?? 0, rows.first?[1].integer ?? 0)
    }
}
