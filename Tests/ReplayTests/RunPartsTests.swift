import ClientSupport
import Testing
import Wire

@testable import Replay

@Suite struct RunPartsTests {
    @Test func theAgendaWakesInOrderAndForgetsWhatWasOvertaken() {
        var wakeQueue = WakeQueue()
        for client in 0..<100 { wakeQueue.set(Int64(client * 37 % 100), for: client) }
        wakeQueue.set(500, for: 0)
        wakeQueue.set(.max, for: 1)
        wakeQueue.set(1, for: 2)
        var woken: [Int] = []
        while let client = wakeQueue.next(by: 99) { woken.append(client) }
        let expected = (2..<100).sorted { ($0 == 2 ? 1 : $0 * 37 % 100, $0) < ($1 == 2 ? 1 : $1 * 37 % 100, $1) }
        #expect(Set(woken) == Set(expected) && woken.count == 98)
        #expect(woken.map { $0 == 2 ? 1 : $0 * 37 % 100 } == expected.map { $0 == 2 ? 1 : $0 * 37 % 100 })
        #expect(wakeQueue.next(by: 499) == nil)
        #expect(wakeQueue.next(by: 500) == 0)
        #expect(wakeQueue.next(by: .max) == nil)
    }

    @Test func timesArePairedWhicheverEndIsHeardFirst() {
        var tally = Tally()
        tally.take(.requestSent(subject: "p"), atUs: 1_000)
        tally.take(.offerShown(ride: "r"), atUs: 3_000)
        tally.take(.requestKnown(subject: "p", ride: "r"), atUs: 9_000)
        tally.take(.requestSent(subject: "q"), atUs: 10_000)
        tally.take(.requestKnown(subject: "q", ride: "s"), atUs: 11_000)
        tally.take(.offerShown(ride: "s"), atUs: 14_000)
        // The second offer of a ride is not the first.
        tally.take(.offerShown(ride: "s"), atUs: 99_000)
        tally.take(.acceptSent(ride: "s"), atUs: 100_000)
        tally.take(.acceptTold(ride: "s"), atUs: 106_000)
        #expect(tally.timeToOffer.count == 2)
        #expect(abs((tally.timeToOffer.milliseconds(percentile: 100) ?? 0) - 4) < 0.01)
        #expect(abs((tally.timeToTold.milliseconds(percentile: 50) ?? 0) - 6) < 0.01)
        #expect(tally.offers == 3 && tally.requests == 2)
    }

    @Test func thePaceOfTheHubIsSeenFromItsMessages() {
        var pace = HubPace()
        pace.heard(hubMs: 1_000_000, atRealMs: 0)
        pace.heard(hubMs: 1_060_000, atRealMs: 1_000)
        #expect(pace.hubPerReal == nil)
        pace.heard(hubMs: 1_120_000, atRealMs: 2_000)
        // Out of a history: says nothing of now.
        pace.heard(hubMs: 1_000_500, atRealMs: 3_000)
        #expect(pace.hubPerReal == 60)
    }

    func report(_ violations: [Violation], open: [String] = []) throws -> ReplayReport {
        var tally = Tally()
        tally.take(.requestSent(subject: "p"), atUs: 0)
        tally.take(.outcome(.failed(code: "no_driver")), atUs: 0)
        tally.take(.refused(.offerExpired), atUs: 0)
        let log = log("ride.requested r=r1 p=p1 z=1\n\nride.failed r=r1 code=x")
        let verdict = Verdict(
            violations: violations, contexts: violations.map { _ in log }, events: 2, rides: 1, channels: 1)
        return ReplayReport(summary: "a city", speed: 60, tally: tally, verdict: verdict, open: open, seconds: 12)
    }

    @Test func theTableSaysWhatWasWrongAndShowsTheLogAroundIt() throws {
        #expect(try report([]).isClean)
        #expect(try report([]).text.contains("clean"))
        let open = try report([], open: ["driver cab7 (has no link)"])
        #expect(!open.isClean)
        #expect(open.text.contains("NO, 1 were still open") && open.text.contains("cab7 (has no link)"))
        let broken = try report([Violation(rule: .queueOrder, message: "somebody was passed over", eventID: "2-0")])
        #expect(!broken.isClean)
        #expect(broken.text.contains("1 VIOLATIONS") && broken.text.contains("NOT CLEAN"))
        #expect(broken.text.contains("FIFO: somebody was passed over"))
        #expect(broken.text.contains("> 2-0 ride.failed ride=r1 code=x"))
        #expect(broken.text.contains("failed: no_driver"))
        let json = try JSONValue(parsing: broken.json)
        #expect(json["violations"]?["FIFO"]?.integer == 1 && json["clean"] == false)
        #expect(json["outcomes"]?["failed: no_driver"]?.integer == 1)
    }

    @Test func eachClientHasAnAddressOfItsOwnOnTheLoopback() {
        let urls = ["ws://127.0.0.1:8080/v1/connect"]
        let addresses = Set((0..<70_000).compactMap { LoopbackSource.address(of: $0, urls: urls) })
        #expect(addresses.count == 70_000)
        #expect(addresses.allSatisfy { $0.hasPrefix("127.") && !$0.hasSuffix(".0") && !$0.hasSuffix(".255") })
        #expect(LoopbackSource.address(of: 1, urls: ["wss://hub.example/v1/connect"]) == nil)
    }

    @Test func theBoxAroundZones() {
        let text = """
            {"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"MultiPolygon","coordinates":
            [[[[9.1,45.1],[9.2,45.1],[9.2,45.3],[9.1,45.1]]]]}},{"type":"Feature","geometry":{"type":"Polygon",
            "coordinates":[[[8.9,45.2],[9,45.2],[9,45.25],[8.9,45.2]]]}}]}
            """
        #expect(
            ZoneBounds(geoJSON: Array(text.utf8)) == ZoneBounds(south: 45.1, west: 8.9, north: 45.3, east: 9.2))
        #expect(ZoneBounds(geoJSON: Array("{\"features\":[]}".utf8)) == nil)
    }

    @Test func oddsThatCannotBe() {
        #expect(BehaviourModel().problem == nil && BehaviourModel.smooth.problem == nil)
        var behaviour = BehaviourModel()
        behaviour.decline = 0.5
        #expect(behaviour.problem != nil)
        behaviour.decline = -0.1
        #expect(behaviour.problem != nil)
    }
}
