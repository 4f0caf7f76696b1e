import Domain
import GTFS
import Testing
import Wire

@testable import Replay

/// A minibus driver's and its passenger's side of the protocol (M1, M2, M4, M5, M9).
@Suite struct MinibusMachineTests {
    static let start: Int64 = 1_000_000

    func fix(_ seconds: Int64, _ lat: Double) -> RecordedBuses.Fix {
        .init(at: Self.start + seconds * 1000, point: point(lat, 9))
    }

    var run: RecordedBuses.Run {
        .init(line: "L", trip: "T1", fixes: (1...10).map { fix($0 * 30, 45 + Double($0) * 0.002) })
    }

    /// Online on its way.
    func driver(odds: Odds = .smooth) throws -> Stage<MinibusMachine> {
        var stage = Stage(
            MinibusMachine(
                driver: .init(subject: "m", runs: [run]), seats: 6, odds: odds, keyPrefix: "k", seed: 1))
        try stage.connect()
        stage.machine.begin(stage.now)
        stage.wake(afterHubMs: 29_000)
        #expect(stage.actions().isEmpty, "before its first fix")
        stage.wake(afterHubMs: 1_000)
        try stage.grant(way, ["route": "way:m"])
        try stage.grant(.driverAvailable, ["state": "available", "seats": 6, "capacity": 6])
        #expect(stage.machine.isOnline)
        return stage
    }

    var way: Command { .routeSet(route: nil, way: AnnouncedWay(run)) }

    func booking(_ state: String? = nil) -> JSONValue {
        var data: JSONObject = [
            "booking": "b_1", "pickup": ["lat": 45.008, "lon": 9], "destination": ["lat": 45.014, "lon": 9],
            "passengers": 2,
        ]
        if let state { data["state"] = .string(state) }
        return .object(data)
    }

    @Test("It announces the recorded way, goes online, and offline at its end")
    func wholeWay() throws {
        var stage = try driver()
        let announced = try #require(AnnouncedWay(run))
        #expect(announced.start == Place(point(45.002, 9)) && announced.end == Place(point(45.02, 9)))
        #expect(announced.via.count == 8)
        stage.wake(afterHubMs: 270_000)
        #expect(try stage.sent().isEmpty)
        stage.wake(afterHubMs: 20_000)
        try stage.grant(.driverUnavailable, ["state": "unavailable"])
        #expect(!stage.machine.isOnline && stage.machine.isIdle)
    }

    @Test("A request is shown, accepted, fetched and set down where the vehicle comes by")
    func wholeBooking() throws {
        var stage = try driver()
        stage.event("seat.requested", ["booking": "b_1", "passengers": 2])
        try stage.grant(.offerSeen(ride: "b_1"), ["ride": "b_1"])
        stage.wake(afterHubMs: 6_000)
        try stage.grant(.seatAccept(booking: "b_1"), booking())
        stage.event("seat.assigned", booking())
        stage.event("seats.changed", ["taken": 2, "seats": 4, "capacity": 6, "delta": 2, "reason": "booked"])
        #expect(stage.machine.request == nil && stage.machine.bookings.passengers == 2 && stage.machine.taken == 2)
        stage.wake(afterHubMs: 54_000)
        #expect(try stage.sent().isEmpty, "not there yet")
        stage.wake(afterHubMs: 30_000)
        stage.wake(afterHubMs: 4_000)
        try stage.grant(.seatAboard(booking: "b_1", passengers: nil), ["booking": "b_1", "seats": 4])
        stage.event("seat.aboard", ["booking": "b_1", "passengers": 2])
        stage.wake(afterHubMs: 90_000)
        stage.wake(afterHubMs: 4_000)
        try stage.grant(.seatEnd(booking: "b_1"), ["booking": "b_1", "seats": 6])
        #expect(stage.machine.isIdle)
        stage.event("seat.assigned", booking())
        #expect(stage.machine.isIdle, "what is over stays over")
    }

    @Test("Silence stays silent; a request that is withdrawn is forgotten; what is declined was never taken")
    func otherAnswers() throws {
        var odds = Odds.smooth
        odds.accept = 0
        var stage = try driver(odds: odds)
        stage.event("seat.requested", ["booking": "b_1", "passengers": 2])
        try stage.grant(.offerSeen(ride: "b_1"), ["ride": "b_1"])
        stage.wake(afterHubMs: 12_000)
        #expect(try stage.sent().isEmpty && stage.machine.request != nil)
        stage.event("seat.withdrawn", ["booking": "b_1", "reason": "no_answer"])
        #expect(stage.machine.isIdle)

        odds.decline = 1
        stage = try driver(odds: odds)
        stage.event("seat.requested", ["booking": "b_1", "passengers": 2])
        try stage.grant(.offerSeen(ride: "b_1"), ["ride": "b_1"])
        stage.wake(afterHubMs: 6_000)
        try stage.grant(.seatDecline(booking: "b_1"), ["booking": "b_1"])
        #expect(stage.machine.isIdle)
    }

    @Test("At the end of its way who is aboard gets out, and who was not fetched is told")
    func endOfTheWay() throws {
        for (state, command) in [
            ("aboard", Command.seatEnd(booking: "b_1")), ("confirmed", .seatCancel(booking: "b_1")),
        ] {
            var stage = try driver()
            stage.hear(
                .snapshot(
                    ch: "driver:m", time: 0, data: ["state": "available", "taken": 2, "bookings": [booking(state)]]))
            stage.machine.endHere(stage.now, &stage.out)
            try stage.grant(command, ["booking": "b_1"])
            #expect(stage.machine.isIdle)
        }
    }

    @Test("It counts by hand with a reason, what it knows of and who came in from the street")
    func counts() throws {
        var odds = Odds.smooth
        odds.handCount = 1
        var stage = Stage(
            MinibusMachine(
                driver: .init(subject: "m", runs: [run]), seats: 6, odds: odds, keyPrefix: "k", seed: 3))
        try stage.connect()
        stage.machine.begin(stage.now)
        stage.wake(afterHubMs: 30_000)
        try stage.grant(way, [:])
        try stage.grant(.driverAvailable, [:])
        let sent = try #require(try stage.sent().first)
        guard case .seatsSet(let taken, let reason) = sent.command else {
            Issue.record("\(sent)")
            return
        }
        #expect((0...6).contains(taken) && ["got_on", "got_off"].contains(reason ?? ""))
        stage.hear(.error(id: sent.id!, code: .notAvailable, detail: "", retry: false))
        #expect(stage.notes.contains(.seat(.counted(nil))) && stage.machine.isIdle)
    }

    // MARK: Riders

    let book = Command.seatBook(
        SeatRequest(
            vehicle: "m", pickup: Place(point(45.008, 9)), destination: Place(point(45.014, 9)), passengers: 2))

    func rider(_ odds: Odds = .smooth) throws -> Stage<RiderMachine> {
        let wishes = [10, 20].map {
            SeatWish(
                askMs: Self.start + $0 * 1000, vehicle: "m", pickup: point(45.008, 9), destination: point(45.014, 9),
                pickupMs: Self.start + 600_000, passengers: 2)
        }
        var stage = Stage(
            RiderMachine(rider: .init(subject: "r", wishes: wishes), odds: odds, keyPrefix: "k", seed: 1))
        try stage.connect()
        stage.machine.begin(stage.now)
        return stage
    }

    @Test("A rider books one seat after the other, and is told of each")
    func books() throws {
        var stage = try rider()
        stage.wake(afterHubMs: 10_000)
        try stage.grant(book, ["booking": "b_1", "state": "pending"])
        stage.wake(afterHubMs: 20_000)
        #expect(try stage.sent().isEmpty, "the first is open")
        stage.event("seat.pending", ["booking": "b_1"])
        stage.event("seat.confirmed", ["booking": "b_1"])
        stage.event("seat.ended", ["booking": "b_1"])
        #expect(stage.machine.asks.map(\.outcome) == [.ended])
        stage.wake(afterHubMs: 1)
        try stage.refuse(book, .seatsFull)
        #expect(stage.machine.asks.map(\.outcome) == [.ended, .refused(code: .seatsFull)] && stage.machine.isSettled)
    }

    @Test("M14: a command that is sent twice has one key, and counts once")
    func repeats() throws {
        var odds = Odds.smooth
        odds.repeats = 1
        var stage = try rider(odds)
        stage.wake(afterHubMs: 10_000)
        let sent = try stage.sent()
        #expect(sent.map(\.command) == [book, book] && sent[0].key == sent[1].key && sent[0].id != sent[1].id)
        stage.event("seat.pending", ["booking": "b_1"])
        for message in sent { stage.hear(.reply(id: message.id!, ok: ["booking": "b_1"])) }
        #expect(stage.machine.asks.map(\.booking) == ["b_1"])
        stage.machine.cancel(stage.now, &stage.out)
        stage.machine.cancel(stage.now, &stage.out)
        let cancels = try stage.sent()
        #expect(cancels.map(\.command) == [.seatCancel(booking: "b_1"), .seatCancel(booking: "b_1")])
        stage.hear(.reply(id: cancels[1].id!, ok: ["booking": "b_1", "state": "cancelled"]))
        stage.event("seat.cancelled", ["booking": "b_1", "by": "passenger"])
        #expect(stage.machine.asks.map(\.outcome) == [.cancelled(by: "passenger")] && !stage.machine.session.hasPending)
    }

    @Test("After a gap a booking that the hub does not name is lost")
    func gap() throws {
        var stage = try rider()
        stage.wake(afterHubMs: 10_000)
        try stage.grant(book, ["booking": "b_1", "state": "pending"])
        stage.hear(.snapshot(ch: "passenger:r", time: 0, data: ["booking": ["booking": "b_1", "state": "pending"]]))
        #expect(stage.machine.asks.map(\.outcome) == [nil])
        stage.hear(.snapshot(ch: "passenger:r", time: 0, data: ["ride": .null]))
        #expect(stage.machine.asks.map(\.outcome) == [.lost])
    }

    @Test(
        "M3, M5: it watches a vehicle, again after a cut; a snapshot replaces, a short row moves, a whole one tells seats"
    )
    func watches() throws {
        var stage = Stage(
            RiderMachine(
                rider: .init(subject: "r", watches: "m", wishes: []), odds: .smooth, keyPrefix: "k", seed: 1))
        try stage.connect()
        let subscribe = Command.subscribe(channel: "vehicle:m", options: FeedOptions(), since: nil)
        try stage.grant(subscribe, [:])
        func rows(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }
        #expect(stage.machine.view?.shown == nil, "nothing was told")
        stage.hear(.snapshot(ch: "vehicle:m", time: 0, data: []))
        #expect(stage.machine.view?.shown == .some(nil), "it is not shown")
        let whole = try rows(#"[["m",45,9,null,"available",4,1000,"live","minibus"]]"#)
        stage.hear(.positions(ch: "vehicle:m", time: 0, gone: [], data: whole))
        stage.hear(.positions(ch: "vehicle:m", time: 0, gone: [], data: try rows(#"[["m",45.1,9,null,20]]"#)))
        #expect(stage.machine.view?.shown == .init(state: "available", seats: 4))
        stage.hear(.positions(ch: "vehicle:m", time: 0, gone: ["m"], data: []))
        #expect(stage.machine.view?.shown == .some(nil))
        stage.machine.closed(code: 1006, reason: "", stage.now, &stage.out)
        stage.wake(afterHubMs: 5_000)
        _ = stage.actions()
        stage.machine.opened(token: "tok.en", stage.now, &stage.out)
        try stage.greet()
        try stage.grant(subscribe, [:])
    }

    // MARK: The world

    @Test("Minibuses go where recorded buses went, some minutes behind; riders ask for what lies ahead")
    func world() throws {
        let fixes = (0..<60).map {
            RecordedBuses.Fix(at: Int64($0) * 30_000, point: point(45 + Double($0) * 0.002, 9))
        }
        let drivers = ["1", "2", "3"].map {
            BusWorld.Driver(subject: "b-\($0)", bus: $0, runs: [.init(line: "L", trip: "T\($0)", fixes: fixes)])
        }
        var buses = ScenarioSource.Buses(recorded: try RecordedBuses(catalog: Catalog(), positions: []))
        (buses.minibuses, buses.riders, buses.bookingsPerHour) = (2, 40, 30)
        let window = TraceWindow(startMs: 0, lengthMs: 1_800_000)
        let world = MinibusWorld.make(buses, behind: drivers, in: window, seed: 1)
        #expect(
            world == MinibusWorld.make(buses, behind: drivers, in: window, seed: 1), "the same seed, the same world")
        #expect(world.drivers.map(\.subject) == ["m-1", "m-2"] && world.riders.count == 40)
        for driver in world.drivers {
            #expect(driver.runs[0].fixes.map(\.point) == fixes.map(\.point))
            let behind = Set(zip(driver.runs[0].fixes, fixes).map { $0.at - $1.at })
            #expect(behind.count == 1 && (60_000...300_000).contains(behind.first ?? 0))
        }
        let wishes = world.riders.flatMap(\.wishes)
        #expect(wishes.count > 200 && wishes.allSatisfy { (1...3).contains($0.passengers) })
        #expect(wishes.allSatisfy { $0.pickupMs >= $0.askMs + 90_000 })
        let right = wishes.count { $0.pickup.lat < $0.destination.lat && $0.vehicle != "m-none" }
        #expect(right > wishes.count * 8 / 10 && right < wishes.count, "some ask for what can't be had")
        buses.minibuses = 0
        #expect(MinibusWorld.make(buses, behind: drivers, in: window, seed: 1).riders.isEmpty)
    }
}
