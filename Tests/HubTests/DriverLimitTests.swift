import RedisLink
import Testing
import Wire

@testable import Hub

/// What a driver may cost the others, against a real Redis.
@Suite struct DriverLimitTests {
    @Test("C60: a taxi that gives back ride after ride waits before it is asked again")
    func givesBack() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            @Sendable func giveBack(_ n: Int) async throws {
                try await city.assign("r\(n)", of: "p\(n)", to: "T1")
                #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14").isOK)
                // The last one has failed: nobody is left in the zone.
                _ = try await city.command("ride_cancel", "passenger", "p\(n)", "", "", "")
            }
            for n in 1...2 { try await giveBack(n) }
            #expect(try await city.order("14") == ["T1"])
            try await giveBack(3)
            #expect(try await city.order("14") == [])
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            try await city.advance(29_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            try await city.advance(1_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: a taxi that shows none of its offers keeps its place twice, then waits", arguments: [false, true])
    func showsNothing(isLost: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            @Sendable func letPass(_ n: Int) async throws {
                #expect(try await city.request("p\(n)", "r\(n)", "14").isOK)
                #expect(try await city.offered("r\(n)") == "T1")
                try await city.advance(3_600)
                try await city.sweep()
                #expect(try await city.offered("r\(n)") == "T2")
                #expect(try await city.command("ride_cancel", "passenger", "p\(n)", "", "", "").isOK)
            }
            for n in 1...2 {
                try await letPass(n)
                #expect(try await city.order("14") == ["T1", "T2"])
                // A sign of life.
                try await city.call("positions_take", ["T1", "w.1", "45.1", "9.1", "\(n)", "", "", "", ""])
            }
            if isLost { try await city.call("driver_outside", ["T1"]) }
            if isLost { try await city.call("driver_recover", ["T1", "14"]) }
            try await letPass(3)
            #expect(try await city.order("14") == ["T2"])
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.last("queue.left", "driver:T1")?["reason"]?.text == "undelivered")
            try await city.call("positions_take", ["T1", "w.1", "45.1", "9.1", "9", "", "", "", ""])
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            try await city.advance(30_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.order("14") == ["T2", "T1"])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who leaves the zone with an offer that it was shown comes back as the last", arguments: [true, false])
    func leaves(isShown: Bool) async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2", "T3")
            #expect(try await city.request("p1", "r1", "14").isOK)
            if isShown { #expect(try await city.command("offer_seen", "T1", "r1").isOK) }
            try await city.call("driver_outside", ["T1"])
            #expect(try await city.offered("r1") == "T2")
            try await city.call("driver_recover", ["T1", "14"])
            #expect(try await city.order("14") == (isShown ? ["T2", "T3", "T1"] : ["T1", "T2", "T3"]))
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who leaves with offers that it has not shown is not asked for a while")
    func leavesUnshown() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            for n in 1...3 {
                #expect(try await city.request("p\(n)", "r\(n)", "14").isOK)
                #expect(try await city.offered("r\(n)") == "T1")
                try await city.call("driver_outside", ["T1"])
                #expect(try await city.offered("r\(n)") == "T2")
                #expect(try await city.call("driver_recover", ["T1", "14"]).int == (n < 3 ? 1 : 0))
                #expect(try await city.command("ride_cancel", "passenger", "p\(n)", "", "", "").isOK)
            }
            #expect(try await city.order("14") == ["T2"])
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            try await city.advance(30_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who ends ride after ride at once is not available for the rest of half an hour")
    func endsAtOnce() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 1...7 {
                try await city.assign("r\(n)", of: "p\(n)", to: "T1")
                try await city.call("ride_alert", ["T1", "r\(n)", "20", "4", "high"])
                #expect(try await city.command("ride_aboard", "T1", "r\(n)", "", "").isOK)
                try await city.advance(1_000)
                let end = try await city.command("ride_finish", "T1", "r\(n)", "14", "")
                #expect(end["state"]?.text == (n < 7 ? "available" : "unavailable"))
                #expect(end["reason"]?.text == (n < 7 ? nil : "rate_limited"))
            }
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            try await city.advance(1_794_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who stands at a rank and ends each ride as it begins has no trips, and is out after six")
    func endsAsItBegins() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 1...7 {
                try await city.assign("r\(n)", of: "p\(n)", to: "T1")
                try await city.call("ride_alert", ["T1", "r\(n)", "20", "4", "high"])
                try await city.advance(61_000)
                #expect(try await city.command("ride_aboard", "T1", "r\(n)", "", "").isOK)
                let end = try await city.command("ride_finish", "T1", "r\(n)", "14", "")
                #expect(end["receipt"] == nil)
                #expect(end["state"]?.text == (n < 7 ? "available" : "unavailable"))
            }
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who is said to be aboard and is not can go after a while")
    func leftBehind() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            #expect(try await city.command("ride_aboard", "T1", "r1", "", "").isOK)
            #expect(try await city.command("ride_cancel", "driver", "T1", "", "", "14") == .refused("not_available"))
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "") == .refused("not_available"))
            try await city.advance(119_000)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "") == .refused("not_available"))
            try await city.advance(1_000)
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "")["state"]?.text == "cancelled")
            #expect(try await city.last("ride.cancelled", "driver:T1")?["by"]?.text == "passenger")
            #expect(try await city.order("14") == ["T2", "T1"])
            #expect(try await city.request("p1", "r2", "14").isOK)
            #expect(try await city.offered("r2") == "T2")
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: a taxi that ends rides without having been near the pickup is not asked for a while")
    func fetchesNobody() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            @Sendable func pretend(_ n: Int, near: Bool, reason: String? = nil) async throws {
                try await city.assign("r\(n)", of: "p\(n)", to: "T1")
                if near { try await city.call("ride_alert", ["T1", "r\(n)", "500", "480", "high"]) }
                try await city.advance(61_000)
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                try await city.advance(61_000)
                let end = try await city.command("ride_finish", "T1", "", "14", "")
                #expect(end.isOK && end["reason"]?.text == reason)
            }
            for n in 1...4 { try await pretend(n, near: true) }
            for n in 5...6 { try await pretend(n, near: false) }
            #expect(try await city.order("14") == ["T1"])
            try await pretend(7, near: false, reason: "rate_limited")
            #expect(try await city.field("vehicle:T1", "state") == "unavailable")
            #expect(try await city.command("driver_available", "T1", "14", "", "", "") == .refused("rate_limited"))
            try await city.advance(30_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: who is lost with a ride until its passenger gives it up comes back as the last, and pays")
    func isLost() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.assign("r1", of: "p1", to: "T1")
            try await city.call("driver_gone", ["T1", "s-T1"])
            try await city.advance(125_000)
            try await city.sweep()
            #expect(try await city.command("ride_cancel", "passenger", "p1", "", "", "").isOK)
            try await city.connect("T1")
            #expect(try await city.order("14") == ["T2", "T1"])
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:T1"]).int == 1)
            #expect(try await city.raw(["EXISTS", "{test}:cancels:p1"]).int == 0)
        }
    }

    @Test("C60: a minibus that gives back what it has confirmed pays; one that came and waited does not")
    func givesSeatsBack() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            for n in 1...3 {
                #expect(try await city.book("p\(n)", "b\(n)", "M1", 2).isOK)
                #expect(try await city.command("seat_accept", "M1", "b\(n)", "", "").isOK)
                if n == 1 {
                    try await city.call("seat_alert", ["M1", "b1", "20", "5", "high"])
                    try await city.advance(180_000)
                }
                #expect(try await city.command("seat_cancel", "driver", "M1", "b\(n)", "").isOK)
            }
            #expect(try await city.raw(["LRANGE", "{test}:cancels:p1", "0", "-1"]).array?.first?.text?.last == "n")
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:M1"]).int == 2)
            #expect(try await city.book("p4", "b4", "M1", 2).isOK)
            #expect(try await city.command("seat_accept", "M1", "b4", "", "").isOK)
            #expect(try await city.command("seat_cancel", "driver", "M1", "b4", "").isOK)
            #expect(try await city.command("driver_unavailable", "M1", "").isOK)
            #expect(try await city.command("driver_available", "M1", "", "", "", "") == .refused("rate_limited"))
        }
    }

    @Test("a minibus whose link was lost while it was online comes back as a taxi")
    func changesKind() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            try await city.call("driver_gone", ["M1", "s-M1"])
            try await city.advance(60_000)
            try await city.sweep()
            try await city.call("session_hello", ["driver", "M1", "s-2", "w", "", "taxi", "4"])
            #expect(try await city.field("vehicle:M1", "kind") == "taxi")
            #expect(try await city.field("vehicle:M1", "state") == "unavailable")
        }
    }

    @Test("C60: who is aboard takes the ride back from a taxi at the pickup: both pay, and the log has the metres")
    func isAboard() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1")
            for n in 1...4 {
                try await city.assign("r\(n)", of: "p\(n)", to: "T1")
                try await city.call("ride_alert", ["T1", "r\(n)", "20", "4", "high"])
                #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
                try await city.advance(121_000)
                #expect(try await city.command("ride_cancel", "passenger", "p\(n)", "", "", "").isOK)
                #expect(try await city.order("14") == ["T1"])
                #expect(try await city.last("ride.cancelled", "driver:T1")?["state"] == nil)
                #expect(try await city.raw(["LLEN", "{test}:cancels:p\(n)"]).int == 1)
            }
            // One that has driven on is elsewhere: it is in no queue before it says where.
            try await city.position("T1", "45.1", at: 1)
            try await city.assign("r5", of: "p5", to: "T1")
            try await city.call("ride_alert", ["T1", "r5", "20", "4", "high"])
            #expect(try await city.command("ride_aboard", "T1", "", "", "").isOK)
            for step in 0..<6 {
                try await city.advance(30_000)
                try await city.position("T1", "45.1\(step)1", at: 30_000 * step)
            }
            #expect(try await city.command("ride_cancel", "passenger", "p5", "", "", "").isOK)
            #expect(try await city.order("14") == [])
            #expect(try await city.last("ride.cancelled", "driver:T1")?["state"]?.text == "unavailable")
            let log = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
            let last = try #require(log.last { $0[1].array?[1].text == "ride.cancelled" })
            let told = try JSONValue(parsing: last[1].array?[5].bytes ?? [])
            #expect(told["aboard_s"]?.integer == 180 && told["driven_m"]?.integer ?? 0 > 300)
        }
    }
}

extension DriverLimitTests {
    @Test(
        "C60: a taxi that crosses a border again and again moves six times in a minute"
    )
    func crossesBorders() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.advance(60_000)
            let heard = try await city.heard(on: "people") {
                for n in 1...200 { try await city.call("driver_move", ["T1", n % 2 == 1 ? "15" : "14"]) }
            }
            // Each move changes two queues.
            #expect(heard.filter { $0.channel == "queues" }.count == 12)
            #expect(try await city.told("driver:T1").filter { $0 == "queue.joined" }.count == 7)
            #expect(try await city.order("14") == ["T2", "T1"])
            try await city.advance(60_000)
            #expect(try await city.call("driver_move", ["T1", "15"]).int == 1)
            #expect(try await city.order("15") == ["T1"])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: one that leaves all zones and comes back is back six times in a minute, then out for the rest of it")
    func comesBack() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            try await city.advance(60_000)
            for n in 1...50 {
                try await city.call("driver_outside", ["T1"])
                #expect(try await city.call("driver_recover", ["T1", "14"]).int == (n <= 6 ? 1 : -1))
            }
            #expect(try await city.order("14") == ["T2"])
            try await city.advance(60_000)
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == 1)
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: one that goes and comes again by its word is back six times in a minute, and leaves when it wants to")
    func comesAndGoes() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T2")
            try await city.connect("T1")
            let heard = try await city.heard(on: "people") {
                for n in 1...50 {
                    let outcome = try await city.command("driver_available", "T1", "14", "", "", "")
                    #expect(n <= 6 ? outcome["rank"]?.integer == 2 : outcome == .refused("rate_limited"))
                    #expect(try await city.command("driver_unavailable", "T1", "").isOK)
                    #expect(try await city.field("vehicle:T1", "state") == "unavailable")
                }
            }
            // It comes and goes.
            #expect(heard.filter { $0.channel == "queues" }.count == 12)
            try await city.advance(59_000)
            let refusal = try await city.call("driver_available", ["T1", "14", "", "", ""]).text ?? ""
            #expect(refusal.hasPrefix("-rate_limited 1000\n") && refusal.hasSuffix("Be available again in 1 s."))
            try await city.advance(1_000)
            #expect(try await city.command("driver_available", "T1", "14", "", "", "").isOK)
            #expect(try await city.order("14") == ["T2", "T1"])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: one that was outside is refused like that, and is back at its old place all the same")
    func comesBackByItsWord() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            // It has come once.
            for n in 1...20 {
                try await city.call("driver_outside", ["T1"])
                let outcome = try await city.command("driver_available", "T1", "14", "", "", "")
                #expect(n <= 5 ? outcome["rank"]?.integer == 1 : outcome == .refused("rate_limited"))
            }
            #expect(try await city.order("14") == ["T2"])
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == -1)
            try await city.advance(60_000)
            #expect(try await city.call("driver_recover", ["T1", "14"]).int == 1)
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }

    @Test("C60: a minibus without a way goes online ten times in a minute, and offline when it wants to")
    func goesOnline() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            for n in 1...20 {
                let outcome = try await city.command("driver_available", "M1", "", "", "", "")
                #expect(n <= 10 ? outcome.isOK : outcome == .refused("rate_limited"))
                #expect(try await city.command("driver_available", "M1", "", "", "", "").isOK == (n <= 10))
                #expect(try await city.command("driver_unavailable", "M1", "").isOK)
            }
            try await city.advance(60_000)
            #expect(try await city.command("driver_available", "M1", "", "", "", "").isOK)
        }
    }

    /// Of the event log, in order.
    private func loggedLinks(_ city: TestCity) async throws -> [String] {
        let entries = try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array ?? []
        return entries.compactMap { $0[1]["type"].text }.filter { ["driver.away", "driver.back"].contains($0) }
    }

    @Test("C60: a driver says hello sixty times in a minute; the event log tells of each, and ends as it is")
    func reconnects() async throws {
        try await TestCity.run { city in
            try await city.queue("14", "T1", "T2")
            for n in 2...200 {
                try await city.call("driver_gone", ["T1", n <= 61 ? (n == 2 ? "s-T1" : "s\(n - 1)") : "s60"])
                let reply = try await city.call("session_hello", ["driver", "T1", "s\(n)", "w", "", "taxi", "4", ""])
                #expect((reply.text?.hasPrefix("-rate_limited 60000\n") == true) == (n > 60), "\(reply)")
            }
            #expect(
                try await loggedLinks(city) == (1...59).flatMap { _ in ["driver.away", "driver.back"] } + [
                    "driver.away"
                ])
            // One that has said hello catches up again without being counted, and others are not concerned.
            #expect(
                try await city.call("session_hello", ["driver", "T2", "s-T2", "w", "", "taxi", "4", "1"]).text == nil)
            #expect(try await city.field("vehicle:T2", "hellos")?.hasSuffix(" 1") == true)
            try await city.advance(60_000)
            try await city.connect("T1")
            #expect(try await loggedLinks(city).last == "driver.back")
            #expect(try await city.field("vehicle:T1", "away") == nil)
            #expect(try await city.order("14") == ["T1", "T2"])
            #expect(try await city.brokenInvariants().isEmpty)
        }
    }
}
