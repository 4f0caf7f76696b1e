import GTFS
import Testing

@testable import Replay

/// Who is fetched where the bus stood was told that it is there.
@Suite struct ArrivalCheckTests {
    /// The fixes before the driver's word: when, and how far from the place, metres. Accepted at 0.
    func found(_ fixes: [(Int64, Double)], arrives: Bool = false, end outcome: String = "completed") -> Int {
        var checker = BusLogChecker()
        let text = """
            tour.started t=t bus=7 line=L d=d

            stop.requested q=q line=L t=t c=c

            stop.accepted q=q t=t c=c
            \(arrives ? "\nstop.arrived q=q t=t c=c\n" : "")
            stop.\(outcome) q=q t=t c=c
            """
        for event in log(text) { checker.take(event) }
        let isMissed = outcome == "noshow" && !arrives
        #expect(checker.violations.map(\.rule) == (isMissed ? [.noShow] : []))
        var end = BusSnapshot(arrivedM: 20)
        end.requests["q"] = .init(state: outcome, citizen: "c", tour: "t", place: point(45, 9))
        let track = fixes.map { RecordedBuses.Fix(at: $0.0, point: point(45 + $0.1 / 111_195, 9)) }
        return ArrivalCheck.violations(checker, end, served: ["q": track[...]]).count
    }

    @Test func whereTheBusStoodItWasToldSo() {
        let there: [(Int64, Double)] = [(10_000, 300), (20_000, 5), (30_000, 5)]
        #expect(found(there) == 1)
        #expect(found(there, end: "noshow") == 1)
        #expect(found(there, arrives: true) == 0)
        #expect(found(there, end: "cancelled") == 0, "the driver said nothing")
    }

    @Test func otherwiseNobodyKnows() {
        #expect(found([(10_000, 300), (20_000, 25)]) == 0, "further away than counts")
        #expect(found([]) == 0)
        #expect(found([(2_000, 5)]) == 0, "with the acceptance")
    }
}
