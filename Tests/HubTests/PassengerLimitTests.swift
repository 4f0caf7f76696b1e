import RedisLink
import Testing
import Wire

@testable import Hub

/// What a passenger pays for, and what not because its driver did it, against a real Redis.
@Suite struct PassengerLimitTests: StopLine {
    @Test("C60: who does not come to pickup after pickup waits before it is asked for again")
    func noShows() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            @Sendable func missed(_ n: Int) async throws -> TestCity.Outcome {
                let asked = try await city.request("p1", "r\(n)", "14")
                guard asked.isOK else { return asked }
                #expect(try await city.command("offer_accept", "T1", "r\(n)", "", "").isOK)
                try await city.call("ride_alert", ["T1", "r\(n)", "20", "4", "high"])
                try await city.advance(180_000)
                return try await city.command("ride_noshow", "T1", "", "")
            }
            for n in 1...3 { #expect(try await missed(n).isOK) }
            #expect(try await city.request("p1", "r4", "14") == .refused("rate_limited"))
            try await city.advance(30_000)
            #expect(try await missed(4).isOK, "30 s")
            try await city.advance(119_000)
            #expect(try await missed(5) == .refused("rate_limited"))
            try await city.advance(1_000)
            #expect(try await missed(5).isOK, "2 min")
            // Ten minutes do not make it forgotten: two hours do.
            try await city.advance(8 * Self.minute - 1)
            #expect(try await city.request("p1", "r6", "14") == .refused("rate_limited"))
            #expect(try await city.request("p2", "r6", "14").isOK, "another passenger")
            #expect(try await city.command("ride_cancel", "passenger", "p2", "", "", "").isOK)
            try await city.advance(120 * Self.minute)
            for n in 7...9 { #expect(try await missed(n).isOK) }
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who takes a ride back each time when the taxi is there pays as if it had not come")
    func cancelsOnArrival() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 1...3 {
                try await city.assign("r\(n)", of: "p1", to: "T1")
                try await city.advance(300_000)
                try await city.call("ride_alert", ["T1", "r\(n)", "20", "4", "high"])
                #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            }
            #expect(try await city.request("p1", "r4", "14") == .refused("rate_limited"))
        }
    }

    @Test(
        "C60: a ride taken back counts as a no-show once the taxi is there, or was near and on its way for half a minute",
        arguments: [("500", 2_000, false), ("500", 29_999, false), ("500", 30_000, true), ("20", 2_000, true)])
    func cancelsAtOnce(rung: String, after: Int, isNoShow: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("ride_alert", ["T1", "r1", rung, "18", "high"])
            try await city.advance(after)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await city.book("p1", "b1", "M1", 2).isOK)
            #expect(try await city.command("seat_accept", "M1", "b1", "", "").isOK)
            try await city.call("seat_alert", ["M1", "b1", rung, "18", "high"])
            try await city.advance(after)
            #expect(try await city.command("seat_cancel", "passenger", "p1", "b1", "").isOK)
            let signs = try await city.raw(["LRANGE", "{test}:cancels:p1", "0", "-1"]).array?.map {
                $0.text?.last == "n"
            }
            #expect(signs == [isNoShow, isNoShow])
        }
    }

    @Test("C60: a bus driver who takes a promise back pays for it, not who asked")
    func promiseTakenBack() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 100)
            for n in 1...3 {
                #expect(try await request(city, "c1", wish("s\(n)", 2_000, inMinutes: 5)).isOK)
                #expect(try await answer(city, "accept", "s\(n)").isOK)
                #expect(try await answer(city, "decline", "s\(n)").isOK)
            }
            #expect(try await city.raw(["EXISTS", "{test}:cancels:c1"]).int == 0)
            #expect(try await city.raw(["LLEN", "{test}:cancels:bus_driver:B1"]).int == 3)
        }
    }

    @Test("C60: a taxi that has accepted and does not come is left at its cost", arguments: [0.0, 300.0])
    func doesNotCome(metres: Double) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            // The pickup is at 45.1.
            try await city.position("T1", "45.11", at: 1)
            for n in 1...4 {
                try await city.assign("r\(n)", of: "p1", to: metres > 0 || n == 1 ? "T1" : "T2")
                if n == 1 || metres > 0 {
                    try await city.advance(119_000)
                    try await city.position("T1", String(45.11 - Double(n) * metres / 111_195), at: n + 1)
                    try await city.advance(2_000)
                }
                #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
                if n == 1 { #expect(try await city.order("14") == (metres > 0 ? ["T1", "T2"] : ["T2", "T1"])) }
                if metres > 0, n == 3 {
                    // It was on its way.
                    #expect(try await city.request("p1", "r9", "14") == .refused("rate_limited"))
                    #expect(try await city.raw(["EXISTS", "{test}:cancels:driver:T1"]).int == 0)
                    return
                }
            }
            // The first was not the passenger's; the three that followed were.
            #expect(try await city.request("p1", "r9", "14") == .refused("rate_limited"))
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:T1"]).int == 1)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test(
        "C60: for a taxi that was near for two minutes, or goes round, both pay; for one that comes, the passenger",
        arguments: [
            ("500", 0, "45.103", true), ("500", 0, "45.1008", true), ("500", 60, "45.1008", false),
            ("0", 0, "45.1065", true),
        ])
    func staysNear(rung: String, after: Int, lat: String, driverPays: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            try await city.position("T1", "45.1035", at: 1)
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.advance(after * 1_000)
            if rung != "0" { try await city.call("ride_alert", ["T1", "r1", rung, "389", "high"]) }
            try await city.advance(121_000 - after * 1_000)
            try await city.position("T1", lat, at: 2)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            #expect(try await city.raw(["EXISTS", "{test}:cancels:driver:T1"]).int == (driverPays ? 1 : 0))
            #expect(try await city.raw(["EXISTS", "{test}:cancels:p1"]).int == 1)
            #expect(try await city.order("14") == ["T1"])
        }
    }

    @Test("C60: whom a bus fetches in its driver's words, from elsewhere, pays nothing; the driver does")
    func completedFromElsewhere() async throws {
        try await TestCity.run { city in
            try await start(city)
            try await drive(city, to: 100)
            for n in 1...18 {
                #expect(try await request(city, "c1", wish("s\(n)", 2_000, inMinutes: 5)).isOK)
                #expect(try await answer(city, "accept", "s\(n)").isOK)
                #expect(try await answer(city, "complete", "s\(n)").isOK)
            }
            #expect(try await request(city, "c1", wish("s19", 2_000, inMinutes: 5)).isOK)
            #expect(try await city.command("tour_end", "bus_driver", "B1", "", "", "").isOK)
            #expect(
                try await city.command(
                    "tour_start", "B1", "t2", "8", "8", "L", "out", "", "[]", "w", "", "", "", "", "", "0", "")
                    == .refused("rate_limited"))
        }
    }

    @Test("C60: the requests of one citizen are for so many passengers together, and not for a bus all day")
    func passengersTogether() async throws {
        try await TestCity.run { city in
            try await start(city)
            for n in 1...2 {
                let wished = wish("s\(n)", 500, inMinutes: 61 * n, passengers: 8)
                #expect(try await request(city, "c1", wished).isOK)
            }
            #expect(try await request(city, "c1", wish("s3", 500, inMinutes: 183)) == .refused("already_requested"))
            #expect(try await request(city, "c2", wish("s3", 500, inMinutes: 183)).isOK)
            let there = wish("s4", 500, inMinutes: 244, passengers: 8)
            let back = wish("s5", 600, inMinutes: 305, passengers: 8)
            #expect(try await request(city, "c2", there, back) == .refused("already_requested"))
            #expect(try await city.command("stop_cancel", "c1", "s2", "").isOK)
            #expect(try await request(city, "c1", wish("s3", 500, inMinutes: 183)).isOK)
        }
    }

    @Test("C60: a minibus whose driver ends no booking is booked so often, and no more")
    func openBookings() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "14", "", "", "")
            for n in 1...8 {
                #expect(try await city.book("p\(n)", "b\(n)", "M1", 4).isOK)
                #expect(try await city.command("seat_accept", "M1", "b\(n)", "", "").isOK)
                try await city.call("seat_alert", ["M1", "b\(n)", "20", "5", "high"])
                #expect(try await city.command("seat_aboard", "M1", "b\(n)", "", "").isOK)
                _ = try await city.command("seats_set", "M1", "0", "", "", "")
            }
            #expect(try await city.book("p9", "b9", "M1", 1) == .refused("seats_full"))
            #expect(try await city.command("seat_end", "M1", "b1", "").isOK)
            #expect(try await city.book("p9", "b9", "M1", 1).isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }
}
