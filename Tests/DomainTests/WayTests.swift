import Testing
import Wire

@testable import Domain

/// Who watches with a destination sees, of vehicles on routes, those that go there (M3, M4).
@Suite("M3: destinations")
struct WayTests {
    private static func at(_ north: Double, _ east: Double = 0) -> GeoPoint {
        LocalFrame(origin: GeoPoint(lat: 45.461, lon: 9.182)).point(PlanePoint(x: east, y: north))
    }

    private let here = at(100)
    private let there = at(4000)
    private let north = MinibusWay([at(-1000), at(5000)])!
    private let south = MinibusWay([at(5000), at(-1000)])!
    private let cell = CellGrid.cell(of: at(0))

    private func book() -> WayBook {
        WayBook { route in
            switch route {
            case "R1": [[Self.at(5000), Self.at(0)], [Self.at(0), Self.at(5000)]]
            case "R2": [[Self.at(0), Self.at(0, 5000)]]
            default: []
            }
        }
    }

    @Test(
        "each distinct way has one number; a route of the timetable counts in both directions, an announced way first")
    func numbers() {
        let book = book()
        book.set(north, as: "north", of: "M1")
        book.set(north, as: "north", of: "M2")
        book.set(south, as: "south", of: "M3")
        let number = book.number(of: "M1", route: "R2")
        #expect(number != 0 && book.number(of: "M2", route: nil) == number)
        #expect(book.number(of: "M3", route: nil) != number)
        #expect(book.number(of: "M4", route: nil) == 0 && book.number(of: "M4", route: "way:M4") == 0)
        let (first, second) = (book.number(of: "M4", route: "R1"), book.number(of: "M4", route: "R2"))
        #expect(first != 0 && second != 0 && first != second && book.number(of: "M5", route: "R1") == first)
        #expect(book.leading(from: here, to: there, reach: 300) == [number, first])
        #expect(book.leading(from: here, to: there, reach: 300, since: Int(number) + 1) == [first])
        #expect(book.leading(from: here, to: Self.at(4000, 400), reach: 300) == [])
        book.set(nil, as: "", of: "M1")
        #expect(book.number(of: "M1", route: "R2") == second)
    }

    /// Applied, and a tick later.
    private func show(_ board: FeedBoard, _ id: String, _ kind: VehicleKind, route: String? = nil, seats: Int = 3) {
        board.apply(
            FeedRecord(
                id: id, lat: 45.461, lon: 9.182, heading: nil, at: 1000, heard: board.now + 1, state: .available,
                kind: kind, seats: seats, route: route), cell: cell, zone: nil)
    }

    private func told(_ board: FeedBoard, _ reader: FeedSubscription) throws -> (rows: [String], gone: [String])? {
        let payload: [UInt8]
        switch board.update(reader) {
        case nil: return nil
        case .own: payload = board.scratch
        case .shared(let message): payload = message.payload
        }
        let json = try JSONValue(parsing: payload)
        func ids(_ list: JSONValue?) -> [String] {
            (list?.elements ?? []).compactMap { $0[0]?.text ?? $0.text }.sorted()
        }
        return (ids(json["data"]), ids(json["gone"]))
    }

    private func reader(_ board: FeedBoard, _ ways: Set<UInt16>?) -> FeedSubscription {
        FeedSubscription(
            channel: "near", units: [board.retain(.cell(cell))], view: FeedView(visibility: .available, ways: ways),
            encoding: .json)
    }

    @Test("a change of way shows a vehicle or takes it out; who has named no destination is told nothing of it")
    func board() throws {
        let (board, book) = (FeedBoard(), book())
        let (going, all) = (reader(board, []), reader(board, nil))
        func tick() {
            going.admit(book.leading(from: here, to: there, reach: 300))
            board.advance(now: board.now + 250)
        }
        show(board, "T1", .taxi)
        show(board, "M1", .minibus)
        show(board, "M2", .minibus, route: "R1")
        show(board, "M3", .minibus, route: "R2")
        tick()
        #expect(try told(board, going)?.rows == ["T1"], "no book yet")
        #expect(try told(board, all)?.rows == ["M1", "M2", "M3", "T1"])

        board.use(book)
        tick()
        #expect(try told(board, going)?.rows == ["M2"])
        #expect(try told(board, all) == nil, "nothing that it is shown has changed")

        book.set(north, as: "north", of: "M1")
        board.wayChanged(of: "M1")
        book.set(south, as: "south", of: "M2")
        board.wayChanged(of: "M2")
        tick()
        let turned = try #require(try told(board, going))
        #expect(turned.rows == ["M1"] && turned.gone == ["M2"])
        #expect(try told(board, all) == nil)

        show(board, "M3", .minibus, route: "R1")
        show(board, "M1", .minibus, seats: 2)
        tick()
        #expect(try told(board, going)?.rows == ["M1", "M3"])
        #expect(try told(board, all)?.rows == ["M1", "M3"])

        // Other numbers: all is told anew.
        let second = self.book()
        second.set(south, as: "south", of: "M1")
        board.use(second)
        going.forgetWays()
        going.admit(second.leading(from: here, to: there, reach: 300))
        board.advance(now: board.now + 250)
        #expect(try told(board, going)?.rows == ["M2", "M3", "T1"], "nothing that M2 announced is in it")
        #expect(try told(board, all) == nil)
        board.use(nil)
        board.advance(now: board.now + 250)
        #expect(try told(board, all) == nil)
    }

    @Test("a vehicle that was forgotten and comes back as it was has its way of the present book")
    func back() throws {
        let (board, book) = (FeedBoard(), book())
        let before = reader(board, nil)
        show(board, "M2", .minibus, route: "R1")
        board.advance(now: 250)
        #expect(try told(board, before)?.rows == ["M2"])
        for unit in before.units { board.release(unit) }
        board.forget(cell: cell)
        board.advance(now: 500)

        board.use(book)
        let going = reader(board, [])
        show(board, "M2", .minibus, route: "R1")
        going.admit(book.leading(from: here, to: there, reach: 300))
        board.advance(now: 750)
        #expect(try told(board, going)?.rows == ["M2"])
    }

    @Test("readers who want to go the same ways share what is encoded")
    func sharing() throws {
        let (board, book) = (FeedBoard(), book())
        board.use(book)
        show(board, "M1", .minibus, route: "R1")
        board.advance(now: 250)
        let ways = book.leading(from: here, to: there, reach: 300)
        let (first, second) = (reader(board, []), reader(board, []))
        for reader in [first, second] { reader.admit(ways) }
        guard case .shared(let a)? = board.update(first), case .shared(let b)? = board.update(second) else {
            Issue.record("not shared")
            return
        }
        #expect(a === b)
    }
}
