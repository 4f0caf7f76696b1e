import RedisLink
import Testing
import Wire

@testable import Hub

/// seat.lua and minibus.lua against a real Redis.
@Suite struct SeatFunctionTests {
    @Test("M9, C64: who has a seat in a minibus is told that its driver is lost, and back; who is aboard is not")
    func lostAndBack() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 8)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            for (passenger, booking) in [("p1", "b_1"), ("p2", "b_2")] {
                _ = try await city.book(passenger, booking, "M1", 1)
                #expect(try await city.command("seat_accept", "M1", booking, "", "").isOK)
            }
            _ = try await city.command("seat_aboard", "M1", "b_2", "", "")
            try await city.call("driver_gone", ["M1", "s-M1"])
            try await city.advance(60_000)
            try await city.sweep()
            #expect(try await city.told("passenger:p1").last == "seat.confirmed")
            try await city.advance(60_000)
            for _ in 0..<2 { try await city.sweep() }
            #expect(try await city.told("passenger:p1").filter { $0 == "seat.driver_lost" }.count == 1)
            #expect(try await city.told("passenger:p2").contains("seat.driver_lost") == false)
            let shown = try await city.call("session_hello", ["passenger", "p1", "s-p1", "w", ""])[2].text ?? ""
            #expect(try JSONValue(parsing: Array(shown.utf8))["booking"]?["driver_lost"]?["until"]?.integer != nil)
            try await city.call("session_hello", ["driver", "M1", "s2-M1", "w", "", "minibus", "8"])
            #expect(try await city.told("passenger:p1").last == "seat.driver_back")
            #expect(try await city.field("booking:b_1", "state") == "confirmed")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C33, C60: a minibus that stays away loses its bookings some at a time; what is left stays if it is back")
    func lostWithMany() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 70)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            try await city.raw(["HSET", "{test}:settings", "recovery_ms", "180000"])
            for n in 0..<60 {
                #expect(try await city.book("p\(n)", "b\(n)", "M1", 1).isOK)
                #expect(try await city.command("seat_accept", "M1", "b\(n)", "", "").isOK)
            }
            func left() async throws -> Int64? { try await city.raw(["ZCARD", "{test}:bookings:M1"]).int }
            func giveBacks() async throws -> Int64? {
                try await city.command("reliability_get", "driver", "M1")["give_backs"]?.integer
            }
            /// Whether more is due.
            func sweep() async throws -> Bool { try await city.call("city_sweep", ["w", "5000", "", ""])[6].int == 1 }
            try await city.call("driver_gone", ["M1", "s-M1"])
            try await city.advance(200_000)
            #expect(try await sweep())
            #expect(try await left() == 35)
            #expect(try await city.field("vehicle:M1", "seats") == "35")
            #expect(try await city.last("seat.cancelled", "passenger:p0")?["reason"]?.text == "driver_lost")
            #expect(try await city.told("passenger:p59").last == "seat.confirmed")
            #expect(try await city.brokenInvariants() == [])
            try await city.call("session_hello", ["driver", "M1", "s2-M1", "w", "", "minibus", "70"])
            #expect(try await !sweep())
            #expect(try await left() == 35)
            #expect(try await giveBacks() == 1)
            // Once more, and for good.
            try await city.call("driver_gone", ["M1", "s2-M1"])
            try await city.advance(200_000)
            #expect(try await sweep())
            #expect(try await !sweep())
            #expect(try await left() == 0)
            #expect(try await giveBacks() == 2, "once for each time")
            #expect(try await city.field("vehicle:M1", "status") == "en_route")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("M1, I1: a minibus is online without a queue, and offline on command")
    func onlineOffline() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            let online = try await city.command("driver_available", "M1", "14", "", "", "")
            #expect(online["seats"]?.integer == 14 && online["capacity"]?.integer == 14)
            #expect(try await city.order("14") == [])
            #expect(try await city.command("driver_unavailable", "M1", "").isOK)
            #expect(try await city.field("vehicle:M1", "state") == "unavailable")
            #expect(try await city.book("p1", "b1", "M1", 1) == .refused("not_available"))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("M4, C47: a booking holds its seats, the promise takes them, the end gives them back")
    func wholeBooking() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 14)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await city.book("p1", "b1", "M1", 3)["state"]?.text == "pending")
            #expect(try await city.field("vehicle:M1", "seats") == "14", "nothing is promised yet")
            let asked = try await city.last("seat.requested", "driver:M1")
            #expect(asked?["passengers"]?.integer == 3 && asked?["pickup"] == nil)
            #expect(try await city.command("seat_accept", "M1", "b1", "", "70").isOK)
            #expect(try await city.field("vehicle:M1", "seats") == "11")
            #expect(try await city.last("seat.confirmed", "passenger:p1")?["eta_s"]?.integer == 70)
            #expect(try await city.command("seat_end", "M1", "b1", "") == .refused("not_available"))
            #expect(try await city.command("seat_aboard", "M1", "b1", "", "")["seats"]?.integer == 11)
            #expect(try await city.brokenInvariants() == [])
            #expect(try await city.command("seat_end", "M1", "b1", "")["seats"]?.integer == 14)
            #expect(
                try await city.told("passenger:p1") == ["seat.pending", "seat.confirmed", "seat.aboard", "seat.ended"])
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C48: one asked at a time; after the last seat is held the next is full; a party gets all or none")
    func lastSeats() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await city.book("p1", "b1", "M1", 2).isOK)
            #expect(try await city.book("p2", "b2", "M1", 3) == .refused("seats_full"))
            #expect(try await city.book("p3", "b3", "M1", 2).isOK)
            #expect(try await city.book("p4", "b4", "M1", 1) == .refused("seats_full"))
            #expect(try await city.book("p5", "b5", "M1", 5) == .refused("too_many_passengers"))
            #expect(try await city.told("driver:M1").filter { $0 == "seat.requested" }.count == 1)
            #expect(
                try await city.command("seat_accept", "M1", "b3", "", "") == .refused("offer_expired"), "not asked yet")
            #expect(try await city.command("seat_decline", "M1", "b1", "").isOK)
            #expect(try await city.last("seat.requested", "driver:M1")?["booking"]?.text == "b3")
            #expect(try await city.book("p4", "b4", "M1", 2).isOK, "declined seats can be asked for again")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C48, C30: the clock runs from offer.seen, and a hold that is not answered is released")
    func clock() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            _ = try await city.book("p1", "b1", "M1", 2)
            try await city.advance(2_900)
            #expect(try await city.command("seat_seen", "M1", "b1")["expires_in_ms"]?.integer == 10_000)
            try await city.advance(9_900)
            try await city.sweep()
            #expect(try await city.field("booking:b1", "state") == "offered")
            try await city.advance(700)
            try await city.sweep()
            #expect(try await city.last("seat.declined", "passenger:p1")?["reason"]?.text == "no_answer")
            #expect(try await city.field("vehicle:M1", "held") == "0")
            #expect(try await city.command("seat_accept", "M1", "b1", "", "") == .refused("offer_expired"))
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C30: undelivered waits for the driver to show that it lives, but no longer than the hold")
    func undelivered() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 4)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            _ = try await city.book("p1", "b1", "M1", 2)
            try await city.advance(3_600)
            try await city.sweep()
            #expect(try await city.field("booking:b1", "state") == "waiting")
            #expect(try await city.book("p2", "b2", "M1", 1) == .refused("not_available"))
            try await city.call("positions_take", ["M1", "w.1", "45.1", "9.1", "1", "", "", "", ""])
            #expect(try await city.field("booking:b1", "state") == "offered")
            #expect(try await city.brokenInvariants() == [])
            for _ in 0..<20 {
                try await city.advance(3_600)
                try await city.sweep()
            }
            #expect(try await city.field("booking:b1", "state") == "declined")
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test(
        "C47: the driver's count stays between what is promised and what there is; the latest who wait are told first")
    func recount() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 6)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            for (passenger, booking) in [("p1", "b1"), ("p2", "b2"), ("p3", "b3")] {
                _ = try await city.book(passenger, booking, "M1", 2)
            }
            _ = try await city.command("seat_accept", "M1", "b1", "", "")
            #expect(try await city.command("seats_set", "M1", "1", "4", "", "") == .refused("not_available"))
            #expect(try await city.command("seats_set", "M1", "7", "4", "", "") == .refused("bad_message"))
            #expect(try await city.command("seats_set", "M1", "4", "4", "", "walk_on")["seats"]?.integer == 2)
            #expect(try await city.last("seats.changed", "driver:M1")?["reason"]?.text == "walk_on")
            #expect(try await city.last("seat.declined", "passenger:p3")?["reason"]?.text == "full")
            #expect(try await city.field("booking:b2", "state") == "offered")
            #expect(try await city.brokenInvariants() == [])
            _ = try await city.command("seat_aboard", "M1", "b1", "", "")
            #expect(try await city.command("seats_set", "M1", "1", "4", "", "").isOK, "one got off unnoticed")
            #expect(try await city.brokenInvariants() == [])
            #expect(try await city.command("seat_end", "M1", "b1", "")["seats"]?.integer == 6)
            #expect(try await city.brokenInvariants() == [])
        }
    }

    @Test("C60: who is said to be aboard and is not can go after a while, and its seat is free")
    func leftBehind() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 12)
            _ = try await city.command("driver_available", "M1", "", "", "", "")
            #expect(try await city.book("p1", "b1", "M1", 2).isOK)
            #expect(try await city.command("seat_accept", "M1", "b1", "", "60").isOK)
            #expect(try await city.command("seat_aboard", "M1", "b1", "", "").isOK)
            #expect(try await city.command("seat_cancel", "passenger", "p1", "b1", "") == .refused("not_available"))
            #expect(try await city.command("seat_cancel", "driver", "M1", "b1", "") == .refused("not_available"))
            try await city.advance(120_000)
            #expect(try await city.command("seat_cancel", "driver", "M1", "b1", "") == .refused("not_available"))
            #expect(try await city.command("seat_cancel", "passenger", "p1", "b1", "").isOK)
            #expect(try await city.field("vehicle:M1", "seats") == "12")
            #expect(try await city.raw(["LLEN", "{test}:cancels:p1"]).int == 1)
            #expect(try await city.raw(["LLEN", "{test}:cancels:driver:M1"]).int == 2, "from afar; and this")
        }
    }

    @Test("C47: 2,000 random steps break nothing")
    func randomWalk() async throws {
        try await TestCity.run { city in
            try await city.minibus("M1", seats: 9)
            var random = SystemRandomNumberGenerator()
            for step in 0..<2_000 {
                let booking = "b\(Int.random(in: max(0, step - 30)...step, using: &random))"
                let passenger = "p\(Int.random(in: 0..<12, using: &random))"
                let count = Int.random(in: 1...4, using: &random)
                switch Int.random(in: 0..<12, using: &random) {
                case 0, 1, 2: _ = try await city.book(passenger, "b\(step)", "M1", count)
                case 3, 4:
                    let asked = try await city.field("vehicle:M1", "asking") ?? booking
                    _ = try await city.command("seat_accept", "M1", asked, "", "")
                case 5: _ = try await city.command("seat_decline", "M1", booking, "")
                case 6: _ = try await city.command("seat_cancel", "passenger", passenger, "", "")
                case 7: _ = try await city.command("seat_aboard", "M1", booking, "\(count)", "")
                case 8: _ = try await city.command("seat_end", "M1", booking, "")
                case 9: _ = try await city.command("seats_set", "M1", "\(count * 2)", "4", "", "")
                case 10:
                    try await city.advance(Int.random(in: 0...9_000, using: &random))
                    try await city.sweep()
                    try await city.call("positions_take", ["M1", "w.1", "45.1", "9.1", "\(step)", "", "", "", ""])
                default:
                    _ = try await city.command("driver_available", "M1", "", "", "", "")
                }
                if step % 50 == 0 { #expect(try await city.brokenInvariants() == []) }
            }
            #expect(try await city.brokenInvariants() == [])
            #expect(
                try await city.raw(["XRANGE", "{test}:events", "-", "+"]).array?.contains {
                    $0[1]["type"].text == "seats.clamped"
                } == false)
        }
    }
}

extension TestCity {
    /// Connected, its token says `minibus`.
    func minibus(_ driver: String, seats: Int) async throws {
        try await call("session_hello", ["driver", driver, "s-\(driver)", "w", "", "minibus", String(seats)])
    }

    func book(_ passenger: String, _ booking: String, _ vehicle: String, _ passengers: Int) async throws -> Outcome {
        try await command(
            "seat_book", passenger, booking, vehicle, "45.1", "9.1", "45.2", "9.2", String(passengers), "900", "1200",
            "EUR",
            "", "", "", "", "")
    }
}
