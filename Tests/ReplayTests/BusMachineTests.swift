import Domain
import GTFS
import Testing
import Wire

@testable import Replay

/// A bus driver's and a citizen's side of the protocol (B2, B5, B8, B10).
@Suite struct BusMachineTests {
    static let start: Int64 = 1_000_000

    func fix(_ seconds: Int64, _ lat: Double, load: Double? = nil) -> RecordedBuses.Fix {
        .init(at: Self.start + seconds * 1000, point: point(lat, 9), load: load)
    }

    func driver(behaviour: BehaviourModel = .smooth) throws -> MachineHarness<BusDriverMachine> {
        let runs = [
            RecordedBuses.Run(
                line: "L", trip: "T1", fixes: [fix(10, 45), fix(40, 45.002, load: 0.25), fix(70, 45.004, load: 0.25)]),
            RecordedBuses.Run(line: "L", trip: "T2", fixes: [fix(200, 45.01), fix(230, 45.012)]),
        ]
        var harness = MachineHarness(
            BusDriverMachine(
                driver: .init(subject: "b", bus: "7", runs: runs), seats: 40, behaviour: behaviour, keyPrefix: "k",
                seed: 1))
        try harness.connect()
        harness.machine.begin(harness.now)
        return harness
    }

    func start(_ trip: String) -> Command { .tours(.tourStart(bus: "7", line: "L", pattern: nil, trip: trip)) }

    @Test("Each recorded run is a tour, with its positions and its seats")
    func drives() throws {
        var harness = try driver()
        #expect(harness.machine.session.ownChannel == "bus_driver:b" && BusDriverMachine.role == "bus_driver")
        harness.wake(afterHubMs: 9_000)
        #expect(harness.actions().isEmpty, "before its first fix")
        harness.wake(afterHubMs: 1_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        #expect(harness.actions().count == 1, "the fix that waited for the tour")
        harness.wake(afterHubMs: 30_000)
        try harness.grant(.seats(.seatsSet(taken: 10, reason: nil)), ["seats": 30])
        harness.wake(afterHubMs: 30_000)
        #expect(harness.actions().count == 1, "a fix, and no seats, as they are the same")
        harness.wake(afterHubMs: 20_000)
        try harness.grant(.tours(.tourEnd(tour: "t1")), ["tour": "t1", "state": "ended"])
        #expect(harness.machine.tour == nil)
        harness.wake(afterHubMs: 110_000)
        try harness.grant(start("T2"), ["tour": "t2"])
        #expect(harness.notes.count { $0 == .bus(.tourStarted) } == 2)
        harness.machine.signOff(harness.now, &harness.out)
        try harness.grant(.tours(.tourEnd(tour: "t2")), ["tour": "t2", "state": "ended"])
        #expect(harness.machine.tour == nil && harness.machine.isIdle)
    }

    @Test("A trip that the hub does not know is not asked for again; a tour that it had still is ended")
    func refusals() throws {
        var harness = try driver()
        harness.wake(afterHubMs: 10_000)
        try harness.refuse(start("T1"), .notFound)
        harness.wake(afterHubMs: 30_000)
        #expect(harness.actions().isEmpty)
        harness.hear(.snapshot(ch: "bus_driver:b", time: 0, data: ["tour": ["tour": "old", "trip": "T0", "bus": "7"]]))
        try harness.grant(.tours(.tourEnd(tour: "old")), ["tour": "old"])
        #expect(harness.machine.tour == nil)
    }

    @Test("What the hub ended is begun again, what stands still sends nothing")
    func lost() throws {
        var harness = try driver()
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        _ = harness.actions()
        harness.event("tour.ended", ["tour": "t1", "reason": "lost"])
        try harness.grant(start("T1"), ["tour": "t1b"])
        #expect(harness.machine.tour?.id == "t1b")
        _ = harness.actions()
        harness.machine.standStill()
        harness.wake(afterHubMs: 300_000)
        #expect(harness.actions().isEmpty)
    }

    func places(_ state: String, lat: Double = 45.004) -> JSONValue {
        let request: JSONValue = ["request": "q", "state": .string(state), "at": 1_070_000, "passengers": 1]
        return [["place": "q", "at": 1_070_000, "lat": .number(lat), "lon": 9, "requests": [request]]]
    }

    @Test("A request is answered, and done when the bus has been there")
    func answers() throws {
        var harness = try driver()
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        _ = harness.actions()
        harness.event(
            "stop.requested", ["tour": "t1", "request": "q", "state": "requested", "places": places("requested")])
        #expect(harness.actions().isEmpty, "people take a while")
        harness.wake(afterHubMs: 6_000)
        try harness.grant(
            .stops(.stopAnswer(.accept, request: "q", all: false)), ["requests": ["q"], "state": "accepted"])
        harness.event("stop.list", ["tour": "t1", "request": "q", "state": "accepted", "places": places("accepted")])
        harness.wake(afterHubMs: 24_000)
        try harness.grant(.seats(.seatsSet(taken: 10, reason: nil)), ["seats": 30])
        #expect(harness.machine.list.asks["q"]?.tapMs == nil, "not there yet")
        harness.wake(afterHubMs: 30_000)
        _ = harness.actions()
        harness.wake(afterHubMs: 4_000)
        try harness.grant(
            .stops(.stopAnswer(.complete, request: "q", all: false)), ["requests": ["q"], "state": "completed"])
        #expect(harness.machine.list.asks.isEmpty)
    }

    @Test("Silence stays silent; who has no seats declines; a withdrawn request is forgotten")
    func otherAnswers() throws {
        var silent = BehaviourModel.smooth
        silent.accept = 0
        var harness = try driver(behaviour: silent)
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        _ = harness.actions()
        harness.event("stop.requested", ["tour": "t1", "request": "q", "places": places("requested")])
        harness.wake(afterHubMs: 15_000)
        #expect(try harness.sent().isEmpty)
        harness.event("stop.withdrawn", ["tour": "t1", "request": "q", "reason": "cancelled"])
        #expect(harness.machine.list.asks.isEmpty)

        harness = try driver()
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        _ = harness.actions()
        harness.event("stop.requested", ["tour": "t1", "request": "q", "places": places("requested")])
        harness.wake(afterHubMs: 6_000)
        try harness.refuse(.stops(.stopAnswer(.accept, request: "q", all: false)), .seatsFull)
        _ = try harness.take(.stops(.stopAnswer(.decline, request: "q", all: false)))
    }

    @Test("Nobody is there: said too early first, and again when the bus has stood there; later it is late")
    func noShow() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.stopNoShow = 1
        var harness = try driver(behaviour: behaviour)
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        harness.event("stop.requested", ["tour": "t1", "request": "q", "places": places("accepted", lat: 45.002)])
        harness.wake(afterHubMs: 30_000)
        try harness.grant(.seats(.seatsSet(taken: 10, reason: nil)), ["seats": 30])
        let answer = Command.stops(.stopAnswer(.noshow, request: "q", all: false))
        harness.wake(afterHubMs: 4_000)
        try harness.refuse(answer, .notAvailable)
        harness.wake(afterHubMs: 15_000)
        #expect(harness.machine.track.suffix(2).map(\.point) == [point(45.002, 9), point(45.002, 9)])
        try harness.refuse(answer, .notAvailable)
        harness.wake(afterHubMs: 15_000)
        try harness.grant(answer, ["requests": ["q"], "state": "no_show"])
        #expect(harness.notes.count { $0 == .bus(.noShowRefused) } == 2 && harness.machine.list.asks.isEmpty)
        for _ in 0..<12 { harness.wake(afterHubMs: 5_000) }
        let track = harness.machine.track
        #expect(track.map(\.at) == track.map(\.at).sorted() && Set(track.map(\.at)).count == track.count)
        #expect(track.last?.point == point(45.004, 9))
        #expect(try #require(track.last).at >= Self.start + 70_000 + 34_000, "it goes on as late as it has waited")
    }

    @Test("A place between two recorded positions is gone by, and stood at")
    func noShowOnTheWay() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.stopNoShow = 1
        var harness = try driver(behaviour: behaviour)
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        harness.event("stop.requested", ["tour": "t1", "request": "q", "places": places("accepted", lat: 45.003)])
        harness.wake(afterHubMs: 30_000)
        try harness.grant(.seats(.seatsSet(taken: 10, reason: nil)), ["seats": 30])
        for _ in 0..<4 { harness.wake(afterHubMs: 5_000) }
        try harness.refuse(.stops(.stopAnswer(.noshow, request: "q", all: false)), .notAvailable)
        #expect(harness.machine.track.last?.point == point(45.003, 9))
        for _ in 0..<20 { harness.wake(afterHubMs: 5_000) }
        let track = harness.machine.track
        #expect(track.map(\.at) == track.map(\.at).sorted() && Set(track.map(\.at)).count == track.count)
        #expect(track.last?.point == point(45.004, 9))
    }

    @Test("Who accepts when it is all but past the place has seen somebody there")
    func noShowTooLate() throws {
        var behaviour = BehaviourModel.smooth
        behaviour.stopNoShow = 1
        var harness = try driver(behaviour: behaviour)
        harness.wake(afterHubMs: 10_000)
        try harness.grant(start("T1"), ["tour": "t1"])
        harness.event("stop.requested", ["tour": "t1", "request": "q", "places": places("accepted", lat: 45.001)])
        harness.wake(afterHubMs: 30_000)
        try harness.grant(.seats(.seatsSet(taken: 10, reason: nil)), ["seats": 30])
        harness.wake(afterHubMs: 4_000)
        try harness.grant(
            .stops(.stopAnswer(.complete, request: "q", all: false)), ["requests": ["q"], "state": "completed"])
    }

    // MARK: Citizens

    func citizen(_ behaviour: BehaviourModel = .smooth) throws -> MachineHarness<CitizenMachine> {
        let planned = [10, 20].map {
            PlannedStop(
                askMs: Self.start + $0 * 1000, place: point(45.1, 9), pickupMs: Self.start + 600_000, passengers: 2)
        }
        var harness = MachineHarness(
            CitizenMachine(
                citizen: .init(subject: "c", line: "L", planned: planned), behaviour: behaviour, keyPrefix: "k", seed: 1
            ))
        try harness.connect()
        harness.machine.begin(harness.now)
        try harness.grant(
            .channels(.subscribe(channel: "line:L", options: FeedOptions(), since: nil)), ["seq": "900-0"])
        return harness
    }

    let request = Command.stops(
        .stopRequest(
            StopRequest(line: "L", place: .point(lat: 45.1, lon: 9), at: 1_600_000, passengers: 2, name: "Citizen c")))

    @Test("A citizen asks for one stop after the other, and is told of each")
    func asks() throws {
        var harness = try citizen()
        harness.wake(afterHubMs: 10_000)
        try harness.grant(request, ["request": "q1", "state": "requested"])
        harness.wake(afterHubMs: 20_000)
        #expect(try harness.sent().isEmpty, "the first is open")
        harness.event("stop.pending", ["request": "q1"])
        harness.event("stop.accepted", ["request": "q1"])
        #expect(!harness.machine.isSettled)
        harness.event("stop.completed", ["request": "q1"])
        #expect(harness.machine.asks.map(\.outcome) == [.completed])
        harness.wake(afterHubMs: 1)
        try harness.refuse(request, .noDriver)
        #expect(harness.machine.asks.map(\.outcome) == [.completed, .refused(code: .noDriver)])
        #expect(harness.machine.isSettled)
    }

    @Test("The event may come before the reply; what is open is cancelled in the end")
    func cancels() throws {
        var harness = try citizen()
        harness.wake(afterHubMs: 10_000)
        let asked = try harness.take(request)
        harness.event("stop.pending", ["request": "q1"])
        harness.hear(.reply(id: asked.id!, ok: ["request": "q1"]))
        harness.machine.close()
        harness.machine.cancel(harness.now, &harness.out)
        harness.machine.cancel(harness.now, &harness.out)
        try harness.grant(.stops(.stopCancel(request: "q1")), ["request": "q1", "state": "cancelled"])
        harness.event("stop.cancelled", ["request": "q1"])
        #expect(harness.machine.asks.map(\.outcome) == [.cancelled] && harness.machine.isSettled)
    }

    @Test("The line is read on after a cut, each event once")
    func readsOn() throws {
        var harness = try citizen()
        func change(_ seq: String) -> ServerMessage {
            .event(ch: "line:L", seq: seq, type: "schedule.changed", time: 0, data: ["reason": "late"])
        }
        harness.hear(change("901-0"))
        harness.hear(
            .snapshot(ch: "line:L", time: 0, data: ["line": "L", "buses": [["tour": "t", "state": "running"]]]))
        #expect(harness.machine.view.buses.keys.sorted() == ["t"])
        harness.machine.closed(code: 1006, reason: "", harness.now, &harness.out)
        harness.wake(afterHubMs: 200)
        _ = harness.actions()
        harness.machine.opened(token: "tok.en", harness.now, &harness.out)
        #expect(try harness.greet() == ["1000-0", "901-0"])
        harness.hear(change("901-0"))
        harness.hear(change("902-0"))
        let shared = try #require(harness.machine.session.shared)
        #expect(shared.events.map(\.seq) == ["901-0", "902-0"] && shared.doubles.map(\.seq) == ["901-0"])
        harness.hear(.gap(ch: "line:L"))
        harness.hear(change("950-0"))
        harness.hear(change("951-0"))
        let later = try #require(harness.machine.session.shared)
        #expect(later.gaps == 1 && later.stretches.map(\.after) == ["900-0", "950-0"] && later.last == "951-0")
        harness.hear(.snapshot(ch: "line:L", time: 0, data: ["line": "L", "buses": []]))
        #expect(harness.machine.view.buses.isEmpty)
    }
}
