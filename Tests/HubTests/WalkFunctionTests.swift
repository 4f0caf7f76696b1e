import RedisLink
import Testing
import Wire

@testable import Hub

/// walk.lua against a real Redis: a passenger who walks while a vehicle comes.
@Suite struct WalkFunctionTests {
    /// T1 has accepted the ride r1 of p1, at 45.1 degrees north.
    private func onTheWay(_ body: @Sendable (TestCity) async throws -> Void) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await body(city)
        }
    }

    private func walk(_ city: TestCity, to lat: String) async throws -> String? {
        try await city.call("pickup_walk", ["p1", lat, "9.1"]).text
    }

    @Test("R5: the pickup follows within 300 m, in steps of 20 m, every 4 s, and its driver is told where it is")
    func follows() async throws {
        try await onTheWay { city in
            let first = try await city.field("ride:r1", "lat")
            #expect(try await walk(city, to: "45.1001") == "near")
            #expect(try await walk(city, to: "45.1005") == "")
            #expect(try await walk(city, to: "45.1010") == "soon")
            try await city.advance(4000)
            #expect(try await walk(city, to: "45.1030") == "far")
            #expect(try await walk(city, to: "45.1026") == "")
            #expect(try await city.told("driver:T1").filter { $0 == "ride.pickup_moved" }.count == 2)
            let hello = try await city.call("session_hello", ["driver", "T1", "s2", "w", ""])
            let snapshot = try JSONValue(parsing: hello[2].bytes ?? [])
            #expect(snapshot["ride"]?["pickup"]?["lat"]?.double == 45.1026)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.field("ride:r1", "lat") == first, "where it walked is known no more")
            #expect(try await city.field("ride:r1", "asked") == nil)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("R5: where a passenger walks stands in no history, and in no entry of the log")
    func minimal() async throws {
        try await onTheWay { city in
            let pushed = try await city.heard(on: "people") {
                let kept = try await walk(city, to: "45.1005")
                #expect(kept == "")
            }
            let told = try #require(pushed.first { $0.type == "ride.pickup_moved" })
            #expect(try JSONValue(parsing: told.data)["position"]?["lat"]?.double == 45.1005)
            #expect(try await city.last("ride.pickup_moved", "driver:T1")?["position"] == nil)
            let logged = try await city.raw(["XREVRANGE", "{test}:events", "+", "-", "COUNT", "1"])
            #expect(!"\(logged)".contains("45.1005"))
        }
    }

    @Test("R5: nothing moves before somebody comes, once the vehicle is there, aboard, and after so many times")
    func stays() async throws {
        try await TestCity.run { city in
            #expect(try await walk(city, to: "45.1005") == "no_pickup")
            try await city.queue("14", "T1")
            #expect(try await city.request("p1", "r1", "14").isOK)
            #expect(try await walk(city, to: "45.1005") == "no_pickup")
            #expect(try await city.command("offer_accept", "T1", "r1", "", "").isOK)
            for step in 0..<10 {
                #expect(try await walk(city, to: step.isMultiple(of: 2) ? "45.1005" : "45.1010") == "")
                try await city.advance(4000)
            }
            #expect(try await walk(city, to: "45.1005") == "far", "600 m in all")
            let unrest = try await city.call("pickup_walk", ["p1", "45.1008", "9.1", "30"])
            #expect(unrest.text == "near", "22 m, by a phone that is good to 15 m")
            try await city.call("ride_alert", ["T1", "r1", "20", "9", "high"])
            #expect(try await walk(city, to: "45.1005") == "arrived")
            #expect(try await city.command("ride_aboard", "T1", "r1", "", "").isOK)
            #expect(try await walk(city, to: "45.1005") == "no_pickup")
        }
    }

    @Test("C33: who comes nearer to the first place does not stay away, because its passenger walks")
    func fair() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1027", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await walk(city, to: "45.1026") == "", "to where the driver was")
            try await city.advance(120_000)
            try await city.position("T1", "45.1005", at: 120_000)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:T1"]).int == 0)
            #expect(try await city.raw(["LLEN", "{test}:cancels:p1"]).int == 1)
        }
    }
}
