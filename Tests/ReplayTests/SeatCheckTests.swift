import Testing
import Wire

@testable import Replay

/// What the log, the state and the clients of minibuses must agree on (C47, C48, C55).
@Suite struct SeatCheckTests {
    let start = SeatSnapshot(
        vehicles: ["M": .init(isOnline: true, capacity: 4, taken: 0, held: 0, seats: 4)])

    /// One booking from its request to its end.
    let ride = """
        seat.requested b=b1 d=M p=p n=2
        seat.asked b=b1 d=M

        seat.seen b=b1 d=M

        seat.confirmed b=b1 d=M p=p n=2
        seats.changed d=M taken=2 seats=2 delta=2 why=booked b=b1


        """
    let end = """
        seat.aboard b=b1 d=M p=p n=2

        seat.ended b=b1 d=M p=p
        seats.changed d=M taken=0 seats=4 delta=-2 why=ended b=b1
        """

    func checked(_ text: String) -> SeatLogChecker {
        var checker = SeatLogChecker(from: start)
        for event in log(text) { checker.take(event) }
        checker.settle()
        return checker
    }

    func found(_ text: String) -> [Violation.Rule] { checked(text).violations.map(\.rule) }

    @Test("A clean log is clean, and each rule can be broken")
    func steps() {
        #expect(found(ride + end) == [])
        #expect(found(ride + "seat.requested b=b2 d=M p=q n=3") == [.seats], "two seats are free")
        #expect(found(ride + "seat.requested b=b2 d=M p=p n=1") == [.oneRequestPerPassenger])
        #expect(found(ride + "driver.offline d=M\n\nseat.requested b=b2 d=M p=q n=1") == [.offer])
        #expect(found(ride + "seat.confirmed b=b1 d=M p=p n=2") == [.acceptance, .seats, .seats], "confirmed twice")
        #expect(found(ride + end + "\n\nseat.cancelled b=b1 d=M p=p") == [.outcome], "two outcomes")
        #expect(
            found(ride + "seat.ended b=b1 d=M p=p\nseats.changed d=M taken=0 seats=4 delta=-2 why=ended b=b1") == [
                .outcome
            ])
        #expect(found(ride + "seat.cancelled b=b1 d=M p=p by=driver") == [.seats], "its seats are not freed")
        #expect(found(ride + "seats.changed d=M taken=5 seats=-1 delta=3 why=got_on").contains(.seats))
        #expect(found(ride + "seats.changed d=M taken=3 seats=1 delta=2 why=got_on") == [.seats], "the sum is wrong")
        #expect(found(ride + "seats.changed d=M taken=3 seats=1 delta=1") == [.log], "a count has a reason")
        #expect(found(ride + "seats.changed d=M taken=1 seats=3 delta=-1 why=got_off") == [.seats, .seats], "promised")
        #expect(found(ride + "seats.clamped d=M taken=4") == [.seats])
        #expect(found(ride + "seat.near b=b1 d=M\n\nseat.arrived b=b1 d=M") == [])
        #expect(found(ride + "seat.near b=b1 d=M\n\nseat.near b=b1 d=M") == [.alert])
        #expect(found("seat.ended b=b9 d=M p=p") == [.log])
        let two = "seat.requested b=b1 d=M p=p n=1\nseat.asked b=b1 d=M\n\nseat.requested b=b2 d=M p=q n=1\n"
        #expect(found(two) == [])
        #expect(found(two + "seat.asked b=b2 d=M") == [.offer], "asked two things at once")
    }

    @Test("A count by hand overrides what those aboard booked, never what is promised")
    func byHand() {
        let aboard = ride + "seat.aboard b=b1 d=M p=p n=2\n\n"
        let counted = aboard + "seats.changed d=M taken=1 seats=3 delta=-1 why=got_off\n\n"
        #expect(found(counted) == [])
        let ended = counted + "seat.ended b=b1 d=M p=p\n"
        #expect(found(ended + "seats.changed d=M taken=0 seats=4 delta=-1 why=ended b=b1") == [])
        #expect(found(ended) == [.seats], "the one seat that is left of it is not freed")
    }

    // MARK: The end

    func state(_ change: (inout SeatSnapshot) -> Void = { _ in }) -> [Violation.Rule] {
        var end = SeatSnapshot(
            vehicles: ["M": .init(isOnline: true, capacity: 4, taken: 2, held: 0, seats: 2, bookings: ["b1"])],
            bookings: ["b1": .init(state: "confirmed", passenger: "p", driver: "M", passengers: 2, seats: 2)],
            booked: ["p": "b1"])
        change(&end)
        var checker = checked(ride)
        checker.finish(end, mustBeOver: false)
        return checker.violations.map(\.rule)
    }

    @Test("State is as logged")
    func states() {
        #expect(state() == [])
        #expect(state { $0.vehicles["M"]?.held = 1 } == [.seats, .state])
        #expect(state { $0.vehicles["M"]?.seats = 3 } == [.seats])
        #expect(state { $0.vehicles["M"]?.bookings = [] } == [.state])
        #expect(state { $0.vehicles["M"]?.isOnline = false } == [.state])
        #expect(state { $0.bookings["b1"]?.state = "aboard" } == [.state])
        #expect(state { $0.booked = [:] } == [.state])
        #expect(state { $0.holds = ["b1"] } == [.state])
        var checker = checked(ride)
        checker.finish(SeatSnapshot(), mustBeOver: true)
        #expect(checker.violations.map(\.rule).contains(.outcome), "no outcome in the end")
    }

    @Test("M3, M5: who watches sees the free seats, and nothing of who is offline")
    func views() throws {
        func found(_ row: String?, online: Bool = true, placed: Bool = true) throws -> Int {
            var view = VehicleView(vehicle: "M")
            if let row { view.take(isSnapshot: true, gone: [], try JSONValue(parsing: Array(row.utf8))) }
            let rider = SeatEndCheck.Rider(
                subject: "p", asks: [], view: view, hasPending: false, receipts: receipts("passenger:p", []))
            var end = SeatSnapshot()
            end.vehicles["M"] = .init(
                isOnline: online, isPlaced: placed, capacity: 4, taken: 1, held: 0, seats: 3)
            return SeatEndCheck.views([rider], end).count
        }
        let right = #"[["M",45,9,null,"available",3,1000,"live","minibus"]]"#
        #expect(try found(right) == 0)
        #expect(try found(#"[["M",45,9,null,"available",4,1000,"live","minibus"]]"#) == 1)
        #expect(try found("[]") == 1 && found(nil) == 1)
        #expect(try found(right, online: false) == 1 && found(right, placed: false) == 1)
        #expect(try found("[]", online: false) == 0 && found("[]", placed: false) == 0)
    }

    // MARK: What was told

    func receipts(_ channel: String, _ types: [String]) -> ChannelReceipts {
        var receipts = ChannelReceipts(channel: channel)
        for (index, type) in types.enumerated() {
            var receipt = Receipt(seq: "1-\(index + 1)", type: type)
            receipt.booking = "b1"
            _ = receipts.take(receipt)
        }
        return receipts
    }

    func told(_ passenger: [String], _ driver: [String], outcome: SeatOutcome? = .ended) -> Int {
        var ask = RiderMachine.Ask(vehicle: "M")
        (ask.booking, ask.outcome) = ("b1", outcome)
        let rider = SeatEndCheck.Rider(
            subject: "p", asks: [ask], hasPending: false, receipts: receipts("passenger:p", passenger))
        return SeatEndCheck.told([rider], drivers: ["M": receipts("driver:M", driver)], log: checked(ride + end)).count
    }

    @Test("Both sides are told once what became of a booking")
    func bothSides() {
        let mine = ["seat.pending", "seat.confirmed", "seat.aboard", "seat.ended"]
        let theirs = ["seat.requested", "seat.assigned", "seats.changed", "seat.aboard", "seat.ended", "seats.changed"]
        #expect(told(mine, theirs) == 0)
        #expect(told(Array(mine.dropLast()), theirs) == 1, "no outcome")
        #expect(told(mine + ["seat.cancelled"], theirs) == 1, "two outcomes")
        #expect(told(mine + ["seat.ended"], theirs) == 1, "the same twice")
        #expect(told(mine, theirs, outcome: nil) == 1, "it still waits")
        #expect(told(mine, Array(theirs.dropFirst())) == 1, "the driver was never asked")
        #expect(told(mine, Array(theirs.dropLast())) == 1, "a change of seats was not told")
        #expect(told(mine, theirs + ["seat.withdrawn"]) == 1)
    }
}
