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

    func driver(odds: Odds = .smooth) throws -> Stage<BusDriverMachine> {
        let runs = [
            RecordedBuses.Run(
                line: "L", trip: "T1", fixes: [fix(10, 45), fix(40, 45.002, load: 0.25), fix(70, 45.004, load: 0.25)]),
            RecordedBuses.Run(line: "L", trip: "T2", fixes: [fix(200, 45.01), fix(230, 45.012)]),
        ]
        var stage = Stage(
            BusDriverMachine(
                driver: .init(subject: "b", bus: "7", runs: runs), seats: 40, odds: odds, keyPrefix: "k", seed: 1))
        try stage.connect()
        stage.machine.begin(stage.now)
        return stage
    }

    func start(_ trip: String) -> Command { .tourStart(bus: "7", line: "L", pattern: nil, trip: trip) }

    @Test("Each recorded run is a tour, with its positions and its seats")
    func drives() throws {
        var stage = try driver()
        #expect(stage.machine.session.ownChannel == "bus_driver:b" && BusDriverMachine.role == "bus_driver")
        stage.wake(afterHubMs: 9_000)
        #expect(stage.actions().isEmpty, "before its first fix")
        stage.wake(afterHubMs: 1_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        #expect(stage.actions().count == 1, "the fix that waited for the tour")
        stage.wake(afterHubMs: 30_000)
        try stage.grant(.seatsSet(taken: 10, reason: nil), ["seats": 30])
        stage.wake(afterHubMs: 30_000)
        #expect(stage.actions().count == 1, "a fix, and no seats, as they are the same")
        stage.wake(afterHubMs: 20_000)
        try stage.grant(.tourEnd(tour: "t1"), ["tour": "t1", "state": "ended"])
        #expect(stage.machine.tour == nil)
        stage.wake(afterHubMs: 110_000)
        try stage.grant(start("T2"), ["tour": "t2"])
        #expect(stage.notes.count { $0 == .bus(.tourStarted) } == 2)
        stage.machine.signOff(stage.now, &stage.out)
        try stage.grant(.tourEnd(tour: "t2"), ["tour": "t2", "state": "ended"])
        #expect(stage.machine.tour == nil && stage.machine.isIdle)
    }

    @Test("A trip that the hub does not know is not asked for again; a tour that it had still is ended")
    func refusals() throws {
        var stage = try driver()
        stage.wake(afterHubMs: 10_000)
        try stage.refuse(start("T1"), .notFound)
        stage.wake(afterHubMs: 30_000)
        #expect(stage.actions().isEmpty)
        stage.hear(.snapshot(ch: "bus_driver:b", time: 0, data: ["tour": ["tour": "old", "trip": "T0", "bus": "7"]]))
        try stage.grant(.tourEnd(tour: "old"), ["tour": "old"])
        #expect(stage.machine.tour == nil)
    }

    @Test("What the hub ended is begun again, what stands still sends nothing")
    func lost() throws {
        var stage = try driver()
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        _ = stage.actions()
        stage.event("tour.ended", ["tour": "t1", "reason": "lost"])
        try stage.grant(start("T1"), ["tour": "t1b"])
        #expect(stage.machine.tour?.id == "t1b")
        _ = stage.actions()
        stage.machine.standStill()
        stage.wake(afterHubMs: 300_000)
        #expect(stage.actions().isEmpty)
    }

    func places(_ state: String, lat: Double = 45.004) -> JSONValue {
        let request: JSONValue = ["request": "q", "state": .string(state), "at": 1_070_000, "passengers": 1]
        return [["place": "q", "at": 1_070_000, "lat": .number(lat), "lon": 9, "requests": [request]]]
    }

    @Test("A request is answered, and done when the bus has been there")
    func answers() throws {
        var stage = try driver()
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        _ = stage.actions()
        stage.event(
            "stop.requested", ["tour": "t1", "request": "q", "state": "requested", "places": places("requested")])
        #expect(stage.actions().isEmpty, "people take a while")
        stage.wake(afterHubMs: 6_000)
        try stage.grant(.stopAnswer(.accept, request: "q", all: false), ["requests": ["q"], "state": "accepted"])
        stage.event("stop.list", ["tour": "t1", "request": "q", "state": "accepted", "places": places("accepted")])
        stage.wake(afterHubMs: 24_000)
        try stage.grant(.seatsSet(taken: 10, reason: nil), ["seats": 30])
        #expect(stage.machine.list.asks["q"]?.tapMs == nil, "not there yet")
        stage.wake(afterHubMs: 30_000)
        _ = stage.actions()
        stage.wake(afterHubMs: 4_000)
        try stage.grant(.stopAnswer(.complete, request: "q", all: false), ["requests": ["q"], "state": "completed"])
        #expect(stage.machine.list.asks.isEmpty)
    }

    @Test("Silence stays silent; who has no seats declines; a withdrawn request is forgotten")
    func otherAnswers() throws {
        var silent = Odds.smooth
        silent.accept = 0
        var stage = try driver(odds: silent)
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        _ = stage.actions()
        stage.event("stop.requested", ["tour": "t1", "request": "q", "places": places("requested")])
        stage.wake(afterHubMs: 15_000)
        #expect(try stage.sent().isEmpty)
        stage.event("stop.withdrawn", ["tour": "t1", "request": "q", "reason": "cancelled"])
        #expect(stage.machine.list.asks.isEmpty)

        stage = try driver()
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        _ = stage.actions()
        stage.event("stop.requested", ["tour": "t1", "request": "q", "places": places("requested")])
        stage.wake(afterHubMs: 6_000)
        try stage.refuse(.stopAnswer(.accept, request: "q", all: false), .seatsFull)
        _ = try stage.take(.stopAnswer(.decline, request: "q", all: false))
    }

    @Test("Nobody is there: said too early first, and again when the bus has stood there; later it is late")
    func noShow() throws {
        var odds = Odds.smooth
        odds.stopNoShow = 1
        var stage = try driver(odds: odds)
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        stage.event("stop.requested", ["tour": "t1", "request": "q", "places": places("accepted", lat: 45.002)])
        stage.wake(afterHubMs: 30_000)
        try stage.grant(.seatsSet(taken: 10, reason: nil), ["seats": 30])
        let answer = Command.stopAnswer(.noshow, request: "q", all: false)
        stage.wake(afterHubMs: 4_000)
        try stage.refuse(answer, .notAvailable)
        stage.wake(afterHubMs: 15_000)
        #expect(stage.machine.track.suffix(2).map(\.point) == [point(45.002, 9), point(45.002, 9)])
        try stage.refuse(answer, .notAvailable)
        stage.wake(afterHubMs: 15_000)
        try stage.grant(answer, ["requests": ["q"], "state": "no_show"])
        #expect(stage.notes.count { $0 == .bus(.noShowRefused) } == 2 && stage.machine.list.asks.isEmpty)
        for _ in 0..<12 { stage.wake(afterHubMs: 5_000) }
        let track = stage.machine.track
        #expect(track.map(\.at) == track.map(\.at).sorted() && Set(track.map(\.at)).count == track.count)
        #expect(track.last?.point == point(45.004, 9))
        #expect(try #require(track.last).at >= Self.start + 70_000 + 34_000, "it goes on as late as it has waited")
    }

    @Test("A place between two recorded positions is gone by, and stood at")
    func noShowOnTheWay() throws {
        var odds = Odds.smooth
        odds.stopNoShow = 1
        var stage = try driver(odds: odds)
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        stage.event("stop.requested", ["tour": "t1", "request": "q", "places": places("accepted", lat: 45.003)])
        stage.wake(afterHubMs: 30_000)
        try stage.grant(.seatsSet(taken: 10, reason: nil), ["seats": 30])
        for _ in 0..<4 { stage.wake(afterHubMs: 5_000) }
        try stage.refuse(.stopAnswer(.noshow, request: "q", all: false), .notAvailable)
        #expect(stage.machine.track.last?.point == point(45.003, 9))
        for _ in 0..<20 { stage.wake(afterHubMs: 5_000) }
        let track = stage.machine.track
        #expect(track.map(\.at) == track.map(\.at).sorted() && Set(track.map(\.at)).count == track.count)
        #expect(track.last?.point == point(45.004, 9))
    }

    @Test("Who accepts when it is all but past the place has seen somebody there")
    func noShowTooLate() throws {
        var odds = Odds.smooth
        odds.stopNoShow = 1
        var stage = try driver(odds: odds)
        stage.wake(afterHubMs: 10_000)
        try stage.grant(start("T1"), ["tour": "t1"])
        stage.event("stop.requested", ["tour": "t1", "request": "q", "places": places("accepted", lat: 45.001)])
        stage.wake(afterHubMs: 30_000)
        try stage.grant(.seatsSet(taken: 10, reason: nil), ["seats": 30])
        stage.wake(afterHubMs: 4_000)
        try stage.grant(.stopAnswer(.complete, request: "q", all: false), ["requests": ["q"], "state": "completed"])
    }

    // MARK: Citizens

    func citizen(_ odds: Odds = .smooth) throws -> Stage<CitizenMachine> {
        let wishes = [10, 20].map {
            StopWish(
                askMs: Self.start + $0 * 1000, place: point(45.1, 9), pickupMs: Self.start + 600_000, passengers: 2)
        }
        var stage = Stage(
            CitizenMachine(
                citizen: .init(subject: "c", line: "L", wishes: wishes), odds: odds, keyPrefix: "k", seed: 1))
        try stage.connect()
        stage.machine.begin(stage.now)
        try stage.grant(.subscribe(channel: "line:L", options: FeedOptions(), since: nil), ["seq": "900-0"])
        return stage
    }

    let request = Command.stopRequest(
        StopRequest(line: "L", place: .point(lat: 45.1, lon: 9), at: 1_600_000, passengers: 2, name: "Citizen c"))

    @Test("A citizen asks for one stop after the other, and is told of each")
    func asks() throws {
        var stage = try citizen()
        stage.wake(afterHubMs: 10_000)
        try stage.grant(request, ["request": "q1", "state": "requested"])
        stage.wake(afterHubMs: 20_000)
        #expect(try stage.sent().isEmpty, "the first is open")
        stage.event("stop.pending", ["request": "q1"])
        stage.event("stop.accepted", ["request": "q1"])
        #expect(!stage.machine.isSettled)
        stage.event("stop.completed", ["request": "q1"])
        #expect(stage.machine.asks.map(\.outcome) == [.completed])
        stage.wake(afterHubMs: 1)
        try stage.refuse(request, .noDriver)
        #expect(stage.machine.asks.map(\.outcome) == [.completed, .refused(code: .noDriver)])
        #expect(stage.machine.isSettled)
    }

    @Test("The event may come before the reply; what is open is cancelled in the end")
    func cancels() throws {
        var stage = try citizen()
        stage.wake(afterHubMs: 10_000)
        let asked = try stage.take(request)
        stage.event("stop.pending", ["request": "q1"])
        stage.hear(.reply(id: asked.id!, ok: ["request": "q1"]))
        stage.machine.close()
        stage.machine.cancel(stage.now, &stage.out)
        stage.machine.cancel(stage.now, &stage.out)
        try stage.grant(.stopCancel(request: "q1"), ["request": "q1", "state": "cancelled"])
        stage.event("stop.cancelled", ["request": "q1"])
        #expect(stage.machine.asks.map(\.outcome) == [.cancelled] && stage.machine.isSettled)
    }

    @Test("The line is read on after a cut, each event once")
    func readsOn() throws {
        var stage = try citizen()
        func change(_ seq: String) -> ServerMessage {
            .event(ch: "line:L", seq: seq, type: "schedule.changed", time: 0, data: ["reason": "late"])
        }
        stage.hear(change("901-0"))
        stage.hear(
            .snapshot(ch: "line:L", time: 0, data: ["line": "L", "buses": [["tour": "t", "state": "running"]]]))
        #expect(stage.machine.view.buses.keys.sorted() == ["t"])
        stage.machine.closed(code: 1006, reason: "", stage.now, &stage.out)
        stage.wake(afterHubMs: 200)
        _ = stage.actions()
        stage.machine.opened(token: "tok.en", stage.now, &stage.out)
        #expect(try stage.greet() == ["1000-0", "901-0"])
        stage.hear(change("901-0"))
        stage.hear(change("902-0"))
        let shared = try #require(stage.machine.session.shared)
        #expect(shared.events.map(\.seq) == ["901-0", "902-0"] && shared.doubles.map(\.seq) == ["901-0"])
        stage.hear(.gap(ch: "line:L"))
        stage.hear(change("950-0"))
        stage.hear(change("951-0"))
        let later = try #require(stage.machine.session.shared)
        #expect(later.gaps == 1 && later.stretches.map(\.after) == ["900-0", "950-0"] && later.last == "951-0")
        stage.hear(.snapshot(ch: "line:L", time: 0, data: ["line": "L", "buses": []]))
        #expect(stage.machine.view.buses.isEmpty)
    }
}
