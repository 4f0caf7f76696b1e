import Glibc
import Testing
import Wire

@testable import Records

/// How the past is found, and what that leaves behind.
@Suite struct ReadingTests {
    private static func query(_ kind: RecordQuery.Kind, _ filters: [RecordQuery.Filter]) -> RecordQuery? {
        func value(_ filter: RecordQuery.Filter) -> String? { filters.contains(filter) ? "x" : nil }
        var query = RecordQuery(kind)
        query.isTimed = true
        let missing = query.choose(
            driver: value(.driver), passenger: value(.passenger), zone: value(.zone), line: value(.line),
            record: value(.record))
        return missing == nil ? query : nil
    }

    private static let combinations = (0..<1 << RecordQuery.Filter.allCases.count).map { bits in
        RecordQuery.Filter.allCases.enumerated().filter { bits & 1 << $0.offset != 0 }.map { $0.element }
    }

    /// The best of what rows can be found by; the columns of indexes are called otherwise than filters.
    private static func index(_ kind: RecordQuery.Kind, _ filters: [RecordQuery.Filter]) -> String {
        if filters.contains(.record) { return "sqlite_autoindex_\(kind.table)_1" }
        let best = [RecordQuery.Filter.passenger, .driver, .zone, .line].first { filters.contains($0) }
        let names = [
            "stops driver": "tour", "stops passenger": "citizen", "alarms driver": "subject",
            "alarms passenger": "subject",
        ]
        return "\(kind.table)_by_" + (best.map { names["\(kind) \($0)"] ?? $0.rawValue } ?? "time")
    }

    @Test("SQLite finds rows by who has the fewest, whatever else they are chosen by")
    func plans() throws {
        let times: [(from: Int64?, to: Int64?, after: Int64?)] = [
            (nil, nil, nil), (1, nil, nil), (nil, 9, nil), (1, 9, nil), (nil, nil, 5), (1, 9, 5), (1, 5, 9),
        ]
        try Backend.sqlite.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            defer { store.close() }
            for kind in RecordQuery.Kind.allCases {
                for filters in Self.combinations {
                    guard var query = Self.query(kind, filters) else { continue }
                    for time in times {
                        (query.from, query.to) = (time.from, time.to)
                        query.after = time.after.map { RecordQuery.Place(time: $0, id: "x") }
                        let plan = try Self.plan(query, in: store)
                        let index = " INDEX \(Self.index(kind, filters)) "
                        #expect(plan.first?.contains(index) == true, "\(kind) \(filters): \(plan)")
                        let isSlow = plan.contains { $0.hasPrefix("SCAN") || $0.contains("MULTI-INDEX") }
                        #expect(!isSlow, "\(kind) \(filters): \(plan)")
                    }
                }
            }
        }
    }

    private static func plan(_ query: RecordQuery, in store: RecordStore) throws -> [String] {
        let statement = query.statement("a", in: store.database)
        let rows = try store.database.rows(Statement("EXPLAIN QUERY PLAN " + statement.sql, statement.values))
        return rows.compactMap { $0[3].text }
    }

    @Test("a page ends at the earlier of two ends, whatever it is chosen by", arguments: Backend.here)
    func ends(_ backend: Backend) throws {
        try backend.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            defer { store.close() }
            let events = try (0..<9).map { number in
                try #require(
                    RecordedEvent(
                        id: EventID(ms: 1, number: Int64(number)), type: "ride.requested", time: Int64(number / 3),
                        json: Array(
                            #"{"ride":"r\#(number)","passenger":"x","zone":"x","driver":"x","passengers":1}"#.utf8)))
            }
            try store.record(events, from: nil, to: RecordStore.Cursor(id: events.last!.id, place: 9), nowMs: 1)
            for filters in [[], [.passenger], [.zone], [.passenger, .zone]] as [[RecordQuery.Filter]] {
                var query = try #require(Self.query(.rides, filters))
                for to in Int64(0)...3 {
                    for time in Int64(0)...3 {
                        (query.to, query.after) = (to, RecordQuery.Place(time: time, id: "r4"))
                        let rows = try store.rows(query).compactMap { $0[0].text }
                        let all = (0..<9).reversed().filter { number in
                            number / 3 < to && (Int64(number / 3), "r\(number)") < (time, "r4")
                        }
                        #expect(rows == all.map { "r\($0)" }, "\(filters) \(to) \(time)")
                    }
                }
            }
        }
    }

    @Test("what was written while somebody read gives its room back")
    func shortened() throws {
        try Backend.sqlite.run { location in
            guard case .sqlite(let path) = location else { return }
            let database = try SQLiteDatabase(path: path, makes: true)
            defer { database.close() }
            func bytes() -> Int {
                var info = stat()
                return stat(path + "-wal", &info) == 0 ? Int(info.st_size) : -1
            }
            let limit = try database.rows(Statement("PRAGMA journal_size_limit"))
            #expect(limit == [[.integer(Int64(SQLiteDatabase.mostLogBytes))]])
            try database.script("PRAGMA busy_timeout = 10; CREATE TABLE t (s TEXT)")
            let reader = try SQLiteDatabase(path: path, makes: false)
            defer { reader.close() }
            try reader.script("BEGIN")
            _ = try reader.rows(Statement("SELECT COUNT(*) FROM t"))
            let text = SQLValue.text(String(repeating: "x", count: 100_000))
            for _ in 0..<20 { try database.run([Statement("INSERT INTO t VALUES ($1)", [text])]) }
            let most = 1_000_000
            #expect(bytes() > most)
            // Nobody is kept from reading.
            try database.shorten(beyond: most)
            #expect(bytes() > most)
            try reader.script("COMMIT")
            try database.shorten()
            #expect(bytes() > most, "it is not much")
            try database.shorten(beyond: most)
            #expect(bytes() == 0)
            #expect(try reader.rows(Statement("SELECT COUNT(*) FROM t")) == [[.integer(20)]])
        }
    }
}
