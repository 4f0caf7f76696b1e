import Testing
import Wire

@testable import Records

/// What is asked of the past, with the same answers of both databases.
@Suite struct HistoryTests {
    private static func event(_ ms: Int64, _ type: String, _ json: String) throws -> RecordedEvent {
        try #require(RecordedEvent(id: EventID(ms: ms, number: 0), type: type, time: ms, json: Array(json.utf8)))
    }

    private func with(
        _ backend: Backend, _ events: [(Int64, String, String)], _ body: (RecordStore) throws -> Void
    ) throws {
        try backend.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            defer { store.close() }
            let all = try events.map { try Self.event($0.0, $0.1, $0.2) }
            try store.record(
                all, from: nil, to: RecordStore.Cursor(id: all.last!.id, place: Int64(all.count)), nowMs: 1)
            try body(store)
        }
    }

    private static let hour: Int64 = 3_600_000

    /// Three rides in two hours of zone 14, of the same ms the first two.
    private static let rides: [(Int64, String, String)] = [
        (hour + 5, "ride.requested", #"{"ride":"r1","passenger":"p1","zone":"14","passengers":1,"lat":1,"lon":2}"#),
        (hour + 10, "ride.accepted", #"{"ride":"r1","driver":"T1","passenger":"p1"}"#),
        (hour + 40, "ride.arrived", #"{"ride":"r1","driver":"T1","distance_m":3}"#),
        (hour + 60, "ride.ended", #"{"ride":"r1","driver":"T1","passenger":"p1"}"#),
        (2 * hour - 1, "ride.requested", #"{"ride":"r2","passenger":"p2","zone":"14","passengers":1,"lat":1,"lon":2}"#),
        (2 * hour, "ride.failed", #"{"ride":"r2","passenger":"p2","code":"no_driver"}"#),
        (2 * hour + 1, "ride.requested", #"{"ride":"r3","passenger":"p1","zone":"14","passengers":1,"lat":1,"lon":2}"#),
        (2 * hour + 2, "ride.cancelled", #"{"ride":"r3","passenger":"p1","by":"passenger"}"#),
        // It goes on, and counts when it is over.
        (2 * hour + 3, "ride.requested", #"{"ride":"r4","passenger":"p3","zone":"14","passengers":1,"lat":1,"lon":2}"#),
    ]

    @Test("the figures of an hour are what its rows say", arguments: Backend.here)
    func figures(_ backend: Backend) throws {
        try with(backend, Self.rides) { store in
            let rows = try store.database.rows(
                Statement(
                    """
                    SELECT zone, hour, requests, accepted, ended, noshows, cancelled, failed, accept_ms, arrived, arrive_ms \
                    FROM taxi_figures WHERE city = 'a' ORDER BY hour
                    """))
            let numbers: [[Int64]] = [
                [Self.hour, 2, 1, 1, 0, 0, 1, 5, 1, 30], [2 * Self.hour, 1, 0, 0, 0, 1, 0, 0, 0, 0],
            ]
            let expected = numbers.map { [SQLValue.text("14")] + $0.map { .integer($0) } }
            #expect(rows == expected)
        }
    }

    @Test("figures of seats, stops and lines, too", arguments: Backend.here)
    func otherFigures(_ backend: Backend) throws {
        let events: [(Int64, String, String)] = [
            (1, "seat.requested", #"{"booking":"b1","driver":"M1","passenger":"p","passengers":3}"#),
            (2, "seat.confirmed", #"{"booking":"b1","driver":"M1","passenger":"p","passengers":3}"#),
            (9, "seat.arrived", #"{"booking":"b1","driver":"M1","distance_m":3}"#),
            (12, "seat.ended", #"{"booking":"b1","driver":"M1","passenger":"p","route":"R"}"#),
            (
                13, "stop.requested",
                #"{"request":"s1","line":"L","tour":"t","citizen":"c","at":99,"passengers":1,"lat":1,"lon":2}"#
            ),
            (14, "stop.accepted", #"{"request":"s1","line":"L","tour":"t","citizen":"c"}"#),
            (15, "stop.completed", #"{"request":"s1","line":"L","tour":"t","citizen":"c"}"#),
            (
                16, "stop.passed",
                #"{"tour":"t","bus":"B","line":"L","pattern":"x","index":4,"stop":"S","delay_s":12.5}"#
            ),
            (17, "stop.passed", #"{"tour":"u","bus":"B","line":"L","pattern":"x","index":4,"stop":"S"}"#),
        ]
        try with(backend, events) { store in
            func rows(_ sql: String) throws -> [[SQLValue]] { try store.database.rows(Statement(sql)) }
            func row(_ names: [String], _ numbers: [Int64]) -> [[SQLValue]] {
                [names.map { .text($0) } + numbers.map { .integer($0) }]
            }
            let seats =
                "SELECT route, hour, bookings, passengers, confirmed, ended, declined, arrived, arrive_ms FROM seat_figures"
            #expect(try rows(seats) == row(["R"], [0, 1, 3, 1, 1, 0, 1, 7]))
            let stops = "SELECT line, hour, requests, accepted, arrived, completed, cancelled FROM stop_figures"
            #expect(try rows(stops) == row(["L"], [0, 1, 1, 0, 1, 0]))
            let lines = "SELECT line, stop, hour, passages, timed, delay_s FROM line_figures"
            let last = try rows(lines)
            #expect(last == [[.text("L"), .text("S"), .integer(0), .integer(2), .integer(1), .real(12.5)]])
        }
    }

    @Test("a reservation is one row, by when the taxi is to be there", arguments: Backend.here)
    func reservations(_ backend: Backend) throws {
        let events: [(Int64, String, String)] = [
            (
                10, "reservation.made",
                #"{"reservation":"v1","passenger":"p1","zone":"14","at":900,"passengers":2,"lat":1.5,"lon":2.5,"to_lat":3.5,"to_lon":4.5}"#
            ),
            (20, "reservation.searching", #"{"reservation":"v1","ride":"r_1","zone":"14","passenger":"p1"}"#),
            (
                30, "reservation.assigned",
                #"{"reservation":"v1","ride":"r_1","zone":"14","driver":"T1","passenger":"p1"}"#
            ),
            (
                40, "reservation.assigned",
                #"{"reservation":"v1","ride":"r_1","zone":"14","driver":"T2","passenger":"p1"}"#
            ),
            (50, "reservation.failed", #"{"reservation":"v2","zone":"14","passenger":"p2","code":"timeout"}"#),
            (
                60, "reservation.cancelled",
                #"{"reservation":"v1","ride":"r_1","zone":"14","passenger":"p1","by":"operator"}"#
            ),
        ]
        try with(backend, events) { store in
            var query = RecordQuery(.reservations)
            let row: [SQLValue] = [
                .text("v1"), .text("p1"), .text("T2"), .text("14"), .integer(2), .real(1.5), .real(2.5), .real(3.5),
                .real(4.5), .null, .integer(900), .integer(10), .integer(20), .integer(40), .text("r_1"), .integer(60),
                .text("cancelled"), .text("operator"), .null,
            ]
            let rows = try store.rows(query)
            #expect(rows.count == 2 && rows[0] == row)
            #expect(rows[1][0] == .text("v2") && rows[1][16...] == [.text("failed"), .null, .text("timeout")])
            // The second has no time, as it was made before the log begins.
            query.isTimed = true
            #expect(try store.rows(query) == [row])
            try store.forgetPeople(before: 901)
            let left = try store.rows(query)
            #expect(left[0][1] == .null && left[0][5] == .null && left[0][2] == .text("T2"))
        }
    }

    @Test("pages leave nothing out and tell nothing twice, whatever has the same time", arguments: Backend.here, 1...4)
    func pages(_ backend: Backend, _ limit: Int) throws {
        let requests = (0..<9).map { number -> (Int64, String, String) in
            (Int64(number / 3), "ride.requested", #"{"ride":"r\#(number)","passenger":"p","zone":"14","passengers":1}"#)
        }
        try backend.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            defer { store.close() }
            let events = try requests.enumerated().map { index, one in
                try #require(
                    RecordedEvent(
                        id: EventID(ms: 1, number: Int64(index)), type: one.1, time: one.0, json: Array(one.2.utf8)))
            }
            try store.record(events, from: nil, to: RecordStore.Cursor(id: events.last!.id, place: 9), nowMs: 1)
            var query = RecordQuery(.rides)
            query.isTimed = true
            query.limit = Int64(limit)
            var seen: [String] = []
            repeat {
                let rows = try store.rows(query)
                seen += rows.compactMap(\.[0].text)
                query.after = rows.count == limit ? query.place(of: rows[limit - 1]) : nil
                // As it goes through a client.
                if let after = query.after { #expect(RecordQuery.Place("\(after)") == after) }
            } while query.after != nil
            let all = (0..<9).reversed().map { "r\($0)" }
            #expect(seen == all)
        }
    }

    @Test("each kind is found by what its rows have, and by nothing else", arguments: Backend.here)
    func filters(_ backend: Backend) throws {
        try with(backend, Self.rides) { store in
            for kind in RecordQuery.Kind.allCases {
                for filter in RecordQuery.Filter.allCases {
                    var query = RecordQuery(kind)
                    query.isTimed = true
                    query.from = 1
                    query.to = 10 * Self.hour
                    query.after = RecordQuery.Place(time: 9 * Self.hour, id: "x")
                    let missing = query.choose(
                        driver: filter == .driver ? "T1" : nil, passenger: filter == .passenger ? "T1" : nil,
                        zone: filter == .zone ? "T1" : nil, line: filter == .line ? "T1" : nil,
                        record: filter == .record ? "r1" : nil)
                    if missing == nil {
                        let isHers = kind == .rides && (filter == .driver || filter == .record)
                        let found = try store.rows(query).compactMap(\.[0].text)
                        #expect(found == (isHers ? ["r1"] : []))
                    } else {
                        #expect(missing == filter && query.filters.isEmpty)
                    }
                }
            }
        }
    }

    @Test("a caller's number goes earlier than who has an app", arguments: Backend.here)
    func callers(_ backend: Backend) throws {
        let events: [(Int64, String, String)] = [
            (1, "ride.requested", #"{"ride":"r1","passenger":"tel:0039","zone":"14","passengers":1}"#),
            (2, "ride.requested", #"{"ride":"r2","passenger":"telma","zone":"14","passengers":1}"#),
            (9, "ride.requested", #"{"ride":"r3","passenger":"tel:0040","zone":"14","passengers":1}"#),
            (3, "seat.requested", #"{"booking":"b1","driver":"M1","passenger":"tel:0039","passengers":1}"#),
            (4, "stop.requested", #"{"request":"s1","line":"L","citizen":"tel:0039","at":9,"passengers":1}"#),
            (5, "reservation.made", #"{"reservation":"v1","passenger":"tel:0039","zone":"14","at":6,"passengers":1}"#),
        ]
        try with(backend, events.sorted { $0.0 < $1.0 }) { store in
            try store.forgetCallers(before: 9)
            let rides = try store.rows(RecordQuery(.rides)).map { $0[1] }
            #expect(rides == [.text("tel:0040"), .text("telma"), .null])
            for kind in [RecordQuery.Kind.bookings, .stops, .reservations] {
                let row = try #require(try store.rows(RecordQuery(kind)).first)
                #expect(row[1] == .null, "\(kind)")
            }
        }
    }

    @Test("who reads is not kept waiting by a statement that takes long", arguments: Backend.here)
    func hurried(_ backend: Backend) throws {
        try backend.run { location in
            try #require(try RecordStore.recorder(location, city: "a", nowMs: 1)).close()
            let store = try RecordStore.reader(location, city: "a", withinSeconds: 1)
            defer { store.close() }
            let slow = Statement(
                """
                WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 2000000000) \
                SELECT COUNT(*) FROM numbers
                """)
            let failure = #expect(throws: DatabaseFailure.self) { _ = try store.database.read(slow) }
            let said = failure?.description ?? ""
            #expect(said.contains("statement timeout") || said.contains("interrupted"), "\(said)")
            #expect(!store.isLost)
            // What a server did in vain counts; with SQLite it is this thread that worked.
            #expect(backend == .sqlite ? store.serverNs == 0 : store.serverNs > 900_000_000)
            let trips = try store.tripCounts()
            #expect(trips.all == 0, "and it reads on")
        }
    }

    @Test("a server says for how long it has worked for a reading, whatever came of it")
    func served() throws {
        guard Backend.here.contains(.postgres) else { return }
        try Backend.postgres.run { location in
            let database = try location.open(makes: false, withinSeconds: 5)
            defer { database.close() }
            func worked(_ sql: String, _ values: [SQLValue] = []) -> (rows: [[SQLValue]]?, ns: UInt64) {
                let before = database.serverNs
                let rows = try? database.read(Statement(sql, values))
                return (rows, database.serverNs - before)
            }
            let none = worked("SELECT 1 WHERE false")
            #expect(none.rows == [] && none.ns > 0)
            let slow = worked("SELECT 7 FROM pg_sleep(CAST($1 AS DOUBLE PRECISION))", [.real(0.05)])
            #expect(slow.rows == [[.integer(7)]] && slow.ns >= 50_000_000)
            let wrong = worked("SELECT nothing")
            #expect(wrong.rows == nil && wrong.ns > 0 && !database.isLost)
            let many = worked("SELECT number FROM generate_series(1, 101) AS numbers (number)")
            let numbers: [[SQLValue]] = (1...101).map { [.integer($0)] }
            #expect(many.rows == numbers)
            let next = try database.rows(Statement("SELECT 8"))
            #expect(next == [[.integer(8)]], "what follows gets its own answer")
            let lost = worked("SELECT pg_terminate_backend(pg_backend_pid())")
            #expect(lost.rows == nil && lost.ns == 0 && database.isLost)
        }
    }

    @Test func whatIsNoPlaceIsNone() {
        for text in ["", "1", "1:", ":r", "x:r", "1.5:r", "99999999999999999999:r"] {
            #expect(RecordQuery.Place(text) == nil)
        }
        #expect(RecordQuery.Place("12:r:1") == RecordQuery.Place(time: 12, id: "r:1"))
    }
}
