import RedisLink
import Testing
import Wire

@testable import Hub

/// How long a vehicle is known, and how often its seats may be counted, against a real Redis.
@Suite struct VehicleLifeTests {
    /// As if all that went had gone so long ago.
    private func age(_ city: TestCity, days: Int) async throws {
        for vehicle in try await city.raw(["ZRANGE", "{test}:gone", "0", "-1"]).array?.compactMap(\.text) ?? [] {
            try await city.raw(["ZINCRBY", "{test}:gone", "-\(days * 86_400_000)", vehicle])
        }
    }

    @Test("C65: a vehicle that does not come back for 30 days is forgotten, with its place on maps")
    func isForgotten() async throws {
        try await TestCity.run { city in
            try await city.connect("T1", "T2")
            for driver in ["T1", "T2"] {
                try await city.call("positions_take", [driver, "s-\(driver)", "45.1", "9.1", "1", "", "", "c1", ""])
                try await city.call("driver_gone", [driver, "s-\(driver)"])
            }
            try await age(city, days: 29)
            try await city.sweep()
            #expect(try await city.raw(["EXISTS", "{test}:vehicle:T1"]).int == 1)
            try await city.connect("T2")
            try await age(city, days: 2)
            try await city.sweep()
            #expect(try await city.raw(["EXISTS", "{test}:vehicle:T1"]).int == 0)
            #expect(try await city.raw(["SMEMBERS", "{test}:cell:c1"]).array?.compactMap(\.text) == ["T2"])
            #expect(try await city.raw(["ZRANGE", "{test}:pos", "0", "-1"]).array?.compactMap(\.text) == ["T2"])
            #expect(try await city.raw(["EXISTS", "{test}:gone"]).int == 0)
        }
    }

    @Test("C60: who asks for vehicles is told which of them nobody knows, and is told of them once they are there")
    func unknownOnes() async throws {
        try await TestCity.run { city in
            try await city.connect("T1", "T2")
            try await city.call("positions_take", ["T1", "s-T1", "45.1", "9.1", "1", "", "", "c1", ""])
            func watch() async throws -> [RedisReply]? {
                try await city.call("feed_watch", ["60000", "T1", "T2", "T3"]).array
            }
            let before = try await watch()
            #expect(before?.count == 3 && before?[0].text?.hasPrefix("V T1 45.1 ") == true)
            #expect(before?[1].text == "" && before?[2].isNull == true)
            try await city.connect("T3")
            #expect(try await city.field("vehicle:T3", "watched") != nil)
            let after = try await watch()
            #expect(after?.count == 3 && after?[2].text == "")
        }
    }

    @Test("C65: so is a bus that is on no tour")
    func busIsForgotten() async throws {
        try await TestCity.run { city in
            func start(_ tour: String) async throws -> TestCity.Outcome {
                try await city.command(
                    "tour_start", "d1", tour, "B7", "8", "52", "52:0", "t1", "[]", "w", "52", "1", "", "", "",
                    "1800000000", "")
            }
            #expect(try await start("t_1").isOK)
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            #expect(try await start("t_2").isOK)
            #expect(try await city.raw(["EXISTS", "{test}:gone"]).int == 0)
            #expect(try await city.command("tour_end", "bus_driver", "d1", "", "", "").isOK)
            try await age(city, days: 31)
            try await city.sweep()
            #expect(try await city.raw(["EXISTS", "{test}:vehicle:B7"]).int == 0)
        }
    }

    @Test("C65: of a passenger who does not come back nothing remains but what it wishes to be told, for 400 days")
    func passengerIsForgotten() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.call("session_hello", ["passenger", "p1", "s-p1", "w", ""])
            _ = try await city.command("notify_set", "passenger:p1", "ride.near", "", "", "", "", "")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            let state = try await city.call("passenger_state", ["p1"])
            #expect(state.text?.contains(#""mute":["ride.near"]"#) == true, "it is read without being kept longer")
            func keys() async throws -> [String] {
                try await city.raw(["KEYS", "*p1*"]).array?.compactMap(\.text).sorted() ?? []
            }
            #expect(try await keys().contains("{test}:passenger:p1"))
            try await age(city, days: 31)
            try await city.sweep()
            #expect(try await city.field("passenger:p1", "cancels") == "1", "as long as it pays")
            try await city.raw(["DEL", "{test}:cancels:p1"])
            try await city.call("session_hello", ["passenger", "p1", "s2-p1", "w", ""])
            try await city.assign("r2", of: "p1", to: "T1")
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            try await city.raw(["DEL", "{test}:cancels:p1"])
            try await age(city, days: 31)
            try await city.sweep()
            #expect(try await city.raw(["EXISTS", "{test}:passenger:p1", "{test}:gone"]).int == 0)
            let others = try await keys()
            for key in others { #expect(try await city.raw(["TTL", key]).int ?? -1 > 0, "\(key)") }
            #expect(try await city.raw(["TTL", "{test}:wishes:passenger:p1"]).int ?? 0 > 399 * 86_400)
        }
    }

    @Test(
        "C60: seats are counted sixty times a minute, and the same is no event",
        arguments: ["taxi", "minibus"])
    func countsSeats(kind: String) async throws {
        try await TestCity.run { city in
            if kind == "taxi" { try await city.connect("M1") } else { try await city.minibus("M1", seats: 14) }
            @Sendable func count(_ taken: Int) async throws -> TestCity.Outcome {
                try await city.command("seats_set", "M1", "\(taken)", "14", "", "")
            }
            for n in 1...200 {
                let reply = try await count(n % 2)
                #expect(n <= 60 ? reply.isOK : n % 2 == 0 ? reply.isOK : reply == .refused("rate_limited"))
            }
            #expect(try await city.raw(["XLEN", "{test}:events"]).int == 60)
            try await city.advance(60_000)
            #expect(try await count(1).isOK)
            #expect(try await city.raw(["XLEN", "{test}:events"]).int == 61)
        }
    }
}
