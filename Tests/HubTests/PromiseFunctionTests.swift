import RedisLink
import Testing
import Wire

@testable import Hub

/// Who is driver and passenger at once, and drivers who promise and do not come: limits.lua against a real Redis.
@Suite struct PromiseFunctionTests: StopLine {
    private func lives(_ city: TestCity, _ key: String) async throws -> Int64 {
        try await city.raw(["TTL", "{test}:" + key]).int ?? -9
    }

    /// Asked for, accepted and completed after so long.
    private func fetch(_ city: TestCity, _ citizen: String, _ id: String, after ms: Int) async throws {
        let now = Int(try #require(try await city.field("settings", "clock_hub"))) ?? 0
        let minutes = (now - Int(Self.now)) / Self.minute + 10
        #expect(try await request(city, citizen, wish(id, 2000, inMinutes: minutes)).isOK)
        try await city.advance(ms)
        #expect(try await answer(city, "accept", id).isOK)
        // The bus was there.
        try await city.raw(["HSET", "{test}:stop:" + id, "notified", "20"])
        #expect(try await answer(city, "complete", id).isOK)
    }

    @Test func `C60: stops that are completed at once count; many are free; all are forgotten sooner`() async throws {
        try await TestCity.run { city in
            try await start(city)
            for n in 1...18 { try await fetch(city, "c1", "s\(n)", after: 20_000) }
            #expect(try await lives(city, "stop:s1") <= 600)
            #expect(try await request(city, "c1", wish("s19", 2000, inMinutes: 30)) == .refused("rate_limited"))
            #expect(try await request(city, "c2", wish("s20", 2000, inMinutes: 30)).isOK, "another citizen")
            try await city.advance(30_000)
            try await fetch(city, "c1", "s21", after: 61_000)
            #expect(try await lives(city, "stop:s21") > 600, "a ride of a minute is kept, and does not count")
            #expect(try await city.raw(["LLEN", "{test}:cancels:c1"]).int == 18)
        }
    }

    @Test func `C60: seats that are booked and left at once count like that`() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            @Sendable func ride(_ booking: String, _ ms: Int) async throws {
                #expect(try await city.book("p1", booking, "M1", 2).isOK)
                #expect(try await city.command("seat_accept", "M1", booking, "", "").isOK)
                try await city.call("seat_alert", ["M1", booking, "20", "4", "high"])
                #expect(try await city.command("seat_aboard", "M1", booking, "", "").isOK)
                try await city.advance(ms)
                #expect(try await city.command("seat_end", "M1", booking, "").isOK)
            }
            for n in 1...18 { try await ride("b\(n)", 20_000) }
            #expect(try await lives(city, "booking:b1") <= 600)
            #expect(try await city.book("p1", "b19", "M1", 2) == .refused("rate_limited"))
            try await city.advance(30_000)
            try await ride("b20", 61_000)
            #expect(try await lives(city, "booking:b20") > 600)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test func `C60: taxi rides that are over at once are forgotten sooner`() async throws {
        try await TestCity.run { city in
            for (ride, ms) in [("r1", 10_000), ("r2", 61_000)] {
                try await city.queue("14", "T1")
                try await city.assign(ride, of: "p1", to: "T1")
                #expect(try await city.command("ride_aboard", "T1", ride, "", "").isOK)
                try await city.advance(ms)
                #expect(try await city.command("ride_finish", "T1", ride, "14", "").isOK)
            }
            #expect(try await lives(city, "ride:r1") <= 600)
            #expect(try await lives(city, "ride:r2") > 600)
            // Nobody was asked in vain for any of them.
            #expect(try await city.raw(["KEYS", "{test}:asks:*"]).array?.isEmpty == true)
        }
    }

    /// A tour of which a stop is promised, or only asked for, and that its driver ends after a minute.
    private func drive(_ city: TestCity, _ n: Int, promises: Bool) async throws -> TestCity.Outcome {
        try await city.call("session_hello", ["bus_driver", "B1", "s-B1", "w", ""])
        let begun = try await city.command(
            "tour_start", "B1", "t\(n)", "7", "8", "L", "out", "", #"["a","b"]"#, "w", "", "", "", "", "", "0", "")
        guard begun.isOK else { return begun }
        try await drive(city, to: 100, tour: "t\(n)")
        _ = try await city.command("tour_step", "B1", "1", "", "", "")
        #expect(try await request(city, "c\(n)", wish("s\(n)", 2000, inMinutes: 60)).isOK)
        for earlier in 1...n where promises { _ = try await answer(city, "accept", "s\(earlier)") }
        try await city.advance(61_000)
        return try await city.command("tour_end", "bus_driver", "B1", "", "", "")
    }

    @Test func `C60: who ends tour after tour with promises waits; the first few are free`() async throws {
        try await TestCity.run { city in
            for n in 1...3 { #expect(try await drive(city, n, promises: true).isOK) }
            #expect(try await city.field("stop:s1", "state") == "requested")
            #expect(try await drive(city, 4, promises: true) == .refused("rate_limited"))
            try await city.advance(30_000)
            #expect(try await drive(city, 4, promises: true).isOK)
            try await city.advance(300_000)
            #expect(try await drive(city, 5, promises: true) == .refused("rate_limited"), "sixteen times as long")
        }
    }

    @Test func `C60: who has promised nothing, or whose tour another ends, is not held`() async throws {
        try await TestCity.run { city in
            for n in 1...5 { #expect(try await drive(city, n, promises: false).isOK) }
            #expect(try await city.raw(["EXISTS", "{test}:cancels:bus_driver:B1"]).int == 0)
            try await start(city, tour: "t6")
            #expect(try await answer(city, "accept", "s1").isOK)
            try await drive(city, to: 100, tour: "t6", after: 61_000)
            #expect(try await city.command("tour_end", "operator", "o1", "t6", "", "").isOK)
            #expect(try await city.raw(["EXISTS", "{test}:cancels:bus_driver:B1"]).int == 0)
        }
    }
}
