import Domain
import Testing
import Wire

@testable import Replay

/// What the table says of times of arrival.
@Suite struct ETATallyTests {
    func told(_ seconds: Double, at atMs: Int64, isFirst: Bool = false, ride: String = "r") throws -> ToldETA {
        var data: JSONValue = ["ride": .string(ride), "taxi": "T", "eta_s": .number(seconds)]
        if !isFirst {
            data = [
                "ride": .string(ride), "taxi": "T", "eta_s": .number(seconds), "early_s": .number(seconds - 50),
                "late_s": .number(seconds + 50),
            ]
        }
        return try #require(ToldETA(data, atMs: atMs, isFirst: isFirst))
    }

    @Test("What was believed every half minute counts, until three minutes before the arrival")
    func believed() throws {
        var tally = ETATally()
        tally.setOut(isRecorded: true)
        tally.told(try told(200, at: 0, isFirst: true))
        // 250 s are left: 80 % of it is believed after 50 s have passed, and from then on what is told there.
        tally.told(try told(220, at: 50_000))
        #expect(tally.first.all.count == 0, "not known yet")
        tally.arrived(ride: "r", taxi: "T", atMs: 300_000, isRecorded: true)
        #expect(tally.ridesJudged == 1 && tally.waysRecorded == 1)
        #expect(abs(try #require(tally.first.all.error) - 1.0 / 3) < 1e-9)
        // At 0, 30, 60, 90 and 120 s: 200 of 300, 170 of 270, 210 of 240, 180 of 210, 150 of 180.
        #expect(tally.believed.all.count == 5)
        let wanted = (100.0 / 300 + 100.0 / 270 + 30.0 / 240 + 30.0 / 210 + 30.0 / 180) / 5
        #expect(abs(try #require(tally.believed.all.error) - wanted) < 1e-9)
        #expect(tally.believed.buckets.map(\.count) == [5, 0, 0, 0, 0])
        #expect(tally.believed.all.before == 0 && tally.believed.all.after == 0, "of the three that had bounds")
        tally.arrived(ride: "r", taxi: "T", atMs: 900_000, isRecorded: true)
        #expect(tally.believed.all.count == 5, "a taxi arrives once")
    }

    @Test("A ride whose taxi came straight is counted and not judged, nor is what another taxi was to take")
    func notJudged() throws {
        var tally = ETATally()
        tally.setOut(isRecorded: false)
        tally.told(try told(400, at: 0, isFirst: true))
        tally.arrived(ride: "r", taxi: "T", atMs: 500_000, isRecorded: false)
        tally.told(try told(400, at: 0, isFirst: true, ride: "s"))
        tally.arrived(ride: "s", taxi: "U", atMs: 500_000, isRecorded: true)
        #expect(tally.ridesNotJudged == 1 && tally.ridesJudged == 1 && tally.waysStraight == 1)
        #expect(tally.first.all.count == 0 && tally.believed.all.count == 0)
    }

    @Test("The table says whether ETAs were judged")
    func table() throws {
        func report(_ change: (inout Tally) throws -> Void) rethrows -> ReplayReport {
            var tally = Tally()
            try change(&tally)
            return ReplayReport(summary: "", speed: 1, tally: tally, verdict: nil, open: [], seconds: 1)
        }
        #expect(try JSONValue(parsing: report { _ in }.json)["eta_error"] == .null)
        #expect(report { _ in }.text.contains("not judged: no taxi drives on a recorded way"))
        let judged = try report { tally in
            tally.take(.setOut(isRecorded: true), atUs: 0)
            tally.take(.etaTold(try told(250, at: 0, isFirst: true)), atUs: 0)
            tally.take(.arrived(ride: "r", taxi: "T", atMs: 200_000, isRecorded: true), atUs: 0)
        }
        #expect(judged.text.contains("25.0 % off"))
        #expect(judged.text.contains("3 to 6 min ahead") && !judged.text.contains("6 to 10 min ahead"))
        #expect(try JSONValue(parsing: judged.json)["eta_first_error"]?.double == 0.25)
    }
}
