import RedisLink
import Testing
import Wire

@testable import Hub

/// stop.lua against a real Redis. The line L has one pattern, `out`, due north from 45.0/9.0: a degree is 111,195 m.
@Suite struct StopFunctionTests {
    private static let now: Int64 = 1_800_000_000_000
    private static let minute = 60_000

    /// The latitude so many metres along the line.
    private static func lat(_ metres: Double) -> String { String(45 + metres / 111_195) }

    /// A tour of the line with its driver; 8 seats.
    private func start(_ city: TestCity, _ driver: String = "B1", tour: String = "t1", bus: String = "7") async throws {
        try await city.call("hello", ["bus_driver", driver, "s-\(driver)", "w", ""])
        let reply = try await city.command(
            "tour_start", driver, tour, bus, "8", "L", "out", "", #"["a","b"]"#, "w", "", "", "", "", "", "0")
        #expect(reply["state"]?.text == "running")
    }

    /// The bus is so many metres along the line.
    private func drive(_ city: TestCity, to metres: Double, tour: String = "t1", after ms: Int = 10_000) async throws {
        try await city.advance(ms)
        let now = try #require(try await city.field("settings", "clock_hub"))
        try await city.call(
            "tour_moved",
            [
                tour, now, Self.lat(metres), "9.0", String(metres), "", "", "[]", "", "[]", now, "",
                "[[\(Self.lat(metres)),9.0,\(now)]]",
            ])
    }

    /// A request for a place so many metres along the line, in so many minutes.
    private func wish(
        _ id: String, _ metres: Double, inMinutes minutes: Int, passengers: Int = 1, later: Bool = false
    ) -> String {
        """
        {"id":"\(id)","lat":\(Self.lat(metres)),"lon":9.0,"at":\(Self.now + Int64(minutes * Self.minute)),\
        "passengers":\(passengers),"places":{"out":[\(metres)]},"later":\(later)}
        """
    }

    private func request(
        _ city: TestCity, _ citizen: String, _ wishes: String..., key: String = "", line: String = "L"
    ) async throws -> TestCity.Outcome {
        let person = #"{"name":"Ada","number":"+49 30 1234","help":["wheelchair"]}"#
        let reply = try await city.call("stop_request", [citizen, key, line, "", "", person] + wishes)
        switch Dispatch.answer(.success(reply)) {
        case .ok(let json): return .ok(try JSONValue(parsing: json))
        case .refused(let code, _): return .refused(code)
        default: throw Surprise("stop_request answered \(reply)")
        }
    }

    private func answer(
        _ city: TestCity, _ what: String, _ request: String, all: Bool = false, driver: String = "B1"
    ) async throws -> TestCity.Outcome {
        try await city.command("stop_answer", driver, what, request, all ? "1" : "", "")
    }

    @Test("B7: the id comes back, the driver of the line is told with name, number and help, the citizen reads pending")
    func asked() async throws {
        try await TestCity.run { city in
            try await start(city)
            let reply = try await request(city, "c1", wish("s1", 2000, inMinutes: 20, passengers: 2))
            #expect(reply["request"]?.text == "s1")
            #expect(reply["state"]?.text == "requested")
            #expect(reply["answer_by"]?.integer == Self.now + Int64(30 * Self.minute))
            #expect(try await city.told("passenger:c1") == ["stop.pending"])
            let told = try await city.last("stop.requested", "driver:B1")
            #expect(told?["quiet"]?.boolean == false)
            let first = told?["places"]?[0]?["requests"]?[0]
            #expect(first?["name"]?.text == "Ada")
            #expect(first?["number"]?.text == "+49 30 1234")
            #expect(first?["help"]?[0]?.text == "wheelchair")
            #expect(told?["places"]?[0]?["passengers"]?.integer == 2)
            let events = try await city.raw(["XRANGE", "{test}:events", "-", "+"])
            #expect(!"\(events)".contains("Ada"), "names are nobody's business but the driver's")
        }
    }

    @Test("B7: no driver on the line is said so, and the same key may try again")
    func noDriver() async throws {
        try await TestCity.run { city in
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 20), key: "k") == .refused("no_driver"))
            try await start(city)
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 20), key: "k").isOK)
            #expect(
                try await request(city, "c2", wish("s9", 2000, inMinutes: 20), line: "M") == .refused("no_driver"))
        }
    }

    @Test(
        "B8, C51, C52: behind the bus, or less than 150 m ahead, on its last round is refused; in a later round it is not"
    )
    func passed() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 1000)
            #expect(try await request(city, "c1", wish("s1", 900, inMinutes: 5)) == .refused("stop_passed"))
            #expect(try await request(city, "c1", wish("s1", 1149, inMinutes: 5)) == .refused("stop_passed"))
            #expect(try await request(city, "c1", wish("s1", 1151, inMinutes: 5)).isOK)
            #expect(try await request(city, "c1", wish("s2", 900, inMinutes: 120, later: true)).isOK)
        }
    }

    @Test("B7: of two buses the one that is nearest before the place is asked")
    func rightDriver() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await start(city, "B2", tour: "t2", bus: "8")
            try await drive(city, to: 3000, tour: "t1")
            try await drive(city, to: 1000, tour: "t2")
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 5))
            #expect(try await city.told("driver:B2").contains("stop.requested"))
            #expect(try await !city.told("driver:B1").contains("stop.requested"))
            _ = try await request(city, "c1", wish("s2", 4000, inMinutes: 5))
            #expect(try await city.told("driver:B1").contains("stop.requested"))
            #expect(try await answer(city, "accept", "s1") == .refused("not_found"), "another driver's")
        }
    }

    @Test("B7, C47: more people than free seats: those aboard and those promised count")
    func seats() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await city.command("tour_seats", "B1", "3", "")
            #expect(
                try await request(city, "c1", wish("s1", 2000, inMinutes: 20, passengers: 6)) == .refused("seats_full"))
            #expect(try await request(city, "c1", wish("s1", 2000, inMinutes: 20, passengers: 3)).isOK)
            #expect(try await request(city, "c2", wish("s2", 3000, inMinutes: 20, passengers: 3)).isOK)
            #expect(try await answer(city, "accept", "s1").isOK)
            #expect(try await answer(city, "accept", "s2") == .refused("seats_full"), "two are left")
            #expect(
                try await request(city, "c3", wish("s3", 2500, inMinutes: 20, passengers: 3)) == .refused("seats_full"))
            let later = wish("s4", 2500, inMinutes: 240, passengers: 8, later: true)
            #expect(try await request(city, "c3", later).isOK, "hours later the bus is empty")
        }
    }

    @Test("B11: a retry is never a second request, with its key or without")
    func retry() async throws {
        try await TestCity.run { city in
            try await start(city)
            let first = try await request(city, "c1", wish("s1", 2000, inMinutes: 20), key: "k")
            #expect(try await request(city, "c1", wish("s2", 2000, inMinutes: 20), key: "k") == first)
            #expect(try await request(city, "c1", wish("s3", 2010, inMinutes: 20)) == first)
            let more = wish("s4", 2000, inMinutes: 20, passengers: 2)
            #expect(try await request(city, "c1", more) == .refused("already_requested"))
            #expect(try await city.told("driver:B1").filter { $0 == "stop.requested" }.count == 1)
            #expect(try await request(city, "c2", wish("s5", 2000, inMinutes: 20)).isOK, "another citizen")
        }
    }

    @Test("B10, C51: the driver's list is ordered by pickup time; places within 50 m are one, and ring once")
    func list() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 3000, inMinutes: 30))
            try await city.advance(60_000)
            _ = try await request(city, "c2", wish("s2", 2000, inMinutes: 20))
            try await city.advance(60_000)
            _ = try await request(city, "c3", wish("s3", 3040, inMinutes: 32, passengers: 2))
            let told = try await city.last("stop.requested", "driver:B1")
            #expect(told?["quiet"]?.boolean == true, "the place is on the screen")
            let places = try #require(told?["places"]?.elements)
            #expect(places.map { $0["place"]?.text } == ["s2", "s1"])
            #expect(places[1]["passengers"]?.integer == 3)
            #expect(places[1]["requests"]?.elements?.compactMap { $0["request"]?.text } == ["s1", "s3"])
            let reply = try await answer(city, "accept", "s1", all: true)
            #expect(reply["requests"]?.elements?.compactMap(\.text) == ["s1", "s3"])
            #expect(try await city.told("passenger:c3").last == "stop.accepted")
            #expect(try await city.told("passenger:c2").last == "stop.pending")
        }
    }

    @Test("B9: reminded at 20 minutes, lapsed at 30, each told once")
    func lapse() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 120))
            try await city.advance(20 * Self.minute - 1)
            try await city.sweep()
            #expect(try await city.told("driver:B1").last == "stop.requested")
            try await city.advance(1)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("driver:B1").suffix(2) == ["stop.requested", "stop.unanswered"])
            try await city.advance(10 * Self.minute)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("passenger:c1") == ["stop.pending", "stop.expired"])
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "unanswered")
            #expect(try await city.told("driver:B1").last == "stop.withdrawn")
            #expect(try await city.last("stop.withdrawn", "driver:B1")?["places"] == nil)
            #expect(try await answer(city, "accept", "s1") == .refused("not_available"))
            #expect(try await city.raw(["ZCARD", "{test}:stopdue"]).int == 0)
        }
    }

    @Test("B11: reminded 15 minutes before the pickup, once; not if it was accepted later than that")
    func reminder() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await request(city, "c2", wish("s2", 3000, inMinutes: 10))
            _ = try await answer(city, "accept", "s1")
            _ = try await answer(city, "accept", "s2")
            try await city.advance(5 * Self.minute - 1)
            try await city.sweep()
            #expect(try await city.told("passenger:c1").last == "stop.accepted")
            try await city.advance(1)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.accepted", "stop.reminder"])
            #expect(try await city.told("passenger:c2").last == "stop.accepted")
        }
    }

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
            #expect(try await city.told("driver:B1").last == "stop.withdrawn")
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
            #expect(try await city.field("passenger:c2", "noshows") == "1")
            #expect(try await city.last("stop.list", "driver:B1")?["places"] == nil)
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

    @Test("B7: cancelled by the citizen, before and after the answer; the driver is told")
    func cancel() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await request(city, "c1", wish("s2", 3000, inMinutes: 20))
            _ = try await answer(city, "accept", "s2")
            #expect(try await city.command("stop_cancel", "c2", "s1", "") == .refused("not_found"))
            for id in ["s1", "s2"] {
                #expect(try await city.command("stop_cancel", "c1", id, "")["state"]?.text == "cancelled")
                #expect(try await city.command("stop_cancel", "c1", id, "").isOK)
            }
            #expect(try await city.told("driver:B1").suffix(2) == ["stop.withdrawn", "stop.withdrawn"])
            #expect(try await answer(city, "accept", "s1") == .refused("not_available"))
            #expect(try await city.raw(["ZCARD", "{test}:stopdue"]).int == 0)
        }
    }

    @Test("B14: the way back is a second request, linked to the first; both or none")
    func back() async throws {
        try await TestCity.run { city in
            try await start(city)
            let there = wish("s1", 2000, inMinutes: 20)
            let full = wish("s2", 1000, inMinutes: 180, passengers: 9, later: true)
            #expect(try await request(city, "c1", there, full) == .refused("seats_full"))
            #expect(try await city.told("passenger:c1") == [])
            let reply = try await request(city, "c1", there, wish("s2", 1000, inMinutes: 180, later: true))
            #expect(reply["back"]?.text == "s2")
            #expect(try await city.field("stop:s2", "back") == "s1")
            _ = try await answer(city, "accept", "s1")
            _ = try await answer(city, "decline", "s2")
            #expect(try await city.told("passenger:c1").suffix(2) == ["stop.accepted", "stop.declined"])
            #expect(try await city.field("stop:s1", "state") == "accepted")
        }
    }

    @Test("a tour that ends leaves its requests to the next one; who has none when the time comes is told")
    func tours() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            _ = try await answer(city, "accept", "s1")
            _ = try await city.command("tour_end", "bus_driver", "B1", "", "")
            try await start(city, "B2", tour: "t2", bus: "8")
            #expect(try await city.last("stop.list", "driver:B2")?["reason"]?.text == "taken_over")
            #expect(try await city.field("stop:s1", "tour") == "t2")
            _ = try await city.command("tour_end", "bus_driver", "B2", "", "")
            try await city.advance(25 * Self.minute + 1)
            try await city.sweep()
            #expect(try await city.last("stop.expired", "passenger:c1")?["reason"]?.text == "no_driver")
        }
    }

    @Test("CH1: who comes back finds the open requests in the snapshot")
    func snapshots() async throws {
        try await TestCity.run { city in
            try await start(city)
            _ = try await request(city, "c1", wish("s1", 2000, inMinutes: 20))
            let citizen = try await city.call("hello", ["passenger", "c1", "x", "w", ""])
            let mine = try JSONValue(parsing: Array((citizen[2].text ?? "").utf8))
            #expect(mine["requests"]?[0]?["request"]?.text == "s1")
            #expect(mine["requests"]?[0]?["bus"]?.text == "7")
            let driver = try await city.call("hello", ["bus_driver", "B1", "y", "w", ""])
            let his = try JSONValue(parsing: Array((driver[2].text ?? "").utf8))
            #expect(his["places"]?[0]?["requests"]?[0]?["name"]?.text == "Ada")
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
                        "[]",
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
