import Testing

@testable import Replay

/// The state in Redis at the end, and what the clients were given (I1–I4, C21, C40, CH1).
@Suite struct EndCheckTests {
    let log = """
        queue.joined d=A z=1 at=1 why=available

        queue.joined d=B z=1 at=2 why=available

        ride.requested r=r1 p=p1 z=1
        offer.made r=r1 d=A z=1 round=1

        queue.left d=A z=1 why=accepted
        ride.accepted r=r1 d=A p=p1
        """

    var end: HubSnapshot {
        var end = HubSnapshot()
        end.queues = ["1": ["B": 2]]
        end.free = end.queues
        end.vehicles = ["A": .init(state: "busy", ride: "r1"), "B": .init(state: "available", zone: "1")]
        end.rides = ["r1": .init(state: "accepted", passenger: "p1", zone: "1", driver: "A")]
        end.passengers = ["p1": "r1"]
        return end
    }

    func rules(_ change: (inout HubSnapshot) -> Void) -> Set<Violation.Rule> {
        var changed = end
        change(&changed)
        var checker = checked(log)
        checker.finish(changed, mustBeOver: false)
        return Set(checker.violations.map(\.rule))
    }

    @Test func theSameStateIsClean() { #expect(rules { _ in } == []) }

    @Test func anOpenRideAtTheEndHasNoOutcome() {
        var checker = checked(log)
        checker.finish(end, mustBeOver: true)
        #expect(checker.violations.map(\.rule) == [.outcome])
    }

    @Test func differencesAreFound() {
        #expect(rules { $0.queues["2"] = ["B": 3] }.isSuperset(of: [.queueMembership, .state]))
        #expect(rules { $0.queues["1"]!["A"] = 1 }.contains(.queueMembership))
        #expect(rules { $0.queues["1"] = [:] }.contains(.queueMembership))
        #expect(rules { $0.queues["1"]!["B"] = 9 } == [.state])
        #expect(rules { $0.free = [:] } == [.state])
        #expect(rules { $0.vehicles["B"]!.offer = "r9" }.contains(.state))
        #expect(rules { $0.queues["1"]!["Z"] = 9 }.contains(.queueMembership))
        #expect(rules { $0.vehicles["A"]!.state = "unavailable" }.contains(.busyWithOneRide))
        #expect(rules { $0.vehicles["B"]!.state = "busy" }.isSuperset(of: [.queueMembership, .busyWithOneRide]))
        #expect(rules { $0.vehicles["B"]!.zone = "7" } == [.state])
        #expect(rules { $0.rides["r1"]!.driver = nil }.contains(.oneDriverPerRide))
        #expect(rules { $0.rides["r1"]!.state = "ended" }.contains(.state))
        #expect(
            rules { $0.rides["r2"] = .init(state: "aboard", passenger: "p2", zone: "1", driver: "A") }.contains(
                .oneDriverPerRide))
        #expect(
            rules { $0.rides["r2"] = .init(state: "searching", passenger: "p1", zone: "1") }.contains(
                .oneRequestPerPassenger))
        #expect(rules { $0.passengers = [:] } == [.state])
        #expect(rules { $0.passengers["p9"] = "r9" } == [.state])
    }

    // MARK: Receipts

    typealias Entry = ReceiptCheck.Entry

    let history = [
        Entry(id: "5-0", type: "opened"), Entry(id: "6-0", type: "ride.searching", ride: "r1"),
        Entry(id: "7-0", type: "ride.accepted", ride: "r1"), Entry(id: "10-0", type: "ride.ended", ride: "r1"),
    ]

    func receipts(_ seqs: [String], after: String = "5-0", left: Bool = false) -> ChannelReceipts {
        var receipts = ChannelReceipts(channel: "passenger:p1")
        receipts.begin(after: after)
        for seq in seqs {
            let entry = history.first { $0.id == seq }
            _ = receipts.take(Receipt(seq: seq, type: entry?.type ?? "x", ride: entry?.ride))
        }
        receipts.hasLeft = left
        return receipts
    }

    func problems(_ receipts: ChannelReceipts, gapsAllowed: Bool = false) -> Int {
        ReceiptCheck.violations(receipts, history: history, gapsAllowed: gapsAllowed).count
    }

    @Test func eachEventOnceAndInOrder() {
        #expect(problems(receipts(["6-0", "7-0", "10-0"])) == 0)
        #expect(problems(receipts(["7-0", "10-0"], after: "6-0")) == 0)
        #expect(problems(receipts(["6-0", "10-0"])) == 1, "one is missing")
        #expect(problems(receipts(["6-0", "7-0"])) == 1, "the last is missing")
        #expect(problems(receipts(["6-0", "7-0"], left: true)) == 0, "it left before the last")
        #expect(problems(receipts(["7-0", "6-0", "10-0"])) == 1, "out of order")
        #expect(problems(receipts(["6-0", "7-0", "10-0", "10-0"])) == 1, "one twice")
        #expect(problems(receipts(["6-0", "7-0", "8-0", "10-0"])) == 1, "one that is not in the history")
        #expect(problems(receipts([])) == 3)
    }

    @Test func aGapIsAFaultUnlessHistoryWasLost() {
        var gap = receipts(["6-0"])
        gap.gaps = 1
        gap.begin(after: "7-0")
        _ = gap.take(Receipt(seq: "10-0", type: "ride.ended", ride: "r1"))
        #expect(problems(gap) == 1)
        #expect(problems(gap, gapsAllowed: true) == 0)
    }

    @Test func whatWasTrimmedAwayIsNotCompared() {
        let all = receipts(["6-0", "7-0", "10-0"])
        #expect(ReceiptCheck.violations(all, history: Array(history.suffix(1)), gapsAllowed: false) == [])
        #expect(ReceiptCheck.violations(all, history: [], gapsAllowed: false) == [])
    }

    // MARK: Outcomes told

    func told(_ types: [String], outcome: RideOutcome?, pending: Bool = false) -> [Violation] {
        var receipts = ChannelReceipts(channel: "passenger:p1")
        for (index, type) in types.enumerated() {
            _ = receipts.take(Receipt(seq: "9-\(index)", type: type, ride: "r1"))
        }
        let passenger = ToldCheck.Passenger(
            subject: "p1", outcome: outcome, ride: "r1", hasPending: pending, receipts: receipts)
        let ended = log + "\n\nride.aboard r=r1 d=A\n\nride.ended r=r1 d=A\nqueue.joined d=A z=1 at=3 why=ended"
        return ToldCheck.violations([passenger], log: checked(ended))
    }

    @Test func everyRequestEndsInAToldOutcome() {
        #expect(told(["ride.searching", "ride.accepted", "ride.ended"], outcome: .ended) == [])
        #expect(told(["ride.accepted", "ride.ended"], outcome: .ended, pending: true).count == 1)
        #expect(told(["ride.accepted"], outcome: nil).count == 2)
        #expect(told(["ride.accepted", "ride.failed"], outcome: .failed(code: "timeout")).count == 1)
        #expect(told(["ride.accepted", "ride.accepted", "ride.ended"], outcome: .ended).count == 1)
        #expect(told(["ride.ended"], outcome: .ended).count == 1)
    }
}
