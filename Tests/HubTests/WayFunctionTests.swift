import RedisLink
import Testing
import Wire

@testable import Hub

/// The ways that vehicles announce, and how far they are along them, against a real Redis.
@Suite("M2, M3: ways") struct WayFunctionTests {
    private static let way = #"{"start":{"lat":45,"lon":9},"end":{"lat":46,"lon":9}}"#

    /// By driver.
    private func ways(_ city: TestCity) async throws -> [String: String] {
        var ways: [String: String] = [:]
        let flat = (try await city.call("feed_ways", ["0", "500"]))[1].array?.compactMap(\.text) ?? []
        for index in stride(from: 0, to: flat.count - 1, by: 2) { ways[flat[index]] = flat[index + 1] }
        return ways
    }

    private func kept(_ city: TestCity) async throws -> Int64? { try await city.raw(["HLEN", "{test}:ways"]).int }

    private func online(_ city: TestCity, _ driver: String) async throws {
        try await city.minibus(driver, seats: 14)
        _ = try await city.command("driver_available", driver, "", "", "", "")
    }

    @Test("a way is known while its vehicle is online, and again when it is back")
    func onlineOnly() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("route_set", "M1", "", "", Self.way, "")
            #expect(try await ways(city) == [:], "not online yet")
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await ways(city) == ["M1": Self.way])
            _ = try await city.command("driver_unavailable", "M1", "")
            #expect(try await kept(city) == 0)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await ways(city) == ["M1": Self.way])
            _ = try await city.command("route_set", "M1", "R1", "", "", "")
            #expect(try await kept(city) == 0)
        }
    }

    @Test("the way of a vehicle that is lost is removed; who comes back in time has it again")
    func lost() async throws {
        try await TestCity.run { city in
            for driver in ["M1", "M2"] {
                try await online(city, driver)
                _ = try await city.command("route_set", driver, "", "", Self.way, "")
                try await city.call("driver_gone", [driver, "s-\(driver)"])
            }
            #expect(try await ways(city).count == 2, "it may be back in a moment")
            try await city.advance(60_100)
            try await city.sweep()
            #expect(try await kept(city) == 0)
            try await city.minibus("M1", seats: 14)
            #expect(try await city.field("vehicle:M1", "state") == "available")
            #expect(try await ways(city) == ["M1": Self.way])
        }
    }

    @Test("what becomes a taxi has no way any more")
    func becomesATaxi() async throws {
        try await TestCity.run { city in
            try await online(city, "M1")
            _ = try await city.command("route_set", "M1", "", "", Self.way, "1200")
            try await city.connect("M1")
            #expect(try await kept(city) == 0)
            for field in ["way", "route", "along"] { #expect(try await city.field("vehicle:M1", field) == nil) }
        }
    }

    @Test("a way that an earlier version did not keep is known when its driver says hello; what it left behind goes")
    func upgrade() async throws {
        try await TestCity.run { city in
            try await online(city, "M1")
            _ = try await city.command("route_set", "M1", "", "", Self.way, "")
            try await city.raw(["DEL", "{test}:ways"])
            try await city.raw(["HSET", "{test}:ways", "gone", Self.way])
            try await city.minibus("M1", seats: 14)
            #expect(try await ways(city) == ["M1": Self.way])
            #expect(try await kept(city) == 1)
        }
    }

    @Test("how far a vehicle is comes with its position, its route and its hello, and is shown to all workers")
    func along() async throws {
        try await TestCity.run { city in
            try await online(city, "M1")
            func fix(_ place: String) async throws {
                try await city.call("positions_take", ["M1", "w.1", "45.1", "9.1", "1", "", "", place, ""])
            }
            func line() async throws -> String? { try await city.call("feed_state", ["60000", "5:7"])[0].text }
            _ = try await city.command("route_set", "M1", "R1", "", "", "out@10")
            try await fix("5:7 out@1200")
            #expect(try await line()?.hasSuffix(" minibus 14 R1 out@1200") == true)
            let hello = try await city.call("session_hello", ["driver", "M1", "s-2", "w2", "", "minibus", "14"])
            #expect(hello[10].text == "out@1200")
            // The same route again is no news, another one begins where it is said to.
            _ = try await city.command("route_set", "M1", "R1", "", "", "")
            #expect(try await line()?.hasSuffix(" R1 out@1200") == true)
            _ = try await city.command("route_set", "M1", "", "", Self.way, "77")
            #expect(try await line()?.hasSuffix(" way:M1 77") == true)
            try await fix("5:7")
            #expect(try await line()?.hasSuffix(" way:M1") == true)
        }
    }

    @Test("C60: who goes off and on has its way told ten times a minute")
    func flips() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("route_set", "M1", "", "", Self.way, "")
            @Sendable func flip() async throws -> TestCity.Outcome {
                _ = try await city.command("driver_unavailable", "M1", "")
                return try await city.command("driver_available", "M1", "", "", "", "")
            }
            for _ in 1...10 { #expect(try await flip().isOK) }
            for _ in 1...5 { #expect(try await flip() == .refused("rate_limited")) }
            #expect(try await kept(city) == 0)
            #expect(try await city.field("vehicle:M1", "state") == "unavailable")
            try await city.advance(60_000)
            #expect(try await flip().isOK)
            for _ in 1...5 { #expect(try await city.command("driver_available", "M1", "", "", "", "").isOK, "it is") }
        }
    }

    @Test("three changes in a minute are told, the same again is none; a taxi's route is told to nobody")
    func changes() async throws {
        try await TestCity.run { city in
            try await online(city, "M1")
            #expect(try await city.book("p1", "b1", "M1", 2).isOK)
            func set(_ route: String, of driver: String = "M1") async throws -> RedisFunctions.Answer {
                RedisFunctions.answer(.success(try await city.call("route_set", [driver, route, "", "", ""])))
            }
            func told() async throws -> Int {
                try await city.told("passenger:p1").count { $0 == "route.changed" }
            }
            for _ in 1...20 { #expect(try await set("R1").isOK) }
            #expect(try await told() == 1)
            try await city.advance(20_000)
            for route in ["R2", "R3"] { #expect(try await set(route).isOK) }
            for number in 4...20 {
                guard case .refused("rate_limited", let detail, 40_000) = try await set("R\(number)") else {
                    Issue.record("not refused")
                    return
                }
                #expect(detail.contains("40 s"))
            }
            #expect(try await set("R3").isOK, "no change")
            #expect(try await city.field("vehicle:M1", "route") == "R3")
            #expect(try await told() == 3)
            try await city.advance(40_000)
            #expect(try await set("R4").isOK)
            #expect(try await set("R5").isOK == false)
            #expect(try await told() == 4)
            try await city.connect("T1")
            for number in 1...20 { #expect(try await set("R\(number)", of: "T1").isOK) }
        }
    }

    @Test("a bus on a tour is at the beginning of its pattern, and afterwards nowhere")
    func tour() async throws {
        try await TestCity.run { city in
            func along() async throws -> String? { try await city.field("vehicle:B1", "along") }
            try await city.call("session_hello", ["bus_driver", "d1", "s", "w", ""])
            let tour = [
                "d1", "t1", "B1", "8", "52", "p1", "", #"["a","b"]"#, "w", "52", "1", "", "", "", "0", "p1@0",
            ]
            #expect(RedisFunctions.answer(.success(try await city.call("tour_start", tour))).isOK)
            #expect(try await along() == "p1@0")
            try await city.call("tour_end", ["bus_driver", "d1", "", "", ""])
            #expect(try await along() == nil)
        }
    }
}

extension RedisFunctions.Answer {
    fileprivate var isOK: Bool { if case .ok = self { true } else { false } }
}
