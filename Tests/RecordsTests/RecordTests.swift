import Testing
import Wire

@testable import Records

/// What events become: the same rows in both databases, however often they are taken.
@Suite struct RecordTests {
    private static func event(_ ms: Int64, _ type: String, _ json: String) throws -> RecordedEvent {
        try #require(
            RecordedEvent(id: EventID(ms: ms, number: 0), type: type, time: ms * 60, json: Array(json.utf8)))
    }

    /// A ride that is given back once, taken by another driver and driven to its end.
    private static func ride() throws -> [RecordedEvent] {
        [
            try event(
                1, "ride.requested",
                #"{"ride":"r1","passenger":"p1","zone":"18","passengers":2,"lat":45.5,"lon":9.25,"to_lat":45.25,"to_lon":9.5}"#
            ),
            try event(2, "offer.made", #"{"ride":"r1","driver":"T1","zone":"18","round":1,"attempt":1}"#),
            try event(3, "offer.declined", #"{"ride":"r1","driver":"T1"}"#),
            try event(4, "ride.searching", #"{"ride":"r1","round":2,"reason":"next_round"}"#),
            try event(5, "offer.made", #"{"ride":"r1","driver":"T2","zone":"18","round":2,"attempt":2}"#),
            try event(6, "ride.accepted", #"{"ride":"r1","driver":"T2","passenger":"p1"}"#),
            try event(7, "ride.near", #"{"ride":"r1","driver":"T2","distance_m":400}"#),
            try event(8, "ride.searching", #"{"ride":"r1","driver":"T2","round":2,"reason":"driver_cancelled"}"#),
            try event(9, "offer.made", #"{"ride":"r1","driver":"T3","zone":"18","round":2,"attempt":3}"#),
            try event(10, "ride.accepted", #"{"ride":"r1","driver":"T3","passenger":"p1"}"#),
            try event(11, "ride.near", #"{"ride":"r1","driver":"T3","distance_m":15}"#),
            try event(12, "ride.arrived", #"{"ride":"r1","driver":"T3","distance_m":15}"#),
            try event(13, "ride.aboard", #"{"ride":"r1","driver":"T3","passengers":1}"#),
            try event(
                14, "ride.ended",
                #"{"ride":"r1","driver":"T3","passenger":"p1","receipt":"2026-000001","amount":1290,"currency":"EUR","#
                    + #""payment":"digital","payment_state":"pending","estimate":1250,"local":"2026-02-16T16:20:00+01:00","#
                    + #""to_zone":"19","distance_m":3120,"parts":[{"name":"minimum","amount":1290}],"#
                    + #""plate":"MI 1","driver_name":"Ada","company":"Radio"}"#),
            try event(15, "trip.rated", #"{"ride":"r1","by":"passenger","stars":4,"text":"Kind."}"#),
            try event(16, "payment.changed", #"{"ride":"r1","payment_state":"paid","reference":"pay_1"}"#),
            try event(17, "trip.rated", #"{"ride":"r1","by":"driver","stars":5}"#),
        ]
    }

    private static let row: [SQLValue] = [
        .text("r1"), .text("p1"), .text("T3"), .text("18"), .integer(2), .integer(1), .real(45.5), .real(9.25),
        .real(45.25), .real(9.5), .integer(60), .integer(120), .integer(600), .integer(660), .integer(720),
        .integer(780), .integer(840), .text("ended"), .null, .null, .integer(3), .integer(1), .integer(1),
        .text("2026-000001"), .integer(1290), .text("EUR"), .text("digital"), .text("paid"), .integer(4), .integer(5),
        .text("pay_1"), .integer(1250), .text(#"[{"name":"minimum","amount":1290}]"#),
        .text("2026-02-16T16:20:00+01:00"), .text("19"), .real(3120), .text("MI 1"), .text("Ada"), .text("Radio"),
        .text("Kind."), .null,
    ]

    private func with(_ backend: Backend, _ body: (RecordStore) throws -> Void) throws {
        try backend.run { location in
            let store = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            defer { store.close() }
            try body(store)
        }
    }

    @Test(arguments: Backend.here) func aRideBecomesATrip(_ backend: Backend) throws {
        try with(backend) { store in
            let events = try Self.ride()
            #expect(try store.cursor() == nil)
            let end = RecordStore.Cursor(id: events.last!.id, place: 17)
            try store.record(events, from: nil, to: end, nowMs: 5)
            #expect(try store.cursor() == end)
            #expect(try store.rows(RecordQuery(.rides)) == [Self.row])
            #expect(try store.tripCounts() == (1, 1))
            // All of it once more, and each event by itself: nothing changes.
            try store.record(events, from: end, to: end, nowMs: 6)
            for event in events { try store.record([event], from: end, to: end, nowMs: 7) }
            #expect(try store.rows(RecordQuery(.rides)) == [Self.row])
        }
    }

    /// One transaction writes each row once; here in any order, and with values that are missing.
    @Test(arguments: Backend.here) func eventsTogetherAreWorthTheSameAsEachByItself(_ backend: Backend) throws {
        try backend.run { location in
            let together = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            let apart = try #require(try RecordStore.recorder(location, city: "b", nowMs: 1))
            defer {
                together.close()
                apart.close()
            }
            let kinds = try Self.ride().map { ($0.type, $0.data.description) }
            var cursor: (RecordStore.Cursor?, RecordStore.Cursor?)
            for piece in Int64(0)..<12 {
                let events = try (piece * 40..<(piece + 1) * 40).map { n in
                    let (type, json) = kinds.randomElement()!
                    let ride = json.replacing("r1", with: "r\(Int.random(in: 1...4))")
                    let dropped = ["", "passenger", "driver", "lat", "amount"].randomElement()!
                    return try Self.event(n + 1, type, ride.replacing(#""\#(dropped)":"#, with: #""other":"#))
                }
                let end = RecordStore.Cursor(id: events.last!.id, place: piece)
                try together.record(events, from: cursor.0, to: end, nowMs: 5)
                for event in events {
                    let next = RecordStore.Cursor(id: event.id, place: piece)
                    try apart.record([event], from: cursor.1, to: next, nowMs: 5)
                    cursor.1 = next
                }
                cursor.0 = end
                let rows = (try together.rowsOfTrips(), try apart.rowsOfTrips())
                #expect(rows.0 == rows.1 && rows.0.count <= 4)
            }
        }
    }

    @Test(arguments: Backend.here) func whatRedisHasLostAndHasAgainCountsOnce(_ backend: Backend) throws {
        try backend.run { location in
            let events = try Self.ride()
            let end = RecordStore.Cursor(id: events[9].id, place: 10)
            let first = try #require(try RecordStore.recorder(location, city: "a", nowMs: 1))
            try first.record(Array(events[..<10]), from: nil, to: end, nowMs: 5)
            // A backup of Redis that ends with the fifth, and then goes on as it had gone on.
            let gap = RecordStore.Gap(kind: .rewound, after: events[4].id, before: end.id, lost: nil)
            let again = RecordStore.Cursor(id: events[2].id, place: 3)
            try first.record(Array(events[..<3]), gap: gap, from: end, to: again, nowMs: 6)
            first.close()
            let second = try RecordStore.nextRecorder(location, city: "a", nowMs: 7)
            defer { second.close() }
            let all = RecordStore.Cursor(id: events.last!.id, place: 17)
            try second.record(Array(events[3...]), from: again, to: all, nowMs: 8)
            #expect(try second.rows(RecordQuery(.rides)) == [Self.row])
        }
    }

    @Test(arguments: Backend.here) func whoIsNotWhereTheCursorIsChangesNothing(_ backend: Backend) throws {
        try with(backend) { store in
            let events = try Self.ride()
            let end = RecordStore.Cursor(id: events[0].id, place: 1)
            try store.record([events[0]], from: nil, to: end, nowMs: 5)
            for from in [nil, RecordStore.Cursor(id: EventID(ms: 77, number: 0), place: 9)] {
                let failure = #expect(throws: DatabaseFailure.self) {
                    try store.record([events[13]], from: from, to: .init(id: events[13].id, place: 14), nowMs: 6)
                }
                #expect(failure?.kind == .overtaken)
            }
            #expect(try store.cursor() == end)
            #expect(try store.tripCounts() == (1, 0))
        }
    }

    @Test(arguments: Backend.here) func aLogThatBeginsInTheMiddleGivesWhatItHas(_ backend: Backend) throws {
        try with(backend) { store in
            let events = try Self.ride()
            let gap = RecordStore.Gap(kind: .before, after: .zero, before: events[12].id, lost: 12)
            try store.record(
                Array(events[12...]), gap: gap, from: nil, to: .init(id: events[13].id, place: 14), nowMs: 5)
            let row = try #require(try store.rows(RecordQuery(.rides)).first)
            #expect(row[0...2] == [.text("r1"), .text("p1"), .text("T3")])
            #expect(row[10] == .null && row[17] == .text("ended"))
            #expect(try store.gaps() == [gap])
        }
    }

    @Test(arguments: Backend.here) func tripsAreFoundByWhoAndWhen(_ backend: Backend) throws {
        try with(backend) { store in
            var place = Int64(0)
            var cursor: RecordStore.Cursor?
            for n in Int64(1)...6 {
                let json = #"{"ride":"r\#(n)","passenger":"p\#(n % 2)","zone":"1","passengers":1,"lat":1.5,"lon":2.5}"#
                let accepted = #"{"ride":"r\#(n)","driver":"T\#(n % 3)","passenger":"p\#(n % 2)"}"#
                let events = [
                    try Self.event(n * 10, "ride.requested", json),
                    try Self.event(n * 10 + 1, "ride.accepted", accepted),
                ]
                place += 2
                let next = RecordStore.Cursor(id: events[1].id, place: place)
                try store.record(events, from: cursor, to: next, nowMs: n)
                cursor = next
            }
            func ids(_ set: (inout RecordQuery) -> Void) throws -> [String] {
                var query = RecordQuery(.rides)
                set(&query)
                return try store.rows(query).compactMap(\.[0].text)
            }
            #expect(try ids { _ in } == ["r6", "r5", "r4", "r3", "r2", "r1"])
            #expect(try ids { _ = $0.choose(driver: "T0") } == ["r6", "r3"])
            #expect(
                try ids {
                    _ = $0.choose(passenger: "p1")
                    $0.limit = 2
                } == ["r5", "r3"])
            #expect(
                try ids {
                    $0.from = 1_200
                    $0.to = 2_400
                } == ["r3", "r2"])
            #expect(try ids { _ = $0.choose(driver: "x' OR '1'='1") } == [])
            try store.forgetPeople(before: 1_800)
            #expect(try ids { _ = $0.choose(passenger: "p1") } == ["r5", "r3"])
            let old = try #require(try store.rows(RecordQuery(.rides)).last)
            #expect(old[1] == .null && old[6] == .null && old[2] == .text("T1"))
        }
    }

    @Test(
        "an event that names no row, or has what a database does not take, keeps nothing from being recorded",
        arguments: Backend.here)
    func oddEvents(_ backend: Backend) throws {
        try with(backend) { store in
            let odd = [
                ("audit", "{}"), ("sos.raised", #"{"sos":5}"#), ("driver.registered", #"{"driver":null}"#),
                ("vehicle.registered", "{}"), ("notify.sent", #"{"notice":[]}"#), ("report.sent", "{}"),
                ("ride.requested", "{}"), ("tour.started", "{}"), ("stop.passed", "{}"),
                ("ride.requested", #"{"ride":"r","zone":"1\u00004"}"#),
            ]
            let events = try odd.enumerated().map { try Self.event(Int64($0 + 1), $1.0, $1.1) }
            let end = RecordStore.Cursor(id: EventID(ms: 20, number: 0), place: 20)
            try store.record(events, from: nil, to: end, nowMs: 1)
            #expect(try store.cursor() == end)
            #expect(try store.rows(RecordQuery(.rides)).map { $0[0] } == [.text("r")])
        }
    }

    @Test("people are forgotten whose request was not recorded", arguments: Backend.here)
    func forgotten(_ backend: Backend) throws {
        try with(backend) { store in
            let events = [
                try Self.event(1, "ride.accepted", #"{"ride":"r1","driver":"T1","passenger":"p1"}"#),
                try Self.event(2, "ride.ended", #"{"ride":"r2","driver":"T1","passenger":"p2"}"#),
                try Self.event(9, "ride.accepted", #"{"ride":"r3","driver":"T1","passenger":"p3"}"#),
            ]
            let end = RecordStore.Cursor(id: events[2].id, place: 3)
            try store.record(events, from: nil, to: end, nowMs: 1)
            try store.forgetPeople(before: 300)
            let left = try store.rows(RecordQuery(.rides)).map { $0[1] }.filter { $0 != .null }
            #expect(left == [.text("p3")])
        }
    }

    /// Each kind of row, from the events that make it.
    private static let cases: [(table: String, columns: String, events: [(String, String)], row: [SQLValue])] = [
        (
            "trips", "outcome, ended_by, reason, driver",
            [
                ("ride.requested", #"{"ride":"r","passenger":"p","zone":"1","passengers":1,"lat":1,"lon":2}"#),
                ("ride.cancelled", #"{"ride":"r","passenger":"p","by":"operator","text":"flood"}"#),
            ], [.text("cancelled"), .text("operator"), .text("flood"), .null]
        ),
        (
            "trips", "outcome, reason, ended_at",
            [("ride.failed", #"{"ride":"r","passenger":"p","code":"no_drivers"}"#)],
            [.text("failed"), .text("no_drivers"), .integer(60)]
        ),
        (
            "bookings", "passenger, driver, passengers, confirmed_at, arrived_at, aboard, outcome",
            [
                ("seat.requested", #"{"booking":"b","driver":"M1","passenger":"p","passengers":3}"#),
                ("seat.asked", #"{"booking":"b","driver":"M1"}"#),
                ("seat.confirmed", #"{"booking":"b","driver":"M1","passenger":"p","passengers":3}"#),
                ("seat.arrived", #"{"booking":"b","driver":"M1","distance_m":3}"#),
                ("seat.aboard", #"{"booking":"b","driver":"M1","passenger":"p","passengers":2}"#),
                ("seat.ended", #"{"booking":"b","driver":"M1","passenger":"p"}"#),
            ], [.text("p"), .text("M1"), .integer(3), .integer(180), .integer(240), .integer(2), .text("ended")]
        ),
        (
            "bookings",
            "route, receipt, fare, currency, payment, payment_state, stars_of_driver, stars_of_passenger, route_stars",
            [
                (
                    "seat.ended",
                    #"""
                    {"booking":"b","driver":"M1","passenger":"p","route":"R1","receipt":"2026-000002","amount":1200,
                    "currency":"EUR","payment":"digital","payment_state":"pending"}
                    """#
                ), ("payment.changed", #"{"booking":"b","payment_state":"paid"}"#),
                ("trip.rated", #"{"booking":"b","by":"passenger","stars":4,"route":"R1","route_stars":3}"#),
                ("trip.rated", #"{"booking":"b","by":"driver","stars":5}"#),
            ],
            [
                .text("R1"), .text("2026-000002"), .integer(1200), .text("EUR"), .text("digital"), .text("paid"),
                .integer(4), .integer(5), .integer(3),
            ]
        ),
        (
            "stop_requests", "citizen, tour, accepted_at, outcome, reopened",
            [
                (
                    "stop.requested",
                    #"{"request":"s","line":"L","tour":"t1","citizen":"p","at":99,"passengers":1,"lat":1.5,"lon":2.5}"#
                ),
                ("stop.accepted", #"{"request":"s","line":"L","tour":"t1","citizen":"p"}"#),
                ("stop.reopened", #"{"request":"s","line":"L","citizen":"p","reason":"tour_ended"}"#),
                ("stop.accepted", #"{"request":"s","line":"L","tour":"t2","citizen":"p"}"#),
                ("stop.completed", #"{"request":"s","line":"L","tour":"t2","citizen":"p"}"#),
            ], [.text("p"), .text("t2"), .integer(240), .text("completed"), .integer(1)]
        ),
        (
            "tours", "bus, driver, trip, started_at, ended_at, reason",
            [
                ("tour.started", #"{"tour":"t","bus":"B","line":"L","driver":"d","pattern":"x"}"#),
                ("tour.ended", #"{"tour":"t","bus":"B","line":"L","driver":"d","reason":"driver"}"#),
            ], [.text("B"), .text("d"), .null, .integer(60), .integer(120), .text("driver")]
        ),
        (
            "passages", "tour, place, stop, delay_s",
            [("stop.passed", #"{"tour":"t","bus":"B","line":"L","pattern":"x","index":4,"stop":"S","delay_s":12.5}"#)],
            [.text("t"), .integer(4), .text("S"), .real(12.5)]
        ),
        (
            "audit", "operator, command, target, facts_after",
            [
                (
                    "audit",
                    #"{"id":"7-0","operator":"o","command":"office.block","target":"driver:T1","after":{"until":5}}"#
                )
            ],
            [.text("o"), .text("office.block"), .text("driver:T1"), .text(#"{"until":5}"#)]
        ),
        (
            "alarms", "role, subject, acknowledged_by, closed_at",
            [
                ("sos.raised", #"{"sos":"a","role":"driver","subject":"T1","ride":"r"}"#),
                ("sos.acknowledged", #"{"sos":"a","operator":"o1"}"#), ("sos.closed", #"{"sos":"a","operator":"o2"}"#),
            ], [.text("driver"), .text("T1"), .text("o1"), .integer(180)]
        ),
        ("alarms", "closed_at", ["sos.raised", "sos.closed", "sos.raised"].map { ($0, #"{"sos":"a"}"#) }, [.null]),
        (
            "reports", "category, closed_by",
            [
                ("report.sent", #"{"report":"p_1","category":"other"}"#),
                ("report.closed", #"{"report":"p_1","operator":"o"}"#),
            ],
            [.text("other"), .text("o")]
        ),
        (
            "notices", "operator, audience, body, people",
            [("notify.sent", #"{"notice":"n","operator":"o","to":"drivers","text":"fog","people":7}"#)],
            [.text("o"), .text("drivers"), .text("fog"), .integer(7)]
        ),
        (
            "drivers", "name, licence, licence_until, vehicle, capabilities, registered_at, changed_at, changed_by",
            [
                ("driver.registered", #"{"driver":"T1","name":"Ada","vehicle":"V1","by":"o1","at":9}"#),
                (
                    "driver.registered",
                    #"{"driver":"T1","name":"Ada R","licence":"7","licence_until":"2027-11-20","capabilities":["wheelchair"],"by":"o2"}"#
                ),
            ],
            [
                .text("Ada R"), .text("7"), .text("2027-11-20"), .null, .text(#"["wheelchair"]"#), .integer(60),
                .integer(120), .text("o2"),
            ]
        ),
        (
            "drivers", "id, name, phone, company, removed_at",
            [
                ("driver.registered", #"{"driver":"T1","name":"Ada","phone":"+39 1","company":"Rossi","by":"o"}"#),
                ("driver.removed", #"{"driver":"T1"}"#),
            ], [.text("T1"), .null, .null, .text("Rossi"), .integer(120)]
        ),
        (
            "vehicles", "id, plate, model, changed_by, removed_at",
            [
                ("vehicle.registered", #"{"vehicle":"V1","plate":"AB 1","model":"Octavia","by":"o","code":"x"}"#),
                ("vehicle.removed", #"{"vehicle":"V1"}"#),
                ("vehicle.registered", #"{"vehicle":"V1","plate":"AB 2","by":"o","code":"y"}"#),
            ], [.text("V1"), .text("AB 2"), .null, .text("o"), .null]
        ),
    ]

    @Test(arguments: Backend.here) func eachKindOfEventHasItsRow(_ backend: Backend) throws {
        for (index, one) in Self.cases.enumerated() {
            try with(backend) { store in
                let events = try one.events.enumerated().map { try Self.event(Int64($0 + 1), $1.0, $1.1) }
                let end = RecordStore.Cursor(id: events.last!.id, place: 1)
                try store.record(events, from: nil, to: end, nowMs: 1)
                let rows = try store.database.rows(Statement("SELECT \(one.columns) FROM \(one.table)"))
                #expect(rows == [one.row], "case \(index): \(one.table)")
            }
        }
    }

    @Test func whatQueuesAndVehiclesDoMakesNoRow() throws {
        for type in [
            "queue.joined", "driver.away", "seats.changed", "catalog.changed", "schedule.changed", "ride.driver_lost",
        ] {
            #expect(try Self.event(1, type, #"{"driver":"T1","ride":"r"}"#).changes.isEmpty)
        }
        #expect(try Self.event(1, "ride.ended", "{}").changes.isEmpty)
        #expect(RecordedEvent(id: .zero, type: "ride.ended", time: 1, json: Array("[]".utf8)) == nil)
    }

    @Test func placesInTheLogAreOrdered() throws {
        #expect(EventID("1795369647704-12") == EventID(ms: 1_795_369_647_704, number: 12))
        #expect(EventID("12") == nil && EventID("a-1") == nil)
        let rising = [EventID(ms: 1, number: 5), EventID(ms: 1, number: 6), EventID(ms: 2, number: 0)]
        #expect(rising == rising.sorted() && rising.map(\.rank) == rising.map(\.rank).sorted())
    }
}

extension RecordStore {
    fileprivate func rowsOfTrips() throws -> [[SQLValue]] {
        try rows(RecordQuery(.rides)).sorted { ($0[0].text ?? "") < ($1[0].text ?? "") }
    }
}
