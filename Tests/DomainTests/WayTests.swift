import Testing
import Wire

@testable import Domain

/// Who watches with a destination sees, of vehicles on routes, those that go there (M3, M4).
@Suite("M3: destinations")
struct WayTests {
    private static func at(_ north: Double, _ east: Double = 0) -> GeoPoint {
        LocalFrame(origin: GeoPoint(lat: 45.461, lon: 9.182)).point(PlanePoint(x: east, y: north))
    }

    private let here = at(110)
    private let there = at(4000)
    private let north = LineShape([at(-1000), at(5000)])!
    private let south = LineShape([at(5000), at(-1000)])!
    private let cell = CellGrid.cell(of: at(0))

    private func book() -> PathIndex {
        PathIndex { route in
            let patterns: [(String, [GeoPoint])] =
                switch route {
                case "R1": [("in", [Self.at(5000), Self.at(0)]), ("out", [Self.at(0), Self.at(5000)])]
                case "R2": [("east", [Self.at(0), Self.at(0, 5000)])]
                default: []
                }
            return patterns.compactMap { RoutePattern(id: $0.0, shape: $0.1) }
        }
    }

    /// The last step of use, metres along a way.
    private func step(_ metres: Int) -> UInt16 { UInt16(Double(metres + 50) / PathIndex.stepMetres) }

    @Test("each distinct way and each direction of a route has one number; an announced way goes first")
    func numbers() throws {
        let book = book()
        func number(_ vehicle: String, _ route: String? = nil, _ along: String = "") throws -> UInt16 {
            try #require(book.places(of: vehicle, route: route, along: along).first).way
        }
        book.set(north, as: "north", of: "M1")
        book.set(north, as: "north", of: "M2")
        book.set(south, as: "south", of: "M3")
        let (first, back) = (try number("M1", "R2"), try number("M3"))
        #expect(try number("M2") == first && back != first)
        #expect(book.places(of: "M4", route: nil, along: "").isEmpty)
        #expect(book.places(of: "M4", route: "way:M4", along: "").isEmpty)
        let (out, east) = (try number("M4", "R1", "out@100"), try number("M4", "R2"))
        #expect(Set([first, back, out, east, try number("M5", "R1", "in@100")]).count == 5)
        #expect(try number("M5", "R1", "out@4000") == out)
        #expect(book.leading(from: here, to: there, reach: 300) == [first: step(1110), out: step(110)])
        #expect(book.leading(from: here, to: there, reach: 300, since: Int(back)) == [out: step(110)])
        #expect(book.leading(from: here, to: Self.at(4000, 400), reach: 300) == [:])
        book.set(nil, as: "", of: "M1")
        #expect(try number("M1", "R2") == east)
    }

    @Test("a book in which most ways are nobody's is worn; ways of the timetable are in the next one too")
    func worn() {
        func announce(_ count: Int, of vehicles: Int, in book: PathIndex) {
            for number in 0..<count { book.set(north, as: "\(number)", of: "M\(number % vehicles)") }
        }
        let book = book()
        announce(2_000, of: 1, in: book)
        #expect(!book.isWorn)
        book.set(south, as: "south", of: "M0")
        #expect(book.isWorn && book.count == 2_002)
        let crowd = self.book()
        announce(4_000, of: 1_000, in: crowd)
        #expect(!crowd.isWorn)
        announce(4_001, of: 1_000, in: crowd)
        #expect(crowd.isWorn)
        let timetable = PathIndex { [RoutePattern(id: $0, shape: [Self.at(0), Self.at(5000)])].compactMap { $0 } }
        for route in 0..<5_000 { _ = timetable.places(of: "M1", route: "R\(route)", along: "") }
        #expect(timetable.count == 5_001 && !timetable.isWorn)
    }

    @Test("a place is how far along which way; of a direction that nobody knows it is the beginning of each")
    func places() {
        let book = book()
        book.set(north, as: "north", of: "M1")
        func steps(_ vehicle: String, _ route: String?, _ along: String) -> [UInt16] {
            book.places(of: vehicle, route: route, along: along).map(\.step)
        }
        #expect(steps("M1", "R1", "1499") == [59])
        #expect(steps("M1", nil, "") == [0])
        #expect(steps("M1", nil, "99999999") == [.max])
        #expect(steps("M2", "R1", "") == [0, 0])
        #expect(steps("M2", "R1", "out@250") == [10])
        #expect(steps("M2", "R1", "in@4750,out@250") == [190, 10])
        #expect(steps("M2", "R1", "gone@250") == [0, 0], "of another catalog")
        #expect(steps("M2", "R1", "1499") == [0, 0], "of a way that was taken back a moment ago")
    }

    @Test("C52: a way that comes by twice is of use until it leads on no more")
    func twice() {
        // North, round a block, back south beside itself, and then east.
        let loop = LineShape([
            Self.at(-1000), Self.at(2000), Self.at(2000, 80), Self.at(-500, 80), Self.at(-500, 4000),
        ])!
        func use(_ destination: GeoPoint, from place: GeoPoint = Self.at(0)) -> UInt16? {
            let book = PathIndex { _ in [] }
            book.set(loop, as: "loop", of: "M1")
            return book.leading(from: place, to: destination, reach: 1000).values.first
        }
        #expect(use(Self.at(2000)) == step(1000), "only on the way out")
        #expect(use(Self.at(-500, 3000)) == step(3000 + 80 + 2000), "the way back leads there as well")
        #expect(use(Self.at(-1000), from: Self.at(-500, 3500)) == nil)
        // A bend that is a little nearer than what lies between is not another pass, nor is one far off.
        let bends = LineShape([Self.at(-1000), Self.at(0), Self.at(0, 700), Self.at(60, 700), Self.at(3000, 600)])!
        let book = PathIndex { _ in [] }
        book.set(bends, as: "bends", of: "M1")
        #expect(book.leading(from: Self.at(0), to: Self.at(3000, 600), reach: 1000) == [1: step(1000)])
    }

    /// Applied, and a tick later.
    private func show(
        _ board: FeedBoard, _ id: String, _ kind: VehicleKind, route: String? = nil, seats: Int = 3, along: String = ""
    ) {
        board.apply(
            FeedRecord(
                id: id, lat: 45.461, lon: 9.182, heading: nil, at: 1000, heard: board.now + 1, state: .available,
                kind: kind, seats: seats, route: route, along: along), cell: cell, zone: nil)
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

    private func reader(_ board: FeedBoard, _ ways: [UInt16: UInt16]?) -> FeedSubscription {
        FeedSubscription(
            channel: "near", scopes: [board.retain(.cell(cell))], view: FeedView(visibility: .available, ways: ways),
            encoding: .json)
    }

    @Test("a change of way shows a vehicle or takes it out; who has named no destination is told nothing of it")
    func board() throws {
        let (board, book) = (FeedBoard(), book())
        let (going, all) = (reader(board, [:]), reader(board, nil))
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

    @Test("who has passed is gone, and is there again when it begins anew; others see it all the time")
    func passing() throws {
        let (board, book) = (FeedBoard(), book())
        board.use(book)
        book.set(north, as: "north", of: "M1")
        let (going, all) = (reader(board, [:]), reader(board, nil))
        func drive(_ along: String, _ route: String? = nil) throws -> (rows: [String], gone: [String])? {
            show(board, "M1", .minibus, along: along)
            show(board, "M2", .minibus, route: "R1", along: route ?? "")
            going.admit(book.leading(from: here, to: there, reach: 300))
            board.advance(now: board.now + 250)
            let seen = try told(board, all)
            #expect(seen?.gone.isEmpty ?? true)
            return try told(board, going)
        }
        #expect(try drive("", "in@4000,out@0")?.rows == ["M1", "M2"], "it may still go either way")
        #expect(try drive("1100", "in@4000")?.gone == ["M2"], "the other direction")
        #expect(try drive("1149", "in@4500") == nil, "still at the stop")
        #expect(try drive("1180", "out@20")?.gone == ["M1"])
        #expect(try told(board, all) == nil)
        #expect(try drive("3000", "out@200")?.gone == ["M2"])
        #expect(try drive("6000", "out@5000") == nil)
        #expect(try drive("30", "in@0,out@5000")?.rows == ["M1"])
        // A reader that comes later is shown the same.
        let later = reader(board, book.leading(from: here, to: there, reach: 300))
        #expect(try told(board, later)?.rows == ["M1"])
        // Where it is counts from a record on that says no more than that.
        #expect(try drive("1300", "in@10")?.gone == ["M1"])
    }

    @Test("a vehicle that was forgotten and comes back as it was has its way of the present book")
    func back() throws {
        let (board, book) = (FeedBoard(), book())
        let before = reader(board, nil)
        show(board, "M2", .minibus, route: "R1")
        board.advance(now: 250)
        #expect(try told(board, before)?.rows == ["M2"])
        for unit in before.scopes { board.release(unit) }
        board.forget([cell])
        board.advance(now: 500)

        board.use(book)
        let going = reader(board, [:])
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
        let (first, second) = (reader(board, [:]), reader(board, [:]))
        for reader in [first, second] { reader.admit(ways) }
        guard case .shared(let a)? = board.update(first), case .shared(let b)? = board.update(second) else {
            Issue.record("not shared")
            return
        }
        #expect(a === b)
    }
}
