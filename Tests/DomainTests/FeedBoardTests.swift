import Testing
import Wire

@testable import Domain

struct FeedBoardTests {
    private let board = FeedBoard()
    private let start: Int64 = 1_795_210_199_000
    private let corner = GeoPoint(lat: 45.4608, lon: 9.18)
    private let cell = CellGrid.cell(of: GeoPoint(lat: 45.461, lon: 9.182))

    private func record(
        _ id: String, lat: Double = 45.461, lon: Double = 9.182, at: Int64? = nil, state: VehicleState = .available,
        seats: Int? = nil
    ) -> FeedRecord {
        FeedRecord(
            id: id, lat: lat, lon: lon, heading: 271, at: at ?? start, heard: at ?? start, state: state, seats: seats)
    }

    private func near(_ scopes: [FeedScope], _ visibility: FeedView.Visibility = .all, _ encoding: FeedEncoding = .json)
        -> FeedSubscription
    {
        FeedSubscription(channel: "near", scopes: scopes, view: FeedView(visibility: visibility), encoding: encoding)
    }

    private func payload(_ subscription: FeedSubscription) -> [UInt8]? {
        switch board.update(subscription) {
        case .shared(let message): message.payload
        case .own: board.scratch
        case nil: nil
        }
    }

    private func text(_ subscription: FeedSubscription) -> String? {
        payload(subscription).map { String(decoding: $0, as: UTF8.self) }
    }

    private func json(_ subscription: FeedSubscription) throws -> JSONValue {
        let bytes = try #require(payload(subscription))
        return try JSONValue(parsing: bytes)
    }

    @Test("a snapshot, a movement, a change, and nothing")
    func messages() {
        let subscription = near([board.retain(.cell(cell))])
        board.advance(now: start)
        #expect(text(subscription) == #"{"ch":"near","type":"snapshot","time":1795210199000,"data":[]}"#)
        board.apply(record("T345", seats: 3), cell: cell, zone: nil)
        board.advance(now: start + 1000)
        #expect(
            text(subscription)
                == #"{"ch":"near","type":"positions","time":1795210200000,"data":[["T345",45.461,9.182,271,"available",3,1795210199000]]}"#
        )
        board.apply(record("T345", lat: 45.46123, at: start + 1500, seats: 3), cell: cell, zone: nil)
        board.advance(now: start + 2000)
        #expect(
            text(subscription)
                == #"{"ch":"near","type":"positions","time":1795210201000,"data":[["T345",45.46123,9.182,271,500]]}"#)
        board.advance(now: start + 3000)
        #expect(text(subscription) == nil && subscription.sentTick == board.tick)
        board.left("T345", cell: cell)
        board.advance(now: start + 4000)
        #expect(
            text(subscription)
                == #"{"ch":"near","type":"positions","time":1795210203000,"gone":["T345"],"data":[]}"#)
    }

    @Test("trailing fields of a full row are as many as are needed")
    func fullRows() throws {
        let subscription = near([board.retain(.cell(cell))])
        for (id, kind, route) in [("A", VehicleKind.bus, nil), ("B", .taxi, "R7"), ("C", .taxi, nil)] {
            var record = record(id)
            (record.kind, record.route) = (kind, route)
            board.apply(record, cell: cell, zone: nil)
        }
        board.advance(now: start)
        let rows = try #require(try json(subscription)["data"]?.elements)
        #expect(rows.map { $0.elements?.count } == [9, 10, 7])
        #expect(rows[1][7]?.text == "live" && rows[1][8]?.text == "taxi" && rows[1][9]?.text == "R7")
        board.advance(now: start + 92_000)
        let later = try json(subscription)
        #expect(later["data"]?.elements?.compactMap { $0.elements?.count }.sorted() == [8, 9, 10])
        board.advance(now: start + 602_000)
        #expect(try json(subscription)["gone"]?.elements?.count == 3)
        #expect(board.count == 0)
    }

    @Test("the hub's clock is set back by an hour: vehicles move on, and who is silent then grows stale and is gone")
    func setBack() throws {
        let subscription = near([board.retain(.cell(cell))])
        board.apply(record("A", at: start + 3_600_000), cell: cell, zone: nil)
        board.apply(record("B", at: start + 3_600_000), cell: cell, zone: nil)
        board.advance(now: start + 3_600_000)
        #expect(try json(subscription)["data"]?.elements?.count == 2)
        board.advance(now: start)
        board.apply(record("A", lat: 45.46123, at: start + 1000), cell: cell, zone: nil)
        board.advance(now: start + 1000)
        let rows = try #require(try json(subscription)["data"]?.elements)
        #expect(rows.count == 1 && rows[0][0]?.text == "A" && rows[0][1]?.double == 45.46123)
        board.advance(now: start + 92_000)
        #expect(try json(subscription)["data"]?.elements?.count == 2)
        board.advance(now: start + 603_000)
        #expect(try json(subscription)["gone"]?.elements?.count == 2)
        #expect(board.count == 0)
    }

    @Test("cells that are forgotten together take their vehicles along, shown or not yet, and no others")
    func forgetting() throws {
        let row = Int(cell.row)
        let cells = (0..<4).map { CellID(row: row, column: Int(cell.column) + $0) }
        let subscription = near(cells.map { board.retain(.cell($0)) })
        func come(_ id: String, _ cell: CellID, at: Int64) {
            let corner = CellGrid.corner(of: cell)
            board.apply(record(id, lat: corner.lat + 0.001, lon: corner.lon + 0.001, at: at), cell: cell, zone: nil)
        }
        for (place, cell) in cells.enumerated() { come("T\(place)", cell, at: start) }
        board.advance(now: start)
        #expect(try json(subscription)["data"]?.elements?.count == 4)
        // T0 has come to the third cell since, T3 to the second, T2 has moved, and T5 and T6 are new.
        come("T0", cells[2], at: start + 100)
        come("T3", cells[1], at: start + 100)
        come("T2", cells[2], at: start + 100)
        come("T5", cells[1], at: start + 100)
        come("T6", cells[3], at: start + 100)
        board.forget([cells[1], cells[2]])
        board.advance(now: start + 250)
        #expect(board.count == 1)
        let message = try json(subscription)
        #expect(Set(message["gone"]?.elements?.compactMap { $0.text } ?? []) == ["T0", "T1", "T2", "T3"])
        #expect(message["data"]?.elements?.map { $0[0]?.text } == ["T6"])
    }

    @Test("equal views of a scope get the same object, of another encoding or tick another")
    func sharing() throws {
        let scope = board.retain(.cell(cell))
        let readers = (0..<3).map { _ in near([scope], .available) }
        let others = [near([scope], .all), near([scope], .available, .protobuf)]
        board.apply(record("T1"), cell: cell, zone: nil)
        for step in 0..<3 {
            board.advance(now: start + Int64(step) * 1000)
            var messages: [FeedMessage] = []
            for reader in readers + others {
                if reader === readers[2], step == 1 { continue }
                guard case .shared(let message) = board.update(reader) else {
                    Issue.record("not shared")
                    return
                }
                messages.append(message)
            }
            #expect(messages[0] === messages[1])
            #expect(Set(messages.map { ObjectIdentifier($0) }).count == (step == 1 ? 3 : step == 2 ? 4 : 3))
            board.apply(
                record("T1", lat: 45.4611 + Double(step) * 1e-4, at: start + 10 + Int64(step)), cell: cell, zone: nil)
        }
    }

    @Test("a reader that is too far behind gets a snapshot")
    func tooFarBehind() throws {
        let subscription = near([board.retain(.cell(cell))])
        board.advance(now: start)
        _ = board.update(subscription)
        for tick in 0..<board.rules.logTicks {
            board.apply(record("T\(tick % 3)", at: start + Int64(tick)), cell: cell, zone: nil)
            board.advance(now: start)
        }
        #expect(text(subscription)?.contains(#""type":"positions""#) == true)
        for _ in 0...board.rules.logTicks { board.advance(now: start) }
        #expect(text(subscription) == nil, "nothing happened, however long ago")
        board.apply(record("T1", lat: 45.4612, at: start + 9999), cell: cell, zone: nil)
        board.advance(now: start)
        _ = board.update(subscription)
        board.apply(record("T1", lat: 45.4613, at: start + 19_999), cell: cell, zone: nil)
        for _ in 0...board.rules.logTicks { board.advance(now: start) }
        #expect(text(subscription)?.contains(#""type":"snapshot""#) == true)
    }

    @Test("a moving vehicle takes at most 40 B in JSON and 12 B in Protocol Buffers", arguments: [true, false])
    func bytes(areTogether: Bool) throws {
        let cells = areTogether ? [cell] : CellGrid.cells(touching: corner, radius: 1500)
        let scopes = cells.map { board.retain(.cell($0)) }
        let readers = [near(scopes), near(scopes, .all, .protobuf)]
        var random = Random(seed: 5)
        func report(_ at: Int64) {
            for number in 0..<50 {
                let box = CellGrid.box(of: cells[number % cells.count])
                let place = GeoPoint(
                    lat: box.south + (box.north - box.south) * random.within(0.01, 0.99),
                    lon: box.west + (box.east - box.west) * random.within(0.01, 0.99))
                var record = record("T\(100 + number)", lat: place.lat, lon: place.lon, at: at)
                record.heading = random.within(0, 359)
                board.apply(record, cell: CellGrid.cell(of: place), zone: nil)
            }
        }
        report(start)
        board.advance(now: start)
        for reader in readers { _ = board.update(reader) }
        report(start + 600)
        board.advance(now: start + 1000)
        let json = try #require(text(readers[0]))
        #expect(!json.contains("gone") && !json.contains("available"))
        let rows = try #require(json.split(separator: "\"data\":[").last).utf8.count - 2
        #expect(rows <= 50 * 40)
        let binary = try #require(payload(readers[1]))
        // Field 15, the channel and the time.
        #expect(binary.count - 16 <= 50 * 12)
        print("a moving vehicle, \(areTogether ? "together" : "alone"): \(rows / 50) B, \((binary.count - 16) / 50) B")
    }

    @Test("logs stay bounded though nobody reads them, and numbers are used again")
    func bounded() {
        let rules = FeedRules(staleAfterMs: 5000, expireAfterMs: 10_000, logTicks: 16)
        let board = FeedBoard(rules: rules)
        let scopes = [board.retain(.cell(cell)), board.retain(.city), board.retain(.zone("1"))]
        for tick in 0..<4000 {
            let now = start + Int64(tick) * 200
            for number in 0..<20 {
                // Half of the ids come, blink and never come again.
                let id = number < 10 ? "T\(number)" : "T\(tick)-\(number)"
                let state: VehicleState = tick % 2 == 0 ? .available : .busy
                let lat = 45.461 + Double(tick % 100) * 1e-5
                board.apply(record(id, lat: lat, at: now, state: state), cell: cell, zone: "1")
                if number >= 15 { board.left(id, cell: cell) }
            }
            board.advance(now: now)
        }
        for scope in scopes {
            #expect(scope.changes.count < 4 * 20 * 2 * 16 + 4 * scope.members.count)
            #expect(scope.moves.count <= 2 * scope.members.count + 65)
        }
        // Those that came in the last 10 s, or were in a log.
        #expect(board.vehicles.count < 20 * 100)
        #expect(board.count <= 10 + 5 * 60)
    }

    @Test("a log that was cut within its ticks is not taken for whole", arguments: 0..<8)
    func cut(ticks: Int) throws {
        let subscription = near([board.retain(.cell(cell))])
        var reader = FeedReader()
        for tick in 0...ticks {
            for number in 0..<300 {
                // They come in even ticks and go in odd ones, but for a few.
                let id = "T\(number)"
                if tick % 2 == 0 {
                    board.apply(record(id, at: start + Int64(tick)), cell: cell, zone: nil)
                } else if number >= 5 {
                    board.left(id, cell: cell)
                }
            }
            board.advance(now: start)
            guard tick == 0 || tick == ticks, let payload = payload(subscription) else { continue }
            try reader.read(payload, .json, channel: "near")
        }
        #expect(reader.vehicles.count == (ticks % 2 == 0 ? 300 : 5))
    }

    @Test("a scope of one vehicle is told of by itself only")
    func watched() throws {
        let scope = board.retain(.vehicle("T1"))
        let subscription = FeedSubscription(
            channel: "vehicle:T1", scopes: [scope], view: FeedView(visibility: .own), encoding: .json)
        board.apply(record("T1"), cell: cell, zone: nil)
        board.applyWatched(record("T2"))
        board.advance(now: start)
        #expect(text(subscription)?.hasSuffix(#""data":[]}"#) == true)
        board.applyWatched(record("T1"))
        board.advance(now: start)
        #expect(text(subscription)?.contains("T1\",45.461") == true)
        #expect(board.count == 2)
        board.release(scope)
        board.advance(now: start)
        #expect(board.count == 1)
    }

    @Test("a scope begins with what is known, a released one costs nothing")
    func retaining() {
        board.apply(record("T1"), cell: cell, zone: "14")
        board.advance(now: start)
        for key in [FeedScopeKey.cell(cell), .zone("14"), .city] {
            let scope = board.retain(key)
            #expect(board.retain(key) === scope)
            #expect(text(near([scope]))?.contains("T1") == true)
            board.release(scope)
            board.release(scope)
            board.release(scope)
        }
        board.left("T1", cell: cell)
        board.advance(now: start)
        #expect(board.cells.isEmpty && board.city == nil && board.zonesWatched == 0)
    }
}
