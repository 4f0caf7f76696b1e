import GTFS
import Testing

@testable import Replay

/// Nobody has not turned up before the bus has stood there (C51).
@Suite struct NoShowCheckTests {
    func found(_ track: [(Int64, Double)], saidAt: Int64, isTold: Bool = true) -> Int {
        var checker = BusLogChecker()
        let text = """
            tour.started t=t bus=7 line=L d=d

            stop.requested q=q line=L t=t c=c

            stop.accepted q=q t=t c=c

            \(isTold ? "stop.arrived q=q t=t c=c" : "stop.near q=q t=t c=c")

            stop.noshow q=q t=t c=c
            """
        for var event in log(text) {
            event.timeMs = saidAt
            checker.take(event)
        }
        #expect(checker.noShows.count == 1 && checker.violations.map(\.rule) == (isTold ? [] : [.noShow]))
        var end = BusSnapshot(waitMs: 30_000)
        end.requests["q"] = .init(state: "no_show", citizen: "c", tour: "t", place: point(45, 9))
        let fixes = track.map { RecordedBuses.Fix(at: $0.0, point: point(45 + $0.1 / 111_195, 9)) }
        return NoShowCheck.violations(checker, end, tracks: ["d": fixes]).count
    }

    @Test func onlyWhoKnowsThatTheBusIsThere() {
        #expect(found([(0, 0), (40_000, 0)], saidAt: 40_000, isTold: false) == 0, "it has stood there")
    }

    @Test func onlyWhereTheBusHasStoodForLongEnough() {
        #expect(found([(0, 300), (10_000, 10), (20_000, 0), (30_000, 0)], saidAt: 40_000) == 0)
        #expect(found([(0, 300), (10_000, 10), (20_000, 0), (30_000, 0)], saidAt: 39_000) == 1)
        #expect(found([(0, 0), (40_000, 300), (50_000, 400)], saidAt: 60_000) == 0, "it has stood there before")
        #expect(found([(0, 300), (40_000, 80)], saidAt: 60_000) == 1, "not at the place")
        #expect(found([], saidAt: 60_000) == 1)
        #expect(found([(0, 0), (70_000, 0)], saidAt: 20_000) == 1, "what comes later does not count")
    }
}
