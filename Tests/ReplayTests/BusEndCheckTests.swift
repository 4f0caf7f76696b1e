import Testing
import Wire

@testable import Replay

/// What the clients of a run of buses have in the end, against log and state (C47, C51, C55).
@Suite struct BusEndCheckTests {
    var end: BusSnapshot {
        var end = BusSnapshot()
        var tour = BusSnapshot.Tour(
            bus: "7", line: "L", driver: "d", state: "running", seats: 40, taken: 10, next: 3)
        (tour.at, tour.lat, tour.lon, tour.delay, tour.trip) = (1_000, 38.9, -77.05, 60, "T")
        end.tours = [
            "t": tour,
            "old": BusSnapshot.Tour(bus: "8", line: "L", driver: "e", state: "ended", seats: 40, taken: 0, next: 9),
        ]
        return end
    }

    /// As the hub tells it.
    func state(_ change: (inout JSONObject) -> Void = { _ in }) -> JSONValue {
        var bus: JSONObject = [
            "tour": "t", "bus": "7", "line": "L", "trip": "T", "state": "running", "off_route": false, "delay_s": 60,
            "seats": ["total": 40, "taken": 10, "free": 30],
            "position": ["lat": 38.9, "lon": -77.05, "at": 1_000], "next_stop": ["index": 3, "stop": "s"],
        ]
        change(&bus)
        return .object(bus)
    }

    func citizen(
        _ states: [JSONValue], asks: [CitizenMachine.Ask] = [], told: [(String, String?)] = [], pending: Bool = false
    ) -> BusEndCheck.Citizen {
        var view = LineView(line: "L")
        var out: [ClientAction] = []
        for state in states { view.take("bus", hubMs: 0, state, &out) }
        return BusEndCheck.Citizen(
            subject: "c", asks: asks, view: view, hasPending: pending, receipts: receipts("passenger:c", told))
    }

    func receipts(_ channel: String, _ told: [(String, String?)]) -> ChannelReceipts {
        var receipts = ChannelReceipts(channel: channel)
        for (index, (type, state)) in told.enumerated() {
            var receipt = Receipt(seq: "1-\(index + 1)", type: type)
            (receipt.request, receipt.state) = ("q", state)
            _ = receipts.take(receipt)
        }
        return receipts
    }

    func rules(_ states: [JSONValue], _ end: BusSnapshot? = nil) -> [Violation.Rule] {
        BusEndCheck.lines([citizen(states)], end ?? self.end).map(\.rule)
    }

    @Test("Each reader of a line sees each of its buses as it is")
    func lastStates() {
        #expect(rules([state()]) == [])
        #expect(rules([]) == [.line], "a bus is not shown")
        #expect(rules([state { $0["delay_s"] = 90 }]) == [.line])
        #expect(rules([state { $0["next_stop"] = ["index": 2, "stop": "r"] }]) == [.line])
        #expect(rules([state { $0["position"] = ["lat": 38.9, "lon": -77.06, "at": 1_000] }]) == [.line])
        #expect(rules([state(), state { $0["tour"] = "old" }]) == [.line], "a tour that has ended")
        #expect(rules([state(), state { $0["state"] = "ended" }]) == [.line], "a tour that has not ended")
    }

    @Test("Nothing goes back, and seats add up")
    func faults() {
        let back = state { $0["position"] = ["lat": 38.9, "lon": -77.05, "at": 2_000] }
        #expect(rules([back, state()]) == [.order])
        #expect(rules([state { $0["state"] = "ended" }, state()]) == [.order])
        #expect(rules([state { $0["seats"] = ["total": 40, "taken": 41, "free": -1] }, state()]) == [.seats])
        #expect(rules([state { $0["seats"] = ["total": 40, "taken": 10, "free": 29] }, state()]) == [.seats])
        #expect(rules([state { $0["seats"] = nil }, state()]) == [.seats])
        #expect(rules([state(), state { $0["line"] = "M" }, state()]) == [.line])
    }

    // MARK: Requests

    let log = """
        tour.started t=t bus=7 line=L d=d

        stop.requested q=q line=L t=t c=c

        stop.accepted q=q t=t c=c

        stop.completed q=q line=L t=t c=c
        """

    func told(_ log: String, citizen told: [String], driver: [(String, String?)], outcome: StopOutcome? = .completed)
        -> Int
    {
        var checker = BusLogChecker()
        for event in events(log) { checker.take(event) }
        var ask = CitizenMachine.Ask()
        (ask.request, ask.outcome) = ("q", outcome)
        let client = citizen([], asks: [ask], told: told.map { ($0, nil) })
        return BusEndCheck.told([client], drivers: ["d": receipts("bus_driver:d", driver)], log: checker).count
    }

    private func events(_ text: String) -> [LoggedEvent] { ReplayTests.log(text) }

    @Test("Both sides are told what became of a request")
    func bothSides() {
        let mine = ["stop.pending", "stop.accepted", "stop.completed"]
        let theirs: [(String, String?)] = [
            ("stop.requested", "requested"), ("stop.list", "accepted"), ("stop.list", "completed"),
        ]
        #expect(told(log, citizen: mine, driver: theirs) == 0)
        #expect(told(log, citizen: Array(mine.dropLast()), driver: theirs) == 1, "no outcome")
        #expect(told(log, citizen: mine + ["stop.expired"], driver: theirs) == 1, "two outcomes")
        #expect(told(log, citizen: ["stop.pending", "stop.completed"], driver: theirs) == 1, "no acceptance")
        #expect(told(log, citizen: mine, driver: theirs, outcome: nil) == 1, "it still waits")
        #expect(told(log, citizen: mine, driver: Array(theirs.dropFirst())) == 1, "the driver was never asked")
        #expect(told(log, citizen: mine, driver: Array(theirs.dropLast())) == 1, "the driver was not told of the end")
        let cancelled = log.split(separator: "\n").dropLast().joined(separator: "\n") + "\n\nstop.cancelled q=q t=t c=c"
        let gone = ["stop.pending", "stop.accepted", "stop.cancelled"]
        #expect(told(cancelled, citizen: gone, driver: theirs + [("stop.withdrawn", nil)], outcome: .cancelled) == 0)
        #expect(told(cancelled, citizen: gone, driver: theirs, outcome: .cancelled) == 1)
    }

    @Test("A request whose tour has ended is asked anew: told so, promised again, and then has one outcome")
    func reopened() {
        let twice =
            log.split(separator: "\n").dropLast().joined(separator: "\n") + """


                tour.ended t=t bus=7 line=L d=d

                stop.reopened q=q line=L c=c

                tour.started t=u bus=8 line=L d=e

                stop.accepted q=q t=u c=c

                stop.near q=q t=u

                stop.completed q=q line=L t=u c=c
                """
        #expect(found(twice) == [])
        #expect(
            found(twice.replacing("stop.reopened q=q line=L c=c", with: "stop.unanswered q=q t=t")) == [.acceptance])
        let theirs: [(String, String?)] = [("stop.requested", "requested"), ("stop.list", "accepted")]
        let (asked, promised) = ("stop.pending", "stop.accepted")
        let whole = [asked, promised, asked, asked, promised, "stop.near", "stop.completed"]
        #expect(told(twice, citizen: whole, driver: theirs) == 0)
        #expect(told(twice, citizen: [asked, promised, promised, "stop.completed"], driver: theirs) == 1, "in silence")
        #expect(found("stop.requested q=q line=L c=c") == [], "ahead, without a tour")
    }

    // MARK: The log

    func found(_ text: String) -> [Violation.Rule] {
        var checker = BusLogChecker()
        for event in events(text) { checker.take(event) }
        return checker.violations.map(\.rule)
    }

    @Test("A clean log is clean, and each rule can be broken")
    func steps() {
        #expect(found(log + "\n\nseats.changed t=t bus=7 taken=40 seats=40\n\ntour.ended t=t bus=7 line=L d=d") == [])
        #expect(found(log + "\n\ntour.started t=u bus=7 line=L d=e") == [.tour], "the bus has two tours")
        #expect(found(log + "\n\ntour.started t=u bus=8 line=L d=d") == [.tour], "the driver has two")
        #expect(found(log + "\n\ntour.ended t=t\n\ntour.ended t=t") == [.tour])
        #expect(found(log + "\n\nseats.changed t=t taken=41 seats=40") == [.seats])
        #expect(found(log + "\n\ntour.ended t=t\n\nseats.changed t=t taken=1 seats=40") == [.tour])
        #expect(found(log + "\n\nstop.cancelled q=q t=t c=c") == [.outcome], "two outcomes")
        #expect(found(log + "\n\nstop.accepted q=q t=t c=c") == [.acceptance])
        #expect(found(log + "\n\nstop.declined q=z t=t c=c") == [.log])
        let open = "tour.started t=t bus=7 line=L d=d\n\nstop.requested q=q line=L t=t c=c\n\n"
        #expect(found(open + "stop.near q=q t=t") == [.alert], "nobody has accepted")
        let accepted = open + "stop.accepted q=q t=t c=c\n\nstop.near q=q t=t\n\n"
        #expect(found(accepted + "stop.arrived q=q t=t") == [])
        #expect(found(accepted + "stop.near q=q t=t") == [.alert], "the same alert twice")
    }
}
