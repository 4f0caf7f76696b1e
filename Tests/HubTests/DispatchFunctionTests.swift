import RedisLink
import Testing
import Wire

@testable import Hub

/// What dispatching (offer.lua) costs when many rides wait, and what it must not miss: against a real Redis.
@Suite struct DispatchFunctionTests {
    private static let drivers = (1...20).map { "T\($0)" }

    /// So many rides wait, each declined by all twenty drivers of the zone and by D, who has left it.
    private func declined(_ city: TestCity, rides: Int) async throws {
        for driver in Self.drivers + ["D"] { try await city.queue("14", driver) }
        for n in 1...rides {
            #expect(try await city.request("p\(n)", "r\(n)", "14").isOK)
            let first = try #require(try await city.offered("r\(n)"))
            try await city.raw(["ZADD", "{test}:asks:r\(n)", "1", "D"] + Self.drivers.flatMap { ["1", $0] })
            #expect(try await city.command("offer_decline", first, "r\(n)", "").isOK)
            #expect(try await city.offered("r\(n)") == nil)
        }
        _ = try await city.command("driver_unavailable", "D", "")
    }

    /// So many rides, r0 first, wait for who comes.
    private func wait(_ city: TestCity, rides: Int) async throws {
        for n in 0..<rides {
            #expect(try await city.request("p\(n)", "r\(n)", "14", wait: "1").isOK)
        }
    }

    /// How often Redis is asked whether a ride has asked somebody, and for a vehicle or a ride, while `body` runs.
    private func looks(_ city: TestCity, _ body: () async throws -> Void) async throws -> Int {
        func sum() async throws -> Int {
            var sum = 0
            for command in ["zscore", "zmscore", "hmget", "hgetall"] { sum += try await city.calls(of: command) }
            return sum
        }
        let before = try await sum()
        try await body()
        return try await sum() - before
    }

    @Test func `C60: a driver who comes and goes is tried alone, whatever waits`() async throws {
        try await TestCity.run { city in
            try await declined(city, rides: 10)
            for _ in 1...2 {
                // Each ride is looked at twice, and no other driver.
                #expect(
                    try await looks(city) { _ = try await city.command("driver_available", "D", "14", "", "", "") }
                        <= 30)
                #expect(try await looks(city) { _ = try await city.command("seats_set", "D", "3", "4", "", "") } <= 15)
                #expect(try await looks(city) { _ = try await city.command("seats_set", "D", "0", "4", "", "") } <= 30)
                #expect(try await looks(city) { _ = try await city.command("driver_unavailable", "D", "") } <= 15)
            }
        }
    }

    @Test func `C60: a taxi that counts its seats up and down where nobody has many has no waiting ride read`()
        async throws
    {
        try await TestCity.run { city in
            try await declined(city, rides: 10)
            for driver in Self.drivers {
                _ = try await city.command("seats_set", driver, "2", "4", "", "")
            }
            for taken in [3, 2, 3, 2] {
                let cost = try await looks(city) {
                    _ = try await city.command("seats_set", "T1", String(taken), "4", "", "")
                }
                // Its twenty vehicles, and each ride once for the driver that has more seats.
                #expect(cost <= (taken == 2 ? 40 : 25))
            }
            // The last one with two seats takes its round with it.
            for driver in Self.drivers {
                _ = try await city.command("seats_set", driver, "3", "4", "", "")
            }
            #expect(try await city.field("ride:r1", "state") == "failed")
            #expect(try await city.last("ride.failed", "passenger:p1")?["code"]?.text == "seats_full")
            #expect(try await city.raw(["ZCARD", "{test}:waiting:14"]).int == 0)
        }
    }

    @Test func `C60: a long queue is not read to its end each time for a party that nobody in it has room for`()
        async throws
    {
        try await TestCity.run { city in
            for n in 0..<40 {
                try await city.queue("14", "T\(n)")
                _ = try await city.command("seats_set", "T\(n)", "2", "4", "", "")
            }
            #expect(try await city.request("p", "r", "14", passengers: 3, wait: "1").isOK)
            for round in 0..<6 {
                let cost = try await looks(city) {
                    _ = try await city.command("seats_set", "T1", round % 2 == 0 ? "3" : "2", "4", "", "")
                }
                #expect(cost < 12)
                let left = try await looks(city) {
                    _ = try await city.command("driver_unavailable", "T\(round + 2)", "")
                }
                #expect(left < 12)
            }
            #expect(try await city.field("ride:r", "state") == "searching")
            // Who has room is found, and when it has it no more, that is known, too.
            _ = try await city.command("seats_set", "T20", "1", "4", "", "")
            #expect(try await city.offered("r") == "T20")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `C60: of many who wait only one is read for a driver who comes, and none anew when it is gone`()
        async throws
    {
        try await TestCity.run { city in
            try await wait(city, rides: 40)
            let before = try await city.calls(of: "hgetall")
            try await city.queue("14", "T1")
            #expect(try await city.offered("r0") == "T1")
            #expect(try await city.command("offer_accept", "T1", "r0", "", "").isOK)
            let read = try await city.calls(of: "hgetall") - before
            #expect(read < 12, "\(read)")
            try await city.queue("14", "T2")
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `C60: of many who wait only one is read for a driver who is back with its position`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await wait(city, rides: 40)
            let before = try await city.calls(of: "hgetall")
            try await city.position("T1", "45.1", at: 1)
            #expect(try await city.offered("r0") == "T1")
            let read = try await city.calls(of: "hgetall") - before
            #expect(read < 12, "\(read)")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `C26, C60: who has gone has no ride read that it could not have taken`() async throws {
        try await TestCity.run { city in
            try await city.raw(["SADD", "{test}:able:wheelchair", "W"])
            try await city.queue("14", "W", "T1")
            for n in 1...2 { #expect(try await city.request("p\(n)", "q\(n)", "14").isOK) }
            for n in 0..<20 {
                #expect(try await city.request("c\(n)", "r\(n)", "14", needs: "wheelchair").isOK)
            }
            let before = try await city.calls(of: "hgetall")
            #expect(try await city.command("offer_accept", "T1", "q2", "", "").isOK)
            let read = try await city.calls(of: "hgetall") - before
            #expect(read < 12, "\(read)")
            // Who could have is missed.
            #expect(try await city.command("offer_accept", "W", "q1", "", "").isOK)
            #expect(try await city.field("ride:r0", "state") == "failed")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `C26, C60: what is needed in another order is looked up once`() async throws {
        try await TestCity.run { city in
            for word in ["a", "b"] { try await city.raw(["SADD", "{test}:able:\(word)", "T1", "T2"]) }
            try await city.queue("14", "T1", "T2")
            for n in 1...2 { #expect(try await city.request("p\(n)", "q\(n)", "14").isOK) }
            for (n, needs) in ["a b", "b a"].enumerated() {
                #expect(try await city.request("c\(n)", "r\(n)", "14", needs: needs).isOK)
            }
            let before = try await city.calls(of: "zinter")
            #expect(try await city.command("offer_accept", "T1", "q1", "", "").isOK)
            #expect(try await city.calls(of: "zinter") - before == 1)
        }
    }

    @Test func `R2, R3: who are back with one call are asked in the order of the queue, for the rides in theirs`()
        async throws
    {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            for driver in ["T1", "T2"] { try await city.call("driver_gone", [driver, "s-\(driver)"]) }
            try await wait(city, rides: 2)
            try await city.call(
                "positions_take", ["T2", "T1"].flatMap { [$0, "s-\($0)", "45.1", "9.1", "1", "", "", "", ""] })
            #expect(try await city.offered("r0") == "T1")
            #expect(try await city.offered("r1") == "T2")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `C60: a declined ride is looked at once, and the others for its driver only`() async throws {
        try await TestCity.run { city in
            try await declined(city, rides: 10)
            let cost = try await looks(city) { _ = try await city.request("q", "q", "14") }
            #expect(cost <= 15)
            let asked = try #require(try await city.offered("q"))
            try await city.raw(["ZADD", "{test}:asks:q"] + Self.drivers.flatMap { ["1", $0] })
            // Twenty vehicles for the ride, and each other ride for the driver.
            #expect(try await looks(city) { _ = try await city.command("offer_decline", asked, "q", "") } <= 50)
            #expect(try await city.offered("q") == nil)
        }
    }

    @Test func `R2, R3: who comes back is asked for the oldest ride that has not asked it and fits`() async throws {
        try await TestCity.run { city in
            try await declined(city, rides: 3)
            try await city.connect("E")
            _ = try await city.command("seats_set", "E", "3", "4", "", "")
            _ = try await city.command("driver_available", "E", "14", "", "", "")
            #expect(try await city.offered("r1") == nil, "one seat for two")
            try await city.raw(["ZADD", "{test}:asks:r1", "1", "E"])
            _ = try await city.command("seats_set", "E", "2", "4", "", "")
            #expect(try await city.offered("r2") == "E")
            _ = try await city.command("offer_decline", "E", "r2", "")
            #expect(try await city.offered("r3") == "E")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `R2: two pauses that end together bring two offers, and nobody is taken for away`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            for n in 1...2 { #expect(try await city.request("p\(n)", "r\(n)", "14").isOK) }
            for (driver, ride) in [("T1", "r1"), ("T2", "r2"), ("T1", "r2"), ("T2", "r1")] {
                #expect(try await city.command("offer_decline", driver, ride, "").isOK)
            }
            try await city.advance(12_000)
            try await city.sweep()
            #expect(try await city.offered("r1") == "T1")
            #expect(try await city.offered("r2") == "T2")
            for driver in ["T1", "T2"] { #expect(try await city.field("vehicle:\(driver)", "away") == nil) }
        }
    }

    @Test func `C30: who was away and says that it is available is asked at once`() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            _ = try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.queue("14", "T2")
            #expect(try await city.request("p1", "r1", "14").isOK)
            #expect(try await city.command("offer_decline", "T2", "r1", "").isOK)
            #expect(try await city.offered("r1") == nil)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "")["rank"]?.integer == 1)
            #expect(try await city.offered("r1") == "T1")
        }
    }

    @Test func `R5: the last who could still be asked is gone, and the round is over`() async throws {
        for leaves in ["accept", "unavailable", "gone"] {
            try await TestCity.run { city in
                try await city.queue("14", "T1", "T2")
                for n in 1...2 { #expect(try await city.request("p\(n)", "r\(n)", "14").isOK) }
                #expect(try await city.command("offer_decline", "T1", "r1", "").isOK)
                #expect(try await city.offered("r1") == nil, "T2 has yet to answer for r2")
                #expect(try await city.field("ride:r1", "next_at") == nil)
                switch leaves {
                case "accept": #expect(try await city.command("offer_accept", "T2", "r2", "", "").isOK)
                case "unavailable": #expect(try await city.command("driver_unavailable", "T2", "").isOK)
                default: try await city.call("driver_gone", ["T2", "s-T2"])
                }
                #expect(try await city.field("ride:r1", "next_at") != nil, "\(leaves)")
                #expect(try await city.brokenInvariants() == [])
            }
        }
    }
}
