/// Which trips are asked for, the latest first.
public struct TripQuery: Sendable {
    public var driver: String?
    public var passenger: String?
    /// Requested at or after, hub ms.
    public var from: Int64?
    /// Requested before, hub ms.
    public var to: Int64?
    public var limit: Int64 = 50

    public init() {}

    /// Names and order of the columns of a row.
    public static let columns = [
        "id", "passenger", "driver", "zone", "passengers", "aboard", "from_lat", "from_lon", "to_lat", "to_lon",
        "requested_at", "offered_at", "accepted_at", "near_at", "arrived_at", "aboard_at", "ended_at", "outcome",
        "ended_by", "reason", "offers", "rounds", "given_back", "receipt", "fare", "currency", "payment",
        "payment_state",
        "stars_of_driver", "stars_of_passenger",
    ]

    func statement(_ city: String) -> Statement {
        var sql = "SELECT \(Self.columns.joined(separator: ", ")) FROM trips WHERE city = $1"
        var values: [SQLValue] = [.text(city)]
        func only(_ condition: String, _ value: SQLValue) {
            guard value != .null else { return }
            values.append(value)
            sql += " AND \(condition) $\(values.count)"
        }
        only("driver =", SQLValue(driver))
        only("passenger =", SQLValue(passenger))
        only("requested_at >=", SQLValue(from))
        only("requested_at <", SQLValue(to))
        values.append(.integer(limit))
        // One whose beginning is not recorded has no time of its request.
        sql += " ORDER BY COALESCE(requested_at, ended_at, 0) DESC, id LIMIT $\(values.count)"
        return Statement(sql, values)
    }
}

extension RecordStore {
    /// The rows of trips, with the columns of ``TripQuery/columns``.
    public func trips(_ query: TripQuery) throws(DatabaseFailure) -> [[SQLValue]] {
        try database.rows(query.statement(city))
    }

    /// How many trips there are, and how many of them are over.
    public func tripCounts() throws(DatabaseFailure) -> (all: Int64, over: Int64) {
        let rows = try database.rows(
            Statement("SELECT COUNT(*), COUNT(outcome) FROM trips WHERE city = $1", [.text(city)]))
        return (rows.first?[0].integer ?? 0, rows.first?[1].integer ?? 0)
    }
}
