import RedisLink
import Testing
import Wire

@testable import Hub

/// What the steps of a taxi ride cost, and the end of a booking of seats: the commands that Redis carries out for each, which don't depend on the machine.
@Suite struct RideCostTests {
    private static let passengers = (0..<50).map { "p\($0)" }

    /// How many commands Redis has carried out. Without XRANGE: what is too old is looked for now and then.
    private func commands(_ city: TestCity) async throws -> Int {
        let lines = try await city.raw(["INFO", "commandstats"]).text?.split(separator: "\r\n") ?? []
        return lines.reduce(0) { sum, line in
            let parts = line.split(separator: ":")
            guard parts.count == 2, !["cmdstat_xrange", "cmdstat_info", "cmdstat_fcall"].contains(parts[0]) else {
                return sum
            }
            return sum + (Int(parts[1].dropFirst("calls=".count).prefix { $0.isNumber }) ?? 0)
        }
    }

    /// Of one call, which must be well.
    private func cost(_ city: TestCity, _ function: String, _ arguments: [String]) async throws -> Int {
        let before = try await commands(city)
        let reply = try await city.call(function, arguments)
        #expect(reply.text?.hasPrefix("-") != true, "\(function): \(reply.text ?? "")")
        return try await commands(city) - before
    }

    /// All steps of a ride of a passenger to the taxi that is to be asked.
    private func ride(_ city: TestCity, _ ride: String, of passenger: String, to taxi: String) async throws -> [String:
        Int]
    {
        var costs: [String: Int] = [:]
        let steps: [(String, [String])] = [
            ("ride_request", [passenger, ride, "14", "45.1", "9.1", "1", "45.2", "9.2", "k1" + ride]),
            ("offer_seen", [taxi, ride]), ("offer_accept", [taxi, ride, "k2" + ride, "120"]),
            ("ride_alert", [taxi, ride, "500", "480", "high"]), ("ride_alert", [taxi, ride, "20", "18", "high"]),
            ("ride_aboard", [taxi, ride, "", "k3" + ride]), ("ride_finish", [taxi, ride, "14", "k4" + ride]),
        ]
        for (function, arguments) in steps {
            let name = function == "ride_alert" ? function + arguments[2] : function
            costs[name] = try await cost(city, function, arguments)
        }
        return costs
    }

    @Test func `a step of a ride takes so many commands, however many have not answered yet`() async throws {
        try await TestCity.run { city in
            // Whoever has no subscription to pushes costs nothing more with them.
            try await city.raw([
                "HSET", "{test}:settings", "version", "1", "clock_hub", "1800000000000", "push_on", "1",
            ])
            for n in 0..<45 { try await city.queue("14", "T\(n)") }
            try await city.call(
                "positions_take", (0..<45).flatMap { ["T\($0)", "s-T\($0)", "45.1", "9.1", "1", "90", "5", "c1", ""] })
            // The first of all sets how long keys are kept, which the next ones need not.
            _ = try await ride(city, "r0", of: "p0", to: "T0")
            let expected = [
                "ride_request": 17, "offer_seen": 6, "offer_accept": 17, "ride_alert500": 6, "ride_alert20": 7,
                "ride_aboard": 10, "ride_finish": 21,
            ]
            // Of several the least: once a second a function looks whether the settings are still the same, and whether a feed is followed.
            func least(_ rides: Range<Int>) async throws -> [String: Int] {
                var costs: [String: Int] = [:]
                for n in rides {
                    let one = try await ride(city, "r\(n)", of: "p0", to: "T\(n % 45)")
                    costs.merge(one) { min($0, $1) }
                }
                return costs
            }
            let costs = try await least(1..<4)
            #expect(costs == expected, "\(costs)")
            // Thirty-eight have an offer that they have not answered yet.
            for n in 4..<42 { #expect(try await city.request("p\(n)", "r\(n)", "14").isOK) }
            let later = try await least(42..<45)
            #expect(later == expected, "\(later)")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test func `the end of a booking of seats takes so many commands`() async throws {
        try await TestCity.run { city in
            try await city.raw(["HSET", "{test}:settings", "version", "1"])
            try await city.minibus("M1", seats: 8)
            #expect(try await city.command("driver_available", "M1", "", "", "", "").isOK)
            #expect(try await city.command("route_set", "M1", "R1", "", "", "").isOK)
            try await city.call("positions_take", ["M1", "s-M1", "45.1", "9.1", "1", "90", "5", "c1", ""])
            var (least, n) = (Int.max, 0)
            // On a busy machine a second passes between any two calls, and each looks whether the settings are still the same.
            while least > 25, n < 20 {
                n += 1
                #expect(try await city.book("p1", "b_\(n)", "M1", 1).isOK)
                #expect(try await city.command("seat_accept", "M1", "b_\(n)", "", "").isOK)
                try await city.call("seat_alert", ["M1", "b_\(n)", "20", "5", "high"])
                #expect(try await city.command("seat_aboard", "M1", "b_\(n)", "", "").isOK)
                // Long ago, and far away: what took nobody anywhere is no trip.
                try await city.raw(["HSET", "{test}:vehicle:M1", "lat", "45.\(n % 2 + 2)"])
                try await city.raw(["HINCRBY", "{test}:booking:b_\(n)", "requested_at", "-600000"])
                let end = ["M1", "b_\(n)", "k\(n)", "", "2027-01-15T09:11:10Z"]
                least = min(least, try await cost(city, "seat_end", end))
            }
            #expect(least == 25)
        }
    }
}
