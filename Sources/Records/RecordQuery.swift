/// What is asked of the past of a city: rows of one kind, the latest first.
public struct RecordQuery: Sendable {
    public enum Kind: String, CaseIterable, Sendable {
        /// Taxis, with their trips.
        case rides
        /// Seats in minibuses.
        case bookings
        /// Stops of buses on request.
        case stops
        case reservations
        /// Of buses.
        case tours
    }

    /// By what rows can be chosen.
    public enum Filter: String, CaseIterable, Sendable {
        case driver
        case passenger
        case zone
        case line
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

    /// False: rows of that kind have no such thing.
    @discardableResult
    public mutating func only(_ filter: Filter, _ value: String) -> Bool {
        guard kind.column(of: filter) != nil else { return false }
        filters[filter] = value
        return true
    }

    /// Where a row of this query is; nil: it has no time.
    public func place(of row: [SQLValue]) -> Place? {
        let columns = kind.columns
        guard let at = columns.firstIndex(of: kind.time), let time = row[at].integer, let id = row[0].text else {
            return nil
        }
        return Place(time: time, id: id)
    }

    func statement(_ city: String) -> Statement {
        var sql = "SELECT \(kind.sources.joined(separator: ", ")) FROM \(kind.table) WHERE city = $1"
        var values: [SQLValue] = [.text(city)]
        func only(_ condition: String, _ value: SQLValue) {
            guard value != .null else { return }
            values.append(value)
            sql += " AND \(condition) $\(values.count)"
        }
        for filter in Filter.allCases {
            if let column = kind.column(of: filter) { only("\(column) =", SQLValue(filters[filter])) }
        }
        only("\(kind.time) >=", SQLValue(from))
        only("\(kind.time) <", SQLValue(to))
        if let after {
            values += [.integer(after.time), .text(after.id)]
            let (time, id) = ("$\(values.count - 1)", "$\(values.count)")
            // The first alone finds its place in the index.
            sql += " AND \(kind.time) <= \(time) AND (\(kind.time) < \(time) OR id < \(id))"
        }
        if isTimed { sql += " AND \(kind.time) IS NOT NULL" }
        values.append(.integer(limit))
        // PostgreSQL's indexes have what has no time first, and would be of no use.
        sql += " ORDER BY \(kind.time) DESC\(isTimed ? "" : " NULLS LAST"), id DESC LIMIT $\(values.count)"
        return Statement(sql, values)
    }
}

extension RecordQuery.Kind {
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
            ] + Self.paid + ["route_stars"]
        case .stops:
            [
                "id", "passenger", "line", "tour", "passengers", "lat", "lon", "stop", "wanted_at", "requested_at",
                "accepted_at", "near_at", "arrived_at", "ended_at", "outcome", "reason", "reopened",
            ]
        case .reservations:
            [
                "id", "passenger", "driver", "zone", "passengers", "from_lat", "from_lon", "to_lat", "to_lon",
                "payment", "at", "made_at", "searching_at", "assigned_at", "ride", "ended_at", "outcome", "ended_by",
                "reason",
            ]
        case .tours: ["id", "driver", "line", "bus", "pattern", "trip", "started_at", "ended_at", "reason"]
        }
    }

    private static let paid = [
        "receipt", "fare", "currency", "payment", "payment_state", "stars_of_driver", "stars_of_passenger",
    ]

    var table: String {
        switch self {
        case .rides: "trips"
        case .stops: "stop_requests"
        case .bookings, .reservations, .tours: rawValue
        }
    }

    /// The column by which rows are ordered.
    public var time: String {
        switch self {
        case .rides, .bookings, .stops: "requested_at"
        case .reservations: "at"
        case .tours: "started_at"
        }
    }

    /// What is read for ``columns``.
    fileprivate var sources: [String] { columns.map { $0 == "passenger" && self == .stops ? "citizen" : $0 } }

    /// Nil: rows of this kind can't be chosen by it.
    fileprivate func column(of filter: RecordQuery.Filter) -> String? {
        switch (self, filter) {
        case (.rides, .line), (.bookings, .line), (.bookings, .zone), (.reservations, .line), (.stops, .driver),
            (.stops, .zone), (.tours, .passenger), (.tours, .zone):
            nil
        case (.stops, .passenger): "citizen"
        default: filter.rawValue
        }
    }
}

extension RecordStore {
    /// The rows that are asked for, with the columns of their kind.
    public func rows(_ query: RecordQuery) throws(DatabaseFailure) -> [[SQLValue]] {
        try database.rows(query.statement(city))
    }

    /// How many trips there are, and how many of them are over.
    public func tripCounts() throws(DatabaseFailure) -> (all: Int64, over: Int64) {
        let rows = try database.rows(
            Statement("SELECT COUNT(*), COUNT(outcome) FROM trips WHERE city = $1", [.text(city)]))
        return (rows.first?[0].integer ?? 0, rows.first?[1].integer ?? 0)
    }
}
