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
    func driver(behaviour: BehaviourModel = .smooth) throws -> MachineHarness<MinibusMachine> {
        var harness = MachineHarness(
            MinibusMachine(
                driver: .init(subject: "m", runs: [run]), seats: 6, behaviour: behaviour, keyPrefix: "k", seed: 1))
        try harness.connect()
        harness.machine.begin(harness.now)
        harness.wake(afterHubMs: 29_000)
        #expect(harness.actions().isEmpty, "before its first fix")
        harness.wake(afterHubMs: 1_000)
        try harness.grant(way, ["route": "way:m"])
        try harness.grant(.rides(.driverAvailable), ["state": "available", "seats": 6, "capacity": 6])
        #expect(harness.machine.isOnline)
        return harness
    }

    var way: Command { .seats(.routeSet(route: nil, way: AnnouncedWay(run))) }

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
        var harness = try driver()
        let announced = try #require(AnnouncedWay(run))
        #expect(announced.start == Place(point(45.002, 9)) && announced.end == Place(point(45.02, 9)))
        #expect(announced.via.count == 8)
        harness.wake(afterHubMs: 270_000)
        #expect(try harness.sent().isEmpty)
        harness.wake(afterHubMs: 20_000)
        try harness.grant(.rides(.driverUnavailable), ["state": "unavailable"])
        #expect(!harness.machine.isOnline && harness.machine.isIdle)
    }

    @Test("A request is shown, accepted, fetched and set down where the vehicle comes by")
    func wholeBooking() throws {
        var harness = try driver()
        harness.event("seat.requested", ["booking": "b_1", "passengers": 2])
        try harness.grant(.rides(.offerSeen(ride: "b_1")), ["ride": "b_1"])
        harness.wake(afterHubMs: 6_000)
        try harness.grant(.seats(.seatAccept(booking: "b_1")), booking())
        harness.event("seat.assigned", booking())
        harness.event("seats.changed", ["taken": 2, "seats": 4, "capacity": 6, "delta": 2, "reason": "booked"])
        #expect(
            harness.machine.request == nil && harness.machine.bookings.passengers == 2 && harness.machine.taken == 2)
        harness.wake(afterHubMs: 54_000)
        #expect(try harness.sent().isEmpty, "not there yet")
        harness.wake(afterHubMs: 30_000)
        harness.wake(afterHubMs: 4_000)
        try harness.grant(.seats(.seatAboard(booking: "b_1", passengers: nil)), ["booking": "b_1", "seats": 4])
        harness.event("seat.aboard", ["booking": "b_1", "passengers": 2])
        harness.wake(afterHubMs: 90_000)
        harness.wake(afterHubMs: 4_000)
        try harness.grant(.seats(.seatEnd(booking: "b_1")), ["booking": "b_1", "seats": 6])
        #expect(harness.machine.isIdle)
        harness.event("seat.assigned", booking())
        #expect(harness.machine.isIdle, "what is over stays over")
    }

    @Test("Silence stays silent; a request that is withdrawn is forgotten; what is declined was never taken")
    func otherAnswers() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.accept = 0
        var harness = try driver(behaviour: behaviour)
        harness.event("seat.requested", ["booking": "b_1", "passengers": 2])
        try harness.grant(.rides(.offerSeen(ride: "b_1")), ["ride": "b_1"])
        harness.wake(afterHubMs: 12_000)
        #expect(try harness.sent().isEmpty && harness.machine.request != nil)
        harness.event("seat.withdrawn", ["booking": "b_1", "reason": "no_answer"])
        #expect(harness.machine.isIdle)

        behaviour.decline = 1
        harness = try driver(behaviour: behaviour)
        harness.event("seat.requested", ["booking": "b_1", "passengers": 2])
        try harness.grant(.rides(.offerSeen(ride: "b_1")), ["ride": "b_1"])
        harness.wake(afterHubMs: 6_000)
        try harness.grant(.seats(.seatDecline(booking: "b_1")), ["booking": "b_1"])
        #expect(harness.machine.isIdle)
    }

    @Test("At the end of its way who is aboard gets out, and who was not fetched is told")
    func endOfTheWay() throws {
        for (state, command) in [
            ("aboard", Command.seats(.seatEnd(booking: "b_1"))), ("confirmed", .seats(.seatCancel(booking: "b_1"))),
        ] {
            var harness = try driver()
            harness.hear(
                .snapshot(
                    ch: "driver:m", time: 0, data: ["state": "available", "taken": 2, "bookings": [booking(state)]]))
            harness.machine.endHere(harness.now, &harness.out)
            try harness.grant(command, ["booking": "b_1"])
            #expect(harness.machine.isIdle)
        }
    }

    @Test("It counts by hand with a reason, what it knows of and who came in from the street")
    func counts() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.handCount = 1
        var harness = MachineHarness(
            MinibusMachine(
                driver: .init(subject: "m", runs: [run]), seats: 6, behaviour: behaviour, keyPrefix: "k", seed: 3))
        try harness.connect()
        harness.machine.begin(harness.now)
        harness.wake(afterHubMs: 30_000)
        try harness.grant(way, [:])
        try harness.grant(.rides(.driverAvailable), [:])
        let sent = try #require(try harness.sent().first)
        guard case .seats(.seatsSet(let taken, let reason)) = sent.command else {
            Issue.record("\(sent)")
            return
        }
        #expect((0...6).contains(taken) && ["got_on", "got_off"].contains(reason ?? ""))
        harness.hear(.error(id: sent.id!, code: .notAvailable, detail: "", retry: false))
        #expect(harness.notes.contains(.seat(.counted(nil))) && harness.machine.isIdle)
    }

    // MARK: Riders

    let book = Command.seats(
        .seatBook(
            SeatRequest(
                vehicle: "m", pickup: Place(point(45.008, 9)), destination: Place(point(45.014, 9)), passengers: 2)))

    func rider(_ behaviour: BehaviourModel = .smooth) throws -> MachineHarness<RiderMachine> {
        let planned = [10, 20].map {
            PlannedBooking(
                askMs: Self.start + $0 * 1000, vehicle: "m", pickup: point(45.008, 9), destination: point(45.014, 9),
                pickupMs: Self.start + 600_000, passengers: 2)
        }
        var harness = MachineHarness(
            RiderMachine(rider: .init(subject: "r", planned: planned), behaviour: behaviour, keyPrefix: "k", seed: 1))
        try harness.connect()
        harness.machine.begin(harness.now)
        return harness
    }

    @Test("A rider books one seat after the other, and is told of each")
    func books() throws {
        var harness = try rider()
        harness.wake(afterHubMs: 10_000)
        try harness.grant(book, ["booking": "b_1", "state": "pending"])
        harness.wake(afterHubMs: 20_000)
        #expect(try harness.sent().isEmpty, "the first is open")
        harness.event("seat.pending", ["booking": "b_1"])
        harness.event("seat.confirmed", ["booking": "b_1"])
        harness.event("seat.ended", ["booking": "b_1"])
        #expect(harness.machine.asks.map(\.outcome) == [.ended])
        harness.wake(afterHubMs: 1)
        try harness.refuse(book, .seatsFull)
        #expect(
            harness.machine.asks.map(\.outcome) == [.ended, .refused(code: .seatsFull)] && harness.machine.isSettled)
    }

    @Test("M14: a command that is sent twice has one key, and counts once")
    func repeats() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.repeats = 1
        var harness = try rider(behaviour)
        harness.wake(afterHubMs: 10_000)
        let sent = try harness.sent()
        #expect(sent.map(\.command) == [book, book] && sent[0].key == sent[1].key && sent[0].id != sent[1].id)
        harness.event("seat.pending", ["booking": "b_1"])
        for message in sent { harness.hear(.reply(id: message.id!, ok: ["booking": "b_1"])) }
        #expect(harness.machine.asks.map(\.booking) == ["b_1"])
        harness.machine.cancel(harness.now, &harness.out)
        harness.machine.cancel(harness.now, &harness.out)
        let cancels = try harness.sent()
        #expect(cancels.map(\.command) == [.seats(.seatCancel(booking: "b_1")), .seats(.seatCancel(booking: "b_1"))])
        harness.hear(.reply(id: cancels[1].id!, ok: ["booking": "b_1", "state": "cancelled"]))
        harness.event("seat.cancelled", ["booking": "b_1", "by": "passenger"])
        #expect(
            harness.machine.asks.map(\.outcome) == [.cancelled(by: "passenger")] && !harness.machine.session.hasPending)
    }

    @Test("After a gap a booking that the hub does not name is lost")
    func gap() throws {
        var harness = try rider()
        harness.wake(afterHubMs: 10_000)
        try harness.grant(book, ["booking": "b_1", "state": "pending"])
        harness.hear(.snapshot(ch: "passenger:r", time: 0, data: ["booking": ["booking": "b_1", "state": "pending"]]))
        #expect(harness.machine.asks.map(\.outcome) == [nil])
        harness.hear(.snapshot(ch: "passenger:r", time: 0, data: ["ride": .null]))
        #expect(harness.machine.asks.map(\.outcome) == [.lost])
    }

    @Test(
        "M3, M5: it watches a vehicle, again after a cut; a snapshot replaces, a short row moves, a whole one tells seats"
    )
    func watches() throws {
        var harness = MachineHarness(
            RiderMachine(
                rider: .init(subject: "r", watches: "m", planned: []), behaviour: .smooth, keyPrefix: "k", seed: 1))
        try harness.connect()
        let subscribe = Command.channels(.subscribe(channel: "vehicle:m", options: FeedOptions(), since: nil))
        try harness.grant(subscribe, [:])
        func rows(_ text: String) throws -> JSONValue { try JSONValue(parsing: Array(text.utf8)) }
        #expect(harness.machine.view?.shown == nil, "nothing was told")
        harness.hear(.snapshot(ch: "vehicle:m", time: 0, data: []))
        #expect(harness.machine.view?.shown == .some(nil), "it is not shown")
        let whole = try rows(#"[["m",45,9,null,"available",4,1000,"live","minibus"]]"#)
        harness.hear(.positions(ch: "vehicle:m", time: 0, gone: [], data: whole))
        harness.hear(.positions(ch: "vehicle:m", time: 0, gone: [], data: try rows(#"[["m",45.1,9,null,20]]"#)))
        #expect(harness.machine.view?.shown == .init(state: "available", seats: 4))
        harness.hear(.positions(ch: "vehicle:m", time: 0, gone: ["m"], data: []))
        #expect(harness.machine.view?.shown == .some(nil))
        harness.machine.closed(code: 1006, reason: "", harness.now, &harness.out)
        harness.wake(afterHubMs: 5_000)
        _ = harness.actions()
        harness.machine.opened(token: "tok.en", harness.now, &harness.out)
        try harness.greet()
        try harness.grant(subscribe, [:])
    }

    // MARK: The scenario

    @Test("Minibuses go where recorded buses went, some minutes behind; riders ask for what lies ahead")
    func scenario() throws {
        let fixes = (0..<60).map {
            RecordedBuses.Fix(at: Int64($0) * 30_000, point: point(45 + Double($0) * 0.002, 9))
        }
        let drivers = ["1", "2", "3"].map {
            BusScenario.Driver(subject: "b-\($0)", bus: $0, runs: [.init(line: "L", trip: "T\($0)", fixes: fixes)])
        }
        var buses = ScenarioSource.Buses(recorded: try RecordedBuses(catalog: Catalog(), positions: []))
        (buses.minibuses, buses.riders, buses.bookingsPerHour) = (2, 40, 30)
        let window = TraceWindow(startMs: 0, lengthMs: 1_800_000)
        let scenario = MinibusScenario.make(buses, behind: drivers, in: window, seed: 1)
        #expect(
            scenario == MinibusScenario.make(buses, behind: drivers, in: window, seed: 1),
            "the same seed, the same scenario")
        #expect(scenario.drivers.map(\.subject) == ["m-1", "m-2"] && scenario.riders.count == 40)
        for driver in scenario.drivers {
            #expect(driver.runs[0].fixes.map(\.point) == fixes.map(\.point))
            let behind = Set(zip(driver.runs[0].fixes, fixes).map { $0.at - $1.at })
            #expect(behind.count == 1 && (60_000...300_000).contains(behind.first ?? 0))
        }
        let planned = scenario.riders.flatMap(\.planned)
        #expect(planned.count > 200 && planned.allSatisfy { (1...3).contains($0.passengers) })
        #expect(planned.allSatisfy { $0.pickupMs >= $0.askMs + 90_000 })
        let right = planned.count { $0.pickup.lat < $0.destination.lat && $0.vehicle != "m-none" }
        #expect(right > planned.count * 8 / 10 && right < planned.count, "some ask for what can't be had")
        buses.minibuses = 0
        #expect(MinibusScenario.make(buses, behind: drivers, in: window, seed: 1).riders.isEmpty)
    }
}
