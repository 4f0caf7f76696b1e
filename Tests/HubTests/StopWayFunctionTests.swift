import RedisLink
import Testing
import Wire

@testable import Hub

/// What the bus on its way brings about for those who wait, against a real Redis.
@Suite struct StopWayFunctionTests: StopLine {
    @Test("C51: near at 500 m and arrived at 20 m, each once, also when the bus passes between two fixes")
    func alerts() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 3))
            _ = try await answer(city, "accept", "s1")
            try await drive(city, to: 1400)
            #expect(try await city.told("passenger:c1").last == "stop.accepted")
            for metres in [1510.0, 1600, 1700] { try await drive(city, to: metres) }
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.accepted", "stop.near"])
            for metres in [1960.0, 2035, 2000, 1990] { try await drive(city, to: metres) }
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.near", "stop.arrived"])
            #expect(try await city.last("stop.arrived", "passenger:c1")?["distance_m"]?.integer == 0)
        }
    }

    @Test("N1: a way of many fixes reads each request once")
    func longWay() async throws {
        try await TestCity.run { city in
            try await start(city)
            for number in 1...6 {
                _ = try await request(city, "c\(number)", wish("s\(number)", 2000 + 300 * Double(number), inMinutes: 3))
                #expect(try await answer(city, "accept", "s\(number)").isOK)
            }
            let now = try #require(try await city.field("settings", "clock_hub").flatMap { Int($0) })
            let fixes = (0..<20).map { "[\(Self.lat(1700 + 10 * Double($0))),9.0,\(now + 1000 * $0)]" }
            let last = "\(now + 19_000)"
            let before = try await city.calls(of: "hgetall")
            try await city.call(
                "tour_moved",
                [
                    "t1", last, Self.lat(1890), "9.0", "1890", "", "", "[]", "", "[]", last, "",
                    "[" + fixes.joined(separator: ",") + "]", "[]", "", "[]", "", last, "",
                ])
            // The tour, its detours, and the requests.
            #expect(try await city.calls(of: "hgetall") - before == 1 + 1 + 6)
            #expect(try await city.told("passenger:c1").last == "stop.near")
            #expect(try await city.field("stop:s1", "notified") == "500")
        }
    }

    @Test("C52: hours before its time the bus passes the place without an alert; a loop's other pass gives none either")
    func anotherRound() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 180))
            let loop = """
                {"id":"s2","lat":\(Self.lat(2000)),"lon":9.0,"at":\(Self.now + 600_000),"passengers":1,\
                "places":{"out":[8000]},"later":false}
                """
            _ = try await request(city, "c2", loop)
            for id in ["s1", "s2"] { _ = try await answer(city, "accept", id) }
            for metres in [1900.0, 2000, 2100] { try await drive(city, to: metres) }
            #expect(try await city.told("passenger:c1").last == "stop.accepted")
            #expect(try await city.told("passenger:c2").last == "stop.accepted")
        }
    }

    @Test("C52: the bus passed before the answer: it lapses, and both are told")
    func passedUnanswered() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 3))
            try await drive(city, to: 1990)
            #expect(try await city.told("passenger:c1").last == "stop.pending")
            try await drive(city, to: 2060)
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "passed")
            #expect(try await city.told("bus_driver:B1").last == "stop.withdrawn")
        }
    }

    @Test("B10, C51: completed; not shown up only after the bus has stood there, and not before its time")
    func ends() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 3))
            _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 3))
            #expect(try await answer(city, "complete", "s1") == .refused("not_available"), "not accepted yet")
            _ = try await answer(city, "accept", "s1", all: true)
            try await city.advance(4 * Self.minute)
            #expect(try await answer(city, "noshow", "s2") == .refused("not_available"), "never been there")
            try await drive(city, to: 1995)
            try await drive(city, to: 2000, after: 15_000)
            #expect(try await answer(city, "noshow", "s2") == .refused("not_available"), "15 s are too short")
            #expect(try await answer(city, "complete", "s1").isOK)
            #expect(try await city.told("passenger:c1").last == "stop.completed")
            try await city.advance(16_000)
            #expect(try await answer(city, "noshow", "s2").isOK)
            #expect(try await answer(city, "noshow", "s2")["state"]?.text == "no_show", "once more changes nothing")
            #expect(try await city.told("passenger:c2").last == "stop.noshow")
            #expect(try await city.raw(["LLEN", "{test}:cancels:c2"]).int == 1)
            #expect(try await places(city) == nil)
        }
    }

    @Test("C51: standing counts although the bus has left since; passing does not")
    func stood() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 0))
            _ = try await request(city, "c2", wish("s2", 3000, inMinutes: 1))
            for id in ["s1", "s2"] { _ = try await answer(city, "accept", id) }
            try await drive(city, to: 2000)
            try await drive(city, to: 2001, after: 60_000)
            try await drive(city, to: 2900, after: 60_000)
            try await drive(city, to: 3100)
            try await city.advance(120_000)
            #expect(try await answer(city, "noshow", "s1").isOK)
            #expect(try await answer(city, "noshow", "s2") == .refused("not_available"))
        }
    }

    @Test("C51: the wait goes by when fixes came, and ends when one was measured elsewhere")
    func clocks() async throws {
        try await TestCity.run { city in
            try await start(city)
            for id in ["s1", "s2"] {
                _ = try await request(city, "c-" + id, wish(id, id == "s1" ? 2000 : 3000, inMinutes: 0))
                _ = try await answer(city, "accept", id)
            }
            // Measured a minute before they came, as it is said.
            try await drive(city, to: 2000, late: 70_000)
            try await drive(city, to: 2001, after: 10_000, late: 60_000)
            #expect(try await answer(city, "noshow", "s1") == .refused("not_available"), "10 s by the hub's clock")
            try await city.advance(19_999)
            #expect(try await answer(city, "noshow", "s1") == .refused("not_available"))
            try await city.advance(1)
            #expect(try await answer(city, "noshow", "s1").isOK)
            // It stood for 25 s, and was heard of when it was on for 15.
            try await drive(city, to: 3000)
            try await drive(city, to: 3001, after: 20_000)
            try await drive(city, to: 3100, after: 20_000, late: 15_000)
            #expect(try await city.field("stop:s2", "stood_ms") == "25000")
            #expect(try await answer(city, "noshow", "s2") == .refused("not_available"))
        }
    }

    @Test("C51: nobody is missed who was not told that the bus is there; who stands beside the place is there")
    func unknowing() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 0))
            // A loop that comes by twice, and it is the second time that is asked for.
            let loop = """
                {"id":"s2","lat":\(Self.lat(2000)),"lon":9.0,"at":\(Self.now),"passengers":1,\
                "places":{"out":[8000]},"later":false}
                """
            _ = try await request(city, "c2", loop)
            for id in ["s1", "s2"] { #expect(try await answer(city, "accept", id).isOK) }
            try await drive(city, to: 1960)
            #expect(try await city.told("passenger:c1").last == "stop.near", "not within 20 m")
            try await drive(city, to: 1961)
            #expect(try await city.last("stop.arrived", "passenger:c1")?["distance_m"]?.integer == 39)
            try await city.advance(30_000)
            #expect(try await answer(city, "noshow", "s2") == .refused("not_available"))
            #expect(try await city.told("passenger:c2").last == "stop.accepted")
            #expect(try await answer(city, "noshow", "s1").isOK)
        }
    }

    @Test("B8: what the bus has passed long before its time is the next tour's, which has the whole time to answer")
    func passedEarly() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 70))
            _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 71))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await drive(city, to: 2500)
            #expect(try await city.told("passenger:c1") == ["stop.pending", "stop.accepted"])
            #expect(
                try await answer(city, "complete", "s2") == .refused("not_available"), "it is open, and not accepted")
            try await city.advance(20 * Self.minute)
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.last("stop.withdrawn", "bus_driver:B1")?["reason"]?.text == "taken_over")
            #expect(try await places(city) == nil)
            #expect(try await places(city, of: "B2")?[0]?["requests"]?.elements?.count == 2)
            // Of the other the driver is asked anew.
            let asked = try await city.last("stop.requested", "bus_driver:B2")
            let begun = Self.now + Int64(20 * Self.minute) + 10_000
            #expect(asked?["request"]?.text == "s2")
            #expect(asked?["answer_by"]?.integer == begun + Int64(30 * Self.minute))
            #expect(try await city.last("stop.pending", "passenger:c2")?["bus"]?.text == "8")
            try await city.advance(25 * Self.minute)
            try await drive(city, to: 1990, tour: "t2")
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.near", "stop.arrived"])
        }
    }

    @Test("B8: a tour that has begun before is asked, too, when the time comes near")
    func passedEarlyBesideAnother() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1500)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 50))
            #expect(try await answer(city, "accept", "s1").isOK)
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.field("stop:s1", "tour") == "t1")
            try await drive(city, to: 2500)
            try await city.advance(10 * Self.minute)
            try await city.sweep()
            #expect(try await city.field("stop:s1", "tour") == "t1", "nobody knows yet which comes by then")
            try await city.advance(10 * Self.minute)
            try await city.sweep()
            #expect(try await city.field("stop:s1", "tour") == "t2")
            #expect(try await city.last("stop.list", "bus_driver:B2")?["reason"]?.text == "taken_over")
        }
    }

    @Test(
        "B7: a line that is driven on request is asked before anybody drives; who drives next answers, or it lapses in time"
    )
    func ahead() async throws {
        try await TestCity.run { city in
            func anywhere(_ id: String, _ minutes: Int) -> String {
                String(wish(id, 2000, inMinutes: minutes).dropLast()) + #","anywhere":true}"#
            }
            #expect(try await request(city, "c1", wish("s0", 2000, inMinutes: 60)) == .refused("no_driver"))
            #expect(try await request(city, "c1", anywhere("s0", 29)) == .refused("no_driver"))
            for (citizen, id, minutes) in [("c1", "s1", 60), ("c2", "s2", 180), ("c3", "s3", 180)] {
                let reply = try await request(city, citizen, anywhere(id, minutes))
                #expect(reply["answer_by"]?.integer == Self.now + Int64(minutes * Self.minute))
            }
            try await city.advance(60 * Self.minute - 1)
            try await city.sweep()
            #expect(try await city.told("passenger:c1") == ["stop.pending"])
            try await city.advance(1)
            try await city.sweep()
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "no_driver")
            try await start(city)
            #expect(try await city.told("bus_driver:B1").filter { $0 == "stop.requested" }.count == 2)
            let told = try await city.last("stop.pending", "passenger:c2")
            #expect(told?["bus"]?.text == "7" && told?["answer_by"]?.integer == Self.now + Int64(90 * Self.minute))
            #expect(try await answer(city, "accept", "s2").isOK)
            try await city.advance(20 * Self.minute + 1)
            try await city.sweep()
            #expect(try await city.last("stop.unanswered", "bus_driver:B1")?["request"]?.text == "s3")
            try await city.advance(10 * Self.minute)
            try await city.sweep()
            #expect(try await city.last("stop.expired", "passenger:c3")?["reason"]?.text == "unanswered")
            #expect(try await city.field("stop:s2", "state") == "accepted")
        }
    }

    @Test("B7: what a promised stop changes for those behind it is shown, until it is off or has been")
    func dwell() async throws {
        try await TestCity.run { city in
            func coming() async throws -> [Int64?] {
                let etas = try #require(try await city.field("tour:t1", "etas"))
                return try JSONValue(parsing: Array(etas.utf8)).elements?.map { $0["at"]?.integer } ?? []
            }
            func moved(to metres: Double) async throws {
                try await city.advance(1000)
                let now = try #require(try await city.field("settings", "clock_hub"))
                try await city.call(
                    "tour_moved",
                    [
                        "t1", now, Self.lat(metres), "9.0", String(metres), "", "", "[]", "",
                        #"[{"index":0,"stop":"a","at":1000,"early":900},{"index":1,"stop":"b","at":2000}]"#, now, "",
                        "[]", "[]", "", "[]", "", now, "",
                    ])
            }
            try await start(city)
            try await moved(to: 100)
            let place = wish("s1", 2000, inMinutes: 3)
            _ = try await request(city, "c1", String(place.dropLast()) + #","next":{"out":[1]}}"#)
            #expect(try await coming() == [1000, 2000], "not promised yet")
            _ = try await answer(city, "accept", "s1")
            #expect(try await coming() == [1000, 32_000])
            try await moved(to: 1500)
            #expect(try await coming() == [1000, 32_000])
            try await moved(to: 2100)
            #expect(try await coming() == [1000, 2000], "it has been there")
            try await moved(to: 1500)
            _ = try await city.command("stop_cancel", "c1", "s1", "")
            #expect(try await coming() == [1000, 2000])
        }
    }
}
